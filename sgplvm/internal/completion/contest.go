package completion

import (
	"cmp"
	"context"
	"math"
	"slices"

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
	sure           map[string]bool        // those that win only where they are surely better
	Winner         [KindCount]Candidate
}

// A Candidate is what may fill in the values of a kind: a method, or two together.
type Candidate struct {
	Name   string  // "" is the model
	And    string  // the method that is taken together with it
	Pair   bool    // there is one
	Factor float64 // of its variances
}

func (e Candidate) String() string {
	name := cmp.Or(e.Name, "the model")
	if e.Pair {
		name += " and " + cmp.Or(e.And, "the model")
	}
	return name
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

// Of returns what a method filled in for the held-out values of a kind; for KindCount of all kinds but whole examples, which are another task. It returns nil if the method
// leaves some of them open.
func (c *Contest) Of(name string, k Kind) (list []HeldValue) {
	for _, v := range c.Held[name] {
		if v.Kind == k || k == KindCount && v.Kind != KindWhole {
			if v.Mean-v.Mean != 0 || !(v.Variance > 0) || math.IsInf(v.Variance, 1) {
				return nil
			}
			list = append(list, v)
		}
	}
	return list
}

// pooled is the weight, in groups, of the mean difference over all kinds in that of one kind.
const pooled = 8

// list is Of for a candidate.
func (c *Contest) list(e Candidate, k Kind) []HeldValue {
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

// Decide finds the winner for each kind. The first method, the model if there is one, is challenged by the others in order, and the better mean wins: only the
// model was chosen on these values. Then the best pair wins if it is surely better. A kind without held-out values goes to the winner over all kinds.
func (c *Contest) Decide() {
	if len(c.Names) == 0 {
		return
	}
	all := c.Best(KindCount)
	for k := range KindCount {
		if c.Winner[k] = all; len(c.Of(c.Names[0], k)) > 0 {
			c.Winner[k] = c.Best(k)
		}
	}
}

// Best returns the winner of a kind; for KindCount over all kinds.
func (c *Contest) Best(k Kind) Candidate {
	best := Candidate{Name: c.Names[0]}
	_, best.Factor = c.Scores(c.list(best, k))
	for _, name := range c.Names[1:] {
		errors := 0.0
		if c.sure[name] && k != KindWhole { // of which simpler methods hardly tell anything
			errors = validation.SureErrors
		}
		c.challenge(Candidate{Name: name}, &best, k, errors)
	}
	var pair Candidate
	for i, name := range c.Names {
		for _, and := range c.Names[:i] {
			switch e := (Candidate{Name: and, And: name, Pair: true}); {
			case name == simple.Mean || and == simple.Mean: // which together takes into account
			case c.list(e, k) != nil && !pair.Pair:
				pair = e
			default:
				c.challenge(e, &pair, k, 0)
			}
		}
	}
	if pair.Pair {
		c.challenge(pair, &best, k, validation.SureErrors)
	}
	best.Factor = max(1, best.Factor) // variances that are too large cost less than those that are too small
	if groups := len(byGroup(c.list(best, k))); groups > 0 {
		known := float64(groups + validation.PriorExamples)
		best.Factor *= known / (known - 2) // the variance of a Student distribution of as many degrees of freedom: few groups hardly tell the factor
	}
	return best
}

// challenge replaces the best by a candidate that is better by more than some standard errors. The mean difference is shrunk to that over all
// kinds, with the weight pooled.
func (c *Contest) challenge(e Candidate, best *Candidate, k Kind, errors float64) {
	list := c.list(e, k)
	if list == nil {
		return
	}
	v, factor := c.Scores(list)
	stands, _ := c.Scores(c.list(*best, k))
	m, s := validation.Difference(v, stands)
	if every := c.list(e, KindCount); k != KindWhole && every != nil && c.list(*best, KindCount) != nil {
		v, _ := c.Scores(every)
		all, _ := c.Scores(c.list(*best, KindCount))
		of, e := validation.Difference(v, all)
		s = max(s, e) // which few groups hardly tell
		n := float64(len(stands.Losses))
		m = (n*m + pooled*of) / (n + pooled)
	}
	if -m > errors*s {
		*best = e
		best.Factor = factor
	}
}

// Scores returns the scores of each group of values, with the best inflation of their variances, and that.
func (c *Contest) Scores(list []HeldValue) (v validation.Scores, factor float64) {
	groups := byGroup(list)
	var chi float64
	for _, g := range groups {
		for _, h := range g {
			_, own := c.below(h, 1)
			chi += own / float64(len(g))
		}
	}
	factor = validation.Inflation(chi/float64(max(1, len(groups))), float64(len(groups)))
	for _, g := range groups {
		var t validation.Tally
		for _, h := range g {
			c.tell(&t, h, factor, c.Scale)
		}
		loss, _, square := t.Means()
		v.Losses, v.Errors = append(v.Losses, loss), append(v.Errors, math.Sqrt(square))
	}
	return v, factor
}

// tell adds a held-out value to a tally, with its variance multiplied by a factor; errors are in the units of the data, over those given by channel.
func (c *Contest) tell(t *validation.Tally, h HeldValue, factor float64, units []float64) {
	r, v, unit, by := h.Truth-h.Mean, factor*h.Variance, units[h.Value%len(units)], c.link(h)
	mean, _ := by.Moments(h.Mean, v)
	if e := by.Back(h.Truth) - mean; h.Truth > by.Least() {
		t.AddOf(r, v, by.By.LogSlope(h.Truth), e, unit)
	} else {
		log, chi := c.below(h, factor)
		t.AddAtLimit(log, chi, e, unit)
	}
}

// below returns the squared error of a held-out value over its variance times a factor, and of one at a limit what is expected of it, and the logarithm of the probability of that.
func (c *Contest) below(h HeldValue, factor float64) (log, chi float64) {
	v, limit := factor*h.Variance, c.link(h).Least()
	if h.Truth > limit {
		return 0, (h.Truth - h.Mean) * (h.Truth - h.Mean) / v
	}
	m, rest, log := simple.Below(limit, h.Mean, v)
	return log, ((m-h.Mean)*(m-h.Mean) + rest) / v
}

// link returns what ties a held-out value to the truth.
func (c *Contest) link(h HeldValue) (by work.Link) {
	if c.By != nil {
		by = c.By[h.Value%len(c.By)]
	}
	return by
}

// within returns whether a held-out value is within its central interval of 90 %, as work.Link.Within tells it.
func (c *Contest) within(h HeldValue, factor float64) float64 {
	by := c.link(h)
	return by.Within(h.Mean, factor*h.Variance, 0.05, by.Back(h.Truth))
}

// CRPS returns the CRPS of each group of values, over the deviations of the channels, as errors.
func (c *Contest) CRPS(list []HeldValue) (v validation.Scores) {
	_, factor := c.Scores(list)
	for _, g := range byGroup(list) {
		var sum float64
		for _, h := range g {
			by := c.link(h)
			sum += by.CRPS(h.Mean, factor*h.Variance, by.Back(h.Truth)) / c.Scale[h.Value%len(c.Scale)] / float64(len(g))
		}
		v.Losses, v.Errors = append(v.Losses, 0), append(v.Errors, sum)
	}
	return v
}

// byGroup returns the values of each group, in the order of groups.
func byGroup(list []HeldValue) (groups [][]HeldValue) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b HeldValue) int { return cmp.Compare(a.Group, b.Group) })
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

// units returns the units of errors by channel: the deviations of the columns of a table; nil for the units of the data.
func (c *Contest) units() []float64 {
	if c.table {
		return c.Scale
	}
	return nil
}

// Lost reports whether the model loses every kind of which values were held out, by more than some standard errors.
func (c *Contest) Lost(errors float64) bool {
	for k := range KindCount {
		if model, _ := c.Scores(c.Of("", k)); len(model.Losses) > 0 {
			w := c.Winner[k]
			other, _ := c.Scores(c.list(w, k))
			if w.NeedsModel() || !validation.Worse(model, other, errors) {
				return false
			}
		}
	}
	return true
}

// needs reports whether a method is a part of a candidate.
func (e Candidate) needs(name string) bool { return e.Name == name || e.Pair && e.And == name }

// NeedsModel reports whether the model is.
func (e Candidate) NeedsModel() bool { return e.needs("") }

// Wins reports whether a method fills in some of the missing values.
func (c *Contest) Wins(name string, kinds []Kind) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool { return k < KindCount && c.Winner[k].needs(name) })
}

// WithoutModel returns the best of the candidates for a kind that need no model.
func (c *Contest) WithoutModel(k Kind) Candidate {
	simpler := *c
	simpler.Names = slices.DeleteFunc(slices.Clone(c.Names), func(name string) bool { return name == "" })
	if len(c.Of(simpler.Names[0], k)) == 0 {
		k = KindCount
	}
	return simpler.Best(k)
}

// Fill replaces the missing values of a kind, filled in by the model, by those of a candidate. Values that it leaves open stay.
func (c *Contest) Fill(ctx context.Context, w Candidate, k Kind, kinds []Kind, y, variance mat.Matrix, methods []Filler) error {
	if w.NeedsModel() && !w.Pair && !(w.Factor > 1) {
		return nil
	}
	say := func(name string) (mean, v mat.Matrix, err error) {
		if i := slices.IndexFunc(methods, func(m Filler) bool { return m.Name == name }); i >= 0 {
			return methods[i].Fill(ctx)
		}
		return y, variance, nil
	}
	mean, v, err := say(w.Name)
	if err != nil {
		return err
	}
	other, u := mean, v
	if w.Pair {
		if other, u, err = say(w.And); err != nil {
			return err
		}
	}
	for i := range y.Rows {
		for j := range y.Cols {
			if kinds[i*y.Cols+j] != k {
				continue
			}
			a, b := mean.At(i, j), v.At(i, j)
			if w.Pair {
				a, b = c.Together(j, a, b, other.At(i, j), u.At(i, j))
			}
			if b *= w.Factor; a-a == 0 && b > 0 && !math.IsInf(b, 1) {
				y.Set(i, j, a)
				variance.Set(i, j, b)
			}
		}
	}
	return nil
}
