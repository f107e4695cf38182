package baseline

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// pictureGP is Gaussian-process regression over the points of one picture: an
// unknown constant plus a process with a Matérn kernel of order 3/2, one length
// scale for each dimension, plus noise. Each channel of each picture gets its own
// kernel, fitted to its seen values; training pictures say only what a picture
// of which nothing is seen may look like.
type pictureGP struct {
	points   mat.Matrix // n_s×d_s, in mean spacings
	channels int
	mean     []float64 // of each channel in training
	variance []float64
}

func fitPictureGP(x mat.Matrix, channels int) fitter {
	points := inSpacings(x)
	return func(y mat.Matrix) (func(parameters []float64) (conditional, error), error) {
		m := &pictureGP{points, channels, make([]float64, channels), make([]float64, channels)}
		floor := least * spread(y)
		for c := range channels {
			var all []float64
			for i := range y.Rows {
				for j := c; j < y.Cols; j += channels {
					all = append(all, y.At(i, j))
				}
			}
			mean, centred := moments(mat.Vector(all))
			m.mean[c], m.variance[c] = mean[0], max(mat.Dot(centred, centred)/float64(len(all)), floor)
		}
		return func([]float64) (conditional, error) { return m, nil }, nil
	}
}

func (m *pictureGP) fill(mean, variance, seen mat.Matrix, p pattern) error {
	for c := range m.channels {
		seenPoints, from := m.channel(p.seen, c)
		missingPoints, to := m.channel(p.missing, c)
		if len(missingPoints) == 0 {
			continue
		}
		for i := range seen.Rows {
			mu, v, err := m.regress(gather(seen.Row(i), from), c, seenPoints, missingPoints)
			if err != nil {
				return err
			}
			for k, j := range to {
				mean.Set(i, j, mu[k])
				variance.Set(i, j, v[k])
			}
		}
	}
	return nil
}

// channel returns the points of the values of channel c in a list, and where they
// stand in it.
func (m *pictureGP) channel(list []int, c int) (points, positions []int) {
	for k, j := range list {
		if j%m.channels == c {
			points = append(points, j/m.channels)
			positions = append(positions, k)
		}
	}
	return points, positions
}

// noiseFloor is the least noise variance as a part of that of the seen values.
const noiseFloor = 1e-6

// regress fits the kernel to the values y of channel c at the points seen and
// predicts those at the points missing.
func (m *pictureGP) regress(y []float64, c int, seen, missing []int) (mean, variance []float64, err error) {
	n := len(y)
	mean, variance = make([]float64, len(missing)), make([]float64, len(missing))
	var level, s2 float64
	for _, v := range y {
		level += v / float64(n)
	}
	for _, v := range y {
		s2 += square(v-level) / float64(n)
	}
	if n < 2 {
		for k := range missing {
			mean[k], variance[k] = m.mean[c], m.variance[c]
		}
		return mean, variance, nil
	}
	// Values that are all alike are taken to vary a little, as rounding does.
	s := math.Sqrt(max(s2, 1e-4*m.variance[c]))
	f := newRegression(rows(m.points, seen))
	for k, v := range y {
		f.y.Data[k] = (v - level) / s
	}
	theta, err := f.optimise()
	if err != nil {
		return nil, nil, err
	}
	if err := f.predict(mean, variance, theta, rows(m.points, missing)); err != nil {
		return nil, nil, err
	}
	for k := range mean {
		mean[k] = level + s*mean[k]
		variance[k] *= s * s
	}
	return mean, variance, nil
}

// A regression holds the scaled values of one picture and the workspace of their
// marginal likelihood. Its variables are θ = (log σ², log τ², log ℓ_1, …, log ℓ_d):
// the variances of the process and of the noise, and length scales in mean spacings.
type regression struct {
	x        mat.Matrix    // seen points, n×d
	y        mat.Matrix    // n×1
	kernel   kernel.Kernel // of the process, with σ² and ℓ
	gradient kernel.Kernel
	k        mat.Matrix // covariance of the process, n×n
	inverse  mat.Matrix
	factor   chol.Factor
	noise    float64    // τ²
	alpha    mat.Matrix // K⁻¹(y − mean), n×1
	ones     mat.Matrix // K⁻¹1, n×1
	sum      float64    // 1ᵀK⁻¹1
	level    float64    // the mean: 1ᵀK⁻¹y/1ᵀK⁻¹1
}

func newRegression(x mat.Matrix) *regression {
	n := x.Rows
	process := kernel.Kernel{Kind: kernel.Matern32, LengthScale: make([]float64, x.Cols)}
	return &regression{x: x, y: mat.New(n, 1), kernel: process, gradient: process.Clone(),
		k: mat.New(n, n), inverse: mat.New(n, n), alpha: mat.New(n, 1), ones: mat.New(n, 1)}
}

// A broad prior keeps what the picture does not tell where numbers are finite:
// log-normal, with a deviation of priorDeviation in the logarithm.
const priorDeviation = 3

// centreOf is the prior's median in each variable.
func (f *regression) centreOf(i int) float64 {
	return []float64{0, math.Log(0.05), math.Log(4)}[min(i, 2)]
}

// starts are where the search for θ begins: smooth with little noise, and rough.
var starts = [][3]float64{{0, math.Log(0.02), math.Log(6)}, {0, math.Log(0.1), math.Log(2)}}

// optimise returns the best θ that L-BFGS finds from the starts.
func (f *regression) optimise() ([]float64, error) {
	var best []float64
	lowest := math.Inf(1)
	for _, s := range starts {
		theta := make([]float64, 2+f.x.Cols)
		for i := range theta {
			theta[i] = s[min(i, 2)]
		}
		r, err := lbfgs.Minimize(context.Background(), f.objective, theta, lbfgs.Options{MaxIterations: 60, GradTolerance: 1e-3, RelativeDecrease: 1e-7, Noise: 1e-10})
		if err != nil {
			return nil, fmt.Errorf("baseline: marginal likelihood: %w", err)
		}
		if r.F < lowest {
			lowest, best = r.F, r.X
		}
	}
	return best, nil
}

// solve factors the covariance of the seen values and finds their mean, by
// generalised least squares.
func (f *regression) solve(theta []float64) error {
	f.kernel.Variance, f.noise = math.Exp(theta[0]), math.Exp(theta[1])+noiseFloor
	for q, log := range theta[2:] {
		f.kernel.LengthScale[q] = math.Exp(log)
	}
	f.kernel.Matrix(f.k, f.x, f.x)
	if err := f.factor.RefactorizeShifted(f.k, f.noise); err != nil {
		return err
	}
	f.ones.Fill(1)
	f.factor.Solve(f.ones)
	mat.Copy(f.alpha, f.y)
	f.factor.Solve(f.alpha)
	f.sum, f.level = 0, 0
	for i, u := range f.ones.Data {
		f.sum += u
		f.level += u * f.y.Data[i]
	}
	f.level /= f.sum
	asm.Axpy(-f.level, f.ones.Data, f.alpha.Data)
	return nil
}

// objective is the negative log marginal likelihood, the constant mean integrated
// out under a flat prior (Rasmussen and Williams 2006, section 2.7), plus that of
// the prior of θ; constants left out. Its gradient follows from
// ∂/∂K = −½·(ααᵀ + uuᵀ/1ᵀu − K⁻¹), u = K⁻¹1.
func (f *regression) objective(theta, grad []float64) float64 {
	if err := f.solve(theta); err != nil {
		return math.NaN()
	}
	value := 0.5*mat.Dot(f.y, f.alpha) + 0.5*f.factor.LogDet() + 0.5*math.Log(f.sum)
	clear(grad)
	f.factor.Inverse(f.inverse)
	for i := range f.y.Rows {
		g := f.inverse.Row(i)[:i+1]
		asm.Axpy(-f.alpha.Data[i], f.alpha.Data[:i+1], g)
		asm.Axpy(-f.ones.Data[i]/f.sum, f.ones.Data[:i+1], g)
		grad[1] += 0.5 * g[i] * (f.noise - noiseFloor)
	}
	mat.MirrorLower(f.inverse)
	f.gradient.Zero()
	f.kernel.AddGradient(&f.gradient, mat.Matrix{}, f.inverse, f.k, f.x, f.x)
	grad[0] = 0.5 * f.gradient.Variance * f.kernel.Variance
	for q, slope := range f.gradient.LengthScale {
		grad[2+q] = 0.5 * slope * f.kernel.LengthScale[q]
	}
	for i, t := range theta {
		z := (t - f.centreOf(i)) / priorDeviation
		value += 0.5 * z * z
		grad[i] += z / priorDeviation
	}
	return value
}

// predict sets mean and variance, noise included, of the values at other points
// x; the variance counts the uncertain constant.
func (f *regression) predict(mean, variance, theta []float64, x mat.Matrix) error {
	if err := f.solve(theta); err != nil {
		return fmt.Errorf("baseline: covariance of the observed values: %w", err)
	}
	om := mat.New(f.x.Rows, x.Rows)
	f.kernel.Matrix(om, f.x, x)
	slack := make([]float64, x.Rows) // 1 − kᵀK⁻¹1
	for k := range slack {
		slack[k] = 1
		mean[k] = f.level
		variance[k] = f.kernel.Variance
	}
	for i := range om.Rows {
		asm.Axpy(f.alpha.Data[i], om.Row(i), mean)
		asm.Axpy(-f.ones.Data[i], om.Row(i), slack)
	}
	f.factor.SolveHalf(om)
	squares := make([]float64, x.Rows)
	for i := range om.Rows {
		asm.MulTo(squares, om.Row(i), om.Row(i))
		asm.Axpy(-1, squares, variance)
	}
	for k := range variance {
		variance[k] = max(variance[k], 0) + square(slack[k])/f.sum + f.noise
	}
	return nil
}
