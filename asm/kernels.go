package asm

import "github.com/seed-08962ecc/kronfield/internal/text"

// MaxTile is the largest number of elements of a register tile, on any level:
// a buffer of that size holds every tile.
const MaxTile = 256

// tiles holds the rows and columns of the register tile of each level.
var tiles = [...][2]int{
	generic: {genericMR, genericNR},
	avx2:    {4, 12},
	avx512:  {8, 24},
	neon:    {6, 8},
}

// Tile returns the number of rows and columns of the register tile of the level
// in use.
func Tile() (mr, nr int) {
	t := &tiles[active]
	return t[0], t[1]
}

// GemmPanel sets C = alpha·A·B + beta·C for a panel C of any number m of rows and
// n ≤ nr columns, where mr, nr = Tile() and
//
//	a[i/mr*stepa+i%mr*rsa+l*csa] = A[i,l]   i < m, l < k
//	b[l*ldb+j] = B[l,j]                     l < k, j < n
//	c[i*ldc+j] = C[i,j]                     i < m, j < n
//
// So A may lie packed, mr rows beside one another (rsa = 1, csa = mr, stepa =
// mr·k), or as any matrix (stepa = mr·rsa), and B packed (ldb = nr) or as a matrix
// with contiguous rows. Nothing else is read or written. With beta = 0 C is not
// read. k may be 0.
//
// Each element is summed over l in order, from 0, with one rounding for each step
// (two on the generic level, which rounds the product first); the sum times alpha
// is added in the same way to beta·C, rounded. So all levels but generic give the
// same bits. Panels are cut along m but not along k: k up to 2048 keeps the time in
// which the call cannot be interrupted under 100 µs, wherever the operands are.
//
// It is the innermost loop of the matrix product of Goto and van de Geijn,
// "Anatomy of high-performance matrix multiplication" (2008), and the one around
// it.
func GemmPanel(k int, alpha float64, a []float64, rsa, csa, stepa int, b []float64, ldb int, beta float64, c []float64, ldc, m, n int) {
	if m == 0 || n == 0 {
		return
	}
	mr, nr := Tile()
	full := (m - 1) / mr
	last := m - full*mr // rows of the last tile
	needA, needB := 0, 0
	if k > 0 {
		needA = 1 + reach(full, stepa, len(a)) + reach(last-1, rsa, len(a)) + reach(k-1, csa, len(a))
		if full > 0 {
			needA = max(needA, 1+reach(full-1, stepa, len(a))+reach(mr-1, rsa, len(a))+reach(k-1, csa, len(a)))
		}
		needB = n + reach(k-1, ldb, len(b))
	}
	if k < 0 || m < 0 || uint(n) > uint(nr) || needA > len(a) || needB > len(b) || n+reach(m-1, ldc, len(c)) > len(c) || m > 1 && ldc < n {
		badPanel(k, a, rsa, csa, stepa, b, ldb, c, ldc, m, n)
	}
	raceTiles(a, rsa, csa, stepa, m, k)
	raceRows(raceRead, b, ldb, k, n)
	raceRows(raceWrite, c, ldc, m, n)
	for together := tilesTogether(k); full >= together; full -= together {
		rows := together * mr
		gemmPanel(k, alpha, a, rsa, csa, stepa, b, ldb, beta, c, ldc, rows, n)
		c, m = c[rows*ldc:], m-rows
		if k > 0 {
			a = a[together*stepa:]
		}
	}
	gemmPanel(k, alpha, a, rsa, csa, stepa, b, ldb, beta, c, ldc, m, n)
}

// tilesTogether returns how many tiles of depth k one call of assembly takes, which
// cannot be interrupted: it reads 40960 numbers of A at most, and writes less than
// 1300 rows of C, all of which may come from memory. A row of C counts as 32 numbers.
func tilesTogether(k int) int {
	mr, _ := Tile()
	return max(1, 40960/(mr*(k+32)))
}

// reach returns how far count steps of stride lead in a slice of so many numbers,
// something larger than the slice if they leave it.
func reach(count, stride, have int) int {
	switch {
	case count <= 0 || stride == 0:
		return 0
	case stride < 0 || count > have/stride:
		return have + 1
	}
	return count * stride
}

func badPanel(k int, a []float64, rsa, csa, stepa int, b []float64, ldb int, c []float64, ldc, m, n int) {
	mr, nr := Tile()
	panic(text.Sprintf("asm: GemmPanel: %d numbers of A (strides %d, %d, %d), %d of B (%d) and %d of C (%d) do not fit %d×%d = %d×%d · %d×%d with tiles of %d×%d",
		len(a), rsa, csa, stepa, len(b), ldb, len(c), ldc, m, n, m, k, k, n, mr, nr))
}

// atLeast panics if a slice has fewer numbers than the operation needs.
func atLeast(op, name string, have, need int) {
	if have < need {
		tooShort(op, name, have, need)
	}
}

// tooShort is apart, so that atLeast is inlined.
//
//go:noinline
func tooShort(op, name string, have, need int) {
	panic(text.Sprintf("asm: %s: %s has %d numbers, want at least %d", op, name, have, need))
}

// matrixFits panics if a slice does not hold m rows of n numbers, lda apart.
func matrixFits(op, name string, have, m, n, lda int) {
	if m == 0 || n == 0 {
		return
	}
	if have < n || m > 1 && (lda < n || (have-n)/lda < m-1) {
		panic(text.Sprintf("asm: %s: %s has %d numbers, which are no %d×%d matrix with rows %d apart", op, name, have, m, n, lda))
	}
}

// block is the number of elements after which a long vector's loop returns to
// Go, since assembly cannot be interrupted. Sums are formed block by block.
const block = 1 << 14

// Dot returns Σ x[i]·y[i] over i < len(x). y must not be shorter than x.
//
// Each block of 16384 products is summed in 32 lanes: lane i mod 32 takes
// product i, with one rounding (generic: four lanes, and the product rounded
// first). The lanes are added pairwise, 16 apart, then 8, 4, 2 and 1; the blocks
// from the first to the last. So the bits depend on neither alignment nor
// capacity, and all levels but generic give the same.
func Dot(x, y []float64) float64 {
	atLeast("Dot", "y", len(y), len(x))
	raceRead(x)
	raceRead(y[:len(x)])
	if len(x) <= block {
		return dot(x, y)
	}
	var sum float64
	for len(x) > block {
		sum += dot(x[:block], y)
		x, y = x[block:], y[block:]
	}
	return sum + dot(x, y)
}

// SumSquares returns Σ x[i]², with the bits of Dot(x, x). It overflows where
// the largest |x[i]| exceeds about 1e154, and loses bits below 1e-154.
func SumSquares(x []float64) float64 {
	raceRead(x)
	if len(x) <= block {
		return sumSquares(x)
	}
	var sum float64
	for ; len(x) > block; x = x[block:] {
		sum += sumSquares(x[:block])
	}
	return sum + sumSquares(x)
}

// MaxAbs returns the largest |x[i]|, 0 for an empty slice, and NaN if there is
// one.
func MaxAbs(x []float64) float64 {
	raceRead(x)
	if len(x) <= block {
		return maxAbs(x)
	}
	var largest float64
	for ; len(x) > block; x = x[block:] {
		largest = max(largest, maxAbs(x[:block]))
	}
	return max(largest, maxAbs(x))
}

// Axpy adds alpha·x[i] to y[i] for i < len(x), with one rounding (generic:
// two). y must not be shorter than x.
func Axpy(alpha float64, x, y []float64) {
	atLeast("Axpy", "y", len(y), len(x))
	AddScaled(y[:len(x)], y, alpha, x)
}

// AddScaled sets dst[i] = x[i] + alpha·y[i] for i < len(dst), with one rounding
// (generic: two). x and y must not be shorter than dst; dst may be x or y
// itself.
func AddScaled(dst, x []float64, alpha float64, y []float64) {
	atLeast("AddScaled", "x", len(x), len(dst))
	atLeast("AddScaled", "y", len(y), len(dst))
	raceRead(x[:len(dst)])
	raceRead(y[:len(dst)])
	raceWrite(dst)
	for ; len(dst) > block; dst, x, y = dst[block:], x[block:], y[block:] {
		addScaled(dst[:block], x, alpha, y)
	}
	addScaled(dst, x, alpha, y)
}

// Scale sets dst[i] = alpha·x[i] for i < len(x). dst must not be shorter than
// x and may be x itself.
func Scale(dst []float64, alpha float64, x []float64) {
	atLeast("Scale", "dst", len(dst), len(x))
	raceRead(x)
	raceWrite(dst[:len(x)])
	for ; len(x) > block; dst, x = dst[block:], x[block:] {
		scale(dst, alpha, x[:block])
	}
	scale(dst, alpha, x)
}

// MulTo sets dst[i] = x[i]·y[i] for i < len(x). dst and y must not be shorter
// than x; dst may be x or y itself.
func MulTo(dst, x, y []float64) {
	atLeast("MulTo", "dst", len(dst), len(x))
	atLeast("MulTo", "y", len(y), len(x))
	raceRead(x)
	raceRead(y[:len(x)])
	raceWrite(dst[:len(x)])
	for ; len(x) > block; dst, x, y = dst[block:], x[block:], y[block:] {
		mulTo(dst, x[:block], y)
	}
	mulTo(dst, x, y)
}

// Rotate applies a plane rotation to corresponding elements of two vectors
// (the BLAS's ROT):
//
//	(x[i], y[i]) ← (c·x[i] + s·y[i], c·y[i] − s·x[i])   i < len(x)
//
// The product with s is rounded first (generic: both are). y must not be
// shorter than x nor overlap it.
func Rotate(x, y []float64, c, s float64) {
	atLeast("Rotate", "y", len(y), len(x))
	raceWrite(x)
	raceWrite(y[:len(x)])
	for ; len(x) > block; x, y = x[block:], y[block:] {
		rotate(x[:block], y, c, s)
	}
	rotate(x, y, c, s)
}

// RotateRows applies len(c) plane rotations to the len(c)+1 rows of a matrix Z
// of n columns, z[i*ldz+j] = Z[i,j], from the last pair of rows to the first
// (LAPACK's LASR with side L, pivot V, direct B):
//
//	(Z[i,:], Z[i+1,:]) ← (c[i]·Z[i,:] − s[i]·Z[i+1,:], s[i]·Z[i,:] + c[i]·Z[i+1,:])
//
// Rounding is that of Rotate(Z[i+1,:], Z[i,:], c[i], s[i]), bit for bit. s must
// not be shorter than c. It pays where the sweep of a few columns stays in the
// nearest caches; columns are independent of one another.
func RotateRows(z []float64, ldz, n int, c, s []float64) {
	atLeast("RotateRows", "s", len(s), len(c))
	if n < 0 {
		panic(text.Sprintf("asm: RotateRows: %d columns", n))
	}
	matrixFits("RotateRows", "z", len(z), len(c)+1, n, ldz)
	if len(c) == 0 || n == 0 {
		return
	}
	raceRead(c)
	raceRead(s[:len(c)])
	raceRows(raceWrite, z, ldz, len(c)+1, n)
	for j := 0; j < n; j += sweepCols {
		w := min(sweepCols, n-j)
		for i1 := len(c); i1 > 0; {
			i0 := max(0, i1-sweepRows)
			rotateRows(z[i0*ldz+j:], ldz, w, c[i0:i1], s[i0:i1])
			i1 = i0
		}
	}
}

// A call of rotateRows takes so many columns and rotations at most.
const (
	sweepCols = 32
	sweepRows = 1 << 10
)

// DotRows sets dst[i] = Σ a[i*lda+j]·x[j] over j < len(x): the product of a
// matrix of rows lda apart with a vector. Each element has the bits of Dot of
// its row and x. dst must not overlap a or x.
func DotRows(dst, a []float64, lda int, x []float64) {
	matrixFits("DotRows", "a", len(a), len(dst), len(x), lda)
	if len(x) == 0 {
		clear(dst)
		return
	}
	raceRead(x)
	raceRows(raceRead, a, lda, len(dst), len(x))
	raceWrite(dst)
	for len(dst) >= 4 && len(x) <= block {
		dotRows((*[4]float64)(dst), a, lda, x)
		dst, a = dst[4:], a[min(4*lda, len(a)):]
	}
	for i := range dst {
		dst[i] = Dot(a[i*lda:][:len(x)], x)
	}
}

// AxpyRows adds Σ alpha[i]·a[i*lda+j] over i < len(alpha) to y[j] for
// j < len(y): the product of a row with a matrix of rows lda apart. The bits
// are those of an Axpy for each row, from the first to the last. y must not
// overlap a or alpha.
func AxpyRows(alpha, a []float64, lda int, y []float64) {
	matrixFits("AxpyRows", "a", len(a), len(alpha), len(y), lda)
	if len(y) == 0 {
		return
	}
	for ; len(alpha) >= 4 && len(y) <= block; alpha, a = alpha[4:], a[min(4*lda, len(a)):] {
		raceRead(alpha[:4])
		raceRows(raceRead, a, lda, 4, len(y))
		raceWrite(y)
		axpyRows((*[4]float64)(alpha), a, lda, y)
	}
	for i, v := range alpha {
		Axpy(v, a[i*lda:][:len(y)], y)
	}
}

// SymvRows reads four rows of a symmetric matrix once for both triangles:
//
//	y[j]  += Σ a[i*lda+j]·xr[i]   i < 4, j < len(y)
//	yr[i] += Σ a[i*lda+j]·x[j]
//
// y is summed from the first row to the last. Each of the other four sums is
// formed in eight lanes from 0, lane j mod 8 taking product j; lanes are added
// 4, 2 and 1 apart, and the sum of each block of 16384 columns is added to
// yr[i]. (The generic level rounds products, and sums a row as Dot does.) x must not be shorter
// than y; y and yr overlap neither each other nor an operand.
func SymvRows(y, x []float64, yr, xr *[4]float64, a []float64, lda int) {
	atLeast("SymvRows", "x", len(x), len(y))
	matrixFits("SymvRows", "a", len(a), 4, len(y), lda)
	if len(y) == 0 {
		return
	}
	raceRead(x[:len(y)])
	raceRead(xr[:])
	raceRows(raceRead, a, lda, 4, len(y))
	raceWrite(y)
	raceWrite(yr[:])
	for ; len(y) > block; y, x, a = y[block:], x[block:], a[block:] {
		symvRows(y[:block], x, yr, xr, a, lda)
	}
	symvRows(y, x, yr, xr, a, lda)
}

// Peak runs n rounds of multiply-adds that wait for nothing but the arithmetic
// units, on the level in use, and returns how many floating-point operations
// they were: the yardstick of benchmarks, which print their speed as a fraction
// of it. A call with n = 1000 takes a few microseconds.
func Peak(n int) (flops float64) { return peak(n) }
