package infer

// StudentScale returns what all variances of an example are multiplied by whose |O| observed
// values have the squared Mahalanobis distance χ from their mean: (ν + τ·χ)/(ν + τ·|O|), for τ = 1 as under
// a multivariate Student distribution with ν degrees of freedom (Kotz and Nadarajah,
// "Multivariate t Distributions and Their Applications", section 1.11); ν = 0 stands for infinitely many.
// τ is what StudentWeight returns.
func StudentScale(degrees, chi float64, observed int, telling float64) float64 {
	if degrees == 0 {
		return 1
	}
	return (degrees + float64(telling*chi)) / (degrees + float64(telling*float64(observed)))
}

// StudentWeight returns with what weight observed values count in judging how large the errors of missing ones are, given the mean
// variance of both: min(1, (observed/missing)²). An empty background as expected says little of what is hidden before it.
func StudentWeight(observed, missing float64) float64 {
	if observed >= missing {
		return 1
	}
	return observed / missing * (observed / missing)
}

// nearbyStrength is the weight of an example's mean square, in values, beside those observed
// near a missing one.
const nearbyStrength = 5

// LeaveOneOut sets z to (C_OO⁻¹r)²/diag C_OO⁻¹, the squares of the observed values' leave-one-out residuals in units of
// what was expected, given C_OO⁻¹r and diag C_OO⁻¹ (Rasmussen and
// Williams, "Gaussian Processes for Machine Learning", section 5.4.2), and returns their mean.
func LeaveOneOut(z, solved, precision []float64) (mean float64) {
	n := float64(len(z))
	for i, v := range solved {
		z[i] = v * v / precision[i]
		mean += z[i] / n
	}
	return mean
}

// NearbyScale sets scale to what the variances of missing points are multiplied by beside StudentScale:
// errors are larger in some parts of a picture. It is the mean square of the observed values'
// leave-one-out residuals near a point over that of all,
//
//	(n₀·z̄ + Σ_i w_i·z_i)/((n₀ + Σ_i w_i)·z̄)
//
// given Σ_i w_i·z_i of each point in scale, Σ_i w_i in total, and z̄.
func NearbyScale(scale, total []float64, mean float64) {
	for k, w := range total {
		if mean > 0 {
			scale[k] = (nearbyStrength*mean + scale[k]) / ((nearbyStrength + w) * mean)
		} else {
			scale[k] = 1
		}
	}
}
