package baseline

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// gaussian is a distribution of complete pictures with a mean and a covariance,
// normal or, for finitely many degrees of freedom, Student's t.
type gaussian struct {
	mean       []float64  // p
	covariance mat.Matrix // p×p, both triangles
	degrees    float64    // ν
}

func (g *gaussian) fill(mean, variance, seen mat.Matrix, p pattern) error {
	diagonal := make([]float64, len(p.missing))
	for k, j := range p.missing {
		diagonal[k] = g.covariance.At(j, j)
	}
	return condition(mean, variance, centre(seen, g.mean, p.seen), gather(g.mean, p.missing),
		block(g.covariance, p.seen, p.seen), block(g.covariance, p.seen, p.missing), diagonal, g.degrees)
}

// condition is the conditional distribution of missing values given the residuals
// r (b×|O|) of seen ones with covariance oo: mu + omᵀ·oo⁻¹·r with the variances on the
// diagonal of Σ_MM − omᵀ·oo⁻¹·om, times studentFactor. om is the covariance of seen
// and missing values, |O|×|M|; it and the residuals are overwritten.
func condition(mean, variance, residual mat.Matrix, mu []float64, oo, om mat.Matrix, diagonal []float64, degrees float64) error {
	factor, err := chol.Factorize(oo)
	if err != nil {
		return fmt.Errorf("baseline: covariance of the observed values: %w", err)
	}
	factor.SolveHalf(om)
	factor.SolveHalf(residual.T())
	mat.Mul(mean, 1, residual, om, 0)
	left := slices.Clone(diagonal)
	squares := make([]float64, len(left))
	for i := range om.Rows {
		asm.MulTo(squares, om.Row(i), om.Row(i))
		asm.Axpy(-1, squares, left)
	}
	for k, v := range left {
		// Rounding must not make a variance 0.
		left[k] = max(v, least*diagonal[k])
	}
	for i := range mean.Rows {
		asm.Axpy(1, mu, mean.Row(i))
		asm.Scale(variance.Row(i), studentFactor(degrees, asm.SumSquares(residual.Row(i)), residual.Cols), left)
	}
	return nil
}

// studentFactor returns (ν + χ)/(ν + n), the factor of conditional covariances under
// Student's t with ν degrees of freedom given n values of which χ is the squared
// Mahalanobis distance from their mean (P. Ding, The American Statistician 70(3),
// 2016): a picture that strays from the mean where it is seen does so elsewhere.
// It is 1 for ν = ∞, the normal distribution.
func studentFactor(degrees, chi float64, n int) float64 {
	if math.IsInf(degrees, 1) {
		return 1
	}
	return (degrees + chi) / (degrees + float64(n))
}

// A target is what covariances are shrunk towards: values that vary over the
// training pictures as they do, each by itself, and are correlated over space by
// a kernel and between channels as the training pictures are on average,
//
//	T[jc, j′c′] = s_jc·s_j′c′·ρ_cc′·((1−ν)·k(|x_j − x_j′|/ℓ) + ν·δ_jj′)
//
// with a Matérn kernel of order 3/2. ν = 1 is the diagonal target (for one
// channel) of Ledoit and Wolf's family (Journal of Portfolio Management 30(4),
// 2004), and the only one that knows nothing of space.
type target struct {
	deviation   []float64  // s, p
	correlation mat.Matrix // ρ, d_y×d_y
	points      mat.Matrix // n_s×d_s, in mean spacings
}

// newTarget takes deviations and correlations between channels from centred
// pictures.
func newTarget(c, points mat.Matrix, channels int) *target {
	t := &target{deviation: make([]float64, c.Cols), points: points, correlation: mat.New(channels, channels)}
	var total float64
	for j := range t.deviation {
		column := c.Slice(0, c.Rows, j, j+1)
		t.deviation[j] = mat.Dot(column, column) / float64(c.Rows)
		total += t.deviation[j] / float64(c.Cols)
	}
	if total == 0 {
		total = 1
	}
	for j, v := range t.deviation {
		// A value that never varied in training may vary in other pictures.
		t.deviation[j] = math.Sqrt(max(v, 1e-4*total))
	}
	standard := mat.New(c.Rows, c.Cols)
	for i := range c.Rows {
		for j, s := range t.deviation {
			standard.Set(i, j, c.At(i, j)/s)
		}
	}
	// The pictures' points one below the other.
	byPoint := mat.NewDense(c.Rows*c.Cols/channels, channels, standard.Data)
	mat.Syrk(t.correlation, 1, byPoint.T(), 0)
	mat.MirrorLower(t.correlation)
	scale := make([]float64, channels)
	for a := range channels {
		scale[a] = 1
		if v := t.correlation.At(a, a); v > 0 {
			scale[a] = 1 / math.Sqrt(v)
		}
	}
	mat.ScaleRows(t.correlation, scale, t.correlation)
	mat.ScaleCols(t.correlation, t.correlation, scale)
	for a := range channels {
		t.correlation.Set(a, a, 1)
	}
	return t
}

// add adds weight·T, for a length scale in mean spacings and a nugget ν, to dst.
func (t *target) add(dst mat.Matrix, weight, length, nugget float64) {
	channels := t.correlation.Rows
	correlations := pointCorrelations(kernel.Matern32, t.points, length)
	for i := range correlations.Rows {
		k := correlations.Row(i)
		asm.Scale(k, 1-nugget, k)
		k[i] += nugget
		for a := range channels {
			row := dst.Row(i*channels + a)
			s := weight * t.deviation[i*channels+a]
			for j, v := range k {
				for b, r := range t.correlation.Row(a) {
					row[j*channels+b] += s * t.deviation[j*channels+b] * r * v
				}
			}
		}
	}
}

// meanSpacing is that of as many points spread evenly over the bounding box of
// the points x, over the dimensions in which it extends; 1 if it does not.
func meanSpacing(x mat.Matrix) float64 {
	volume, extent := 1.0, 0
	for q := range x.Cols {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range x.Rows {
			low, high = min(low, x.At(i, q)), max(high, x.At(i, q))
		}
		if high > low {
			volume *= high - low
			extent++
		}
	}
	if extent == 0 {
		return 1
	}
	d := float64(extent)
	return math.Pow(volume, 1/d) / max(1, math.Pow(float64(x.Rows), 1/d)-1)
}

// inSpacings returns the points in units of their mean spacing.
func inSpacings(x mat.Matrix) mat.Matrix {
	scaled := mat.New(x.Rows, x.Cols)
	mat.Scale(scaled, 1/meanSpacing(x), x)
	return scaled
}

// taper returns the correlations exp(−½|x_j − x_j′|²/ℓ²) between the values of a
// picture, p×p, for a length ℓ in mean spacings.
func taper(points mat.Matrix, channels int, length float64) mat.Matrix {
	correlations := pointCorrelations(kernel.RBF, points, length)
	m := mat.New(points.Rows*channels, points.Rows*channels)
	for i := range correlations.Rows {
		for a := range channels {
			row := m.Row(i*channels + a)
			for j, v := range correlations.Row(i) {
				for b := range channels {
					row[j*channels+b] = v
				}
			}
		}
	}
	return m
}

var (
	tapers           = []float64{1.5, 2, 3, 4, 5, 6, 8, 11, 16, 23, 32, math.Inf(1)}
	degreesOfFreedom = []float64{5, 10, 20, 50, 100, 200, 500, math.Inf(1)}
)

// gaussianAxes are the parameters of fitGaussian.
func gaussianAxes() []axis {
	return []axis{
		{"taper", tapers, 6},
		{"shrinkage", []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}, 5},
		{"length scale", []float64{0.5, 0.7, 1, 1.4, 2, 2.8, 4, 5.6, 8, 11, 16}, 4},
		{"nugget", []float64{0, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 1}, 3},
		{"degrees of freedom", degreesOfFreedom, 3},
	}
}

// fitGaussian returns a fitter of the covariance (1−ρ)·S∘C + ρ·T. S is the maximum
// likelihood covariance, ∘ the product element by element, C a taper that removes
// sampling error from the covariance of distant values (Houtekamer and
// Mitchell, Monthly Weather Review 129(1), 2001) and T the target.
func fitGaussian(points mat.Matrix, channels int) fitter {
	return func(y mat.Matrix) (func(parameters []float64) (conditional, error), error) {
		mean, c := moments(y)
		s := mat.New(y.Cols, y.Cols)
		mat.Syrk(s, 1/float64(y.Rows), c.T(), 0)
		mat.MirrorLower(s)
		t := newTarget(c, points, channels)
		return func(parameters []float64) (conditional, error) {
			length, shrinkage := parameters[0], parameters[1]
			covariance := taper(points, channels, length)
			mat.MulElem(covariance, covariance, s)
			mat.Scale(covariance, 1-shrinkage, covariance)
			t.add(covariance, shrinkage, parameters[2], parameters[3])
			return &gaussian{mean, covariance, parameters[4]}, nil
		}, nil
	}
}
