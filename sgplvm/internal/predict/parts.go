package predict

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// partNumbers is about how many numbers a projection has at most, 512 MiB: a grid that would
// take more is projected some points at a time. Tests lower it.
var partNumbers = 1 << 26

// eachPart calls body with the projection on a grid (nil: the training grid), part after part in the
// order of the points; first is the number of the part's first point. The whole is one part where
// it is small, and is kept for the next call.
func (q *Posterior) eachPart(g field.Grid, body func(on *projection, first int)) {
	if g == nil || g.Equal(q.grid) {
		body(q.training(), 0)
		return
	}
	perRow := q.numbersPerRow(g.Len() / g[0].Rows)
	if g[0].Rows <= rowsTogether(perRow) {
		body(q.projection(g), 0)
		return
	}
	training := q.learnedAt(g)
	eachCut(g, perRow, func(part field.Grid, first, from, to int) {
		if training != nil { // of a single factor
			body(q.project(part, training[from:to]), first)
		} else {
			body(q.project(part, nil), first)
		}
	})
}

// eachCut cuts a grid along its first factor into parts that take at most partNumbers, given what an
// index of the first factor takes. A part has the indices from ≤ i < to, and its first point has the
// number first.
func eachCut(g field.Grid, perRow int, body func(part field.Grid, first, from, to int)) {
	rows, width := g[0].Rows, g.Len()/g[0].Rows
	step := rowsTogether(perRow)
	for from := 0; from < rows; from += step {
		to := min(from+step, rows)
		part := append(field.Grid{g[0].Slice(from, to, 0, g[0].Cols)}, g[1:]...)
		body(part, from*width, from, to)
	}
}

// rowsTogether returns how many indices of the first factor a part has, given what one takes.
func rowsTogether(perRow int) int { return max(1, partNumbers/perRow) }

// numbersPerRow returns what a projection takes for each index of the first factor: kernel values,
// Φ, their squares, and P twice while it is made.
func (q *Posterior) numbersPerRow(width int) int {
	return 3*q.factors[1].Size() + 2*q.factors[0].Size()*q.channels()*width
}

// maxTogether bounds the points of which all covariances are formed at once, 2 GiB for a matrix of
// so many rows.
const maxTogether = 1 << 14

// put copies the rows of a part into those of the whole from first on.
func put(whole, part mat.Matrix, first int) {
	mat.Copy(whole.Slice(first, first+part.Rows, 0, part.Cols), part)
}
