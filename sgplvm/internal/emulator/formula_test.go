package emulator

import (
	"context"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// The formula of all components gives the fields that the model predicts, with kernels evaluated by their definition, and the variances too where all components
// share the kernels.
func TestFormula(t *testing.T) {
	w := worlds(30, 3, 3, 4)
	m, err := Fit(context.Background(), w.data(), Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Formula(maxModes)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(1, 3, []float64{0.2, -0.7, 1.1})
	all := mat.New(31, 3)
	mat.Copy(all.Slice(0, 30, 0, 3), f.X)
	mat.Copy(all.Slice(30, 31, 0, 3), x)
	p := make([]float64, f.V.Cols)
	for _, term := range f.Terms {
		k := dense(f.Kernels[term.Kernel], all)
		for i, a := range term.Alpha {
			p[term.Mode] += k.At(30, i) * a
		}
	}
	mean, _ := m.Predict(x)
	want := make([]float64, 60)
	m.Field(want, mean.Row(0))
	for s, v := range f.Centre {
		for j, c := range p {
			v += f.V.At(s, j) * c
		}
		near(t, "value", v, want[s], 1e-7)
	}
	k := f.Kernels[len(f.Kernels)-1]
	m.Kernels, m.Modes = []*Kernel{k}, [][]int{sample(m.P.Cols, m.P.Cols, 0)}
	if err := m.Condition(); err != nil {
		t.Fatal(err)
	}
	_, variance := m.Predict(x)
	m.Variance(want, variance.Row(0))
	row := dense(k, all)
	v := make([]float64, f.V.Cols)
	for j := range v {
		v[j] = row.At(30, 30) + f.R[j]
		for s, l := range f.Lambda {
			u := 0.
			for i := range 30 {
				u += row.At(30, i) * f.U.At(i, s)
			}
			v[j] -= u * u / (l + f.R[j])
		}
		v[j] *= f.A[j]
	}
	for s, sum := range f.Left {
		for j, c := range v {
			sum += f.V.At(s, j) * f.V.At(s, j) * c
		}
		near(t, "variance", sum/want[s], 1, 1e-5)
	}
}
