package chol

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Inverse writes A⁻¹ to the n×n matrix dst, both triangles, exactly symmetric.
// To apply A⁻¹ to a few vectors Solve is faster and more accurate.
//
// Method: U = L⁻ᵀ and then U·Uᵀ (LAPACK's POTRI), by the kernels of the
// factorisation: U is what they make of rows of the identity below L, and −U·Uᵀ
// what they then subtract from 0. 2n³/3 multiplications and additions together.
func (f *Factor) Inverse(dst mat.Matrix) {
	f.fits("chol: Inverse", dst)
	if dst.Cols != dst.Rows {
		panic(text.Sprintf("chol: Inverse: a %d×%d destination is not square", dst.Rows, dst.Cols))
	}
	if dst.ColStride != 1 {
		dst = dst.T() // as good, and better where it has contiguous rows
	}
	v := inversions.Take()
	v.dst = dst
	v.invert(f.l, 3)
	inversions.Give(v)
}

// InverseDiagonal sets dst, of n numbers, to the diagonal of A⁻¹: the reciprocals of the variances that numbers of covariance A have given all
// others. It takes half the work of Inverse.
func (f *Factor) InverseDiagonal(dst []float64) {
	f.check("InverseDiagonal")
	if len(dst) != f.l.Rows {
		panic(text.Sprintf("chol: InverseDiagonal: %d numbers for the diagonal of a %d×%d matrix", len(dst), f.l.Rows, f.l.Rows))
	}
	v := inversions.Take()
	v.diag = dst
	v.invert(f.l, 2)
	inversions.Give(v)
}

// byRows reports whether the diagonal of an inverse of order n takes a block row of U at a time.
func byRows(n int) bool { return n <= max(blocking.serial, blocking.diagonal) }

// InverseDiagonalRoom returns about how many numbers [Factor.InverseDiagonal] of order n borrows for a while: the panels of L, and
// those of U or a block row of them.
func InverseDiagonalRoom(n int) int {
	triangle := n * (n + 1) / 2
	if byRows(n) {
		return triangle + min(n, max(blocking.least, n/8))*n
	}
	return 2 * triangle
}

// inversion is an inverse under way. U is kept in panels of w rows like L, but
// from the diagonal to the right: panel g has columns from g·w on.
type inversion struct {
	panels
	u     []float64
	base  int // where u begins: 0, or the block row at hand
	dst   mat.Matrix
	diag  []float64 // nil: all of A⁻¹ is wanted
	phase int       // 0: panels of L; 1: U, and the diagonal; 2: U·Uᵀ
}

// inversions are those not in use, without their buffers: a Factor is not changed by
// its inversion, so the workspace is not part of it.
var inversions mat.Pool[inversion]

func (v *inversion) invert(l mat.Matrix, phases int) {
	v.prepare(v.dst, l, 0)
	v.grow()
	// The diagonal takes a block row of U at a time.
	serial := l.Rows <= blocking.serial || v.diag != nil && byRows(l.Rows)
	size := v.begin(v.count)
	if serial && v.diag != nil {
		_, g1 := v.rows(0)
		size = v.begin(min(g1, v.count))
	}
	buffer := mat.Borrow(size)
	v.u = *buffer
	for v.phase = range phases {
		tasks := v.blocks
		if v.phase == 2 {
			tasks = v.blocks * (v.blocks + 1) / 2
		}
		if !serial {
			mat.Run(tasks, v)
			continue
		}
		for i := range tasks {
			if v.phase == 1 && v.diag != nil {
				g0, _ := v.rows(i)
				v.base = v.begin(g0)
			}
			v.Do(i)
		}
	}
	mat.GiveBack(buffer)
	v.shrink()
	v.u, v.base = nil, 0
	v.dst, v.l, v.a, v.diag = mat.Matrix{}, mat.Matrix{}, mat.Matrix{}, nil
}

// row returns panel g of U from column k on, k ≥ g·w.
func (v *inversion) row(g, k int) []float64 {
	return v.u[v.begin(g)-v.base+(k-g*v.w)*v.w : v.begin(g+1)-v.base]
}

// begin returns where panel g of U begins.
func (v *inversion) begin(g int) int { return v.w * v.w * (g*v.count - g*(g-1)/2) }

// Do does a task: a row of blocks, or a block of the product.
func (v *inversion) Do(i int) {
	switch v.phase {
	case 0:
		v.load(i)
		g0, g1 := v.rows(i)
		for g := g0; g < g1; g++ {
			block := v.columns(g, g*v.w)
			for k := range v.w {
				v.inverse[g*v.w+k] = 1 / block[k*v.w+k]
			}
		}
	case 1:
		v.invertRows(i)
		if v.diag != nil {
			v.squares(i)
		}
	case 2:
		j := 0
		for ; i >= v.blocks-j; j++ {
			i -= v.blocks - j
		}
		v.multiply(j, j+i)
	}
}

// invertRows forms block row i of U, from left to right.
func (v *inversion) invertRows(i int) {
	g0, g1 := v.rows(i)
	for g := g0; g < g1; g++ {
		u := v.row(g, g*v.w)
		clear(u)
		for k := range v.w {
			u[k*v.w+k] = 1
		}
	}
	for j := i; j < v.blocks; j++ {
		h0, h1 := v.rows(j)
		for b := i; b < j; b++ {
			k0, k1 := v.rows(b)
			for g := g0; g < g1; g++ {
				from := max(g, k0) * v.w
				for h := h0; h < h1; h++ {
					asm.CholUpdate(k1*v.w-from, v.columns(h, from), v.row(g, from), v.row(g, h*v.w))
				}
			}
		}
		for g := g0; g < g1; g++ {
			from := max(g, h0) * v.w
			for h := max(g, h0); h < h1; h++ {
				asm.CholSolve(h*v.w-from, v.columns(h, from), v.row(g, from), v.inverse[h*v.w:])
			}
		}
	}
}

// squares sets the diagonal's elements of block row i to the sums of squares of the rows of U.
func (v *inversion) squares(i int) {
	g0, g1 := v.rows(i)
	for g := g0; g < g1; g++ {
		var sums [widestPanel]float64
		for u := v.row(g, g*v.w); len(u) > 0; u = u[v.w:] {
			for r, x := range u[:v.w] {
				sums[r] += float64(x * x)
			}
		}
		for r := max(0, v.pad-g*v.w); r < v.w; r++ {
			v.diag[g*v.w+r-v.pad] = sums[r]
		}
	}
}

// multiply forms block (i, j) of U·Uᵀ, j ≥ i, and its transpose. The products of one
// panel with those of a block take turns, while their common factor is near.
func (v *inversion) multiply(i, j int) {
	var sums [maxSide * widestPanel]float64
	size := v.w * v.w
	g0, g1 := v.rows(i)
	h0, h1 := v.rows(j)
	for g := g0; g < g1; g++ {
		clear(sums[:(h1-h0)*size])
		for b := j; b < v.blocks; b++ {
			k0, k1 := v.rows(b)
			for h := max(g, h0); h < h1; h++ {
				from := max(h, k0) * v.w
				asm.CholUpdate(k1*v.w-from, v.row(h, from), v.row(g, from), sums[(h-h0)*size:])
			}
		}
		for h := max(g, h0); h < h1; h++ {
			v.put(sums[(h-h0)*size:(h-h0+1)*size], h, g)
		}
	}
}

// put writes −c and its transpose to dst, where the first is block (h, g) of
// panels, less the rows and columns of the identity.
func (v *inversion) put(c []float64, h, g int) {
	asm.Scale(c, -1, c)
	r0, k0 := max(0, v.pad-g*v.w), max(0, v.pad-h*v.w)
	row, col := h*v.w-v.pad, g*v.w-v.pad // of c's first element
	below := v.dst.Slice(row+k0, row+v.w, col+r0, col+v.w)
	right := v.dst.Slice(col+r0, col+v.w, row+k0, row+v.w).T()
	for k := range below.Rows {
		for r, x := range c[(k0+k)*v.w+r0 : (k0+k+1)*v.w] {
			below.Data[k*below.RowStride+r*below.ColStride] = x
			right.Data[k*right.RowStride+r*right.ColStride] = x
		}
	}
}
