package chol

import (
	"fmt"

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

// quarters splits a lower triangle in two halves and the block below the first.
func quarters(l mat.Matrix) (l11, l21, l22 mat.Matrix) {
	n, h := l.Rows, l.Rows/2
	return l.Slice(0, h, 0, h), l.Slice(h, n, 0, h), l.Slice(h, n, h, n)
}

// invertLower overwrites a lower triangle l with its inverse:
//
//	[L₁₁    ]⁻¹   [ L₁₁⁻¹               ]
//	[L₂₁ L₂₂]   = [−L₂₂⁻¹·L₂₁·L₁₁⁻¹ L₂₂⁻¹]
func invertLower(l mat.Matrix) {
	if l.Rows < 2 {
		for i := range l.Rows {
			l.Set(i, i, 1/l.At(i, i))
		}
		return
	}
	l11, l21, l22 := quarters(l)
	mat.SolveLower(l22, l21)
	mat.SolveUpper(l11.T(), l21.T()) // (L₂₁·L₁₁⁻¹)ᵀ = L₁₁⁻ᵀ·L₂₁ᵀ
	mat.Scale(l21, -1, l21)
	invertLower(l11)
	invertLower(l22)
}

// squareLower overwrites a lower triangle x with the lower triangle of xᵀ·x:
//
//	[X₁₁ᵀ X₂₁ᵀ] [X₁₁    ]   [X₁₁ᵀX₁₁ + X₂₁ᵀX₂₁    ·   ]
//	[     X₂₂ᵀ]·[X₂₁ X₂₂] = [X₂₂ᵀX₂₁            X₂₂ᵀX₂₂]
func squareLower(x mat.Matrix) {
	if x.Rows < 2 {
		mat.MulElem(x, x, x)
		return
	}
	x11, x21, x22 := quarters(x)
	squareLower(x11)
	mat.Syrk(x11, 1, x21.T(), 1)
	mat.MulUpper(x22.T(), x21)
	squareLower(x22)
}
