package predict

import (
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// AddConditional adds to dst, n_s×n_s, the covariance that what is missing of an example has given what was observed of it and its latent
// variables l, summed over channels, in the model's units, white noise included: what an expectation over missing values adds to the squares of their residuals
// (Dempster, Laird and Rubin, J. R. Stat. Soc. B 39, 1977, section 4.1). Channels of which too many points were observed add
// nothing. Errors: those of Impute.
func (q *Posterior) AddConditional(dst mat.Matrix, obs Observed, l Latent, o InferOptions) error {
	return q.eachConditional(obs, l, o, func(missing []int, cov mat.Matrix, channels float64) error {
		for k, i := range missing {
			to := dst.Row(i)
			for j, v := range cov.Row(k) {
				to[missing[j]] += channels * v
			}
		}
		return nil
	})
}

// AddInnovations adds to the diagonal of dst the variances that missing values have given all others, the missing ones too: what of the covariance
// of AddConditional is white. Errors: those of Impute.
func (q *Posterior) AddInnovations(dst mat.Matrix, obs Observed, l Latent, o InferOptions) error {
	return q.eachConditional(obs, l, o, func(missing []int, cov mat.Matrix, channels float64) error {
		f, err := chol.Factorize(cov)
		if err != nil {
			return err
		}
		f.Inverse(cov)
		for k, i := range missing {
			dst.Row(i)[i] += channels / cov.At(k, k)
		}
		return nil
	})
}

// eachConditional calls body for channels that miss the same points with these, their covariance given the observed ones, and how many channels
// they are. Where a covariance is singular nothing is known of it.
func (q *Posterior) eachConditional(obs Observed, l Latent, o InferOptions, body func(missing []int, cov mat.Matrix, channels float64) error) error {
	e, err := q.observe(obs)
	if err != nil {
		return err
	}
	if o, err = o.complete(); err != nil {
		return err
	}
	t, err := q.seenMoments(e, l, o)
	if singular(err) {
		return nil
	}
	if err != nil {
		return err
	}
	t.setTerms(e.on)
	for c, seen := range e.seen {
		version, missing, channels := q.version[c], complement(seen, e.on.grid.Len()), e.alike(c)
		if channels == nil || len(missing) == 0 || len(seen) > conditioning.exact {
			continue
		}
		cov := q.dataCovariance(e.on, t, version, missing, missing)
		if len(seen) > 0 {
			l, err := q.observedFactor(e, t, c, seen)
			if singular(err) {
				continue
			}
			if err != nil {
				return err
			}
			x := q.dataCovariance(e.on, t, version, seen, missing)
			l.SolveHalf(x)
			mat.Syrk(cov, -1, x.T(), 1)
			mat.MirrorLower(cov)
		}
		for k := range missing {
			cov.Row(k)[k] += t.noise / q.params.Noise.Beta
		}
		if err := body(missing, cov, float64(len(channels))); err != nil && !singular(err) {
			return err
		}
	}
	return nil
}
