package completion

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// The first completion is by SoftImpute (Mazumder, Hastie and Tibshirani, J. Mach. Learn. Res. 11, 2010, algorithm 1): the singular values of the completed data lose a threshold,
// what remains fills in the missing values, and so on while the threshold falls. Some observed values are hidden to tell where to stop.

const (
	lowRankSteps   = 24   // thresholds
	lowRankSweeps  = 4    // of each
	lowRankLast    = 2e-3 // the smallest threshold, as a share of the largest singular value
	lowRankHidden  = 10   // every such observed value is hidden to choose the threshold
	lowRankWorse   = 3    // thresholds in a row that must be worse to end the descent
	lowRankNearest = 4    // points from which one that nobody has seen takes its mean
)

// LowRank fills the holes of y, n_ξ×(n_s·d_y). Errors: ctx.Err(), those of eig.
func LowRank(ctx context.Context, y mat.Matrix, h *Mask, x mat.Matrix, channels int) error {
	means := observedMeans(y, h, x, channels)
	trial := &Mask{Size: h.Size, Missing: slices.Clone(h.Missing)}
	seen := 0
	for k, missing := range h.Missing {
		if !missing {
			if seen++; uint32(seen)*2654435761>>16%lowRankHidden == 0 { // a hash, so that no column is hidden
				trial.Missing[k] = true
			}
		}
	}
	f := newLowRankFill(y, trial, means)
	best, least, worse := 0, math.Inf(1), 0
	for step := range lowRankSteps {
		if err := f.at(ctx, step); err != nil {
			return err
		}
		if e := f.error(y, h, means); e < least {
			best, least, worse = step, e, 0
		} else if worse++; worse >= lowRankWorse {
			break
		}
	}
	f = newLowRankFill(y, h, means)
	for step := range best + 1 {
		if err := f.at(ctx, step); err != nil {
			return err
		}
	}
	for i := range y.Rows {
		row := y.Row(i)
		for k, missing := range h.Of(i) {
			if missing {
				row[k] = f.filled.Row(i)[k] + means[k]
			}
		}
	}
	return nil
}

// observedMeans returns the mean of each value over the examples. A value that no example has gets the mean of the nearest points that have one.
func observedMeans(y mat.Matrix, h *Mask, x mat.Matrix, channels int) []float64 {
	means, counts := make([]float64, h.Size), make([]float64, h.Size)
	for i := range y.Rows {
		row := y.Row(i)
		for k, missing := range h.Of(i) {
			if !missing {
				means[k] += row[k]
				counts[k]++
			}
		}
	}
	for k, n := range counts {
		if n > 0 {
			means[k] /= n
		}
	}
	for k, n := range counts {
		if n > 0 {
			continue
		}
		type near struct{ distance, mean float64 }
		var list []near
		for j := k % channels; j < h.Size; j += channels {
			if counts[j] > 0 {
				list = append(list, near{work.SquaredDistance(x.Row(k/channels), x.Row(j/channels)), means[j]})
			}
		}
		slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
		var sum, weights float64
		for _, l := range list[:min(len(list), lowRankNearest)] {
			w := 1 / max(l.distance, 1e-12)
			sum, weights = sum+float64(w*l.mean), weights+w
		}
		if weights > 0 {
			means[k] = sum / weights
		}
	}
	return means
}

// A lowRankFill is centred data, completed by what remains of their singular values.
type lowRankFill struct {
	filled, gram, shrunk, rest mat.Matrix
	of                         *Mask
	largest                    float64 // singular value, of holes filled by means
	solver                     eig.Solver
	spectrum                   eig.Spectrum
}

func newLowRankFill(y mat.Matrix, h *Mask, means []float64) *lowRankFill {
	f := &lowRankFill{filled: mat.New(y.Rows, y.Cols), of: h, rest: mat.New(y.Rows, y.Cols)}
	for i := range y.Rows {
		to, from := f.filled.Row(i), y.Row(i)
		for k, missing := range h.Of(i) {
			if !missing {
				to[k] = from[k] - means[k]
			}
		}
	}
	side := min(y.Rows, y.Cols)
	f.gram, f.shrunk = mat.New(side, side), mat.New(side, side)
	return f
}

// at makes the sweeps of one threshold.
func (f *lowRankFill) at(ctx context.Context, step int) error {
	for range lowRankSweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.sweep(step); err != nil {
			return err
		}
	}
	return nil
}

// sweep puts U·diag(max(0, 1 − τ/s))·Uᵀ·Y into the holes, where Y = U·diag(s)·Vᵀ: by the eigenvectors of the smaller of Y·Yᵀ and Yᵀ·Y.
func (f *lowRankFill) sweep(step int) error {
	wide := f.filled.Rows <= f.filled.Cols
	side := f.filled
	if !wide {
		side = f.filled.T()
	}
	mat.Syrk(f.gram, 1, side, 0)
	if err := f.solver.Sym(&f.spectrum, f.gram); err != nil {
		return err
	}
	w := f.spectrum.Values
	if f.largest == 0 {
		f.largest = math.Sqrt(max(0, w[len(w)-1]))
	}
	tau := 0.5 * f.largest * math.Pow(2*lowRankLast, float64(step)/(lowRankSteps-1))
	scaled := f.spectrum.Vectors.Clone()
	for j, l := range w {
		keep := 0.0
		if s := math.Sqrt(max(0, l)); s > tau {
			keep = 1 - tau/s
		}
		for i := range scaled.Rows {
			scaled.Row(i)[j] *= keep
		}
	}
	mat.Mul(f.shrunk, 1, scaled, f.spectrum.Vectors.T(), 0)
	if wide {
		mat.Mul(f.rest, 1, f.shrunk, f.filled, 0)
	} else {
		mat.Mul(f.rest, 1, f.filled, f.shrunk, 0)
	}
	for i := range f.filled.Rows {
		to, from := f.filled.Row(i), f.rest.Row(i)
		for k, missing := range f.of.Of(i) {
			if missing {
				to[k] = from[k]
			}
		}
	}
	return nil
}

// error returns the sum of squared errors of the values that were hidden beside those that h says are missing.
func (f *lowRankFill) error(y mat.Matrix, h *Mask, means []float64) (sum float64) {
	for i := range y.Rows {
		row, filled, missing := y.Row(i), f.filled.Row(i), h.Of(i)
		for k, hidden := range f.of.Of(i) {
			if hidden && !missing[k] {
				d := row[k] - means[k] - filled[k]
				sum += d * d
			}
		}
	}
	return sum
}
