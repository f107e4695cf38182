package dynamics

import (
	"fmt"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A Posterior is q of the latent variables of every sequence as functions of time. With k_* the
// covariances between a time and the sequence's own, V = R⁻¹·Λ^½·k_* and B = R·Rᵀ,
//
//	mean k_*ᵀ·μ̄,  covariance k(t − t′) − V(t)ᵀ·V(t′)
//
// It does not change, and may be used from many goroutines.
type Posterior struct {
	dims      int
	sequences map[int][]process // of every label: of all latent dimensions, or of each
}

// A process is the posterior of one sequence.
type process interface {
	// marginals returns means and variances of latent dimension q at any times.
	marginals(q int, times []float64) (mean, variance []float64, err error)

	// sample returns joint draws, len(times)×count, from standard normal numbers as normal gives
	// them for draw k: the first ones of a stream.
	sample(q int, times []float64, count int, normal func(k int) func() float64) (mat.Matrix, error)
}

// NewPosterior returns the posterior with these parameters, of which it keeps nothing. The error names
// the sequence and the latent dimension of which B could not be factored.
func NewPosterior(p *Params) (*Posterior, error) {
	all := &Posterior{dims: p.MuBar.Cols, sequences: make(map[int][]process)}
	prior := p.Prior.Clone()
	for _, s := range prior.sequences() {
		muBar, lambda := work.Gather(p.MuBar, s.Examples), work.Gather(p.Lambda, s.Examples)
		for q, k := range prior.kernels() {
			from, to := 0, all.dims
			if prior.Own != nil {
				from, to = q, q+1
			}
			t, err := newProcess(*k, &s, from, muBar.Slice(0, muBar.Rows, from, to), lambda.Slice(0, lambda.Rows, from, to))
			if err != nil {
				return nil, err
			}
			all.sequences[s.Label] = append(all.sequences[s.Label], t)
		}
	}
	return all, nil
}

// newProcess returns the process of the latent dimensions from first on in the form that is the faster one.
func newProcess(k kernel.Kernel, s *data.Sequence, first int, muBar, lambda mat.Matrix) (process, error) {
	if useStates(k, len(s.Times)) {
		return &stateProcess{k, s.Times, muBar, lambda}, nil
	}
	return newDenseProcess(k, s, first, muBar, lambda)
}

// at returns the posterior of a sequence, for times that it checks.
func (p *Posterior) at(sequence int, times []float64) ([]process, error) {
	if err := data.CheckTimes(times); err != nil {
		return nil, &field.ConfigError{Field: "Times", Err: err}
	}
	t := p.sequences[sequence]
	if t == nil {
		return nil, &field.ConfigError{Field: "Sequence", Err: fmt.Errorf("%d, expected the label of a sequence that the model was trained on; others have the prior", sequence)}
	}
	return t, nil
}

// Marginals returns means and variances, len(times)×d each, at any times of a sequence: between the
// examples, before and after them, where they tend to the prior. Errors: *field.ConfigError.
func (p *Posterior) Marginals(sequence int, times []float64) (mu, s mat.Matrix, err error) {
	t, err := p.at(sequence, times)
	if err != nil {
		return mat.Matrix{}, mat.Matrix{}, err
	}
	mu, s = mat.New(len(times), p.dims), mat.New(len(times), p.dims)
	for q := range p.dims {
		j, at := of(len(t), q)
		mean, variance, err := t[j].marginals(at, times)
		if err != nil {
			return mat.Matrix{}, mat.Matrix{}, err
		}
		for i, v := range variance {
			mu.Set(i, q, mean[i])
			s.Set(i, q, max(v, minVariance))
		}
	}
	return mu, s, nil
}

// Sample draws count ≥ 0 paths, len(times)×d each, at times of a sequence: the values of a path have
// the covariances of the posterior between times. The same seed gives the same paths, and a larger count
// the same ones first. Unless the states of the kernel are used, len(times)² covariances are factored.
// Errors: as those of Marginals.
func (p *Posterior) Sample(sequence int, times []float64, count int, seed uint64) ([]mat.Matrix, error) {
	t, err := p.at(sequence, times)
	if err != nil {
		return nil, err
	}
	paths := make([]mat.Matrix, count)
	for k := range paths {
		paths[k] = mat.New(len(times), p.dims)
	}
	if len(times) == 0 {
		return paths, nil
	}
	for q := range p.dims {
		j, at := of(len(t), q)
		x, err := t[j].sample(at, times, count, func(k int) func() float64 {
			return rand.New(rand.NewPCG(seed^uint64(q)<<48, 0x7061746873000000+uint64(k))).NormFloat64
		})
		if err != nil {
			return nil, fmt.Errorf("sgplvm: covariance of latent dimension %d over time: %w", q, err)
		}
		for k, path := range paths {
			for i := range times {
				path.Row(i)[q] = x.At(i, k)
			}
		}
	}
	return paths, nil
}
