package sgplvm

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// blendTrial returns a small model that keeps residuals, and pictures that it has not seen.
func blendTrial(t *testing.T) BlendTrial {
	t.Helper()
	s, by := noiseSet()
	d, err := s.data.checked()
	if err != nil {
		t.Fatal(err)
	}
	v, err := newValidation(context.Background(), d, noiseSettings{config: s.config}, by, 0)
	if err != nil {
		t.Fatal(err)
	}
	settings := noiseSettings{config: s.config}
	settings.config.Residual.Rounds, settings.config.Residual.Local = 1, On
	m, err := v.learn(context.Background(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return BlendTrial{Model: m, Truth: v.truth, Seen: v.seen}
}

// A blend fills in the examples it was chosen by no worse than the latent variables alone, its gap is theirs, and it
// does not depend on how many processors there are.
func TestSelectBlend(t *testing.T) {
	ctx, trial := context.Background(), blendTrial(t)
	b, err := SelectBlend(ctx, []BlendTrial{trial}, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	density := func(o InferOptions) (sum float64) {
		for i := range trial.Seen.Rows {
			p, _, err := trial.Model.Impute(ctx, Observed{Values: mat.NewDense(trial.Seen.Cols, 1, trial.Seen.Row(i))}, o)
			if err != nil {
				t.Fatal(err)
			}
			sum += hiddenDensity(trial.Truth.Row(i), trial.Seen.Row(i), p)
		}
		return sum
	}
	alone := b
	alone.Share, alone.Inflation = 0, 1
	if with, without := density(InferOptions{Blends: []Blend{b}}), density(InferOptions{Blends: []Blend{alone}}); !(with < without+1e-9) {
		t.Errorf("%+v: %v with the blend, %v without", b, with, without)
	}
	if !(b.Gap > 0 && b.Gap < 5) {
		t.Errorf("gap %v", b.Gap)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again, err := SelectBlend(ctx, []BlendTrial{trial}, InferOptions{})
	if err != nil || !reflect.DeepEqual(b, again) {
		t.Errorf("%+v (%v) on one processor, %+v", again, err, b)
	}
}

// Trials that say nothing, or do not fit their model, are refused; a context that has ended is heard.
func TestSelectBlendRefuses(t *testing.T) {
	trial := blendTrial(t)
	short := BlendTrial{Model: trial.Model, Truth: trial.Truth, Seen: mat.New(trial.Seen.Rows, 3)}
	endless := BlendTrial{Model: trial.Model, Truth: trial.Truth, Seen: trial.Seen.Clone()}
	endless.Seen.Set(0, 0, math.Inf(1))
	prior := trial
	prior.Priors = make([]*Latent, 1+trial.Seen.Rows)
	for _, trials := range [][]BlendTrial{nil, {short}, {prior}} {
		var refused *ConfigError
		if _, err := SelectBlend(context.Background(), trials, InferOptions{}); !errors.As(err, &refused) || refused.Field != "BlendTrial" {
			t.Errorf("%v, want a *ConfigError of BlendTrial", err)
		}
	}
	var value *ValueError
	if _, err := SelectBlend(context.Background(), []BlendTrial{endless}, InferOptions{}); !errors.As(err, &value) {
		t.Errorf("%v, want a *ValueError", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := SelectBlend(ctx, []BlendTrial{trial}, InferOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// With local residuals the selection of the noise has a blend, for examples with few held out chosen by
// several validations.
func TestSelectNoiseBlends(t *testing.T) {
	if testing.Short() {
		t.Skip("trains several models")
	}
	defer func(p []noiseParameter) { noiseParameters = p }(noiseParameters)
	noiseParameters = nil
	s, by := noiseSet()
	s.config.Residual.Local = On
	_, o, err := SelectNoise(context.Background(), s.data, s.config, InferOptions{}, by)
	if err != nil || len(o.Blends) != 1 {
		t.Fatalf("%+v, %v, want one blend", o, err)
	}
}
