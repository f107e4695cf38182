package sgplvm

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A timePrior evaluates q(X) and its divergence from the dynamical prior. For each
// sequence and latent dimension, with the kernel matrix K (n×n) of its times and the
// variational parameters μ̄ and Λ (n),
//
//	mean = K·μ̄,  S = (K⁻¹ + Λ)⁻¹ = K − K·Λ^½·B⁻¹·Λ^½·K,  B = I + Λ^½·K·Λ^½ = R·Rᵀ
//	KL = ½·[log|B| + tr B⁻¹ + μ̄ᵀ·K·μ̄ − n],  tr B⁻¹ = n − Σ λ_n·S_nn
//
// K is not inverted, so that equal times do no harm. Damianou, Titsias and Lawrence,
// "Variational Gaussian process dynamical systems" (2011), section 3; the
// parameters: Opper and Archambeau, Neural Computation 21 (2009).
type timePrior struct {
	series      []series
	covariances []timeCovariance // K of each series
	kl          float64

	muBar, lambda, mean, variance, step []float64
}

// A timeCovariance is the kernel matrix K of a series, in one of two forms.
type timeCovariance interface {
	set(kernel TimeKernel, times []float64) // ascending

	// mul sets dst = K·v.
	mul(dst, v []float64)

	// posterior sets variance to diag S of latent dimension q and returns log|B|.
	posterior(q int, variance, lambda []float64) (logDet float64, err error)

	// addSlopes sets dLambda_k = −Σ_n w_n·S_nk², after posterior, and adds to ∂L/∂K the derivatives of
	// Σ_n w_n·S_nn − ½·log|B| + uᵀ·K·μ̄.
	addSlopes(q int, dLambda, lambda, w, u, muBar []float64)

	// addGradient chains ∂L/∂K into the kernel's parameters, added to grad.
	addGradient(grad *TimeKernel)
}

// newCovariance returns K in the form that is the faster one.
func newCovariance(kernel TimeKernel, n int) timeCovariance {
	if kernel.markovFor(n) {
		return new(markov)
	}
	return new(denseCovariance)
}

func newTimePrior(d Dynamics) *timePrior {
	t := &timePrior{series: d.series()}
	for _, s := range t.series {
		t.covariances = append(t.covariances, newCovariance(d.Kernel, len(s.times)))
	}
	return t
}

// Bounds on Σ|μ̄_n| of a sequence and latent dimension, and on λ_n. Where K is nearly singular
// larger coefficients can cancel in K·μ̄, and rounding is up to ε·(Σ|μ̄_n|)² in the divergence; S
// has an error of ε, which λ multiplies there. Beyond these bounds rounding may make the divergence
// negative, and an optimiser takes that for a better bound.
const (
	largestCoefficients = 1e7
	largestPrecision    = 1e13
)

// leastLatentVariance is what rounding leaves of a variance at least.
const leastLatentVariance = 0x1p-52

// set overwrites Mu and S of p by what μ̄, Λ and the time kernel make of them, and
// evaluates the divergence. The error names the sequence and the latent dimension.
func (t *timePrior) set(p *Params) error {
	t.kl = 0
	for i := range t.series {
		s, k := &t.series[i], t.covariances[i]
		k.set(p.Dynamics.Kernel, s.times)
		t.fit(len(s.times))
		for q := range p.MuBar.Cols {
			s.column(t.muBar, p.MuBar, q)
			s.column(t.lambda, p.Lambda, q)
			logDet, err := k.posterior(q, t.variance, t.lambda)
			size, precision := sumAbs(t.muBar), slices.Max(t.lambda)
			switch {
			case !(size <= largestCoefficients):
				err = fmt.Errorf("coefficients with a sum of %.3g, expected at most %g", size, largestCoefficients)
			case !(precision <= largestPrecision):
				err = fmt.Errorf("a precision of %.3g, expected at most %g", precision, largestPrecision)
			}
			if err != nil {
				return s.failed(q, err)
			}
			k.mul(t.mean, t.muBar)
			for j, v := range t.variance {
				t.variance[j] = min(max(v, leastLatentVariance), 1/t.lambda[j])
			}
			s.setColumn(p.Mu, q, t.mean)
			s.setColumn(p.S, q, t.variance)
			t.kl += 0.5 * (logDet - asm.Dot(t.lambda, t.variance) + asm.Dot(t.muBar, t.mean))
		}
	}
	return nil
}

// failed says where an error arose.
func (s *series) failed(q int, err error) error {
	return fmt.Errorf("sgplvm: dynamical prior, sequence %d, latent dimension %d: %w", s.label, q, err)
}

func sumAbs(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += math.Abs(x)
	}
	return s
}

func (t *timePrior) fit(n int) {
	for _, v := range []*[]float64{&t.muBar, &t.lambda, &t.mean, &t.variance, &t.step} {
		*v = grown(*v, n)
	}
}

// backward chains the derivatives of the bound in Mu and S, without those of the
// divergence, from grad.Mu and grad.S into μ̄, Λ and the time kernel, and subtracts the
// divergence's. With A = I − S·Λ, the slopes a and g of the bound in the means and
// variances of one dimension, u = a − ½·μ̄ and w = g + ½·λ,
//
//	∂L/∂μ̄ = K·(a − μ̄)
//	∂L/∂λ_k = −Σ_n w_n·S_nk²
//	∂L/∂K = Aᵀ·diag(w)·A − ½·Λ·A + ½·(u·μ̄ᵀ + μ̄·uᵀ)
func (t *timePrior) backward(grad, p *Params) {
	for i := range t.series {
		s, k := &t.series[i], t.covariances[i]
		t.fit(len(s.times))
		u, w := t.mean, t.variance
		for q := range p.MuBar.Cols {
			s.column(t.muBar, p.MuBar, q)
			s.column(t.lambda, p.Lambda, q)
			s.column(u, grad.Mu, q)
			s.column(w, grad.S, q)
			mat.Add(mat.Vector(t.step), mat.Vector(u), -1, mat.Vector(t.muBar))
			for j := range w {
				u[j] -= 0.5 * t.muBar[j]
				w[j] += 0.5 * t.lambda[j]
			}
			slope := make([]float64, len(u))
			k.mul(slope, t.step)
			s.setColumn(grad.MuBar, q, slope)
			k.addSlopes(q, slope, t.lambda, w, u, t.muBar)
			s.setColumn(grad.Lambda, q, slope)
		}
		k.addGradient(&grad.Dynamics.Kernel)
	}
}

// A denseCovariance is K as a matrix, with S of every latent dimension.
type denseCovariance struct {
	kernel TimeKernel
	times  []float64
	k      mat.Matrix
	s      []mat.Matrix // of each latent dimension

	factor   chol.Factor
	v, a, wa mat.Matrix
	dK       mat.Matrix // lower triangle
}

func (d *denseCovariance) set(kernel TimeKernel, times []float64) {
	d.kernel, d.times = kernel, times
	for _, m := range []*mat.Matrix{&d.k, &d.v, &d.a, &d.wa, &d.dK} {
		resize(m, len(times), len(times))
	}
	kernel.matrix(d.k, times, times)
	d.dK.Fill(0)
}

func (d *denseCovariance) mul(dst, v []float64) { mat.Mul(mat.Vector(dst), 1, d.k, mat.Vector(v), 0) }

func (d *denseCovariance) posterior(q int, variance, lambda []float64) (logDet float64, err error) {
	for len(d.s) <= q {
		d.s = append(d.s, mat.New(d.k.Rows, d.k.Cols))
	}
	if err := precisionFactor(&d.factor, d.a, d.v, d.k, lambda); err != nil {
		return 0, err
	}
	d.factor.SolveHalf(d.v)
	mat.Copy(d.s[q], d.k)
	mat.Syrk(d.s[q], -1, d.v.T(), 1)
	mat.MirrorLower(d.s[q])
	for j := range variance {
		variance[j] = d.s[q].At(j, j)
	}
	return d.factor.LogDet(), nil
}

// precisionFactor factors B = I + Λ^½·K·Λ^½. It overwrites b with B and scaled with Λ^½·K,
// both n×n.
func precisionFactor(f *chol.Factor, b, scaled, k mat.Matrix, lambda []float64) error {
	for i, l := range lambda {
		asm.Scale(scaled.Row(i), math.Sqrt(l), k.Row(i))
	}
	for i := range lambda {
		row := b.Row(i)
		for j, l := range lambda {
			row[j] = scaled.At(i, j) * math.Sqrt(l)
		}
	}
	return f.RefactorizeShifted(b, 1)
}

func (d *denseCovariance) addSlopes(q int, dLambda, lambda, w, u, muBar []float64) {
	for j := range lambda {
		row, dK := d.a.Row(j), d.dK.Row(j)
		dLambda[j] = 0
		for l, c := range d.s[q].Row(j) {
			dLambda[j] -= w[l] * c * c
			row[l] = -c * lambda[l]
		}
		row[j]++
		asm.Scale(d.wa.Row(j), w[j], row)
		asm.Axpy(-0.5*lambda[j], row, dK)
		asm.Axpy(0.5*u[j], muBar, dK)
		asm.Axpy(0.5*muBar[j], u, dK)
	}
	mat.MulSym(d.dK, 1, d.a.T(), d.wa, 1)
}

func (d *denseCovariance) addGradient(grad *TimeKernel) {
	d.kernel.addMatrixGradient(grad, d.dK, d.times)
}
