package gonum

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// ours is what Kronfield has of the operations whose residuals are compared.
func ours() fuzz.Library {
	factor := func(a mat.Matrix) *chol.Factor {
		f, err := chol.Factorize(a)
		if err != nil {
			return nil
		}
		return f
	}
	return fuzz.Library{
		Cholesky: fuzz.TellsNoPivot(func(a mat.Matrix) (mat.Matrix, bool) {
			if f := factor(a); f != nil {
				return f.L(), true
			}
			return mat.Matrix{}, false
		}),
		SolveSPD: func(a, b mat.Matrix) (mat.Matrix, error) {
			x := b.Clone()
			if f := factor(a); f != nil {
				f.Solve(x)
				return x, nil
			}
			return x, errRefused
		},
		InverseSPD: func(a mat.Matrix) (mat.Matrix, error) {
			y := mat.New(a.Rows, a.Rows)
			if f := factor(a); f != nil {
				f.Inverse(y)
				return y, nil
			}
			return y, errRefused
		},
		Eig: func(a mat.Matrix) ([]float64, mat.Matrix, error) {
			sp, err := eig.Sym(a)
			return sp.Values, sp.Vectors, err
		},
	}
}

// columns are the residuals that a table shows, with LAPACK's gates.
var columns = []struct {
	name     string
	gate     float64
	wants    fuzz.Properties
	both     bool // Kronfield has the decomposition too
	residual func(x fuzz.Library, c fuzz.Case) float64
}{
	{"Cholesky", 10, fuzz.Definite, true, func(x fuzz.Library, c fuzz.Case) float64 {
		l, failed := x.Cholesky(c.A)
		if failed != c.A.Rows {
			return math.Inf(1)
		}
		return fuzz.CholResidual(c.A, l)
	}},
	{"solve", 30, fuzz.Definite, true, func(x fuzz.Library, c fuzz.Case) float64 {
		b := fuzz.Normal(fuzz.New(1), c.A.Rows, 2)
		y, err := x.SolveSPD(c.A, b)
		return orInf(err, func() float64 { return fuzz.SolveResidual(c.A, y, b) / float64(c.A.Rows) })
	}},
	{"inverse", 30, fuzz.Definite, true, func(x fuzz.Library, c fuzz.Case) float64 {
		y, err := x.InverseSPD(c.A)
		return orInf(err, func() float64 { return fuzz.InverseResidual(c.A, y) })
	}},
	{"eigen", 10, fuzz.Symmetric | fuzz.Finite, true, func(x fuzz.Library, c fuzz.Case) float64 {
		w, v, err := x.Eig(c.A)
		return orInf(err, func() float64 { return max(fuzz.EigResidual(c.A, w, v), fuzz.Orthogonality(v)) })
	}},
	{"eigenvalues", 1, fuzz.KnownSpectrum, true, func(x fuzz.Library, c fuzz.Case) float64 {
		w, _, err := x.Eig(c.A)
		n := float64(c.A.Rows)
		return orInf(err, func() float64 { return fuzz.EigenvalueError(c, w) * n / max(n, 10) })
	}},
	{"LU", 10, fuzz.Square | fuzz.Finite, false, func(x fuzz.Library, c fuzz.Case) float64 {
		p, l, u, err := x.LU(c.A)
		return orInf(err, func() float64 {
			rows := mat.New(c.A.Rows, c.A.Cols)
			for i, k := range p {
				mat.Copy(rows.Slice(i, i+1, 0, rows.Cols), c.A.Slice(k, k+1, 0, rows.Cols))
			}
			return fuzz.ProductResidual(rows, l, u) / max(1, mat.NormMax(u)/max(mat.NormMax(c.A), 0x1p-1022))
		})
	}},
	{"QR", 10, fuzz.Finite, false, func(x fuzz.Library, c fuzz.Case) float64 {
		if c.A.Rows < c.A.Cols {
			return math.NaN()
		}
		q, r, err := x.QR(c.A)
		return orInf(err, func() float64 { return max(fuzz.ProductResidual(c.A, q, r), fuzz.Orthogonality(q)) })
	}},
	{"SVD", 10, fuzz.Finite, false, func(x fuzz.Library, c fuzz.Case) float64 {
		u, s, v, err := x.SVD(c.A)
		return orInf(err, func() float64 {
			middle := mat.New(len(s), len(s))
			mat.Copy(middle.Diag(), mat.Vector(s))
			return max(fuzz.ProductResidual(c.A, u, middle, v.T()), fuzz.Orthogonality(u), fuzz.Orthogonality(v))
		})
	}},
}

func orInf(err error, residual func() float64) float64 {
	if err != nil {
		return math.Inf(1)
	}
	return residual()
}

// orders are those of which the worst residual is shown.
var orders = []int{1, 2, 3, 4, 8, 9, 10, 16, 24, 36, 64, 100}

// Every residual of Kronfield is within LAPACK's gates; the table shows them
// beside Gonum's.
func TestResiduals(t *testing.T) {
	libraries := []fuzz.Library{ours(), Library()}
	short := []string{"", " (Gonum)"}
	head := "| group | family |"
	for _, c := range columns {
		for k := range libraries {
			if c.both || k == 1 {
				head += " " + c.name + short[k] + " |"
			}
		}
	}
	var table strings.Builder
	table.WriteString(head + "\n|" + strings.Repeat("---|", strings.Count(head, "|")-1) + "\n")
	groups, worstOf := []string{}, map[string][]float64{}
	for _, f := range fuzz.Collection() {
		var row []float64
		for _, column := range columns {
			for k, x := range libraries {
				if !column.both && k == 0 {
					continue
				}
				worst := worst(f, column.wants, func(c fuzz.Case) float64 { return column.residual(x, c) })
				row = append(row, worst)
				if k == 0 && worst > column.gate {
					t.Errorf("%s: %s: residual %.3g, gate %g", f.Name, column.name, worst, column.gate)
				}
			}
		}
		if !slices.Contains(groups, f.Group) {
			groups = append(groups, f.Group)
		}
		worstOf[f.Group] = over(worstOf[f.Group], row)
		fmt.Fprintf(&table, "| %s | %s |%s\n", f.Group, f.Name, numbers(row))
	}
	for _, g := range groups {
		fmt.Fprintf(&table, "| %s | **all** |%s\n", g, numbers(worstOf[g]))
		t.Logf("%-14s %s", g, numbers(worstOf[g]))
	}
	if *update {
		text := "# Worst residuals of each family\n\nKronfield and Gonum v0.17.0 on the families of package fuzz of orders " + strings.Trim(fmt.Sprint(orders), "[]") +
			", in LAPACK's units (n·ε; of eigenvalues max(n, 10)·ε·‖A‖₂); gates are 10, 30 for solve and inverse, 1 for eigenvalues.\nAn empty place: no matrix of the family is of the kind; ∞: refused. " +
			"`go test -run TestResiduals -update` in this folder writes this page.\n\n" + table.String()
		if err := os.WriteFile("RESIDUALS.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// worst returns the largest residual over the family's matrices of the kind, or
// NaN if there are none.
func worst(f fuzz.Family, wants fuzz.Properties, residual func(c fuzz.Case) float64) float64 {
	worst := math.NaN()
	for _, n := range orders {
		if f.Takes != nil && !f.Takes(n) {
			continue
		}
		c := f.Make(fuzz.New(uint64(n)), n)
		if p := c.Properties(); !p.Has(wants) || p.Any(fuzz.Subnormal) {
			continue
		}
		if r := residual(c); r > worst || worst != worst {
			worst = r
		}
	}
	return worst
}

// over returns the larger of each two numbers, NaN where both are.
func over(a, b []float64) []float64 {
	if a == nil {
		return slices.Clone(b)
	}
	for i, v := range b {
		if v > a[i] || a[i] != a[i] {
			a[i] = v
		}
	}
	return a
}

func numbers(row []float64) string {
	var b strings.Builder
	for _, v := range row {
		switch {
		case v != v:
			b.WriteString("  |")
		case math.IsInf(v, 1):
			b.WriteString(" ∞ |")
		default:
			fmt.Fprintf(&b, " %.2g |", v)
		}
	}
	return b.String()
}
