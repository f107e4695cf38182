package fuzz

import (
	"math"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
)

// shrink looks for a counterexample of the lowest order, and then for one with the simplest entries, while o.Shrink lasts.
func (l Law) shrink(x Library, f *Failure, o Options) *Failure {
	end := time.Now().Add(o.Shrink)
	limit := o.Limit
	if f.hung {
		limit = min(limit, time.Second) // what hangs is left behind, running
	}
	if f = l.lower(x, f, o, limit, end); f.hung {
		return f
	}
	return l.round(x, f, limit, end)
}

// lower draws with sizes of at most some order, first by halving the order, then with 0, 1, 2, … until the law is broken. The
// first seeds are tried at every order before more of them are, so that a fault that shows only from some order on is found
// before time is up.
func (l Law) lower(x Library, f *Failure, o Options, limit time.Duration, end time.Time) *Failure {
	free := o // of a list of orders: any up to the one that was found
	if o.Orders != nil {
		free.Orders, free.Most = nil, max(f.Order, 1)
	}
	try := func(order int, k uint64) *Failure {
		if time.Now().After(end) {
			return nil
		}
		s := free.sized(New(l.seed(o, k)))
		s.cap = order
		g, _, _ := l.run(x, s, nil, limit)
		if g != nil {
			g.First = f.First
		}
		return g
	}
	below := f.Order
	if f.hung {
		below = min(below, 4)
	}
	for least := o.Least; least < below && !f.hung; { // by halves, as if the fault showed from some order on
		order, found := (least+below)/2, false
		for k := uint64(0); k < 10 && !found; k++ {
			if g := try(order, k); g != nil && g.Order < f.Order && !g.hung {
				f, below, found = g, min(order, g.Order), true
			}
		}
		if !found {
			least = order + 1
		}
	}
	for _, draws := range []uint64{30, 300} {
		for order := o.Least; order < below; order++ {
			for k := range draws {
				if g := try(order, k); g != nil && (g.Order < f.Order || g.hung) {
					f, below = g, order
					break
				}
			}
		}
	}
	for k := uint64(0); k < 300 && !f.hung; k++ { // fewer entries of the same order
		if g := try(f.Order, k); g != nil && !g.hung && g.Order <= f.Order && g.entries() < f.entries() {
			f = g
		}
	}
	return f
}

// entries is how many numbers the operands hold.
func (f *Failure) entries() int {
	n := 0
	for _, m := range f.Operands {
		n += m.Rows * m.Cols
	}
	return n
}

// round makes entries simpler, all together and then one by one, as long as the law stays broken: rounded to few digits, to
// integers, to small integers, 0. Entries that mirror each other in a symmetric operand change together, and zeros, NaN and
// infinities stay.
func (l Law) round(x Library, f *Failure, limit time.Duration, end time.Time) *Failure {
	changed := func(change func(which, i, j int, v float64) float64) bool {
		if time.Now().After(end) {
			return false
		}
		candidate, same := f.matrices(), true
		for which, m := range candidate {
			candidate[which] = fill(m.Rows, m.Cols, func(i, j int) float64 {
				v := m.At(i, j)
				if v-v != 0 {
					return v
				}
				w := change(which, i, j, v)
				same = same && w == v
				return w
			})
		}
		if same {
			return false
		}
		g, _, _ := l.run(x, f.source(), candidate, limit)
		if g == nil || g.hung || len(g.Operands) != len(candidate) {
			return false
		}
		for i, m := range candidate { // the law may have taken something else
			if SameBits(g.Operands[i].Matrix, m) != nil {
				return false
			}
		}
		g.First, g.Bytes = f.First, f.Bytes
		f = g
		return true
	}
	norms := values(len(f.Operands), func(which int) float64 { return finiteNorm(f.Operands[which].Matrix) })
	for _, simpler := range simplifications {
		if changed(func(which, _, _ int, v float64) float64 { return simpler(v, norms[which]) }) {
			break
		}
	}
	for which, m := range f.matrices() {
		norm := finiteNorm(m)
		mirrored := m.Rows == m.Cols && SameBits(m, m.T()) == nil
		for i := range m.Rows {
			for j := range m.Cols {
				for _, simpler := range simplifications {
					v := f.Operands[which].At(i, j)
					w := simpler(v, norm)
					if w == v || changed(func(k, p, q int, v float64) float64 {
						if k == which && (p == i && q == j || mirrored && p == j && q == i) {
							return w
						}
						return v
					}) {
						break
					}
				}
			}
		}
	}
	return f
}

// simplifications are tried in turn, the simplest first; norm is the operand's largest entry.
var simplifications = []func(v, norm float64) float64{
	func(float64, float64) float64 { return 0 },
	func(v, _ float64) float64 { return sign(v) },
	func(v, norm float64) float64 { return toward(v, norm, 4) },
	func(v, norm float64) float64 { return toward(v, norm, 100) },
	func(v, _ float64) float64 { return math.Round(v) },
	func(v, norm float64) float64 { return math.Round(v/norm*1e4) / 1e4 * norm },
}

func sign(v float64) float64 {
	if v == 0 || v != v {
		return v
	}
	return math.Copysign(1, v)
}

// toward returns an integer of at most most in size where norm is above it.
func toward(v, norm, most float64) float64 {
	if norm > most {
		v = v / norm * most
	}
	return math.Round(v)
}

// finiteNorm is the largest finite entry, in size, or 1.
func finiteNorm(m mat.Matrix) float64 {
	var norm float64
	for i := range m.Rows {
		for j := range m.Cols {
			if v := math.Abs(m.At(i, j)); v < math.Inf(1) {
				norm = max(norm, v)
			}
		}
	}
	if norm == 0 {
		return 1
	}
	return norm
}
