package psi

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Q is q(X), the distribution of the latent variables of n examples: q(x_n) = N(μ_n,
// diag S_n), at times that are known for all or for none.
type Q struct {
	Mu, S mat.Matrix       // n×d
	At    []kernel.Instant // n; nil: unknown
}

// One is Q of one example, whose time may be unknown (nil). It shares mu and s.
func One(mu, s []float64, at *kernel.Instant) Q {
	q := Q{Mu: mat.NewDense(1, len(mu), mu), S: mat.NewDense(1, len(s), s)}
	if at != nil {
		q.At = []kernel.Instant{*at}
	}
	return q
}

// Certain is Q of latent points without uncertainty, the rows of x, that have one time,
// which may be unknown (nil).
func Certain(x mat.Matrix, at *kernel.Instant) Q {
	q := Q{Mu: x, S: mat.New(x.Rows, x.Cols)}
	if at != nil {
		q.At = make([]kernel.Instant, x.Rows)
		for i := range q.At {
			q.At[i] = *at
		}
	}
	return q
}

// Inducing are the latent inducing points.
type Inducing struct {
	Z  mat.Matrix       // m×d
	At []kernel.Instant // m; may be nil where the kernel has no part of time
}
