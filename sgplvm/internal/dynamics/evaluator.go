package dynamics

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// An Evaluator computes marginals and divergence of q(X), and their gradient, in storage that it
// keeps. It is not for concurrent use.
type Evaluator struct {
	sequences   []data.Sequence
	covariances [][]covariance // K of each sequence, for all latent dimensions or for each of them

	muBar, lambda, mean, variance, step, slope []float64
}

// A covariance is the kernel matrix K of a sequence of n times, in one of two forms. S is
// (K⁻¹ + Λ)⁻¹ of a latent dimension, and B = I + Λ^½·K·Λ^½; vectors have n numbers.
type covariance interface {
	set(k kernel.Kernel, times []float64) // ascending

	// mul sets dst = K·v.
	mul(dst, v []float64)

	// marginals sets variance to diag S of latent dimension q and returns log|B|.
	marginals(q int, variance, lambda []float64) (logDet float64, err error)

	// addSlopes sets dLambda_k = −Σ_n w_n·S_nk², after marginals, and adds to ∂L/∂K the derivatives
	// of Σ_n w_n·S_nn − ½·log|B| + uᵀ·K·μ̄.
	addSlopes(q int, dLambda, lambda, w, u, muBar []float64)

	// addGradient chains ∂L/∂K into the kernel's parameters, added to grad.
	addGradient(grad *kernel.Kernel)
}

// newCovariance returns K in the form that is the faster one.
func newCovariance(k kernel.Kernel, n int) covariance {
	if useStates(k, n) {
		return new(stateCovariance)
	}
	return new(denseCovariance)
}

// NewEvaluator returns an evaluator for parameters with the times, the sequences and the kinds of kernels of
// prior.
func NewEvaluator(prior Prior) *Evaluator {
	e := &Evaluator{sequences: prior.sequences()}
	for _, s := range e.sequences {
		var all []covariance
		for _, k := range prior.kernels() {
			all = append(all, newCovariance(*k, len(s.Times)))
		}
		e.covariances = append(e.covariances, all)
	}
	return e
}

// Bounds on Σ|μ̄_n| of a sequence and latent dimension, and on λ_n. Where K is nearly singular
// larger coefficients can cancel in K·μ̄, and rounding is up to ε·(Σ|μ̄_n|)² in the divergence; S
// has an error of ε, which λ multiplies there. Beyond these bounds rounding may make the divergence
// negative, and an optimiser takes that for a better bound.
const (
	largestCoefficients = 1e7
	largestPrecision    = 1e13
)

// minVariance is what rounding leaves of a variance at least.
const minVariance = 0x1p-52

// Marginals sets mu and s (n×d) to means and variances of q(X) and returns KL(q(X) ‖ p(X)), in nats.
// The error names the sequence and the latent dimension; mu and s are not complete then.
func (e *Evaluator) Marginals(p *Params, mu, s mat.Matrix) (kl float64, err error) {
	for i := range e.sequences {
		sequence, all := &e.sequences[i], e.covariances[i]
		for j, k := range p.Prior.kernels() {
			all[j].set(*k, sequence.Times)
		}
		e.fit(len(sequence.Times))
		for q := range p.MuBar.Cols {
			j, at := of(len(all), q)
			k := all[j]
			sequence.Column(e.muBar, p.MuBar, q)
			sequence.Column(e.lambda, p.Lambda, q)
			logDet, err := k.marginals(at, e.variance, e.lambda)
			size, precision := sumAbs(e.muBar), slices.Max(e.lambda)
			switch {
			case !(size <= largestCoefficients):
				err = fmt.Errorf("coefficients with a sum of %.3g, expected at most %g", size, largestCoefficients)
			case !(precision <= largestPrecision):
				err = fmt.Errorf("a precision of %.3g, expected at most %g", precision, largestPrecision)
			}
			if err != nil {
				return 0, failed(sequence, q, err)
			}
			k.mul(e.mean, e.muBar)
			for j, v := range e.variance {
				e.variance[j] = min(max(v, minVariance), 1/e.lambda[j])
			}
			sequence.SetColumn(mu, q, e.mean)
			sequence.SetColumn(s, q, e.variance)
			kl += 0.5 * (logDet - asm.Dot(e.lambda, e.variance) + asm.Dot(e.muBar, e.mean))
		}
	}
	return kl, nil
}

func sumAbs(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += math.Abs(x)
	}
	return s
}

func (e *Evaluator) fit(n int) {
	for _, v := range []*[]float64{&e.muBar, &e.lambda, &e.mean, &e.variance, &e.step, &e.slope} {
		*v = work.Grown(*v, n)
	}
}

// Backward sets grad to the gradient of L − KL(q(X) ‖ p(X)), given dmu = ∂L/∂μ and ds = ∂L/∂S (n×d) at
// the parameters of the last call of Marginals. For one sequence and dimension, with A = I − S·Λ, the slopes
// a and g of L in means and variances, u = a − ½·μ̄ and w = g + ½·λ,
//
//	∂/∂μ̄ = K·(a − μ̄)
//	∂/∂λ_k = −Σ_n w_n·S_nk²
//	∂/∂K = Aᵀ·diag(w)·A − ½·Λ·A + ½·(u·μ̄ᵀ + μ̄·uᵀ)
//
// Kernels of single dimensions get no gradient.
func (e *Evaluator) Backward(grad, p *Params, dmu, ds mat.Matrix) {
	grad.Prior.Kernel.Zero()
	for i := range e.sequences {
		sequence, all := &e.sequences[i], e.covariances[i]
		e.fit(len(sequence.Times))
		u, w := e.mean, e.variance
		for q := range p.MuBar.Cols {
			j, at := of(len(all), q)
			k := all[j]
			sequence.Column(e.muBar, p.MuBar, q)
			sequence.Column(e.lambda, p.Lambda, q)
			sequence.Column(u, dmu, q)
			sequence.Column(w, ds, q)
			mat.Add(mat.Vector(e.step), mat.Vector(u), -1, mat.Vector(e.muBar))
			for j := range w {
				u[j] -= 0.5 * e.muBar[j]
				w[j] += 0.5 * e.lambda[j]
			}
			k.mul(e.slope, e.step)
			sequence.SetColumn(grad.MuBar, q, e.slope)
			k.addSlopes(at, e.slope, e.lambda, w, u, e.muBar)
			sequence.SetColumn(grad.Lambda, q, e.slope)
		}
		if p.Prior.Own == nil {
			all[0].addGradient(&grad.Prior.Kernel)
		}
	}
}
