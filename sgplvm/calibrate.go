package sgplvm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// calibration makes of a variance v at a time t and a point s
//
//	factor(s)·unrest(t)·v·(v/mean)^(power−1)
//
// The model's own variances are nearly the same all over space; factor is the mean square of what
// leaving examples out left unexplained at the point over what was expected. Variances
// grow with the distance to the nearest examples as the kernels say; power is how errors
// did, by maximum likelihood. And some times are more restless than others: unrest is what
// the squares of the examples nearby were over those of all.
type calibration struct {
	space  Grid
	width  []Kernel   // of the weights of training points, for each factor
	factor mat.Matrix // n_s×d_y
	mean   []float64  // geometric mean of the variances of examples left out, in the user's units, d_y
	power  float64
	unrest unrest
}

// unrest tells how much larger errors are at a time than at others: the mean over the examples of
// its sequence of their ratios, weighted by exp(−|t − t_i|/reach), and a ratio of 1 with the
// weight of one example.
type unrest struct {
	ratio []float64 // of each example
	reach float64   // 0: the same at all times
}

// at returns the ratio at a time, from all examples but one (−1: from all).
func (u unrest) at(t Instant, examples []Instant, but int) float64 {
	total, weight := 1.0, 1.0
	if u.reach == 0 {
		return 1
	}
	for i, e := range examples {
		if i != but && e.Sequence == t.Sequence {
			w := math.Exp(-math.Abs(t.Time-e.Time) / u.reach)
			total, weight = total+w*u.ratio[i], weight+w
		}
	}
	return total / weight
}

// newUnrest chooses the reach, of some multiples of the median distance between examples, under which
// each example's ratio is likeliest given the others'.
func newUnrest(ratio []float64, examples []Instant) unrest {
	mean := sum(ratio) / float64(len(ratio))
	best := unrest{ratio: make([]float64, len(ratio))}
	for i, r := range ratio {
		best.ratio[i] = 1
		if mean > 0 {
			best.ratio[i] = r / mean
		}
	}
	spacing := medianSpacing(examples)
	least := math.Inf(1)
	for _, reach := range []float64{0, 0.5, 1, 2, 4, 8} {
		u := unrest{best.ratio, reach * spacing}
		var loss float64
		for i, e := range examples {
			expected := u.at(e, examples, i)
			loss += math.Log(expected) + u.ratio[i]/expected
		}
		if loss < least {
			least, best = loss, u
		}
	}
	return best
}

// medianSpacing is the median distance of an example to the nearest other one of its sequence at
// another time; 1 where there is none.
func medianSpacing(examples []Instant) float64 {
	var all []float64
	for i, a := range examples {
		nearest := math.Inf(1)
		for j, b := range examples {
			if d := math.Abs(a.Time - b.Time); j != i && a.Sequence == b.Sequence && d > 0 {
				nearest = min(nearest, d)
			}
		}
		if !math.IsInf(nearest, 1) {
			all = append(all, nearest)
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// calibrationStrength is the weight, in examples, of the mean factor of a channel at
// every point, and calibrationCount about how many squares the factor of a point is a mean of:
// neighbours' are taken in where there are fewer examples.
const (
	calibrationStrength = 2
	calibrationCount    = 100
)

// newCalibration is that of training sums of squares and of expected ones, n_s×d_y; channels without any
// error stay as they are.
func newCalibration(space Grid, square, expected mat.Matrix, examples int) *calibration {
	c := calibrationOf(space, mat.New(square.Rows, square.Cols), examples)
	near, expectedNear := c.weighted(space, square), c.weighted(space, expected)
	for k := range square.Cols {
		var all, allExpected float64
		for i := range square.Rows {
			all += square.At(i, k)
			allExpected += expected.At(i, k)
		}
		mean := all / allExpected
		if all == 0 { // a channel that is the same everywhere at all times
			for i := range square.Rows {
				c.factor.Set(i, k, 1)
			}
			continue
		}
		for i := range square.Rows {
			prior := calibrationStrength / float64(examples) * expectedNear.At(i, k)
			c.factor.Set(i, k, (near.At(i, k)+mean*prior)/(expectedNear.At(i, k)+prior))
		}
	}
	return c
}

// calibrationOf is the calibration by given factors. Their weights are Gaussians so wide that the
// examples' squares at the points within add up to calibrationCount, but a quarter of a
// spacing at least and two at most.
func calibrationOf(space Grid, factor mat.Matrix, examples int) *calibration {
	c := &calibration{space: space, factor: factor, power: 1}
	dims := 0
	for _, x := range space {
		dims += x.Cols
	}
	spacings := math.Pow(calibrationCount/float64(examples), 1/float64(dims)) / math.Sqrt(2*math.Pi)
	for _, x := range space {
		scale := twoSpacings(x)
		for q := range scale {
			scale[q] *= min(max(spacings, 0.25), 2) / 2
		}
		c.width = append(c.width, Kernel{Kind: RBF, Variance: 1, LengthScale: scale})
	}
	return c
}

// validateCalibration checks factors read from a file.
func (m *Model) validateCalibration() error {
	if m.calibration == nil {
		return nil
	}
	if f := m.calibration.factor; f.Rows != m.space.Len() || f.Cols != m.channels || !m.params.dynamic() {
		return fmt.Errorf("calibration is %d×%d, expected %d×%d beside a dynamical prior", f.Rows, f.Cols, m.space.Len(), m.channels)
	}
	c := m.calibration
	if len(c.mean) != m.channels || !(c.power >= 0 && c.power <= 2) {
		return fmt.Errorf("calibration with %d means and the power %v, expected %d and a number from 0 to 2", len(c.mean), c.power, m.channels)
	}
	if len(c.unrest.ratio) != m.params.Mu.Rows || !(c.unrest.reach >= 0) || math.IsInf(c.unrest.reach, 1) {
		return fmt.Errorf("calibration with %d ratios and the reach %v, expected %d and a number from 0", len(c.unrest.ratio), c.unrest.reach, m.params.Mu.Rows)
	}
	for k, v := range c.unrest.ratio {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("calibration: ratio %v of example %d, expected 0 or more", v, k)
		}
	}
	for k, v := range c.mean {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("calibration: mean variance %v of channel %d, expected a positive number", v, k)
		}
	}
	for i, v := range m.calibration.factor.Data {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("calibration: element %d is %v, expected a positive number", i, v)
		}
	}
	return nil
}

// weighted returns Σ_j k(x_i, x_j)·v_j at the points of a grid, n*×d_y, for v at the training
// points.
func (c *calibration) weighted(g Grid, v mat.Matrix) mat.Matrix {
	o := kronprod.Operator{}
	dims := []int{}
	for f, x := range c.space {
		k := mat.New(g[f].Rows, x.Rows)
		c.width[f].Matrix(k, g[f], x)
		o.Factors = append(o.Factors, k)
		dims = append(dims, x.Rows)
	}
	o.Factors = append(o.Factors, mat.Matrix{})
	t := kronprod.Shaped(v.Clone().Data, append(dims, v.Cols)...)
	return mat.NewDense(g.Len(), v.Cols, o.MulTensor(make([]float64, g.Len()*v.Cols), t, nil).Data)
}

// at returns the factors at the points of a grid, n*×d_y: those at the training points
// weighted by nearness.
func (c *calibration) at(g Grid) mat.Matrix {
	if g.Equal(c.space) {
		return c.factor
	}
	one := mat.New(c.factor.Rows, 1)
	one.Fill(1)
	values, total := c.weighted(g, c.factor), c.weighted(g, one)
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

// apply calibrates variances at a time and points from first on, given the factors and the unrest of
// the time.
func (c *calibration) apply(variance mat.Matrix, factor mat.Matrix, first int, unrest float64) {
	for i := range variance.Rows {
		for k, mean := range c.mean {
			v := variance.At(i, k)
			variance.Set(i, k, unrest*factor.At(first+i, k)*v*math.Pow(v/mean, c.power-1))
		}
	}
}

// Calibrate compares what the model says of every training example from the others
// (LeaveOneOut) with the example itself and calibrates the variances that Predict and
// PredictSlabs give at a time by it: point by point by the ratio of the mean squares that were
// found to those expected, in how they grow from what is well known to what is not, and by
// how restless a time is. The model file keeps that. Means, covariances and samples stay as they
// are. Like Fit it must have the model to itself. Errors: as LeaveOneOut's.
func (m *Model) Calibrate(ctx context.Context) error {
	if m.problem == nil {
		return errNoData
	}
	m.mu.Lock()
	m.calibration = nil
	m.mu.Unlock()
	square, expected := mat.New(m.space.Len(), m.channels), mat.New(m.space.Len(), m.channels)
	logs := make([]float64, m.channels)
	err := m.leftUnexplained(ctx, func(_ int, residual, variance mat.Matrix) {
		for i := range residual.Rows {
			for c, r := range residual.Row(i) {
				v := variance.At(i, c)
				square.Set(i, c, square.At(i, c)+r*r)
				expected.Set(i, c, expected.At(i, c)+v)
				logs[c] += math.Log(v) / float64(m.Examples()*residual.Rows)
			}
		}
	})
	if err != nil {
		return err
	}
	calibrated := newCalibration(m.space, square, expected, m.Examples())
	for _, l := range logs {
		calibrated.mean = append(calibrated.mean, math.Exp(l))
	}
	// One number each for every example: how large its squares are, and its variances.
	examples := m.params.Dynamics.Instants()
	ratios, sizes := make([]float64, m.Examples()), make([]float64, m.Examples())
	err = m.leftUnexplained(ctx, func(example int, residual, variance mat.Matrix) {
		per := 1 / float64(residual.Rows*m.channels)
		for i := range residual.Rows {
			for c, r := range residual.Row(i) {
				v := variance.At(i, c)
				ratios[example] += per * r * r / (calibrated.factor.At(i, c) * v)
				sizes[example] += per * math.Log(v/calibrated.mean[c])
			}
		}
	})
	if err != nil {
		return err
	}
	_, slope := work.LogLinearVariance(ratios, sizes, -1, 1)
	power := 1 + slope
	for i := range ratios {
		ratios[i] *= math.Exp(-(power - 1) * sizes[i])
	}
	unrest := newUnrest(ratios, examples)
	// The factors once more, for what power and unrest leave to them.
	square.Fill(0)
	expected.Fill(0)
	err = m.leftUnexplained(ctx, func(example int, residual, variance mat.Matrix) {
		at := unrest.at(examples[example], examples, example)
		for i := range residual.Rows {
			for c, r := range residual.Row(i) {
				v := variance.At(i, c)
				square.Set(i, c, square.At(i, c)+r*r/(at*v*math.Pow(v/calibrated.mean[c], power-1)))
				expected.Set(i, c, expected.At(i, c)+1)
			}
		}
	})
	if err != nil {
		return err
	}
	mean := calibrated.mean
	calibrated = newCalibration(m.space, square, expected, m.Examples())
	calibrated.mean, calibrated.power, calibrated.unrest = mean, power, unrest
	if i, k, bad := mat.NonFinite(calibrated.factor); bad {
		return fmt.Errorf("sgplvm: calibration: factor %v at point %d, channel %d", calibrated.factor.At(i, k), i, k)
	}
	m.mu.Lock()
	m.calibration = calibrated
	m.mu.Unlock()
	return nil
}

// Calibrated reports whether variances at a time are calibrated, their mean factor (geometric) and
// the power that they are raised to.
func (m *Model) Calibrated() (factor, power float64, ok bool) {
	c := m.calibration
	if c == nil {
		return 1, 1, false
	}
	var logs float64
	for _, v := range c.factor.Data {
		logs += math.Log(v) / float64(len(c.factor.Data))
	}
	return math.Exp(logs), c.power, true
}
