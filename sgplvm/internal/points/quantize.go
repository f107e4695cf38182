package points

import (
	"math"
	"math/rand/v2"
	"slices"
)

// promise is how far, in standard deviations, predictions from a file of a type may be from those of Float64.
func (t Type) promise() float64 { return [...]float64{0, 1e-5, 2e-3}[t] }

// typical is which part of what is promised for all values rounding of one table may change trials by, in the root mean square: the
// farthest of many values is some ten times as far off, and there are several tables.
const typical = 0.03

// byLength are the types by their bytes, but for Float64.
var byLength = []Type{Float16, Float32}

// Quantize gives each large table the type of the fewest bytes with which filling in keeps what a type promises: agreement with tables of 64 bits
// within 10⁻⁵ (Float32) or 2·10⁻³ (Float16) of a standard deviation. That is measured: training examples of which a tenth or half is seen are filled in with
// one table rounded at a time. Where the least rounding changes answers, as the search for latent variables ends elsewhere, ten times that is allowed. Tables of a
// fast model with sums of covariances, which promises less, have the type itself.
func (c *Contents) Quantize(kind Type) {
	if kind == Float64 {
		return
	}
	tables := c.tables()
	if len(c.Shapes) > 0 {
		for _, t := range tables {
			*t.of = t.of.shorter(t.first(kind))
		}
		return
	}
	try, whole, chosen := c.newTrials(), make([]Table, len(tables)), make([]Table, len(tables))
	for i, t := range tables {
		whole[i] = *t.of
		*t.of = whole[i].truncated()
	}
	allowed := max(typical*kind.promise(), 10*try.off(c))
	for i, t := range tables {
		*t.of = whole[i]
	}
	for i, t := range tables {
		chosen[i] = whole[i]
		for _, shorter := range byLength {
			if whole[i].rows == 0 || shorter.bytes() < t.first(kind).bytes() {
				continue
			}
			*t.of = whole[i].As(shorter)
			if try.off(c) <= allowed {
				chosen[i] = *t.of
				break
			}
		}
		*t.of = whole[i]
	}
	for i, t := range tables {
		*t.of = chosen[i]
	}
}

// A large is a large table of Contents, and the shortest type that it may have: small eigenvalues of covariances count, more than trials show.
type large struct {
	of    *Table
	least Type
}

// first returns the shortest type that may do in a file of a type.
func (l large) first(kind Type) Type {
	if kind.bytes() < l.least.bytes() {
		return l.least
	}
	return kind
}

func (c *Contents) tables() []large {
	all := []large{{&c.P, Float16}, {&c.Structure, Float32}, {&c.Residuals, Float16}, {&c.Filled, Float16}, {&c.Alike, Float32}}
	for i := range c.Factors {
		all = append(all, large{&c.Factors[i].B, Float16}, large{&c.Factors[i].K, Float32})
	}
	return all
}

// Trials are examples seen in part, and what is predicted of them with 64 bits.
type trials struct {
	values  [][]float64 // NaN where missing
	results []answer
}

type answer struct{ mean, variance []float64 }

// How many trials there are at most, about how many multiplications all of them may take, and of how many values of a channel are seen at most.
const (
	maxTrials  = 6
	trialsWork = 6e10
	maxInTrial = 512
)

// newTrials returns training examples that are seen in part, of models that keep no residuals what is predicted at training posteriors, with noise.
func (c *Contents) newTrials() *trials {
	m := New(c)
	half := min((c.Points+1)/2, maxInTrial)
	t, w, rng := new(trials), m.NewWorkspace(1), rand.New(rand.NewPCG(1, 1))
	for k := range int(min(maxTrials, max(2, trialsWork/m.Multiplications(half)))) {
		n := k * c.Examples / maxTrials
		values := make([]float64, m.values())
		if m.kept() {
			m.y.row(values, n, 0)
		} else {
			w.setMoments(m.mu.Row(n), m.s.Row(n))
			w.marginal(w.result, m.points)
			copy(values, w.result.mean.Data)
		}
		share := float64(half) / float64(c.Points)
		if k%2 > 0 {
			share = min(share, 0.1)
		}
		for i := range values {
			hidden := rng.Float64() >= share
			if !m.kept() {
				values[i] += rng.NormFloat64() / math.Sqrt(c.Beta)
			}
			if hidden {
				values[i] = math.NaN()
			}
		}
		t.values = append(t.values, values)
	}
	t.results = t.fill(m)
	return t
}

// fill fills in all trials; what cannot be has no numbers.
func (t *trials) fill(m *Model) []answer {
	w := m.NewWorkspace(0)
	results := make([]answer, len(t.values))
	for k, values := range t.values {
		w.Observe(values)
		if w.Infer() == nil && w.Complete() == nil {
			results[k] = answer{slices.Clone(w.result.mean.Data), slices.Clone(w.result.variance.Data)}
		}
	}
	return results
}

// off returns by how many standard deviations contents change means and deviations of what is missing in a trial, in the root mean square: in half of the
// trials by more. +Inf where that many fail.
func (t *trials) off(c *Contents) float64 {
	var each []float64
	for k, f := range t.fill(New(c)) {
		want := t.results[k]
		var square, count float64
		for i, v := range want.variance {
			if y := t.values[k][i]; y != y && v > 0 && f.mean != nil {
				d, e := f.mean[i]-want.mean[i], 0.5*(f.variance[i]-v)
				square += d*d/v + e*e/(v*v)
				count++
			}
		}
		if !(square >= 0) || count == 0 {
			square, count = math.Inf(1), 1
		}
		each = append(each, math.Sqrt(square/count))
	}
	slices.Sort(each)
	return each[len(each)/2]
}
