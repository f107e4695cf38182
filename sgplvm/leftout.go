package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Leaving examples out. What the model would have said of training example i at its time,
// had it not seen it, follows from what it says having seen it, with all kernels as they
// are.
//
// The latent posterior at its time without its own part of it is the cavity of expectation
// propagation (Minka 2001), N(μ − μ̄/p, 1/p) with p = 1/S − Λ for every dimension. Let w and w̃ be
// T_0ᵀψ1 of q(x_i) and of the cavity, P_ij the data in the spatial eigenbasis, h_j = Σ_n w_n·P_nj/d_j,
// and
//
//	hat = λ_j·Σ_k w_k²/d_kj,  g = λ_j·Σ_k w̃_k·w_k/d_kj
//
// Without example i the prediction at the cavity is that of the whole model there, with mean
// and variance in the eigenbasis corrected by
//
//	−g·(P_ij − λ_j·w·h_j)/(1 − hat)   and   +β⁻¹·g²/(1 − hat)
//
// (Sherman and Morrison's formula, for every component). Two small things are left as they
// are: the spread of Ψ2 around ψ1ψ1ᵀ of example i stays in, and what an uncertain cavity adds
// to the variances comes from the map that has seen the example.

// cavities returns the latent posteriors of all training examples without their own parts. In
// the names of timePrior, with b = (B⁻¹)_ii = 1 − Λ·S, the cavity has the variance S/b and the
// mean μ − μ̄·S/b; where b is small, S is (1 − b)/Λ without cancellation. B is factored for sequences of
// up to factoredCavities examples; in longer ones b is that difference.
func (p *Params) cavities() ([]Latent, error) {
	n, d := p.Mu.Rows, p.Mu.Cols
	all, at := make([]Latent, n), p.Dynamics.Instants()
	for i := range all {
		all[i] = Latent{Mu: make([]float64, d), S: make([]float64, d), Noise: 1, Start: -1, At: &at[i]}
	}
	for _, s := range p.Dynamics.series() {
		lambda, b := make([]float64, len(s.times)), make([]float64, len(s.times))
		var k mat.Matrix
		if len(s.times) <= factoredCavities {
			k = mat.New(len(s.times), len(s.times))
			p.Dynamics.Kernel.matrix(k, s.times, s.times)
		}
		for q := range d {
			s.column(lambda, p.Lambda, q)
			if k.Rows > 0 {
				if err := inverseDiagonal(b, k, lambda); err != nil {
					return nil, fmt.Errorf("sgplvm: dynamical prior, sequence %d, latent dimension %d: %w", s.label, q, err)
				}
			} else {
				for j, i := range s.examples {
					b[j] = max(1-lambda[j]*p.S.At(i, q), leastInverse)
				}
			}
			for j, i := range s.examples {
				variance := p.S.At(i, q)
				if b[j] < 0.5 && k.Rows > 0 {
					variance = (1 - b[j]) / lambda[j]
				}
				variance = min(variance/b[j], 1)
				all[i].Mu[q], all[i].S[q] = p.Mu.At(i, q)-p.MuBar.At(i, q)*variance, variance
			}
		}
	}
	return all, nil
}

// factoredCavities bounds the examples of a sequence whose B is factored. Tests lower it.
var factoredCavities = 1000

// leastInverse is what rounding leaves of 1 − Λ·S at least.
const leastInverse = 1e-12

// inverseDiagonal sets b to the diagonal of B⁻¹ = (I + Λ^½·K·Λ^½)⁻¹.
func inverseDiagonal(b []float64, k mat.Matrix, lambda []float64) error {
	n := len(lambda)
	var f chol.Factor
	if err := precisionFactor(&f, mat.New(n, n), mat.New(n, n), k, lambda); err != nil {
		return err
	}
	half := mat.Identity(n)
	f.SolveHalf(half)
	copy(b, columnSquares(half))
	return nil
}

// errUncalibrated is the reason why LeaveOneOut refuses a model.
var errUncalibrated = errors.New("leaving examples out needs a dynamical prior, white noise and spatial factors whose inducing points are their data points")

// LeaveOneOut predicts every training example of a model with a dynamical prior from all
// others, kernels and latent posteriors of the others as they are, at the training points: it
// calls body with mean and variance (noise included, calibrated where the model is) in the
// user's units, n_s×d_y each, which belong to body until it returns. Errors: *ConfigError
// for a model with a structured residual, free spatial inducing points or the independent
// prior, under which nothing is known of an example that was not seen; a loaded model;
// *ReadError, ctx.Err() and those of body.
func (m *Model) LeaveOneOut(ctx context.Context, body func(example int, mean, variance mat.Matrix) error) error {
	if m.problem == nil {
		return errNoData
	}
	if err := m.canLeaveOut(); err != nil {
		return err
	}
	q, err := m.ready()
	if err != nil {
		return err
	}
	latents, err := q.params.cavities()
	if err != nil {
		return err
	}
	b := m.problem
	b.restore()
	if err := b.factorize(q.params); err != nil {
		return err
	}
	b.sweep.run(b, q.params.precision(), wantH)
	defer func() { b.sweep.h = kronprod.Tensor{} }()
	n, size := b.y.examples, b.components()*b.channels()
	step := max(1, min(n, slabNumbers/size))
	for from := 0; from < n; from += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+step, n)
		if err := m.leaveOut(ctx, q, latents[from:to], from, to, body); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) canLeaveOut() error {
	ok := m.params.dynamic() && !m.params.structured()
	for _, xu := range m.params.Xu {
		ok = ok && xu.Rows == 0
	}
	if !ok {
		return &ConfigError{Field: "LeaveOneOut", Err: errUncalibrated}
	}
	return nil
}

// leaveOut predicts examples from ≤ i < to at their cavities.
func (m *Model) leaveOut(ctx context.Context, q *posterior, latents []Latent, from, to int, body func(example int, mean, variance mat.Matrix) error) error {
	b, n, points := m.problem, to-from, m.space.Len()
	without := mat.New(n, q.factors[0].size()) // w̃
	psi1 := mat.New(n, q.factors[0].size())
	for i, l := range latents {
		t, _ := q.latentMoments(l)
		copy(psi1.Row(i), t.psi1.Data)
	}
	mat.Mul(without, 1, psi1, b.factors[0].coord, 0)
	shift, spread := b.leaveOutShift(without, from, to)

	var means, variances []mat.Matrix
	for range latents {
		means, variances = append(means, mat.New(points, m.channels)), append(variances, mat.New(points, m.channels))
	}
	err := m.predictSlabs(ctx, latents, m.space, SlabOptions{}, func(s Slab) error {
		for i := range latents {
			mat.Copy(means[i].Slice(s.First, s.First+s.Mean[i].Rows, 0, m.channels), s.Mean[i])
			mat.Copy(variances[i].Slice(s.First, s.First+s.Mean[i].Rows, 0, m.channels), s.Variance[i])
		}
		return nil
	})
	if err != nil {
		return err
	}
	examples := m.params.Dynamics.Instants()
	for i := range latents {
		for c, scale := range m.scaler.Scale {
			for s := range points {
				means[i].Set(s, c, means[i].At(s, c)-scale*shift[(i*m.channels+c)*points+s])
				variances[i].Set(s, c, variances[i].At(s, c)+scale*scale*spread[i*points+s])
			}
		}
		if c := m.calibration; c != nil {
			c.apply(variances[i], c.factor, 0, c.unrest.at(*latents[i].At, examples, from+i))
		}
		if err := body(from+i, means[i], variances[i]); err != nil {
			return err
		}
	}
	return nil
}

// leaveOutShift returns what leaving out examples from ≤ i < to takes off their means
// (examples × channels × points) and adds to their variances (examples × points).
func (b *problem) leaveOutShift(without mat.Matrix, from, to int) (shift, spread []float64) {
	y, m, n, components := &b.projected, b.factors[0].size(), to-from, b.components()
	with := b.factors[0].data.Slice(from, to, 0, m)
	squares, products := mat.New(n, m), mat.New(n, m)
	mat.MulElem(squares, with, with)
	mat.MulElem(products, with, without)
	shiftModes := make([]float64, n*b.channels()*components)
	spreadModes := make([]float64, n*components)
	beta := b.sweep.beta
	mat.Parallel(y.blocks(), func(block int) {
		first, last := y.block(block)
		width := last - first
		inverse := mat.New(width, m)
		for j, v := range b.lambda[first:last] {
			for k, l := range b.factors[0].lambda {
				inverse.Row(j)[k] = v / (1/beta + l*v) // λ_j/d_kj
			}
		}
		hat, g, fit := mat.New(n, width), mat.New(n, width), mat.New(n, width)
		mat.Mul(hat, 1, squares, inverse.T(), 0)
		mat.Mul(g, 1, products, inverse.T(), 0)
		for i := range n {
			for j := range width {
				spreadModes[i*components+first+j] = g.At(i, j) * g.At(i, j) / (1 - hat.At(i, j)) / beta
			}
		}
		for c := range b.channels() {
			at := (c*components + first) * m
			mat.Mul(fit, 1, with, mat.NewDense(width, m, b.sweep.h.Data[at:at+width*m]).T(), 0)
			p := y.at(c, first, last).Slice(from, to, 0, width)
			for i := range n {
				to := shiftModes[(i*b.channels()+c)*components+first:]
				for j, l := range b.lambda[first:last] {
					to[j] = g.At(i, j) * (p.At(i, j) - l*fit.At(i, j)) / (1 - hat.At(i, j))
				}
			}
		}
	})
	toPoints, squared := kronprod.Operator{Factors: make([]mat.Matrix, 1)}, kronprod.Operator{Factors: make([]mat.Matrix, 1)}
	dims := []int{}
	for _, s := range b.factors[1:] {
		v, v2 := s.coord, mat.Matrix{}
		if v.Rows > 0 {
			v2 = mat.New(v.Rows, v.Cols)
			mat.MulElem(v2, v, v)
		}
		toPoints.Factors, squared.Factors = append(toPoints.Factors, v), append(squared.Factors, v2)
		dims = append(dims, s.size())
	}
	shift = toPoints.MulTensor(make([]float64, len(shiftModes)), kronprod.Shaped(shiftModes, append([]int{n * b.channels()}, dims...)...), nil).Data
	spread = squared.MulTensor(make([]float64, len(spreadModes)), kronprod.Shaped(spreadModes, append([]int{n}, dims...)...), nil).Data
	return shift, spread
}

// leftUnexplained calls body with what leaving out every example left unexplained of it and the variance
// expected, n_s×d_y in the user's units.
func (m *Model) leftUnexplained(ctx context.Context, body func(example int, residual, variance mat.Matrix)) error {
	residual := mat.New(m.space.Len(), m.channels)
	return m.LeaveOneOut(ctx, func(example int, mean, variance mat.Matrix) error {
		if err := m.problem.y.readRaw(residual.Data, example, example+1); err != nil {
			return err
		}
		mat.Add(residual, residual, -1, mean)
		body(example, residual, variance)
		return nil
	})
}

// LeftOutDensities returns, for every training example, the mean negative log density (nats a
// value, in the user's units) of its values as LeaveOneOut predicts them from all others, with
// calibrated variances where the model has them (Calibrate). It is what to compare models
// of the same examples by where whole examples are to be predicted: the bound also counts how well
// the values of an example predict one another. Errors: as LeaveOneOut's.
func (m *Model) LeftOutDensities(ctx context.Context) ([]float64, error) {
	densities := make([]float64, m.Examples())
	err := m.leftUnexplained(ctx, func(example int, residual, variance mat.Matrix) {
		per := 1 / float64(residual.Rows*residual.Cols)
		for i := range residual.Rows {
			for k, r := range residual.Row(i) {
				v := variance.At(i, k)
				densities[example] += 0.5 * per * (math.Log(2*math.Pi*v) + r*r/v)
			}
		}
	})
	return densities, err
}
