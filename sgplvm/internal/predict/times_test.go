package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// At the times of the examples the latent posterior over time is that of the examples, which were not
// seen for that matter: it is asked for a time.
func TestLatentAt(t *testing.T) {
	for seed := range uint64(compare.Sizes(12)) {
		m := modelOf(t, reference.TimeShape(seed))
		for i, at := range m.times {
			l, err := m.LatentAt(at.Sequence, []float64{at.Time, at.Time + 1e6})
			if err != nil {
				t.Fatal(err)
			}
			want := m.TrainingLatent(i)
			compare.Near(t, "mean", l[0].Mu, want.Mu, 1e-9)
			compare.Near(t, "variance", l[0].S, want.S, 1e-9)
			if want.Start != i || !cmp.Equal(want.At, &at) {
				t.Errorf("training example %d: %+v", i, want)
			}
			for k, l := range l {
				if d := cmp.Diff(field.Latent{Mu: l.Mu, S: l.S, Start: -1, At: &data.Instant{Sequence: at.Sequence, Time: at.Time + float64(k)*1e6}}, l); d != "" {
					t.Error(d)
				}
			}
			far := m.PriorLatent()
			compare.Near(t, "mean long after", l[1].Mu, far.Mu, 1e-6)
			compare.Near(t, "variance long after", l[1].S, far.S, 1e-6)
		}
	}
}

func TestLatentErrors(t *testing.T) {
	m := modelOf(t, reference.TimeShape(1))
	label := m.times[0].Sequence
	still := modelOf(t, reference.Shape{Examples: 3, Inducing: 2, Latent: 2, Channels: 1, Space: []reference.Factor{{Points: 3, Dims: 1, Kind: kernel.RBF}}})
	for want, ask := range map[string]func() error{
		"sgplvm: the model has no dynamical prior": func() error { _, err := still.LatentAt(0, one(1)); return err },
		"sgplvm: the model has no dynamical ":      func() error { _, err := still.LatentPaths(0, one(1), 1, 1); return err },
		"sgplvm: Sequence: 77, expected":           func() error { _, err := m.LatentAt(77, one(1)); return err },
		"sgplvm: Times: time 1 is NaN":             func() error { _, err := m.LatentAt(label, []float64{1, math.NaN()}); return err },
		"sgplvm: Times: time 0 is +Inf":            func() error { _, err := m.LatentPaths(label, one(math.Inf(1)), 1, 0); return err },
		"sgplvm: LatentPaths: -1 paths":            func() error { _, err := m.LatentPaths(label, one(1), -1, 0); return err },
	} {
		if err := ask(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
	if l, err := m.LatentAt(label, nil); err != nil || len(l) != 0 {
		t.Errorf("no times: %v, %v", l, err)
	}
	if l, err := m.LatentPaths(label, nil, 2, 0); err != nil || len(l) != 2 {
		t.Errorf("no times: %v, %v", l, err)
	}
	for _, i := range []int{-1, 3} {
		tier.Panics(t, fmt.Sprintf("sgplvm: TrainingLatent: example %d of 3", i), func() { still.TrainingLatent(i) })
	}
}

// What leaving examples out builds on: predictions at the training points without calibration, and ψ1.
func TestPredictLeftOut(t *testing.T) {
	for seed := range uint64(compare.Sizes(12)) {
		shape := reference.TimeShape(seed)
		plain := modelOf(t, shape)
		m := plain.calibrated(t, rand.New(rand.NewPCG(seed, 80)))
		latents := []field.Latent{randomLatent(rand.New(rand.NewPCG(seed, 81)), shape.Latent), m.TrainingLatent(0)}
		latents[0].At = &data.Instant{Sequence: m.times[0].Sequence, Time: 0.4}
		psi1, means, variances, err := m.PredictLeftOut(t.Context(), latents)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range latents {
			want, err := plain.Predict(l, nil)
			if err != nil {
				t.Fatal(err)
			}
			compare.Near(t, "mean", means[i].Data, want.Mean.Data, 1e-9)
			compare.Near(t, "variance", variances[i].Data, want.Variance.Data, 1e-9)
			if got := m.momentsOf(l).psi1.Data; !slices.Equal(got, psi1.Row(i)) {
				t.Errorf("ψ1 %v, want %v", psi1.Row(i), got)
			}
		}
	}
}
