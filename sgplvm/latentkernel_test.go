package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Every kernel trains, is saved and loaded, and fills in what is missing.
func TestEveryLatentKernelTrains(t *testing.T) {
	data := bumps(12, 4, 3, 2)
	for _, parts := range everyLatentKernel() {
		cfg := bumpConfig(4, 3)
		cfg.LatentKernel = parts
		m, err := New(data, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if m.params.Latent.Parts() != parts {
			t.Errorf("%v: starts with %v", parts, m.params.Latent.Parts())
		}
		before := m.mustBound(t)
		r, err := m.Fit(context.Background(), FitOptions{Iterations: 20})
		if err != nil || !(r.Bound > before) {
			t.Errorf("%v: trained from %v to %v, error %v", parts, before, r.Bound, err)
		}
		l := loaded(t, saved(t, m))
		sameModel(t, parts.String(), l, m)
		values := data.Y.Slice(0, 12, 0, 1).Clone()
		for i := 0; i < 12; i += 3 {
			values.Set(i, 0, math.NaN())
		}
		p, _, err := l.Impute(context.Background(), Observed{Values: values}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			if v := p.Variance.At(i, 0); (values.At(i, 0) == values.At(i, 0)) != (v == 0) || !(v >= 0) || math.Abs(p.Mean.At(i, 0)-100) > 60 {
				t.Errorf("%v: point %d: mean %v, variance %v", parts, i, p.Mean.At(i, 0), v)
			}
		}
	}
	if m, err := New(data, bumpConfig(4, 3)); err != nil || m.params.Latent.Parts() != LatentRBF {
		t.Errorf("by default %v, error %v", m.params.Latent.Parts(), err)
	}
}

// The linear part and the bias start with the variances that principal components
// and the mean of the examples have.
func TestStartLatentKernel(t *testing.T) {
	const n, points = 40, 8
	rng := rand.New(rand.NewPCG(43, 0))
	y := mat.New(n*points, 1)
	weak, strong := normalMatrix(rng, n, 1), normalMatrix(rng, n, 1)
	for i := range n {
		for j := range points {
			up := float64(1 - j%2*2) // ±1 in turn
			half := float64(1 - j/4*2)
			y.Set(i*points+j, 0, 5+3*up*half+2*half*strong.Data[i]+up*weak.Data[i])
		}
	}
	m, err := New(Data{Examples: n, Y: y}, Config{Space: []SpatialFactor{{X: line(points)}}, LatentDims: 3, LatentKernel: LatentRBF | LatentLinear | LatentBias})
	if err != nil {
		t.Fatal(err)
	}
	k := m.params.Latent
	total := 0.0
	for _, v := range y.Data {
		total += (v - m.scaler.Mean[0]) * (v - m.scaler.Mean[0]) / (n * points)
	}
	var mean, square [2]float64
	for i := range n {
		for q, v := range []float64{strong.Data[i], weak.Data[i]} {
			mean[q] += v / n
			square[q] += v * v / n
		}
	}
	strongest, weakest := 4*(square[0]-mean[0]*mean[0]), square[1]-mean[1]*mean[1]
	// The two sources are correlated by chance, 1/√n, which shifts the components' variances.
	near(t, "variance along the components", one((k.Linear[0]+k.Linear[1])*total), one(strongest+weakest), 1e-9)
	if k.Linear[2] != 1e-3 || !(k.Linear[0] >= strongest/total) || !(k.Linear[1] > 0.5*weakest/total) {
		t.Errorf("linear variances %v, sources %v and %v", k.Linear, strongest/total, weakest/total)
	}
	near(t, "all of the variance", one(k.Linear[0]+k.Linear[1]+k.Bias), one(1), 1e-9)
	if k.Variance != 1 || len(k.LengthScale) != 3 {
		t.Errorf("RBF part %+v", k)
	}

	// Spatial variances multiply the latent ones.
	kernel := Kernel{Kind: Matern32, Variance: 4}
	m, err = New(Data{Examples: n, Y: y}, Config{Space: []SpatialFactor{{X: line(points), Kernel: kernel}}, LatentDims: 3, LatentKernel: LatentLinear | LatentBias})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "a quarter", []float64{m.params.Latent.Bias, m.params.Latent.Linear[0]}, []float64{k.Bias / 4, k.Linear[0] / 4}, 1e-15)
	kernel.Variance = -4
	var config *ConfigError
	_, err = New(Data{Examples: n, Y: y}, Config{Space: []SpatialFactor{{X: line(points), Kernel: kernel}}, LatentKernel: LatentLinear | LatentBias})
	if !errors.As(err, &config) || config.Field != "Space" || !strings.Contains(err.Error(), "spatial factor 0: matern32 kernel: variance -4") {
		t.Errorf("a negative spatial variance: error %v", err)
	}

	for _, parts := range []LatentParts{-1, 16} {
		_, err := New(Data{Examples: n, Y: y}, Config{Space: []SpatialFactor{{X: line(points)}}, LatentKernel: parts})
		if err == nil || err.Error() != fmt.Sprintf("sgplvm: LatentKernel: parts %#b, expected a sum of LatentRBF, LatentLinear, LatentBias and LatentTime", int(parts)) {
			t.Errorf("parts %d: error %v", int(parts), err)
		}
	}
}
