package kernel

// white is 1 where points coincide, else 0. It has no length scale and no slope.
type white struct{}

// Values sets r2[j] to the covariance.
func (white) Values(r2 []float64, variance float64) {
	for j, v := range r2 {
		r2[j] = 0
		if v == 0 {
			r2[j] = variance
		}
	}
}

// Slopes sets r2[j] to 0.
func (white) Slopes(r2 []float64, _ float64) { clear(r2) }
