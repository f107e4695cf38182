package sgplvm

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Training moves the time part, restarts keep the times of inducing points with them, and
// the model file holds all of it.
func TestTimePartTraining(t *testing.T) {
	n, ns := 12, 9
	rng := rand.New(rand.NewPCG(4, 4))
	y := mat.New(n*ns, 1)
	times := make([]float64, n)
	for i := range n {
		times[i] = float64(i) + 0.3*rng.Float64()
		for j := range ns {
			y.Set(i*ns+j, 0, math.Sin(times[i]/2+float64(j)/3)+0.3*math.Cos(times[i])*float64(j%2)+0.05*rng.NormFloat64())
		}
	}
	cfg := Config{Space: []SpatialFactor{{X: line(ns)}}, LatentDims: 2, Inducing: 7, LatentKernel: LatentRBF | LatentTime, Dynamics: Dynamics{Times: times}, LatentTime: TimeKernel{Kind: Matern12}}
	m, err := New(Data{Examples: n, Y: y}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	before := m.Params()
	r, err := m.Fit(context.Background(), FitOptions{Iterations: 40, Restarts: 2})
	if err != nil {
		t.Fatal(err)
	}
	p := m.Params()
	if p.Latent.Time.Variance == before.Latent.Time.Variance || p.Latent.Time.Kernel.LengthScale == before.Latent.Time.Kernel.LengthScale || len(r.Starts) != 2 {
		t.Errorf("time part %v after training, %v before, starts %v", p.Latent.Time, before.Latent.Time, r.Starts)
	}
	before.Whitening = before.Dynamics.Kernel
	second, err := perturbed(before, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for k, i := range second.ZExamples {
		sameBits(t, fmt.Sprintf("inducing point %d", k), second.Z.Row(k), second.Mu.Row(i))
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	at, err := m.LatentAt(0, []float64{3.4, 20})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range at {
		want, _ := m.Predict(l, nil)
		again, err := loaded.LatentAt(0, []float64{3.4, 20})
		if err != nil {
			t.Fatal(err)
		}
		got, err := loaded.Predict(again[i], nil)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, "mean of the loaded model", got.Mean.Data, want.Mean.Data)
		sameBits(t, "variance of the loaded model", got.Variance.Data, want.Variance.Data)
	}
	far := m.params.Latent.Time.Variance + m.params.Latent.Variance
	got, err := m.Predict(at[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := got.Variance.At(4, 0) / math.Pow(m.scaler.Scale[0], 2); !(v > 0.7*far*m.params.Spatial[0].Variance) {
		t.Errorf("variance %v long after the last example, prior %v", v, far)
	}
	cfg.Dynamics = Dynamics{}
	if _, err := New(Data{Examples: n, Y: y}, cfg); err == nil || err.Error() != "sgplvm: LatentKernel: a time part without Dynamics, which hold the times" {
		t.Errorf("error %v", err)
	}
}
