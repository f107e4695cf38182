package fuzz

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

func fill(r, c int, f func(i, j int) float64) mat.Matrix {
	m := mat.New(r, c)
	for i := range r {
		for j := range c {
			m.Set(i, j, f(i, j))
		}
	}
	return m
}

// values returns f(0), …, f(n-1).
func values[T any](n int, f func(k int) T) []T {
	w := make([]T, n)
	for k := range w {
		w[k] = f(k)
	}
	return w
}

// is returns 1 where b holds, else 0.
func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// side returns the number for a place below, on or above the diagonal.
func side(i, j int, below, on, above float64) float64 {
	switch {
	case i > j:
		return below
	case i == j:
		return on
	}
	return above
}

// near returns the number for a place on the diagonal, or beside it, else 0.
func near(i, j int, on, beside float64) float64 {
	switch i - j {
	case 0:
		return on
	case 1, -1:
		return beside
	}
	return 0
}

// entries returns the case of order n with A[i,j] = f(i, j), of which nothing is known yet.
func entries(name string, n int, f func(i, j int) float64) Case {
	return Case{Name: fmt.Sprintf("%s n=%d", name, n), A: fill(n, n, f), Pivot: Unknown}
}

// general returns the case of an m×n matrix of which nothing is known yet.
func general(name string, a mat.Matrix) Case {
	return Case{Name: fmt.Sprintf("%s %d×%d", name, a.Rows, a.Cols), A: a, Pivot: Unknown}
}

// failing adds the first pivot that is not positive.
func (c Case) failing(pivot int) Case {
	c.Pivot = pivot
	return c
}

// definite adds that Cholesky's algorithm succeeds.
func (c Case) definite() Case { return c.failing(c.A.Rows) }

// claiming adds properties.
func (c Case) claiming(p Properties) Case {
	c.Claims |= p
	return c
}

// factored adds an exact Cholesky factor given by its entries on and below the diagonal, and the determinant that follows from
// it.
func (c Case) factored(f func(i, j int) float64) Case {
	n := c.A.Rows
	var log float64
	c.Factor = fill(n, n, func(i, j int) float64 {
		if i < j {
			return 0
		}
		v := f(i, j)
		if i == j {
			log += 2 * math.Log(v)
		}
		return v
	})
	return c.definite().determined(log, 1)
}

// determined adds log|det A| and the determinant's sign.
func (c Case) determined(log, sign float64) Case {
	c.LogDet, c.Sign = log, sign
	return c.claiming(KnownLogDet)
}

// inverted adds the inverse, given by its entries.
func (c Case) inverted(f func(i, j int) float64) Case {
	c.Inverse = fill(c.A.Rows, c.A.Rows, f)
	return c
}

// spectrum adds eigenvalues in any order.
func (c Case) spectrum(w ...float64) Case {
	c.Eigenvalues = sorted(w)
	return c
}

// spectrumOf adds the eigenvalues f(0), …, f(n-1).
func (c Case) spectrumOf(f func(k int) float64) Case { return c.spectrum(values(c.A.Rows, f)...) }

// singular adds singular values in any order.
func (c Case) singular(w ...float64) Case {
	c.SingularValues = sorted(w)
	slices.Reverse(c.SingularValues)
	return c
}

// ranked adds the rank.
func (c Case) ranked(rank int) Case {
	c.Rank = rank
	if rank < min(c.A.Rows, c.A.Cols) {
		c.Claims |= Deficient
	} else if c.A.Rows == c.A.Cols {
		c.Claims |= Nonsingular
	}
	return c.claiming(KnownRank)
}

// slackened adds how far what is known may be from A as stored: units of ε·norm.
func (c Case) slackened(units, norm float64) Case {
	c.Slack = units * Eps * norm
	return c
}

func sorted(d []float64) []float64 {
	d = slices.Clone(d)
	slices.Sort(d)
	return d
}

// integers returns n integers from -bound to bound.
func integers(s *Source, n, bound int) []float64 {
	return values(n, func(int) float64 { return s.integer(bound) })
}

// square returns v·v, summed from the first term to the last.
func square(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	return sum
}
