package evaluate

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Levels are the probabilities of the central intervals whose coverage is
// measured.
var Levels = [3]float64{0.50, 0.90, 0.99}

// Scores are the measures of one picture (see the package documentation).
// Without a value to score all but Count are NaN.
type Scores struct {
	Count    int // values scored
	RMSE     float64
	MAE      float64
	MNLP     float64
	NLP      float64
	Coverage [len(Levels)]float64 // shares, 0 to 1
}

// Score measures a prediction of one picture. All matrices are n_s×d_y: truth,
// what was seen (NaN where not), and the predicted mean and variance, noise
// included. The values that were not seen are scored, except where the truth is
// NaN: it is not known. Errors: an infinite truth, a mean that is not
// finite and a variance that is not positive and finite; they name the place, counted from 0. It panics if the
// shapes differ.
func Score(truth, seen, mean, variance mat.Matrix) (Scores, error) {
	if seen.Rows != truth.Rows || seen.Cols != truth.Cols {
		panic(fmt.Sprintf("evaluate: Score: shapes %d×%d and %d×%d differ", truth.Rows, truth.Cols, seen.Rows, seen.Cols))
	}
	var s Stream
	if err := s.Add(truth, seen, mean, variance); err != nil {
		return Scores{}, err
	}
	return s.Scores(), nil
}

// reach returns half the central interval of probability p of a normal
// distribution, in standard deviations.
func reach(p float64) float64 { return math.Sqrt2 * math.Erfinv(p) }

// Evaluate computes everything that is reported of a prediction of many pictures:
// the scores of each and their summary. All matrices are N×(n_s·d_y), a picture
// a row, point by point with the channels of a point side by side; otherwise they
// are as in Score. Errors: those of Score, with the picture. It panics if shapes
// differ, or channels does not divide their columns.
func Evaluate(truth, seen, mean, variance mat.Matrix, channels int) ([]Scores, Summary, error) {
	for _, m := range []mat.Matrix{seen, mean, variance} {
		if m.Rows != truth.Rows || m.Cols != truth.Cols {
			panic(fmt.Sprintf("evaluate: Evaluate: shapes %d×%d and %d×%d differ", truth.Rows, truth.Cols, m.Rows, m.Cols))
		}
	}
	if channels < 1 || truth.Cols%channels != 0 {
		panic(fmt.Sprintf("evaluate: Evaluate: pictures are %d×%d, expected a multiple of %d channels", truth.Rows, truth.Cols, channels))
	}
	points := truth.Cols / channels
	scores := make([]Scores, truth.Rows)
	for i := range scores {
		picture := func(m mat.Matrix) mat.Matrix {
			first := m.Slice(i, i+1, 0, m.Cols)
			return mat.Matrix{Rows: points, Cols: channels, RowStride: channels * m.ColStride, ColStride: m.ColStride, Data: first.Data}
		}
		var err error
		if scores[i], err = Score(picture(truth), picture(seen), picture(mean), picture(variance)); err != nil {
			return nil, Summary{}, fmt.Errorf("picture %d: %w", i, err)
		}
	}
	return scores, Summarize(scores), nil
}

// negativeLogDensity returns −log N(y | mean, variance).
func negativeLogDensity(y, mean, variance float64) float64 {
	d := (y - mean) / math.Sqrt(variance)
	return 0.5*math.Log(2*math.Pi*variance) + 0.5*d*d
}

// quantileOf returns the p-quantile of values, 0 ≤ p ≤ 1, in any order: linear
// interpolation between the two neighbours of position p·(n−1) in sorted order,
// the default of numpy.quantile and definition 7 of Hyndman and Fan (The
// American Statistician 50(4), 1996). It is NaN if there is no value, or if one
// is NaN.
func quantileOf(values []float64, p float64) float64 {
	if len(values) == 0 || slices.ContainsFunc(values, math.IsNaN) {
		return math.NaN()
	}
	return quantile(slices.Clone(values), p)
}

// Statistic is a measure over many pictures.
type Statistic struct {
	Mean      float64
	Low, High float64 // the 2.5th and the 97.5th percentile
}

// Summary holds the measures over many pictures.
type Summary struct {
	Pictures, Values int // pictures with a value to score, and all such values

	RMSE, MAE, MNLP, NLP Statistic
	Coverage             [len(Levels)]Statistic
}

// Means returns the means, as scores of all values.
func (s Summary) Means() Scores {
	all := Scores{Count: s.Values, RMSE: s.RMSE.Mean, MAE: s.MAE.Mean, MNLP: s.MNLP.Mean, NLP: s.NLP.Mean}
	for k, c := range s.Coverage {
		all.Coverage[k] = c.Mean
	}
	return all
}

// Summarize combines the scores of pictures. Pictures without a value to score do not
// count; if there are no others, all statistics are NaN.
func Summarize(scores []Scores) Summary {
	var used []Scores
	var s Summary
	for _, one := range scores {
		if one.Count > 0 {
			used = append(used, one)
			s.Values += one.Count
		}
	}
	s.Pictures = len(used)
	over := func(measure func(Scores) float64) Statistic {
		v := make([]float64, len(used))
		var sum float64
		for i, one := range used {
			v[i] = measure(one)
			sum += v[i]
		}
		return Statistic{sum / float64(len(v)), quantileOf(v, 0.025), quantileOf(v, 0.975)}
	}
	s.RMSE = over(func(s Scores) float64 { return s.RMSE })
	s.MAE = over(func(s Scores) float64 { return s.MAE })
	s.MNLP = over(func(s Scores) float64 { return s.MNLP })
	s.NLP = over(func(s Scores) float64 { return s.NLP })
	for k := range Levels {
		s.Coverage[k] = over(func(s Scores) float64 { return s.Coverage[k] })
	}
	return s
}
