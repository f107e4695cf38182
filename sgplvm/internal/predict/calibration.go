package predict

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Calibration is variance inflation as examples that were left out ask for it (docs/math.md,
// "Calibration of variances"). A variance v of channel c at a time t and a point s, at which
// nothing was seen, becomes
//
//	Factor_c(s)·Inflation(t)·v·(v/Mean_c)^(Power−1)
//
// The model's own variances are nearly the same all over space; Factor is what the squares of
// examples left out were there over what was expected. Variances grow with the distance to the
// nearest examples as the kernels say; Power is how errors did. And errors are larger at some
// times than at others.
type Calibration struct {
	Factor    mat.Matrix // at the training points, n_s×d_y
	Mean      []float64  // geometric mean of the variances of examples left out, in the user's units, d_y
	Power     float64    // from 0 to 2
	Inflation Inflation  // over time
}

// Inflation says how much larger squared errors are at a time than at others: the mean of
// the ratios of the examples of its sequence, weighted by exp(−|t − t_i|/Reach), and of a ratio of 1
// with the weight of one example.
type Inflation struct {
	Ratios []float64 // of each example, n_ξ: its squared errors over those of all
	Reach  float64   // 0: the same at all times
}

// farReaches is how many reaches away a ratio weighs less than the rounding of the total.
const farReaches = 40

// Over returns the inflation as a function of a time, given those of the examples, and of one of these that does not count (−1: all do).
func (v Inflation) Over(examples []data.Instant) func(t data.Instant, without int) float64 {
	if v.Reach == 0 {
		return func(data.Instant, int) float64 { return 1 }
	}
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return data.CompareInstants(examples[i], examples[j]) })
	return func(t data.Instant, without int) float64 {
		first := data.Instant{Sequence: t.Sequence, Time: t.Time - farReaches*v.Reach}
		from, _ := slices.BinarySearchFunc(order, first, func(i int, t data.Instant) int { return data.CompareInstants(examples[i], t) })
		total, weight := 1.0, 1.0
		for _, i := range order[from:] {
			e := examples[i]
			if e.Sequence != t.Sequence || e.Time > t.Time+farReaches*v.Reach {
				break
			}
			if i != without {
				w := math.Exp(-math.Abs(t.Time-e.Time) / v.Reach)
				total, weight = total+w*v.Ratios[i], weight+w
			}
		}
		return total / weight
	}
}

// NewInflation divides ratios by their mean and chooses the reach, of some multiples of the median
// distance between examples, under which each is likeliest given the others.
func NewInflation(ratios []float64, examples []data.Instant) Inflation {
	mean := work.Sum(ratios) / float64(len(ratios))
	best := Inflation{Ratios: make([]float64, len(ratios))}
	for i, r := range ratios {
		best.Ratios[i] = 1
		if mean > 0 {
			best.Ratios[i] = r / mean
		}
	}
	spacing := data.MedianSpacing(examples)
	least := math.Inf(1)
	for _, reach := range []float64{0, 0.5, 1, 2, 4, 8} {
		v := Inflation{best.Ratios, reach * spacing}
		var loss float64
		at := v.Over(examples)
		for i, e := range examples {
			expected := at(e, i)
			loss += math.Log(expected) + v.Ratios[i]/expected
		}
		if loss < least {
			least, best = loss, v
		}
	}
	return best
}

// factorStrength is the weight, in examples, of the mean factor of a channel at
// every point, and factorCount about how many squares the factor of a point is a mean of:
// neighbours' are taken in where there are fewer examples.
const (
	factorStrength = 2
	factorCount    = 100
)

// Factors returns Calibration.Factor given the sums over the examples of squared errors and of the
// squares that were expected, n_s×d_y each, at the points of the training grid. A channel without any
// error has the factor 1.
func Factors(grid field.Grid, square, expected mat.Matrix, examples int) mat.Matrix {
	factor, near := mat.New(square.Rows, square.Cols), newSmoother(grid, examples)
	squareNear, expectedNear := near.sum(grid, square), near.sum(grid, expected)
	for k := range square.Cols {
		var all, allExpected float64
		for i := range square.Rows {
			all += square.At(i, k)
			allExpected += expected.At(i, k)
		}
		mean := all / allExpected
		for i := range square.Rows {
			if all == 0 { // a channel that is the same everywhere at all times
				factor.Set(i, k, 1)
				continue
			}
			if expectedNear.At(i, k) == 0 { // points where nothing was ever seen, nor near them
				factor.Set(i, k, mean)
				continue
			}
			prior := factorStrength / float64(examples) * expectedNear.At(i, k)
			factor.Set(i, k, (squareNear.At(i, k)+mean*prior)/(expectedNear.At(i, k)+prior))
		}
	}
	return factor
}

// At returns the factors at the points of a grid g, n*×d_y: those at the points of the training
// grid weighted by nearness.
func (c *Calibration) At(training, g field.Grid) mat.Matrix {
	if g.Equal(training) {
		return c.Factor
	}
	one := mat.New(c.Factor.Rows, 1)
	one.Fill(1)
	near := newSmoother(training, len(c.Inflation.Ratios))
	values, total := near.sum(g, c.Factor), near.sum(g, one)
	for i := range values.Rows {
		row := values.Row(i)
		for k := range row {
			if t := total.Data[i]; t > 0 {
				row[k] /= t
			} else {
				row[k] = 1 // so far from all training points that nothing was learned there
			}
		}
	}
	return values
}

// Apply calibrates variances, in the user's units, of points from first on, given the factors of
// all points and the inflation of their time.
func (c *Calibration) Apply(variance, factor mat.Matrix, first int, inflation float64) {
	for i := range variance.Rows {
		for k, mean := range c.Mean {
			v := variance.At(i, k)
			variance.Set(i, k, inflation*factor.At(first+i, k)*v*math.Pow(v/mean, c.Power-1))
		}
	}
}

// MeanFactor returns the geometric mean of the factors.
func (c *Calibration) MeanFactor() float64 {
	var logs float64
	for _, v := range c.Factor.Data {
		logs += math.Log(v) / float64(len(c.Factor.Data))
	}
	return math.Exp(logs)
}

// More returns c for more examples, so many in all, of which nothing was left out: their ratios are the mean of the others.
func (c *Calibration) More(examples int) *Calibration {
	more, n := *c, len(c.Inflation.Ratios)
	more.Inflation.Ratios = slices.Clone(c.Inflation.Ratios)
	for range examples - n {
		more.Inflation.Ratios = append(more.Inflation.Ratios, work.Sum(c.Inflation.Ratios)/float64(n))
	}
	return &more
}

// Validate checks a calibration, read from a file say, for a number of training points, channels and
// examples.
func (c *Calibration) Validate(points, channels, examples int) error {
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	switch f, g := c.Factor, c.Inflation; {
	case f.Rows != points || f.Cols != channels:
		return fmt.Errorf("calibration is %d×%d, expected %d×%d", f.Rows, f.Cols, points, channels)
	case len(c.Mean) != channels || !(c.Power >= 0 && c.Power <= 2):
		return fmt.Errorf("calibration with %d means and the power %v, expected %d and a number from 0 to 2", len(c.Mean), c.Power, channels)
	case len(g.Ratios) != examples || !(g.Reach >= 0) || math.IsInf(g.Reach, 1):
		return fmt.Errorf("calibration with %d ratios and the reach %v, expected %d and a number from 0", len(g.Ratios), g.Reach, examples)
	}
	for k, v := range c.Inflation.Ratios {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("calibration: ratio %v of example %d, expected 0 or more", v, k)
		}
	}
	for k, v := range c.Mean {
		if !positive(v) {
			return fmt.Errorf("calibration: mean variance %v of channel %d, expected a positive number", v, k)
		}
	}
	for i := range c.Factor.Rows {
		for k, v := range c.Factor.Row(i) {
			if !positive(v) {
				return fmt.Errorf("calibration: factor %v of point %d, channel %d, expected a positive number", v, i, k)
			}
		}
	}
	return nil
}

// A smoother adds up values at training points by nearness. Its weights are Gaussians so wide that the
// examples' values at the points within add up to factorCount, but a quarter of a spacing at least
// and two at most.
type smoother struct {
	grid  field.Grid
	width []kernel.Kernel // of each factor
}

func newSmoother(grid field.Grid, examples int) smoother {
	s := smoother{grid: grid}
	dims := 0
	for _, x := range grid {
		dims += x.Cols
	}
	spacings := math.Pow(factorCount/float64(examples), 1/float64(dims)) / math.Sqrt(2*math.Pi)
	for _, x := range grid {
		scale := work.TwoSpacings(x)
		for q := range scale {
			scale[q] *= min(max(spacings, 0.25), 2) / 2
		}
		s.width = append(s.width, gaussian(scale))
	}
	return s
}

// sum returns Σ_j k(x_i, x_j)·v_j at the points of a grid, n*×d_y, for v (n_s×d_y) at the training
// points.
func (s smoother) sum(g field.Grid, v mat.Matrix) mat.Matrix {
	o := kronprod.Operator{}
	dims := []int{}
	for f, x := range s.grid {
		k := mat.New(g[f].Rows, x.Rows)
		s.width[f].Matrix(k, g[f], x)
		o.Factors = append(o.Factors, k)
		dims = append(dims, x.Rows)
	}
	o.Factors = append(o.Factors, mat.Matrix{})
	t := kronprod.Shaped(v.Clone().Data, append(dims, v.Cols)...)
	return mat.NewDense(g.Len(), v.Cols, o.MulTensor(make([]float64, g.Len()*v.Cols), t, nil).Data)
}

// gaussian is the kernel exp(−½ Σ_q (x_q − x′_q)²/scale_q²).
func gaussian(scale []float64) kernel.Kernel {
	return kernel.Kernel{Kind: kernel.RBF, Variance: 1, LengthScale: scale}
}
