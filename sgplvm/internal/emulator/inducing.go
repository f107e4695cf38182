package emulator

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Up to exactRuns runs are conditioned on exactly, more by as many inducing inputs, which are inputs of runs: products of runs and of inducing inputs are summed over inducingBlock
// runs at a time. maxRuns limits runs: their coordinates are in memory and in the file.
var exactRuns = 2000

const inducingBlock, maxRuns = 2048, 100_000

// inducing returns the rows of x that predictions are conditioned on.
func inducing(x mat.Matrix) mat.Matrix {
	if x.Rows <= exactRuns {
		return x
	}
	return rows(x, sample(x.Rows, exactRuns, 0))
}

// induced returns the modes of p that share a kernel, conditioned on all rows of x by the inducing inputs z: K is taken as Kxz·Kzz⁻¹·Kzx
// [Quiñonero-Candela and Rasmussen 2005, DTC]. With L·Lᵀ = Kzz, A = L⁻¹·Kzx and A·Aᵀ = W·Λ·Wᵀ the group has U = L⁻ᵀ·W·Λ^½, and B = Λ^(−½)·Wᵀ·A·P.
func induced(k *Kernel, modes []int, x, z, p mat.Matrix) (group, error) {
	m, n := z.Rows, x.Rows
	g := group{kernel: k, modes: modes, a: make([]float64, p.Cols), r: make([]float64, p.Cols), u: mat.New(m, m), alpha: mat.New(m, p.Cols)}
	kzz, gram, b := mat.New(m, m), mat.New(m, m), mat.New(m, p.Cols)
	k.values(kzz, z, z, mat.Matrix{}, mat.Matrix{})
	factor, _, err := chol.FactorizeJitter(kzz, nil)
	if err != nil {
		return g, err
	}
	rest := make([]float64, p.Cols)
	for from := 0; from < n; from += inducingBlock {
		to := min(n, from+inducingBlock)
		a, of := mat.New(m, to-from), p.Slice(from, to, 0, p.Cols)
		k.values(a, z, x.Slice(from, to, 0, x.Cols), mat.Matrix{}, mat.Matrix{})
		factor.SolveHalf(a)
		mat.Syrk(gram, 1, a, 1)
		mat.Mul(b, 1, a, of, 1)
		for i := range of.Rows {
			for j, v := range of.Row(i) {
				rest[j] += float64(v * v)
			}
		}
	}
	mat.MirrorLower(gram)
	spectrum, err := eig.Sym(gram)
	if err != nil {
		return g, err
	}
	g.lambda = spectrum.Values
	roots, h := make([]float64, m), mat.New(m, p.Cols)
	mat.Mul(h, 1, spectrum.Vectors.T(), b, 0)
	for i, l := range g.lambda {
		if g.lambda[i] = max(0, l); l > negligible*g.lambda[m-1] {
			roots[i] = math.Sqrt(l)
			asm.Scale(h.Row(i), 1/roots[i], h.Row(i))
		} else {
			clear(h.Row(i))
		}
		for j, v := range h.Row(i) {
			rest[j] -= float64(v * v)
		}
	}
	profile(g.a, g.r, g.lambda, h, n-m, rest)
	mat.ScaleCols(g.u, spectrum.Vectors, roots)
	factor.SolveHalfT(g.u)
	for i, l := range g.lambda {
		for j, r := range g.r {
			h.Row(i)[j] /= l + r
		}
	}
	mat.Mul(g.alpha, 1, g.u, h, 0)
	return g, nil
}

// fitMany is Fit of more than exactRuns runs: that many choose and fit everything, and predictions are conditioned on all. Runs that are not complete are among those
// or left out.
func fitMany(ctx context.Context, d Data, o Options) (*Model, error) {
	n := d.Outputs.Examples
	if n > maxRuns {
		return nil, &field.ConfigError{Field: "Data", Err: fmt.Errorf("%d runs, expected at most %d", n, maxRuns)}
	}
	complete, holed, err := d.complete()
	if err != nil {
		return nil, err
	}
	some := gather(complete, sample(len(complete), exactRuns, o.Seed))
	left := len(holed)
	if lack := min(exactRuns-len(some), left); lack > 0 {
		some, left = append(some, holed[:lack]...), left-lack
		slices.Sort(some)
	}
	first, err := d.of(some)
	if err != nil {
		return nil, err
	}
	m, err := Fit(ctx, first, o)
	if err != nil {
		return nil, err
	}
	further := slices.DeleteFunc(complete, func(i int) bool { _, is := slices.BinarySearch(some, i); return is })
	if len(further) > 0 {
		rest := data.Scaled{Source: field.Subset{Examples: d.Outputs.Source, Numbers: further}}
		columns, fields := d.some(further)
		x, _, err := m.Coordinates(columns, fields, len(further))
		if err != nil {
			return nil, err
		}
		if m, err = m.With(x, rest.Source); err != nil {
			return nil, err
		}
	}
	m.Notes = append(m.Notes, fmt.Sprintf("%d of %d runs chose the kernel and the components; predictions know %d, by %d inducing inputs", len(some), n, m.X.Rows, min(m.X.Rows, exactRuns)))
	if left > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d of %d runs, which lack inputs or outputs, are left out", left, n))
	}
	return m, nil
}

// complete returns the runs of which all inputs are known exactly and all outputs were observed, and the others.
func (d *Data) complete() (list, others []int, err error) {
	return list, others, d.Outputs.EachRows(func(rows mat.Matrix, from int) error {
		for i := range rows.Rows {
			exact := !slices.ContainsFunc(rows.Row(i), func(v float64) bool { return v != v })
			for q := range d.Columns {
				exact = exact && d.Columns[q].exact(from+i)
			}
			if exact {
				list = append(list, from+i)
			} else {
				others = append(others, from+i)
			}
		}
		return nil
	})
}

// some returns the inputs of some runs.
func (d *Data) some(runs []int) (columns []Column, fields field.Source) {
	for q := range d.Columns {
		columns = append(columns, d.Columns[q].Of(runs))
	}
	if d.Fields != nil {
		fields = field.Subset{Examples: d.Fields.Source, Numbers: runs}
	}
	return columns, fields
}

// of returns some runs.
func (d *Data) of(runs []int) (some Data, err error) {
	columns, fields := d.some(runs)
	if some.Columns = columns; fields != nil {
		if some.Fields, err = data.NewScaled(fields); err != nil {
			return some, err
		}
	}
	some.Outputs, err = data.NewScaled(field.Subset{Examples: d.Outputs.Source, Numbers: runs})
	return some, err
}
