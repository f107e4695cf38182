package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
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

// minLeft is what rounding leaves of 1 − c·χ² at least, of an example that counts c.
const minLeft = 1e-9

// Foresee sets scores, n·d_y, of the observed values to how many standard deviations they are from what N(mean, diag variance) predicts. The
// covariance of what was predicted, of all values or of those of a channel (Contents.Judged), is C + P·(Ψ2 − ψ1ψ1ᵀ)·Pᵀ, or has these variances and the correlations of Contents.Innovations. Values and patches of values that are off by more than bounds are suspects
// (Suspects). A drift becomes what it is given the others. Errors: those of Complete.
func (w *Workspace) Foresee(scores, mean, variance []float64, bounds Bounds) (f Foresight, err error) {
	f.Score = math.NaN()
	clear(w.suspects)
	for k := range w.alone {
		w.alone[k] = math.NaN()
	}
	if w.observed == 0 {
		return f, nil
	}
	w.setMoments(mean, variance)
	w.marginal(w.result, w.m.points)
	for k, v := range w.values {
		if v == v {
			scores[k] = (v - w.result.mean.Data[k]) / w.foreseen(k)
		}
	}
	if !w.exactly() {
		return f, nil
	}
	var square float64
	for g := range w.m.c.groups() {
		chi, err := w.judge(&f, g, bounds)
		if err != nil {
			return f, err
		}
		square += chi
	}
	if w.drift.active {
		w.drift.set(w.m.c.Channels)
	}
	f.Score = square / float64(w.observed)
	return f, nil
}

// judge is Foresee of the observed values of a group, of which it returns rᵀ·C⁻¹·r.
func (w *Workspace) judge(f *Foresight, group int, bounds Bounds) (chi float64, err error) {
	seen := w.judged(group)
	if len(seen) == 0 {
		return 0, nil
	}
	solved, precision, chi, err := w.whiten(group, seen)
	if err != nil {
		return 0, err
	}
	most := patches(len(seen))
	z, centre, _ := w.farthestPatch(seen, solved, precision, most)
	if z > f.Patch {
		f.Patch, f.Place = z, seen[centre]
	}
	scale, left := w.suspect(seen, solved, precision, 1, bounds.Value)
	if z > bounds.Patch {
		_, more := w.suspect(seen, solved, precision, most, bounds.Patch)
		f.Left = f.Left || more > 0
	}
	if w.drift.active && left >= 0 { // else what is left out of C⁻¹ is not what is suspect
		if err := w.drift.see(group, w.m.c.groups(), seen, solved, precision); err != nil {
			return 0, err
		}
		scale = w.scale(solved, precision, -1)
	}
	for k, i := range seen {
		if p := precision.At(k, k); p > 0 {
			w.alone[i] = solved[k] / math.Sqrt(p)
		}
	}
	f.Scale = max(f.Scale, scale)
	return chi, nil
}

// judged returns the observed values of a group, in the workspace's room.
func (w *Workspace) judged(group int) []int {
	seen, groups := w.room.judged[:0], w.m.c.groups()
	for k := group; k < len(w.values); k += groups {
		if w.values[k] == w.values[k] {
			seen = append(seen, k)
		}
	}
	return seen
}

// Alone sets dst, n·d_y, to the leave-one-out residuals (C⁻¹r)_i/√(C⁻¹)_ii that Foresee found, without suspects and given the drift; NaN where there is none.
func (w *Workspace) Alone(dst []float64) { copy(dst, w.alone) }

// foreseen returns the standard deviation of what was predicted of a value.
func (w *Workspace) foreseen(k int) float64 {
	v := w.result.variance.Data[k] + 1/w.m.c.Beta
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
	here, nearest := c.Coordinates[k/dy*dims:][:dims], [4]float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	for l := k % dy; l < len(values); l += dy {
		if values[l] != values[l] {
			continue
		}
		var square float64
		for q := 0; q < dims && square < nearest[3]; q++ {
			d := (here[q] - c.Coordinates[l/dy*dims+q]) / c.Spacings[q]
			square += d * d
		}
		if square >= nearest[3] {
			continue
		}
		for m, v := range nearest {
			nearest[m], square = min(v, square), max(v, square)
		}
	}
	return math.Sqrt(nearest[3])
}

// whiten returns C⁻¹·r and C⁻¹ of the observed values of a group, and rᵀ·C⁻¹·r. What the example itself counts in Innovations is taken off C.
func (w *Workspace) whiten(group int, seen []int) (solved []float64, precision mat.Matrix, chi float64, err error) {
	if err := w.factor.RefactorizeInPlace(w.foreseenCovariance(group, seen)); err != nil {
		return nil, precision, 0, err
	}
	residual := mat.Vector(w.room.residual[:len(seen)])
	for k, i := range seen {
		residual.Data[k] = w.values[i] - w.result.mean.Data[i]
	}
	w.factor.SolveHalf(residual)
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

// foreseenCovariance returns C of observed values of a group; only the lower triangle counts.
func (w *Workspace) foreseenCovariance(group int, seen []int) mat.Matrix {
	of, groups := &w.m.c.Innovations, w.m.c.groups()
	if of.rows == 0 {
		return w.modelCovariance(group, groups, seen)
	}
	covariance, deviations, places := view(w.room.coo, len(seen), len(seen)), w.room.pairs[:len(seen)], w.room.block[:0]
	for k, i := range seen {
		places = append(places, i/groups)
		deviations[k] = w.foreseen(i)
		row := covariance.Row(k)[:k+1]
		of.pick(row, i/groups, places)
		for l := range row {
			row[l] *= deviations[k] * deviations[l]
		}
	}
	return covariance
}

// modelCovariance is foreseenCovariance by the model: channels are independent given x.
func (w *Workspace) modelCovariance(group, groups int, seen []int) mat.Matrix {
	dy := w.m.c.Channels
	if groups == dy {
		covariance := w.observedCovariance(group, w.seen[group], nil)
		w.addSpread(covariance, w.predictions(0, group, w.seen[group]))
		return covariance
	}
	covariance, po := view(w.room.joint, len(seen), len(seen)), view(w.room.po, len(seen), w.m.c.Inducing)
	covariance.Fill(0)
	for c, points := range w.seen {
		own, places := w.observedCovariance(c, points, nil), w.room.block[:0]
		for k, i := range seen {
			if i%dy != c {
				continue
			}
			for l, place := range places {
				covariance.Row(k)[place] = own.Row(len(places))[l]
			}
			covariance.Row(k)[k] = own.Row(len(places))[len(places)]
			places = append(places, k)
			copy(po.Row(k), w.m.p[c].Row(i/dy))
		}
	}
	w.addSpread(covariance, po)
	return covariance
}

// Foreseen sets dst, Judged×Judged, to the correlations of what N(mean, diag variance) predicts of the first group.
func (w *Workspace) Foreseen(dst mat.Matrix, mean, variance []float64) {
	w.Observe(make([]float64, w.m.values()))
	w.setMoments(mean, variance)
	w.marginal(w.result, w.m.points)
	all := w.judged(0)
	covariance := w.foreseenCovariance(0, all)
	for k, i := range all {
		for l, j := range all[:k+1] {
			v := covariance.At(k, l) / (w.foreseen(i) * w.foreseen(j))
			dst.Set(k, l, v)
			dst.Set(l, k, v)
		}
	}
}
