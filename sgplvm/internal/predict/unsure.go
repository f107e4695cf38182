package predict

import (
	"context"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// ImputeUnsure is Impute, and adds to dst, n_s×n_s, the covariance that what is missing of an example has given what was observed of it and its latent
// variables, summed over channels, in the model's units, white noise included: what an expectation over missing values adds to the squares of their residuals
// (Dempster, Laird and Rubin, J. R. Stat. Soc. B 39, 1977, section 4.1). Channels of which too many points were observed add nothing.
// With white it adds to the diagonal the variances that missing values have given all others, the missing ones too: what of that covariance is white.
// All that was observed is believed. Errors: those of Impute.
func (q *Posterior) ImputeUnsure(ctx context.Context, dst mat.Matrix, white bool, obs Observed, o InferOptions) (p Prediction, l Latent, err error) {
	u := &unsureness{dst, white}
	o.KeepOutliers = true
	err = q.imputeTo(ctx, &p, &l, obs, o, func(e *example, l Latent, o InferOptions) error { return u.add(q, e, l, o) })
	return p, l, err
}

// unsureness is what ImputeUnsure adds to dst.
type unsureness struct {
	dst   mat.Matrix
	white bool
}

// add adds what an example with latent variables l has. Where a covariance is singular nothing is known of it.
func (u *unsureness) add(q *Posterior, e *example, l Latent, o InferOptions) error {
	if e.given == nil {
		e.given = newGiven(q.channels())
	}
	t := e.given.moments
	if !e.given.known {
		var err error
		if t, err = q.seenMoments(e, l, o); singular(err) {
			return nil
		} else if err != nil {
			return err
		}
	}
	t.setTerms(e.on)
	for c, seen := range e.seen {
		missing, channels := complement(seen, e.on.grid.Len()), e.alike(c)
		if channels == nil || len(missing) == 0 || len(seen) > conditioning.exact {
			continue
		}
		cov, err := q.covarianceGiven(e, t, c, missing, seen)
		if err == nil {
			err = u.addOf(missing, cov, float64(len(channels)))
		}
		if err != nil && !singular(err) {
			return err
		}
	}
	return nil
}

// covarianceGiven returns the covariance of what is missing of channel c given what was observed, C_MM − C_MO·C_OO⁻¹·C_OM, with white noise.
func (q *Posterior) covarianceGiven(e *example, t moments, c int, missing, seen []int) (mat.Matrix, error) {
	cov := q.dataCovariance(e.on, t, q.version[c], missing, missing)
	if len(seen) > 0 {
		x := e.given.whitened[c]
		if x.Rows == 0 {
			l, err := q.observedFactor(e, t, c, seen)
			if err != nil {
				return cov, err
			}
			x = q.dataCovariance(e.on, t, q.version[c], seen, missing)
			l.SolveHalf(x)
		}
		mat.Syrk(cov, -1, x.T(), 1)
		mat.MirrorLower(cov)
	}
	for k := range missing {
		cov.Row(k)[k] += t.noise / q.params.Noise.Beta
	}
	return cov, nil
}

// addOf adds what so many channels that miss the same points have; cov is overwritten.
func (u *unsureness) addOf(missing []int, cov mat.Matrix, channels float64) error {
	if u.white {
		f, err := chol.Factorize(cov)
		if err != nil {
			return err
		}
		f.Inverse(cov)
		for k, i := range missing {
			u.dst.Row(i)[i] += channels / cov.At(k, k)
		}
		return nil
	}
	for k, i := range missing {
		to := u.dst.Row(i)
		for j, v := range cov.Row(k) {
			to[missing[j]] += channels * v
		}
	}
	return nil
}
