package completion

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// CheckOf pools the checks of all kinds, each with the weight of its missing values.
func CheckOf(kinds []field.FillCheck, all field.FillCheck) field.FillCheck {
	var total, squares float64
	check := field.FillCheck{Factor: all.Factor}
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

// Check reports the errors of what fills in a kind on its held-out values; count values of the kind are missing.
func (c *Contest) Check(k Kind, count int) field.FillCheck {
	f := field.FillCheck{Kind: KindNames[k], Missing: count, By: c.Shares[k].String()}
	c.measure(&f, c.ListOf(c.Shares[k], k), 1)
	f.Factor = c.Shares[k][0].Factor
	for _, name := range c.Names {
		var other field.FillCheck
		if c.measure(&other, c.Of(name, k), 1); name != "" && other.Values > 0 && (f.Simplest == "" || other.RMSE < f.SimplestRMSE) {
			f.Simplest, f.SimplestRMSE = name, other.RMSE
		}
	}
	return f
}

// measure sets the errors of held-out values in its units, with variances multiplied by a factor.
func (c *Contest) measure(f *field.FillCheck, list []HeldValue, factor float64) {
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
