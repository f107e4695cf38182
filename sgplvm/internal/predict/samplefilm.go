package predict

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// maxJointFilm is at how many points of a single factor films are drawn, whose covariance is formed.
const maxJointFilm = 1 << 14

// SampleFilm draws films, SampleOptions.Count of them: fields at some times of a sequence at the points of a grid
// (nil: the training grid) that belong together. A film has one path of the latent variables from
// their posterior over time (LatentPaths), one draw of the inducing variables from q(U), and the rest of f
// from the prior given these, at all of its points and times jointly; only noise is drawn frame by frame. Each
// frame by itself has mean and variance as under Sample with the latent posterior of its time
// (docs/math.md, "Sampling"). body is called with one frame after the other, which belong to it until it returns.
// Beside the model it holds a film. The same options give the same bits at any GOMAXPROCS. Errors:
// *field.ConfigError, *field.FactorizationError, ctx.Err(), those of body; a model without a dynamical prior.
func (q *Posterior) SampleFilm(ctx context.Context, sequence int, times []float64, g field.Grid, o field.SampleOptions, body func(f field.SampledFrame) error) error {
	first, last, count, err := drawn(o)
	if err != nil {
		return err
	}
	latents, err := q.LatentAt(sequence, times)
	if err != nil || len(times) == 0 {
		return err
	}
	if err := q.checkArguments(latents[0], g); err != nil {
		return err
	}
	if g == nil {
		g = q.grid
	}
	if n := g[0].Rows; len(g) == 1 && n > maxJointFilm && !g.Equal(q.grid) {
		return &field.ConfigError{Field: "Grid", Err: fmt.Errorf("films drawn at %d points of one factor, expected at most %d: larger ones take a model with a factor for rows and one for columns", n, maxJointFilm)}
	}
	on := q.projection(g)
	s, err := on.sampler()
	if err != nil {
		return err
	}
	paths, err := q.LatentPaths(sequence, times, count, o.Seed)
	if err != nil {
		return err
	}
	for draw := first; draw < last; draw++ {
		y, err := s.drawFilm(ctx, paths[draw], latents, o, draw)
		if err != nil {
			return err
		}
		for i, l := range latents {
			if err := ctx.Err(); err != nil {
				return err
			}
			f := field.SampledFrame{Draw: draw, Frame: i, Values: mat.New(on.grid.Len(), q.channels())}
			for c, scale := range q.scaler.Scale {
				for k, v := range y[c].Row(i) {
					f.Values.Row(k)[c] = q.scaler.Mean[c] + scale*v
				}
			}
			if r := q.rescaling(g, l); r != nil {
				r.field(f.Values)
				f.Mean = r.mean
			} else {
				f.Mean = q.uncalibrated(on, q.momentsOf(l)).Mean
			}
			if err := body(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawFilm returns f along a path, the rows of x, at the times of latents, a row for each frame in every channel, in
// the model's units. Of the two parts of which a sampler makes f, with A = ψ1·T_0 (a row for each frame), the
// first has the covariance A·diag(β⁻¹/d_ij)·Aᵀ between frames instead of Σ_i τ_i·β⁻¹/d_ij, and the second
//
//	(K − A·Aᵀ) ⊗ (⊗K_f) + A·Aᵀ ⊗ Σ_f Q_1 ⊗ … ⊗ (K_f − Q_f) ⊗ K_f+1 ⊗ …
//
// where K is the latent kernel between the frames.
func (s *sampler) drawFilm(ctx context.Context, x mat.Matrix, latents []field.Latent, o field.SampleOptions, draw int) ([]mat.Matrix, error) {
	q, frames := s.q, x.Rows
	at := make([]data.Instant, frames)
	for i, l := range latents {
		at[i] = *l.At
	}
	path := psi.Q{Mu: x, S: mat.New(frames, x.Cols), At: at}
	psi1, a := mat.New(frames, q.factors[0].Size()), mat.New(frames, q.factors[0].Size())
	q.psi.Psi1(psi1, path)
	mat.Mul(a, 1, psi1, q.factors[0].Coord, 0)
	rest, err := q.unexplainedAlong(path, a)
	if err != nil {
		return nil, err
	}
	shares := make([]mat.Matrix, q.versions())
	for v, left := range q.left() {
		shares[v] = left.Clone()
		for i, x := range left.Data {
			shares[v].Data[i] = math.Sqrt(x)
		}
	}
	y := make([]mat.Matrix, q.channels())
	failures := make([]error, len(y))
	mat.Parallel(len(y), func(c int) {
		if failures[c] = ctx.Err(); failures[c] != nil {
			return
		}
		rng := rand.New(rand.NewPCG(o.Seed^uint64(c)<<48, 0x66696c6d00000000+uint64(draw)))
		normal := func(rows, cols int) mat.Matrix {
			z := mat.New(rows, cols)
			for i := range z.Data {
				z.Data[i] = rng.NormFloat64()
			}
			return z
		}
		y[c] = mat.New(frames, s.on.grid.Len())
		mat.Mul(y[c], 1, psi1, s.on.p[c].T(), 0)
		share := shares[q.version[c]]
		z := normal(share.Rows, share.Cols)
		mat.MulElem(z, z, share)
		known := mat.New(frames, share.Cols)
		mat.Mul(known, 1, a, z, 0)
		along := func(weights mat.Matrix, o kronprod.Operator) mat.Matrix {
			cols := o.Cols()
			v := mat.New(frames, cols)
			mat.Mul(v, 1, weights, normal(weights.Cols, cols), 0)
			return v
		}
		if len(s.rest) == 0 { // ⊗K_f is ⊗Q_f
			mat.Add(known, known, 1, along(rest, s.known))
		} else {
			addFields(y[c], s.whole, along(rest, s.whole))
			for _, o := range s.rest {
				addFields(y[c], o, along(a, o))
			}
		}
		addFields(y[c], s.known, known)
		if o.Noise {
			failures[c] = s.addNoise(y[c], normal)
		}
	})
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return y, nil
}

// unexplainedAlong returns a root of K − A·Aᵀ of some latent points.
func (q *Posterior) unexplainedAlong(path psi.Q, a mat.Matrix) (mat.Matrix, error) {
	var own psi.Statistics
	own.Set(q.params.Latent, psi.Inducing{Z: path.Mu, At: path.At})
	k := mat.New(a.Rows, a.Rows)
	own.Psi1(k, path)
	var largest float64
	for i := range k.Rows {
		largest = max(largest, k.At(i, i))
	}
	mat.Syrk(k, -1, a, 1)
	root, err := dynamics.Root(k, minMode*largest)
	if err != nil {
		return root, &field.FactorizationError{Factor: 0, Err: err}
	}
	return root, nil
}

// addNoise adds noise to every field by itself.
func (s *sampler) addNoise(y mat.Matrix, normal func(rows, cols int) mat.Matrix) error {
	z := normal(y.Rows, y.Cols)
	if !s.q.params.Noise.Structured() {
		asm.Axpy(1/math.Sqrt(s.q.params.Noise.Beta), z.Data, y.Data)
		return nil
	}
	structured, err := s.noise()
	if err == nil {
		addFields(y, structured, z)
	}
	return err
}
