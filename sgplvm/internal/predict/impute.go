package predict

import (
	"cmp"
	"context"
)

// Impute infers a partly seen example's latent variables and returns the
// distribution of the data at all points of its grid given what was observed:
// an observed value is its own mean, with variance 0; a missing one is
// predicted from q(x) and, as InferOptions.Conditioning says, from the residuals
// of the observed ones (docs/math.md, "Conditioning on observed values"). Variances at a time are
// calibrated, where the model is, as far as the observed values leave open what the time alone did
// ("Examples that were seen in part"). Errors: *data.ConfigError, *data.ValueError, ctx.Err().
func (q *Posterior) Impute(ctx context.Context, obs Observed, o InferOptions) (Prediction, Latent, error) {
	e, err := q.observe(obs)
	if err != nil {
		return Prediction{}, Latent{}, err
	}
	if o, err = o.complete(); err != nil {
		return Prediction{}, Latent{}, err
	}
	l, err := q.infer(ctx, e, o)
	if err != nil {
		return Prediction{}, Latent{}, err
	}
	t := q.momentsOf(l)
	t.degreesOfFreedom = max(0, o.DegreesOfFreedom)
	if o.DegreesOfFreedom == 0 && q.kept != nil {
		t.degreesOfFreedom = 50
	}
	if q.kept != nil && e.on.training != nil && e.observed() && o.LocalBandwidth >= 0 && o.Conditioning == ConditionGivenLatent {
		t.own = q.noiseNear(e, cmp.Or(o.LocalBandwidth, 0.7), cmp.Or(o.LocalStrength, 1))
	}
	if !o.FirstOrder && o.Conditioning == ConditionGivenLatent {
		if t, err = q.refine(e, l, t); err != nil {
			return Prediction{}, Latent{}, err
		}
	}
	p, err := q.conditional(ctx, e, t, o.Conditioning)
	if err != nil {
		return Prediction{}, Latent{}, err
	}
	q.toUserUnits(p, t.noise)
	q.calibrateSeen(e, p)
	for c, seen := range e.seen {
		for _, i := range seen {
			p.Mean.Set(i, c, obs.Values.At(i, c))
			p.Variance.Set(i, c, 0)
		}
	}
	return p, l, nil
}

// calibrateSeen calibrates the variances of an example of known time that was seen in part, in the
// user's units. Calibration is about what is said of a time at which nothing was seen; what the
// example's own values say of one another it does not know. With v the variance given these
// values, v_0 that of the time alone and c its calibrated one, the part of v that is as uncertain
// as before is taken to err as the time alone did:
//
//	v·(1 + (c/v_0 − 1)·min(1, v/v_0))
//
// which is c where nothing was seen, and v where what was seen decides.
func (q *Posterior) calibrateSeen(e *example, p Prediction) {
	prior := e.prior.latent(q.params.X.Mu.Cols)
	inflation, ok := q.inflation(prior)
	if !ok {
		return
	}
	alone := q.uncalibrated(e.on, q.momentsOf(prior))
	calibrated := alone.Variance.Clone()
	q.calibrate(calibrated, e.on.grid, inflation)
	for i := range calibrated.Rows {
		for k, v := range p.Variance.Row(i) {
			v0 := alone.Variance.At(i, k)
			p.Variance.Set(i, k, v*(1+(calibrated.At(i, k)/v0-1)*min(1, v/v0)))
		}
	}
}
