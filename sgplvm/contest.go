package sgplvm

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A FillCheck tells how well values were filled in that were hidden on purpose.
type FillCheck struct {
	Kind    string // in which way values are missing, in words; empty where it is about all
	Missing int    // how many values are missing like this
	By      string // what fills them in: the model, or the simplest method that is better

	Values   int     // how many were hidden
	RMSE     float64 // root mean square error, in the user's units
	NLP      float64 // mean negative log density, nats a value
	Coverage float64 // the share of them within central intervals of 90 %
	Factor   float64 // by which variances, also theirs, were multiplied as these values ask; 0: nothing was chosen, or factors were given

	Simplest     string // which of the simplest methods has the least error of the same values, and that; empty where there is none
	SimplestRMSE float64
}

// checkOf is the check of all kinds, as many values of each as are missing.
func checkOf(kinds []FillCheck, all FillCheck) FillCheck {
	var total, squares float64
	check := FillCheck{Factor: all.Factor}
	for _, k := range kinds {
		if k.Values > 0 {
			w := float64(k.Missing)
			total, squares = total+w, squares+w*k.RMSE*k.RMSE
			check.Missing, check.Values = check.Missing+k.Missing, check.Values+k.Values
			check.NLP, check.Coverage = check.NLP+w*k.NLP, check.Coverage+w*k.Coverage
		}
	}
	if total == 0 {
		return all
	}
	check.RMSE, check.NLP, check.Coverage = math.Sqrt(squares/total), check.NLP/total, check.Coverage/total
	return check
}

// at returns the times of the examples, also where the search found that they tell nothing; nil without times.
func (c *completer) at() []Instant { return data.Instants(c.times, c.sequences) }

func (c *completer) kindsOf() []kind { return c.holes.kindsOf(c.at(), c.points, c.channels) }

// contest compares the simplest methods with what the model has made of the reserve; nil where nothing is to be chosen, and of films.
func (c *completer) contest(ctx context.Context, cfg Config) (*contest, error) {
	if c.how == nil || c.d.Film || len(c.holes.reserve) == 0 {
		return nil, nil
	}
	kinds := c.kindsOf()
	t := newContest(deviations(c.y, c.holes, c.channels))
	var list []heldValue
	for _, r := range c.holes.reserve {
		for k, truth := range r.values() {
			list = append(list, heldValue{example: r.example, value: k, kind: kinds[r.example*c.holes.size+k], group: r.group, truth: truth,
				mean: c.y.Row(r.example)[k], variance: c.variance.Row(r.example)[k]})
		}
	}
	t.add("", list)
	defer c.watch.Timing("the simplest methods beside the model")()
	if err := t.try(ctx, list, fillers(c.y, c.holes.missing, c.points, c.channels, c.at(), cfg.Seed)); err != nil {
		return nil, err
	}
	t.decide()
	for k, name := range t.winner {
		if name == "" {
			t.factor[k] = 1 // rescaled has done that
		}
	}
	return t, nil
}

// deviations returns the standard deviations of what was observed in each channel, 1 where that is 0.
func deviations(y mat.Matrix, h *holes, channels int) []float64 {
	mean, squares, count := make([]float64, channels), make([]float64, channels), make([]float64, channels)
	for i := range y.Rows {
		row := y.Row(i)
		for k, missing := range h.of(i) {
			if !missing {
				c := k % channels
				count[c]++
				delta := row[k] - mean[c]
				mean[c] += delta / count[c]
				squares[c] += delta * (row[k] - mean[c])
			}
		}
	}
	for c, s := range squares {
		if squares[c] = math.Sqrt(s / count[c]); !(squares[c] > 0) {
			squares[c] = 1
		}
	}
	return squares
}

// modelWins reports whether the model fills in some of the missing values.
func (c *contest) modelWins(kinds []kind) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k < kindCount && c.winner[k] == "" })
}

// settle fills in by the simplest methods what these win, and keeps how well each kind was filled in.
func (c *completer) settle(ctx context.Context, t *contest, seed uint64) error {
	kinds := c.kindsOf()
	c.kinds = t.checks(countKinds(kinds))
	return t.fill(ctx, kinds, c.y, c.variance, fillers(c.y, c.holes.missing, c.points, c.channels, c.at(), seed))
}

func countKinds(kinds []kind) (count [kindCount]int) {
	for _, k := range kinds {
		if k < kindCount {
			count[k]++
		}
	}
	return count
}

// fill puts what the winners say into the missing values of their kinds. What a winner cannot tell stays.
func (c *contest) fill(ctx context.Context, kinds []kind, y, variance mat.Matrix, methods []filler) error {
	for _, m := range methods {
		if !slices.ContainsFunc(kinds, func(k kind) bool { return k < kindCount && c.winner[k] == m.name }) {
			continue
		}
		mean, v, err := m.fill(ctx)
		if err != nil {
			return err
		}
		for i := range y.Rows {
			for j := range y.Cols {
				k := kinds[i*y.Cols+j]
				if k == kindCount || c.winner[k] != m.name {
					continue
				}
				if a, b := mean.At(i, j), c.factor[k]*v.At(i, j); a-a == 0 && b > 0 && !math.IsInf(b, 1) {
					y.Set(i, j, a)
					variance.Set(i, j, b)
				}
			}
		}
	}
	return nil
}
