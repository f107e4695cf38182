package predict

import (
	"context"
	"errors"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// begin returns an example that is to be filled in with some options; the caller releases it. Errors: *field.ConfigError, *field.ValueError.
func (q *Posterior) begin(ctx context.Context, obs field.Observed, o field.InferOptions, width width) (*example, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err := CheckOptions(o)
	e, failed := q.observe(obs, width)
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		e.release()
		return nil, err
	}
	options := q.pointOptions(o, scoredStarts)
	options.Direct = q.keeps() && e.on.training != nil && !options.Thorough && !o.FirstOrder && o.Conditioning == field.ConditionGivenLatent
	e.w.SetOptions(&options)
	e.w.SetContext(ctx)
	return e, nil
}

// Infer returns the posterior of a partly seen example's latent variables (docs/math.md, "A
// partly seen example"). An example with nothing observed gets its prior. Errors:
// *field.ConfigError, *field.ValueError, ctx.Err().
func (q *Posterior) Infer(ctx context.Context, obs field.Observed, o field.InferOptions) (l field.Latent, err error) {
	e, err := q.begin(ctx, obs, o, usual)
	if err != nil {
		return l, err
	}
	defer e.release()
	if err = e.inferWithout(q, o); err == nil {
		CopyLatent(&l, e.latent())
	}
	return l, err
}

// InferTogether is Infer, of latent variables that are correlated: the result is a prior for another view of the example, with Precision but where so many values were
// observed that they are judged one by one. Errors: those of Infer.
func (q *Posterior) InferTogether(ctx context.Context, obs field.Observed, o field.InferOptions) (l field.Latent, err error) {
	e, err := q.begin(ctx, obs, o, usual)
	if err != nil {
		return l, err
	}
	defer e.release()
	if err = e.inferWithout(q, o); err != nil {
		return l, err
	}
	CopyLatent(&l, e.latent())
	d := len(l.Mu)
	a := mat.New(d, d)
	if ok, err := e.w.Refined(l.Mu, a); err != nil || !ok {
		return l, err
	}
	f, err := chol.Factorize(a)
	if err != nil {
		return l, err
	}
	f.InverseDiagonal(l.S)
	l.Precision = a
	return l, nil
}

// Impute infers a partly seen example's latent variables and returns the
// distribution of the data at all points of its grid given what was observed:
// an observed value is its own mean, with variance 0; a missing one is
// predicted from q(x) and, as InferOptions.Conditioning says, from the residuals
// of the observed ones (docs/math.md, "Conditioning on observed values"). Variances at a time are
// calibrated, where the model is, as far as the observed values leave open what the time alone did
// ("Examples that were seen in part"). Errors: *field.ConfigError, *field.ValueError, ctx.Err().
func (q *Posterior) Impute(ctx context.Context, obs field.Observed, o field.InferOptions) (field.Prediction, field.Latent, error) {
	var p field.Prediction
	var l field.Latent
	err := q.ImputeTo(ctx, &p, &l, obs, o)
	return p, l, err
}

// ImputeTo is Impute in the storage of an earlier result of as many values. After an error p and l are as they were.
func (q *Posterior) ImputeTo(ctx context.Context, p *field.Prediction, l *field.Latent, obs field.Observed, o field.InferOptions) error {
	e, err := q.begin(ctx, obs, o, usual)
	if err != nil {
		return err
	}
	defer e.release()
	if err := e.inferWithout(q, o); err != nil {
		return err
	}
	return e.complete(q, p, l, obs)
}

// ImputeUnsure is Impute, and returns the covariance that what is missing of an example has given what was observed of it and its latent
// variables, between the points of which anything is missing, in ascending order, summed over channels, in the model's units, white noise included: what an
// expectation over missing values adds to the squares of their residuals (Dempster, Laird and Rubin, J. R. Stat. Soc. B 39, 1977, section 4.1). Only the lower
// triangle counts. Channels of which too many points were observed add nothing. With white it is diagonal: the variances that missing values have given all
// others, the missing ones too, which is what of that covariance is white. All that was observed is believed. Where a covariance is singular nothing is added.
// Errors: those of Impute.
func (q *Posterior) ImputeUnsure(ctx context.Context, white bool, obs field.Observed, o field.InferOptions) (p field.Prediction, l field.Latent, cov mat.Matrix, err error) {
	e, err := q.begin(ctx, obs, o, wide)
	if err != nil {
		return p, l, cov, err
	}
	defer e.release()
	if err = e.w.Infer(); err != nil {
		return p, l, cov, err
	}
	if err = e.complete(q, &p, &l, obs); err != nil {
		return p, l, cov, err
	}
	var singular *chol.NotPositiveDefiniteError
	if cov, err = e.w.Covariance(white); errors.As(err, &singular) {
		err = nil
	}
	return p, l, cov, err
}

// ImputeGiven is Impute with the latent posterior that Infer returned. Errors: those of Impute.
func (q *Posterior) ImputeGiven(ctx context.Context, obs field.Observed, l field.Latent, o field.InferOptions) (p field.Prediction, err error) {
	if err := q.checkLatent(l); err != nil {
		return p, &field.ConfigError{Field: "Latent", Err: err}
	}
	e, err := q.begin(ctx, obs, o, usual)
	if err != nil {
		return p, err
	}
	defer e.release()
	e.w.SetLatent(l.Mu, l.S)
	e.w.SetTime(l.At)
	err = e.complete(q, &p, new(field.Latent), obs)
	return p, err
}

// Missing returns Blend.Gap and Blend.Seen of an example: the gap is 0 where nothing is missing or nothing observed.
func (q *Posterior) Missing(obs field.Observed) (infer.Missing, error) {
	e, err := q.observe(obs, usual)
	if err != nil {
		return infer.Missing{}, err
	}
	defer e.release()
	return e.w.Missing(), nil
}

// NearestBlend returns the number of the blend that is for a gap and a share of what is seen most like those of an example, in d dimensions.
func NearestBlend(blends []field.Blend, gap, seen float64, d int) int {
	return points.NearestBlend(blends, infer.Missing{Gap: gap, Seen: seen}, d)
}

// complete sets p to mean and variance of all values of an example, in the user's units, calibrated, with what was observed in its place, and l to its latent
// posterior. After an error they are as they were.
func (e *example) complete(q *Posterior, p *field.Prediction, l *field.Latent, obs field.Observed) error {
	if err := e.w.Complete(); err != nil {
		return err
	}
	mean, variance := e.w.Result()
	n, channels := e.on.grid.Len(), q.channels()
	p.Mean, p.Variance = apartFrom(p.Mean, obs.Values, n, channels), apartFrom(p.Variance, obs.Values, n, channels)
	for c, s := range q.scaler.Scale {
		for i := range n {
			p.Mean.Set(i, c, q.scaler.Mean[c]+s*mean.At(i, c))
			p.Variance.Set(i, c, s*s*variance.At(i, c))
		}
	}
	e.calibrateSeen(q, *p)
	p.Conditioning = [...]string{"none", "exact", "local"}[e.w.Way()]
	p.Noise = q.noiseName(e.on)
	if e.w.Local() {
		p.Noise = "local"
	}
	p.Outliers = e.addOutliers(p.Outliers[:0], obs.Values)
	for k, v := range e.values {
		if i, c := k/channels, k%channels; v == v {
			p.Mean.Set(i, c, obs.Values.At(i, c))
			p.Variance.Set(i, c, 0)
		}
	}
	CopyLatent(l, e.latent())
	return nil
}

// calibrateSeen calibrates the variances of an example of known time that was seen in part, in the
// user's units. Calibration is about what is said of a time at which nothing was seen; what the
// example's own values say of one another it does not know. With v the variance given these
// values, v_0 that of the time alone and c its calibrated one, the values have added 1/v − 1/v_0 to the precision, and
// add the same to 1/c; where v > v_0 they have added nothing, and v errs as v_0 did:
//
//	v / (1 + (v_0/c − 1)·min(1, v/v_0))
func (e *example) calibrateSeen(q *Posterior, p field.Prediction) {
	inflation, ok := q.inflation(e.prior)
	if !ok {
		return
	}
	r := q.rooms.Get().(*room)
	defer q.rooms.Put(r)
	alone := q.uncalibrated(e.on, q.momentsIn(r, e.prior))
	buffer := mat.Borrow(len(alone.Variance.Data))
	defer mat.GiveBack(buffer)
	calibrated := mat.NewDense(alone.Variance.Rows, alone.Variance.Cols, *buffer)
	mat.Copy(calibrated, alone.Variance)
	q.calibrate(calibrated, e.on.grid, inflation)
	for i := range calibrated.Rows {
		for k, v := range p.Variance.Row(i) {
			v0 := alone.Variance.At(i, k)
			p.Variance.Set(i, k, v/(1+(v0/calibrated.At(i, k)-1)*min(1, v/v0)))
		}
	}
}
