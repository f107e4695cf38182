package predict

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A gridLine is those of some grid points that differ in one factor only.
type gridLine struct {
	places []int // of the points in their list, ascending
	rows   []int // of the factor's Φ
}

// longest returns the factor with the most eigenvectors.
func (on *projection) longest() (f int) {
	for k, phi := range on.phi.Factors {
		if phi.Cols > on.phi.Factors[f].Cols {
			f = k
		}
	}
	return f
}

// lines divides a list of grid points by lines along a factor, and returns the features of each line, n×m: the rows of the Kronecker product
// of the other factors' Φ.
func (on *projection) lines(points []int, along int) (lines []gridLine, features mat.Matrix) {
	dims := on.grid.Dims()
	index, at := make([]int, len(dims)), map[int]int{}
	var first []int // the first point of each line
	for k, p := range points {
		data.Split(index, p, dims)
		row, others := index[along], 0
		for f, n := range dims {
			if f != along {
				others = others*n + index[f]
			}
		}
		i, known := at[others]
		if !known {
			i = len(lines)
			at[others] = i
			lines, first = append(lines, gridLine{}), append(first, p)
		}
		l := &lines[i]
		l.places, l.rows = append(l.places, k), append(l.rows, row)
	}
	columns := 1
	for f, phi := range on.phi.Factors {
		if f != along {
			columns *= phi.Cols
		}
	}
	features = mat.New(len(lines), columns)
	for i, p := range first {
		data.Split(index, p, dims)
		row := append(features.Row(i)[:0], 1)
		for f, phi := range on.phi.Factors {
			if f != along {
				row = timesEach(row, phi.Row(index[f]))
			}
		}
	}
	return lines, features
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

// alongFirst returns the elements of the diagonal h of all factors as a matrix, with a row for each eigenvector of one factor and a column for
// each of the others' product.
func (on *projection) alongFirst(h []float64, along int) mat.Matrix {
	before, after, m := 1, 1, on.phi.Factors[along].Cols
	for f, phi := range on.phi.Factors {
		if f < along {
			before *= phi.Cols
		} else if f > along {
			after *= phi.Cols
		}
	}
	w := mat.New(m, before*after)
	for i := range before {
		for p := range m {
			copy(w.Row(p)[i*after:(i+1)*after], h[(i*m+p)*after:])
		}
	}
	return w
}

// featureNumbers bounds the size of one block of features. Tests lower it.
var featureNumbers = 1 << 21

// subtractExplained subtracts Φ_a·diag(h)·Φ_bᵀ from cov, len(a)×len(b). Between the points of two lines u and v it is A_u·diag(g)·A_vᵀ, with the
// rows A of the longest factor's Φ and g_p = Σ_q h_pq·o_uq·o_vq over the features o of the lines: as many times fewer multiplications as the
// others have eigenvectors.
func (on *projection) subtractExplained(r *room, cov mat.Matrix, h []float64, a, b []int) {
	same, along := work.SameList(a, b), on.longest()
	if len(on.phi.Factors) == 1 {
		p := lend[lineProduct](r, lineKind)
		*p = lineProduct{phi: on.phi.Factors[0], from: gridLine{rows: a}, weights: mat.NewDense(1, len(h), h), symmetric: same, room: r}
		p.subtractRows(cov, b, nil)
		if same {
			mat.MirrorLower(cov)
		}
		return
	}
	la, others := on.lines(a, along)
	lb, right := la, others
	if !same {
		lb, right = on.lines(b, along)
	}
	weights := on.alongFirst(h, along)
	scaled, g := mat.New(weights.Rows, weights.Cols), mat.New(len(lb), weights.Rows)
	for i, u := range la {
		mat.ScaleCols(scaled, weights, others.Row(i))
		mat.Mul(g, 1, right, scaled.T(), 0)
		p := lineProduct{phi: on.phi.Factors[along], from: u, to: lb, weights: g}
		if same {
			p.to, p.weights, p.symmetric = lb[i:], g.Slice(i, g.Rows, 0, g.Cols), true
		}
		p.subtract(cov)
	}
	if same {
		mat.MirrorLower(cov)
	}
}

// A lineProduct is what one line explains of others.
type lineProduct struct {
	phi       mat.Matrix // of the factor along the lines
	from      gridLine
	to        []gridLine
	weights   mat.Matrix // g, a row for each line of to
	symmetric bool       // the first of to is from, and lower triangles are enough
	room      *room      // or nil
}

// subtract subtracts the product from its places in cov; of a symmetric one's those in the lower triangle.
func (p *lineProduct) subtract(cov mat.Matrix) {
	var places, rows, lines []int
	for k, l := range p.to {
		places, rows = append(places, l.places...), append(rows, l.rows...)
		for range l.rows {
			lines = append(lines, k)
		}
	}
	n, block := len(p.from.rows), cov
	apart := n < cov.Rows || len(p.to) > 1 || len(rows) < cov.Cols
	if apart {
		block = mat.New(n, len(places))
		work.Submatrix(block, cov, p.from.places, places)
	}
	p.subtractRows(block, rows, lines)
	if !apart {
		return
	}
	for i, k := range p.from.places {
		row, to := block.Row(i), cov.Row(k)
		for j, l := range places {
			switch {
			case !p.symmetric || l <= k:
				to[l] = row[j]
			case j >= n: // not in the triangle of its own line that is left out
				cov.Row(l)[k] = row[j]
			}
		}
	}
}

// subtractRows subtracts the product from a matrix of the points of from and others, which have these rows of Φ and are on these lines; nil: all on
// the first.
func (p *lineProduct) subtractRows(block mat.Matrix, rows, lines []int) {
	n := len(p.from.rows)
	step := max(1, featureNumbers/max(1, n, len(rows)))
	for j0 := 0; j0 < p.phi.Cols; j0 += step {
		columns := p.phi.Slice(0, p.phi.Rows, j0, min(j0+step, p.phi.Cols))
		left, right := p.room.gather(columns, p.from.rows), lend[weightedRows](p.room, weightedKind)
		*right = weightedRows{p.room.matrix(len(rows), columns.Cols), columns, p.weights.Slice(0, p.weights.Rows, j0, j0+columns.Cols), rows, lines}
		mat.Run(min(rowBlocks, len(rows)), right)
		own := 0
		if p.symmetric {
			own = n
			mat.MulSym(block.Slice(0, n, 0, n), -1, right.of.Slice(0, n, 0, columns.Cols), left.T(), 1)
		}
		mat.Mul(block.Slice(0, n, own, block.Cols), -1, left, right.of.Slice(own, right.of.Rows, 0, columns.Cols).T(), 1)
	}
}

// weightedRows are rows of Φ, each times the weights of its line.
type weightedRows struct {
	of, columns, weights mat.Matrix
	rows, lines          []int // nil: all on the first
}

// Do makes a block of them.
func (w *weightedRows) Do(b int) {
	from, to := work.Block(b, min(rowBlocks, len(w.rows)), len(w.rows))
	for i := from; i < to; i++ {
		line := 0
		if w.lines != nil {
			line = w.lines[i]
		}
		row, weights := w.of.Row(i), w.weights.Row(line)
		for j, x := range w.columns.Row(w.rows[i]) {
			row[j] = x * weights[j]
		}
	}
}
