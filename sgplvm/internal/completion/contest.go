package completion

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A Contest compares methods on held-out values: the model, the simplest methods, and pairs of them.
type Contest struct {
	table          bool                   // errors are told in deviations of its columns
	Scale          []float64              // deviations of the channels
	By             []work.Link            // of each channel, of whose values the held-out ones are t; nil: none
	Centre, Spread []float64              // means and deviations of the values of an example, over examples
	Held           map[string][]HeldValue // by each method, in one order; "" is the model
	Names          []string               // of the methods, in the order in which they were tried
	sure           map[string]bool        // those that have a share only where they are surely better
	Shares         [KindCount]Shares      // what fills in the values of each kind
}

// NewContest begins a contest.
func NewContest(y mat.Matrix, h *Mask, channels int, table bool) *Contest {
	c := &Contest{Held: map[string][]HeldValue{}, table: table, sure: map[string]bool{}}
	_, c.Scale = Moments(y, h, channels)
	c.Centre, c.Spread = Moments(y, h, y.Cols)
	return c
}

// Together returns the moments of a value of which one method says N(m, v) and another N(n, w). Given the value, what the two see is taken to be
// independent: precisions add up, less that of the value over examples, N(centre, spread²), which both contain (docs/math.md, 22.9).
func (c *Contest) Together(value int, m, v, n, w float64) (mean, variance float64) {
	a, b := 1/v, 1/w
	p := min(a, b, 1/(c.Spread[value]*c.Spread[value]))
	variance = 1 / (a + b - p)
	return variance * (a*m + b*n - p*c.Centre[value]), variance
}

// Add adds what a method filled in for held-out values.
func (c *Contest) Add(name string, list []HeldValue) {
	if _, known := c.Held[name]; !known {
		c.Names = append(c.Names, name)
	}
	c.Held[name] = append(c.Held[name], list...)
}

// Try fills in held-out values by some methods and adds that. A method that fails leaves them open.
func (c *Contest) Try(ctx context.Context, list []HeldValue, methods []Filler) error {
	for _, m := range methods {
		c.sure[m.Name] = m.Sure
		mean, variance, err := m.Fill(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		tried := slices.Clone(list)
		for i := range tried {
			v := &tried[i]
			if v.Mean, v.Variance = math.NaN(), math.NaN(); err == nil {
				v.Mean, v.Variance = mean.At(v.Example, v.Value), variance.At(v.Example, v.Value)
			}
		}
		c.Add(m.Name, tried)
	}
	return nil
}

// Join adds what the methods of another contest filled in for the same values.
func (c *Contest) Join(other *Contest) {
	for _, name := range other.Names {
		c.sure[name] = other.sure[name]
		c.Add(name, other.Held[name])
	}
}

// About reports whether a contest is about some held-out values, of the same kinds; false for nil.
func (c *Contest) About(list []HeldValue) bool {
	return c != nil && len(c.Names) > 0 && slices.EqualFunc(c.Held[c.Names[0]], list, func(a, b HeldValue) bool {
		return a.Example == b.Example && a.Value == b.Value && a.Kind == b.Kind
	})
}

// of reports whether a value is of a kind; for KindCount of any but whole examples.
func (v *HeldValue) of(k Kind) bool { return v.Kind == k || k == KindCount && v.Kind != KindWhole }

// Of returns what a method filled in for the held-out values of a kind; for KindCount of all kinds but whole examples, which are another task. It returns nil if the method
// leaves some of them open.
func (c *Contest) Of(name string, k Kind) (list []HeldValue) {
	for _, v := range c.Held[name] {
		if v.of(k) {
			if v.Mean-v.Mean != 0 || !(v.Variance > 0) || math.IsInf(v.Variance, 1) {
				return nil
			}
			list = append(list, v)
		}
	}
	return list
}

// List is Of for a candidate.
func (c *Contest) List(e Candidate, k Kind) []HeldValue {
	list := c.Of(e.Name, k)
	if !e.Pair {
		return list
	}
	other := c.Of(e.And, k)
	if list == nil || other == nil {
		return nil
	}
	for i := range list {
		v, w := &list[i], &other[i]
		v.Mean, v.Variance = c.Together(v.Value, v.Mean, v.Variance, w.Mean, w.Variance)
	}
	return list
}

// Scores returns the scores of each group of values, with the best inflation of their variances, and that.
func (c *Contest) Scores(list []HeldValue) (v validation.Scores, factor float64) {
	groups := byGroup(list)
	var chi float64
	for _, g := range groups {
		for _, h := range g {
			_, own := c.judge(h, 1)
			chi += own / float64(len(g))
		}
	}
	factor = validation.Inflation(chi/float64(max(1, len(groups))), float64(len(groups)))
	for _, g := range groups {
		var t validation.Tally
		for _, h := range g {
			c.Tell(&t, h, factor, c.Scale)
		}
		loss, _, square := t.Means()
		v.Losses, v.Errors = append(v.Losses, loss), append(v.Errors, math.Sqrt(square))
	}
	return v, factor
}

// Tell adds a held-out value to a tally, with its variance multiplied by a factor; errors are in the units of the data, over those given by channel.
func (c *Contest) Tell(t *validation.Tally, h HeldValue, factor float64, units []float64) {
	by := c.link(h)
	mean, _ := by.Moments(h.Mean, factor*h.Variance)
	loss, chi := c.judge(h, factor)
	t.AddLoss(loss, chi, (by.Back(h.Truth)-mean)/units[h.Value%len(units)])
}

// judge returns the negative log density of a held-out value, with its variance multiplied by a factor, and its squared error over that; of one at a limit the negative log probability and
// the expected square.
func (c *Contest) judge(h HeldValue, factor float64) (loss, chi float64) {
	v, by := factor*h.Variance, c.link(h)
	if r := h.Truth - h.Mean; h.Truth > by.Least() {
		return validation.Loss(r, v) - by.By.LogSlope(h.Truth), r * r / v
	}
	m, rest, log := simple.Below(by.Least(), h.Mean, v)
	return -log, ((m-h.Mean)*(m-h.Mean) + rest) / v
}

// link returns what ties a held-out value to the truth.
func (c *Contest) link(h HeldValue) (by work.Link) {
	if c.By != nil {
		by = c.By[h.Value%len(c.By)]
	}
	return by
}

// Within returns whether a held-out value is within its central interval of 90 %, as work.Link.Within tells it.
func (c *Contest) Within(h HeldValue, factor float64) float64 {
	by := c.link(h)
	return by.Within(h.Mean, factor*h.Variance, 0.05, by.Back(h.Truth))
}

// CRPS returns the CRPS of each group of values, over the deviations of the channels.
func (c *Contest) CRPS(list []HeldValue) (scores []float64) {
	_, factor := c.Scores(list)
	for _, g := range byGroup(list) {
		var sum float64
		for _, h := range g {
			by := c.link(h)
			sum += by.CRPS(h.Mean, factor*h.Variance, by.Back(h.Truth)) / c.Scale[h.Value%len(c.Scale)] / float64(len(g))
		}
		scores = append(scores, sum)
	}
	return scores
}

// byGroup returns the values of each group, in the order of groups.
func byGroup(list []HeldValue) (groups [][]HeldValue) {
	list = slices.Clone(list)
	sort.SliceStable(list, func(i, j int) bool { return list[i].Group < list[j].Group })
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && list[to].Group == list[from].Group {
			to++
		}
		groups = append(groups, list[from:to])
		from = to
	}
	return groups
}

// Units returns the units of errors by channel: the deviations of the columns of a table; nil for the units of the data.
func (c *Contest) Units() []float64 {
	if c.table {
		return c.Scale
	}
	return nil
}

// Without returns the contest without a method.
func (c *Contest) Without(method string) *Contest {
	s := *c
	s.Names = slices.DeleteFunc(slices.Clone(c.Names), func(name string) bool { return name == method })
	s.Decide()
	return &s
}

// Lost reports whether without the model every kind of which values were held out is filled in better, by more than some standard errors.
func (c *Contest) Lost(errors float64) bool {
	s := c.Without("")
	for k := range KindCount {
		if model, _ := c.Scores(c.Of("", k)); len(model.Losses) > 0 {
			if other, _ := c.Scores(c.ListOf(s.Shares[k], k)); !validation.Worse(model, other, errors) {
				return false
			}
		}
	}
	return true
}

// Behind returns the mean error of the model over that of what fills in without it.
func (c *Contest) Behind() float64 {
	s := c.Without("")
	model, _ := c.Scores(c.Of("", KindCount))
	other, _ := c.Scores(c.ListOf(s.SharesOf(KindCount), KindCount))
	return validation.Mean(model.Errors) / validation.Mean(other.Errors)
}

// Wins reports whether a method fills in some of the missing values.
func (c *Contest) Wins(name string, kinds []Kind) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool { return k < KindCount && c.Shares[k].Need(name) })
}

// Fill replaces the missing values of a kind, filled in by the model, by the mixture of shares. Values that all leave open stay.
func (c *Contest) Fill(ctx context.Context, s Shares, k Kind, kinds []Kind, y, variance mat.Matrix, methods []Filler) error {
	type said struct{ mean, variance mat.Matrix }
	by := map[string]said{"": {y, variance}}
	for _, m := range methods {
		if s.Need(m.Name) {
			mean, v, err := m.Fill(ctx)
			if err != nil {
				return err
			}
			by[m.Name] = said{mean, v}
		}
	}
	one, two := make([]said, len(s)), make([]said, len(s))
	for n, e := range s {
		one[n], two[n] = by[e.Name], by[e.And]
	}
	for i := range y.Rows {
		for j := range y.Cols {
			if kinds[i*y.Cols+j] != k {
				continue
			}
			var x mixture
			for n, e := range s {
				one, other := one[n], two[n]
				a, b := one.mean.At(i, j), one.variance.At(i, j)
				if e.Pair {
					a, b = c.Together(j, a, b, other.mean.At(i, j), other.variance.At(i, j))
				}
				x.add(e, a, b)
			}
			if a, b := x.moments(); a == a {
				y.Set(i, j, a)
				variance.Set(i, j, b)
			}
		}
	}
	return nil
}
