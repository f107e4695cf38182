package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Predict sets the result to mean and variance of all values for the latent posterior N(mu, diag s), noise included.
func (w *Workspace) Predict(mu, s []float64) {
	w.setMoments(mu, s)
	w.marginal(w.result, w.m.points)
	w.addWhite()
	w.addField()
}

// addField adds the field and the drift to the result.
func (w *Workspace) addField() {
	if w.field.active {
		asm.Axpy(1, w.field.at, w.result.mean.Data)
	}
	if w.drift.active {
		asm.Axpy(1, w.drift.at, w.result.mean.Data)
		asm.Axpy(1, w.drift.unsure, w.result.variance.Data)
	}
}

// Result returns means and variances of all values, noise included, n×d_y in the model's units, after Complete or Predict. They are the workspace's
// until its next call.
func (w *Workspace) Result() (mean, variance mat.Matrix) { return w.result.mean, w.result.variance }

// addWhite adds white noise to the result's variances.
func (w *Workspace) addWhite() {
	for i := range w.result.variance.Data {
		w.result.variance.Data[i] += 1 / w.m.c.Beta
	}
}

// Complete sets the result for the example and its latent posterior; of observed values it does not count. Errors: *chol.NotPositiveDefiniteError,
// *chol.NonFiniteError, those of the context.
func (w *Workspace) Complete() error {
	if err := w.complete(); err != nil {
		return err
	}
	w.addField()
	return nil
}

func (w *Workspace) complete() error {
	m, o := w.m, &w.o
	if o.Direct {
		if done, err := w.completeDirectly(); done || err != nil {
			return err
		}
	}
	w.setMoments(w.latent.Mu, w.latent.S)
	t := &w.moments
	t.degrees = o.Degrees
	w.chi, w.surprised, w.way = 0, 0, Unconditioned
	if w.observed == 0 && w.prior.Precision.Rows > 0 {
		if err := w.refine(); err != nil {
			return err
		}
	}
	if w.observed > 0 && !o.LatentOnly && !o.Moments {
		if m.kept() && o.LocalBandwidth >= 0 {
			w.setDistances()
			t.own = w.setLocal()
		}
		if !o.FirstOrder {
			if err := w.refine(); err != nil {
				return err
			}
		}
	}
	w.marginal(w.result, w.missing)
	if o.LatentOnly {
		w.addWhite()
		return nil
	}
	b := w.blend()
	if err := w.condition(w.result, w.missing); err != nil {
		return err
	}
	w.addWhite()
	if b == nil {
		return nil
	}
	chi, judged, given := w.chi, w.surprised, w.moments
	err := w.mixture(b)
	w.chi, w.surprised, w.moments = chi, judged, given
	return err
}

// completeDirectly is Complete where a blend leaves latent variables no share, unless what similar examples say has a singular covariance.
func (w *Workspace) completeDirectly() (done bool, err error) {
	b := w.blend()
	if b == nil || b.Share < 1 {
		return false, nil
	}
	clear(w.result.mean.Data)
	clear(w.result.variance.Data)
	if err := w.mixParts(b); singular(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	w.inflate(b)
	w.way = max(w.way, Exactly)
	return true, nil
}

// Sketch finds q(x) by so many values of a channel at most, by half of them where noise is structured, of which the covariance takes most of the time. It conditions so many missing
// points at once, on so many observed ones near them, or on a third of these where more than sketchMissing are missing. With half as many values means are up to a third farther from those
// of Complete, with half as many neighbours a quarter; a third of them costs nothing where a half is missing (faces of 32×40).
const sketchSeen, sketchGroup, sketchNeighbours, sketchMissing = 256, 32, 48, 256

// Sketch is Observe, Infer and Complete in a small part of their time, and a little less exact: q(x) is that of some values, evenly among those observed, and missing points
// are given the observed ones nearest to them. Errors: those of Infer and Complete.
func (w *Workspace) Sketch(values []float64) error {
	o, some := w.o, w.kept.mean.Data
	defer func() { w.o, w.held.valid = o, false }()
	for c := range w.m.c.Channels {
		w.thin(some, values, c)
	}
	w.Observe(some)
	if err := w.Infer(); err != nil {
		return err
	}
	w.held.valid = false
	w.Observe(values)
	w.o.Exact, w.o.Group, w.o.Neighbours, w.o.Work = 1, sketchGroup, sketchNeighbours, math.Inf(1)
	if len(w.missing) > sketchMissing {
		w.o.Neighbours /= 3
	}
	return w.Complete()
}

// thin sets a channel of some to those of its values that Sketch infers from, and NaN.
func (w *Workspace) thin(some, values []float64, c int) {
	dy, observed, next := w.m.c.Channels, 0, 0
	for i := c; i < len(values); i += dy {
		if values[i] == values[i] {
			observed++
		}
	}
	most := sketchSeen
	if w.m.structured() {
		most /= 2
	}
	step := (observed + most - 1) / most
	for i := c; i < len(values); i += dy {
		if some[i] = math.NaN(); values[i] != values[i] {
			continue
		}
		if next%step == 0 {
			some[i] = values[i]
		}
		next++
	}
}

// Way returns how Complete conditioned what is missing; Local whether the noise is that of training examples like this one.
func (w *Workspace) Way() Way    { return w.way }
func (w *Workspace) Local() bool { return w.moments.own != nil }

// Surprise returns how surprising the last example's observed values were, after Fill: scores, of Points·Channels elements, are how many
// standard deviations each value is from what all others and the latent variables say of it (NaN where it was not observed; nil: not
// wanted); the number returned is the mean square of all values together, decorrelated, which is near 1 for an example like those of
// training. It is NaN where nothing was observed or so many values that they were not used at once.
func (w *Workspace) Surprise(scores []float64) float64 {
	copy(scores, w.surprise)
	if w.surprised == 0 {
		return math.NaN()
	}
	return w.chi / float64(w.surprised)
}
