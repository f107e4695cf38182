package evaluate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

const eps = 0x1p-52

var nan, inf = math.NaN(), math.Inf(1)

// near compares with a tolerance of 16 roundings: every number here comes from
// a handful of operations and a logarithm or a square root.
func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 16*eps*max(1, math.Abs(want))) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s is %v, expected %v", name, got, want)
	}
}

// logs2pi is log √(2π).
const logs2pi = 0.91893853320467274178

// Six values, of which three count: errors 3, −4 and 0 with deviations 1, 2 and
// 5. The other three were seen or have no truth; their predictions may be
// anything.
func TestScoreByHand(t *testing.T) {
	truth := mat.NewDense(3, 2, []float64{13, 99, 6, inf, nan, 2})
	seen := mat.NewDense(3, 2, []float64{nan, 99, nan, 0, nan, nan})
	mean := mat.NewDense(3, 2, []float64{10, nan, 10, 7, inf, 2})
	variance := mat.NewDense(3, 2, []float64{1, 0, 4, -1, nan, 25})
	s, err := evaluate.Score(truth, seen, mean, variance)
	if err != nil {
		t.Fatal(err)
	}
	if s.Count != 3 {
		t.Fatalf("%d values", s.Count)
	}
	near(t, "RMSE", s.RMSE, math.Sqrt(25./3))
	near(t, "MAE", s.MAE, 7./3)
	// −log densities: log√2π + 4.5; log√2π + log 2 + 2; log√2π + log 5.
	near(t, "MNLP", s.MNLP, logs2pi+math.Ln2+2)
	near(t, "NLP", s.NLP, logs2pi+(4.5+math.Ln2+2+math.Log(5))/3)
	// Distances of 3, 2 and 0 deviations.
	for k, want := range []float64{1. / 3, 1. / 3, 2. / 3} {
		near(t, fmt.Sprintf("coverage of %v", evaluate.Levels[k]), s.Coverage[k], want)
	}
}

// The edges of the intervals: quantiles of the normal distribution to 15 digits
// (Abramowitz and Stegun, table 26.5, goes to five).
func TestCoverageEdges(t *testing.T) {
	for k, z := range []float64{0.674489750196082, 1.644853626951473, 2.575829303548901} {
		for _, side := range []float64{-1, 1} {
			for _, d := range []float64{-1e-12, 1e-12} {
				one := func(v float64) mat.Matrix { return mat.NewDense(1, 1, []float64{v}) }
				s, err := evaluate.Score(one(5+side*3*(z+d)), one(nan), one(5), one(9))
				if err != nil {
					t.Fatal(err)
				}
				want := 0.
				if d < 0 {
					want = 1
				}
				near(t, fmt.Sprintf("%v deviations in %v", side*(z+d), evaluate.Levels[k]), s.Coverage[k], want)
			}
		}
	}
}

func TestScoreNothing(t *testing.T) {
	one := mat.NewDense(1, 1, []float64{1})
	for _, empty := range []mat.Matrix{one, mat.New(0, 1)} {
		s, err := evaluate.Score(empty, empty, empty, empty)
		if err != nil {
			t.Fatal(err)
		}
		if s.Count != 0 {
			t.Errorf("%d values", s.Count)
		}
		for _, v := range []float64{s.RMSE, s.MAE, s.MNLP, s.NLP, s.Coverage[0], s.Coverage[2]} {
			near(t, "a measure of nothing", v, nan)
		}
	}
}

func TestScoreRefused(t *testing.T) {
	for _, test := range []struct {
		y, m, v float64
		err     string
	}{
		{1, 1, 0, "evaluate: variance at point 1, channel 2: found 0, expected a positive number"},
		{1, 1, -1, "evaluate: variance at point 1, channel 2: found -1, expected a positive number"},
		{1, 1, nan, "evaluate: variance at point 1, channel 2: found NaN, expected a positive number"},
		{1, 1, inf, "evaluate: variance at point 1, channel 2: found +Inf, expected a positive number"},
		{1, nan, 1, "evaluate: mean at point 1, channel 2: found NaN, expected a finite number"},
		{1, -inf, 1, "evaluate: mean at point 1, channel 2: found -Inf, expected a finite number"},
		{inf, 1, 1, "evaluate: truth at point 1, channel 2: found +Inf, expected a finite number"},
	} {
		truth, seen, mean, variance := mat.New(2, 3), mat.New(2, 3), mat.New(2, 3), mat.New(2, 3)
		seen.Set(1, 2, nan)
		truth.Set(1, 2, test.y)
		mean.Set(1, 2, test.m)
		variance.Set(1, 2, test.v)
		s, err := evaluate.Score(truth, seen, mean, variance)
		if err == nil || err.Error() != test.err {
			t.Errorf("error %v, expected %s", err, test.err)
		}
		if s != (evaluate.Scores{}) {
			t.Errorf("%v beside an error", s)
		}
	}
	tier.Panics(t, "evaluate: Score: shapes 2×3 and 3×2 differ", func() {
		evaluate.Score(mat.New(2, 3), mat.New(2, 3), mat.New(3, 2), mat.New(2, 3))
	})
}

// Quantiles as numpy.quantile computes them, positions p·(n−1).
func TestQuantile(t *testing.T) {
	ten := []float64{9, 1, 16, 4, 0, 49, 25, 81, 36, 64} // squares of 0 to 9
	for _, test := range []struct {
		values  []float64
		p, want float64
	}{
		{[]float64{7}, 0, 7}, {[]float64{7}, 0.3, 7}, {[]float64{7}, 1, 7},
		{[]float64{3, 1}, 0.5, 2}, {[]float64{3, 1}, 0.25, 1.5},
		{[]float64{5, 1, 3}, 0.5, 3},
		{ten, 0, 0}, {ten, 1, 81}, {ten, 0.5, 20.5},
		{ten, 0.025, 0.225},  // position 0.225 between 0 and 1
		{ten, 0.975, 77.175}, // position 8.775 between 64 and 81
		{ten, 1. / 3, 9},     // position 3
		{ten, 0.9, 65.7},     // position 8.1
		{[]float64{2, inf}, 0, 2},
		{[]float64{2, nan}, 0, nan}, {nil, 0.5, nan},
	} {
		near(t, fmt.Sprintf("quantile %v of %v", test.p, test.values), evaluate.Quantile(test.values, test.p), test.want)
	}
	if ten[0] != 9 || ten[9] != 64 {
		t.Error("the values have been sorted in place")
	}
	if got := evaluate.Quantile([]float64{2, inf}, 0.5); got != inf {
		t.Errorf("halfway to infinity is %v", got)
	}
}

// Forty-one pictures with RMSE 0 to 40, and one without a value: the 2.5th
// percentile is at position 1 and the 97.5th at position 39.
func TestSummarize(t *testing.T) {
	scores := []evaluate.Scores{{Count: 0, RMSE: nan, MAE: nan, MNLP: nan, NLP: nan, Coverage: [3]float64{nan, nan, nan}}}
	for i := range 41 {
		v := float64((i * 17) % 41)
		scores = append(scores, evaluate.Scores{Count: i + 1, RMSE: v, MAE: 2 * v, MNLP: -v, NLP: v * v, Coverage: [3]float64{v / 40, 0.5, 1}})
	}
	s := evaluate.Summarize(scores)
	if s.Pictures != 41 || s.Values != 41*42/2 {
		t.Errorf("%d pictures, %d values", s.Pictures, s.Values)
	}
	for name, test := range map[string]struct{ got, want evaluate.Statistic }{
		"RMSE":           {s.RMSE, evaluate.Statistic{20, 1, 39}},
		"MAE":            {s.MAE, evaluate.Statistic{40, 2, 78}},
		"MNLP":           {s.MNLP, evaluate.Statistic{-20, -39, -1}},
		"NLP":            {s.NLP, evaluate.Statistic{40. * 81 / 6, 1, 39 * 39}},
		"coverage of 50": {s.Coverage[0], evaluate.Statistic{0.5, 1. / 40, 39. / 40}},
		"coverage of 90": {s.Coverage[1], evaluate.Statistic{0.5, 0.5, 0.5}},
		"coverage of 99": {s.Coverage[2], evaluate.Statistic{1, 1, 1}},
	} {
		near(t, name+", mean", test.got.Mean, test.want.Mean)
		near(t, name+", low", test.got.Low, test.want.Low)
		near(t, name+", high", test.got.High, test.want.High)
	}
	none := evaluate.Summarize(scores[:1])
	if none.Pictures != 0 || none.Values != 0 {
		t.Errorf("%d pictures, %d values", none.Pictures, none.Values)
	}
	near(t, "the mean of nothing", none.RMSE.Mean, nan)
	near(t, "a percentile of nothing", none.Coverage[2].High, nan)
}

// Two pictures of three points and two channels, seen through a transposed view:
// the scores are those of each picture alone.
func TestEvaluate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() mat.Matrix {
		m := mat.New(6, 2).T()
		for i := range m.Data {
			m.Data[i] = 5 + r.Float64()
		}
		return m
	}
	truth, seen, mean, variance := random(), random(), random(), random()
	for _, at := range [][2]int{{0, 0}, {0, 3}, {0, 4}, {1, 5}} {
		seen.Set(at[0], at[1], nan)
	}
	scores, summary, err := evaluate.Evaluate(truth, seen, mean, variance, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		picture := func(m mat.Matrix) mat.Matrix {
			return mat.NewDense(3, 2, m.Slice(i, i+1, 0, 6).Clone().Data)
		}
		want, err := evaluate.Score(picture(truth), picture(seen), picture(mean), picture(variance))
		if diff := cmp.Diff(want, scores[i]); err != nil || diff != "" {
			t.Errorf("picture %d: %v, -want +got:\n%s", i, err, diff)
		}
	}
	if scores[0].Count != 3 || scores[1].Count != 1 {
		t.Errorf("counts %d and %d, expected 3 and 1", scores[0].Count, scores[1].Count)
	}
	if diff := cmp.Diff(evaluate.Summarize(scores), summary); diff != "" {
		t.Errorf("summary, -want +got:\n%s", diff)
	}
	variance.Set(1, 5, 0)
	_, _, err = evaluate.Evaluate(truth, seen, mean, variance, 2)
	if want := "picture 1: evaluate: variance at point 2, channel 1: found 0, expected a positive number"; err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
	tier.Panics(t, "evaluate: Evaluate: shapes 2×6 and 3×6 differ", func() { evaluate.Evaluate(truth, seen, mean, mat.New(3, 6), 2) })
	tier.Panics(t, "evaluate: Evaluate: pictures are 2×6, expected a multiple of 4 channels", func() { evaluate.Evaluate(truth, seen, mean, variance, 4) })
}
