package sgplvm

import (
	"slices"
	"testing"
)

// A round of completion leaves the covariance of what it filled in: none where nothing was missing.
func TestRoundIsUnsure(t *testing.T) {
	d, err := holed(mixed(14, 5, 4, 2), func(example, point int) bool { return point >= 8 && (example+point)%3 == 0 }).checked()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Effort: EffortQuick}
	c, err := newCompleter(trainingSet{Data: d}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.firstCompletion(t.Context()); err != nil {
		t.Fatal(err)
	}
	if cfg, err = c.first(cfg); err != nil {
		t.Fatal(err)
	}
	if err := c.round(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	u := c.d.imputationErrors.Covariance
	if u.Rows != 20 || u.Cols != 20 {
		t.Fatalf("a %d×%d covariance, expected 20×20", u.Rows, u.Cols)
	}
	for i := range 20 {
		if v := u.At(i, i); (v > 0) != (i >= 8) || v > 1 {
			t.Errorf("point %d has the variance %v", i, v)
		}
	}
	for k, v := range c.d.imputationErrors.Variance.Data {
		if (v > 0) != c.holes.Missing[k] {
			t.Errorf("value %d has the variance %v", k, v)
		}
	}
	if some := c.d.imputationErrors.Of([]int{3}).Variance; some.Rows != 1 || !slices.Equal(some.Row(0), c.variance.Row(3)) {
		t.Errorf("of example 3: %v", some)
	}
}
