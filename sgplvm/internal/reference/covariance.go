package reference

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Covariance is a spatial kernel's value at two points, from its definition.
func Covariance(k kernel.Kernel, x, y []float64) float64 { return k.Variance * correlation(k, x, y) }

// correlation is Covariance for a variance of 1, in time too.
func correlation(k kernel.Kernel, x, y []float64) float64 {
	var square float64
	for q := range x {
		scale := 1.0
		switch len(k.LengthScale) {
		case 0:
		case 1:
			scale = k.LengthScale[0]
		default:
			scale = k.LengthScale[q]
		}
		square += math.Pow((x[q]-y[q])/scale, 2)
	}
	r := math.Sqrt(square)
	switch k.Kind {
	case kernel.Matern12:
		return math.Exp(-r)
	case kernel.Matern32:
		return (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r)
	case kernel.Matern52:
		return (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r)
	case kernel.RBF:
		return math.Exp(-r * r / 2)
	case kernel.White:
		if r == 0 {
			return 1
		}
		return 0
	case kernel.Periodic:
		return math.Exp(-2 * math.Pow(math.Sin(math.Pi*(x[0]-y[0])/k.Period)/k.LengthScale[0], 2))
	case kernel.Sum:
		var sum float64
		for i, term := range k.Terms {
			sum += k.Weights[i] * correlation(term, x, y)
		}
		return sum
	case kernel.Product:
		product := 1.0
		for _, term := range k.Terms {
			product *= correlation(term, x, y)
		}
		return product
	}
	return math.NaN()
}

// parts are those of a latent kernel without the one of time; what is not there is zero.
type parts struct {
	rbf    *psi.RBF // nil: none
	linear []float64
	bias   float64
	time   *psi.Time // nil: none
}

func partsOf(k psi.Kernel) parts {
	var all parts
	for _, p := range k.Parts {
		switch p := p.(type) {
		case *psi.RBF:
			all.rbf = p
		case *psi.Linear:
			all.linear = p.Variance
		case *psi.Bias:
			all.bias = p.Variance
		case *psi.Time:
			all.time = p
		}
	}
	return all
}

func (k parts) covariance(x, y []float64) float64 {
	sum := k.bias
	if k.rbf != nil {
		sum += Covariance(kernel.Kernel{Kind: kernel.RBF, Variance: k.rbf.Variance, LengthScale: k.rbf.LengthScale}, x, y)
	}
	for q, v := range k.linear {
		sum += float64(v * x[q] * y[q])
	}
	return sum
}

// psi0 is E k(x, x) under N(mu, diag s), the part of time included.
func (k parts) psi0(mu, s []float64) float64 {
	sum := k.bias
	if k.rbf != nil {
		sum += k.rbf.Variance
	}
	if k.time != nil {
		sum += k.time.Variance
	}
	for q, v := range k.linear {
		sum += v * (mu[q]*mu[q] + s[q])
	}
	return sum
}

// psi1 is E k(x, z), psi2 is E k(x, z)·k(x, w), both without the part of time. The product of an
// RBF part with a coordinate is E k·x_q = μ_q·E k + S_q·∂(E k)/∂μ_q (Stein).
func (k parts) psi1(mu, s, z []float64) float64 {
	sum, _ := k.linearPsi(mu, s, z, z)
	if k.rbf != nil {
		sum += k.rbfPsi1(mu, s, z)
	}
	return sum + k.bias
}

func (k parts) psi2(mu, s, z, w []float64) float64 {
	linearZ, sum := k.linearPsi(mu, s, z, w)
	linearW, _ := k.linearPsi(mu, s, w, z)
	sum += k.bias * (linearZ + linearW + k.bias)
	if k.rbf == nil {
		return sum
	}
	rbfZ, rbfW := k.rbfPsi1(mu, s, z), k.rbfPsi1(mu, s, w)
	sum += k.rbfPsi2(mu, s, z, w) + k.bias*(rbfZ+rbfW)
	for q, v := range k.linear {
		width := s[q] + k.rbf.LengthScale[q]*k.rbf.LengthScale[q]
		sum += float64(v * w[q] * rbfZ * (mu[q] - s[q]*(mu[q]-z[q])/width))
		sum += float64(v * z[q] * rbfW * (mu[q] - s[q]*(mu[q]-w[q])/width))
	}
	return sum
}

func (k parts) rbfPsi1(mu, s, z []float64) float64 {
	v := k.rbf.Variance
	for q, l := range k.rbf.LengthScale {
		v *= math.Exp(-math.Pow(mu[q]-z[q], 2)/(2*(s[q]+l*l))) / math.Sqrt(1+s[q]/(l*l))
	}
	return v
}

func (k parts) rbfPsi2(mu, s, z, w []float64) float64 {
	v := k.rbf.Variance * k.rbf.Variance
	for q, l := range k.rbf.LengthScale {
		middle := (z[q] + w[q]) / 2
		v *= math.Exp(-math.Pow(z[q]-w[q], 2)/(4*l*l)-math.Pow(mu[q]-middle, 2)/(2*s[q]+l*l)) / math.Sqrt(1+2*s[q]/(l*l))
	}
	return v
}

// linearPsi is E f(z) and E f(z)·f(w) for the linear part f(z) = Σ v_q·x_q·z_q.
func (k parts) linearPsi(mu, s, z, w []float64) (mean, product float64) {
	var other float64
	for q, v := range k.linear {
		mean += float64(v * mu[q] * z[q])
		other += float64(v * mu[q] * w[q])
		product += float64(v * v * z[q] * w[q] * s[q])
	}
	return mean, product + mean*other
}
