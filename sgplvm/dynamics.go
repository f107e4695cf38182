package sgplvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Dynamics makes the latent variables Gaussian processes in time: x_q(t) ~ GP(0, k), one
// for each latent dimension, in place of numbers that are independent from example
// to example. The zero value stands for the latter.
type Dynamics struct {
	// Times are those of the examples, n_ξ, in any unit and order; equal ones are
	// allowed.
	Times []float64

	// Sequences are labels of the examples, n_ξ: those with different labels are
	// independent. nil: all belong to sequence 0.
	Sequences []int

	// Kernel is k. Default: Matern32. Length scales and periods that are 0 are found from
	// the data, where training starts.
	Kernel TimeKernel
}

func (d Dynamics) clone() Dynamics {
	return Dynamics{slices.Clone(d.Times), slices.Clone(d.Sequences), d.Kernel.clone()}
}

// validate checks times and labels for n examples.
func (d Dynamics) validate(n int) error {
	if len(d.Times) != n {
		return fmt.Errorf("%d times, expected %d, one for each example", len(d.Times), n)
	}
	if d.Sequences != nil && len(d.Sequences) != n {
		return fmt.Errorf("%d labels of sequences, expected %d, one for each example", len(d.Sequences), n)
	}
	for i, label := range d.Sequences {
		if label < -maxLabel || label > maxLabel {
			return fmt.Errorf("example %d is of sequence %d, expected a label between ±%d", i, label, maxLabel)
		}
	}
	return finiteTimes(d.Times)
}

// maxLabel bounds the labels of sequences, to what 32 bits hold.
const maxLabel = math.MaxInt32

func finiteTimes(times []float64) error {
	for i, t := range times {
		if math.IsNaN(t) || math.Abs(t) > farthestTime {
			return fmt.Errorf("time %d is %v, expected a number between ±%g", i, t, farthestTime)
		}
	}
	return nil
}

// farthestTime bounds times, so that differences of them are finite.
const farthestTime = 1e300

// A series is the examples of one sequence in order of time.
type series struct {
	label    int
	examples []int
	times    []float64
}

// series returns all sequences, in order of their labels.
func (d Dynamics) series() []series {
	label := func(i int) int {
		if d.Sequences == nil {
			return 0
		}
		return d.Sequences[i]
	}
	order := make([]int, len(d.Times))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(label(i), label(j)), cmp.Compare(d.Times[i], d.Times[j]))
	})
	var all []series
	for _, i := range order {
		if len(all) == 0 || all[len(all)-1].label != label(i) {
			all = append(all, series{label: label(i)})
		}
		s := &all[len(all)-1]
		s.examples, s.times = append(s.examples, i), append(s.times, d.Times[i])
	}
	return all
}

// column sets v to column q of a (n_ξ×d_ξ) along the series.
func (s *series) column(v []float64, a mat.Matrix, q int) {
	for k, i := range s.examples {
		v[k] = a.At(i, q)
	}
}

// setColumn is the reverse of column.
func (s *series) setColumn(a mat.Matrix, q int, v []float64) {
	for k, i := range s.examples {
		a.Set(i, q, v[k])
	}
}

// dynamic reports whether the latent variables move over time.
func (p *Params) dynamic() bool { return p.Dynamics.Times != nil }

// validateDynamics checks the dynamical prior against the latent means.
func (p *Params) validateDynamics() error {
	n, d := p.Mu.Rows, p.Mu.Cols
	if !p.dynamic() {
		return nil
	}
	if err := p.Dynamics.validate(n); err != nil {
		return err
	}
	if err := p.Dynamics.Kernel.validate(); err != nil {
		return err
	}
	if p.MuBar.Rows != n || p.MuBar.Cols != d || p.Lambda.Rows != n || p.Lambda.Cols != d {
		return fmt.Errorf("coefficients μ̄ are %d×%d and precisions Λ %d×%d, expected %d×%d like the latent means", p.MuBar.Rows, p.MuBar.Cols, p.Lambda.Rows, p.Lambda.Cols, n, d)
	}
	if i, q, bad := mat.NonFinite(p.MuBar); bad {
		return fmt.Errorf("coefficient %v of example %d, dimension %d, expected a finite number", p.MuBar.At(i, q), i, q)
	}
	for i := range n {
		for q, v := range p.Lambda.Row(i) {
			if !(v > 0) || math.IsInf(v, 0) {
				return fmt.Errorf("precision %v of example %d, dimension %d, expected a positive number", v, i, q)
			}
		}
	}
	return nil
}

// visitDynamics is visit for μ̄, Λ and the time kernel. Where p is whitened the
// optimiser sees x = Rᵀ·μ̄ in place of μ̄, and ∂L/∂x = R⁻¹·∂L/∂μ̄.
func (p *Params) visitDynamics(other *Params, f func(value, slope []float64, positive bool)) {
	if p.Whitening.Kind == "" {
		f(p.MuBar.Data, other.MuBar.Data, false)
	} else {
		w := p.whitener()
		n, d := p.MuBar.Rows, p.MuBar.Cols
		x, slope := mat.New(n, d), mat.New(n, d)
		w.white(x, p.MuBar)
		w.slope(slope, other.MuBar)
		before := slices.Clone(x.Data)
		f(x.Data, slope.Data, false)
		if !slices.Equal(x.Data, before) {
			w.coefficients(p.MuBar, x)
		}
	}
	f(p.Lambda.Data, other.Lambda.Data, true)
	p.Dynamics.Kernel.visit(&other.Dynamics.Kernel, f)
}
