package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A Foresight says how observed values agree with what was predicted before they were seen.
type Foresight struct {
	// Score is the mean square of all values, those of a channel decorrelated, in units of what was expected; NaN where nothing was observed or too much to be used at once.
	Score float64

	// Scale is a deviation of leave-one-out residuals in such units, from their median, of the channel where it is the largest, without values that are suspects; 0 where there is no score.
	Scale float64

	// Patch is by how many standard deviations the patch is off that is farthest off, an observed value and those nearest to it, all shifted alike, and Place
	// the value in its middle; 0 where there is no score.
	Patch float64
	Place int

	Left bool // values of patches are suspects
}

// Bounds are how far a value may be off, in scales of leave-one-out residuals, and a patch of values, in standard deviations; +Inf: any distance.
type Bounds struct{ Value, Patch float64 }

// Which part of the observed values of a channel is a patch at most, and which may be suspect: what more of them agree upon is a change.
const largestPatch, mostSuspect = 1. / 8, 1. / 4

// minLeft is what rounding leaves of 1 − c·χ² at least, of an example that counts c.
const minLeft = 1e-9

// normalMedian is the median of the size of standard normal numbers.
const normalMedian = 0.6745

// Foresee sets scores, n·d_y, of the observed values to how many standard deviations they are from what N(mean, diag variance) predicts. The
// covariance of what was predicted of a channel is C + P·(Ψ2 − ψ1ψ1ᵀ)·Pᵀ, or has these variances and the correlations of Contents.Innovations. Values and patches of values that are off by more than bounds are suspects
// (Suspects). A drift becomes what it is given the others. Errors: those of Complete.
func (w *Workspace) Foresee(scores, mean, variance []float64, bounds Bounds) (f Foresight, err error) {
	f.Score = math.NaN()
	clear(w.suspects)
	if w.observed == 0 {
		return f, nil
	}
	w.setMoments(mean, variance)
	w.marginal(w.result, w.m.points)
	var square float64
	for c, seen := range w.seen {
		for _, i := range seen {
			scores[i*w.m.c.Channels+c] = (w.value(i, c) - w.result.mean.Row(i)[c]) / w.foreseen(i, c)
		}
		if len(seen) == 0 || !w.exactly() {
			continue
		}
		solved, precision, chi, err := w.whiten(c, seen)
		if err != nil {
			return f, err
		}
		square += chi
		most := max(1, int(largestPatch*float64(len(seen))))
		z, centre, _ := w.farthestPatch(seen, solved, precision, most)
		if z > f.Patch {
			f.Patch, f.Place = z, seen[centre]*w.m.c.Channels+c
		}
		scale, left := w.suspect(c, seen, solved, precision, 1, bounds.Value)
		if z > bounds.Patch {
			_, patches := w.suspect(c, seen, solved, precision, most, bounds.Patch)
			f.Left = f.Left || patches > 0
		}
		if w.drift.active && left >= 0 { // else what is left out of C⁻¹ is not what is suspect
			if err := w.drift.see(c, seen, solved, precision); err != nil {
				return f, err
			}
			scale = w.scale(solved, precision)
		}
		f.Scale = max(f.Scale, scale)
	}
	if w.drift.active {
		w.drift.set(w.m.c.Channels)
	}
	if w.exactly() {
		f.Score = square / float64(w.observed)
	}
	return f, nil
}

// foreseen returns the standard deviation of what was predicted of a value.
func (w *Workspace) foreseen(i, c int) float64 {
	v := w.result.variance.Row(i)[c] + 1/w.m.c.Beta
	if w.m.c.Innovations.rows > 0 {
		v = w.m.c.Calibrated(v)
	}
	return math.Sqrt(v)
}

// Calibrated returns what the variance v of what a stream predicts, in the model's units, is by Calibration.
func (c *Contents) Calibrated(v float64) float64 {
	if k := c.Calibration; k != nil {
		white := 1 / c.Beta
		return k[0]*math.Pow(max(0, v-white), k[1]) + k[2]*white
	}
	return v
}

// FilledIn returns what the variance v of a value that a stream fills in, in the model's units, is by Partly, d spacings from the fourth nearest observed one.
func (c *Contents) FilledIn(v, d float64) float64 {
	if k := c.Partly; k != nil {
		white := 1 / c.Beta
		if v = max(0, v-white); v > 0 { // at any distance, Inf too
			v = min(1, k[0]*math.Pow(d, k[1])*v)
		}
		return v + k[2]*white
	}
	return v
}

// Distance returns how many spacings value k is from the fourth nearest value of its channel that is not NaN; +Inf where there are fewer. A point within a gap has them on one side.
func (c *Contents) Distance(k int, values []float64) float64 {
	dims, dy := len(c.Spacings), c.Channels
	nearest := [4]float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	for l := k % dy; l < len(values); l += dy {
		if values[l] != values[l] {
			continue
		}
		var square float64
		for q, spacing := range c.Spacings {
			d := (c.Coordinates[k/dy*dims+q] - c.Coordinates[l/dy*dims+q]) / spacing
			square += d * d
		}
		for m, v := range nearest {
			nearest[m], square = min(v, square), max(v, square)
		}
	}
	return math.Sqrt(nearest[3])
}

// whiten returns C⁻¹·r and C⁻¹ of the observed values of a channel, and rᵀ·C⁻¹·r. What the example itself counts in Innovations is taken off C.
func (w *Workspace) whiten(c int, seen []int) (solved []float64, precision mat.Matrix, chi float64, err error) {
	if err := w.factor.RefactorizeInPlace(w.foreseenCovariance(c, seen)); err != nil {
		return nil, precision, 0, err
	}
	residual := w.whitenedResiduals(w.result, 0, c, seen)
	chi, solved = mat.Dot(residual, residual), w.solve(residual)
	precision = view(w.room.observed, len(seen), len(seen))
	w.factor.Inverse(precision)
	if less := w.m.c.Counted; less > 0 {
		left := 1 / max(1-less*chi, minLeft)
		mat.Syrk(precision, less*left, mat.NewDense(len(seen), 1, solved), 1)
		mat.MirrorLower(precision)
		chi *= left
		asm.Scale(solved, left, solved)
	}
	return solved, precision, chi, nil
}

// foreseenCovariance returns C of observed values of a channel; only the lower triangle counts.
func (w *Workspace) foreseenCovariance(c int, seen []int) mat.Matrix {
	if of := &w.m.c.Innovations; of.rows > 0 {
		covariance, deviations := view(w.room.coo, len(seen), len(seen)), w.room.pairs[:len(seen)]
		for k, i := range seen {
			row := covariance.Row(k)[:k+1]
			of.pick(row, i, seen[:k+1])
			deviations[k] = w.foreseen(i, c)
			for l := range row {
				row[l] *= deviations[k] * deviations[l]
			}
		}
		return covariance
	}
	covariance := w.observedCovariance(c, seen, nil)
	w.addSpread(covariance, c, seen)
	return covariance
}

// Foreseen sets dst, n×n, to the correlations of what N(mean, diag variance) predicts of the first channel.
func (w *Workspace) Foreseen(dst mat.Matrix, mean, variance []float64) {
	w.setMoments(mean, variance)
	w.marginal(w.result, w.m.points)
	covariance := w.foreseenCovariance(0, w.m.points)
	for i := range dst.Rows {
		for j := range i + 1 {
			v := covariance.At(i, j) / (w.foreseen(i, 0) * w.foreseen(j, 0))
			dst.Set(i, j, v)
			dst.Set(j, i, v)
		}
	}
}

// Suspects returns which values disagreed with all others in Foresee, n·d_y.
func (w *Workspace) Suspects() []bool { return w.suspects }

// scale returns the deviation of leave-one-out residuals (C⁻¹r)_i/√(C⁻¹)_ii, from their median.
func (w *Workspace) scale(solved []float64, precision mat.Matrix) float64 {
	size, order := w.room.z[:len(solved)], w.room.block[:0]
	for k, v := range solved {
		if p := precision.At(k, k); p > 0 { // it was not left out
			size[k] = math.Abs(v) / math.Sqrt(p)
			order = append(order, k)
		}
	}
	w.sort(order, size)
	return size[order[len(order)/2]] / normalMedian
}

// suspect makes the values of patches of so many values suspects that are off by more than a bound, from the farthest on; single values by more than that many scales. They are left out of C⁻¹·r and C⁻¹ before the next one is looked for:
// given values A no more, these are C⁻¹ − C⁻¹_:A·(C⁻¹_AA)⁻¹·C⁻¹_A:. If they are much of the channel, none is suspect. It returns the scale of the others, and how many are suspect; −1: too many.
func (w *Workspace) suspect(c int, seen []int, solved []float64, precision mat.Matrix, most int, bound float64) (scale float64, some int) {
	scale = w.scale(solved, precision)
	copy(w.before, w.suspects)
	for left, whole := int(mostSuspect*float64(len(seen))), scale; !math.IsInf(bound, 1); scale = w.scale(solved, precision) {
		limit := bound
		if most == 1 {
			limit *= max(1, scale)
		}
		z, centre, size := w.farthestPatch(seen, solved, precision, most)
		if !(z > limit) {
			return scale, some
		}
		if left -= size; left < 0 {
			copy(w.suspects, w.before)
			return whole, -1
		}
		some += size
		for _, k := range w.around(seen, centre, size) {
			w.suspects[seen[k]*w.m.c.Channels+c] = true
			w.leaveOut(k, solved, precision)
		}
	}
	return scale, some
}

// leaveOut takes value k out of C⁻¹·r and C⁻¹, where it then has zeros.
func (w *Workspace) leaveOut(k int, solved []float64, precision mat.Matrix) {
	pivot := precision.At(k, k)
	if pivot <= 0 {
		return // it was left out
	}
	row := w.room.row[:len(solved)]
	copy(row, precision.Row(k))
	for l, v := range row {
		asm.Axpy(-v/pivot, row, precision.Row(l))
	}
	asm.Axpy(-solved[k]/pivot, row, solved)
	solved[k] = 0
	clear(precision.Row(k))
	for l := range row {
		precision.Set(l, k, 0)
	}
}

// farthestPatch returns of all patches of so many values at most the one of the largest |Σ_A C⁻¹r|/√(Σ_AA C⁻¹), the likelihood ratio of a shift of all its values; those at one distance from the middle are in it together.
func (w *Workspace) farthestPatch(seen []int, solved []float64, precision mat.Matrix, most int) (z float64, centre, size int) {
	size = 1
	for k := range seen {
		order := w.room.block[:0]
		if order = append(order, k); most > 1 {
			order = w.around(seen, k, most+1)
		}
		var sum, variance float64
		for l, i := range order[:min(most, len(order))] {
			row := precision.Row(i)
			sum += solved[i]
			variance += row[i]
			for _, j := range order[:l] {
				variance += 2 * row[j]
			}
			if l+1 < len(order) && w.room.pairs[order[l+1]] < w.room.pairs[i]*(1+1e-9) || !(variance > 0) {
				continue
			}
			if v := math.Abs(sum) / math.Sqrt(variance); v > z {
				z, centre, size = v, k, l+1
			}
		}
	}
	return z, centre, size
}

// around returns the observed values nearest to the k-th, itself the first, by their place among the observed ones. room.pairs has squared distances in spacings.
func (w *Workspace) around(seen []int, k, count int) []int {
	x, far := w.m.spacings.x, w.room.pairs[:len(seen)]
	clear(far)
	for q := range x.Rows {
		row := x.Row(q)
		for l, i := range seen {
			d := row[i] - row[seen[k]]
			far[l] += d * d
		}
	}
	order := w.room.block[:0]
	for l := range seen {
		order = append(order, l)
	}
	order = work.Least(order, far, w.room.sorted, count)
	w.sort(order, far)
	return order
}
