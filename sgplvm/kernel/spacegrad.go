package kernel

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// AddGradient chains g = ∂L/∂K (n×m), where K[i,j] = k(x_i, y_j), into the kernel's
// parameters, variance included, which it adds to grad, and, unless dy is the zero Matrix,
// into the points y, added to dy (m×d). values is K. grad has the form of k.
func (k Kernel) AddGradient(grad *Kernel, dy, g, values, x, y mat.Matrix) {
	const op = "AddGradient"
	checkPoints(op, "derivatives", g, x, y)
	checkPoints(op, "values", values, x, y)
	if dy.Rows != 0 && (dy.Rows != y.Rows || dy.Cols != y.Cols) {
		panic(text.Sprintf("kernel: AddGradient: derivatives %d×%d in points %d×%d", dy.Rows, dy.Cols, y.Rows, y.Cols))
	}
	grad.Variance += mat.Dot(g, values) / k.Variance
	if k.Kind == White {
		return
	}
	s := newSpace(op, k, x, y)
	m := dy.Rows * x.Cols // numbers in dy
	buffer := mat.Borrow(s.blocks*(s.slots+m) + m)
	clear(*buffer)
	sums := mat.NewDense(s.blocks, s.slots, (*buffer)[:s.blocks*s.slots])
	rest := (*buffer)[s.blocks*s.slots:]
	moves, byPoints := mat.NewDense(s.blocks, m, rest[:s.blocks*m]), rest[s.blocks*m:] // ∂L/∂yᵀ of each block
	mat.Parallel(s.blocks, func(b int) {
		d, n := x.Cols, y.Rows
		rows := mat.Borrow((2*d + 2) * n)
		room := *rows
		t := tally{sums: sums.Row(b), moves: moves.Row(b), slope: room[:n], r2: room[n : 2*n],
			diff: room[2*n : (d+2)*n], scaled: room[(d+2)*n:]}
		i0, i1 := blockRange(b, s.blocks, x.Rows)
		for i := i0; i < i1; i++ {
			s.addRow(&t, g.Row(i), x.Row(i), &s.root)
		}
		mat.GiveBack(rows)
	})
	for b := range s.blocks {
		s.root.collect(grad, sums.Row(b), x.Cols)
		if m > 0 && b > 0 {
			asm.Axpy(1, moves.Row(b), moves.Row(0))
		}
	}
	if m > 0 {
		t := mat.NewDense(dy.Rows, x.Cols, byPoints)
		mat.Copy(t, mat.NewDense(x.Cols, dy.Rows, moves.Row(0)).T())
		mat.Add(dy, dy, 1, t)
	}
	mat.GiveBack(buffer)
	s.giveBack()
}

// tally collects the gradient of a block of rows.
type tally struct {
	sums      []float64 // of each node: see collect
	moves     []float64 // ∂L/∂yᵀ, d×m; empty if not asked for
	slope, r2 []float64 // m numbers each, for a row of a leaf

	diff, scaled []float64 // y − x of a leaf, and that times the slopes, d×m
}

// addRow chains g, the derivatives in k(x, y_j) for all j, into t.
func (s *space) addRow(t *tally, g, x []float64, n *node) {
	if n.terms == nil {
		s.addLeaf(t, g, x, n)
		return
	}
	scaled := mat.Borrow(len(g))
	asm.Scale(*scaled, n.variance, g)
	n.kernel.distribute(s.op, t.sums[n.slot:], *scaled,
		func(i int, v []float64) { s.values(v, x, &n.terms[i], t.diff) },
		func(i int, g []float64) { s.addRow(t, g, x, &n.terms[i]) })
	mat.GiveBack(scaled)
}

// addLeaf is addRow for a function of the distance. Its sums are Σ g·slope·(x_q−y_q)² for
// each dimension.
func (s *space) addLeaf(t *tally, g, x []float64, n *node) {
	if !n.scaled {
		return
	}
	s.moved(t.diff, x, len(g))
	s.squaredDistances(t.r2, t.diff, x, t.scaled, n)
	slope, sums := t.slope, t.sums[n.slot:]
	copy(slope, t.r2)
	n.function.Slopes(slope, n.variance)
	asm.MulTo(slope, slope, g)
	if n.kernel.Kind == Periodic {
		s.addPeriodic(t, x[0], n)
		return
	}
	if len(n.kernel.LengthScale) == 1 && len(t.moves) == 0 { // all coordinates count in one sum
		if len(n.inv) > 0 {
			sums[0] += asm.Dot(slope, t.r2) / n.inv[0]
		}
		return
	}
	m := len(slope)
	for q, inv := range n.inv {
		away, scaled := t.diff[q*m:(q+1)*m], t.scaled[q*m:(q+1)*m]
		asm.MulTo(scaled, away, slope) // first, since squares of what is far overflow where its slope is 0
		sums[q] += asm.Dot(scaled, away)
		if len(t.moves) > 0 {
			asm.Axpy(-inv, scaled, t.moves[q*m:])
		}
	}
}

// addPeriodic is addLeaf for a periodic kernel. Its sums are Σ g·slope·r² and periodSum.
func (s *space) addPeriodic(t *tally, x float64, n *node) {
	sums := t.sums[n.slot:]
	sums[0] += asm.Dot(t.slope, t.r2)
	differences(t.r2, x, s.yt.Row(0))
	sums[1] += n.kernel.periodSum(t.slope, t.r2)
	if len(t.moves) > 0 {
		n.kernel.addPeriodMoves(t.moves, t.slope, t.r2)
	}
}

// collect adds a block's sums to the gradient of a node and all below, in d dimensions.
func (n *node) collect(grad *Kernel, sums []float64, d int) {
	k, own := n.kernel, sums[n.slot:]
	switch {
	case n.terms != nil:
		for i := range k.Weights {
			grad.Weights[i] += own[i]
		}
		for i := range n.terms {
			n.terms[i].collect(&grad.Terms[i], sums, d)
		}
	case !n.scaled:
	case k.Kind == Periodic:
		l := k.LengthScale[0]
		grad.LengthScale[0] += own[0] / l
		grad.Period += 2 * own[1] / (k.Period * l * l)
	default:
		for q, s := range own[:d] {
			last := len(k.LengthScale) - 1
			if l := k.LengthScale[min(q, last)]; s != 0 { // ℓ³ may be 0
				grad.LengthScale[min(q, last)] += s / (l * l * l)
			}
		}
	}
}
