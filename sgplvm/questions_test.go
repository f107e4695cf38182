package sgplvm

import (
	"context"
	"maps"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A question is one that can be put to a model.
type question = func() (any, error)

// predictions are all questions about a latent posterior on a grid; nil: that of training.
func predictions(m *Model, l Latent, g Grid) map[string]question {
	ctx := context.Background()
	two := func(a, b any, err error) (any, error) { return []any{a, b}, err }
	return map[string]question{
		"Predict":               func() (any, error) { return m.Predict(l, g) },
		"PredictCovariance":     func() (any, error) { return two(m.PredictCovariance(l, g)) },
		"PredictDataCovariance": func() (any, error) { return two(m.PredictDataCovariance(l, g)) },
		"PredictMixture": func() (any, error) {
			x, err := m.PredictMixture(l, g, MixtureOptions{Components: 3})
			return x.Moments(), err
		},
		"Sample": func() (any, error) { return m.Sample(ctx, l, g, SampleOptions{Count: 2, Noise: true}) },
		"PredictSlabs": func() (any, error) {
			var slabs []mat.Matrix
			err := m.PredictSlabs(ctx, []Latent{l, l}, g, SlabOptions{Numbers: 8}, func(s Slab) error {
				for i := range s.Mean {
					slabs = append(slabs, s.Mean[i].Clone(), s.Variance[i].Clone())
				}
				return nil
			})
			return slabs, err
		},
	}
}

// inferences are all questions about values on a grid of which a third is missing, and about times.
func inferences(m *Model, g Grid) map[string]question {
	ctx, points := context.Background(), m.Grid()
	if g != nil {
		points = g
	}
	s := m.Summary()
	values := mat.New(points.Len(), m.Channels())
	for i := range values.Data {
		if values.Data[i] = s.Mean[i%values.Cols] + s.Deviation[i%values.Cols]*math.Sin(float64(i)); i%3 == 0 {
			values.Data[i] = math.NaN()
		}
	}
	obs := Observed{Values: values, Grid: g}
	impute := func(obs Observed, o InferOptions) question {
		return func() (any, error) {
			p, l, err := m.Impute(ctx, obs, o)
			return []any{p, l}, err
		}
	}
	all := map[string]question{
		"Infer":           func() (any, error) { return m.Infer(ctx, obs, InferOptions{}) },
		"Impute":          impute(obs, InferOptions{}),
		"Impute, none":    impute(obs, InferOptions{Conditioning: ConditionNone}),
		"Impute, moments": impute(obs, InferOptions{Conditioning: ConditionMoments}),
	}
	at := m.Times()
	if at == nil {
		return all
	}
	label, times := at[0].Sequence, []float64{-1, 0.5, 3, 20}
	all["LatentAt"] = func() (any, error) { return m.LatentAt(label, times) }
	all["LatentPaths"] = func() (any, error) { return m.LatentPaths(label, times, 3, 7) }
	all["SampleFilm"] = func() (any, error) {
		var frames []mat.Matrix
		err := m.SampleFilm(ctx, label, times, g, SampleOptions{Count: 1}, func(f SampledFrame) error {
			frames = append(frames, f.Values.Clone())
			return nil
		})
		return frames, err
	}
	all["Impute at a time"] = func() (any, error) {
		l, err := m.LatentAt(label, times)
		if err != nil {
			return nil, err
		}
		at := obs
		at.Prior = &l[1]
		return impute(at, InferOptions{})()
	}
	return all
}

// answers puts questions.
func answers(t testing.TB, lists ...map[string]question) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, list := range lists {
		for what, ask := range list {
			answer, err := ask()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			all[what] = answer
		}
	}
	return all
}

// questions are all of a model: what it is, and what it says of a training example, of other latent variables and of values, at the training points and elsewhere.
func questions(m *Model) map[string]question {
	var elsewhere Grid
	for _, x := range m.Grid() {
		y := x.Clone()
		for i := range y.Data {
			y.Data[i] += 0.25
		}
		elsewhere = append(elsewhere, y)
	}
	all := map[string]question{
		"Summary": func() (any, error) { return m.Summary(), nil },
		"what it is": func() (any, error) {
			return []any{m.Examples(), m.Channels(), m.Grid(), m.Times(), len(m.Attributes()), m.Attributes()["a"]}, nil
		},
		"With":    func() (any, error) { return m.With(map[string][]byte{"a": {1}}).Attached("a"), nil },
		"latents": func() (any, error) { return []Latent{m.TrainingLatent(m.Examples() - 1), m.PriorLatent()}, nil },
	}
	l := m.PriorLatent()
	for q := range l.Mu {
		l.Mu[q], l.S[q] = 0.3, 0.2
	}
	maps.Copy(all, inferences(m, nil))
	for what, ask := range predictions(m, m.TrainingLatent(m.Examples()-1), nil) {
		all[what+" of a training example"] = ask
	}
	for what, ask := range predictions(m, l, elsewhere) {
		all[what+" elsewhere"] = ask
	}
	return all
}
