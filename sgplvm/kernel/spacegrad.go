package kernel

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// tally collects the gradient of a block of rows.
type tally struct {
	sums      []float64 // of each node: see collect
	moves     []float64 // ∂L/∂yᵀ, d×m; empty if not asked for
	slope, r2 []float64 // m numbers each, for a row of a leaf
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
		func(i int, v []float64) { s.values(v, x, &n.terms[i]) },
		func(i int, g []float64) { s.addRow(t, g, x, &n.terms[i]) })
	mat.GiveBack(scaled)
}

// addLeaf is addRow for a function of the distance. Its sums are Σ g·slope·(x_q−y_q)² for
// each dimension.
func (s *space) addLeaf(t *tally, g, x []float64, n *node) {
	if !n.scaled {
		return
	}
	s.squaredDistances(t.r2, x, n)
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
	for q, at := range x {
		yq := s.yt.Row(q)
		var total float64
		if len(t.moves) == 0 {
			for j, v := range yq {
				delta := at - v
				total += slope[j] * delta * delta
			}
		} else {
			move, inv := t.moves[q*len(yq):], n.inv[q]
			for j, v := range yq {
				delta := at - v
				wd := slope[j] * delta
				total += wd * delta
				move[j] += wd * inv
			}
		}
		sums[q] += total
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
			l := k.LengthScale[min(q, last)]
			grad.LengthScale[min(q, last)] += s / (l * l * l)
		}
	}
}
