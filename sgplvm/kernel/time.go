package kernel

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Instant is a time in a sequence.
type Instant struct {
	Sequence int
	Time     float64
}

// Values sets dst[i] = k(delta[i]), of unit variance, for differences in time. The two have
// one length and do not overlap.
func (k Kernel) Values(dst, delta []float64) {
	if len(dst) != len(delta) {
		panic(text.Sprintf("kernel: Values: %d values for %d differences", len(dst), len(delta)))
	}
	if mat.Overlap(mat.Vector(dst), mat.Vector(delta)) {
		panic("kernel: Values: the result overlaps the differences")
	}
	k.values(dst, delta)
}

func (k *Kernel) values(dst, delta []float64) {
	if k.Kind == Sum || k.Kind == Product {
		k.combine("Values", dst, func(i int, v []float64) { k.Terms[i].values(v, delta) })
		return
	}
	f := k.inTime("Values").function
	k.squares(dst, delta)
	f.Values(dst, 1)
}

// inTime is simple for a kernel in time.
func (k *Kernel) inTime(op string) *row {
	r := k.simple(op)
	if len(k.LengthScale) != 1 {
		panic(text.Sprintf("kernel: %s: %s kernel with %d length scales, expected 1 in time", op, k.Kind, len(k.LengthScale)))
	}
	return r
}

// AddValuesGradient adds Σ_i g[i]·∂k(delta[i])/∂θ to grad for each parameter θ but the
// variance. grad has the form of k.
func (k Kernel) AddValuesGradient(grad *Kernel, g, delta []float64) {
	if len(g) != len(delta) {
		panic(text.Sprintf("kernel: AddValuesGradient: %d derivatives for %d differences", len(g), len(delta)))
	}
	k.addValuesGradient(grad, g, delta)
}

func (k *Kernel) addValuesGradient(grad *Kernel, g, delta []float64) {
	const op = "AddValuesGradient"
	if k.Kind == Sum || k.Kind == Product {
		k.distribute(op, grad.Weights, g,
			func(i int, v []float64) { k.Terms[i].values(v, delta) },
			func(i int, g []float64) { k.Terms[i].addValuesGradient(&grad.Terms[i], g, delta) })
		return
	}
	f, l := k.inTime(op).function, k.LengthScale[0]
	n := len(delta)
	buffer := mat.Borrow(2 * n)
	a, b := (*buffer)[:n], (*buffer)[n:]
	k.squares(a, delta)
	copy(b, a)
	f.Slopes(b, 1)
	asm.MulTo(b, b, g) // −g·k′(r)/r
	grad.LengthScale[0] += asm.Dot(a, b) / l
	if k.Kind == Periodic {
		grad.Period += 2 * k.periodSum(b, delta) / (k.Period * l * l)
	}
	mat.GiveBack(buffer)
}

// TimeMatrix sets dst[i,j] = k(s_i − t_j), of unit variance; dst is len(s)×len(t).
func (k Kernel) TimeMatrix(dst mat.Matrix, s, t []float64) {
	if dst.Rows != len(s) || dst.Cols != len(t) {
		panic(text.Sprintf("kernel: TimeMatrix: %d×%d matrix for %d and %d times", dst.Rows, dst.Cols, len(s), len(t)))
	}
	blocks := min(rowBlocks, len(s))
	mat.Parallel(blocks, func(b int) {
		buffer := mat.Borrow(len(t))
		from, to := blockRange(b, blocks, len(s))
		for i := from; i < to; i++ {
			differences(*buffer, s[i], t)
			k.values(dst.Row(i), *buffer)
		}
		mat.GiveBack(buffer)
	})
}

// AddTimeMatrixGradient chains a symmetric g = ∂L/∂K, n×n, of which it reads the lower
// triangle, into the parameters, added to grad, where K[i,j] = k(t_i − t_j). grad has the
// form of k.
func (k Kernel) AddTimeMatrixGradient(grad *Kernel, g mat.Matrix, t []float64) {
	if g.Rows != len(t) || g.Cols != len(t) {
		panic(text.Sprintf("kernel: AddTimeMatrixGradient: %d×%d derivatives for %d times", g.Rows, g.Cols, len(t)))
	}
	buffer := mat.Borrow(2 * len(t))
	delta, twice := (*buffer)[:len(t)], (*buffer)[len(t):]
	for i := range t {
		differences(delta[:i+1], t[i], t)
		asm.Scale(twice[:i], 2, g.Row(i)[:i])
		twice[i] = g.At(i, i)
		k.addValuesGradient(grad, twice[:i+1], delta[:i+1])
	}
	mat.GiveBack(buffer)
}

// differences sets dst[j] = s − t[j].
func differences(dst []float64, s float64, t []float64) {
	for j := range dst {
		dst[j] = s - t[j]
	}
}
