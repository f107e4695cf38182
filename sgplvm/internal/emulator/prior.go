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

// A Prior is a distribution of ξ: a function of standard normal variables, one an axis, and of categories, which are independent.
type Prior struct {
	axes   []axis
	width  int
	labels [][]float64 // of each column of labels, the share of each
	combos []combo     // the last column changes first
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

// NewPrior returns the distribution that the runs show. Errors: *field.ConfigError.
func (m *Model) NewPrior(b Belief) (*Prior, error) {
	p := &Prior{width: m.X.Cols, combos: []combo{{weight: 1, off: make([]float64, m.X.Cols)}}}
	at := 0
	for q := range m.Encodings {
		e := &m.Encodings[q]
		switch w := e.Width(); {
		case w == 0:
		case e.Levels == nil:
			p.axes = append(p.axes, m.axis(at, b))
		default:
			if len(p.combos)*w > maxCombos {
				return nil, &field.ConfigError{Field: "Inputs", Err: fmt.Errorf("more than %s of categories, expected fewer", quote.Counted(maxCombos, "combination"))}
			}
			p.multiply(m, at, w)
		}
		at += e.Width()
	}
	for ; at < m.X.Cols; at++ {
		p.axes = append(p.axes, m.axis(at, Normal))
	}
	return p, nil
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

// multiply adds the categories of a column whose indicators begin at a place of ξ; their weights are their shares of the runs.
func (p *Prior) multiply(m *Model, at, width int) {
	var list []combo
	on, off, shares := make([]float64, width), make([]float64, width), make([]float64, width)
	for l := range width {
		off[l], on[l] = (0-m.Mean[at+l])/m.Scale[at+l], (1-m.Mean[at+l])/m.Scale[at+l]
		for i := range m.X.Rows {
			if m.X.At(i, at+l) > 0.5*(off[l]+on[l]) {
				shares[l] += 1 / float64(m.X.Rows)
			}
		}
	}
	for _, c := range p.combos {
		for l := range width {
			next := combo{append(slices.Clone(c.at), at+l), append(slices.Clone(c.on), on[l]), slices.Clone(c.off), c.weight * shares[l]}
			copy(next.off[at:], off)
			list = append(list, next)
		}
	}
	p.labels, p.combos = append(p.labels, shares), list
}

// set sets x to ξ of t and a combination.
func (p *Prior) set(x, t []float64, combo int) {
	c := &p.combos[combo]
	copy(x, c.off)
	for k, q := range c.at {
		x[q] = c.on[k]
	}
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
	x, t := mat.New(u.Rows, p.width), make([]float64, len(p.axes))
	for i := range u.Rows {
		row, combo := u.Row(i), 0
		for k := range t {
			t[k] = normalQuantile(row[k])
		}
		for k, shares := range p.labels {
			l, left := 0, row[len(t)+k]
			for l < len(shares)-1 && left >= shares[l] {
				left -= shares[l]
				l++
			}
			combo = combo*len(shares) + l
		}
		p.set(x.Row(i), t, combo)
	}
	return x
}
