package baseline

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
)

// cubicCells interpolates values, and tells how far each is from an observed one in its picture: +Inf where none is, whose
// value is the mean of the point's observed values, or that of all.
func cubicCells(ctx context.Context, d Incomplete, list []cell) (mean, distance []float64, err error) {
	mean, distance = make([]float64, len(list)), make([]float64, len(list))
	y := d.Pictures
	level := make([]float64, y.Cols)
	for j := range level {
		var sum, count float64
		for i := range y.Rows {
			if v := y.At(i, j); !math.IsNaN(v) {
				sum += v
				count++
			}
		}
		if level[j] = sum / count; count == 0 {
			level[j], _ = seenMoments(y, j%d.Channels, d.Channels)
		}
	}
	byPicture := make([][]int, y.Rows)
	for k, c := range list {
		byPicture[c.picture] = append(byPicture[c.picture], k)
	}
	mat.Parallel(y.Rows, func(i int) {
		if ctx.Err() != nil || len(byPicture[i]) == 0 {
			return
		}
		for c := range d.Channels {
			m := simple.NewCubic(d.Points, y.Row(i), c, d.Channels)
			for _, k := range byPicture[i] {
				j := list[k].value
				if j%d.Channels != c {
					continue
				}
				if mean[k], distance[k] = level[j], math.Inf(1); m != nil {
					mean[k], distance[k] = m.At(d.Points.Row(j / d.Channels))
				}
			}
		}
	})
	return mean, distance, ctx.Err()
}

// completeCubic fills in what is missing by interpolation within each picture. Variances are mean squared residuals of
// hidden values as far from an observed one as the value is.
func completeCubic(ctx context.Context, d Incomplete, o HoleOptions) (Completion, error) {
	d.Points = inSpacings(d.Points)
	h := hideSome(d, o.Seed)
	left := d
	left.Pictures = h.pictures
	cells, truth := h.some(20 * o.Most)
	mean, distance, err := cubicCells(ctx, left, cells)
	if err != nil {
		return Completion{}, err
	}
	spread := seenSpread(d.Pictures, d.Channels)
	squares := make([]float64, len(cells))
	for k, v := range truth {
		squares[k] = max(square(v-mean[k]), least*spread)
	}
	law := simple.NewLaw(distance, squares, spread)
	missing := missingCells(d.Pictures)
	if mean, distance, err = cubicCells(ctx, d, missing); err != nil {
		return Completion{}, err
	}
	variance := make([]float64, len(missing))
	for k, r := range distance {
		variance[k] = law.At(r)
	}
	return Completion{put(d, missing, mean, variance, 1), nil}, nil
}
