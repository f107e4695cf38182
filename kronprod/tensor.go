package kronprod

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Tensor is a dense array of any number of modes. Data holds its entries with
// the last index fastest; their number is the product of Dims.
type Tensor struct {
	Dims []int
	Data []float64
}

// NewTensor returns a tensor of zeros with the given dimensions.
func NewTensor(dims ...int) Tensor {
	n, ok := size(dims)
	if !ok || n > math.MaxInt/8 {
		panic(fmt.Sprintf("kronprod: NewTensor: no tensor %v", dims))
	}
	return Tensor{Dims: slices.Clone(dims), Data: make([]float64, n)}
}

// Shaped returns the leading numbers of data as a tensor with the given
// dimensions; it shares data, which must be long enough.
func Shaped(data []float64, dims ...int) Tensor {
	n, ok := size(dims)
	if !ok || len(data) < n {
		panic(fmt.Sprintf("kronprod: Shaped: %d numbers for a tensor %v", len(data), dims))
	}
	return Tensor{Dims: slices.Clone(dims), Data: data[:n]}
}

// size returns the product of the dimensions, and false if one is negative or an int
// cannot count them, empty ones left aside.
func size(dims []int) (n int, ok bool) {
	n = 1
	empty := false
	for _, d := range dims {
		switch {
		case d < 0 || d > 0 && n > math.MaxInt/d:
			return 0, false
		case d == 0:
			empty = true
		default:
			n *= d
		}
	}
	if empty {
		return 0, true
	}
	return n, true
}

// product is size for dimensions that were checked, or some of them.
func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// split returns how many joint indices stand before the mode, the mode's own
// length, and how many joint indices stand after it.
func (t Tensor) split(mode int) (before, n, after int) {
	return product(t.Dims[:mode]), t.Dims[mode], product(t.Dims[mode+1:])
}

func (t Tensor) check(op string, mode int) {
	if n, ok := size(t.Dims); !ok || len(t.Data) != n || mode < 0 || mode >= len(t.Dims) {
		panic(fmt.Sprintf("kronprod: %s: mode %d of a tensor %v with %d entries", op, mode, t.Dims, len(t.Data)))
	}
}

// An unfolding is a tensor seen as a few matrices whose columns are the fibres
// along one mode: one n×after view for every joint index before the mode, or
// one n×before view for every joint index after it, whichever are fewer.
type unfolding struct {
	data             []float64
	before, n, after int
	byBefore         bool
	count            int // number of views
}

func (t Tensor) unfold(mode int) unfolding {
	b, n, a := t.split(mode)
	u := unfolding{data: t.Data, before: b, n: n, after: a, byBefore: b <= a, count: min(a, b)}
	if n == 0 || a == 0 || b == 0 {
		u.count = 0
	}
	return u
}

// view returns matrix p, of n rows.
func (u unfolding) view(p int) mat.Matrix {
	if u.byBefore {
		return mat.Matrix{Rows: u.n, Cols: u.after, RowStride: u.after, ColStride: 1, Data: u.data[p*u.n*u.after : (p+1)*u.n*u.after]}
	}
	return mat.Matrix{Rows: u.n, Cols: u.before, RowStride: u.after, ColStride: u.n * u.after, Data: u.data[p:]}
}

// weights splits per-mode weights into those of the view p as a whole and those
// of its columns; nil stands for ones.
func (u unfolding) weights(before, after []float64, p int) (whole float64, columns []float64) {
	single, columns := before, after
	if !u.byBefore {
		single, columns = after, before
	}
	if single == nil {
		return 1, columns
	}
	return single[p], columns
}

// MulMode multiplies one mode of x by a: with i and j in that mode's place,
//
//	dst[…, i, …] = Σ_j a[i,j]·x[…, j, …]
//
// dst has x's dimensions but for the mode, where it has a's number of rows. dst
// must not share storage with x.
func MulMode(dst Tensor, a mat.Matrix, x Tensor, mode int) {
	x.check("MulMode", mode)
	dst.check("MulMode", mode)
	ok := len(dst.Dims) == len(x.Dims) && a.Rows == dst.Dims[mode] && a.Cols == x.Dims[mode]
	for i := range x.Dims {
		ok = ok && (i == mode || dst.Dims[i] == x.Dims[i])
	}
	if !ok {
		panic(fmt.Sprintf("kronprod: MulMode: dst %v, a %d×%d, x %v do not fit along mode %d", dst.Dims, a.Rows, a.Cols, x.Dims, mode))
	}
	if shared(dst.Data, x) || mat.Overlap(mat.Vector(dst.Data), a) {
		panic(fmt.Sprintf("kronprod: MulMode: dst %v overlaps a %d×%d or x %v", dst.Dims, a.Rows, a.Cols, x.Dims))
	}
	u, v := x.unfold(mode), dst.unfold(mode)
	if u.count == 0 || v.count == 0 {
		clear(dst.Data)
		return
	}
	m := modeProducts.Take()
	*m = modeProduct{v, u, a}
	mat.Run(u.count, m)
	*m = modeProduct{}
	modeProducts.Give(m)
}

// A modeProduct multiplies the views of one unfolding into those of another.
type modeProduct struct {
	to, from unfolding
	a        mat.Matrix
}

var modeProducts mat.Pool[modeProduct]

// Do multiplies one view.
func (m *modeProduct) Do(p int) { mat.Mul(m.to.view(p), 1, m.a, m.from.view(p), 0) }

// Gram sets dst = X·diag(w)·Xᵀ, where X is the unfolding of x along a mode (its
// rows are that mode's indices, its columns the joint indices of all others)
// and w the product of the other modes' weights: weights[g], of length
// x.Dims[g] and without negative numbers, belongs to mode g; nil stands for ones. dst is
// square and becomes symmetric; it must not overlap x.
//
// Blocks of columns of X, each column times the root of its weight, are gathered from
// wherever they lie and multiplied with their own transpose: half the work of a product.
func Gram(dst mat.Matrix, x Tensor, mode int, weights [][]float64) {
	x.check("Gram", mode)
	if dst.Rows != x.Dims[mode] || dst.Cols != x.Dims[mode] {
		panic(fmt.Sprintf("kronprod: Gram: dst %d×%d, x %v do not fit along mode %d", dst.Rows, dst.Cols, x.Dims, mode))
	}
	mat.CheckDestination("kronprod: Gram", "dst", dst)
	if mat.Overlap(dst, mat.Vector(x.Data)) {
		panic(fmt.Sprintf("kronprod: Gram: dst %d×%d overlaps x %v", dst.Rows, dst.Cols, x.Dims))
	}
	g := gatherings.Take()
	defer g.release()
	g.before, g.after = jointWeights("Gram", x.Dims, mode, weights)
	roots(g.before)
	roots(g.after)
	var b int
	b, g.n, g.a = x.split(mode)
	g.data = x.Data
	if len(x.Data) == 0 {
		dst.Fill(0)
		return
	}
	if b == 1 && g.before == nil && g.after == nil {
		mat.Syrk(dst, 1, mat.NewDense(g.n, g.a, x.Data), 0)
		mat.MirrorLower(dst)
		return
	}
	columns := b * g.a
	buffer := mat.Borrow(g.n * min(gramColumns, columns))
	for g.from = 0; g.from < columns; g.from = g.to {
		g.to = min(g.from+gramColumns, columns)
		g.block = mat.NewDense(g.n, g.to-g.from, (*buffer)[:g.n*(g.to-g.from)])
		mat.Run((g.n+gatherRows-1)/gatherRows, g)
		beta := 1.0
		if g.from == 0 {
			beta = 0
		}
		mat.Syrk(dst, 1, g.block, beta)
	}
	mat.GiveBack(buffer)
	mat.MirrorLower(dst)
}

const (
	gramColumns = 640 // of a block
	gatherRows  = 16  // of a block are gathered at a time
)

// A gathering copies columns from ≤ c < to of an unfolding, n fibres of b·a numbers,
// into a block.
type gathering struct {
	data          []float64
	n, a          int
	before, after []float64 // roots of the weights, or nil
	from, to      int
	block         mat.Matrix
}

var gatherings mat.Pool[gathering]

// release gives g to the next call, without the tensor.
func (g *gathering) release() {
	*g = gathering{}
	gatherings.Give(g)
}

// Do gathers some rows.
func (g *gathering) Do(part int) {
	i0, i1 := part*gatherRows, min((part+1)*gatherRows, g.n)
	for c := g.from; c < g.to; {
		l, t := c/g.a, c%g.a
		n := min(g.a-t, g.to-c)
		src := mat.NewDense(g.n, g.a, g.data[l*g.n*g.a:(l+1)*g.n*g.a]).Slice(i0, i1, t, t+n)
		dst := g.block.Slice(i0, i1, c-g.from, c-g.from+n)
		whole := 1.0
		if g.before != nil {
			whole = g.before[l]
		}
		if g.after != nil {
			mat.ScaleCols(dst, src, g.after[t:t+n])
			src = dst
		}
		if g.after == nil || g.before != nil {
			mat.Scale(dst, whole, src)
		}
		c += n
	}
}

// roots replaces weights by their square roots.
func roots(v []float64) {
	for i, w := range v {
		if w < 0 {
			panic(fmt.Sprintf("kronprod: Gram: weight %v, expected no negative one", w))
		}
		v[i] = math.Sqrt(w)
	}
}

// columnBlock is how many columns of an unfolding are weighted at a time.
const columnBlock = 2048

// Cross sets dst = X·diag(w)·Yᵀ for the unfoldings of x and y along a mode; see
// Gram, but weights may be negative. x and y agree in all other modes. dst must not
// overlap them.
func Cross(dst mat.Matrix, x, y Tensor, mode int, weights [][]float64) {
	x.check("Cross", mode)
	y.check("Cross", mode)
	ok := len(x.Dims) == len(y.Dims) && dst.Rows == x.Dims[mode] && dst.Cols == y.Dims[mode]
	for i := range min(len(x.Dims), len(y.Dims)) {
		ok = ok && (i == mode || x.Dims[i] == y.Dims[i])
	}
	if !ok {
		panic(fmt.Sprintf("kronprod: Cross: dst %d×%d, x %v, y %v do not fit along mode %d", dst.Rows, dst.Cols, x.Dims, y.Dims, mode))
	}
	mat.CheckDestination("kronprod: Cross", "dst", dst)
	if mat.Overlap(dst, mat.Vector(x.Data)) || mat.Overlap(dst, mat.Vector(y.Data)) {
		panic(fmt.Sprintf("kronprod: Cross: dst %d×%d overlaps x %v or y %v", dst.Rows, dst.Cols, x.Dims, y.Dims))
	}
	before, after := jointWeights("Cross", x.Dims, mode, weights)
	u, v := x.unfold(mode), y.unfold(mode)
	if u.count == 0 || v.count == 0 {
		dst.Fill(0)
		return
	}
	beta := 0.0
	for p := range u.count {
		whole, columns := u.weights(before, after, p)
		a, b := u.view(p), v.view(p)
		if columns == nil {
			mat.Mul(dst, whole, a, b.T(), beta)
			beta = 1
			continue
		}
		scaled := mat.Borrow(a.Rows * min(columnBlock, a.Cols))
		for c0 := 0; c0 < a.Cols; c0 += columnBlock {
			c1 := min(c0+columnBlock, a.Cols)
			s := mat.NewDense(a.Rows, c1-c0, (*scaled)[:a.Rows*(c1-c0)])
			mat.ScaleCols(s, a.Slice(0, a.Rows, c0, c1), columns[c0:c1])
			mat.Mul(dst, whole, s, b.Slice(0, b.Rows, c0, c1).T(), beta)
			beta = 1
		}
		mat.GiveBack(scaled)
	}
}

// jointWeights returns the products of the weights of the modes before and of
// those after a mode, nil where all are ones.
func jointWeights(op string, dims []int, mode int, weights [][]float64) (before, after []float64) {
	if weights == nil {
		return nil, nil
	}
	if len(weights) != len(dims) {
		panic(fmt.Sprintf("kronprod: %s: weights for %d modes of a tensor %v", op, len(weights), dims))
	}
	join := func(from, to int) []float64 {
		if !slices.ContainsFunc(weights[from:to], func(w []float64) bool { return w != nil }) {
			return nil
		}
		vectors := make([][]float64, 0, to-from)
		for g := from; g < to; g++ {
			w := weights[g]
			if w == nil {
				w = slices.Repeat([]float64{1}, dims[g])
			}
			if len(w) != dims[g] {
				panic(fmt.Sprintf("kronprod: %s: %d weights for mode %d of a tensor %v", op, len(w), g, dims))
			}
			vectors = append(vectors, w)
		}
		return Vectors(vectors...)
	}
	return join(0, mode), join(mode+1, len(dims))
}

// Vectors returns the Kronecker product of vectors: entry (j₁, j₂, …) of it is
// v₁[j₁]·v₂[j₂]·…, the last index fastest. Of no vectors it is [1].
func Vectors(v ...[]float64) []float64 {
	joint := []float64{1}
	for _, w := range v {
		next := make([]float64, 0, len(joint)*len(w))
		for _, a := range joint {
			for _, b := range w {
				next = append(next, a*b)
			}
		}
		joint = next
	}
	return joint
}

// Marginal sets dst[i] = Σ_j w[j]·x[i,j], where i is the index of one mode, j
// the joint index of all others and w the product of their weights; see Gram. dst must
// not overlap x.
func Marginal(dst []float64, x Tensor, mode int, weights [][]float64) {
	x.check("Marginal", mode)
	if len(dst) != x.Dims[mode] {
		panic(fmt.Sprintf("kronprod: Marginal: dst of length %d for mode %d of a tensor %v", len(dst), mode, x.Dims))
	}
	if shared(dst, x) {
		panic(fmt.Sprintf("kronprod: Marginal: dst of length %d overlaps x %v", len(dst), x.Dims))
	}
	before, after := jointWeights("Marginal", x.Dims, mode, weights)
	b, n, a := x.split(mode)
	clear(dst)
	for l := range b {
		whole := 1.0
		if before != nil {
			whole = before[l]
		}
		for i := range n {
			row := x.Data[(l*n+i)*a : (l*n+i+1)*a]
			var s float64
			if after == nil {
				for _, v := range row {
					s += v
				}
			} else {
				for j, v := range row {
					s += float64(v * after[j])
				}
			}
			dst[i] += float64(whole * s)
		}
	}
}

// shared reports whether dst shares numbers with x.
func shared(dst []float64, x Tensor) bool { return mat.Overlap(mat.Vector(dst), mat.Vector(x.Data)) }

func grow(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
