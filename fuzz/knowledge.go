package fuzz

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// entries returns the case of order n with A[i,j] = f(i, j), of which nothing
// is known yet; for symmetric f.
func entries(name string, n int, f func(i, j int) float64) Case {
	return Case{Name: fmt.Sprintf("%s n=%d", name, n), A: fill(n, n, f), Pivot: Unknown}
}

// general returns the case of an m×n matrix of which nothing is known yet.
func general(name string, a mat.Matrix) Case {
	return Case{Name: fmt.Sprintf("%s %d×%d", name, a.Rows, a.Cols), A: a, Pivot: Unknown}
}

// definite adds that Cholesky's algorithm succeeds.
func (c Case) definite() Case {
	c.Pivot = c.A.Rows
	return c
}

// claiming adds properties.
func (c Case) claiming(p Properties) Case {
	c.Claims |= p
	return c
}

// factored adds an exact Cholesky factor given by its entries on and below the
// diagonal, and the determinant that follows from it.
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

// singular adds singular values in any order.
func (c Case) singular(w ...float64) Case {
	w = sorted(w)
	for i, j := 0, len(w)-1; i < j; i, j = i+1, j-1 {
		w[i], w[j] = w[j], w[i]
	}
	c.SingularValues = w
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

// slack adds how far what is known may be from A as stored: units of ε·norm.
func (c Case) slackened(units, norm float64) Case {
	c.Slack = units * Eps * norm
	return c
}

// values returns f(0), …, f(n-1).
func values[T any](n int, f func(k int) T) []T {
	w := make([]T, n)
	for k := range w {
		w[k] = f(k)
	}
	return w
}
