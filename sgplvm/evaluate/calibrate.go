package evaluate

import (
	"fmt"
	"math"
	"slices"
)

// Calibration is what multiplying all predictive deviations by one factor does to
// the coverage of central intervals.
type Calibration struct {
	Factor        float64
	Before, After [len(Levels)]float64 // shares of the residuals, 0 to 1
}

// Calibrate returns the smallest factor for predictive deviations with which
// the central interval of probability level, 0 < level < 1, holds at least that
// share of the standardised residuals (y − mean)/deviation, as cross-validation
// gives them. Variances are to be multiplied by its square.
//
// Errors of pixels have heavier tails than a Gaussian: most are small, and edges
// that move make a few large. No factor is then right at all levels. One that is
// at 90 % makes the 50 % interval hold more than half and the 99 % interval less
// than it claims, and After says by how much.
//
// Without residuals all numbers are NaN; the factor is 0 where so many residuals
// are. It panics if level is outside its range.
func Calibrate(residuals []float64, level float64) Calibration {
	if !(level > 0 && level < 1) {
		panic(fmt.Sprintf("evaluate: Calibrate: level %v, expected between 0 and 1", level))
	}
	n := len(residuals)
	c := Calibration{Factor: math.NaN()}
	if n > 0 && !slices.ContainsFunc(residuals, math.IsNaN) {
		sizes := make([]float64, n)
		for i, z := range residuals {
			sizes[i] = math.Abs(z)
		}
		slices.Sort(sizes)
		// The k-th smallest, k ≥ level·n but for rounding.
		k := int(math.Ceil(level*float64(n) - 1e-9*float64(n)))
		c.Factor = sizes[max(k, 1)-1] / reach(level)
	}
	for l, p := range Levels {
		before, after := 0, 0
		for _, z := range residuals {
			d := math.Abs(z) / reach(p)
			if d <= 1 {
				before++
			}
			if d <= c.Factor {
				after++
			}
		}
		c.Before[l], c.After[l] = float64(before)/float64(n), float64(after)/float64(n)
	}
	return c
}
