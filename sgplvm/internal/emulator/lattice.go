package emulator

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A lattice is count points i·(1, g, g², …)/count, shifted at random and folded in the middle of each axis [Korobov 1959, Hickernell 2002].
type lattice struct {
	count   int
	factors []uint64 // g^k modulo count, one a dimension
	shift   []float64
}

// latticeTries is from how many generators the one of the most even points is taken.
const latticeTries = 40

func newLattice(width, count int, seed uint64) *lattice {
	rng := rand.New(rand.NewPCG(seed, 0x6c6174))
	best := &lattice{}
	least := math.Inf(1)
	for range latticeTries {
		l := &lattice{count: count}
		g := 1 + rng.Uint64N(uint64(count))
		for divisor(g, uint64(count)) > 1 {
			g = 1 + rng.Uint64N(uint64(count))
		}
		f := 1 % uint64(count)
		for range width {
			l.factors = append(l.factors, f)
			f = f * g % uint64(count)
		}
		if u := l.unevenness(); u < least {
			best, least = l, u
		}
	}
	for range width {
		best.shift = append(best.shift, rng.Float64())
	}
	return best
}

func divisor(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// unevenness is the mean over the points of a product of 1 + 3·B₂, with Bernoulli's polynomial of degree 2, one a dimension: 1 for even points.
func (l *lattice) unevenness() float64 {
	sum := 0.
	for i := range l.count {
		product := 1.
		for _, f := range l.factors {
			x := float64(uint64(i)*f%uint64(l.count)) / float64(l.count)
			product *= 1.5 + 3*x*(x-1)
		}
		sum += product
	}
	return sum / float64(l.count)
}

// points returns those from a number on, n×width, inside of the unit cube.
func (l *lattice) points(from, n int) mat.Matrix {
	u := mat.New(n, len(l.factors))
	for i := range n {
		for k, f := range l.factors {
			x := float64(uint64(from+i)*f%uint64(l.count))/float64(l.count) + l.shift[k]
			u.Set(i, k, max(1e-12, min(1-1e-12, 1-math.Abs(2*(x-math.Floor(x))-1))))
		}
	}
	return u
}
