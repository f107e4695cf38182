package predict

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// PredictSlabs predicts what Predict does, to rounding, for many latent posteriors at once
// and some of a grid's points at a time (nil: the training grid): it calls body with one slab
// after the other, in order. A slab and what it holds belong to body until it returns; an error
// of body ends the work and is returned.
//
// Nothing of the size of all predictions is formed, nor a projection of the whole grid. What a
// slab takes comes beside the model and about a megabyte for each processor; with fewer latent
// posteriors than inducing points, as many times Π m_f numbers are added for the variances, and
// d_y times as many for the means of certain latent variables or of MeanOnly.
//
// For n latent posteriors and two spatial factors of m_1 and m_2 inducing points, predicted at
// n_1 and n_2 points, the products take
//
//	2·m_ξ·d_y·n_1·m_2·(m_1 + n_2) + 2·n·m_ξ·d_y·n_1·n_2·(1 + r)
//
// operations, where r ≤ m_ξ is the mean rank of Ψ2 − ψ1ψ1ᵀ: 0 where latent variables are certain,
// and less than half of m_ξ where they are nearly so. Errors: *field.ConfigError, ctx.Err() and
// those of body.
func (q *Posterior) PredictSlabs(ctx context.Context, latents []field.Latent, g field.Grid, o field.SlabOptions, body func(s field.Slab) error) error {
	if g == nil {
		g = q.grid
	}
	inflations, calibrated := make([]float64, len(latents)), make([]bool, len(latents))
	for i, l := range latents {
		inflations[i], calibrated[i] = q.inflation(l)
	}
	if o.MeanOnly || !slices.Contains(calibrated, true) {
		return q.slabs(ctx, latents, g, o, body)
	}
	if err := q.checkGrid(g); err != nil {
		return err
	}
	factor := q.factorsAt(g)
	return q.slabs(ctx, latents, g, o, func(s field.Slab) error {
		mat.Parallel(len(latents), func(i int) {
			if calibrated[i] {
				q.calibration.Apply(s.Variance[i], factor, s.First, inflations[i])
			}
		})
		return body(s)
	})
}

// PredictLeftOut is what leaving examples out needs of the map that has seen them: means and variances
// (noise included, not calibrated) of the data at the training points for the latents, in the
// user's units, n_s×d_y each, and ψ1 of the latents, a row of m_ξ each. Errors: ctx.Err().
func (q *Posterior) PredictLeftOut(ctx context.Context, latents []field.Latent) (psi1 mat.Matrix, means, variances []mat.Matrix, err error) {
	points, channels := q.grid.Len(), q.channels()
	psi1 = mat.New(len(latents), q.factors[0].Size())
	for i, l := range latents {
		q.psi1(psi1.Row(i), l)
		means, variances = append(means, mat.New(points, channels)), append(variances, mat.New(points, channels))
	}
	err = q.slabs(ctx, latents, q.grid, field.SlabOptions{}, func(s field.Slab) error {
		mat.Parallel(len(latents), func(i int) {
			to := s.First + s.Mean[i].Rows
			mat.Copy(means[i].Slice(s.First, to, 0, channels), s.Mean[i])
			mat.Copy(variances[i].Slice(s.First, to, 0, channels), s.Variance[i])
		})
		return nil
	})
	return psi1, means, variances, err
}

// slabs is PredictSlabs on a grid without calibration.
func (q *Posterior) slabs(ctx context.Context, latents []field.Latent, g field.Grid, o field.SlabOptions, body func(s field.Slab) error) error {
	if err := q.checkGrid(g); err != nil {
		return err
	}
	for i, l := range latents {
		if err := q.checkLatent(l); err != nil {
			return &field.ConfigError{Field: "Latent", Err: fmt.Errorf("posterior %d: %w", i, err)}
		}
	}
	if len(latents) == 0 {
		return nil
	}
	b, err := q.newBatch(latents, g, o.MeanOnly)
	if err != nil {
		return err
	}
	n := g[0].Rows
	rows := min(n, max(1, cmp.Or(o.Numbers, 1<<25)/b.numbersPerRow()))
	for from := 0; from < n; from += rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := body(b.slab(from, min(from+rows, n))); err != nil {
			return err
		}
	}
	return nil
}
