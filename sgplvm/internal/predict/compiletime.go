package predict

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// compileTime takes over the prior in time: its kernel's system where it is Markov, and what the training examples of each sequence
// say of what follows them (docs/math.md, section 23). means are those of q(X), n×d.
func compileTime(p *dynamics.Params, means mat.Matrix) points.Time {
	k := p.Prior.Kernel
	t := points.Time{Kernel: k.String(), Spacing: data.MedianSpacing(p.Prior.Instants())}
	s := k.StateSize()
	if s == 0 {
		return t
	}
	system := infer.System{Generator: mat.New(s, s), Output: k.Output(), Input: k.Input()}
	k.Generator(system.Generator)
	t.Generator, t.Output, t.Input = system.Generator.Data, system.Output, system.Input
	d := p.MuBar.Cols
	state := infer.NewState(system, d)
	mean, variance, mu, v := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	for _, sequence := range data.Sequences(p.Prior.Times, p.Prior.Sequences) {
		state.Reset()
		last := sequence.Times[0]
		for j, i := range sequence.Examples {
			state.Ahead(mean, variance, sequence.Times[j]-last)
			last = sequence.Times[j]
			for q, prior := range variance { // of the precision Λ, around μ + μ̄/Λ
				l := p.Lambda.At(i, q)
				v[q] = prior / (1 + l*prior)
				mu[q] = mean[q] + v[q]*(p.MuBar.At(i, q)+l*(means.At(i, q)-mean[q]))
			}
			state.Update(mean, variance, mu, v)
		}
		e := points.End{Sequence: sequence.Label, Time: last}
		stateMean, above := state.Get()
		e.Mean, e.Above = append(e.Mean, stateMean...), append(e.Above, above...)
		t.Ends = append(t.Ends, e)
	}
	return t
}
