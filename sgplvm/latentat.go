package sgplvm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A timeline is q of the latent variables of one sequence as functions of time: with k_*
// the covariances between a time and the sequence's own, B = R·Rᵀ as in timePrior and
// V = R⁻¹·Λ^½·k_*,
//
//	mean k_*ᵀ·μ̄,  covariance k(t − t′) − V(t)ᵀ·V(t′)
type timeline struct {
	kernel  TimeKernel
	times   []float64
	muBar   mat.Matrix     // n×d_ξ
	scale   mat.Matrix     // Λ^½, n×d_ξ
	factors []*chol.Factor // R of each latent dimension
}

// errStill is returned where the latent variables do not move over time.
var errStill = errors.New("sgplvm: the model has no dynamical prior, so its latent variables have no time")

// timelines returns the timeline of every label; the caller holds the mutex.
func (p *Params) timelines() (map[int]*timeline, error) {
	all := make(map[int]*timeline)
	for _, s := range p.Dynamics.series() {
		n, d := len(s.times), p.MuBar.Cols
		t := &timeline{kernel: p.Dynamics.Kernel, times: s.times, muBar: gather(p.MuBar, s.examples), scale: mat.New(n, d)}
		k, b, v, lambda := mat.New(n, n), mat.New(n, n), mat.New(n, n), make([]float64, n)
		t.kernel.matrix(k, s.times, s.times)
		for q := range d {
			s.column(lambda, p.Lambda, q)
			f := new(chol.Factor)
			if err := precisionFactor(f, b, v, k, lambda); err != nil {
				return nil, fmt.Errorf("sgplvm: dynamical prior, sequence %d, latent dimension %d: %w", s.label, q, err)
			}
			t.factors = append(t.factors, f)
			for i, l := range lambda {
				t.scale.Row(i)[q] = math.Sqrt(l)
			}
		}
		all[s.label] = t
	}
	return all, nil
}

// cross returns V (n×count) of latent dimension q, and the means there.
func (t *timeline) cross(q int, times []float64) (v mat.Matrix, mean []float64) {
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

// timeline returns that of a sequence; it checks the times.
func (m *Model) timeline(sequence int, times []float64) (*timeline, error) {
	if !m.params.dynamic() {
		return nil, errStill
	}
	if err := finiteTimes(times); err != nil {
		return nil, &ConfigError{"Times", err}
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
		return nil, &ConfigError{"Sequence", fmt.Errorf("%d, expected the label of a sequence that the model was trained on; others have the prior, PriorLatent", sequence)}
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
	d := t.muBar.Cols
	all := make([]Latent, len(times))
	for i := range all {
		all[i] = Latent{Mu: make([]float64, d), S: make([]float64, d), Noise: 1, Start: -1, At: &Instant{sequence, times[i]}}
	}
	for q := range d {
		v, mean := t.cross(q, times)
		for i, explained := range columnSquares(v) {
			all[i].Mu[q], all[i].S[q] = mean[i], max(1-explained, leastLatentVariance)
		}
	}
	return all, nil
}

// LatentPaths draws count paths of the latent variables from their posterior over time, as
// LatentAt's with the covariances between times: path k is a len(times)×d_ξ matrix.
// The same seed gives the same paths, and a larger count the same ones first. The
// len(times)² covariances are decomposed. Errors: as LatentAt's.
func (m *Model) LatentPaths(sequence int, times []float64, count int, seed uint64) ([]mat.Matrix, error) {
	if count < 0 {
		return nil, &ConfigError{"LatentPaths", fmt.Errorf("%d paths, expected no negative number", count)}
	}
	t, err := m.timeline(sequence, times)
	if err != nil {
		return nil, err
	}
	n, d := len(times), t.muBar.Cols
	paths := make([]mat.Matrix, count)
	for k := range paths {
		paths[k] = mat.New(n, d)
	}
	if n == 0 {
		return paths, nil
	}
	cov, z := mat.New(n, n), mat.New(n, count)
	for q := range d {
		for k := range paths {
			rng := rand.New(rand.NewPCG(seed^uint64(q)<<48, 0x7061746873000000+uint64(k)))
			for i := range n {
				z.Row(i)[k] = rng.NormFloat64()
			}
		}
		v, mean := t.cross(q, times)
		t.kernel.matrix(cov, times, times)
		mat.Syrk(cov, -1, v.T(), 1)
		mat.MirrorLower(cov)
		half, err := root(cov, leastMode)
		if err != nil {
			return nil, fmt.Errorf("sgplvm: covariance of latent dimension %d over time: %w", q, err)
		}
		x := mat.New(n, count)
		mat.Mul(x, 1, half, z, 0)
		for k, path := range paths {
			for i, mu := range mean {
				path.Row(i)[q] = mu + x.At(i, k)
			}
		}
	}
	return paths, nil
}
