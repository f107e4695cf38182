package sgplvm

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// stages are everything that can be asked of a model; each returns what it is told.
func questions(m *Model) map[string]func() (any, error) {
	ctx := context.Background()
	g := m.Grid()
	var elsewhere Grid
	for _, x := range g {
		y := x.Clone()
		for i := range y.Data {
			y.Data[i] += 0.25
		}
		elsewhere = append(elsewhere, y)
	}
	values := mat.New(g.Len(), m.Channels())
	for i := range values.Data {
		values.Data[i] = 2 + math.Sin(float64(i))
		if i%3 == 0 {
			values.Data[i] = math.NaN()
		}
	}
	l := Latent{Mu: slices.Repeat([]float64{0.3}, len(m.TrainingLatent(0).Mu)), S: slices.Repeat([]float64{0.2}, len(m.TrainingLatent(0).Mu))}
	all := map[string]func() (any, error){
		"Save": func() (any, error) {
			var b bytes.Buffer
			err := m.Save(&b)
			return b.Bytes(), err
		},
		"Summary": func() (any, error) { return m.Summary(), nil },
		"what it is": func() (any, error) {
			return []any{m.Examples(), m.Channels(), m.Grid(), m.Times(), m.Attributes()}, nil
		},
		"With":           func() (any, error) { return m.With(map[string][]byte{"a": {1}}).Attached("a"), nil },
		"TrainingLatent": func() (any, error) { return []Latent{m.TrainingLatent(1), m.PriorLatent()}, nil },
		"Infer":          func() (any, error) { return m.Infer(ctx, Observed{Values: values}, InferOptions{}) },
		"Predict":        func() (any, error) { return m.Predict(l, nil) },
		"Predict elsewhere": func() (any, error) {
			return m.Predict(l, elsewhere)
		},
		"Predict a training example": func() (any, error) { return m.Predict(m.TrainingLatent(2), nil) },
		"PredictMixture": func() (any, error) {
			x, err := m.PredictMixture(l, elsewhere, MixtureOptions{Components: 5})
			return x.Moments(), err
		},
		"Sample": func() (any, error) { return m.Sample(ctx, l, nil, SampleOptions{Count: 3, Noise: true}) },
	}
	for name, o := range map[string]InferOptions{"": {}, ", none": {Conditioning: ConditionNone}, ", moments": {Conditioning: ConditionMoments}} {
		all["Impute"+name] = func() (any, error) {
			p, q, err := m.Impute(ctx, Observed{Values: values}, o)
			return []any{p, q}, err
		}
	}
	all["PredictCovariance"] = func() (any, error) {
		mean, cov, err := m.PredictCovariance(l, nil)
		return []any{mean, cov}, err
	}
	all["PredictDataCovariance"] = func() (any, error) {
		mean, cov, err := m.PredictDataCovariance(l, elsewhere)
		return []any{mean, cov}, err
	}
	all["PredictSlabs"] = func() (any, error) {
		var slabs []mat.Matrix
		err := m.PredictSlabs(ctx, []Latent{l, m.TrainingLatent(0)}, nil, SlabOptions{Numbers: 8}, func(s Slab) error {
			for i := range s.Mean {
				slabs = append(slabs, s.Mean[i].Clone(), s.Variance[i].Clone())
			}
			return nil
		})
		return slabs, err
	}
	if at := m.Times(); at != nil {
		times := []float64{-1, 0.5, 3, 20}
		label := at[0].Sequence
		all["LatentAt"] = func() (any, error) { return m.LatentAt(label, times) }
		all["LatentPaths"] = func() (any, error) { return m.LatentPaths(label, times, 3, 7) }
		all["Predict at a time"] = func() (any, error) {
			ls, err := m.LatentAt(label, times)
			if err != nil {
				return nil, err
			}
			return m.Predict(ls[1], nil)
		}
		all["Impute at a time"] = func() (any, error) {
			ls, err := m.LatentAt(label, times)
			if err != nil {
				return nil, err
			}
			p, q, err := m.Impute(ctx, Observed{Values: values, Prior: &ls[1]}, InferOptions{})
			return []any{p, q}, err
		}
	}
	return all
}

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
			want := map[string]any{}
			for what, ask := range questions(loaded(t, file)) {
				answer, err := ask()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				want[what] = answer
			}
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
