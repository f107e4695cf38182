package sgplvm

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

func TestDynamicsConfig(t *testing.T) {
	for want, d := range map[string]Dynamics{
		"no times": {Sequences: make([]int, 12)},
		"11 times, expected 12, one for each example":                {Times: line(11).Data},
		"0 times, expected 12":                                       {Times: []float64{}},
		"3 labels of sequences, expected 12":                         {Times: line(12).Data, Sequences: make([]int, 3)},
		"time 1 is NaN":                                              {Times: append([]float64{0, math.NaN()}, line(10).Data...)},
		"time 0 is -Inf":                                             {Times: append([]float64{math.Inf(-1)}, line(11).Data...)},
		"unknown time kernel \"white\"":                              {Times: line(12).Data, Kernel: TimeKernel{Kind: White}},
		"length scale -1 of rbf":                                     {Times: line(12).Data, Kernel: TimeKernel{Kind: RBF, LengthScale: -1}},
		"time kernel: 1 terms of product, expected two or more of a": {Times: line(12).Data, Kernel: TimeKernel{Kind: Product, Terms: []TimeKernel{{Kind: RBF}}}},
	} {
		cfg := bumpConfig(4, 3)
		cfg.Dynamics = d
		_, err := New(bumps(12, 4, 3, 1), cfg)
		var config *ConfigError
		if !errors.As(err, &config) || config.Field != "Dynamics" || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
}

// A state that has gone through an encoder continues with the same bits, restarts
// included, and training leaves means and variances that fit together, in the file too.
func TestDynamicTraining(t *testing.T) {
	for _, truncate := range []float64{0, 1e-6} {
		checkDynamicTraining(t, FitOptions{Iterations: 40, Warmup: 12, Restarts: 2, Truncate: truncate})
	}
}

func checkDynamicTraining(t *testing.T, o FitOptions) {
	t.Helper()
	if err := o.complete(); err != nil {
		t.Fatal(err)
	}
	fresh := func() *trainer {
		m, err := trainingSets()["moving"]()
		if err != nil {
			t.Fatal(err)
		}
		return newTrainer(m, o)
	}
	whole := fresh()
	want, err := whole.finish(whole.run(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	at := fresh()
	for at.Stage != stageEnd {
		if err := at.advance(context.Background()); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(at.trainerState); err != nil {
			t.Fatal(err)
		}
		at = fresh()
		at.trainerState = trainerState{}
		if err := gob.NewDecoder(&b).Decode(&at.trainerState); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := at.finish(nil)
	if !reflect.DeepEqual(got, want) || len(want.Starts) != 2 || want.Starts[0] == want.Starts[1] || math.IsInf(want.Starts[1], 0) {
		t.Errorf("%+v, want %+v", got, want)
	}
	p := whole.model.params
	sameBits(t, "parameters", flat(at.model.params), flat(p))
	derived := p.clone()
	derived.Mu.Fill(0)
	derived.S.Fill(0)
	if err := newTimePrior(p.Dynamics).set(derived); err != nil {
		t.Fatal(err)
	}
	sameBits(t, "means", p.Mu.Data, derived.Mu.Data)
	sameBits(t, "variances", p.S.Data, derived.S.Data)
	if p.Whitening.Kind != "" {
		t.Errorf("whitening %v after training", p.Whitening)
	}
	file := saved(t, whole.model)
	l := loaded(t, file)
	sameModel(t, "moving", l, whole.model)
	if !bytes.Equal(saved(t, l), file) {
		t.Error("saved again, the file differs")
	}
}

// A model with a dynamical prior and a structured residual whose covariance is learned.
func TestDynamicResidual(t *testing.T) {
	m, err := New(bumps(12, 6, 5, 2), Config{Space: []SpatialFactor{{X: line(30)}}, LatentDims: 2, Dynamics: Dynamics{Times: line(12).Data},
		Residual: Kernel{Kind: Matern32}, NoiseFloor: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	before := m.mustBound(t)
	r := mustFit(t, m, FitOptions{Iterations: 20, ResidualRounds: 1, LocalResiduals: true})
	if !(r.Bound > before) || m.params.Covariance.Rows != 30 {
		t.Errorf("bound %v, was %v; covariance of %d points", r.Bound, before, m.params.Covariance.Rows)
	}
	sameModel(t, "residual", loaded(t, saved(t, m)), m)
}
