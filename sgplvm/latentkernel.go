package sgplvm

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/mat"
)

// LatentKernel is the covariance function of the latent variables, the sum of
// the parts that it has, at least one and each at most once:
//
//	k(x, x′) = σ²·exp(−½ Σ_q (x_q − x′_q)²/ℓ_q²) + Σ_q v_q·x_q·x′_q + b + k(t, t′)
//
// Every part has a number for each latent dimension where it can, so that
// dimensions which are not needed switch themselves off: ℓ_q → ∞, v_q → 0. Its
// psi statistics are closed forms, those between parts included (latentpsi.go).
type LatentKernel struct {
	Variance    float64   // σ² of the RBF part
	LengthScale []float64 // ℓ of the RBF part, d_ξ; nil: there is none
	Linear      []float64 // v, d_ξ; nil: no linear part
	Bias        float64   // b; 0: no bias
	Time        TimePart  // of examples that have times (latenttime.go)
}

// LatentParts is a set of parts of a latent kernel.
type LatentParts int

// The parts.
const (
	LatentRBF LatentParts = 1 << iota
	LatentLinear
	LatentBias
	LatentTime // only with Dynamics
)

// latentPartNames are the parts' names in the order of their bits.
var latentPartNames = []string{"rbf", "linear", "bias", "time"}

// ParseLatentParts reads a sum of parts such as rbf+linear+bias, in any order.
func ParseLatentParts(s string) (LatentParts, error) {
	var parts LatentParts
	for name := range strings.SplitSeq(s, "+") {
		i := slices.Index(latentPartNames, name)
		if i < 0 || parts&(1<<i) != 0 {
			return 0, errors.New("expected rbf, linear, bias, time or a sum of different ones, as rbf+linear")
		}
		parts |= 1 << i
	}
	return parts, nil
}

// String writes the set as ParseLatentParts reads it.
func (p LatentParts) String() string {
	var names []string
	for i, name := range latentPartNames {
		if p&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

// Parts returns which parts the kernel has.
func (k LatentKernel) Parts() LatentParts {
	var parts LatentParts
	if k.LengthScale != nil {
		parts |= LatentRBF
	}
	if k.Linear != nil {
		parts |= LatentLinear
	}
	if k.Bias != 0 {
		parts |= LatentBias
	}
	if k.Time.Variance != 0 {
		parts |= LatentTime
	}
	return parts
}

// rbfAlone reports whether the kernel has no other part of the latent variables.
func (k LatentKernel) rbfAlone() bool { return k.LengthScale != nil && k.Linear == nil && k.Bias == 0 }

// rbf returns the RBF part, which shares the length scales.
func (k LatentKernel) rbf() Kernel { return Kernel{RBF, k.Variance, k.LengthScale} }

func (k LatentKernel) clone() LatentKernel {
	k.LengthScale, k.Linear, k.Time.Kernel = slices.Clone(k.LengthScale), slices.Clone(k.Linear), k.Time.Kernel.clone()
	return k
}

// zero sets every parameter to 0, to collect a gradient; which vectors there are
// stays.
func (k *LatentKernel) zero() {
	k.Variance, k.Bias = 0, 0
	clear(k.LengthScale)
	clear(k.Linear)
	k.Time.Variance = 0
	k.Time.Kernel.zero()
}

// visit calls f for the parameters of every part, as Params.visit does.
func (k *LatentKernel) visit(other *LatentKernel, f func(value, slope []float64, positive bool)) {
	if k.LengthScale != nil {
		scalar(&k.Variance, &other.Variance, f)
		f(k.LengthScale, other.LengthScale, true)
	}
	if k.Linear != nil {
		f(k.Linear, other.Linear, true)
	}
	if k.Bias != 0 {
		scalar(&k.Bias, &other.Bias, f)
	}
	if k.Time.Variance != 0 {
		scalar(&k.Time.Variance, &other.Time.Variance, f)
		k.Time.Kernel.visit(&other.Time.Kernel, f)
	}
}

// validate reports whether the kernel can be used on d latent dimensions.
func (k LatentKernel) validate(d int) error {
	switch {
	case k.Parts() == 0:
		return fmt.Errorf("kernel has no part, expected an RBF part, a linear one, a bias or one of time")
	case k.LengthScale != nil && len(k.LengthScale) != d:
		return fmt.Errorf("kernel has %d length scales, expected %d", len(k.LengthScale), d)
	case k.LengthScale == nil && k.Variance != 0:
		return fmt.Errorf("kernel has the variance %v of an RBF part but no length scales, expected %d", k.Variance, d)
	case k.Linear != nil && len(k.Linear) != d:
		return fmt.Errorf("kernel has %d linear variances, expected %d", len(k.Linear), d)
	case !(k.Bias >= 0) || math.IsInf(k.Bias, 0):
		return fmt.Errorf("bias %v, expected a positive number", k.Bias)
	}
	for q, v := range k.Linear {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("linear variance %v of dimension %d, expected a positive number", v, q)
		}
	}
	if k.LengthScale == nil {
		return nil
	}
	return k.rbf().validate(d)
}

// flattestPrior bounds the prior variance that the linear part, the bias and the time part give f,
// in units of the data's. Beyond it they say nothing any more: the bound falls like
// a logarithm, while rounding in ψ0 − tr K⁻¹Ψ2, of relative size ε/jitter, grows in
// proportion, and some day it wins.
const flattestPrior = 1e4

// flatVariance returns E k(x, x) under x ~ N(0, I) of all parts but RBF.
func (k LatentKernel) flatVariance() float64 {
	sum := k.Bias + k.Time.Variance
	for _, v := range k.Linear {
		sum += v
	}
	return sum
}

// matrix sets dst[i,j] = k(x_i, y_j) without the time part for the rows of x (n×d_ξ) and y
// (m×d_ξ); dst is n×m.
func (k LatentKernel) matrix(dst, x, y mat.Matrix) {
	if k.LengthScale != nil {
		k.rbf().Matrix(dst, x, y)
	} else {
		dst.Fill(0)
	}
	if k.Linear != nil {
		scaled := mat.New(y.Rows, y.Cols)
		mat.ScaleCols(scaled, y, k.Linear)
		mat.Mul(dst, 1, x, scaled.T(), 1)
	}
	if k.Bias != 0 {
		addToAll(dst, k.Bias)
	}
}

func addToAll(dst mat.Matrix, v float64) {
	for i := range dst.Rows {
		row := dst.Row(i)
		for j := range row {
			row[j] += v
		}
	}
}

// addGradient chains a symmetric g = ∂L/∂K, where K[i,j] = k(z_i, z_j), into the
// kernel's parameters but for the time part's and z, added to grad and dz (m×d_ξ). values is K.
func (k LatentKernel) addGradient(grad *LatentKernel, dz, g, values, z mat.Matrix) {
	if k.LengthScale != nil {
		if k.Parts() != LatentRBF {
			values = mat.New(z.Rows, z.Rows)
			k.rbf().Matrix(values, z, z)
		}
		part, buffer := grad.rbf(), mat.Borrow(z.Rows*z.Cols)
		half := mat.NewDense(z.Rows, z.Cols, *buffer)
		half.Fill(0)
		k.rbf().addGradient(&part, half, g, values, z, z)
		grad.Variance = part.Variance
		mat.Add(dz, dz, 2, half) // K depends on z through both arguments
		mat.GiveBack(buffer)
	}
	if k.Linear != nil {
		gz := mat.New(z.Rows, z.Cols)
		mat.Mul(gz, 1, g, z, 0)
		for i := range z.Rows {
			zi, row, to := z.Row(i), gz.Row(i), dz.Row(i)
			for q, v := range k.Linear {
				grad.Linear[q] += row[q] * zi[q]
				to[q] += 2 * v * row[q]
			}
		}
	}
	if k.Bias != 0 {
		for i := range g.Rows {
			for _, v := range g.Row(i) {
				grad.Bias += v
			}
		}
	}
}
