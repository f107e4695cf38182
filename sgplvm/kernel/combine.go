package kernel

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// The work on a kernel matrix is cut into blocks of rows of about blockWork
// multiplications, but no more than rowBlocks, whatever the number of processors. Tests
// lower blockWork.
const rowBlocks = 32

var blockWork = 1 << 15

// blockRange returns where block b of count nearly equal blocks of n begins and ends.
func blockRange(b, count, n int) (from, to int) { return b * n / count, (b + 1) * n / count }

// Sums and products are formed in one way, in space and in time, for a slice of values.

// combine sets dst to the sum or product of the terms' values, which value(i, v) puts in v.
func (k *Kernel) combine(op string, dst []float64, value func(i int, v []float64)) {
	k.checkTerms(op)
	buffer := mat.Borrow(len(dst))
	value(0, dst)
	if k.Kind == Sum {
		asm.Scale(dst, k.Weights[0], dst)
	}
	for i := 1; i < len(k.Terms); i++ {
		value(i, *buffer)
		if k.Kind == Sum {
			asm.Axpy(k.Weights[i], *buffer, dst)
		} else {
			asm.MulTo(dst, dst, *buffer)
		}
	}
	mat.GiveBack(buffer)
}

// distribute chains g, the derivatives in the values of a sum or product, into the weights'
// derivatives, added to weights, and those in the values of each term, given to term.
func (k *Kernel) distribute(op string, weights, g []float64, value func(i int, v []float64), term func(i int, g []float64)) {
	k.checkTerms(op)
	n := len(g)
	buffer := mat.Borrow(2 * n)
	a, b := (*buffer)[:n], (*buffer)[n:]
	for i := range k.Terms {
		if k.Kind == Sum {
			value(i, a)
			weights[i] += asm.Dot(g, a)
			asm.Scale(a, k.Weights[i], g)
		} else {
			copy(a, g)
			for j := range k.Terms {
				if j != i {
					value(j, b)
					asm.MulTo(a, a, b)
				}
			}
		}
		term(i, a)
	}
	mat.GiveBack(buffer)
}

// checkTerms panics if a sum or product is not complete.
func (k *Kernel) checkTerms(op string) {
	if len(k.Terms) == 0 || k.Kind == Sum && len(k.Weights) != len(k.Terms) {
		panic(text.Sprintf("kernel: %s: %s kernel of %d terms and %d weights", op, k.Kind, len(k.Terms), len(k.Weights)))
	}
}
