package asm

import "math"

// The register tile of GemmTile: MR rows by NR columns. Packed panels of A
// hold MR rows, packed panels of B hold NR columns. Four by two is the
// largest tile whose sums, operands and temporaries stay in the sixteen
// scalar registers of amd64.
const (
	MR = 4
	NR = 2
)

// GemmTile adds alpha·A·B to the MR×NR tile C, where
//
//	a[l*MR+i] = A[i,l]   i < MR, l < k   (packed panel of A)
//	b[l*NR+j] = B[l,j]   j < NR, l < k   (packed panel of B)
//	c[i*ldc+j] = C[i,j]
//
// k may be 0. It is the innermost loop of the matrix product of Goto and
// van de Geijn, "Anatomy of high-performance matrix multiplication" (2008).
func GemmTile(k int, alpha float64, a, b []float64, c []float64, ldc int) {
	var c00, c01, c10, c11, c20, c21, c30, c31 float64
	a = a[: k*MR : len(a)] // a panel that is too short panics, whatever its capacity
	b = b[: k*NR : len(b)]
	c = c[: 3*ldc+NR : len(c)]
	for len(a) >= MR && len(b) >= NR {
		b0, b1 := b[0], b[1]
		a0, a1, a2, a3 := a[0], a[1], a[2], a[3]
		c00 = float64(a0*b0) + c00
		c01 = float64(a0*b1) + c01
		c10 = float64(a1*b0) + c10
		c11 = float64(a1*b1) + c11
		c20 = float64(a2*b0) + c20
		c21 = float64(a2*b1) + c21
		c30 = float64(a3*b0) + c30
		c31 = float64(a3*b1) + c31
		a, b = a[MR:], b[NR:]
	}
	add := func(row []float64, x, y float64) {
		row[0] += float64(alpha * x)
		row[1] += float64(alpha * y)
	}
	add(c[0*ldc:0*ldc+NR], c00, c01)
	add(c[1*ldc:1*ldc+NR], c10, c11)
	add(c[2*ldc:2*ldc+NR], c20, c21)
	add(c[3*ldc:3*ldc+NR], c30, c31)
}

// Dot returns Σ x[i]·y[i] over i < len(x), in four interleaved partial sums
// that are added as (s0+s1)+(s2+s3). y must not be shorter than x.
func Dot(x, y []float64) float64 {
	y = y[:len(x):len(y)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 = float64(x[i]*y[i]) + s0
		s1 = float64(x[i+1]*y[i+1]) + s1
		s2 = float64(x[i+2]*y[i+2]) + s2
		s3 = float64(x[i+3]*y[i+3]) + s3
	}
	for ; i < len(x); i++ {
		s0 = float64(x[i]*y[i]) + s0
	}
	return (s0 + s1) + (s2 + s3)
}

// Axpy adds alpha·x[i] to y[i] for i < len(x). y must not be shorter than x.
func Axpy(alpha float64, x, y []float64) {
	y = y[:len(x):len(y)]
	for i, v := range x {
		y[i] = float64(alpha*v) + y[i]
	}
}

// Scale sets dst[i] = alpha·x[i] for i < len(x). dst must not be shorter than
// x and may be x itself.
func Scale(dst []float64, alpha float64, x []float64) {
	dst = dst[:len(x):len(dst)]
	for i, v := range x {
		dst[i] = alpha * v
	}
}

// MulTo sets dst[i] = x[i]·y[i] for i < len(x). dst and y must not be shorter
// than x; dst may be x or y itself.
func MulTo(dst, x, y []float64) {
	dst, y = dst[:len(x):len(dst)], y[:len(x):len(y)]
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

// Exp sets dst[i] = exp(x[i]) for i < len(x). dst must not be shorter than x
// and may be x itself.
func Exp(dst, x []float64) {
	dst = dst[:len(x):len(dst)]
	for i, v := range x {
		dst[i] = math.Exp(v)
	}
}
