package kernel

import (
	"math"
	"sync"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Matrix sets dst[i,j] = k(x_i, y_j) for the rows of x (n×d) and y (m×d); dst is n×m and
// shares nothing with them. Where x and y are one view, half of the work is saved.
func (k Kernel) Matrix(dst, x, y mat.Matrix) {
	const op = "Matrix"
	checkPoints(op, "result", dst, x, y)
	if mat.Overlap(dst, x) || mat.Overlap(dst, y) {
		panic("kernel: Matrix: the result overlaps the points")
	}
	f := fillings.Get().(*filling)
	f.kernel, f.dst, f.x, f.symmetric = k, dst, x, sameView(x, y)
	f.space.set(op, &f.kernel, x, y)
	mat.Run(f.space.blocks, f)
	if f.symmetric {
		mat.MirrorLower(dst)
	}
	f.space.giveBack()
	*f = filling{}
	fillings.Put(f)
}

// A filling is a kernel's matrix in the making.
type filling struct {
	space     space
	kernel    Kernel
	dst, x    mat.Matrix
	symmetric bool // only the lower triangle is made
}

var fillings = sync.Pool{New: func() any { return new(filling) }}

// Do makes a block of rows.
func (f *filling) Do(b int) {
	s := &f.space
	room := mat.Borrow(s.yt.Rows * s.yt.Cols)
	i0, i1 := blockRange(b, s.blocks, f.x.Rows)
	for i := i0; i < i1; i++ {
		row := f.dst.Row(i)
		if f.symmetric {
			row = row[:i+1]
		}
		s.values(row, f.x.Row(i), &s.root, *room)
	}
	mat.GiveBack(room)
}

func checkPoints(op, what string, m, x, y mat.Matrix) {
	if x.Cols != y.Cols {
		panic(text.Sprintf("kernel: %s: points %d×%d and %d×%d of different dimensions", op, x.Rows, x.Cols, y.Rows, y.Cols))
	}
	if m.Rows != x.Rows || m.Cols != y.Rows {
		panic(text.Sprintf("kernel: %s: %s %d×%d for points %d×%d and %d×%d", op, what, m.Rows, m.Cols, x.Rows, x.Cols, y.Rows, y.Cols))
	}
}

// space is a kernel with points y by coordinates, so that all loops are along points.
type space struct {
	op     string
	blocks int        // blocks of rows of x
	yt     mat.Matrix // yᵀ, d×m
	ones   []float64  // m
	root   node
	slots  int       // sums that the gradient needs
	free   []float64 // of buffer
	buffer *[]float64
}

// node is a kernel in a tree of sums and products.
type node struct {
	kernel   *Kernel
	variance float64 // that of the kernel at the root, 1 in its terms
	terms    []node  // of sums and products
	slot     int     // where its sums begin

	function Function // of the others
	scaled   bool
	inv      []float64 // 1/ℓ_q² for each dimension
}

func newSpace(op string, k Kernel, x, y mat.Matrix) *space {
	s := new(space)
	s.set(op, &k, x, y)
	return s
}

func (s *space) set(op string, k *Kernel, x, y mat.Matrix) {
	d := x.Cols
	*s = space{op: op, blocks: max(1, min(rowBlocks, x.Rows, x.Rows*y.Rows*d/blockWork))}
	s.buffer = mat.Borrow((d+1)*y.Rows + d*k.leaves())
	s.yt, s.free = mat.NewDense(d, y.Rows, (*s.buffer)[:d*y.Rows]), (*s.buffer)[d*y.Rows:]
	s.ones, s.free = s.free[:y.Rows], s.free[y.Rows:]
	mat.Vector(s.ones).Fill(1)
	mat.Copy(s.yt, y.T())
	s.root = s.node(k, k.Variance)
}

func (s *space) giveBack() { mat.GiveBack(s.buffer) }

// leaves counts the kernels that are no sums or products.
func (k *Kernel) leaves() int {
	if k.Kind != Sum && k.Kind != Product {
		return 1
	}
	count := 0
	for i := range k.Terms {
		count += k.Terms[i].leaves()
	}
	return count
}

func (s *space) node(k *Kernel, variance float64) node {
	n := node{kernel: k, variance: variance, slot: s.slots}
	if k.Kind == Sum || k.Kind == Product {
		k.checkTerms(s.op)
		s.slots += len(k.Weights)
		n.terms = make([]node, len(k.Terms))
		for i := range n.terms {
			n.terms[i] = s.node(&k.Terms[i], 1)
		}
		return n
	}
	d, r := s.yt.Rows, k.simple(s.op)
	n.function, n.scaled = r.function, r.scaled
	n.inv, s.free = s.free[:d], s.free[d:]
	if count := len(k.LengthScale); r.scaled && count != 1 && count != d || k.Kind == Periodic && d != 1 {
		panic(text.Sprintf("kernel: %s: %s kernel with %d length scales for points of %d dimensions", s.op, k.Kind, count, d))
	}
	k.inverseSquares(n.inv, r.scaled)
	s.slots += max(d, 2) // a periodic kernel has two sums
	return n
}

// inverseSquares sets w_q to 1/ℓ_q² for each dimension, a positive number also where ℓ_q² has no inverse, so that no point and no
// distance makes 0·∞ of it.
func (k *Kernel) inverseSquares(w []float64, scaled bool) {
	for q := range w {
		w[q] = 1
		if scaled {
			l := k.LengthScale[min(q, len(k.LengthScale)-1)]
			w[q] = min(max(1/(l*l), math.SmallestNonzeroFloat64), math.MaxFloat64)
		}
	}
}

// values sets dst[j] = k(x, y_j) for j < len(dst), in room for d numbers for each.
func (s *space) values(dst, x []float64, n *node, room []float64) {
	if n.terms == nil {
		room = room[:len(x)*len(dst)]
		s.moved(room, x, len(dst))
		s.squaredDistances(dst, room, x, room, n)
		n.function.Values(dst, n.variance)
		return
	}
	n.kernel.combine(s.op, dst, func(i int, v []float64) { s.values(v, x, &n.terms[i], room) })
	if n.variance != 1 {
		asm.Scale(dst, n.variance, dst)
	}
}

// moved sets row q of diff, which has count numbers, to y_jq − x_q.
func (s *space) moved(diff, x []float64, count int) {
	for q, at := range x {
		asm.AddScaled(diff[q*count:(q+1)*count], s.yt.Row(q), -at, s.ones)
	}
}

// squaredDistances sets r2[j] = Σ_q (x_q − y_jq)²·inv_q for j < len(r2), at most farthest, and squares to
// the squares of diff, which moved has set.
func (s *space) squaredDistances(r2, diff, x, squares []float64, n *node) {
	if n.kernel.Kind == Periodic {
		differences(r2, x[0], s.yt.Row(0))
		n.kernel.squares(r2, r2)
		return
	}
	clear(r2)
	asm.MulTo(squares, diff, diff)
	asm.AxpyRows(n.inv, squares, len(r2), r2)
	for j, v := range r2 {
		r2[j] = min(v, farthest)
	}
}

// sameView reports whether a and b are one view of the same numbers.
func sameView(a, b mat.Matrix) bool {
	return len(a.Data) > 0 && len(b.Data) > 0 && &a.Data[0] == &b.Data[0] &&
		a.Rows == b.Rows && a.Cols == b.Cols && a.RowStride == b.RowStride && a.ColStride == b.ColStride
}
