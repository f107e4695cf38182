package views

import (
	"context"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

// An Incomplete view has values, of which some are missing, of the examples of certain numbers.
type Incomplete struct {
	completion.Filled
	Rows []int
}

// ByComponents fills in the missing values of views of n examples by principal components of all of them side by side. A value that no example has gets the mean of its
// channel. Errors: ctx.Err().
func ByComponents(ctx context.Context, n int, views []Incomplete, seed uint64) (filled []completion.Filled, err error) {
	size := 0
	for _, w := range views {
		size += w.Y.Cols
	}
	d := simple.Data{Y: mat.New(n, size), Missing: slices.Repeat([]bool{true}, n*size), Channels: 1, Seed: seed} // an example that a view lacks is missing
	from := 0
	for _, w := range views {
		part := simple.Part{Columns: w.Y.Cols, Channels: w.Channels}
		if w.Points.Rows > 1 {
			part.Points = w.Points
		}
		d.Parts = append(d.Parts, part)
		for k, i := range w.Rows {
			copy(d.Y.Row(i)[from:], w.Y.Row(k))
			copy(d.Missing[i*size+from:], w.Holes.Of(k))
		}
		from += w.Y.Cols
	}
	mean, of, err := simple.PrincipalComponents.Fill(ctx, d)
	if err != nil {
		return nil, err
	}
	from = 0
	for _, w := range views {
		f := w.Filled
		f.Y, f.Variance = w.Y.Clone(), mat.New(w.Y.Rows, w.Y.Cols)
		for k, i := range w.Rows {
			for j, hidden := range w.Holes.Of(k) {
				if hidden {
					f.Y.Row(k)[j], f.Variance.Row(k)[j] = mean.At(i, from+j), of.At(i, from+j)
				}
			}
		}
		filled = append(filled, f)
		from += w.Y.Cols
	}
	return filled, nil
}
