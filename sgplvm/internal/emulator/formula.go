package emulator

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A Formula is what evaluates a model's leading components elsewhere: with K of a term's kernel, coordinate j at ξ is the sum of all terms' Σ_i K(ξ, X_i)·Alpha_i, and
// the output in the user's units Centre + V·coordinates. Its variance is Left + V²·v with v_j = A_j·(K(ξ, ξ) + R_j − Σ_i (K(ξ, X)·U)_i²/(Lambda_i + R_j)), of
// the last kernel, which all components share: a sketch where components have kernels of their own.
type Formula struct {
	X       mat.Matrix // inputs of the runs, or inducing inputs, scaled, n×d
	Kernels []*Kernel
	Terms   []Term
	Centre  []float64
	V       mat.Matrix // values×modes, times the deviations
	Left    []float64
	U       mat.Matrix // n×n
	Lambda  []float64
	A, R    []float64

	Transforms []work.Transform // of each channel, of which all this is t: 1: log y, 2: log(y/(1 − y)); nil: none
}

// A Term is a kernel's part of a coordinate.
type Term struct {
	Kernel, Mode int
	Alpha        []float64
}

// Formula returns that of at most most components.
func (m *Model) Formula(most int) (*Formula, error) {
	modes := min(most, m.P.Cols)
	f := &Formula{X: m.process.x, Centre: append([]float64{}, m.Centre...), V: mat.New(m.V.Rows, modes), Left: append([]float64{}, m.Left...), Transforms: m.Transforms}
	mat.ScaleCols(f.V, m.V.Slice(0, m.V.Rows, 0, modes), m.Deviations[:modes])
	for i := range f.Centre {
		c := i % len(m.Scaler.Mean)
		s := m.Scaler.Scale[c]
		f.Centre[i] = m.Scaler.Mean[c] + s*f.Centre[i]
		f.Left[i] *= s * s
		mat.Scale(f.V.Slice(i, i+1, 0, modes), s, f.V.Slice(i, i+1, 0, modes))
	}
	for _, g := range m.process.groups {
		for k, j := range g.modes {
			if j >= modes {
				continue
			}
			if k == 0 {
				f.Kernels = append(f.Kernels, g.kernel)
			}
			t := Term{Kernel: len(f.Kernels) - 1, Mode: j}
			for i := range f.X.Rows {
				t.Alpha = append(t.Alpha, g.alpha.At(i, k))
			}
			f.Terms = append(f.Terms, t)
		}
	}
	f.Kernels = append(f.Kernels, m.Kernels[len(m.Kernels)-1])
	p, err := newProcess(m.X, m.P.Slice(0, m.P.Rows, 0, modes).Clone(), f.Kernels[len(f.Kernels)-1:], [][]int{sample(modes, modes, 0)})
	if err != nil {
		return nil, err
	}
	g := p.groups[0]
	f.U, f.Lambda, f.A, f.R = g.u, g.lambda, g.a, g.r
	for j := range f.A {
		f.A[j] *= m.Factor
	}
	return f, nil
}
