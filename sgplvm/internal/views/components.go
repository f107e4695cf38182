package views

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

// An Incomplete view has values, of which some are missing, of the examples of certain numbers.
type Incomplete struct {
	completion.Filled
	Rows []int
}

// ByComponents fills in the missing values of views of n examples by principal components of all of them side by side, scaled so that views have the same sum of squares. A
// value that no example has gets the mean of its channel. Errors: ctx.Err().
func ByComponents(ctx context.Context, n int, views []Incomplete, seed uint64) (filled []completion.Filled, err error) {
	size := 0
	for _, w := range views {
		size += w.Y.Cols
	}
	all, h := mat.New(n, size), &completion.Mask{Size: size, Missing: make([]bool, n*size)}
	for k := range h.Missing {
		h.Missing[k] = true // of examples that a view lacks
	}
	from := 0
	for _, w := range views {
		centre, scale := w.moments()
		for k, i := range w.Rows {
			to := all.Row(i)[from:]
			copy(h.Of(i)[from:], w.Holes.Of(k))
			for j, y := range w.Y.Row(k) {
				c := j % w.Channels
				to[j] = (y - centre[c]) / scale[c]
			}
		}
		from += w.Y.Cols
	}
	mean, of, err := simple.PrincipalComponents.Fill(ctx, simple.Data{Y: all, Missing: h.Missing, Channels: 1, Seed: seed})
	if err != nil {
		return nil, err
	}
	for k, m := range mean.Data {
		if m != m {
			mean.Data[k], of.Data[k] = 0, 1/float64(size)
		}
	}
	from = 0
	for _, w := range views {
		f := w.Filled
		f.Y, f.Variance = w.Y.Clone(), mat.New(w.Y.Rows, w.Y.Cols)
		centre, scale := w.moments()
		for k, i := range w.Rows {
			for j, hidden := range w.Holes.Of(k) {
				if hidden {
					c := j % w.Channels
					f.Y.Row(k)[j] = centre[c] + scale[c]*mean.At(i, from+j)
					f.Variance.Row(k)[j] = scale[c] * scale[c] * of.At(i, from+j)
				}
			}
		}
		filled = append(filled, f)
		from += w.Y.Cols
	}
	return filled, nil
}

// moments returns the means of the channels, and the unit of their values in the stack.
func (w *Incomplete) moments() (centre, scale []float64) {
	centre, scale = completion.Moments(w.Y, w.Holes, w.Channels)
	for c := range scale {
		scale[c] *= math.Sqrt(float64(w.Y.Cols))
	}
	return centre, scale
}
