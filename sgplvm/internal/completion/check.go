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
	f := c.CheckHeld(c.ListOf(c.Shares[k], k))
	f.Kind, f.Missing, f.By, f.Factor = KindNames[k], count, c.Shares[k].String(), c.Shares[k][0].Factor
	for _, name := range c.Names {
		if other := c.CheckHeld(c.Of(name, k)); name != "" && other.Values > 0 && (f.Simplest == "" || other.RMSE < f.SimplestRMSE) {
			f.Simplest, f.SimplestRMSE = name, other.RMSE
		}
	}
	return f
}

// CheckHeld reports the errors of what was filled in for held-out values.
func (c *Contest) CheckHeld(list []HeldValue) (f field.FillCheck) {
	units := c.Units()
	if f.Deviations = units != nil; !f.Deviations {
		units = []float64{1}
	}
	var t validation.Tally
	for _, h := range list {
		c.Tell(&t, h, 1, units)
		f.Coverage += c.Within(h, 1)
	}
	f.Values, f.Factor = len(list), 1
	f.Coverage /= float64(max(1, len(list)))
	var square float64
	f.NLP, _, square = t.Means()
	f.RMSE = math.Sqrt(square)
	return f
}
