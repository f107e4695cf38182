package asm

import "math"

// The register tile of the generic kernels. Four by two is the largest tile whose
// sums, operands and temporaries stay in the sixteen scalar registers of amd64.
const (
	genericMR = 4
	genericNR = 2
)

func gemmPanelGeneric(k int, alpha float64, a []float64, rsa, csa, stepa int, b []float64, ldb int, beta float64, c []float64, ldc, m, n int) {
	const MR, NR = genericMR, genericNR
	size, sizeB := (k-1)*csa+1, (k-1)*ldb+1 // from the first to the last element of a row and a column: slices of one length are checked once
	if k == 0 {
		b = make([]float64, NR)
		a, rsa, stepa, size, sizeB = b, 0, 0, 0, 0
	}
	for i0 := 0; i0 < m; i0 += MR {
		rows := min(MR, m-i0)
		a0 := a[i0/MR*stepa:]
		a1, a2, a3 := a0[min(1, rows-1)*rsa:][:size], a0[min(2, rows-1)*rsa:][:size], a0[min(3, rows-1)*rsa:][:size]
		a0 = a0[:size]
		b0, b1 := b[:sizeB], b[n-1:][:sizeB]
		var c00, c01, c10, c11, c20, c21, c30, c31 float64
		for p, q, l := 0, 0, k; l > 0; l-- {
			x0, x1, x2, x3, y0, y1 := a0[p], a1[p], a2[p], a3[p], b0[q], b1[q]
			c00 = float64(x0*y0) + c00
			c01 = float64(x0*y1) + c01
			c10 = float64(x1*y0) + c10
			c11 = float64(x1*y1) + c11
			c20 = float64(x2*y0) + c20
			c21 = float64(x2*y1) + c21
			c30 = float64(x3*y0) + c30
			c31 = float64(x3*y1) + c31
			p, q = p+csa, q+ldb
		}
		sums := [MR][NR]float64{{c00, c01}, {c10, c11}, {c20, c21}, {c30, c31}}
		for i := range rows {
			row := c[(i0+i)*ldc:][:n]
			for j := range row {
				var scaled float64
				if beta != 0 {
					scaled = float64(beta * row[j])
				}
				row[j] = float64(alpha*sums[i][j]) + scaled
			}
		}
	}
}

// subtractTile subtracts from a register tile, of which c has rows ldc apart, the products of d columns, a[s·lda+i]·b[s·ldb+j], one after the other.
func subtractTile(d int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	r0, r1, r2, r3 := c[:genericNR], c[ldc:][:genericNR], c[2*ldc:][:genericNR], c[3*ldc:][:genericNR]
	c00, c01, c10, c11, c20, c21, c30, c31 := r0[0], r0[1], r1[0], r1[1], r2[0], r2[1], r3[0], r3[1]
	for p, q := 0, 0; d > 0; d-- {
		a, b := a[p:][:genericMR], b[q:][:genericNR]
		b0, b1 := b[0], b[1]
		c00 -= float64(a[0] * b0)
		c01 -= float64(a[0] * b1)
		c10 -= float64(a[1] * b0)
		c11 -= float64(a[1] * b1)
		c20 -= float64(a[2] * b0)
		c21 -= float64(a[2] * b1)
		c30 -= float64(a[3] * b0)
		c31 -= float64(a[3] * b1)
		p, q = p+lda, q+ldb
	}
	r0[0], r0[1], r1[0], r1[1], r2[0], r2[1], r3[0], r3[1] = c00, c01, c10, c11, c20, c21, c30, c31
}

func dotGeneric(x, y []float64) float64 {
	y = y[:len(x)]
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

func sumSquaresGeneric(x []float64) float64 { return dotGeneric(x, x) }

func maxAbsGeneric(x []float64) float64 {
	var largest float64
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

func addScaledGeneric(dst, x []float64, alpha float64, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + float64(alpha*y[i])
	}
}

func scaleGeneric(dst []float64, alpha float64, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = alpha * v
	}
}

func mulToGeneric(dst, x, y []float64) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

func rotateGeneric(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for i, xi := range x {
		yi := y[i]
		x[i] = float64(c*xi) + float64(s*yi)
		y[i] = float64(c*yi) - float64(s*xi)
	}
}

func rotateRowsGeneric(z []float64, ldz, n int, c, s []float64) {
	for i := len(c) - 1; i >= 0; i-- {
		rotateGeneric(z[(i+1)*ldz:][:n], z[i*ldz:][:n], c[i], s[i])
	}
}

func dotRowsGeneric(dst *[4]float64, a []float64, lda int, x []float64) {
	for i := range dst {
		dst[i] = dotGeneric(x, a[i*lda:])
	}
}

func axpyRowsGeneric(alpha *[4]float64, a []float64, lda int, y []float64) {
	n := len(y)
	a0, a1, a2, a3 := a[:n], a[lda:][:n], a[2*lda:][:n], a[3*lda:][:n]
	for j, v := range y {
		v = float64(alpha[0]*a0[j]) + v
		v = float64(alpha[1]*a1[j]) + v
		v = float64(alpha[2]*a2[j]) + v
		y[j] = float64(alpha[3]*a3[j]) + v
	}
}

func symvRowsGeneric(y, x []float64, yr, xr *[4]float64, a []float64, lda int) {
	axpyRowsGeneric(xr, a, lda, y)
	for i := range yr {
		yr[i] += dotGeneric(x[:len(y)], a[i*lda:])
	}
}

func peakGeneric(n int) float64 {
	const a, b = 0.617, 0.676
	var x0, x1, x2, x3, x4, x5, x6, x7 float64
	for range n {
		x0 = float64(a*x0) + b
		x1 = float64(a*x1) + b
		x2 = float64(a*x2) + b
		x3 = float64(a*x3) + b
		x4 = float64(a*x4) + b
		x5 = float64(a*x5) + b
		x6 = float64(a*x6) + b
		x7 = float64(a*x7) + b
	}
	if s := ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7)); s != s {
		return 0 // never; but the compiler must compute the sums to know
	}
	return 8 * 2 * float64(n)
}
