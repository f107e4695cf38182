package frame

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Limits are those of the channels. The zero value knows none.
type Limits struct {
	Step     float64 // 1 where all values are whole numbers, else 0
	Channels []Range
}

// A Range is where the values of a channel lie in all frames, and at which ends they were clipped.
type Range struct {
	Least, Most  float64
	Below, Above bool `json:",omitempty"`
}

// Of values that were clipped at an end, minClipped and clippedPart of all at least lie there, and more than clippedTimes as many as in the step next to it: smooth crests have 1/(√2−1) times as many. Where whole numbers end
// as those of pictures do, at 0 or at the greatest number of 8 or 16 bits, they cannot be beyond, and picturePart of them tells that.
const minClipped, clippedPart, clippedTimes, picturePart = 16, 1e-3, 4, 1e-4

// Find measures the limits of frames, of which values may be missing (NaN), not all of a channel. Errors: *data.ReadError, ctx.Err().
func FindLimits(ctx context.Context, frames data.Source) (l Limits, err error) {
	_, _, channels := frames.Dims()
	l.Step, l.Channels = 1, make([]Range, channels)
	for c := range l.Channels {
		l.Channels[c] = Range{Least: math.Inf(1), Most: math.Inf(-1)}
	}
	err = Each(ctx, frames, func(_ int, values []float64) {
		for k, v := range values {
			if v != v {
				continue
			}
			r := &l.Channels[k%channels]
			r.Least, r.Most = min(r.Least, v), max(r.Most, v)
			if v != math.Trunc(v) {
				l.Step = 0
			}
		}
	})
	if err != nil {
		return Limits{}, err
	}
	counts := make([]ends, channels)
	err = Each(ctx, frames, func(_ int, values []float64) {
		for k, v := range values {
			c := k % channels
			counts[c].add(v, l.Channels[c], l.step(c))
		}
	})
	if err != nil {
		return Limits{}, err
	}
	for c, e := range counts {
		if r := &l.Channels[c]; r.Most > r.Least+l.step(c) {
			r.Below, r.Above = l.clipped(e.least, e.nextToLeast, e.all, r.Least), l.clipped(e.most, e.nextToMost, e.all, r.Most)
		}
	}
	return l, nil
}

// step is that of a channel's values: 1 of whole numbers, else a part of their range.
func (l *Limits) step(c int) float64 {
	if l.Step > 0 {
		return l.Step
	}
	return l.Channels[c].Most/math.MaxUint16 - l.Channels[c].Least/math.MaxUint16
}

// ends are how many values lie at both ends of a range, to half a step, and in the steps next to these, of how many in all.
type ends struct{ least, nextToLeast, nextToMost, most, all float64 }

func (e *ends) add(v float64, r Range, step float64) {
	switch below, above := (v-r.Least)/step, (r.Most-v)/step; {
	case below < 0.5:
		e.least++
	case above < 0.5:
		e.most++
	case below < 1.5:
		e.nextToLeast++
	case above < 1.5:
		e.nextToMost++
	case v != v:
		return
	}
	e.all++
}

// clipped tells whether values end because they were clipped, given how many of all are there and next to it.
func (l *Limits) clipped(at, next, all, end float64) bool {
	ofPictures := l.Step == 1 && (end == 0 || end == math.MaxUint8 || end == math.MaxUint16)
	return at >= minClipped && (ofPictures && at >= picturePart*all || at >= clippedPart*all && at > clippedTimes*next)
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
