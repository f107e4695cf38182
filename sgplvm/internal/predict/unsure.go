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
	return q.eachConditional(obs, l, o, func(missing []int, cov mat.Matrix) error {
		for k, i := range missing {
			to := dst.Row(i)
			for j, v := range cov.Row(k) {
				to[missing[j]] += v
			}
		}
		return nil
	})
}

// AddInnovations adds to the diagonal of dst the variances that missing values have given all others, the missing ones too: what of the covariance
// of AddConditional is white. Errors: those of Impute.
func (q *Posterior) AddInnovations(dst mat.Matrix, obs Observed, l Latent, o InferOptions) error {
	return q.eachConditional(obs, l, o, func(missing []int, cov mat.Matrix) error {
		f, err := chol.Factorize(cov)
		if err != nil {
			return err
		}
		f.Inverse(cov)
		for k, i := range missing {
			dst.Row(i)[i] += 1 / cov.At(k, k)
		}
		return nil
	})
}

// eachConditional calls body for each channel with the points that are missing and their covariance given the observed ones.
func (q *Posterior) eachConditional(obs Observed, l Latent, o InferOptions, body func(missing []int, cov mat.Matrix) error) error {
	e, err := q.observe(obs)
	if err != nil {
		return err
	}
	if o, err = o.complete(); err != nil {
		return err
	}
	t, err := q.seenMoments(e, l, o)
	if err != nil {
		return err
	}
	for c, seen := range e.seen {
		version, missing := q.version[c], complement(seen, e.on.grid.Len())
		if len(missing) == 0 || len(seen) > conditioning.exact {
			continue
		}
		cov := q.dataCovariance(e.on, t, version, missing, missing)
		if len(seen) > 0 {
			l, err := q.observedFactor(e, t, c, seen)
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
		if err := body(missing, cov); err != nil {
			return err
		}
	}
	return nil
}
