package work

import "math"

// LogLinearVariance returns the intercept a and the slope b, from least to most, under which
// independent Gaussians of mean 0 and variance exp(a + b·x_i) whose squares (or means of as many
// squares) are given are likeliest (multiplicative heteroscedasticity: Harvey, Econometrica 44(3),
// 1976). It minimises Σ_i η_i + squares_i·exp(−η_i), η = a + b·x, which is convex: for a slope the best
// intercept is known, and the slope is found by ternary search. squares and x have the same length, 1 or more.
func LogLinearVariance(squares, x []float64, least, most float64) (intercept, slope float64) {
	mean := Sum(x) / float64(len(x))
	best := func(slope float64) float64 {
		var s float64
		for i, e := range squares {
			s += e * math.Exp(-slope*(x[i]-mean)) / float64(len(x))
		}
		return math.Log(s)
	}
	for range 60 {
		a, b := least+(most-least)/3, most-(most-least)/3
		if best(a) <= best(b) {
			most = b
		} else {
			least = a
		}
	}
	slope = (least + most) / 2
	return best(slope) - slope*mean, slope
}
