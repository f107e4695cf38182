package validation

import (
	"math"
	"testing"
)

// plain is a verdict without errors.
func plain(losses []float64) Scores {
	if losses == nil {
		return Scores{}
	}
	return Scores{Losses: losses, Errors: make([]float64, len(losses))}
}

// A candidate is better if it is by more than chance makes it: by some standard errors of the mean
// difference.
func TestBetter(t *testing.T) {
	for _, c := range []struct {
		scores, others []float64
		want           bool
	}{
		{[]float64{1, 2, 3}, []float64{1, 2, 3}, false},
		{[]float64{1, 2, 3}, []float64{1.1, 2.1, 3.2}, true},
		{[]float64{1.1, 2.1, 3.2}, []float64{1, 2, 3}, false},
		{[]float64{0, 0, 0, 0}, []float64{1, 1, 1, -1}, false},            // 0.5 ± 0.5
		{[]float64{0, 0, 0, 0}, []float64{1, 1, 1, 0.1}, true},            // 0.775 ± 0.225
		{[]float64{5}, []float64{9}, false},                               // no error is known
		{[]float64{math.Inf(1), 0, 0}, []float64{1, 1, 1}, false},         // nor here
		{[]float64{0, 0, 0}, []float64{math.NaN(), 100, 100}, false},      // or here
		{[]float64{0, 0, 0, 0, 0}, []float64{3, 3, 3, 3, -1}, true},       // 2.2 ± 0.8
		{[]float64{0, 0, 0, 0, 0}, []float64{3, 3, 3, -1, -0.999}, false}, // 1.4 ± 0.98
	} {
		if got := Better(plain(c.scores), plain(c.others), 2); got != c.want {
			t.Errorf("%v better than %v: %v", c.scores, c.others, got)
		}
	}
	if m, e := Difference(plain([]float64{1, 2, 6}), plain([]float64{0, 0, 0})); m != 3 || math.Abs(e-math.Sqrt(14./6)) > 1e-15 {
		t.Errorf("difference %v ± %v", m, e)
	}
}

// Errors count as much as densities: half of their logarithms' difference is what the mean of two densities loses, and
// of verdicts on unequally many examples those count that both know.
func TestDifference(t *testing.T) {
	for _, c := range []struct {
		a, b Scores
		m, e float64
	}{
		{Scores{Losses: []float64{1, 1}, Errors: []float64{3, 3}}, Scores{Losses: []float64{1, 1}, Errors: []float64{1, 1}}, 1, 0},          // 2 of a mean of 2
		{Scores{Losses: []float64{0, 0}, Errors: []float64{3, 3}}, Scores{Losses: []float64{1, 1}, Errors: []float64{1, 1}}, 0, 0},          // one as much better as the other is worse
		{Scores{Losses: []float64{0, 2}, Errors: []float64{1, 3}}, Scores{Losses: []float64{0, 0}, Errors: []float64{2, 2}}, 1, 1.5},        // −½ and 2½
		{Scores{Losses: []float64{5}, Errors: []float64{2}}, Scores{Losses: []float64{1, 99, 99}, Errors: []float64{2, 99, 99}}, 4, 0},      // the first alone
		{Scores{Losses: []float64{1.02, 1.02}, Errors: []float64{1, 1}}, Scores{Losses: []float64{1, 1}, Errors: []float64{0, 0}}, 2.02, 0}, // no error at all
		{Scores{}, Scores{Losses: []float64{1}, Errors: []float64{1}}, 0, 0},
	} {
		if m, e := Difference(c.a, c.b); math.Abs(m-c.m) > 1e-14 || math.Abs(e-c.e) > 1e-14 {
			t.Errorf("%v and %v: %v ± %v, want %v ± %v", c.a, c.b, m, e, c.m, c.e)
		}
		if m, e := Difference(c.b, c.a); math.Abs(m+c.m) > 1e-14 || math.Abs(e-c.e) > 1e-14 {
			t.Errorf("%v and %v: %v ± %v, want %v ± %v", c.b, c.a, m, e, -c.m, c.e)
		}
	}
	r := math.Log(1.01) // of close errors the logarithms' difference
	if m, _ := Difference(Scores{Losses: []float64{0, 0}, Errors: []float64{1.01, 1.01}}, Scores{Losses: []float64{0, 0}, Errors: []float64{1, 1}}); math.Abs(m-r) > 1e-6 {
		t.Errorf("%v, want %v", m, r)
	}
}
