package sgplvm

import (
	"context"
	"math"
	"testing"
)

// A model that keeps no residuals gets blends without shares: for each pattern the factor of variances that its cases take, with
// which they are filled in as the judge of its candidates took them to be.
func TestFactorsOfVariances(t *testing.T) {
	ctx := context.Background()
	s := newSearch(t, waves(24), Config{Effort: EffortNormal, LatentDims: 2, Training: steps(12)})
	j, err := newFillJudge(s)
	if err != nil {
		t.Fatal(err)
	}
	cfg := filled(s.given, s.whiteNoise())
	list, err := j.blends(ctx, cfg)
	if err != nil || len(list) != len(patterns) {
		t.Fatalf("%d blends, error %v", len(list), err)
	}
	plain, err := j.losses(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for kind, b := range list {
		var chi, count float64
		for i, x := range plain.chi {
			if j.cases[i].kind == kind {
				chi += x
				count++
			}
		}
		if want := (chi + blendPictures) / (count + blendPictures); b.Share != 0 || math.Abs(b.Inflation-want) > 1e-12*want {
			t.Errorf("pattern %d: %+v, expected no share and a factor of %v", kind, b, want)
		}
	}
	expected := j.verdict(plain)
	cfg.Infer.Blends = list
	inflated, err := j.losses(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	j.inflated = false
	got := j.verdict(inflated)
	if m, e := difference(got, expected); math.Abs(m) > 0.05 || e > 0.05 { // an example near another pattern's gap takes its factor
		t.Errorf("filled in with factors, examples are worse than expected by %v ± %v", m, e)
	}
	if m, _ := difference(got, j.verdict(plain)); !(m < 0) {
		t.Errorf("factors make the density worse by %v", m)
	}
}
