package views

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/pca"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// startVariance is that of q(X) before training.
const startVariance = 0.1

// startRatio is the signal-to-noise ratio that a training begins with at least.
const startRatio = 100

// begin sets X to the leading principal components of the views' own ones, of which each view has the same sum of squares, and returns the parameters of
// the views from which training starts. An example that lacks a view has the mean there.
func (j *Joint) begin(o Options) error {
	rng := rand.New(rand.NewPCG(o.Seed, 0x7669657773))
	own := make([]pca.Components, len(j.views))
	columns := 0
	for v, w := range j.views {
		var err error
		if own[v], err = pca.Leading(pca.Rows(w.Filled), o.Dims, rng); err != nil {
			return fmt.Errorf("view %d: %w", v, err)
		}
		columns += len(own[v].Values)
	}
	stack, from := mat.New(j.examples, columns), 0
	for v, c := range own {
		for k, value := range c.Values {
			scale := math.Sqrt(value / c.Variance)
			for i := range c.Scores.Rows {
				stack.Set(j.row(v, i), from+k, scale*c.Scores.At(i, k))
			}
		}
		from += len(c.Values)
	}
	all, err := pca.Leading(pca.Dense(stack), o.Dims, rng)
	if err != nil {
		return err
	}
	n, d := j.examples, len(all.Values)
	if d == 0 {
		return fmt.Errorf("no view differs from example to example")
	}
	j.X = bound.Latents{Mu: mat.New(n, d), S: mat.New(n, d)}
	mat.Scale(j.X.Mu, math.Sqrt(float64(n)), all.Scores)
	j.X.S.Fill(startVariance)
	order := rng.Perm(n) // one for all views: inducing points at the same examples
	for v, w := range j.views {
		s := psi.Setting{Fractions: fractions(w, own[v], j.X.Mu), Common: max(0, 1-own[v].Variance/own[v].Square), Spatial: w.Own.SpatialVariance()}
		p := w.Own.Clone()
		if !p.Noise.Learned() {
			p.Noise.Beta = max(p.Noise.Beta, startRatio)
		}
		p.X = bound.Latents{Mu: mat.New(w.Data.Examples, d), S: mat.New(w.Data.Examples, d)}
		p.ZExamples = nil
		names := slices.DeleteFunc(w.Own.Latent.Names(), func(name string) bool { return name == "time" || o.Plain && name == "linear" })
		if p.Latent, err = psi.Start(names, s); err != nil {
			return err
		}
		p.Z = mat.New(min(w.Own.Z.Rows, w.Data.Examples), d)
		k := 0
		for _, i := range order {
			if k < p.Z.Rows && (w.Rows == nil || slices.Contains(w.Rows, i)) {
				copy(p.Z.Row(k), j.X.Mu.Row(i))
				k++
			}
		}
		j.Params = append(j.Params, p)
	}
	return nil
}

// goOn sets X and the parameters of the views to those of an earlier training.
func (j *Joint) goOn(o Options) {
	j.X = bound.Latents{Mu: work.Gather(o.From.X.Mu, o.In), S: work.Gather(o.From.X.S, o.In)}
	for v, w := range j.views {
		p := o.From.Params[v].Clone()
		p.X = bound.Latents{Mu: mat.New(w.Data.Examples, j.X.Mu.Cols), S: mat.New(w.Data.Examples, j.X.Mu.Cols)}
		j.Params = append(j.Params, p)
	}
}

// row returns the example that row i of view v is.
func (j *Joint) row(v, i int) int {
	if rows := j.views[v].Rows; rows != nil {
		return rows[i]
	}
	return i
}

// fractions returns the share of each latent dimension, of columns of unit variance, in the variance of a view with components c.
func fractions(w View, c pca.Components, mu mat.Matrix) []float64 {
	f, n := make([]float64, mu.Cols), float64(c.Scores.Rows)
	for q := range f {
		for k, value := range c.Values {
			var sum float64
			for i := range c.Scores.Rows {
				at := i
				if w.Rows != nil {
					at = w.Rows[i]
				}
				sum += c.Scores.At(i, k) * mu.At(at, q)
			}
			f[q] += sum * sum / n * value / c.Variance
		}
	}
	return f
}
