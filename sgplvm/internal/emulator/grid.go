package emulator

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Components are interpolated in space by a Matérn 5/2 process whose length scale is gridScale mean spacings: nearly a cubic spline. maxGrid limits the points of a
// factor, whose matrix is factored.
const gridScale, maxGrid = 10, 5000

// On returns the model with outputs at other points of the same factors: from is the grid of its outputs. Errors: *field.ConfigError, those of chol.
func (m *Model) On(from, to field.Grid) (*Model, error) {
	if len(from) != len(to) {
		return nil, &field.ConfigError{Field: "Grid", Err: fmt.Errorf("%d spatial factors, expected %d", len(to), len(from))}
	}
	if len(m.Unseen) > 0 {
		return nil, &field.ConfigError{Field: "Grid", Err: fmt.Errorf("%d values that no run has, expected none for predictions at other points", len(m.Unseen))}
	}
	c, modes := len(m.Scaler.Mean), m.V.Cols
	all := mat.New(m.V.Rows, modes+2) // components, mean and variance
	mat.Copy(all.Slice(0, all.Rows, 0, modes), m.V)
	mat.Copy(all.Slice(0, all.Rows, modes, modes+1), mat.Vector(m.Centre))
	mat.Copy(all.Slice(0, all.Rows, modes+1, modes+2), mat.Vector(m.Left))
	before, after := 1, all.Rows
	for f := range from {
		if from[f].Cols != to[f].Cols {
			return nil, &field.ConfigError{Field: "Grid", Err: fmt.Errorf("spatial factor %d: points of dimension %d, expected %d", f, to[f].Cols, from[f].Cols)}
		}
		w, err := interpolation(from[f], to[f])
		if err != nil {
			return nil, err
		}
		n, k := from[f].Rows, to[f].Rows
		after /= n
		next := mat.New(before*k*after, all.Cols)
		for b := range before { // each block of a factor's points has after rows for each of them
			mat.Mul(mat.NewDense(k, after*all.Cols, next.Data[b*k*after*all.Cols:(b+1)*k*after*all.Cols]), 1, w,
				mat.NewDense(n, after*all.Cols, all.Data[b*n*after*all.Cols:(b+1)*n*after*all.Cols]), 0)
		}
		all, before = next, before*k
	}
	g := *m
	g.Points, g.V = all.Rows/c, all.Slice(0, all.Rows, 0, modes).Clone()
	g.Centre, g.Left = work.Column(all, modes), work.Column(all, modes+1)
	for i, v := range g.Left {
		g.Left[i] = max(0, v)
	}
	return &g, nil
}

// interpolation returns what makes values at points z of values at points x; constants stay.
func interpolation(x, z mat.Matrix) (mat.Matrix, error) {
	if x.Rows > maxGrid {
		return mat.Matrix{}, &field.ConfigError{Field: "Grid", Err: fmt.Errorf("a spatial factor of %d points, expected at most %d to interpolate", x.Rows, maxGrid)}
	}
	k := &Kernel{Form: Matern52, Share: 1, Scales: work.Spacing(x), Linear: make([]float64, x.Cols)}
	for q := range k.Scales {
		k.Scales[q] *= gridScale
	}
	gram, w := mat.New(x.Rows, x.Rows), mat.New(x.Rows, z.Rows)
	k.values(gram, x, x, mat.Matrix{}, mat.Matrix{})
	k.values(w, x, z, mat.Matrix{}, mat.Matrix{})
	f, _, err := chol.FactorizeJitter(gram, nil)
	if err != nil {
		return w, err
	}
	f.Solve(w)
	for i := range z.Rows {
		rest := 1.
		for j := range x.Rows {
			rest -= w.At(j, i)
		}
		for j := range x.Rows {
			w.Set(j, i, w.At(j, i)+rest/float64(x.Rows))
		}
	}
	return w.T().Clone(), nil
}
