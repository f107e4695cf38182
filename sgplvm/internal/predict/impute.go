package predict

import (
	"context"
	"errors"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
)

// Infer returns the posterior of a partly seen example's latent variables (docs/math.md, "A
// partly seen example"). An example with nothing observed gets its prior. Errors:
// *data.ConfigError, *data.ValueError, ctx.Err().
func (q *Posterior) Infer(ctx context.Context, obs Observed, o InferOptions) (Latent, error) {
	e, err := q.observe(obs)
	if err != nil {
		return Latent{}, err
	}
	if o, err = o.complete(); err != nil {
		return Latent{}, err
	}
	l, err := q.inferWithout(ctx, e, o)
	l.At = copiedTime(nil, l.At)
	return l, err
}

// Impute infers a partly seen example's latent variables and returns the
// distribution of the data at all points of its grid given what was observed:
// an observed value is its own mean, with variance 0; a missing one is
// predicted from q(x) and, as InferOptions.Conditioning says, from the residuals
// of the observed ones (docs/math.md, "Conditioning on observed values"). Variances at a time are
// calibrated, where the model is, as far as the observed values leave open what the time alone did
// ("Examples that were seen in part"). Errors: *data.ConfigError, *data.ValueError, ctx.Err().
func (q *Posterior) Impute(ctx context.Context, obs Observed, o InferOptions) (Prediction, Latent, error) {
	var p Prediction
	var l Latent
	err := q.ImputeTo(ctx, &p, &l, obs, o)
	return p, l, err
}

// ImputeTo is Impute in the storage of an earlier result of as many values. After an error p and l are as they were.
func (q *Posterior) ImputeTo(ctx context.Context, p *Prediction, l *Latent, obs Observed, o InferOptions) error {
	return q.imputeTo(ctx, p, l, obs, o, nil)
}

// imputeTo is ImputeTo, and asks something else about the example before it goes, or nothing.
func (q *Posterior) imputeTo(ctx context.Context, p *Prediction, l *Latent, obs Observed, o InferOptions, also func(*example, Latent, InferOptions) error) error {
	r := q.rooms.Get().(*room)
	defer q.rooms.Put(r)
	r.begin()
	e, err := q.observeIn(r, obs)
	if err != nil {
		return err
	}
	if o, err = o.complete(); err != nil {
		return err
	}
	latent, err := q.inferWithout(ctx, e, o)
	if err != nil {
		return err
	}
	if also != nil {
		e.given = newGiven(q.channels())
	}
	filled, err := q.complete(ctx, e, latent, o)
	if err != nil {
		return err
	}
	if also != nil {
		if err := also(e, latent, o); err != nil {
			return err
		}
	}
	CopyPrediction(p, filled, obs.Values) // the room lends it to the next
	p.Outliers = e.addOutliers(p.Outliers, obs.Values)
	CopyLatent(l, latent)
	e.keep(*p, obs)
	return nil
}

// ImputeGiven is Impute with the latent posterior that Infer returned. Errors: those of Impute.
func (q *Posterior) ImputeGiven(ctx context.Context, obs Observed, l Latent, o InferOptions) (Prediction, error) {
	if err := q.checkLatent(l); err != nil {
		return Prediction{}, &data.ConfigError{Field: "Latent", Err: err}
	}
	e, err := q.observe(obs)
	if err != nil {
		return Prediction{}, err
	}
	if o, err = o.complete(); err != nil {
		return Prediction{}, err
	}
	p, err := q.complete(ctx, e, l, o)
	if err == nil {
		e.keep(p, obs)
	}
	return p, err
}

// keep puts what was observed in its place, with variance 0.
func (e *example) keep(p Prediction, obs Observed) {
	for c, seen := range e.seen {
		for _, i := range seen {
			p.Mean.Set(i, c, obs.Values.At(i, c))
			p.Variance.Set(i, c, 0)
		}
	}
}

// complete returns mean and variance of all values of an example with the latent posterior l, in the
// user's units, calibrated.
func (q *Posterior) complete(ctx context.Context, e *example, l Latent, o InferOptions) (Prediction, error) {
	p, err := q.uncalibratedSeen(ctx, e, l, o)
	if err == nil {
		q.calibrateSeen(e, p)
	}
	return p, err
}

func (q *Posterior) uncalibratedSeen(ctx context.Context, e *example, l Latent, o InferOptions) (Prediction, error) {
	b := q.blendFor(e, o)
	if b != nil && b.Share == 1 {
		if p, err := q.directAlone(ctx, e, b, o); !singular(err) {
			q.toUserUnits(p, 0)
			return p, err
		}
	}
	t, err := q.seenMoments(e, l, o)
	if err != nil {
		return Prediction{}, err
	}
	if e.given != nil {
		e.given.moments, e.given.known = t, true
	}
	if b != nil {
		t.damping = b.Damping
	}
	p, err := q.conditional(ctx, e, t, o.Conditioning)
	if err != nil {
		return p, err
	}
	if b != nil {
		for i := range p.Variance.Rows {
			for c := range p.Variance.Cols {
				p.Variance.Set(i, c, p.Variance.At(i, c)+t.noise/q.params.Noise.Beta)
			}
		}
		t.noise = 0 // is there now
		mixed := Prediction{Mean: e.room.clone(p.Mean), Variance: e.room.clone(p.Variance), Conditioning: p.Conditioning, Noise: p.Noise}
		err = q.blend(ctx, e, mixed, b, o)
		if singular(err) {
			err = nil // what the latent variables say stands alone
		} else {
			p = mixed
		}
	}
	q.toUserUnits(p, t.noise)
	return p, err
}

// seenMoments returns the moments of an example's latent posterior, with its own noise, refined.
func (q *Posterior) seenMoments(e *example, l Latent, o InferOptions) (moments, error) {
	t := q.momentsIn(e.room, l)
	t.degreesOfFreedom = o.degrees(q.kept != nil)
	if q.kept != nil && e.on.training != nil && e.observed() && o.LocalBandwidth >= 0 && o.Conditioning == ConditionGivenLatent {
		t.own = q.noiseNear(e, q.weights(e.room, q.far(e), o.bandwidth()), o.strength(), infer.LeastWeight)
	}
	if o.FirstOrder || o.Conditioning != ConditionGivenLatent {
		return t, nil
	}
	return q.refine(e, l, t)
}

// singular reports whether too few examples are like one, or points coincide.
func singular(err error) bool {
	if err == nil {
		return false
	}
	n := (*chol.NotPositiveDefiniteError)(nil)
	return errors.As(err, &n)
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
	prior := e.prior.latent(e.room, q.params.X.Mu.Cols)
	inflation, ok := q.inflation(prior)
	if !ok {
		return
	}
	alone := q.uncalibrated(e.on, q.momentsIn(e.room, prior))
	calibrated := e.room.clone(alone.Variance)
	q.calibrate(calibrated, e.on.grid, inflation)
	for i := range calibrated.Rows {
		for k, v := range p.Variance.Row(i) {
			v0 := alone.Variance.At(i, k)
			p.Variance.Set(i, k, v*(1+(calibrated.At(i, k)/v0-1)*min(1, v/v0)))
		}
	}
}
