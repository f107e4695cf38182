package work

import (
	"math"
	"testing"
)

// A link and its reverse cancel above the limit, and moments, quantiles and scores are those of a fine sum over the normal distribution of t: E|Y − y| − ½·E|Y − Y′| as a double one.
func TestLink(t *testing.T) {
	for _, l := range []Link{{}, {By: Log}, {By: Logit}, {By: Log, Shift: 0.3}, {Limited: true, Limit: 0.2}, {By: Log, Shift: 0.3, Limited: true}, {By: Log, Limited: true, Limit: 0.1}} {
		if y := 0.4; math.Abs(l.Back(l.To(y))-y) > 1e-14 {
			t.Errorf("%v: %v comes back as %v", l, y, l.Back(l.To(y)))
		}
		for _, mean := range []float64{-2, 0.1, 0.6} {
			const variance, steps, reach = 0.36, 100, 7
			var values, weights []float64
			for k := -steps * reach; k <= steps*reach; k++ {
				z := float64(k) / steps
				values = append(values, l.Back(mean+math.Sqrt(variance)*z))
				weights = append(weights, math.Exp(-z*z/2)/(steps*math.Sqrt(2*math.Pi)))
			}
			var sum, square, below float64
			for k, v := range values {
				sum, square = sum+weights[k]*v, square+weights[k]*v*v
				if z := float64(k)/steps - reach; z <= -1 {
					below = v
				}
			}
			m, v := l.Moments(mean, variance)
			if want := square - sum*sum; math.Abs(m-sum) > 1e-4*math.Abs(sum)+1e-6 || math.Abs(v-want) > 1e-3*want+1e-6 {
				t.Errorf("%v of N(%v, %v): moments %v, %v, want %v, %v", l, mean, variance, m, v, sum, want)
			}
			if got := l.Quantile(mean, variance, 0.15865525393145707); math.Abs(got-below) > 1e-9 {
				t.Errorf("%v of N(%v, %v): quantile %v, want %v", l, mean, variance, got, below)
			}
			for _, y := range []float64{l.Back(-9), 0.35} {
				var score float64
				for k, v := range values {
					score += weights[k] * math.Abs(v-y)
					for i, u := range values {
						score -= 0.5 * weights[k] * weights[i] * math.Abs(v-u)
					}
				}
				if got := l.CRPS(mean, variance, y); math.Abs(got-score) > 3e-3*score+1e-6 {
					t.Errorf("%v of N(%v, %v): CRPS %v of %v, want %v", l, mean, variance, got, y, score)
				}
			}
		}
	}
}

// Central intervals hold their share of the values that are drawn, also where many of these are at the limit.
func TestLinkWithin(t *testing.T) {
	for _, l := range []Link{{}, {Limited: true, Limit: 0.2}, {By: Log, Shift: 0.3, Limited: true}} {
		for _, mean := range []float64{-1, 0.3} {
			var within float64
			const n = 20000
			for k := range n {
				y := l.Back(mean - 0.6*math.Sqrt2*math.Erfcinv(2*(float64(k)+0.5)/n))
				within += l.Within(mean, 0.36, 0.05, y) / n
			}
			if math.Abs(within-0.9) > 1e-3 {
				t.Errorf("%v of N(%v, 0.36): %v of values are within intervals of 0.9", l, mean, within)
			}
		}
	}
}

// Moments of a logarithm whose distribution ends are those of a fine sum up to there, and as unsure where all is beyond.
func TestLinkEnds(t *testing.T) {
	for _, l := range []Link{{By: Log, Largest: 3}, {By: Log, Shift: 0.3, Largest: 2}, {By: Log, Shift: 0.3, Limited: true, Largest: 2}, {By: Log, Limit: 0.5, Limited: true, Largest: 4}} {
		for _, mean := range []float64{-1, 0.2, 0.69} {
			const variance, steps, reach = 1.7, 2000, 8
			var weight, sum, square float64
			for k := -steps * reach; k <= steps*reach; k++ {
				z := float64(k) / steps
				if x := mean + math.Sqrt(variance)*z; x < l.To(l.Largest) {
					w, y := math.Exp(-z*z/2), l.Back(x)
					weight, sum, square = weight+w, sum+w*y, square+w*y*y
				}
			}
			m, v := l.Moments(mean, variance)
			want := sum / weight
			spread := square/weight - want*want
			if math.Abs(m-want) > 2e-3*want || math.Abs(v-spread) > 5e-3*spread {
				t.Errorf("%v up to %v of N(%v, %v): moments %v, %v, want %v, %v", l, l.Largest, mean, variance, m, v, want, spread)
			}
		}
		if m, v := l.Moments(30, 1); !(m < l.Largest && math.Sqrt(v) > 0.1*l.Largest) {
			t.Errorf("%v: %v ± %v of what is far beyond %v", l, m, math.Sqrt(v), l.Largest)
		}
	}
}
