package edge

import "math"

// Fill sets dst and variance to mean and variance of all values of an example given those that were observed: an observed value is
// its own mean, with variance 0. values, mask, dst and variance have Points·Channels elements each; mask says which values were
// observed, nil: all of them. Others do not count, and may be NaN. variance may be nil. It is what sgplvm.Model.Impute predicts. After an
// error dst and variance are as they were. Errors: *LengthError, *ValueError, *chol.NotPositiveDefiniteError,
// *chol.NonFiniteError, *lbfgs.NonFiniteError.
func (w *Workspace) Fill(dst, variance, values []float64, mask []bool) error {
	if err := w.lengths(dst, variance); err != nil {
		return err
	}
	if err := w.Infer(values, mask); err != nil {
		return err
	}
	noise, err := w.complete()
	if err != nil {
		return err
	}
	w.deliver(dst, variance, noise)
	dy := w.m.c.Channels
	for c, seen := range w.seen {
		for _, i := range seen {
			dst[i*dy+c] = values[i*dy+c]
			if variance != nil {
				variance[i*dy+c] = 0
			}
		}
	}
	return nil
}

// Infer finds the latent posterior of an example seen in part, for Latent. Errors: those of Fill.
func (w *Workspace) Infer(values []float64, mask []bool) error {
	if err := w.observe(values, mask); err != nil {
		return err
	}
	return w.infer()
}

// Predict sets dst and variance, which may be nil, to mean and variance of all values for the latent posterior N(mu, diag s). Errors: *LengthError,
// *ValueError.
func (w *Workspace) Predict(dst, variance, mu, s []float64) error {
	if err := w.lengths(dst, variance); err != nil {
		return err
	}
	d := w.m.c.Latents
	if len(mu) != d || len(s) != d {
		return &LengthError{"latent means or variances", min(len(mu), len(s)), d}
	}
	for q, v := range s {
		if !(v >= 0) || math.IsInf(v, 0) || mu[q]-mu[q] != 0 {
			return &ValueError{q, v, "a finite mean and a variance of 0 or more"}
		}
	}
	w.setMoments(mu, s, 1)
	w.marginal(w.result, w.m.points)
	w.deliver(dst, variance, 1)
	return nil
}

func (w *Workspace) lengths(dst, variance []float64) error {
	n := w.m.values()
	if len(dst) != n {
		return &LengthError{"values of a result", len(dst), n}
	}
	if variance != nil && len(variance) != n {
		return &LengthError{"variances of a result", len(variance), n}
	}
	return nil
}

// deliver writes the result in the user's units, with white noise of a multiple of the training data's.
func (w *Workspace) deliver(dst, variance []float64, noise float64) {
	c := w.m.c
	for i := range c.Points {
		for ch, s := range c.Scale {
			dst[i*c.Channels+ch] = c.Mean[ch] + s*w.result.mean.Row(i)[ch]
			if variance != nil {
				variance[i*c.Channels+ch] = s * s * (w.result.variance.Row(i)[ch] + noise/c.Beta)
			}
		}
	}
}

// complete sets the result for the example and its latent posterior, and returns what noise the variances still lack.
func (w *Workspace) complete() (noise float64, err error) {
	m, o := w.m, &w.m.c.Options
	w.setMoments(w.latent.Mu, w.latent.S, w.latent.Noise)
	t := &w.moments
	t.degrees = o.Degrees
	w.chi, w.judged = 0, 0
	if w.observed > 0 && !o.LatentOnly {
		if m.kept() && o.LocalBandwidth >= 0 {
			w.setDistances()
			t.own = w.setLocal()
		}
		if !o.FirstOrder {
			if err := w.refine(); err != nil {
				return 0, err
			}
		}
	}
	w.marginal(w.result, w.missing)
	if o.LatentOnly {
		return t.noise, nil
	}
	b := w.blend()
	if b != nil {
		t.damping = b.Damping
	}
	if err := w.condition(w.result, w.missing); err != nil {
		return 0, err
	}
	if b == nil {
		return t.noise, nil
	}
	for i := range w.result.variance.Data {
		w.result.variance.Data[i] += t.noise / m.c.Beta
	}
	chi, judged := w.chi, w.judged
	err = w.mixture(b)
	w.chi, w.judged = chi, judged
	return 0, err
}

// Surprise returns how surprising the last example's observed values were, after Fill: scores, of Points·Channels elements, are how many
// standard deviations each value is from what all others and the latent variables say of it (NaN where it was not observed; nil: not
// wanted); the number returned is the mean square of all values together, decorrelated, which is near 1 for an example like those of
// training. It is NaN where nothing was observed or so many values that they were not used at once.
func (w *Workspace) Surprise(scores []float64) float64 {
	copy(scores, w.surprise)
	if w.judged == 0 {
		return math.NaN()
	}
	return w.chi / float64(w.judged)
}
