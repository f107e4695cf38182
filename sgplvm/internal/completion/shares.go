package completion

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// A Candidate is what may fill in values: a method, or two together.
type Candidate struct {
	Name   string  // "" is the model
	And    string  // the method that is taken together with it
	Pair   bool    // there is one
	Factor float64 // of its variances
	Weight float64
}

// methods returns the names of its methods.
func (e Candidate) methods() []string {
	if e.Pair {
		return []string{e.Name, e.And}
	}
	return []string{e.Name}
}

// Shares are the candidates that fill in the values of a kind, with weights that add up to 1: the distribution of a value is a mixture of theirs.
type Shares []Candidate

// Alone are the shares of a single method.
func Alone(name string) Shares { return Shares{{Name: name, Factor: 1, Weight: 1}} }

// Need reports whether a method has a share.
func (s Shares) Need(name string) bool {
	return slices.ContainsFunc(s, func(e Candidate) bool { return slices.Contains(e.methods(), name) })
}

// String names the methods that have a tenth of the shares or more, those with the largest first.
func (s Shares) String() string {
	var names []string
	weights := map[string]float64{}
	for _, e := range s {
		for _, name := range e.methods() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			weights[name] += e.Weight
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(weights[b], weights[a]) })
	names = slices.DeleteFunc(names, func(name string) bool { return weights[name] < leastShare })
	for i, name := range names {
		if name == "" {
			names[i] = "the model"
		}
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

const (
	pooled       = 8    // groups at most for which the mean loss over all kinds counts in that of one kind
	bootstrapped = 1000 // draws of the weights of groups
	leastShare   = 0.1  // of the largest weight: smaller ones are left out
)

// Decide sets the shares of each kind. A kind without held-out values has those of all kinds together.
func (c *Contest) Decide() {
	if len(c.Names) == 0 {
		return
	}
	all := c.SharesOf(KindCount)
	for k := range KindCount {
		if c.Shares[k] = all; len(c.Of(c.Names[0], k)) > 0 {
			c.Shares[k] = c.SharesOf(k)
		}
	}
}

// SharesOf returns the shares of a kind, for KindCount of all kinds: pseudo-BMA+ (Y. Yao, A. Vehtari, D. Simpson and A. Gelman, Bayesian Analysis 13(3), 2018). A weight is the mean,
// over Bayesian bootstrap draws of the groups, of exp(−n·loss) over its sum (docs/math.md, 22.9).
func (c *Contest) SharesOf(k Kind) Shares {
	list := c.candidates(k)
	if len(list) == 0 {
		return Alone(c.Names[0])
	}
	ofKind, ofAll := make([]validation.Scores, len(list)), make([]validation.Scores, len(list))
	for i := range list {
		e := &list[i]
		ofKind[i], e.Factor = c.Scores(c.List(*e, k))
		known := float64(len(ofKind[i].Losses) + validation.PriorExamples)
		e.Factor = max(1, e.Factor) * known / (known - 2) // too large variances cost less than too small ones; a Student distribution has a larger variance
		ofAll[i], _ = c.Scores(c.List(*e, KindCount))
	}
	own, every := losses(ofKind, c.sizes(list[0].Name, k)), losses(ofAll, c.sizes(list[0].Name, KindCount))
	shrunk := k < KindCount && k != KindWhole && !slices.ContainsFunc(every, func(of []float64) bool { return len(of) == 0 })
	rng := rand.New(rand.NewPCG(0, 0x626d61))
	n, scores := len(own[0]), make([]float64, len(list))
	for range bootstrapped {
		bootstrap(scores, own, -float64(n), rng)
		if shrunk {
			bootstrap(scores, every, -float64(min(pooled, len(every[0])-n)), rng)
		}
		largest, sum := slices.Max(scores), 0.
		for i, v := range scores {
			scores[i] = math.Exp(v - largest)
			sum += scores[i]
		}
		for i, v := range scores {
			list[i].Weight += v / sum / bootstrapped
			scores[i] = 0
		}
	}
	return significant(list)
}

// sizes returns how many examples each group of a kind has, by the held-out values of a method, open ones too.
func (c *Contest) sizes(name string, k Kind) (n []float64) {
	for _, g := range byGroup(slices.DeleteFunc(slices.Clone(c.Held[name]), func(v HeldValue) bool { return !v.of(k) })) {
		examples := map[int]bool{}
		for _, h := range g {
			examples[h.Example] = true
		}
		n = append(n, float64(len(examples)))
	}
	return n
}

// losses returns, for each candidate, the loss of each group: that of its density, and its error over the least mean error of a candidate, times the group's size. As in
// validation.Difference both count.
func losses(of []validation.Scores, sizes []float64) [][]float64 {
	least := math.Inf(1)
	for _, v := range of {
		if len(v.Errors) > 0 {
			least = min(least, validation.Mean(v.Errors))
		}
	}
	lists := make([][]float64, len(of))
	for i, v := range of {
		for g, loss := range v.Losses {
			if least > 0 {
				loss += v.Errors[g] / least
			}
			lists[i] = append(lists[i], sizes[g]*loss)
		}
	}
	return lists
}

// bootstrap adds to scores the means of some losses, a list for each candidate, by weights of the groups that are drawn from a flat Dirichlet distribution, times scale.
func bootstrap(scores []float64, losses [][]float64, scale float64, rng *rand.Rand) {
	weights, sum := make([]float64, len(losses[0])), 0.
	for g := range weights {
		weights[g] = rng.ExpFloat64()
		sum += weights[g]
	}
	for i, list := range losses {
		for g, v := range list {
			scores[i] += scale * weights[g] / sum * v
		}
	}
}

// significant returns the candidates with the larger weights, the largest first.
func significant(list Shares) (s Shares) {
	sort.SliceStable(list, func(i, j int) bool { return cmp.Less(list[j].Weight, list[i].Weight) })
	sum := 0.
	for _, e := range list {
		if e.Weight >= leastShare*list[0].Weight {
			s = append(s, e)
			sum += e.Weight
		}
	}
	for i := range s {
		s[i].Weight /= sum
	}
	return s
}

// candidates returns the methods that fill in all held-out values of a kind, and pairs of them. Those that take part only where they are surely better are compared with the best of the others.
func (c *Contest) candidates(k Kind) (list Shares) {
	var names []string
	var best, v validation.Scores
	for _, sure := range []bool{false, true} {
		for _, name := range c.Names {
			values := c.Of(name, k)
			if c.sure[name] != sure || len(values) == 0 {
				continue
			}
			if v, _ = c.Scores(values); sure && k != KindWhole && !validation.Better(v, best, validation.SureErrors) { // whole examples hardly tell simpler methods anything
				continue
			}
			if m, _ := validation.Difference(v, best); best.Losses == nil || !sure && m < 0 {
				best = v
			}
			names = append(names, name)
		}
	}
	for i, name := range names {
		list = append(list, Candidate{Name: name})
		for _, and := range names[:i] {
			if name != simple.Mean && and != simple.Mean { // which together takes into account
				list = append(list, Candidate{Name: and, And: name, Pair: true})
			}
		}
	}
	return list
}

// ListOf returns the mixture that shares say of the held-out values of a kind; nil where a method leaves some open.
func (c *Contest) ListOf(s Shares, k Kind) (mixed []HeldValue) {
	lists := make([][]HeldValue, len(s))
	for i, e := range s {
		if lists[i] = c.List(e, k); lists[i] == nil {
			return nil
		}
	}
	mixed = slices.Clone(lists[0])
	for j := range mixed {
		var m mixture
		for i, e := range s {
			m.add(e, lists[i][j].Mean, lists[i][j].Variance)
		}
		mixed[j].Mean, mixed[j].Variance = m.moments()
	}
	return mixed
}

// A mixture sums up the moments of its parts.
type mixture struct{ weight, mean, spread, variance float64 }

// add adds a candidate that says N(m, v) before its factor; nothing where that is open.
func (x *mixture) add(e Candidate, m, v float64) {
	if v *= e.Factor; m-m != 0 || !(v > 0) || math.IsInf(v, 1) {
		return
	}
	x.weight += e.Weight
	d := m - x.mean
	x.mean += d * e.Weight / x.weight
	x.spread += e.Weight * d * (m - x.mean)
	x.variance += e.Weight * v
}

// moments returns mean and variance; NaN of none.
func (x *mixture) moments() (mean, variance float64) {
	if x.weight == 0 {
		return math.NaN(), math.NaN()
	}
	return x.mean, (x.spread + x.variance) / x.weight
}
