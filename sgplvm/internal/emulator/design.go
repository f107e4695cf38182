package emulator

import (
	"context"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A Design chooses runs one after the other, by how much variance each takes away from outputs at reference inputs (Cohn 1996).
type Design struct {
	references int
	first      int // of the points, that is a candidate
	parts      []*designPart
	taken      []bool  // of the candidates
	start      float64 // the summed variance before any further run
}

// A designPart is the posterior covariances of one coordinate between points, references first, and candidates.
type designPart struct {
	c      mat.Matrix // points×candidates
	left   []float64  // variances at the references
	weight float64    // of its variance in outputs
	noise  float64
}

// Coordinates are used in the order of their variance at the references, until they have designShare of it, or there are maxParts of them:
// each keeps a matrix.
const designShare, maxParts = 0.99, 40

// MaxCandidates limits candidates: 40 matrices of 500 + 2000 rows and 2000 columns have 1.6 GB.
const MaxCandidates = 2000

// NewDesign returns the design of a model for references, rows of ξ, and candidates; no candidates: the references are.
func (m *Model) NewDesign(references, candidates mat.Matrix) *Design {
	points := references
	d := &Design{references: references.Rows}
	if candidates.Rows > 0 {
		d.first = references.Rows
		points = mat.New(references.Rows+candidates.Rows, references.Cols)
		mat.Copy(points.Slice(0, d.first, 0, points.Cols), references)
		mat.Copy(points.Slice(d.first, points.Rows, 0, points.Cols), candidates)
	}
	type source struct {
		mode     int
		variance float64
	}
	var list []source
	total := 0.
	_, variances := m.process.Predict(references)
	for _, g := range m.process.groups {
		for i, j := range g.modes {
			sum := 0.
			for run := range variances.Rows {
				sum += m.Deviations[j] * m.Deviations[j] * (variances.At(run, j) - g.a[i]*g.r[i])
			}
			list = append(list, source{j, sum})
			total += sum
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].variance > list[j].variance })
	sum, kept := 0., 0
	for kept < min(len(list), maxParts) && sum < designShare*total {
		sum += list[kept].variance
		kept++
	}
	d.parts = make([]*designPart, kept)
	mat.Parallel(kept, func(k int) {
		s := list[k]
		t := slices.IndexFunc(m.process.groups, func(g group) bool { return slices.Contains(g.modes, s.mode) })
		g := &m.process.groups[t]
		d.parts[k] = g.part(m.process.x, points, d.first, d.references, slices.Index(g.modes, s.mode), m.Deviations[s.mode]*m.Deviations[s.mode])
	})
	d.start, d.taken = d.variance(), make([]bool, points.Rows-d.first)
	return d
}

// part returns the covariances of a mode.
func (g *group) part(runs, points mat.Matrix, first, references, mode int, weight float64) *designPart {
	candidates := points.Slice(first, points.Rows, 0, points.Cols)
	p := &designPart{c: mat.New(points.Rows, candidates.Rows), weight: weight, noise: g.a[mode] * g.r[mode]}
	k, ku := mat.New(points.Rows, runs.Rows), mat.New(points.Rows, runs.Rows)
	g.kernel.values(k, points, runs, mat.Matrix{}, mat.Matrix{})
	mat.Mul(ku, 1, k, g.u, 0)
	g.kernel.values(p.c, points, candidates, mat.Matrix{}, mat.Matrix{})
	inverse := make([]float64, runs.Rows)
	for t, l := range g.lambda {
		inverse[t] = 1 / (l + g.r[mode])
	}
	a := g.a[mode]
	mat.Mul(p.c, -a, weighted(ku, inverse), ku.Slice(first, ku.Rows, 0, ku.Cols).T(), a)
	p.left = g.kernel.diagonal(points.Slice(0, references, 0, points.Cols))
	for i := range p.left {
		for t, v := range ku.Row(i) {
			p.left[i] -= v * v * inverse[t]
		}
		p.left[i] *= a
	}
	return p
}

// variance returns what is left at the references.
func (d *Design) variance() float64 {
	sum := 0.
	for _, p := range d.parts {
		for _, v := range p.left {
			sum += p.weight * max(0, v)
		}
	}
	return sum
}

// Next chooses a candidate that it has not chosen yet, by its number, and returns the share of the variance that is left once it has been run. Errors: those of ctx.
func (d *Design) Next(ctx context.Context) (best int, left float64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	gains := mat.New(len(d.parts), d.parts[0].c.Cols)
	mat.Parallel(len(d.parts), func(k int) {
		p, row := d.parts[k], gains.Row(k)
		square := make([]float64, len(row))
		for i := range d.references {
			asm.MulTo(square, p.c.Row(i), p.c.Row(i))
			asm.Axpy(p.weight, square, row)
		}
		for c := range row {
			row[c] /= max(0, p.c.At(d.first+c, c)) + max(p.noise, tiny)
		}
	})
	sums := make([]float64, gains.Cols)
	for k := range gains.Rows {
		asm.Axpy(1, gains.Row(k), sums)
	}
	best = slices.Index(d.taken, false)
	for c, v := range sums {
		if v > sums[best] && !d.taken[c] {
			best = c
		}
	}
	d.taken[best] = true
	mat.Parallel(len(d.parts), func(k int) { d.parts[k].run(d.first+best, best) })
	return best, d.variance() / max(d.start, tiny), nil
}

// run takes away what a run at a candidate tells.
func (p *designPart) run(point, candidate int) {
	row := slices.Clone(p.c.Row(point))
	variance := max(0, row[candidate]) + max(p.noise, tiny)
	for i := range p.c.Rows {
		v := p.c.At(i, candidate)
		if i < len(p.left) {
			p.left[i] -= v * v / variance
		}
		asm.Axpy(-v/variance, row, p.c.Row(i))
	}
}

// Spread returns n rows of ξ that are even over a prior.
func (p *Prior) Spread(n int, seed uint64) mat.Matrix {
	return p.Draw(newLattice(p.Width(), n, seed).points(0, n))
}
