package training

import (
	"context"
	"github.com/google/go-cmp/cmp"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// What kernels of their own are of is found again from what training makes of the dimensions, once, and the bound holds them meanwhile.
func TestOwnTimesAreRefitted(t *testing.T) {
	s := sets()["own kernels in time"]
	tr := newTrainer(t, s.data, s.config)
	start := tr.params.X.Paths.Prior.Clone().Own
	for tr.state.Stage != stageFinish {
		if _, err := tr.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(start, tr.params.X.Paths.Prior.Own); d != "" {
		t.Errorf("training moved kernels (-before +after):\n%s", d)
	}
	mu := tr.params.X.Mu.Clone()
	if _, err := tr.Fit(context.Background()); err != nil {
		t.Fatal(err)
	}
	end := tr.params.X.Paths.Prior.Own
	if cmp.Equal(start, end) || !tr.state.Refitted {
		t.Error("kernels are those of the principal components")
	}
	if d := diff(tr.params.X.Mu, mu); d == "" {
		t.Error("the latent means did not follow")
	}
	if k := tr.params.X.Paths.Prior.Kernel; k.Kind != kernel.Matern32 || k.LengthScale == nil {
		t.Errorf("the common kernel is %v", k)
	}
}
