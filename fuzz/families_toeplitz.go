package fuzz

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Matrices with constant diagonals or of displacement structure.

// circulantSymmetric returns the circulant matrix of the first row c with
// c[k] = c[n-k]: eigenvalues Σ_k c_k·cos(2πjk/n) (Davis, Circulant Matrices,
// 1979), rounded with Slack.
func circulantSymmetric(first []int) Case {
	n := len(first)
	at := func(k int) float64 { return float64(first[min(k%n, n-k%n)%n]) }
	c := entries("symmetric circulant", n, func(i, j int) float64 { return at(n + j - i) })
	var norm float64
	w := values(n, func(j int) float64 {
		var sum, size float64
		for k := range n {
			sum += at(k) * math.Cos(2*math.Pi*float64(j*k%n)/float64(n))
			size += math.Abs(at(k))
		}
		norm = size
		return sum
	})
	return c.spectrum(w...).slackened(float64(2*n), norm)
}

// circulantMatrix returns the circulant matrix of the first row c: singular
// values |Σ_k c_k·ω^(jk)|, ω = exp(2πi/n) (Davis 1979), rounded with Slack.
func circulantMatrix(first []int) Case {
	n := len(first)
	c := entries("circulant", n, func(i, j int) float64 { return float64(first[(n+j-i)%n]) })
	var norm float64
	w := values(n, func(j int) float64 {
		var sum complex128
		norm = 0
		for k, v := range first {
			sum += complex(float64(v), 0) * cmplx.Rect(1, 2*math.Pi*float64(j*k%n)/float64(n))
			norm += math.Abs(float64(v))
		}
		return cmplx.Abs(sum)
	})
	return c.singular(w...).slackened(float64(2*n), norm)
}

// toeplitzTridiagonal returns the matrix with b on the diagonal and a beside it:
// eigenvalues b + 2a·cos(kπ/(n+1)), k = 1 … n, rounded with Slack (Böttcher and
// Grudsky, Spectral Properties of Banded Toeplitz Matrices, 2005).
func toeplitzTridiagonal(n int, a, b float64) Case {
	c := entries("tridiagonal Toeplitz", n, elements(tridiagonal(n, func(int) float64 { return b }, func(int) float64 { return a })))
	return c.spectrum(values(n, func(k int) float64 {
		return b + 2*a*math.Cos(float64(k+1)*math.Pi/float64(n+1))
	})...).slackened(4, math.Abs(b)+2*math.Abs(a))
}

// randomToeplitz returns the symmetric Toeplitz matrix of integers from -9 to 9
// (Horn and Johnson, Matrix Analysis, section 0.9).
func randomToeplitz(s *Source, n int) Case {
	t := Integers(s, n, 1, 9)
	return entries("Toeplitz", n, func(i, j int) float64 { return t.At(max(i-j, j-i), 0) })
}

// randomHankel returns the Hankel matrix of integers from -9 to 9 (as above).
func randomHankel(s *Source, n int) Case {
	t := Integers(s, max(2*n-1, 0), 1, 9)
	return entries("Hankel", n, func(i, j int) float64 { return t.At(i+j, 0) })
}

// cauchy returns A[i,j] = 1/(x_i + y_j). If it is square, det =
// Π_{i<j}(x_j-x_i)(y_j-y_i)/Π(x_i+y_j) (cauchy 1841; Higham, Accuracy and
// Stability, section 28.1). It is claimed up to order 8, where rounding of the
// entries does not yet drown it.
func cauchy(x, y []float64) Case {
	m, n := len(x), len(y)
	c := general("Cauchy", fill(m, n, func(i, j int) float64 { return 1 / (x[i] + y[j]) }))
	if m != n || n > 8 {
		return c
	}
	log, sign := 0.0, 1.0
	times := func(v, power float64) {
		log += power * math.Log(math.Abs(v))
		if v < 0 {
			sign = -sign
		}
	}
	for i := range n {
		for j := range n {
			times(x[i]+y[j], -1)
			if i < j {
				times(x[j]-x[i], 1)
				times(y[j]-y[i], 1)
			}
		}
	}
	return c.determined(log, sign)
}

// parter returns A[i,j] = 1/(i-j+½), cauchy and Toeplitz at once, with most
// singular values very near π (parter, Linear Algebra Appl. 80, 1986).
func parter(n int) Case {
	return entries("Parter", n, func(i, j int) float64 { return 1 / (float64(i-j) + 0.5) }).claiming(Nonsingular)
}

// grcar returns the Toeplitz matrix with -1 below the diagonal and 1 on it and
// on three diagonals above (grcar, Sandia Report 89-8691, 1989): sensitive
// complex eigenvalues.
func grcar(n int) Case {
	return entries("Grcar", n, func(i, j int) float64 {
		switch {
		case j-i >= 0 && j-i <= 3:
			return 1
		case i-j == 1:
			return -1
		}
		return 0
	})
}

// vandermonde returns A[i,j] = x_i^j, m×n for m points: det = Π_{i<j}(x_j-x_i)
// where it is square. The points are integers.
func vandermonde(x []int, n int) Case {
	m := len(x)
	c := general("Vandermonde", fill(m, n, func(i, j int) float64 { return math.Pow(float64(x[i]), float64(j)) }))
	if m != n || !Structure(c.A).Has(Integer) {
		return c
	}
	log, sign := 0.0, 1.0
	for j := range x {
		for i := range j {
			d := x[j] - x[i]
			if d == 0 {
				return c.claiming(Singular)
			}
			if d < 0 {
				sign = -sign
			}
			log += math.Log(math.Abs(float64(d)))
		}
	}
	return c.determined(log, sign)
}

// kronecker returns the Kronecker product of cases: eigenvalues, Cholesky
// factor, log-determinant, inverse and rank are those of the factors, multiplied
// (van Loan, J. Comput. Appl. Math. 123, 2000). What one factor does not know
// the product does not.
func kronecker(cases ...Case) Case {
	c := Case{Name: "Kronecker", A: mat.Identity(1), Pivot: 1, Sign: 1, Rank: 1}
	p := KnownSpectrum | KnownFactor | KnownInverse | KnownLogDet | KnownRank | Semidefinite
	c.Eigenvalues, c.Factor, c.Inverse = []float64{1}, mat.Identity(1), mat.Identity(1)
	for _, f := range cases {
		q := f.Properties()
		p &= q
		m, n := c.A.Rows, f.A.Rows
		c.Name += fmt.Sprintf(" (%s)", f.Name)
		c.A = NaiveKron(c.A, f.A)
		c.Factors = append(c.Factors, f.A)
		c.LogDet = float64(n)*c.LogDet + float64(m)*f.LogDet
		c.Sign = math.Pow(c.Sign, float64(n)) * math.Pow(f.Sign, float64(m))
		c.Rank *= f.Rank
		if p.Has(KnownSpectrum) {
			before := c.Eigenvalues
			c.Eigenvalues = nil
			for _, v := range before {
				for _, w := range f.Eigenvalues {
					c.Eigenvalues = append(c.Eigenvalues, v*w)
				}
			}
			nf, nc := mat.NormMax(mat.Vector(f.Eigenvalues)), mat.NormMax(mat.Vector(before))
			c.Slack = c.Slack*(nf+f.Slack) + nc*f.Slack
		}
		if p.Has(KnownFactor) {
			c.Factor = NaiveKron(c.Factor, f.Factor)
		}
		if p.Has(KnownInverse) {
			c.Inverse = NaiveKron(c.Inverse, f.Inverse)
		}
	}
	if !p.Has(KnownFactor) {
		c.Factor, c.Pivot = mat.Matrix{}, Unknown
	} else {
		c.Pivot = c.A.Rows
	}
	if !p.Has(KnownInverse) {
		c.Inverse = mat.Matrix{}
	}
	if p.Has(KnownSpectrum) {
		c.Eigenvalues = sorted(c.Eigenvalues)
	} else {
		c.Eigenvalues, c.Slack = nil, 0
	}
	return c.claiming(p & (KnownLogDet | KnownRank | Semidefinite))
}

// elements returns those of a matrix as a function.
func elements(m mat.Matrix) func(i, j int) float64 { return m.At }

// blockRepeated returns copies of a case along the diagonal, and nothing
// between them: each eigenvalue comes copies times, exactly.
func blockRepeated(block Case, copies int) Case {
	one := entries("I", copies, elements(mat.Identity(copies))).spectrum(values(copies, func(int) float64 { return 1 })...)
	one.Inverse = mat.Identity(copies)
	one = one.factored(elements(mat.Identity(copies))).ranked(copies)
	c := kronecker(one, block)
	c.Name = fmt.Sprintf("%d times %s", copies, block.Name)
	return c
}
