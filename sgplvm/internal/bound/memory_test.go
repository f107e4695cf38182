package bound_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
)

// racing reports whether the race detector runs, under which pools forget.
func racing() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// One evaluation allocates a few numbers for each datum and a fixed number of m_ξ×m_ξ tiles, not one for
// each example: twice the examples take at most twice the memory, and all of it is far below n_ξ·m_ξ²
// numbers, but for the exponentials of Ψ2 that wait for the gradient. A second evaluation allocates next to nothing.
func TestAllocations(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	if racing() {
		t.Skip("the race detector makes pools forget")
	}
	const inducing = 100
	var last float64
	for _, examples := range []int{200, 400} {
		m := shape{Examples: examples, Inducing: inducing, Latent: 3, Channels: 1, Jitter: 1e-6,
			Space: []factor{{Points: 8, Dims: 1, Kind: matern32}, {Points: 6, Dims: 1, Kind: matern32}}}.Model(t)
		first, again := math.Inf(1), math.Inf(1)
		for range 3 { // a pool may lose a buffer at any moment
			s, grad := newSubject(m), m.Params.Clone()
			evaluate := func() float64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if _, err := s.evaluator.Evaluate(t.Context(), s.Params, grad, bound.GroupAll); err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				return float64(after.TotalAlloc - before.TotalAlloc)
			}
			first, again = min(first, evaluate()), min(again, evaluate())
		}
		if last > 0 && first > 2.2*last {
			t.Errorf("%d examples: %.0f bytes, %.0f for half as many", examples, first, last)
		}
		if again > first/10 {
			t.Errorf("%d examples: %.0f bytes, and %.0f in the second evaluation", examples, first, again)
		}
		last = first
	}
	waiting := 8 * 400 * inducing * (inducing + 1) / 2.
	if limit := float64(8 * 400 * inducing * inducing); last-waiting > limit/2 {
		t.Errorf("%.0f bytes beside %.0f of exponentials, expected far less than %.0f", last-waiting, waiting, limit)
	}
}
