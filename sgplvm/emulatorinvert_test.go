package sgplvm_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Of an output of known inputs, seen in part with noise, Invert finds the numbers within their deviations and the category, by sampling and without, with the same bits on
// one processor and on several. Nothing seen leaves the prior: a box has the deviation of its length over √12.
func TestInvert(t *testing.T) {
	d := simulated(60)
	m := emulated(t, d)
	v, err := m.Inverter(sgplvm.BeliefRuns)
	if err != nil {
		t.Fatal(err)
	}
	seen, deviations := make([]float64, 40), make([]float64, 40)
	for s := range 20 {
		y := math.Sin(3*0.35+float64(s)/7) + 0.42*float64(s)/20 + 0.3
		seen[2*s], seen[2*s+1] = y+0.01*math.Sin(float64(31*s)), 50+9*y*y+0.1*math.Sin(float64(17*s))
		deviations[2*s], deviations[2*s+1] = 0.01, 0.1
		if s%3 > 0 {
			seen[2*s] = math.NaN()
		}
	}
	for _, draws := range []int{100, 300} {
		o := sgplvm.InvertOptions{Draws: draws}
		r, err := v.Invert(context.Background(), seen, deviations, o)
		if err != nil {
			t.Fatal(err)
		}
		a, b, kind := r.Columns[0], r.Columns[1], r.Columns[2]
		if math.Abs(a.Mean-0.35) > 4*a.Deviation || math.Abs(b.Mean-420) > 4*b.Deviation || a.Deviation > 0.05 || b.Deviation > 60 || kind.Label != "q" || kind.Share < 0.9 {
			t.Errorf("%d draws: %+v", draws, r.Columns)
		}
		if r.Unexplained || r.Score > 3 || len(r.Modes) != 1 || r.Observed != 27 || r.Effective < 30 || !(a.Low < a.Mean && a.Mean < a.High) {
			t.Errorf("%d draws: score %v, %d modes, %d observed, %v draws", draws, r.Score, len(r.Modes), r.Observed, r.Effective)
		}
		before := runtime.GOMAXPROCS(1)
		again, err := v.Invert(context.Background(), seen, deviations, o)
		runtime.GOMAXPROCS(before)
		if err != nil || !slices.Equal(r.Table()[0].Numbers, again.Table()[0].Numbers) {
			t.Errorf("%d draws: others on one processor, %v", draws, err)
		}
	}
	for k := range seen {
		seen[k] = math.NaN()
	}
	r, err := v.Invert(context.Background(), seen, deviations, sgplvm.InvertOptions{Draws: 4000})
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 / math.Sqrt(12); math.Abs(r.Columns[0].Deviation/want-1) > 0.1 || r.Unexplained || math.Abs(r.Correlations.At(0, 1)) > 0.1 {
		t.Errorf("of nothing: deviation %v, want about %v; correlation %v", r.Columns[0].Deviation, want, r.Correlations.At(0, 1))
	}
	var bad *sgplvm.ValueError
	seen[3] = math.Inf(1)
	if _, err := v.Invert(context.Background(), seen, deviations, sgplvm.InvertOptions{}); !errors.As(err, &bad) || bad.Point != 1 || bad.Channel != 1 {
		t.Errorf("infinite value: %v", err)
	}
	seen[3], deviations[3] = 1, math.NaN()
	if _, err := v.Invert(context.Background(), seen, deviations, sgplvm.InvertOptions{}); !errors.As(err, &bad) {
		t.Errorf("error that is no number: %v", err)
	}
}

// The inputs of a simulator to which one input means nothing have no share there, and shares of one that is a sum of two inputs are those of their variances.
func TestSensitivityOfSum(t *testing.T) {
	d := simulated(60)
	for i := range 60 {
		for s := range 20 {
			d.Y.Row(20*i + s)[0] = 2*d.Inputs.Columns[0].Numbers[i]*float64(s) + d.Inputs.Columns[1].Numbers[i]/1000
			d.Y.Row(20*i + s)[1] = d.Inputs.Columns[0].Numbers[i]
		}
	}
	s, err := emulated(t, d).Sensitivity(context.Background(), sgplvm.SensitivityOptions{Belief: sgplvm.BeliefUniform, Points: 4096})
	if err != nil {
		t.Fatal(err)
	}
	for at := range 20 {
		want := 4 * float64(at*at) / (4*float64(at*at) + 1)
		for _, c := range []struct{ got, want float64 }{{s.Inputs[0].First[2*at], want}, {s.Inputs[0].All[2*at], want}, {s.Inputs[1].All[2*at], 1 - want}, {s.Inputs[2].All[2*at], 0}, {s.Inputs[0].First[2*at+1], 1}} {
			if math.Abs(c.got-c.want) > 0.03 {
				t.Errorf("point %d: share %.4f, want %.4f", at, c.got, c.want)
			}
		}
	}
	if s.Inputs[2].Name != "kind" || len(s.Inputs[0].Mean) != 2 || math.Abs(s.Inputs[0].Mean[1].First-1) > 0.03 {
		t.Errorf("inputs %+v", s.Inputs[0].Mean)
	}
}
