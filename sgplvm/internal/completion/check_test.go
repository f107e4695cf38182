package completion

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// Checks are the errors of held values of a kind as they are, groups weigh the same whatever their size, and the check of all weighs kinds by what is missing.
func TestFillChecks(t *testing.T) {
	c := &Contest{Held: map[string][]HeldValue{}, Scale: []float64{2}, Centre: make([]float64, 4), Spread: []float64{1, 1, 1, 1}}
	value := func(k Kind, group int, e, v float64) HeldValue {
		return HeldValue{Kind: k, Group: group, Truth: 10, Mean: 10 - e, Variance: v, Value: group}
	}
	c.Add("", []HeldValue{value(KindGaps, 0, 1, 1), value(KindGaps, 0, -3, 1), value(KindGaps, 1, 4, 1), value(KindWhole, 2, 9, 9)})
	c.Add("b", []HeldValue{value(KindGaps, 0, 5, 1), value(KindGaps, 0, 5, 1), value(KindGaps, 1, 5, 1), value(KindWhole, 2, math.NaN(), 9)})
	c.Add("c", []HeldValue{value(KindGaps, 0, 2, 1), value(KindGaps, 0, 2, 1), value(KindGaps, 1, 2, 1), value(KindWhole, 2, 7, math.Inf(1))})
	c.Shares[KindGaps], c.Shares[KindWhole] = Alone(""), Alone("")
	c.Shares[KindGaps][0].Factor = 4
	log := func(v float64) float64 { return 0.5 * math.Log(2*math.Pi*v) }
	gaps := field.FillCheck{Kind: KindNames[KindGaps], Missing: 30, By: "the model", Values: 3, RMSE: math.Sqrt((1 + 9 + 16) / 3.),
		NLP: log(4) + 0.5*(1+9+16)/4./3, Coverage: 2. / 3, Factor: 4, Simplest: "c", SimplestRMSE: 2}
	whole := field.FillCheck{Kind: KindNames[KindWhole], Missing: 10, By: "the model", Values: 1, RMSE: 9, NLP: log(9) + 4.5, Factor: 1}
	near := func(what string, got, want field.FillCheck) {
		t.Helper()
		compare.Near(t, what, []float64{got.RMSE, got.NLP, got.Coverage, got.SimplestRMSE}, []float64{want.RMSE, want.NLP, want.Coverage, want.SimplestRMSE}, 1e-12)
		got.RMSE, got.NLP, got.Coverage, got.SimplestRMSE = want.RMSE, want.NLP, want.Coverage, want.SimplestRMSE
		if got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	near("gaps", c.Check(KindGaps, 30), gaps)
	near("whole", c.Check(KindWhole, 10), whole)
	near("all", CheckOf([]field.FillCheck{gaps, whole, {Missing: 1000}}, field.FillCheck{Values: 7}), field.FillCheck{Missing: 40, Values: 4, Factor: 4,
		RMSE: math.Sqrt((30*gaps.RMSE*gaps.RMSE + 10*81) / 40), NLP: (30*gaps.NLP + 10*whole.NLP) / 40, Coverage: 30 * (2. / 3) / 40})
	near("nothing held out", CheckOf([]field.FillCheck{{Missing: 5}}, field.FillCheck{Values: 7, RMSE: 1}), field.FillCheck{Values: 7, RMSE: 1})

	v, factor := c.Scores(c.Of("", KindGaps))
	want := validation.Inflation((5+16)/2., 2)
	compare.Near(t, "verdict", append(v.Errors, factor), []float64{math.Sqrt(5) / 2, 2, want}, 1e-12)
	compare.Near(t, "losses", v.Losses, []float64{log(want) + 2.5/want, log(want) + 8/want}, 1e-12)
}
