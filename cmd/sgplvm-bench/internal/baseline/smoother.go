package baseline

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A smoother predicts the values of a pixel at any time as a weighted sum of those in
// training, with the same weights for all pixels.
type smoother interface {
	// prepare must have been called, once, before weights.
	prepare() error

	// weights sets w, of length n, to the weights for a time and returns the variance
	// of the prediction, noise included, up to a factor.
	weights(w []float64, t float64) float64

	// leaveOneOut returns P, n×n, and v, n: P·y are the residuals of frames that are each
	// predicted from all others, and v their variances up to the same factor.
	leaveOneOut() (p mat.Matrix, v []float64, err error)

	parameters() []Parameter
}

// without returns what leaveOneOut does for weights that may leave a frame out.
func without(times []float64, weights func(w []float64, t float64, without int) float64) (mat.Matrix, []float64, error) {
	n := len(times)
	p, v := mat.New(n, n), make([]float64, n)
	for i, t := range times {
		row := p.Row(i)
		v[i] = weights(row, t, i)
		asm.Scale(row, -1, row)
		row[i] = 1
	}
	return p, v, nil
}

// line is linear interpolation in time, constant beyond the ends, with the variance
// of a Wiener process that was observed with noise: each of the values has variance
// noise, and that of the process grows by 1 in a unit of time.
type line struct {
	times       []float64
	unit, noise float64
}

// interpolations are candidates in units of the median spacing.
func interpolations(times []float64) []smoother {
	var list []smoother
	for _, noise := range []float64{0.01, 0.003, 0.03, 0.1, 0.3, 1} {
		list = append(list, &line{times, spacing(times), noise})
	}
	return list
}

func (l *line) prepare() error { return nil }

func (l *line) weights(w []float64, t float64) float64 { return l.without(w, t, -1) }

func (l *line) without(w []float64, t float64, without int) float64 {
	before, after := -1, -1
	for i, x := range l.times {
		switch {
		case i == without:
		case x <= t && (before < 0 || x > l.times[before]):
			before = i
		case x > t && (after < 0 || x < l.times[after]):
			after = i
		}
	}
	clear(w)
	switch {
	case before < 0:
		w[after] = 1
		return 2*l.noise + (l.times[after]-t)/l.unit
	case after < 0:
		w[before] = 1
		return 2*l.noise + (t-l.times[before])/l.unit
	}
	a, b := (t-l.times[before])/l.unit, (l.times[after]-t)/l.unit
	w[before], w[after] = b/(a+b), a/(a+b)
	return a*b/(a+b) + l.noise*(1+square(w[before])+square(w[after]))
}

func (l *line) leaveOneOut() (mat.Matrix, []float64, error) { return without(l.times, l.without) }

func (l *line) parameters() []Parameter { return []Parameter{{"noise", l.noise}} }

// climate is the mean of the training frames nearest in phase: for monthly data and a
// period of twelve, those of the same month in other years.
type climate struct {
	times  []float64
	period float64
}

func (c *climate) prepare() error { return nil }

func (c *climate) weights(w []float64, t float64) float64 { return c.without(w, t, -1) }

func (c *climate) without(w []float64, t float64, without int) float64 {
	nearest := math.Inf(1)
	for i, x := range c.times {
		w[i] = math.Inf(1)
		if i != without {
			w[i] = math.Abs(math.Remainder(x-t, c.period))
			nearest = min(nearest, w[i])
		}
	}
	var count float64
	for i, d := range w {
		w[i] = 0
		if d <= nearest+1e-9*c.period {
			w[i] = 1
			count++
		}
	}
	asm.Scale(w, 1/count, w)
	return 1 + 1/count
}

func (c *climate) leaveOneOut() (mat.Matrix, []float64, error) { return without(c.times, c.without) }

func (c *climate) parameters() []Parameter { return []Parameter{{"period", c.period}} }

// kriging is Gaussian-process regression in time with an unknown constant for each
// pixel, integrated out under a flat prior (Rasmussen and Williams 2006, section 2.7):
// ordinary kriging. The process has variance 1.
type kriging struct {
	times         []float64
	kind          kernel.Kind
	length, noise float64

	inverse mat.Matrix // K⁻¹ of K = R + noise·I, n×n
	ones    []float64  // K⁻¹1
	sum     float64    // 1ᵀK⁻¹1
}

// krigings are candidates: length scales from half of the median spacing to twice the
// whole duration, noise from 10⁻⁶ to 1.
func krigings(times []float64, kinds []kernel.Kind) []smoother {
	unit := spacing(times)
	var list []smoother
	for _, k := range kinds {
		for length := 0.5; length <= 2*float64(len(times)); length *= math.Sqrt2 {
			for noise := 1e-6; noise < 2; noise *= math.Sqrt(math.Sqrt(10)) {
				list = append(list, &kriging{times: times, kind: k, length: length * unit, noise: noise})
			}
		}
	}
	return list
}

func (k *kriging) prepare() error {
	n := len(k.times)
	r := correlations(k.kind, k.times, k.times, k.length)
	var f chol.Factor
	if err := f.RefactorizeShifted(r, k.noise); err != nil {
		return fmt.Errorf("baseline: covariance of the training times: %w", err)
	}
	k.inverse = r
	f.Inverse(r)
	mat.MirrorLower(r)
	k.ones, k.sum = make([]float64, n), 0
	for i := range n {
		for _, v := range r.Row(i) {
			k.ones[i] += v
		}
		k.sum += k.ones[i]
	}
	return nil
}

func (k *kriging) weights(w []float64, t float64) float64 {
	cross := correlations(k.kind, []float64{t}, k.times, k.length).Row(0)
	variance, slack := 1+k.noise, 1.0
	for i := range w {
		w[i] = asm.Dot(k.inverse.Row(i), cross)
		variance -= w[i] * cross[i]
		slack -= w[i]
	}
	asm.Axpy(slack/k.sum, k.ones, w)
	return max(variance, k.noise) + slack*slack/k.sum
}

// leaveOneOut uses P = K⁻¹ − K⁻¹11ᵀK⁻¹/1ᵀK⁻¹1: the residual of value i given the others
// is (Py)_i/P_ii, its variance 1/P_ii (O. Dubrule, Mathematical Geology 15(6), 1983).
func (k *kriging) leaveOneOut() (mat.Matrix, []float64, error) {
	c := *k
	if err := c.prepare(); err != nil {
		return mat.Matrix{}, nil, err
	}
	p, v := c.inverse, make([]float64, len(k.times))
	for i := range v {
		asm.Axpy(-c.ones[i]/c.sum, c.ones, p.Row(i))
	}
	for i := range v {
		v[i] = 1 / p.At(i, i)
		asm.Scale(p.Row(i), v[i], p.Row(i))
	}
	return p, v, nil
}

func (k *kriging) parameters() []Parameter {
	return []Parameter{{string(k.kind) + " length scale", k.length}, {"noise", k.noise}}
}
