package emulator

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// A Belief says how inputs are distributed before anything is observed.
type Belief int

// FromRuns takes for each column the one of the two others that makes its values in the runs more likely. Normal has their mean and deviation; Uniform
// is a box, whose ends are estimated without bias from the least and the greatest. Components of fields are normal in any case.
const (
	FromRuns Belief = iota
	Normal
	Uniform
)

// An axis is a component of ξ as a function of a standard normal variable t.
type axis struct {
	at      int // in ξ
	uniform bool
	a, b    float64 // ends of the box; or mean and deviation
}

// labels are the categories of a column, whose indicators begin at a place of ξ: on and off are their values, shares their probabilities.
type labels struct {
	at              int
	on, off, shares []float64
}

// A Prior is a distribution of ξ: a function of standard normal variables, one an axis, and of categories, which are independent; what neither has is as in base.
type Prior struct {
	axes   []axis
	labels []labels
	base   []float64
	combos []combo // set by combine; the last column changes first
}

// A combo is a combination of categories: values of indicators.
type combo struct {
	at     []int // those that are 1
	on     []float64
	off    []float64 // ξ where they are 0, of all indicators
	weight float64
}

// maxCombos limits combinations of categories, each of which is a search of its own.
const maxCombos = 64

// NewPrior returns the distribution that the runs show.
func (m *Model) NewPrior(b Belief) *Prior {
	p := &Prior{base: make([]float64, m.X.Cols)}
	at := 0
	for q := range m.Encodings {
		e := &m.Encodings[q]
		w := e.Width()
		switch {
		case w == 0:
		case e.Levels == nil:
			p.axes = append(p.axes, m.axis(at, b))
		default:
			p.labels = append(p.labels, m.labels(at, w))
		}
		at += w
	}
	for ; at < m.X.Cols; at++ {
		p.axes = append(p.axes, m.axis(at, Normal))
	}
	return p
}

// axis returns the distribution of a component of ξ.
func (m *Model) axis(at int, b Belief) axis {
	n := float64(m.X.Rows)
	low, high, mean, square := math.Inf(1), math.Inf(-1), 0., 0.
	for i := range m.X.Rows {
		v := m.X.At(i, at)
		low, high = min(low, v), max(high, v)
		mean += v / n
		square += v * v
	}
	variance := (square - n*mean*mean) / (n - 1)
	gap := (high - low) / (n - 1)
	if b == Uniform || b == FromRuns && (high-low)*(high-low) < 2*math.Pi*math.E*variance {
		return axis{at, true, low - gap, high + gap}
	}
	return axis{at, false, mean, math.Sqrt(variance)}
}

// labels returns the categories of a column; their probabilities are their shares of the runs.
func (m *Model) labels(at, width int) labels {
	c := labels{at, make([]float64, width), make([]float64, width), make([]float64, width)}
	for l := range width {
		c.off[l], c.on[l] = (0-m.Mean[at+l])/m.Scale[at+l], (1-m.Mean[at+l])/m.Scale[at+l]
		for i := range m.X.Rows {
			if m.X.At(i, at+l) > 0.5*(c.off[l]+c.on[l]) {
				c.shares[l] += 1 / float64(m.X.Rows)
			}
		}
	}
	return c
}

// combine lists the combinations of categories. Errors: *field.ConfigError where they are too many.
func (p *Prior) combine() error {
	p.combos = []combo{{weight: 1, off: slices.Clone(p.base)}}
	for _, c := range p.labels {
		var list []combo
		if len(p.combos)*len(c.shares) > maxCombos {
			return &field.ConfigError{Field: "Inputs", Err: fmt.Errorf("more than %s of categories, expected fewer", quote.Counted(maxCombos, "combination"))}
		}
		for _, k := range p.combos {
			for l, share := range c.shares {
				next := combo{append(slices.Clone(k.at), c.at+l), append(slices.Clone(k.on), c.on[l]), slices.Clone(k.off), k.weight * share}
				copy(next.off[c.at:], c.off)
				list = append(list, next)
			}
		}
		p.combos = list
	}
	return nil
}

// given returns the distribution where ξ is known with standard errors, which are +Inf where it is not.
func (p *Prior) given(x, errs []float64) *Prior {
	g := &Prior{base: slices.Clone(x)}
	for _, a := range p.axes {
		switch e := errs[a.at]; {
		case math.IsInf(e, 1):
			g.axes = append(g.axes, a)
		case e > 0:
			g.axes = append(g.axes, axis{a.at, false, x[a.at], e})
		}
	}
	for _, c := range p.labels {
		if errs[c.at] > 0 {
			g.labels = append(g.labels, c)
		}
	}
	return g
}

// set sets x to ξ of t and a combination.
func (p *Prior) set(x, t []float64, combo int) {
	c := &p.combos[combo]
	copy(x, c.off)
	for k, q := range c.at {
		x[q] = c.on[k]
	}
	p.move(x, t)
}

// move sets the axes of x to those of t.
func (p *Prior) move(x, t []float64) {
	for k, a := range p.axes {
		if a.uniform {
			x[a.at] = a.a + (a.b-a.a)*normalShare(t[k])
		} else {
			x[a.at] = a.a + a.b*t[k]
		}
	}
}

// slope returns dξ/dt along axis k.
func (p *Prior) slope(k int, t float64) float64 {
	a := p.axes[k]
	if a.uniform {
		return (a.b - a.a) * math.Exp(-0.5*t*t) / math.Sqrt(2*math.Pi)
	}
	return a.b
}

// reverse sets t to that of ξ, within 2.5 deviations.
func (p *Prior) reverse(t, x []float64) {
	for k, a := range p.axes {
		v := (x[a.at] - a.a) / a.b
		if a.uniform {
			v = normalQuantile(max(1e-4, min(1-1e-4, (x[a.at]-a.a)/(a.b-a.a))))
		}
		t[k] = max(-2.5, min(2.5, v))
	}
}

// fits tells whether ξ has the categories of a combination.
func (p *Prior) fits(x []float64, combo int) bool {
	c := &p.combos[combo]
	for k, q := range c.at {
		if x[q] < 0.5*(c.on[k]+c.off[q]) {
			return false
		}
	}
	return true
}

// Width is how many numbers Draw takes a row.
func (p *Prior) Width() int { return len(p.axes) + len(p.labels) }

// Draw returns ξ of rows of numbers between 0 and 1, one for each axis and then one for each column of labels.
func (p *Prior) Draw(u mat.Matrix) mat.Matrix {
	x, t := mat.New(u.Rows, len(p.base)), make([]float64, len(p.axes))
	for i := range u.Rows {
		row, to := u.Row(i), x.Row(i)
		copy(to, p.base)
		for k := range t {
			t[k] = normalQuantile(row[k])
		}
		p.move(to, t)
		for k, c := range p.labels {
			l, left := 0, row[len(t)+k]
			for l < len(c.shares)-1 && left >= c.shares[l] {
				left -= c.shares[l]
				l++
			}
			copy(to[c.at:], c.off)
			to[c.at+l] = c.on[l]
		}
	}
	return x
}
