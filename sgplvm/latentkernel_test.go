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

func TestLatentParts(t *testing.T) {
	for text, want := range map[string]LatentParts{
		"rbf": LatentRBF, "linear": LatentLinear, "bias": LatentBias, "rbf+linear": LatentRBF | LatentLinear, "rbf+bias": LatentRBF | LatentBias,
		"linear+bias": LatentLinear | LatentBias, "rbf+linear+bias": LatentRBF | LatentLinear | LatentBias,
	} {
		got, err := ParseLatentParts(text)
		if err != nil || got != want || want.String() != text {
			t.Errorf("%q: %v, %v, error %v; want %v", text, int(got), got, err, int(want))
		}
	}
	if got, err := ParseLatentParts("bias+rbf"); err != nil || got.String() != "rbf+bias" {
		t.Errorf("in another order: %v, %v", got, err)
	}
	for _, text := range []string{"", "+", "rbf+", "+rbf", "rbf++bias", "rbf+rbf", "bias+linear+bias", "RBF", " rbf", "rbf, linear", "rbf linear", "matern32", "rbf*linear", "0", "1"} {
		if got, err := ParseLatentParts(text); err == nil || got != 0 {
			t.Errorf("%q: %v, error %v", text, got, err)
		}
	}
}

func TestLatentKernelParts(t *testing.T) {
	for _, parts := range everyLatentKernel() {
		k, z, mu, _ := randomLatentKernel(rand.New(rand.NewPCG(42, uint64(parts))), parts, 5, 3, 2, 1)
		if k.Parts() != parts || k.clone().Parts() != parts {
			t.Errorf("parts %v of a kernel of %v", k.Parts(), parts)
		}
		values := mat.New(5, 3)
		values.Fill(math.NaN())
		k.matrix(values, mu, z)
		for i := range 5 {
			for j := range 3 {
				near(t, parts.String(), one(values.At(i, j)), one(latentCovarianceOf(k, mu.Row(i), z.Row(j))), 1e-14)
			}
		}
	}
}

// A part that an optimiser drives towards nothing is still a part: the variables
// keep their places.
func TestPartsOutliveUnderflow(t *testing.T) {
	p := modelShape{examples: 3, inducing: 2, latent: 2, channels: 1, space: []factorShape{{points: 2, dims: 1, kind: RBF}}}.
		of(LatentRBF | LatentLinear | LatentBias).model(t).params
	n := p.count(groupAll)
	x := make([]float64, n)
	for i := range x {
		x[i] = -1e4
	}
	p.unpack(x, groupAll)
	if got := p.Latent.Parts(); got != LatentRBF|LatentLinear|LatentBias || p.count(groupAll) != n {
		t.Errorf("%v with %d variables, had %d", got, p.count(groupAll), n)
	}
	p.pack(x, groupAll)
	for i, v := range x {
		if math.IsInf(v, 0) {
			t.Errorf("variable %d is %v", i, v)
		}
	}
}

// Each part has its place among the variables.
func TestPackLatentKernel(t *testing.T) {
	for _, parts := range everyLatentKernel() {
		p := paramsShape().of(parts).model(t).params
		k := p.Latent
		want := []float64{}
		if parts&LatentRBF != 0 {
			want = append(want, k.Variance, k.LengthScale[0], k.LengthScale[1])
		}
		want = append(want, k.Linear...)
		if parts&LatentBias != 0 {
			want = append(want, k.Bias)
		}
		x := make([]float64, p.count(groupLatent))
		p.pack(x, groupLatent)
		if len(x) != len(want)+8+8+6 {
			t.Errorf("%v: %d variables", parts, len(x))
		}
		for i, v := range want {
			if x[i] != math.Log(v) {
				t.Errorf("%v: variable %d is %v, want log %v", parts, i, x[i], v)
			}
		}
	}
}

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
