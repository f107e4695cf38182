package frame

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Limits are those of the channels. The zero value knows none.
type Limits struct{ Channels []Range }

// A Range is where the values of a channel lie in all frames.
type Range struct{ Least, Most float64 }

// FindLimits measures the limits of frames, of which values may be missing (NaN), not all of a channel. Errors: *field.ReadError, ctx.Err().
func FindLimits(ctx context.Context, frames field.Source) (l Limits, err error) {
	_, _, channels := frames.Dims()
	for range channels {
		l.Channels = append(l.Channels, Range{Least: math.Inf(1), Most: math.Inf(-1)})
	}
	err = Each(ctx, frames, func(_ int, values []float64) {
		for k, v := range values {
			if r := &l.Channels[k%channels]; v == v {
				r.Least, r.Most = min(r.Least, v), max(r.Most, v)
			}
		}
	})
	return l, err
}

// Clip takes means beyond the range of their channel to its end (docs/math.md, 19.9), and leaves variances.
func (l *Limits) Clip(f Frame) {
	for c, r := range l.Channels {
		work.EachRow(f.Mean.Rows, func(k int) {
			f.Mean.Set(k, c, min(max(f.Mean.At(k, c), r.Least), r.Most))
		})
	}
}

// Bound bounds the variances of a frame by the largest ones that values within the range of their channel can have: a quarter of its square (Popoviciu 1935). A single value is no range, and bounds nothing.
func (l *Limits) Bound(f Frame) {
	for c, r := range l.Channels {
		most := Square(r.Most/2 - r.Least/2)
		if most == 0 {
			continue
		}
		work.EachRow(f.Variance.Rows, func(k int) {
			f.Variance.Set(k, c, min(f.Variance.At(k, c), most))
		})
	}
}
