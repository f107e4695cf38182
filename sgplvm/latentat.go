package sgplvm

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A timeline is q of the latent variables of one sequence as functions of time: with k_*
// the covariances between a time and the sequence's own and V = R⁻¹·Λ^½·k_*, where
// B = R·Rᵀ as in timePrior,
//
//	mean k_*ᵀ·μ̄,  covariance k(t − t′) − V(t)ᵀ·V(t′)
type timeline interface {
	// at returns means and variances of latent dimension q at any times.
	at(q int, times []float64) (mean, variance []float64, err error)

	// paths returns joint draws, len(times)×count, from standard normal numbers as
	// numbers gives them for path k: the first ones of a stream.
	paths(q int, times []float64, count int, numbers func(k int) func() float64) (mat.Matrix, error)
}

// errStill is returned where the latent variables do not move over time.
var errStill = errors.New("sgplvm: the model has no dynamical prior, so its latent variables have no time")

// timelines returns the timeline of every label.
func (p *Params) timelines() (map[int]timeline, error) {
	all := make(map[int]timeline)
	for _, s := range p.Dynamics.series() {
		muBar, lambda := gather(p.MuBar, s.examples), gather(p.Lambda, s.examples)
		if p.Dynamics.Kernel.markovFor(len(s.times)) {
			all[s.label] = &markovTimeline{p.Dynamics.Kernel, s.times, muBar, lambda}
			continue
		}
		t, err := newDenseTimeline(p.Dynamics.Kernel, &s, muBar, lambda)
		if err != nil {
			return nil, err
		}
		all[s.label] = t
	}
	return all, nil
}

// A denseTimeline holds the factor of B.
type denseTimeline struct {
	kernel  TimeKernel
	times   []float64
	muBar   mat.Matrix     // n×d_ξ
	scale   mat.Matrix     // Λ^½, n×d_ξ
	factors []*chol.Factor // R of each latent dimension
}

func newDenseTimeline(kernel TimeKernel, s *series, muBar, lambda mat.Matrix) (*denseTimeline, error) {
	n := len(s.times)
	t := &denseTimeline{kernel: kernel, times: s.times, muBar: muBar, scale: lambda.Clone()}
	for i, l := range t.scale.Data {
		t.scale.Data[i] = math.Sqrt(l)
	}
	k, b, v := mat.New(n, n), mat.New(n, n), mat.New(n, n)
	kernel.matrix(k, s.times, s.times)
	for q := range muBar.Cols {
		f := new(chol.Factor)
		if err := precisionFactor(f, b, v, k, column(lambda, q)); err != nil {
			return nil, s.failed(q, err)
		}
		t.factors = append(t.factors, f)
	}
	return t, nil
}

// column returns column q of a.
func column(a mat.Matrix, q int) []float64 { return a.Slice(0, a.Rows, q, q+1).Clone().Data }

// cross returns V (n×count) of latent dimension q, and the means there.
func (t *denseTimeline) cross(q int, times []float64) (v mat.Matrix, mean []float64) {
	n := len(t.times)
	v = mat.New(n, len(times))
	t.kernel.matrix(v, t.times, times)
	mean = make([]float64, len(times))
	for i := range n {
		asm.Axpy(t.muBar.At(i, q), v.Row(i), mean)
		asm.Scale(v.Row(i), t.scale.At(i, q), v.Row(i))
	}
	t.factors[q].SolveHalf(v)
	return v, mean
}

func (t *denseTimeline) at(q int, times []float64) (mean, variance []float64, err error) {
	v, mean := t.cross(q, times)
	variance = columnSquares(v)
	for i, explained := range variance {
		variance[i] = 1 - explained
	}
	return mean, variance, nil
}

func (t *denseTimeline) paths(q int, times []float64, count int, numbers func(k int) func() float64) (mat.Matrix, error) {
	n := len(times)
	cov, z, x := mat.New(n, n), mat.New(n, count), mat.New(n, count)
	for k := range count {
		normal := numbers(k)
		for i := range n {
			z.Row(i)[k] = normal()
		}
	}
	v, mean := t.cross(q, times)
	t.kernel.matrix(cov, times, times)
	mat.Syrk(cov, -1, v.T(), 1)
	mat.MirrorLower(cov)
	half, err := root(cov, leastMode)
	if err != nil {
		return x, err
	}
	mat.Mul(x, 1, half, z, 0)
	for i, mu := range mean {
		addToAll(x.Slice(i, i+1, 0, count), mu)
	}
	return x, nil
}

// A markovTimeline takes times that are asked for into the series, with Λ = 0 and μ̄ = 0:
// as examples of which nothing is known.
type markovTimeline struct {
	kernel        TimeKernel
	times         []float64
	muBar, lambda mat.Matrix // n×d_ξ
}

// with returns the series with further times, in order, and where these are.
func (t *markovTimeline) with(q int, times []float64) (all, muBar, lambda []float64, where []int) {
	n := len(t.times)
	all = append(slices.Clone(t.times), times...)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(all[i], all[j]) })
	muBar, lambda, where = make([]float64, len(all)), make([]float64, len(all)), make([]int, len(times))
	sorted := make([]float64, len(all))
	for k, i := range order {
		sorted[k] = all[i]
		if i < n {
			muBar[k], lambda[k] = t.muBar.At(i, q), t.lambda.At(i, q)
		} else {
			where[i-n] = k
		}
	}
	return sorted, muBar, lambda, where
}

func (t *markovTimeline) at(q int, times []float64) (mean, variance []float64, err error) {
	all, muBar, lambda, where := t.with(q, times)
	var m markov
	m.set(t.kernel, all)
	means, variances := make([]float64, len(all)), make([]float64, len(all))
	m.mul(means, muBar)
	if _, err := m.posterior(q, variances, lambda); err != nil {
		return nil, nil, err
	}
	for _, k := range where {
		mean, variance = append(mean, means[k]), append(variance, variances[k])
	}
	return mean, variance, nil
}

// paths draws by Matheron's rule (sampler): with f from the prior, drawn with a nugget of
// leastMode, and pseudo-observations y = f + Λ^−½·ε of it,
//
//	x = K·μ̄ + f − K·(K + Λ⁻¹)⁻¹·y
func (t *markovTimeline) paths(q int, times []float64, count int, numbers func(k int) func() float64) (mat.Matrix, error) {
	all, muBar, lambda, where := t.with(q, times)
	prior, gains := rootOf(t.kernel, all, leastMode), newGains(t.kernel, all, lambda)
	x := mat.New(len(times), count)
	f, solved, explained := make([]float64, len(all)), make([]float64, len(all)), make([]float64, len(all))
	for k := range count {
		normal := numbers(k)
		for i := range f {
			f[i] = normal()
		}
		prior.mul(mat.Vector(f))
		for i, l := range lambda {
			solved[i] = -f[i]
			if l > 0 {
				solved[i] -= normal() / math.Sqrt(l)
			}
		}
		gains.solve(solved)
		asm.Axpy(1, muBar, solved)
		gains.m.mul(explained, solved)
		for i, at := range where {
			x.Row(i)[k] = f[at] + explained[at]
		}
	}
	return x, nil
}

// timeline returns that of a sequence; it checks the times.
func (m *Model) timeline(sequence int, times []float64) (timeline, error) {
	if !m.params.dynamic() {
		return nil, errStill
	}
	if err := finiteTimes(times); err != nil {
		return nil, &ConfigError{Field: "Times", Err: err}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.timelines == nil {
		all, err := m.params.timelines()
		if err != nil {
			return nil, err
		}
		m.timelines = all
	}
	t := m.timelines[sequence]
	if t == nil {
		return nil, &ConfigError{Field: "Sequence", Err: fmt.Errorf("%d, expected the label of a sequence that the model was trained on; others have the prior, PriorLatent", sequence)}
	}
	return t, nil
}

// LatentAt returns the latent posterior of a model with a dynamical prior at any times of
// one of its sequences (0 where none were given), in the order of the times: between
// the examples, before and after them, where it tends to the prior. Its use as
// Observed.Prior adds what was seen of a frame. Errors: *ConfigError; a model
// without a dynamical prior.
func (m *Model) LatentAt(sequence int, times []float64) ([]Latent, error) {
	t, err := m.timeline(sequence, times)
	if err != nil {
		return nil, err
	}
	d := m.params.Mu.Cols
	all := make([]Latent, len(times))
	for i := range all {
		all[i] = Latent{Mu: make([]float64, d), S: make([]float64, d), Noise: 1, Start: -1, At: &Instant{Sequence: sequence, Time: times[i]}}
	}
	for q := range d {
		mean, variance, err := t.at(q, times)
		if err != nil {
			return nil, err
		}
		for i, v := range variance {
			all[i].Mu[q], all[i].S[q] = mean[i], max(v, leastLatentVariance)
		}
	}
	return all, nil
}

// LatentPaths draws count paths of the latent variables from their posterior over time, as
// LatentAt's with the covariances between times: path k is a len(times)×d_ξ matrix.
// The same seed gives the same paths, and a larger count the same ones first. Unless the
// kernel is Markov and the sequence long, the len(times)² covariances are decomposed. Errors:
// as LatentAt's.
func (m *Model) LatentPaths(sequence int, times []float64, count int, seed uint64) ([]mat.Matrix, error) {
	if count < 0 {
		return nil, &ConfigError{Field: "LatentPaths", Err: fmt.Errorf("%d paths, expected no negative number", count)}
	}
	t, err := m.timeline(sequence, times)
	if err != nil {
		return nil, err
	}
	n, d := len(times), m.params.Mu.Cols
	paths := make([]mat.Matrix, count)
	for k := range paths {
		paths[k] = mat.New(n, d)
	}
	if n == 0 {
		return paths, nil
	}
	for q := range d {
		x, err := t.paths(q, times, count, func(k int) func() float64 {
			return rand.New(rand.NewPCG(seed^uint64(q)<<48, 0x7061746873000000+uint64(k))).NormFloat64
		})
		if err != nil {
			return nil, fmt.Errorf("sgplvm: covariance of latent dimension %d over time: %w", q, err)
		}
		for k, path := range paths {
			for i := range n {
				path.Row(i)[q] = x.At(i, k)
			}
		}
	}
	return paths, nil
}
