package sgplvm

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// checkOf is the check of all kinds, as many values of each as are missing.
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

// checkOfKind tells how well held values of a kind, of which so many are missing, were filled in by what fills in those.
func checkOfKind(c *contest, k kind, count int) FillCheck {
	f := FillCheck{Kind: kindNames[k], Missing: count, By: c.winner[k].String()}
	f.measure(c.list(c.winner[k], k), c.winner[k].factor, c.units())
	for _, name := range c.names {
		var other FillCheck
		if other.measure(c.of(name, k), 1, c.units()); name != "" && other.Values > 0 && (f.Simplest == "" || other.RMSE < f.SimplestRMSE) {
			f.Simplest, f.SimplestRMSE = name, other.RMSE
		}
	}
	return f
}

// measure sets the errors of values in some units (nil: those of the data), whose variances are multiplied.
func (f *FillCheck) measure(list []heldValue, factor float64, units []float64) {
	if f.Deviations = units != nil; !f.Deviations {
		units = []float64{1}
	}
	var t validation.Tally
	for _, h := range list {
		e, v := h.truth-h.mean, factor*h.variance
		t.Add(e, v, units[h.value%len(units)])
		if e*e < v*validation.Normal90*validation.Normal90 {
			f.Coverage += 1 / float64(len(list))
		}
	}
	f.Values, f.Factor = len(list), factor
	var square float64
	f.NLP, _, square = t.Means()
	f.RMSE = math.Sqrt(square)
}
