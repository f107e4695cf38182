package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A Foresight says how observed values agree with what was predicted before they were seen.
type Foresight struct {
	// Score is the mean square of all values, those of a channel decorrelated, in units of what was expected; NaN where nothing was observed or too much to be used at once.
	Score float64

	// Scale is a deviation of leave-one-out residuals in such units, from their median, of the channel where it is the largest; 0 where there is no score.
	Scale float64

	// Patch is the largest of how many standard deviations sums of values near a point are from what is expected, of patches of neighbours that are all off alike, and Place
	// the point, in the example's values; 0 where none was looked for.
	Patch float64
	Place int
}

// patchFactor is that of squared distances, in spacings, for weights of a patch, of a deviation of 1.2 of them, and maxPatches how many are looked at in a channel.
const (
	patchFactor = 1 / (2 * 1.2 * 1.2)
	maxPatches  = 1024
)

// normalMedian is the median of the size of standard normal numbers.
const normalMedian = 0.6745

// Foresee sets scores, n·d_y, of the observed values to how many standard deviations they are from what N(mean, diag variance) predicts. The
// covariance of what was predicted of a channel is C + P·(Ψ2 − ψ1ψ1ᵀ)·Pᵀ. Values that disagree with all others, by more than a bound times the scale of such residuals, are suspects (Suspects); +Inf: none is.
// Errors: those of Complete.
func (w *Workspace) Foresee(scores, mean, variance []float64, bound float64, patches bool) (f Foresight, err error) {
	f.Score = math.NaN()
	clear(w.suspects)
	if w.observed == 0 {
		return f, nil
	}
	w.setMoments(mean, variance, 1)
	w.marginal(w.result, w.m.points)
	var square float64
	for c, seen := range w.seen {
		for _, i := range seen {
			scores[i*w.m.c.Channels+c] = (w.value(i, c) - w.result.mean.Row(i)[c]) / math.Sqrt(w.result.variance.Row(i)[c]+1/w.m.c.Beta)
		}
		if len(seen) == 0 || !w.exactly() {
			continue
		}
		residual := w.residuals(0, seen)
		for k, i := range seen {
			residual.Data[k] = w.value(i, c) - w.result.mean.Row(i)[c]
		}
		covariance := w.observedCovariance(c, seen, nil)
		w.addSpread(covariance, c, seen)
		if err := w.factor.RefactorizeInPlace(covariance); err != nil {
			return f, err
		}
		w.factor.SolveHalf(residual)
		square += mat.Dot(residual, residual)
		if patches {
			w.patches(&f, c, seen, residual)
		}
		if !math.IsInf(bound, 1) {
			scale, err := w.suspect(c, seen, w.solve(residual), bound)
			if err != nil {
				return f, err
			}
			f.Scale = max(f.Scale, scale)
		}
	}
	if w.exactly() {
		f.Score = square / float64(w.observed)
	}
	return f, nil
}

// Suspects returns which values disagreed with all others in Foresee, n·d_y.
func (w *Workspace) Suspects() []bool { return w.suspects }

// patches finds the patch of a channel that is farthest off, given the factor of C and L⁻¹·r: with weights v of a patch vᵀ·C⁻¹·r/√(vᵀ·C⁻¹·v).
func (w *Workspace) patches(f *Foresight, c int, seen []int, residual mat.Matrix) {
	r, step := &w.room, w.room.tested
	apart := (len(seen) + maxPatches - 1) / maxPatches
	for from := 0; from < len(seen); from += step * apart {
		centres := r.merged[:0]
		for k := from; k < min(from+step*apart, len(seen)); k += apart {
			centres = append(centres, seen[k])
		}
		columns := view(r.observed, len(seen), len(centres))
		columns.Fill(1)
		w.evaluate(columns, &w.m.spacings, patchFactor, seen, centres)
		w.factor.SolveHalf(columns)
		sums, squares := mat.Vector(r.totals[:len(centres)]), r.explained[:len(centres)]
		mat.Mul(sums, 1, columns.T(), residual, 0)
		w.columnSquares(squares, columns)
		for l, v := range sums.Data {
			if z := math.Abs(v) / math.Sqrt(squares[l]); z > f.Patch {
				f.Patch, f.Place = z, centres[l]*w.m.c.Channels+c
			}
		}
	}
}

// suspect finds suspect values of a channel and returns the scale, given C⁻¹·r and the factor of C. A value's leave-one-out residual is (C⁻¹r)_i/(C⁻¹)_ii. Of the values A where that is large,
// those are suspects of which it is still large given the values that are not in A: with Λ the part of C⁻¹ of A their residuals are Λ⁻¹·(C⁻¹r)_A, of covariance Λ⁻¹.
func (w *Workspace) suspect(c int, seen []int, solved []float64, bound float64) (scale float64, err error) {
	r, n := &w.room, len(seen)
	precision, size := r.precision[:n], r.z[:n]
	w.factor.InverseDiagonal(precision)
	order := r.block[:0]
	for k, v := range solved {
		size[k] = math.Abs(v) / math.Sqrt(precision[k])
		order = append(order, k)
	}
	w.sort(order, size)
	scale = size[order[n/2]] / normalMedian
	least, far := bound*max(1, scale), n
	for far > 0 && size[order[far-1]] > least {
		far--
	}
	if order = order[far:]; len(order) == 0 {
		return scale, nil
	}
	if len(order) > n/2 || len(order) > r.tested {
		return math.Inf(1), nil
	}
	columns := view(r.observed, n, len(order))
	columns.Fill(0)
	left, lambda := mat.Vector(r.totals[:len(order)]), view(r.missing, len(order), len(order))
	for l, k := range order {
		columns.Set(k, l, 1)
		left.Data[l] = solved[k]
	}
	w.factor.SolveHalf(columns)
	mat.Syrk(lambda, 1, columns.T(), 0)
	if err := w.refinement.factor.RefactorizeInPlace(lambda); err != nil {
		return scale, err
	}
	w.refinement.factor.Solve(left)
	variances := r.explained[:len(order)]
	w.refinement.factor.InverseDiagonal(variances)
	for l, k := range order {
		w.suspects[seen[k]*w.m.c.Channels+c] = math.Abs(left.Data[l]) > least*math.Sqrt(variances[l])
	}
	return scale, nil
}
