package predict

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// compileTime takes over the prior in time: its kernels' systems where they have any, and what the training examples of each sequence
// say of what follows them (docs/math.md, section 23). means are those of q(X), n×d.
func compileTime(c *points.Contents, p *dynamics.Params, means mat.Matrix) {
	t, kernels := &c.Time, p.Prior.Own
	if t.Kernel, t.Spacing = p.Prior.Kernel.String(), data.MedianSpacing(p.Prior.Instants()); kernels == nil {
		kernels = append(kernels, p.Prior.Kernel)
	}
	for _, k := range kernels {
		system, ok := k.System()
		if !ok {
			t.Kernel, t.Systems = k.String(), nil
			return
		}
		t.Systems = append(t.Systems, system)
	}
	d := p.MuBar.Cols
	state := infer.NewState(t.Systems, d)
	mean, variance, sites := make([]float64, d), make([]float64, d), make([]infer.Site, d)
	for _, sequence := range data.Sequences(p.Prior.Times, p.Prior.Sequences) {
		state.Reset()
		last := sequence.Times[0]
		for j, i := range sequence.Examples {
			state.Ahead(mean, variance, sequence.Times[j]-last)
			last = sequence.Times[j]
			for q := range sites { // of the precision Λ, around μ + μ̄/Λ
				l := p.Lambda.At(i, q)
				sites[q] = infer.Site{Precision: l, Shift: p.MuBar.At(i, q) + l*means.At(i, q)}
			}
			state.Update(mean, variance, sites)
		}
		t.Ends = append(t.Ends, points.End{Sequence: sequence.Label, Time: last, State: append([]float64(nil), state.Get()...)})
	}
}
