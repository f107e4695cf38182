package motion

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// The inter-frame flow. The lattice of the motion is coarse, so that it can be estimated over the whole film;
// what it leaves is followed from frame to frame. From frame a to frame b the contents at r move by g(r),
// bilinear between the nodes of a finer lattice, in widths, which minimises
//
//	Σ ρ(y_b(φ_b(r + g/2)) − y_a(φ_a(r − g/2))) + λ·‖∇g‖²
//
// with the robust ρ of doc.go, a mean over pixels, and the mean of the squared gradient. Steps are linearised
// as those of the motion are; their normal equations are solved by conjugate gradients, each pair of frames
// by itself.

// Of an inter-frame flow: its nodes across, the smoothness λ, steps on each level and in each of these
// of conjugate gradients, until the remainder has fallen by flowPrecision.
const (
	flowNodes      = 33
	flowSmoothness = 0.1
	flowSteps      = 3
	flowSolves     = 60
	flowPrecision  = 0.02
)

// estimateFlow estimates the flow between all frames and the next, and, if frames will be left out, around each of them from the one
// before to the one after it, by which it is then predicted. Errors: ctx.Err().
func (m *Motion) estimateFlow(ctx context.Context, frames *pyramids, around bool) error {
	type job struct {
		flow     *[]float64
		s        Sequence
		from, to int
	}
	m.FlowLattice = frames.latticeAcross(flowNodes)
	var jobs []job
	for i := range m.Sequences {
		s := &m.Sequences[i]
		n := len(s.Examples)
		s.Next, s.Over = make([][]float64, n), make([][]float64, n)
		for p := range n {
			if p+1 < n {
				jobs = append(jobs, job{&s.Next[p], *s, p, p + 1})
			}
			if around && p > 0 && p+1 < n {
				jobs = append(jobs, job{&s.Over[p], *s, p - 1, p + 1})
			}
		}
	}
	mat.Parallel(len(jobs), func(j int) {
		if ctx.Err() == nil {
			*jobs[j].flow = m.flowBetween(frames, jobs[j].s, jobs[j].from, jobs[j].to)
		}
	})
	return ctx.Err()
}

// flowBetween returns the flow from frame a to frame b of a sequence.
func (m *Motion) flowBetween(frames *pyramids, s Sequence, a, b int) []float64 {
	l := m.FlowLattice
	g := make([]float64, l.size())
	smooth := flowSmoothness * float64(l.Across-1) / float64(l.Down-1)
	cells := make([]cell, (l.Across-1)*(l.Down-1))
	for level := len(frames.levels) - 1; level >= frames.estimated; level-- {
		first, second := frames.levels[level][s.Examples[a]], frames.levels[level][s.Examples[b]]
		w, h := first.Width, first.Height
		pair := newPairing(l, w, h)
		from, to := frame.NewImage[float32](w, h, first.Channels), frame.NewImage[float32](w, h, first.Channels)
		d, flow := newDisplacement(m.Lattice, w, h), newDisplacement(l, w, h)
		for range flowSteps {
			resampleAlong(from, first, d.of(s.Displacements.Row(a)), flow.of(g), -0.5)
			resampleAlong(to, second, d.of(s.Displacements.Row(b)), flow.of(g), 0.5)
			pair.sum(cells, from, to)
			step := l.flowStep(cells, g, smooth)
			var most float64
			limit := 1 / float64(w)
			for i, v := range step {
				most = max(most, math.Abs(v))
				g[i] += max(-limit, min(limit, v))
			}
			if most < limit/50 {
				break
			}
		}
	}
	return g
}

// flowStep returns the Gauss-Newton step of a flow at g: the solution of (H + λL)·x = −r − λL·g, where H
// and r are the sums in the cells and L is the lattice's Laplacian, by conjugate gradients
// preconditioned with the 2×2 blocks of the nodes (Golub and Van Loan, section 11.5).
func (l Lattice) flowStep(cells []cell, g []float64, smooth float64) []float64 {
	size := l.size()
	prior := block{0, smooth}
	remainder := make([]float64, size) // of the right-hand side, less what x explains
	l.multiply(remainder, g, prior)
	diagonal := l.nodeBlocks(cells, remainder, smooth)
	for i := range remainder {
		remainder[i] = -remainder[i]
	}
	x, z, direction, product := make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, size)
	solveBlocks(z, diagonal, remainder)
	copy(direction, z)
	rz := frame.Dot(remainder, z)
	for first, k := rz, 0; k < flowSolves && rz > flowPrecision*flowPrecision*first; k++ {
		clear(product)
		l.multiply(product, direction, prior)
		l.multiplyCells(product, cells, direction)
		a := rz / frame.Dot(direction, product)
		for i := range x {
			x[i] += a * direction[i]
			remainder[i] -= a * product[i]
		}
		solveBlocks(z, diagonal, remainder)
		next := frame.Dot(remainder, z)
		for i := range direction {
			direction[i] = z[i] + next/rz*direction[i]
		}
		rz = next
	}
	return x
}

// nodeBlocks returns the diagonal blocks of H + λL, xx, xy and yy of each node, and adds the cells' r.
func (l Lattice) nodeBlocks(cells []cell, r []float64, smooth float64) [][3]float64 {
	n := l.nodes()
	diagonal := make([][3]float64, n)
	l.corners(func(c int, corner [4]int) {
		for p, node := range corner {
			r[node] += cells[c].xt[p]
			r[n+node] += cells[c].yt[p]
			d := &diagonal[node]
			d[0] += cells[c].xx[p][p]
			d[1] += cells[c].xy[p][p]
			d[2] += cells[c].yy[p][p]
		}
	})
	l.edges(func(p, q int) {
		for _, i := range [2]int{p, q} {
			diagonal[i][0] += smooth
			diagonal[i][2] += smooth
		}
	})
	return diagonal
}

// solveBlocks sets dst to the solution of the block-diagonal system.
func solveBlocks(dst []float64, diagonal [][3]float64, right []float64) {
	n := len(diagonal)
	for i, d := range diagonal {
		det := d[0]*d[2] - d[1]*d[1]
		dst[i], dst[n+i] = (d[2]*right[i]-d[1]*right[n+i])/det, (d[0]*right[n+i]-d[1]*right[i])/det
	}
}

// multiplyCells adds H·x to dst.
func (l Lattice) multiplyCells(dst []float64, cells []cell, x []float64) {
	n := l.nodes()
	l.corners(func(c int, corner [4]int) {
		for p, to := range corner {
			for q, from := range corner {
				u, v := x[from], x[n+from]
				dst[to] += cells[c].xx[p][q]*u + cells[c].xy[p][q]*v
				dst[n+to] += cells[c].xy[p][q]*u + cells[c].yy[p][q]*v
			}
		}
	})
}
