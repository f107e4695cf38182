package predict

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A rowPairs lists the pairs of rows of one Φ that points a and b have, either order one pair.
type rowPairs struct {
	rows          []int // of a or b, ascending
	ofA, ofB      []int // number among them of each point's row
	first, second []int // numbers of each pair
	place         []int // of the pair of two numbers, row by row; −1: none has it
}

// rowPairs lists those of points with the given rows, out of n.
func (r *room) rowPairs(n int, a, b []int) rowPairs {
	const isA, isB = 1, 2
	in, number := r.noughts(n), r.noughts(n)
	for _, k := range a {
		in[k] |= isA
	}
	for _, k := range b {
		in[k] |= isB
	}
	p := rowPairs{rows: r.list(n), ofA: r.noughts(len(a)), ofB: r.noughts(len(b))}
	for k, where := range in {
		if where != 0 {
			number[k] = len(p.rows)
			p.rows = append(p.rows, k)
		}
	}
	for i, k := range a {
		p.ofA[i] = number[k]
	}
	for i, k := range b {
		p.ofB[i] = number[k]
	}
	count := len(p.rows)
	p.first, p.second, p.place = r.list(count*(count+1)/2), r.list(count*(count+1)/2), r.noughts(count*count)
	for i, k := range p.rows {
		for j, l := range p.rows[:i+1] {
			place := -1
			if in[k]&isA != 0 && in[l]&isB != 0 || in[k]&isB != 0 && in[l]&isA != 0 {
				place = len(p.first)
				p.first, p.second = append(p.first, i), append(p.second, j)
			}
			p.place[i*count+j], p.place[j*count+i] = place, place
		}
	}
	return p
}

// featureNumbers bounds the size of one block of features. Tests lower it.
var featureNumbers = 1 << 21

// explained returns Σ_p terms_pr·φ_ip·φ_jp for each pair, with phi's row for each of the rows, pairs×terms.
func (p *rowPairs) explained(r *room, phi, terms mat.Matrix) mat.Matrix {
	sums, step := r.matrix(len(p.first), terms.Cols), max(1, featureNumbers/phi.Cols)
	for from := 0; from < len(p.first); from += step {
		to := min(from+step, len(p.first))
		lent := r.mark()
		products := r.matrix(to-from, phi.Cols)
		for k := range products.Rows {
			row, second := products.Row(k), phi.Row(p.second[from+k])
			for q, v := range phi.Row(p.first[from+k]) {
				row[q] = v * second[q]
			}
		}
		mat.Mul(sums.Slice(from, to, 0, sums.Cols), 1, products, terms, 0)
		r.release(lent)
	}
	return sums
}

// subtractByPairs is subtractExplained on grids of several factors. With the terms of h, rows A of the first factor's Φ and B of the product of the others'
//
//	Φ_a·diag(h)·Φ_bᵀ = Σ_r (A_a·diag(first_r)·A_bᵀ)∘(B_a·diag(second_r)·B_bᵀ)
//
// so that an element is the product of two short vectors, which belong to the pairs of rows that its points have.
func (on *projection) subtractByPairs(r *room, cov mat.Matrix, h termSum, a, b []int) {
	lent := r.mark()
	defer r.release(lent)
	others := on.grid.Len() / on.dims[0]
	divided := [2]int{on.dims[0], others}
	ofA, ofB := r.split(a, divided[:]), r.split(b, divided[:])
	one, two := r.rowPairs(on.dims[0], ofA[0], ofB[0]), r.rowPairs(others, ofA[1], ofB[1])
	first := one.explained(r, r.gather(on.features().phi.Factors[0], one.rows), h.first)
	second := two.explained(r, on.otherFeatures(r, two.rows), h.second)
	same := work.SameList(a, b)
	for i := range cov.Rows {
		row := cov.Row(i)
		if same {
			row = row[:i+1]
		}
		placesOne, placesTwo := one.place[one.ofA[i]*len(one.rows):], two.place[two.ofA[i]*len(two.rows):]
		for j := range row {
			row[j] -= asm.Dot(first.Row(placesOne[one.ofB[j]]), second.Row(placesTwo[two.ofB[j]]))
		}
	}
	if same {
		mat.MirrorLower(cov)
	}
}

// otherFeatures returns rows of the Kronecker product of all Φ but the first factor's.
func (on *projection) otherFeatures(r *room, rows []int) mat.Matrix {
	factors, dims := on.features().phi.Factors[1:], on.dims[1:]
	if len(factors) == 1 {
		return r.gather(factors[0], rows)
	}
	columns := 1
	for _, phi := range factors {
		columns *= phi.Cols
	}
	features, index := r.matrix(len(rows), columns), r.split(rows, dims)
	for i := range rows {
		row := append(features.Row(i)[:0], 1)
		for f, phi := range factors {
			row = timesEach(row, phi.Row(index[f][i]))
		}
	}
	return features
}

// timesEach returns the Kronecker product of two rows in the place of the first.
func timesEach(row, by []float64) []float64 {
	n := len(row)
	row = row[:n*len(by)]
	for i := n - 1; i >= 0; i-- {
		v := row[i]
		for j, x := range by {
			row[i*len(by)+j] = v * x
		}
	}
	return row
}
