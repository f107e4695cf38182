package work

import "math"

// A Transform is of the values of a channel: the model knows t(y), which is normal.
type Transform int

// The transforms: y itself, log y of positive values, and log(y/(1 − y)) of values between 0 and 1.
const (
	Identity Transform = iota
	Log
	Logit
)

// minRange is the least ratio of the largest and the smallest of positive values whose logarithms may serve better.
const minRange = 10

// TransformOf returns what may serve better than values of a range: log of positive ones that differ much, logit of those between 0 and 1.
func TransformOf(least, most float64) Transform {
	switch positive := least <= most && least > 1e-12*most; {
	case positive && most < 1:
		return Logit
	case positive && most >= minRange*least:
		return Log
	}
	return Identity
}

// String returns the name of a transform.
func (t Transform) String() string { return [...]string{"identity", "log", "logit"}[t] }

// To returns t(y).
func (t Transform) To(y float64) float64 {
	switch t {
	case Log:
		return math.Log(y)
	case Logit:
		return math.Log(y / (1 - y))
	}
	return y
}

// Back is the reverse of To.
func (t Transform) Back(v float64) float64 {
	switch t {
	case Log:
		return math.Exp(v)
	case Logit:
		return 1 / (1 + math.Exp(-v))
	}
	return v
}

// LogSlope returns log dt/dy at t.
func (t Transform) LogSlope(v float64) float64 {
	switch t {
	case Log:
		return -v
	case Logit:
		return v + 2*math.Log1p(math.Exp(-v))
	}
	return 0
}

// nodes and weights integrate over a standard normal distribution where moments have no closed form: by the trapezoidal rule, from −5 to 5.
var nodes, weights = func() (z, w [41]float64) {
	sum := 0.
	for k := range z {
		z[k] = float64(k-20) / 4
		w[k] = math.Exp(-z[k] * z[k] / 2)
		sum += w[k]
	}
	for k := range w {
		w[k] /= sum
	}
	return z, w
}()

// Moments returns the mean and the variance of y where t is normal.
func (t Transform) Moments(mean, variance float64) (m, v float64) {
	switch t {
	case Log:
		m = math.Exp(mean + 0.5*variance)
		return m, math.Expm1(variance) * m * m
	case Logit:
		d := math.Sqrt(variance)
		for k, z := range nodes {
			y := Logit.Back(mean + float64(d*z))
			m += float64(weights[k] * y)
			v += float64(weights[k] * y * y)
		}
		return m, max(0, v-m*m)
	}
	return mean, variance
}

// smallest keeps logarithms finite.
const smallest = 1e-300

// Observed returns t of a value seen with an error, and the error of t: to first order, of a value that is beyond the range as that half an error within.
func (t Transform) Observed(y, deviation float64) (v, e float64) {
	low := max(0.5*deviation, smallest)
	switch t {
	case Log:
		y = max(y, low)
		return math.Log(y), deviation / y
	case Logit:
		y = max(low, min(1-max(low, 1e-16), y))
		return t.To(y), deviation / (y * (1 - y))
	}
	return y, deviation
}
