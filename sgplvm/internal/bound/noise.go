package bound

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Noise is what the data have beside f, independent from example to example and channel to
// channel. It is white, of variance 1/β, or has in space the covariance
//
//	Σ = β⁻¹·I + K_r
//
// with a kernel K_r of its own (a structured residual), or a Σ that was learned freely and drawn to
// that one. A structured residual needs one spatial factor whose inducing points are its data
// points.
type Noise struct {
	Beta  float64 // noise precision 1/σ_y² of the scaled data
	Floor float64 // what the white noise variance 1/β does not fall below

	Residual kernel.Kernel // K_r; of zero Kind where the noise is white

	// Covariance is Σ at the training points (n_s×n_s) where it was learned; 0×0 elsewhere. Copies share it: it is replaced, never changed.
	Covariance mat.Matrix

	// Taper is, where Σ is learned, the distance along each spatial dimension over which what
	// examples say of two points together is believed: ℓ of exp(−Σ_q (x_q − x′_q)²/ℓ_q²); nil: any.
	Taper []float64
}

// Structured reports whether the noise has a structured part.
func (n *Noise) Structured() bool { return n.Residual.Kind != "" }

// Learned reports whether Σ was learned freely.
func (n *Noise) Learned() bool { return n.Covariance.Rows > 0 }

// Precision returns the noise precision of the data as the bound sees them: β, or 1 where they
// are multiplied by Σ^(−1/2).
func (n *Noise) Precision() float64 {
	if n.Structured() {
		return 1
	}
	return n.Beta
}

// same reports whether n and m make the same spatial factors: the same Σ, or both white.
func (n *Noise) same(m *Noise) bool {
	if !n.Structured() && !m.Structured() {
		return true
	}
	return n.Beta == m.Beta && n.Residual.Equal(m.Residual) && work.Equal(n.Covariance, m.Covariance)
}

func (n *Noise) clone() Noise {
	c := *n
	c.Residual = n.Residual.Clone()
	c.Taper = append([]float64(nil), n.Taper...)
	return c
}

// Matrix sets dst (n_s×n_s) to Σ at the training points x (n_s×d_s).
func (n *Noise) Matrix(dst, x mat.Matrix) {
	if n.Learned() {
		mat.Copy(dst, n.Covariance)
		return
	}
	n.parametric(dst, x)
}

// parametric sets dst (n×n) to β⁻¹·I + K_r at the points x (n×d_s).
func (n *Noise) parametric(dst, x mat.Matrix) {
	n.Residual.Matrix(dst, x, x)
	for i := range dst.Rows {
		dst.Row(i)[i] += 1 / n.Beta
	}
}

// LearnedAt returns which training points the points x are, if Σ was learned and they all
// are such points, else nil. What was learned says nothing of other points: predictions at
// a grid that has any take the parametric Σ there, at all of them, since the two do not
// make one covariance.
func (n *Noise) LearnedAt(x, training mat.Matrix) []int {
	if !n.Learned() {
		return nil
	}
	at, _ := data.Among(x, training)
	return at
}

// WithoutWhite sets dst (n×n) to Σ − β⁻¹·I at the points x (n×d_s), the learned one if
// these are the training points at, of LearnedAt.
func (n *Noise) WithoutWhite(dst, x mat.Matrix, at []int) {
	if at == nil {
		n.Residual.Matrix(dst, x, x)
		return
	}
	for i, k := range at {
		for j, l := range at {
			dst.Row(i)[j] = n.Covariance.At(k, l)
		}
		dst.Row(i)[i] -= 1 / n.Beta
	}
}

// TaperAt returns C_ij = exp(−Σ_q (x_iq − x_jq)²/ℓ_q²) at points x, n×n, all ones without a
// taper. A covariance times C, element by element, is a covariance again: with few examples,
// what they say of distant points is mostly chance (Furrer, Genton and Nychka, J. Comput.
// Graph. Stat. 15, 2006).
func (n *Noise) TaperAt(x mat.Matrix) mat.Matrix {
	c, k := mat.New(x.Rows, x.Rows), kernel.Kernel{Kind: kernel.RBF, Variance: 1}
	if n.Taper == nil {
		c.Fill(1)
		return c
	}
	for _, l := range n.Taper {
		k.LengthScale = append(k.LengthScale, l/math.Sqrt2)
	}
	k.Matrix(c, x, x)
	return c
}

// validate checks the noise against the spatial factors with points x.
func (n *Noise) validate(x []mat.Matrix, space []Spatial) error {
	switch {
	case !(n.Beta > 0) || math.IsInf(n.Beta, 0):
		return fmt.Errorf("noise precision %v, expected a positive number", n.Beta)
	case math.IsInf(1/n.Beta, 0):
		return fmt.Errorf("noise precision %v, expected a number with an inverse", n.Beta)
	case !(n.Floor >= 0 && n.Floor < 1/n.Beta):
		return fmt.Errorf("noise floor %v, expected at least 0 and less than the noise variance %v", n.Floor, 1/n.Beta)
	case !n.Structured():
		return nil
	case len(x) != 1 || !space[0].Tied():
		return fmt.Errorf("a structured residual with %d spatial factors, expected one, with its inducing points tied to its data points", len(x))
	case n.Residual.Kind == kernel.White:
		return fmt.Errorf("a white residual kernel, expected one of another kind: the noise is white already")
	}
	if err := n.Residual.Validate(x[0].Cols); err != nil {
		return fmt.Errorf("residual %w", err)
	}
	return n.validateLearned(x[0])
}

// validateLearned checks taper and learned covariance.
func (n *Noise) validateLearned(x mat.Matrix) error {
	if count := len(n.Taper); count != 0 && count != x.Cols {
		return fmt.Errorf("noise taper of %d lengths, expected %d, one for each dimension", count, x.Cols)
	}
	for _, l := range n.Taper {
		if !(l > 0) || math.IsInf(l, 0) {
			return fmt.Errorf("noise taper %v, expected a positive number", l)
		}
	}
	if c := n.Covariance; c.Rows > 0 {
		if c.Rows != x.Rows || c.Cols != c.Rows {
			return fmt.Errorf("noise covariance is %d×%d, expected %d×%d", c.Rows, c.Cols, x.Rows, x.Rows)
		}
		if i, j, bad := mat.NonFinite(c); bad {
			return fmt.Errorf("noise covariance of points %d and %d is %v, expected a finite number", i, j, c.At(i, j))
		}
		for i := range c.Rows {
			if v := c.At(i, i); !(v > 0) {
				return fmt.Errorf("noise variance of point %d is %v, expected a positive number", i, v)
			}
		}
	}
	return nil
}
