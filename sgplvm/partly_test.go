package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/modelfile"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
)

// twoModels is a model of swelling pictures with a second one for examples seen in part.
func twoModels(t *testing.T) *Model {
	t.Helper()
	cfg := Config{Effort: EffortNone, LatentDims: 2, LatentKernel: "rbf+time", NoiseFloor: 0.1, Noise: 0.2, Training: steps(20),
		Partly: &Config{LatentDims: 3, Training: steps(15)}}
	m, _, err := Fit(context.Background(), swelling(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if m.partly == nil {
		t.Fatal("no second model")
	}
	return m
}

// The second model fills in and infers where something is seen of an example at a time, and nothing else; its
// latent posteriors predict by it.
func TestPartly(t *testing.T) {
	ctx := context.Background()
	two := loaded(t, saved(t, twoModels(t)))
	whole := *two
	whole.partly = nil
	blind, seen := mat.New(24, 1), mat.New(24, 1)
	blind.Fill(math.NaN())
	mat.Copy(seen, blind)
	seen.Set(5, 0, 3.2)
	seen.Set(17, 0, 2.9)
	at := func(m *Model) *Latent {
		t.Helper()
		priors, err := m.LatentAt(0, []float64{4.5})
		if err != nil {
			t.Fatal(err)
		}
		return &priors[0]
	}
	if l := at(two); l.Partly || diff(*l, *at(&whole)) != "" {
		t.Errorf("%+v", l)
	}
	known := at(two)
	known.Seen = true
	for name, c := range map[string]struct {
		by     *Model // what the answer is that of
		values mat.Matrix
		prior  *Latent // of the two
		same   *Latent // of by
	}{
		"seen in part":       {two.partly, seen, at(two), at(two.partly)},
		"nothing seen":       {&whole, blind, at(two), at(&whole)},
		"no time":            {&whole, seen, nil, nil},
		"seen already":       {&whole, seen, known, known},
		"nothing, no time":   {&whole, blind, nil, nil},
		"the prior, no time": {&whole, seen, &Latent{Mu: make([]float64, 2), S: []float64{1, 1}}, &Latent{Mu: make([]float64, 2), S: []float64{1, 1}}},
	} {
		p, l, err := two.Impute(ctx, Observed{Values: c.values, Prior: c.prior}, InferOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantP, wantL, err := c.by.Impute(ctx, Observed{Values: c.values, Prior: c.same}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wantL.Partly = c.by == two.partly
		if d := diff(p, wantP) + diff(l, wantL); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		inferred, err := two.Infer(ctx, Observed{Values: c.values, Prior: c.prior}, InferOptions{})
		if err != nil || inferred.Partly != l.Partly {
			t.Errorf("%s: %+v, error %v", name, inferred, err)
		}
		predicts(t, name, two, c.by, inferred)
	}
}

// predicts checks that a model predicts for a latent posterior what another does.
func predicts(t *testing.T, name string, m, by *Model, l Latent) {
	t.Helper()
	if d := diff(answers(t, predictions(m, l, nil)), answers(t, predictions(by, l, nil))); d != "" {
		t.Errorf("%s: %s", name, d)
	}
	other := l
	other.Partly = !l.Partly
	var refused *ConfigError
	if err := m.PredictSlabs(t.Context(), []Latent{l, other}, nil, SlabOptions{}, func(Slab) error { return nil }); !errors.As(err, &refused) || refused.Field != "Latent" {
		t.Errorf("%s, posteriors of both models: error %v", name, err)
	}
}

// A model's file holds the second model, and no more of them; what is no model of the same examples is refused.
func TestPartlyInFiles(t *testing.T) {
	two := twoModels(t)
	file := saved(t, two)
	if again := loaded(t, file); !bytes.Equal(saved(t, again), file) || again.partly == nil || again.With(nil).partly == nil {
		t.Error("another file after loading")
	}
	change := func(content []byte) []byte {
		return resealed(t, file, func(f *safetensors.File) {
			for i := range f.Tensors {
				if f.Tensors[i].Name == modelfile.PartlyTensor {
					f.Tensors[i].Data, f.Tensors[i].Shape = content, []int{len(content)}
				}
			}
		})
	}
	shorter := swelling()
	shorter.Examples, shorter.Y, shorter.Times = 15, shorter.Y.Slice(0, 15*24, 0, 1), shorter.Times[:15]
	channels := swelling().on(line(12))
	channels.Y = mat.NewDense(16*12, 2, channels.Y.Data)
	later := swelling()
	later.Times[3] += 0.5
	of := func(d Data) []byte {
		tr := newTestTrainer(t, d, swellingConfig())
		return fileOf(t, tr)
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"a model within that":  {change(file), "a model within a model within a model, expected one"},
		"nothing":              {change(nil), "tensor partly: "},
		"half of a file":       {change(saved(t, two.partly)[:500]), "tensor partly: "},
		"fewer examples":       {change(of(shorter)), "tensor partly: 15 examples of 24 points and 1 channels, expected 16 of 24 and 1"},
		"other channels":       {change(of(channels)), "tensor partly: 16 examples of 12 points and 2 channels, expected 16 of 24 and 1"},
		"other times":          {change(of(later)), "tensor partly: examples at other times, expected those of the model"},
		"numbers in its place": {resealed(t, file, func(f *safetensors.File) { asNumbers(f) }), "partly"},
	} {
		_, err := Load(bytes.NewReader(c.file))
		var refused *FileError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 500 {
			t.Errorf("%s: error %v, expected %q", name, err, c.want)
		}
	}
	if _, err := Load(bytes.NewReader(change(of(swelling())))); err != nil {
		t.Errorf("another model of the same examples: %v", err)
	}
}

// asNumbers makes the second model a tensor of numbers.
func asNumbers(f *safetensors.File) {
	for i := range f.Tensors {
		if f.Tensors[i].Name == modelfile.PartlyTensor {
			f.Tensors[i].Data, f.Tensors[i].Shape = []float64{1, 2}, []int{2}
		}
	}
}

// A context that ends in the second training leaves the first model beside the error.
func TestPartlyIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &trainingWatcher{at: "for examples seen in part: ", cancel: cancel}
	m, r, err := Run{Watch: w}.Fit(ctx, swelling(), Config{Effort: EffortNone, LatentDims: 2, Training: steps(5), Partly: &Config{LatentDims: 2, Training: steps(50)}})
	if m == nil || m.partly != nil || !errors.Is(err, context.Canceled) || r.Iterations != 5 {
		t.Errorf("model %v, %+v, error %v", m, r, err)
	}
	m = loaded(t, saved(t, m))
	if m.Examples() != 16 {
		t.Errorf("%d examples", m.Examples())
	}
}

// A trainingWatcher cancels at the first step of a training with a text.
type trainingWatcher struct {
	unwatched
	at     string
	cancel func()
}

func (w *trainingWatcher) Training(text string) (func(Progress) bool, func()) {
	return func(Progress) bool {
		if text == w.at {
			w.cancel()
		}
		return true
	}, func() {}
}
