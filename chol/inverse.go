package chol

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Inverse writes A⁻¹ to the n×n matrix dst, both triangles, exactly symmetric.
// To apply A⁻¹ to a few vectors Solve is faster and more accurate.
//
// Method: X = L⁻¹ in place, then Xᵀ·X in place (LAPACK's POTRI), both by
// halving; 2n³/3 multiplications and additions together.
func (f *Factor) Inverse(dst mat.Matrix) {
	f.fits("Inverse", dst)
	if dst.Cols != dst.Rows {
		panic(fmt.Sprintf("chol: Inverse: a %d×%d destination is not square", dst.Rows, dst.Cols))
	}
	mat.Copy(dst, f.l)
	invertLower(dst)
	squareLower(dst)
	mat.MirrorLower(dst)
}

// inverseLeaf is the largest order of a triangle that Inverse does not halve.
const inverseLeaf = 32

// halvable is the order up to which triangles are not halved, at most inverseLeaf;
// tests lower it.
var halvable = inverseLeaf

// quarters splits a lower triangle in two parts and the block below the first,
// whose order is a multiple of halvable.
func quarters(l mat.Matrix) (l11, l21, l22 mat.Matrix) {
	n := l.Rows
	h := (n/2 + halvable - 1) / halvable * halvable
	return l.Slice(0, h, 0, h), l.Slice(h, n, 0, h), l.Slice(h, n, h, n)
}

// copyLower copies the lower triangle of src to that of dst.
func copyLower(dst, src mat.Matrix) {
	for i := range src.Rows {
		for j := range i + 1 {
			dst.Data[i*dst.RowStride+j*dst.ColStride] = src.Data[i*src.RowStride+j*src.ColStride]
		}
	}
}

// invertLower overwrites a lower triangle l with its inverse:
//
//	[L₁₁    ]⁻¹   [ L₁₁⁻¹               ]
//	[L₂₁ L₂₂]   = [−L₂₂⁻¹·L₂₁·L₁₁⁻¹ L₂₂⁻¹]
func invertLower(l mat.Matrix) {
	if l.Rows <= halvable {
		invertLeaf(l)
		return
	}
	l11, l21, l22 := quarters(l)
	mat.SolveLower(l22, l21)
	mat.SolveUpper(l11.T(), l21.T()) // (L₂₁·L₁₁⁻¹)ᵀ = L₁₁⁻ᵀ·L₂₁ᵀ
	mat.Scale(l21, -1, l21)
	invertLower(l11)
	invertLower(l22)
}

// invertLeaf is invertLower row by row, on a copy whose rows are contiguous:
// X[i,:] = −Σ L[i,k]·X[k,:] / L[i,i] over k < i.
func invertLeaf(l mat.Matrix) {
	var buffer [inverseLeaf * inverseLeaf]float64
	var sum [inverseLeaf]float64
	n := l.Rows
	x := mat.NewDense(n, n, buffer[:n*n])
	copyLower(x, l)
	for i := range n {
		row := x.Row(i)[:i+1]
		clear(sum[:i])
		for k, v := range row[:i] {
			asm.Axpy(v, x.Row(k)[:k+1], sum[:])
		}
		row[i] = 1 / row[i]
		asm.Scale(row, -row[i], sum[:i])
	}
	copyLower(l, x)
}

// squareLower overwrites a lower triangle x with the lower triangle of xᵀ·x:
//
//	[X₁₁ᵀ X₂₁ᵀ] [X₁₁    ]   [X₁₁ᵀX₁₁ + X₂₁ᵀX₂₁    ·   ]
//	[     X₂₂ᵀ]·[X₂₁ X₂₂] = [X₂₂ᵀX₂₁            X₂₂ᵀX₂₂]
func squareLower(x mat.Matrix) {
	if x.Rows <= halvable {
		squareLeaf(x)
		return
	}
	x11, x21, x22 := quarters(x)
	squareLower(x11)
	mat.Syrk(x11, 1, x21.T(), 1)
	mat.MulUpper(x22.T(), x21)
	squareLower(x22)
}

// squareLeaf is squareLower row by row, on a copy whose rows are contiguous: row i
// is Σ X[k,i]·X[k,:i+1] over k ≥ i.
func squareLeaf(x mat.Matrix) {
	var buffer [inverseLeaf * inverseLeaf]float64
	n := x.Rows
	y := mat.NewDense(n, n, buffer[:n*n])
	copyLower(y, x)
	for i := range n {
		row := y.Row(i)[:i+1]
		asm.Scale(row, row[i], row)
		for k := i + 1; k < n; k++ {
			asm.Axpy(y.Row(k)[i], y.Row(k)[:i+1], row)
		}
	}
	copyLower(x, y)
}
