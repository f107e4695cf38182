package sgplvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Dynamics makes the latent variables Gaussian processes in time: x_q(t) ~ GP(0, k), one
// for each latent dimension, in place of numbers that are independent from example
// to example. The zero value stands for the latter.
type Dynamics struct {
	// Times are those of the examples, n_ξ, in any unit and order; equal ones are
	// allowed.
	Times []float64

	// Sequences are labels of the examples, n_ξ: those with different labels are
	// independent. nil: all belong to sequence 0.
	Sequences []int

	// Kernel is k. Default: Matern32. Length scales and periods that are 0 are found from
	// the data, where training starts.
	Kernel TimeKernel
}

func (d Dynamics) clone() Dynamics {
	return Dynamics{slices.Clone(d.Times), slices.Clone(d.Sequences), d.Kernel.clone()}
}

// validate checks times and labels for n examples.
func (d Dynamics) validate(n int) error {
	if len(d.Times) != n {
		return fmt.Errorf("%d times, expected %d, one for each example", len(d.Times), n)
	}
	if d.Sequences != nil && len(d.Sequences) != n {
		return fmt.Errorf("%d labels of sequences, expected %d, one for each example", len(d.Sequences), n)
	}
	for i, label := range d.Sequences {
		if label < -maxLabel || label > maxLabel {
			return fmt.Errorf("example %d is of sequence %d, expected a label between ±%d", i, label, maxLabel)
		}
	}
	return finiteTimes(d.Times)
}

// maxLabel bounds the labels of sequences, to what 32 bits hold.
const maxLabel = math.MaxInt32

func finiteTimes(times []float64) error {
	for i, t := range times {
		if math.IsNaN(t) || math.Abs(t) > farthestTime {
			return fmt.Errorf("time %d is %v, expected a number between ±%g", i, t, farthestTime)
		}
	}
	return nil
}

// farthestTime bounds times, so that differences of them are finite.
const farthestTime = 1e300

// A series is the examples of one sequence in order of time.
type series struct {
	label    int
	examples []int
	times    []float64
}

// series returns all sequences, in order of their labels.
func (d Dynamics) series() []series {
	label := func(i int) int {
		if d.Sequences == nil {
			return 0
		}
		return d.Sequences[i]
	}
	order := make([]int, len(d.Times))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(label(i), label(j)), cmp.Compare(d.Times[i], d.Times[j]))
	})
	var all []series
	for _, i := range order {
		if len(all) == 0 || all[len(all)-1].label != label(i) {
			all = append(all, series{label: label(i)})
		}
		s := &all[len(all)-1]
		s.examples, s.times = append(s.examples, i), append(s.times, d.Times[i])
	}
	return all
}

// column sets v to column q of a (n_ξ×d_ξ) along the series.
func (s *series) column(v []float64, a mat.Matrix, q int) {
	for k, i := range s.examples {
		v[k] = a.At(i, q)
	}
}

// setColumn is the reverse of column.
func (s *series) setColumn(a mat.Matrix, q int, v []float64) {
	for k, i := range s.examples {
		a.Set(i, q, v[k])
	}
}

// dynamic reports whether the latent variables move over time.
func (p *Params) dynamic() bool { return p.Dynamics.Times != nil }

// validateDynamics checks the dynamical prior against the latent means.
func (p *Params) validateDynamics() error {
	n, d := p.Mu.Rows, p.Mu.Cols
	if !p.dynamic() {
		return nil
	}
	if err := p.Dynamics.validate(n); err != nil {
		return err
	}
	if err := p.Dynamics.Kernel.validate(); err != nil {
		return err
	}
	if p.MuBar.Rows != n || p.MuBar.Cols != d || p.Lambda.Rows != n || p.Lambda.Cols != d {
		return fmt.Errorf("coefficients μ̄ are %d×%d and precisions Λ %d×%d, expected %d×%d like the latent means", p.MuBar.Rows, p.MuBar.Cols, p.Lambda.Rows, p.Lambda.Cols, n, d)
	}
	if i, q, bad := mat.NonFinite(p.MuBar); bad {
		return fmt.Errorf("coefficient %v of example %d, dimension %d, expected a finite number", p.MuBar.At(i, q), i, q)
	}
	for i := range n {
		for q, v := range p.Lambda.Row(i) {
			if !(v > 0) || math.IsInf(v, 0) {
				return fmt.Errorf("precision %v of example %d, dimension %d, expected a positive number", v, i, q)
			}
		}
	}
	return nil
}

// visitDynamics is visit for μ̄, Λ and the time kernel. Where p is whitened the
// optimiser sees x = Rᵀ·μ̄ in place of μ̄, and ∂L/∂x = R⁻¹·∂L/∂μ̄.
func (p *Params) visitDynamics(other *Params, f func(value, slope []float64, positive bool)) {
	if p.Whitening.Kind == "" {
		f(p.MuBar.Data, other.MuBar.Data, false)
	} else {
		w := p.whitener()
		n, d := p.MuBar.Rows, p.MuBar.Cols
		x, slope := mat.New(n, d), mat.New(n, d)
		w.white(x, p.MuBar)
		w.slope(slope, other.MuBar)
		before := slices.Clone(x.Data)
		f(x.Data, slope.Data, false)
		if !slices.Equal(x.Data, before) {
			w.coefficients(p.MuBar, x)
		}
	}
	f(p.Lambda.Data, other.Lambda.Data, true)
	p.Dynamics.Kernel.visit(&other.Dynamics.Kernel, f)
}

// A whitener holds R of K + whiteNugget·I = R·Rᵀ for each series. The divergence holds
// ½·μ̄ᵀ·K·μ̄, which is about ½·‖x‖² with x = Rᵀ·μ̄, and the means K·μ̄ are about R·x: in x
// the optimiser is not held up by the condition number of K, as long as the kernel
// stays near that of the start.
type whitener struct {
	series  []series
	factors []*chol.Factor
}

// whiteNugget is, in prior variances, what of K may be nearly singular, as measured
// (doc_dynamics.go).
const whiteNugget = 0.1

// whitener returns the whitener of the kernel Whitening, which it makes when it is first asked for.
func (p *Params) whitener() *whitener {
	if p.whitening == nil {
		p.whitening = newWhitener(p.Dynamics.series(), p.Whitening)
	}
	return p.whitening
}

func newWhitener(all []series, kernel TimeKernel) *whitener {
	w := &whitener{series: all}
	for _, s := range all {
		k, f := mat.New(len(s.times), len(s.times)), new(chol.Factor)
		kernel.matrix(k, s.times, s.times)
		if err := f.RefactorizeShifted(k, whiteNugget); err != nil {
			panic(fmt.Sprintf("sgplvm: a kernel matrix of %d times, from which a model has started, cannot be factored: %v", len(s.times), err))
		}
		w.factors = append(w.factors, f)
	}
	return w
}

// each sets the rows of dst (n_ξ×d_ξ) of every series to those of src after do.
func (w *whitener) each(dst, src mat.Matrix, do func(f *chol.Factor, block mat.Matrix)) {
	for i, s := range w.series {
		block := gather(src, s.examples)
		do(w.factors[i], block)
		for k, n := range s.examples {
			copy(dst.Row(n), block.Row(k))
		}
	}
}

// white sets x to Rᵀ·μ̄.
func (w *whitener) white(x, muBar mat.Matrix) {
	w.each(x, muBar, func(f *chol.Factor, block mat.Matrix) { mat.MulUpper(f.L().T(), block) })
}

// coefficients sets muBar to R⁻ᵀ·x.
func (w *whitener) coefficients(muBar, x mat.Matrix) {
	w.each(muBar, x, (*chol.Factor).SolveHalfT)
}

// slope sets dx to R⁻¹·dMuBar.
func (w *whitener) slope(dx, dMuBar mat.Matrix) { w.each(dx, dMuBar, (*chol.Factor).SolveHalf) }

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
	series []series
	k      []mat.Matrix   // K of each series
	s      [][]mat.Matrix // S of each series and latent dimension
	kl     float64

	factor         chol.Factor
	v, a, wa, dK   mat.Matrix
	muBar, lambda  []float64
	mean, variance []float64
	step, product  []float64
}

func newTimePrior(d Dynamics) *timePrior {
	t := &timePrior{series: d.series()}
	t.k, t.s = make([]mat.Matrix, len(t.series)), make([][]mat.Matrix, len(t.series))
	return t
}

// largestCoefficients bounds Σ|μ̄_n| of a sequence and latent dimension. Where K is nearly singular
// larger ones can cancel in K·μ̄, and rounding, up to ε·(Σ|μ̄_n|)², may make the divergence negative:
// an optimiser takes that for a better bound.
const largestCoefficients = 1e7

// leastLatentVariance is what rounding in K − VᵀV leaves of a variance at least.
const leastLatentVariance = 0x1p-52

// set overwrites Mu and S of p by what μ̄, Λ and the time kernel make of them, and
// evaluates the divergence. The error names the latent dimension.
func (t *timePrior) set(p *Params) error {
	t.kl = 0
	for i := range t.series {
		s := &t.series[i]
		n, d := len(s.times), p.MuBar.Cols
		k := &t.k[i]
		resize(k, n, n)
		p.Dynamics.Kernel.matrix(*k, s.times, s.times)
		if t.s[i] == nil {
			t.s[i] = make([]mat.Matrix, d)
		}
		t.fit(n)
		for q := range d {
			s.column(t.muBar, p.MuBar, q)
			s.column(t.lambda, p.Lambda, q)
			logDet, err := t.posterior(&t.s[i][q], *k)
			if size := sumAbs(t.muBar); !(size <= largestCoefficients) {
				err = fmt.Errorf("coefficients with a sum of %.3g, expected at most %g", size, largestCoefficients)
			}
			if err != nil {
				return fmt.Errorf("sgplvm: dynamical prior, sequence %d, latent dimension %d: %w", s.label, q, err)
			}
			mat.Mul(mat.Vector(t.mean), 1, *k, mat.Vector(t.muBar), 0)
			for j := range n {
				t.variance[j] = max(t.s[i][q].At(j, j), leastLatentVariance)
			}
			s.setColumn(p.Mu, q, t.mean)
			s.setColumn(p.S, q, t.variance)
			t.kl += 0.5 * (logDet - asm.Dot(t.lambda, t.variance) + asm.Dot(t.muBar, t.mean))
		}
	}
	return nil
}

func sumAbs(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += math.Abs(x)
	}
	return s
}

func (t *timePrior) fit(n int) {
	for _, v := range []*[]float64{&t.muBar, &t.lambda, &t.mean, &t.variance, &t.step, &t.product} {
		*v = grown(*v, n)
	}
	for _, m := range []*mat.Matrix{&t.v, &t.a, &t.wa, &t.dK} {
		resize(m, n, n)
	}
}

// posterior sets dst (n×n) to S for the precisions t.lambda and returns log|B|.
func (t *timePrior) posterior(dst *mat.Matrix, k mat.Matrix) (logDet float64, err error) {
	if err := precisionFactor(&t.factor, t.a, t.v, k, t.lambda); err != nil {
		return 0, err
	}
	t.factor.SolveHalf(t.v)
	resize(dst, k.Rows, k.Cols)
	mat.Copy(*dst, k)
	mat.Syrk(*dst, -1, t.v.T(), 1)
	mat.MirrorLower(*dst)
	return t.factor.LogDet(), nil
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
		s, k := &t.series[i], t.k[i]
		n := len(s.times)
		t.fit(n)
		t.dK.Fill(0)
		u, w := t.mean, t.variance
		for q := range p.MuBar.Cols {
			cov := t.s[i][q]
			s.column(t.muBar, p.MuBar, q)
			s.column(t.lambda, p.Lambda, q)
			s.column(u, grad.Mu, q)
			s.column(w, grad.S, q)
			for j, a := range u {
				t.step[j] = a - t.muBar[j]
				u[j] = a - 0.5*t.muBar[j]
				w[j] += 0.5 * t.lambda[j]
			}
			mat.Mul(mat.Vector(t.product), 1, k, mat.Vector(t.step), 0)
			for j, e := range s.examples {
				grad.MuBar.Set(e, q, t.product[j])
				var dLambda float64
				for l, c := range cov.Row(j) {
					dLambda -= w[l] * c * c
				}
				grad.Lambda.Set(e, q, dLambda)
			}
			for j := range n {
				row, dK := t.a.Row(j), t.dK.Row(j)
				for l, c := range cov.Row(j) {
					row[l] = -c * t.lambda[l]
				}
				row[j]++
				asm.Scale(t.wa.Row(j), w[j], row)
				asm.Axpy(-0.5*t.lambda[j], row, dK)
				asm.Axpy(0.5*u[j], t.muBar, dK)
				asm.Axpy(0.5*t.muBar[j], u, dK)
			}
			mat.MulSym(t.dK, 1, t.a.T(), t.wa, 1)
		}
		p.Dynamics.Kernel.addMatrixGradient(&grad.Dynamics.Kernel, t.dK, s.times)
	}
}
