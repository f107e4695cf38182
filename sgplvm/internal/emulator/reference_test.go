package emulator

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

//go:embed testdata/reference.json
var referenceFile []byte

// A reference is a case of testdata/reference.py, which says what its keys are.
type reference struct {
	Form                       string
	Share                      float64
	Scales, Parts, Linear, New []float64
	X, P                       [][]float64 // P has a list for each column
	Expected                   struct {
		A, B, Mean, Variance, Scales, Parts []float64
		Error, Without                      [][]float64
		Value, Share                        float64
	}
}

func references(t *testing.T) []reference {
	var list []reference
	if err := json.Unmarshal(referenceFile, &list); err != nil || len(list) != 3 {
		t.Fatalf("%d cases (%v)", len(list), err)
	}
	return list
}

// problem returns kernel, inputs and coordinates.
func (c *reference) problem(t *testing.T) (k *Kernel, x, p mat.Matrix) {
	k = &Kernel{Share: c.Share, Scales: c.Scales, Parts: c.Parts, Linear: c.Linear, Form: -1}
	for f := range Product + 1 {
		if f.String() == c.Form {
			k.Form = f
		}
	}
	x = mat.New(len(c.X), len(c.Scales))
	for i, row := range c.X {
		copy(x.Row(i), row)
	}
	p = mat.New(len(c.X), len(c.P))
	for j, column := range c.P {
		for i, v := range column {
			p.Set(i, j, v)
		}
	}
	return k, x, p
}

// near fails unless got is want, within a share of it and of 1.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*max(1, math.Abs(want))) {
		t.Errorf("%s: got %.15g, want %.15g", what, got, want)
	}
}

// Evidence, the best a and b, derivatives, predictions and what leaving out a run gives are those of a dense evaluation at 50 digits. A profiled ratio is
// found to 1e-9, where its derivative is 0; derivatives of the evidence are as near as that.
func TestReference(t *testing.T) {
	for _, c := range references(t) {
		k, x, p := c.problem(t)
		want := c.Expected
		e := newEvidence(x, k.Linear, p)
		value, g, err := e.slopes(k)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.Form+": evidence", value, want.Value, 1e-12)
		near(t, c.Form+": derivative in w", g.share, want.Share, 1e-6)
		for q := range c.Scales {
			near(t, fmt.Sprintf("%s: derivative in log l, %d", c.Form, q), g.scales[q], want.Scales[q], 1e-6)
		}
		for q := range c.Parts {
			near(t, fmt.Sprintf("%s: derivative in s, %d", c.Form, q), g.parts[q], want.Parts[q], 1e-6)
		}
		modes := make([]int, p.Cols)
		for j := range modes {
			modes[j] = j
			near(t, fmt.Sprintf("%s: a, %d", c.Form, j), e.a[j], want.A[j], 1e-6)
			near(t, fmt.Sprintf("%s: b, %d", c.Form, j), e.a[j]*e.r[j], want.B[j], 1e-6)
		}
		m, err := newProcess(x, p, []*Kernel{k}, [][]int{modes})
		if err != nil {
			t.Fatal(err)
		}
		mean, variance := m.Predict(mat.NewDense(1, len(c.New), c.New))
		errors, without := m.LeaveOneOut()
		for j := range modes {
			near(t, fmt.Sprintf("%s: mean, %d", c.Form, j), mean.At(0, j), want.Mean[j], 1e-6)
			near(t, fmt.Sprintf("%s: variance, %d", c.Form, j), variance.At(0, j), want.Variance[j], 1e-6)
			for i := range x.Rows {
				near(t, fmt.Sprintf("%s: error of run %d left out, %d", c.Form, i, j), errors.At(i, j), want.Error[j][i], 1e-6)
				near(t, fmt.Sprintf("%s: variance of run %d left out, %d", c.Form, i, j), without.At(i, j), want.Without[j][i], 1e-6)
			}
		}
	}
}

// The evidence of one mode by a Cholesky factor is that by eigenvectors, and so are its derivatives; that in log r is 0 at the best r.
func TestSingle(t *testing.T) {
	for _, c := range references(t) {
		k, x, p := c.problem(t)
		for j := range p.Cols {
			y := p.Slice(0, p.Rows, j, j+1).Clone()
			e := newEvidence(x, k.Linear, y)
			want, g, err := e.slopes(k)
			if err != nil {
				t.Fatal(err)
			}
			got, h, inRatio, err := newSingle(x, k.Linear).slopes(k, e.r[0], y.Data)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s, mode %d", c.Form, j)
			near(t, what+": evidence", got, want, 1e-9)
			near(t, what+": derivative in w", h.share, g.share, 1e-7)
			for q := range h.scales {
				near(t, what+": derivative in log l", h.scales[q], g.scales[q], 1e-7)
				near(t, what+": derivative in s", h.parts[q], g.parts[q], 1e-7)
			}
			if math.Log(e.r[0]) > minRatio+1e-6 {
				near(t, what+": derivative in log r", e.r[0]*inRatio, 0, 1e-6)
			}
		}
	}
}

// Leaving out a run by the closed form is conditioning on the others with the kernel, a and b held, to 1e-8.
func TestLeaveOneOut(t *testing.T) {
	p := worlds(40, 3, 5, 1)
	k := &Kernel{Form: Matern52, Share: 0.9, Scales: []float64{0.7, 1.3, 2}, Linear: normalised(p.x, []float64{1, 1, 1})}
	m, err := newProcess(p.x, p.p, []*Kernel{k, k}, [][]int{{0}, {1, 2, 3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	errors, variances := m.LeaveOneOut()
	ratios := append(append([]float64{}, m.groups[0].r...), m.groups[1].r...)
	scales := append(append([]float64{}, m.groups[0].a...), m.groups[1].a...)
	all := dense(k, p.x)
	for i := range p.x.Rows {
		for j := range p.p.Cols {
			mean, variance := conditioned(all, p.p, i, j, ratios[j])
			near(t, fmt.Sprintf("error of run %d, mode %d", i, j), errors.At(i, j), p.p.At(i, j)-mean, 1e-8)
			near(t, fmt.Sprintf("variance of run %d, mode %d", i, j), variances.At(i, j), scales[j]*variance, 1e-8)
		}
	}
}

// conditioned returns mean and variance over a of y_ij given the other rows, by elimination without pivots.
func conditioned(k mat.Matrix, p mat.Matrix, i, j int, r float64) (mean, variance float64) {
	n := k.Rows
	a := mat.New(n, n+1) // the others' matrix and values, and last the row of i
	var rest []int
	for s := range n {
		if s != i {
			rest = append(rest, s)
		}
	}
	rest = append(rest, i)
	for s, u := range rest {
		for q, v := range rest {
			a.Set(s, q, k.At(u, v))
		}
		a.Set(s, s, k.At(u, u)+r)
		a.Set(s, n, p.At(u, j))
	}
	a.Set(n-1, n, 0)
	for c := range n - 1 {
		for s := c + 1; s < n; s++ {
			f := a.At(s, c) / a.At(c, c)
			for q := c; q <= n; q++ {
				a.Set(s, q, a.At(s, q)-f*a.At(c, q))
			}
		}
	}
	return -a.At(n-1, n), a.At(n-1, n-1)
}

// dense returns the kernel between the rows of x, by its definition.
func dense(k *Kernel, x mat.Matrix) mat.Matrix {
	m := mat.New(x.Rows, x.Rows)
	for i := range x.Rows {
		for j := range x.Rows {
			r2, product, linear := 0., 1., 0.
			for q, l := range k.Scales {
				d := (x.At(i, q) - x.At(j, q)) / l
				r2 += d * d
				if k.Form == Product {
					product *= 1 - k.Parts[q] + k.Parts[q]*math.Exp(-d*d/2)
				}
				linear += k.Linear[q] * x.At(i, q) * x.At(j, q)
			}
			v := product
			switch r := math.Sqrt(5 * r2); k.Form {
			case RBF:
				v = math.Exp(-r2 / 2)
			case Matern52:
				v = (1 + r + r*r/3) * math.Exp(-r)
			}
			m.Set(i, j, k.Share*v+(1-k.Share)*linear)
		}
	}
	return m
}
