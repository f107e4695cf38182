package sgplvm

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// checkOf pools the checks of all kinds, each with the weight of its missing values.
func checkOf(kinds []FillCheck, all FillCheck) FillCheck {
	var total, squares float64
	check := FillCheck{Factor: all.Factor}
	for _, k := range kinds {
		if k.Values > 0 {
			w := float64(k.Missing)
			check.Deviations = k.Deviations
			total, squares = total+w, squares+w*k.RMSE*k.RMSE
			check.Missing, check.Values = check.Missing+k.Missing, check.Values+k.Values
			check.Factor = max(check.Factor, k.Factor)
			check.NLP, check.Coverage = check.NLP+w*k.NLP, check.Coverage+w*k.Coverage
		}
	}
	if total == 0 {
		return all
	}
	check.RMSE, check.NLP, check.Coverage = math.Sqrt(squares/total), check.NLP/total, check.Coverage/total
	return check
}

// checkOfKind reports the errors of what fills in a kind on its held-out values; count values of the kind are missing.
func checkOfKind(c *completion.Contest, k completion.Kind, count int) FillCheck {
	f := FillCheck{Kind: completion.KindNames[k], Missing: count, By: c.Shares[k].String()}
	f.measure(c, c.ListOf(c.Shares[k], k), 1)
	f.Factor = c.Shares[k][0].Factor
	for _, name := range c.Names {
		var other FillCheck
		if other.measure(c, c.Of(name, k), 1); name != "" && other.Values > 0 && (f.Simplest == "" || other.RMSE < f.SimplestRMSE) {
			f.Simplest, f.SimplestRMSE = name, other.RMSE
		}
	}
	return f
}

// measure sets the errors of held-out values of a contest in its units, with variances multiplied by a factor.
func (f *FillCheck) measure(c *completion.Contest, list []completion.HeldValue, factor float64) {
	units := c.Units()
	if f.Deviations = units != nil; !f.Deviations {
		units = []float64{1}
	}
	var t validation.Tally
	for _, h := range list {
		c.Tell(&t, h, factor, units)
		f.Coverage += c.Within(h, factor) / float64(len(list))
	}
	f.Values, f.Factor = len(list), factor
	var square float64
	f.NLP, _, square = t.Means()
	f.RMSE = math.Sqrt(square)
}
