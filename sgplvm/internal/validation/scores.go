// Package validation has the scores of held-out examples, what of a difference between two of them is more than chance, and the factor of
// variances that errors ask for.
package validation

import (
	"fmt"
	"math"
)

// Scores are those of a configuration or a method, an element for each held-out example.
type Scores struct {
	Losses []float64 // mean negative log density, nats a value in the user's units
	Errors []float64 // root mean square error, in standard deviations of the data
}

// maxScore is the largest score that makes sense: its square is finite.
const maxScore = 1e100

// Check returns an error for scores that are not finite.
func (v Scores) Check() error {
	for i, l := range v.Losses {
		if !(math.Abs(l) < maxScore) {
			return fmt.Errorf("example %d has the negative log density %v", i, l)
		}
		if !(v.Errors[i] < maxScore) {
			return fmt.Errorf("example %d has the error %v", i, v.Errors[i])
		}
	}
	return nil
}

// Standard errors of the mean difference by which a candidate must be better than the incumbent, by which it must look better for a list of candidates
// of growing size to go on, and by which it must look worse for its validation to stop: where the best mean wins, and where a candidate must be surely
// better, which after a third of the examples one that is worse by half an error becomes once in ten times.
const (
	SureErrors     = 1
	GoOnErrors     = 0.3
	StopErrors     = 3.
	StopSureErrors = 0.5
)

// MinValidated is how many examples a candidate is scored by at least before its validation may stop.
const MinValidated = 6

// Worse reports whether scores are worse than the best by so many standard errors, on at least MinValidated examples.
func Worse(v, best Scores, errors float64) bool {
	m, e := Difference(v, best)
	return best.Losses != nil && len(v.Losses) >= MinValidated && m > errors*e
}

// Better reports whether scores are better than others by more than some standard errors of the mean difference.
func Better(v, w Scores, errors float64) bool {
	m, e := Difference(v, w)
	return len(v.Losses) > 1 && -m > errors*e
}

// Difference returns how much worse scores are than others on the examples that both have: the mean over these of the
// difference of losses and of errors relative to the mean error of both, which for small differences is that of the logarithms;
// and its standard error. So a candidate counts twice, by its own variances and by one variance that its errors would have
// (−log N of errors of variance σ² is log σ and a constant).
func Difference(v, w Scores) (m, e float64) {
	n := min(len(v.Losses), len(w.Losses))
	if n == 0 {
		return 0, 0
	}
	weight := Mean(v.Errors[:n])/2 + Mean(w.Errors[:n])/2
	if weight > 0 {
		weight = 1 / weight
	}
	d := make([]float64, n)
	for k := range d {
		d[k] = v.Losses[k] - w.Losses[k] + weight*(v.Errors[k]-w.Errors[k])
	}
	m = Mean(d)
	if n < 2 {
		return m, 0
	}
	var square float64
	for _, x := range d {
		square += (x - m) * (x - m)
	}
	return m, math.Sqrt(square / float64(n*(n-1)))
}

// Mean returns the mean of some values, 0 of none.
func Mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}

// PriorExamples is the weight, in examples, of variances as they are.
const PriorExamples = 8

// Inflation returns the best factor of variances for examples with the mean chi of squared errors over variances, shrunk to 1.
func Inflation(chi, examples float64) float64 {
	return (chi*examples + PriorExamples) / (examples + PriorExamples)
}

// A Tally sums up the scores of some values.
type Tally struct{ loss, chi, square, values float64 }

// Add adds a value with the error r and the variance v, of a channel with a standard deviation.
func (t *Tally) Add(r, v, deviation float64) {
	t.AddLoss(Loss(r, v), r*r/v, r/deviation)
}

// Loss returns the negative log density of a normal error r with the variance v.
func Loss(r, v float64) float64 { return 0.5 * (math.Log(2*math.Pi*v) + r*r/v) }

// AddLoss adds a value with a negative log density or probability, what its squared error is over the variance, and its error in deviations.
func (t *Tally) AddLoss(loss, chi, e float64) {
	t.loss += loss
	t.chi += chi
	t.square += e * e
	t.values++
}

// Means returns the mean negative log density, the mean squared error over variance and the mean squared error in deviations; 0 of no values.
func (t *Tally) Means() (loss, chi, square float64) {
	n := max(1, t.values)
	return t.loss / n, t.chi / n, t.square / n
}

// Normal90 is how many standard deviations the central 90 % of a normal distribution reach.
const Normal90 = 1.6448536269514722
