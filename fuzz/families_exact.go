package fuzz

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Integers or powers of two, with a factor or eigenvalues to the bit.
var exactFamilies = []row{
	{"integer factor", nil, SPD},
	{"failing pivot", from(1), func(s *Source, n int) Case { return FailingPivot(s, n, s.values.IntN(n), -s.values.IntN(2)) }},
	{"low rank", nil, func(s *Source, n int) Case { return LowRank(s, n, n/2) }},
	{"graded", nil, func(s *Source, n int) Case { return Graded(s, n, 100) }},

	// C(i+j, i), whose factor is C(i, j) (Brawer and Pirovino, Linear Algebra Appl. 174, 1992). Above order 29 entries exceed
	// 2⁵³.
	{"Pascal", upTo(29), fixed(func(n int) Case {
		c := entries("Pascal", n, func(i, j int) float64 { return binomial(i+j, i) }).definite()
		c.Factor = fill(n, n, binomial)
		return c
	})},

	// L·Lᵀ for the L with ones on the diagonal and -1 below it (Nash, Compact Numerical Methods, 1979): one eigenvalue near 4^-n.
	{"Moler", nil, fixed(func(n int) Case {
		c := entries("Moler", n, func(i, j int) float64 { return float64(min(i, j)-1) + 2*is(i == j) })
		return c.factored(func(i, j int) float64 { return side(i, j, -1, 1, 0) })
	})},

	{"arrow", from(1), func(s *Source, n int) Case { return arrow(integers(s, n-1, 3)) }},

	// The Laplacian of a random tree without the row and column of a node joined to its root: det 1, and, since children come
	// before parents, the exact factor has -1 where i is j's parent.
	{"grounded tree", nil, func(s *Source, n int) Case {
		parent := parents(s, n)
		c := laplacian("grounded tree", n, func(i, j int) bool { return parent[j] == i })
		c.Claims = 0
		if n > 0 {
			c.A.Set(n-1, n-1, c.A.At(n-1, n-1)+1)
		}
		return c.factored(func(i, j int) float64 { return is(i == j) - is(i != j && parent[j] == i) })
	}},

	// L·Lᵀ for a random unit triangle of integers up to 9 in size: det 1 and a condition number far above what they look like
	// (Trefethen and Bau, Numerical Linear Algebra, 1997, on Golub's matrices).
	{"Golub", nil, func(s *Source, n int) Case {
		l := unitTriangle(s, n, 9, func(i, j int) bool { return i > j })
		a := squareOf(l)
		return entries("Golub", n, a.At).factored(l.At)
	}},

	// min(i, j)+1, the covariance of a random walk: eigenvalues 1/(4·sin²((2k-1)π/(4n+2))), k = 1 … n, and a factor of ones
	// (Fortiana and Cuadras, Linear Algebra Appl. 264, 1997).
	{"min(i,j)", nil, fixed(func(n int) Case {
		c := entries("min(i,j)", n, func(i, j int) float64 { return float64(min(i, j) + 1) }).definite()
		c.Factor = fill(n, n, func(i, j int) float64 { return is(i >= j) })
		c.Eigenvalues = values(n, func(k int) float64 {
			sin := math.Sin(float64(2*(n-k)-1) * math.Pi / float64(4*n+2))
			return 1 / (4 * sin * sin)
		})
		return c
	})},

	{"Hadamard", power, func(s *Source, n int) Case { return hadamard(integers(s, n, n)) }},

	// u·uᵀ for integers u: eigenvalues 0, n-1 times, and ‖u‖².
	{"rank one", nil, func(s *Source, n int) Case {
		u := integers(s, n, 4)
		c := entries("rank one", n, func(i, j int) float64 { return u[i] * u[j] })
		if n > 0 {
			c.Eigenvalues = make([]float64, n)
			c.Eigenvalues[n-1] = square(u)
		}
		return c
	}},

	{"diagonal", nil, func(s *Source, n int) Case { return diagonal(integers(s, n, 9)) }},

	// The identity with its columns in reverse order: eigenvalues 1 and -1 (Horn and Johnson, Matrix Analysis, section 0.9).
	{"exchange", nil, fixed(func(n int) Case {
		c := entries("exchange", n, func(i, j int) float64 { return is(i+j == n-1) })
		if n > 1 {
			c.Pivot = 0
		}
		return signs(c, (n+1)/2).claiming(Orthonormal)
	})},

	// Zeros of both signs.
	{"zero", nil, fixed(func(n int) Case {
		c := entries("zero", n, func(i, j int) float64 { return math.Copysign(0, float64((i+j)%2)-0.5) })
		if n > 0 {
			c.Pivot = 0
		}
		return c.spectrum(make([]float64, n)...).singular(make([]float64, n)...).ranked(0)
	})},
}

// unitTriangle returns the identity with integers up to bound in size where there says.
func unitTriangle(s *Source, n, bound int, there func(i, j int) bool) mat.Matrix {
	return fill(n, n, func(i, j int) float64 {
		if there(i, j) {
			return s.integer(bound)
		}
		return is(i == j)
	})
}

// squareOf returns l·lᵀ of integers.
func squareOf(l mat.Matrix) mat.Matrix { return NaiveMul(1, l, l.T(), 0, mat.Matrix{}) }

// IntegerFactor returns an n×n lower triangular matrix of integers from -3 to 3 with 1, 2 or 4 on the diagonal: division by the
// diagonal is exact, and so are the systems L·X = B whose solution X is of integers.
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

// SPD returns a positive definite matrix of integers with its Cholesky factor, also of integers, with 1, 2 or 4 on the diagonal.
// Every intermediate result of every variant of Cholesky's algorithm is exact, so a factorisation must return Factor to the bit.
func SPD(s *Source, n int) Case {
	l := IntegerFactor(s, n)
	return Case{Name: fmt.Sprintf("integer factor n=%d", n), A: squareOf(l), Factor: l, Pivot: n}
}

// FailingPivot returns L·D·Lᵀ with L of integers as in [SPD] and D the identity but for D[k,k] = value, an integer not above 0:
// an exact factorisation fails at pivot k, with Schur complement value·L[k,k]².
func FailingPivot(s *Source, n, k, value int) Case {
	if k < 0 || k >= n || value > 0 {
		panic(fmt.Sprintf("fuzz: FailingPivot: pivot %d = %d of a %d×%d matrix", k, value, n, n))
	}
	l := IntegerFactor(s, n)
	d := l.Clone()
	column := d.Slice(0, n, k, k+1)
	mat.Scale(column, float64(value), column)
	return Case{Name: fmt.Sprintf("pivot %d is %d n=%d", k, value, n), A: NaiveMul(1, l, d.T(), 0, mat.Matrix{}), Pivot: k}
}

// LowRank returns G·Gᵀ, where G is n×rank of integers and its leading rank rows are an integer factor as in [SPD]: positive
// semidefinite, of the given rank exactly, and pivot number rank is exactly 0.
func LowRank(s *Source, n, rank int) Case {
	if rank < 0 || rank > n {
		panic(fmt.Sprintf("fuzz: LowRank: rank %d of a %d×%d matrix", rank, n, n))
	}
	l := IntegerFactor(s, n).Slice(0, n, 0, rank)
	return Case{Name: fmt.Sprintf("rank %d n=%d", rank, n), A: squareOf(l), Pivot: rank}
}

// Graded returns D·A·D with A as in [SPD] and D = diag(2^e), where e falls evenly from span to -span: entries from 2^(2·span)
// down to 2^(-2·span), an exact Cholesky factor D·L, a condition number near 2^(4·span). span is at most 500.
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

func binomial(n, k int) float64 {
	if k > n {
		return 0
	}
	b := 1.0
	for i := 1; i <= k; i++ {
		b = b * float64(n-k+i) / float64(i)
	}
	return b
}

// arrow returns an arrowhead matrix of integers: the identity bordered by v, and 1+‖v‖² last. Factor and inverse are of integers;
// eigenvalues are 1, n-2 times, and (2+s±√(s²+4s))/2 with s = ‖v‖².
func arrow(v []float64) Case {
	n, s := len(v)+1, square(v)
	at := func(last, sign float64, inside func(i, j int) float64) func(i, j int) float64 {
		return func(i, j int) float64 {
			switch {
			case i == n-1 && j == n-1:
				return last
			case max(i, j) == n-1:
				return sign * v[min(i, j)]
			}
			return inside(i, j)
		}
	}
	unit := func(i, j int) float64 { return is(i == j) }
	c := entries("arrow", n, at(1+s, 1, unit)).factored(at(1, 1, unit))
	c = c.inverted(at(1, -1, func(i, j int) float64 { return unit(i, j) + v[i]*v[j] }))
	if n < 2 {
		return c.spectrum(1)
	}
	most := (2 + s + math.Sqrt(s*s+4*s)) / 2
	return c.spectrum(append(slices.Repeat([]float64{1}, n-2), most, 1/most)...)
}

// hadamard returns H·diag(d)·Hᵀ/n, where H is the Hadamard matrix of Sylvester, n = len(d) is a power of two and d holds integers
// below 2⁵³/n in size: a full matrix whose eigenvalues are d exactly.
func hadamard(d []float64) Case {
	n := len(d)
	c := entries("Hadamard", n, func(i, j int) float64 {
		// H[i,l] = (-1)^|i&l|, so entry (i, j) depends on i xor j alone.
		var sum float64
		for l, v := range d {
			sum += v * (1 - 2*float64(bits.OnesCount(uint(l&(i^j)))%2))
		}
		return sum / float64(n)
	})
	return c.spectrum(d...)
}

// diagonal returns diag(d): its eigenvalues are d exactly.
func diagonal(d []float64) Case {
	n := len(d)
	c := entries("diagonal", n, func(i, j int) float64 { return 0 }).spectrum(d...)
	mat.Copy(c.A.Diag(), mat.Vector(d))
	c.Pivot = slices.IndexFunc(d, func(v float64) bool { return !(v > 0) })
	if c.Pivot < 0 {
		c.Pivot = n
	}
	return c
}
