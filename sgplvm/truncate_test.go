package sgplvm

import (
	"fmt"
	"math"
	"testing"
)

// truncatedModels calls f with random models and tolerances that leave out nothing
// (negative), some and nearly all of the spatial components.
func truncatedModels(t *testing.T, f func(what string, m *Model, tolerance float64)) {
	for seed := range uint64(sizes(30)) {
		shape := randomShape(22000 + seed)
		m := shape.model(t)
		full := m.mustBound(t)
		for _, tolerance := range []float64{-1, 0.01 * math.Abs(full), 0.3 * math.Abs(full), math.Inf(1)} {
			if err := m.problem.truncate(m.params, tolerance); err != nil {
				t.Fatal(err)
			}
			f(fmt.Sprintf("%v, tolerance %g, %d of %d components left out", shape, tolerance, len(m.problem.dropped.lambda), m.problem.components()), m, tolerance)
		}
	}
}

// The truncated bound is below the bound, by no more than the certificate, which is
// within the tolerance where components were chosen and holds elsewhere too.
func TestTruncationCertificate(t *testing.T) {
	some, tight := 0, 0
	truncatedModels(t, func(what string, m *Model, tolerance float64) {
		for moved := range 3 {
			whole := &Model{space: m.space, channels: m.channels, params: m.params, jitter: m.jitter, problem: newProblem(m.problem.y, m.space, m.jitter)}
			full, truncated := whole.mustBound(t), m.mustBound(t)
			loss, rounding := m.problem.truncationLoss(m.params.Beta), 1e-10*(math.Abs(full)+m.problem.yy*m.params.Beta)
			if !(full-truncated >= -rounding && full-truncated <= loss+rounding) {
				t.Errorf("%s: bound %v, truncated %v, certificate %v", what, full, truncated, loss)
			}
			if moved == 0 && !(loss <= max(tolerance, 0)) {
				t.Errorf("%s: certificate %v", what, loss)
			}
			if n := len(m.problem.dropped.lambda); n > 0 && n < m.problem.components() {
				some++
			}
			if loss > 0 && full-truncated > 0.01*loss {
				tight++
			}
			m.params.Beta *= 3 // as training may move what is not held
			m.params.Mu.Data[0] += 0.5
		}
		m.params.Beta /= 27
	})
	if some == 0 || tight == 0 {
		t.Errorf("%d truncations of a part, %d with a certificate within a hundredfold", some, tight)
	}
}

// The gradient in the latent parameters and the noise is that of the truncated bound.
func TestTruncatedGradient(t *testing.T) {
	truncatedModels(t, func(what string, m *Model, tolerance float64) {
		free := groupLatent | groupNoise
		p := m.params
		x, slope := make([]float64, p.count(free)), make([]float64, p.count(free))
		p.pack(x, free)
		grad := p.clone()
		m.problem.gradientOf(grad, p, free)
		p.packGradient(slope, grad, free)
		checkGradient(t, func(i int) string { return fmt.Sprintf("%s: entry %d", what, i) }, x, slope, func() float64 {
			p.unpack(x, free)
			return m.mustBound(t)
		})
		p.unpack(x, free)
	})
}

// Derivatives in the spatial parameters and predictions are those of all components.
func TestTruncationEnds(t *testing.T) {
	truncatedModels(t, func(what string, m *Model, tolerance float64) {
		whole := &Model{space: m.space, channels: m.channels, params: m.params, jitter: m.jitter, problem: newProblem(m.problem.y, m.space, m.jitter)}
		got, want := m.params.clone(), m.params.clone()
		a, err := m.problem.computeAlpha(m.params)
		if err != nil {
			t.Fatal(err)
		}
		b, err := whole.problem.computeAlpha(m.params)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, what+": α", a.Data, b.Data)
		if err := m.problem.truncate(m.params, tolerance); err != nil {
			t.Fatal(err)
		}
		m.problem.gradientOf(got, m.params, groupAll)
		whole.problem.gradientOf(want, m.params, groupAll)
		sameBits(t, what+": ∂L/∂μ", got.Mu.Data, want.Mu.Data)
		for f := range got.Spatial {
			sameBits(t, what+": ∂L/∂ℓ", got.Spatial[f].LengthScale, want.Spatial[f].LengthScale)
		}
		if n := len(m.problem.dropped.lambda); n > 0 {
			t.Errorf("%s: %d components are still left out", what, n)
		}
	})
}

// Training with truncation says what it left out, ends no further below training
// without it than that takes off, and gives the same bits at any number of processors.
func TestFitTruncated(t *testing.T) {
	train := func(truncate float64) (*Model, FitResult) {
		m := mustNew(t, bumps(12, 8, 7, 2), bumpConfig(8, 7))
		return m, mustFit(t, m, FitOptions{Iterations: 80, Warmup: 30, Truncate: truncate})
	}
	_, plain := train(0)
	for _, p := range plain.Phases {
		if p.Components != 0 || p.LeftOut != 0 || p.TruncationLoss != 0 {
			t.Errorf("without truncation: %+v", p)
		}
	}
	const tolerance = 1e-3
	data := float64(12 * 8 * 7 * 2)
	var want *Model
	atEveryWidth(func(procs int) {
		m, r := train(tolerance)
		if want == nil {
			want = m
			left := 0
			for _, p := range r.Phases {
				left += p.LeftOut
				if !(p.TruncationLoss >= 0 && p.TruncationLoss <= 30*tolerance*data) {
					t.Errorf("phase %+v", p)
				}
			}
			if left == 0 {
				t.Error("nothing was left out")
			}
			if !(r.Bound >= plain.Bound-0.01*math.Abs(plain.Bound)-tolerance*data) {
				t.Errorf("bound %v, %v without truncation", r.Bound, plain.Bound)
			}
		}
		sameBits(t, fmt.Sprintf("μ with %d processors", procs), m.params.Mu.Data, want.params.Mu.Data)
	})
	if _, err := want.Fit(t.Context(), FitOptions{Truncate: -1}); err == nil {
		t.Error("a negative truncation is accepted")
	}
}
