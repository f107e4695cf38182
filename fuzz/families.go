package fuzz

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// IntegerFactor returns an n×n lower triangular matrix of integers from -3 to
// 3 with 1, 2 or 4 on the diagonal: division by the diagonal is exact, and so
// are the systems L·X = B whose solution X is of integers.
func IntegerFactor(s *Source, n int) mat.Matrix {
	return fill(n, n, func(i, j int) float64 {
		switch {
		case i == j:
			return float64(int(1) << s.values.IntN(3))
		case i > j:
			return s.integer(3)
		}
		return 0
	})
}

// SPD returns a positive definite matrix of integers with its Cholesky factor,
// also of integers, with 1, 2 or 4 on the diagonal. Every intermediate result
// of every variant of Cholesky's algorithm is exact, so a factorisation must
// return Factor to the bit.
func SPD(s *Source, n int) Case {
	l := IntegerFactor(s, n)
	return Case{Name: fmt.Sprintf("integer factor n=%d", n), A: timesTransposed(l), Factor: l, Pivot: n}
}

// FailingPivot returns L·D·Lᵀ with L of integers as in [SPD] and D the
// identity but for D[k,k] = value, an integer not above 0: an exact
// factorisation fails at pivot k, with Schur complement value·L[k,k]².
func FailingPivot(s *Source, n, k, value int) Case {
	if k < 0 || k >= n || value > 0 {
		panic(fmt.Sprintf("fuzz: FailingPivot: pivot %d = %d of a %d×%d matrix", k, value, n, n))
	}
	l := IntegerFactor(s, n)
	a := symmetric(n, func(i, j int) float64 {
		var sum float64
		for m := range n {
			term := l.At(i, m) * l.At(j, m)
			if m == k {
				term *= float64(value)
			}
			sum += term
		}
		return sum
	})
	return Case{Name: fmt.Sprintf("pivot %d is %d n=%d", k, value, n), A: a, Pivot: k}
}

// LowRank returns G·Gᵀ, where G is n×rank of integers and its leading rank
// rows are an integer factor as in [SPD]: positive semidefinite, of the given
// rank exactly, and pivot number rank is exactly 0.
func LowRank(s *Source, n, rank int) Case {
	if rank < 0 || rank > n {
		panic(fmt.Sprintf("fuzz: LowRank: rank %d of a %d×%d matrix", rank, n, n))
	}
	l := IntegerFactor(s, n).Slice(0, n, 0, rank)
	return Case{Name: fmt.Sprintf("rank %d n=%d", rank, n), A: timesTransposed(l), Pivot: rank}
}

// Graded returns D·A·D with A as in [SPD] and D = diag(2^e), where e falls
// evenly from span to -span: entries from 2^(2·span) down to 2^(-2·span), an
// exact Cholesky factor D·L, a condition number near 2^(4·span). span is at
// most 500.
func Graded(s *Source, n, span int) Case {
	if span < 0 || span > 500 {
		panic(fmt.Sprintf("fuzz: Graded: span %d is not from 0 to 500", span))
	}
	c := SPD(s, n)
	e := func(i int) int { return span - 2*span*i/max(n-1, 1) }
	a, l := c.A, c.Factor
	c.Name = fmt.Sprintf("graded 2^±%d n=%d", 2*span, n)
	c.A = fill(n, n, func(i, j int) float64 { return math.Ldexp(a.At(i, j), e(i)+e(j)) })
	c.Factor = fill(n, n, func(i, j int) float64 { return math.Ldexp(l.At(i, j), e(i)) })
	return c
}

// pascal returns Pascal's matrix, A[i,j] = C(i+j, i), whose Cholesky factor is
// L[i,j] = C(i, j) (Brawer and Pirovino, Linear Algebra Appl. 174, 1992). n is at
// most 29: beyond, entries exceed 2⁵³.
func pascal(n int) Case {
	if n > 29 {
		panic(fmt.Sprintf("fuzz: Pascal: order %d is above 29", n))
	}
	a := fill(n, n, func(i, j int) float64 { return binomial(i+j, i) })
	l := fill(n, n, binomial)
	return Case{Name: fmt.Sprintf("Pascal n=%d", n), A: a, Factor: l, Pivot: n}
}

func binomial(n, k int) float64 {
	b := 1.0
	for i := 1; i <= k; i++ {
		b = b * float64(n-k+i) / float64(i)
	}
	if k > n {
		return 0
	}
	return b
}

// minIJ returns A[i,j] = min(i, j)+1, the covariance of a random walk. Its
// Cholesky factor is the lower triangle of ones, its eigenvalues are
// 1/(4·sin²((2k-1)π/(4n+2))), k = 1 … n (Fortiana and Cuadras, Linear Algebra
// Appl. 264, 1997).
func minIJ(n int) Case {
	c := Case{Name: fmt.Sprintf("min(i,j) n=%d", n), Pivot: n}
	c.A = fill(n, n, func(i, j int) float64 { return float64(min(i, j) + 1) })
	c.Factor = fill(n, n, func(i, j int) float64 {
		if i >= j {
			return 1
		}
		return 0
	})
	for k := n; k >= 1; k-- {
		sin := math.Sin(float64(2*k-1) * math.Pi / float64(4*n+2))
		c.Eigenvalues = append(c.Eigenvalues, 1/(4*sin*sin))
	}
	return c
}

// tridiagonal returns the symmetric matrix with diagonal d(i) and
// off-diagonal e(i) = A[i+1,i].
func tridiagonal(n int, d, e func(i int) float64) mat.Matrix {
	return symmetric(n, func(i, j int) float64 {
		switch i - j {
		case 0:
			return d(i)
		case 1:
			return e(j)
		}
		return 0
	})
}

// secondDifference returns the tridiagonal matrix (-1, 2, -1), whose
// eigenvalues are 4·sin²(kπ/(2n+2)), k = 1 … n (Todd, Basic Numerical Mathematics
// 2, 1977).
func secondDifference(n int) Case {
	c := Case{Name: fmt.Sprintf("second difference n=%d", n), Pivot: n}
	c.A = tridiagonal(n, func(int) float64 { return 2 }, func(int) float64 { return -1 })
	for k := 1; k <= n; k++ {
		sin := math.Sin(float64(k) * math.Pi / float64(2*n+2))
		c.Eigenvalues = append(c.Eigenvalues, 4*sin*sin)
	}
	return c
}

// clement returns the symmetric form of Clement's matrix (Kac's): zero
// diagonal, off-diagonal √(i·(n-i)), eigenvalues -(n-1), -(n-3), …, n-1
// (Clement, SIAM Review 1, 1959). The roots are rounded: Slack is ε·n.
func clement(n int) Case {
	c := Case{Name: fmt.Sprintf("Clement n=%d", n), Pivot: 0, Slack: Eps * float64(n)}
	c.A = tridiagonal(n,
		func(int) float64 { return 0 },
		func(i int) float64 { return math.Sqrt(float64((i + 1) * (n - 1 - i))) })
	for k := range n {
		c.Eigenvalues = append(c.Eigenvalues, float64(2*k-n+1))
	}
	return c
}

// wilkinson returns Wilkinson's W⁺: diagonal |i-(n-1)/2|, off-diagonal 1. Its
// large eigenvalues come in pairs that agree to working precision (Wilkinson,
// The Algebraic Eigenvalue Problem, 1965).
func wilkinson(n int) Case {
	return Case{
		Name:  fmt.Sprintf("Wilkinson n=%d", n),
		A:     tridiagonal(n, wilkinsonDiagonal(n), func(int) float64 { return 1 }),
		Pivot: Unknown,
	}
}

func wilkinsonDiagonal(n int) func(int) float64 {
	return func(i int) float64 { return math.Abs(float64(i) - float64(n-1)/2) }
}

// GluedWilkinson returns copies of wilkinson(n) along the diagonal, joined by
// the off-diagonal element glue: clusters of copies eigenvalues, a hard case
// for every tridiagonal eigensolver (Dhillon, Parlett and Vömel, BIT 45, 2005).
func GluedWilkinson(n, copies int, glue float64) Case {
	d := wilkinsonDiagonal(n)
	a := tridiagonal(n*copies,
		func(i int) float64 { return d(i % n) },
		func(i int) float64 {
			if (i+1)%n == 0 {
				return glue
			}
			return 1
		})
	return Case{Name: fmt.Sprintf("Wilkinson n=%d glued %d times by %g", n, copies, glue), A: a, Pivot: Unknown}
}

// Hermite, Laguerre and Legendre return the Jacobi matrices of those families
// of orthogonal polynomials: the eigenvalues are the nodes of Gauss's
// quadrature, the squares of the first components of the eigenvectors its
// weights over the weight function's integral (golub and Welsch, Mathematics
// of Computation 23, 1969).
func hermite(n int) Case {
	a := tridiagonal(n, func(int) float64 { return 0 }, func(i int) float64 { return math.Sqrt(float64(i+1) / 2) })
	return Case{Name: fmt.Sprintf("Hermite n=%d", n), A: a, Pivot: 0}
}

// Laguerre: see hermite.
func laguerre(n int) Case {
	a := tridiagonal(n, func(i int) float64 { return float64(2*i + 1) }, func(i int) float64 { return float64(i + 1) })
	return Case{Name: fmt.Sprintf("Laguerre n=%d", n), A: a, Pivot: n}
}

// Legendre: see hermite.
func legendre(n int) Case {
	a := tridiagonal(n, func(int) float64 { return 0 }, func(i int) float64 {
		k := float64(i + 1)
		return k / math.Sqrt(4*k*k-1)
	})
	return Case{Name: fmt.Sprintf("Legendre n=%d", n), A: a, Pivot: 0}
}

// rankOne returns u·uᵀ for integers u: eigenvalues 0, n-1 times, and ‖u‖²,
// exactly.
func rankOne(u []int) Case {
	n := len(u)
	c := Case{
		Name:  fmt.Sprintf("rank one n=%d", n),
		A:     fill(n, n, func(i, j int) float64 { return float64(u[i]) * float64(u[j]) }),
		Pivot: Unknown,
	}
	if n > 0 {
		c.Eigenvalues = make([]float64, n)
		for _, v := range u {
			c.Eigenvalues[n-1] += float64(v) * float64(v)
		}
	}
	return c
}

// hilbert returns A[i,j] = 1/(i+j+1) (hilbert, Acta Math. 18, 1894), notoriously
// ill-conditioned: about e^(3.5n). Up to n = 10 it is positive definite by a margin above rounding.
func hilbert(n int) Case {
	c := Case{Name: fmt.Sprintf("Hilbert n=%d", n), Pivot: Unknown}
	c.A = fill(n, n, func(i, j int) float64 { return 1 / float64(i+j+1) })
	if n <= 10 {
		c.Pivot = n
	}
	return c
}
