package work

import (
	"math"
	"strconv"
)

// A Link ties the values y of a channel to what the model knows, t, which is normal: y = max(Limit, By.Back(t) − Shift). The zero value is y = t.
type Link struct {
	By      Transform
	Shift   float64 // in the units of y
	Limit   float64 // the least value that y takes: where it does, t is To(Limit) or less
	Limited bool    // there is one
	Largest float64 // where the distribution of y ends if By is Log, whose mean the tail beyond all that was seen would make; 0: it does not
}

// String names the link: "log", "log(y + 0.3)", "log(y + 0.3) above 0", "identity above 0.02".
func (l Link) String() string {
	s := l.By.String()
	if l.Shift != 0 {
		s += "(y + " + short(l.Shift) + ")"
	}
	if l.Limited {
		s += " above " + short(l.Limit)
	}
	return s
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// To returns t of a value; of one at the limit the largest.
func (l Link) To(y float64) float64 {
	if l.Limited && y < l.Limit {
		y = l.Limit
	}
	return l.By.To(y + l.Shift)
}

// Back is the reverse of To.
func (l Link) Back(t float64) float64 {
	y := l.By.Back(t) - l.Shift
	if l.Limited && !(y > l.Limit) {
		return l.Limit
	}
	return y
}

// Least returns t at the limit, −∞ without one.
func (l Link) Least() float64 {
	if !l.Limited {
		return math.Inf(-1)
	}
	return l.To(l.Limit)
}

// Moments returns the mean and the variance of y where t is normal (docs/math.md, 22.14).
func (l Link) Moments(mean, variance float64) (m, v float64) {
	if l.By != Log && !l.Limited {
		return l.By.Moments(mean, variance)
	}
	end := math.Inf(1)
	if l.Largest > 0 { // a mean beyond it would leave nothing unsure
		end = l.To(l.Largest)
		mean = min(mean, end)
	}
	s, from := math.Sqrt(variance), l.Least()
	a := (from - mean) / s
	if l.By == Identity {
		density, above := math.Exp(-0.5*a*a)/math.Sqrt(2*math.Pi), tail(a)
		m = max(0, s*(density-a*above))
		return l.Limit + m, max(smallest, variance*((1+a*a)*above-a*density)-m*m)
	}
	b := (end - mean) / s
	within := tail(-b)
	x, above := math.Exp(from), tail(a)-tail(b)
	first := math.Exp(mean+0.5*variance) * (tail(a-s) - tail(b-s))
	m = max(0, first-x*above) / within
	v = (math.Exp(2*mean+2*variance)*(tail(a-2*s)-tail(b-2*s)) - 2*x*first + x*x*above) / within
	if !l.Limited {
		return m - l.Shift, max(smallest, v-m*m)
	}
	return l.Limit + m, max(smallest, v-m*m)
}

// tail returns how much of the standard normal distribution is above a.
func tail(a float64) float64 { return 0.5 * math.Erfc(a/math.Sqrt2) }

// Quantile returns the value that y exceeds with the probability 1 − p.
func (l Link) Quantile(mean, variance, p float64) float64 {
	return l.Back(mean - math.Sqrt(2*variance)*math.Erfcinv(2*p))
}

// Within returns 1 for a value within the central interval that has the probability 1 − 2p, 0 for others. A value at the limit counts by what of its probability is within.
func (l Link) Within(mean, variance, p, y float64) float64 {
	if l.Limited && !(y > l.Limit) {
		at := tail((mean - l.Least()) / math.Sqrt(variance))
		return max(0, min(at, 1-p)-p) / max(at, p)
	}
	if y < l.Quantile(mean, variance, p) || y > l.Quantile(mean, variance, 1-p) {
		return 0
	}
	return 1
}

// CRPS returns the continuous ranked probability score of y where t is normal, E|Y − y| − ½·E|Y − Y′|, in the units of y: by the trapezoidal rule, to about a thousandth.
func (l Link) CRPS(mean, variance, y float64) (score float64) {
	const steps, reach = 16, 6
	d, below := math.Sqrt(variance), 0.
	for k := -steps * reach; k <= steps*reach; k++ {
		z := float64(k) / steps
		w := math.Exp(-0.5*z*z) / (steps * math.Sqrt(2*math.Pi))
		v := l.Back(mean + d*z)
		score += w * (math.Abs(v-y) - v*(2*below+w-1))
		below += w
	}
	return score
}
