package sgplvm

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// A model, from a trainer or a file, may be asked everything by many goroutines at once, and by the first
// of them; meanwhile its trainer trains, calibrates and leaves examples out. All get what they would have
// got alone.
func TestModelConcurrently(t *testing.T) {
	for _, name := range []string{"product", "free inducing points", "timed", "moving", "residual"} {
		t.Run(name, func(t *testing.T) {
			s := sets()[name]
			s.config.Training.Iterations, s.config.Attributes = 8, map[string]string{"a": "b"}
			tr, _ := fit(t, s.data, s.config)
			file := fileOf(t, tr)
			want := answers(t, questions(loaded(t, file)))
			own, read := modelOf(t, tr), loaded(t, file)
			var group sync.WaitGroup
			for round := range 2 {
				for from, m := range map[string]*Model{"the trainer": own, "a file": read} {
					for what, ask := range questions(m) {
						group.Go(func() {
							answer, err := ask()
							if err != nil {
								t.Errorf("%s of a model from %s: %v", what, from, err)
							} else if d := diff(answer, want[what]); d != "" {
								t.Errorf("%s of a model from %s, round %d: %s", what, from, round, d)
							}
						})
					}
				}
			}
			again := newTestTrainer(t, s.data, Config{Start: own, Training: steps(6), Residual: ResidualConfig{Rounds: 1, Local: On}})
			for _, tr := range []*Trainer{tr, again} {
				group.Go(func() {
					ctx := context.Background()
					if _, err := tr.Fit(ctx); err != nil {
						t.Error(err)
					}
					if tr.inner.CanLeaveOut() == nil {
						if _, err := tr.LeftOutDensities(ctx); err != nil {
							t.Error(err)
						}
						if err := tr.Calibrate(ctx); err != nil {
							t.Error(err)
						}
					}
					if _, err := tr.Model(); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			if !bytes.Equal(saved(t, own), file) {
				t.Error("the model has changed")
			}
		})
	}
}

// What a model is told or hands out is its own: changing it changes no answer.
func TestModelKeepsNothing(t *testing.T) {
	tr, _ := fit(t, swelling(), swellingConfig())
	m := modelOf(t, tr)
	file := saved(t, m)
	l := m.TrainingLatent(0)
	want, err := m.Predict(m.TrainingLatent(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	g := Grid{line(4), line(3)}
	before, err := m.Predict(l, g)
	if err != nil {
		t.Fatal(err)
	}
	g[0].Fill(1)
	g[1].Data[2] = 9
	after, err := m.Predict(l, g)
	if err != nil {
		t.Fatal(err)
	}
	if diff(before.Mean, after.Mean) == "" {
		t.Error("another grid in the same place is not seen")
	}
	after.Mean.Fill(0)
	l.Mu[0], l.S[0] = 7, 7
	at, err := m.LatentAt(0, []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	at[0].Mu[0], at[0].At.Time = 9, 9
	got, err := m.Predict(m.TrainingLatent(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	compare.SameBits(t, "mean", got.Mean.Data, want.Mean.Data)
	if !bytes.Equal(saved(t, m), file) {
		t.Error("the model has changed")
	}
	if fmt.Sprint(m.PriorLatent().Mu) != "[0 0]" {
		t.Errorf("prior %v", m.PriorLatent())
	}
}
