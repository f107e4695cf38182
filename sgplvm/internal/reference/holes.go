package reference

import (
	"encoding/json"
	"io/fs"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A HolesCase is a model of data with holes; testdata/holes.py says what its keys are.
type HolesCase struct {
	Case
	Seen     [][]bool
	Errors   Rows
	Expected struct {
		Bound float64
		Grad  map[string]json.RawMessage
	}
}

// HolesCases reads the cases of testdata/holes.
func HolesCases(t testing.TB) []*HolesCase {
	t.Helper()
	names, err := fs.Glob(files, "testdata/holes/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no reference files (%v)", err)
	}
	var all []*HolesCase
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		c := new(HolesCase)
		if err := json.Unmarshal(text, c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		c.Case.Expected.Grad = c.Expected.Grad
		all = append(all, c)
	}
	return all
}

// Model returns the model of the case with NaN for what is missing.
func (c *HolesCase) Model(t testing.TB) *Model {
	t.Helper()
	m := c.Case.Model(t)
	for i, row := range c.Seen {
		for k, seen := range row {
			if !seen {
				m.Y.Set(i, k, math.NaN())
			}
		}
	}
	if c.Errors != nil {
		m.Errors = Matrix(t, c.Errors)
	}
	return m
}

// Hide returns which values of a random model are missing: a share of them, and, where there are several, an
// example and a point. It does not hide everything.
func (m *Model) Hide(missing func(example, point, channel int) bool) {
	points := m.Space.Len()
	whole := m.Y.Clone()
	seen := 0
	for i := range m.Y.Rows {
		for c := range m.Y.Cols {
			if missing(i/points, i%points, c) {
				m.Y.Set(i, c, math.NaN())
			} else {
				seen++
			}
		}
	}
	if seen == 0 {
		mat.Copy(m.Y.Slice(0, 1, 0, m.Y.Cols), whole.Slice(0, 1, 0, m.Y.Cols))
	}
}

// Weight returns ω of a value of the data: β where it was observed, less with a known error, else 0.
func (m *Model) Weight(row, channel int) float64 {
	if v := m.Y.At(row, channel); v != v {
		return 0
	}
	if m.Errors.Rows == 0 {
		return m.Params.Noise.Beta
	}
	e := m.Errors.At(row, channel)
	return 1 / (1/m.Params.Noise.Beta + float64(e*e))
}

// A Holed is what the best q(U_c) = N(Kα, K·T·diag(w)·Tᵀ·K) of channel c is for data with holes, computed by definition
// with matrices over all pairs of a latent and a spatial inducing point.
type Holed struct {
	Alpha, W   []float64
	Covariance Rows    // T·diag(w)·Tᵀ
	Bound      float64 // what the channel adds to the bound, without KL
}

// Holed returns it for the columns of t. The values of d.Y do not count.
func (d *Dense) Holed(m *Model, c int, t mat.Matrix) Holed {
	p, ns, ms := d.P, len(d.Points), len(d.Spots)
	size := len(d.Kuu)
	psi2, right := NewRows(size, size), make([]float64, size)
	var h Holed
	var trace float64
	for e := range p.X.Mu.Rows {
		mu, s, at := p.X.Mu.Row(e), p.X.S.Row(e), d.ExampleTime(e)
		for i := range ns {
			w := m.Weight(e*ns+i, c)
			if w == 0 {
				continue
			}
			y := m.Y.At(e*ns+i, c)
			h.Bound += 0.5 * (math.Log(w/(2*math.Pi)) - float64(w*y*y))
			trace += w * partsOf(p.Latent).psi0(mu, s) * SpatialCovariance(p, d.Points[i], d.Points[i])
			k := make([]float64, ms)
			for u := range k {
				k[u] = SpatialCovariance(p, d.Points[i], d.Spots[u])
			}
			for u := range size {
				right[u] += w * y * d.Psi1[e*ns+i][u]
				for v := range size {
					psi2[u][v] += w * d.psi2At(at, mu, s, u/ms, v/ms) * k[u%ms] * k[v%ms]
				}
			}
		}
	}
	a := NewRows(size, size)
	for u := range a {
		for v := range a {
			a[u][v] = d.Kuu[u][v] + psi2[u][v]
		}
	}
	l := Cholesky(a)
	h.Alpha = Solve(l, right)
	h.Covariance = NewRows(size, size)
	gram, small := NewRows(t.Cols, t.Cols), NewRows(t.Cols, t.Cols) // TᵀKT, Tᵀ(K + Ψ2)T
	var logs, within float64
	for j := range t.Cols {
		column := columnOf(t, j)
		for k := range t.Cols {
			other := columnOf(t, k)
			gram[j][k], small[j][k] = Quadratic(column, d.Kuu, other), Quadratic(column, a, other)
		}
		w := 1 / small[j][j]
		h.W = append(h.W, w)
		logs -= math.Log(w)
		for u := range size {
			for v := range size {
				h.Covariance[u][v] += w * column[u] * column[v]
			}
		}
	}
	lg := Cholesky(gram)
	for i := range gram { // tr (TᵀKT)⁻¹·TᵀΨ2T
		column := make([]float64, t.Cols)
		for j := range column {
			column[j] = small[j][i] - gram[j][i]
		}
		within += Solve(lg, column)[i]
	}
	h.Bound += 0.5*Inner(right, h.Alpha) - 0.5*(trace-within) - 0.5*(logs-LogDet(lg))
	return h
}

func columnOf(t mat.Matrix, j int) []float64 {
	v := make([]float64, t.Rows)
	for i := range v {
		v[i] = t.At(i, j)
	}
	return v
}
