package predict

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// moments5 fails unless samples have the given mean and covariance, to five standard
// errors: those of a Gaussian variable.
func moments5(t *testing.T, what string, samples [][]float64, mean []float64, cov mat.Matrix) {
	t.Helper()
	n := float64(len(samples))
	sum, products := make([]float64, len(mean)), mat.New(len(mean), len(mean))
	for _, y := range samples {
		for i := range mean {
			a := y[i] - mean[i]
			sum[i] += a
			row := products.Row(i)
			for j := range i + 1 {
				row[j] += a * (y[j] - mean[j])
			}
		}
	}
	for i := range mean {
		if z := sum[i] / math.Sqrt(n*cov.At(i, i)); !(math.Abs(z) < 5) {
			t.Errorf("%s: mean %d is off by %.2f standard errors", what, i, z)
		}
		for j := range i + 1 {
			c := cov.At(i, j)
			if z := (products.At(i, j) - n*c) / math.Sqrt(n*(cov.At(i, i)*cov.At(j, j)+c*c)); !(math.Abs(z) < 5) {
				t.Errorf("%s: covariance %d, %d is off by %.2f standard errors", what, i, j, z)
			}
		}
	}
}

// Samples for a certain latent point are Gaussian with mean and covariance of
// PredictCovariance, with noise of PredictDataCovariance, and independent between
// channels.
func TestSampleMoments(t *testing.T) {
	tier.Skip(t, tier.Race)
	count := 10000
	if testing.Short() {
		count = 1000
	}
	defer func(n int) { wholePoints = n }(wholePoints)
	for seed := range uint64(15) {
		shape := samplingShape(41000 + seed)
		if seed >= 9 { // a single factor, its points in succession: all others are among the nearest
			shape = reference.ResidualShape(41000 + seed)
			wholePoints = 0
		}
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 51))
		l := randomLatent(rng, shape.Latent)
		clear(l.S)
		g := m.samplingGrids(rng)[seed%4]
		for _, noise := range []bool{false, true} {
			mean, cov, err := m.PredictCovariance(l, g)
			if noise {
				mean, cov, err = m.PredictDataCovariance(l, g)
			}
			if err != nil {
				t.Fatal(err)
			}
			drawn, err := m.Sample(t.Context(), l, g, field.SampleOptions{Count: count, Seed: seed, Noise: noise})
			if err != nil {
				t.Fatal(err)
			}
			all := mat.New(len(mean.Data), len(mean.Data)) // of all channels
			for c, k := range cov {
				at := mat.Matrix{Rows: k.Rows, Cols: k.Rows, RowStride: len(cov) * all.Cols, ColStride: len(cov), Data: all.Data[c*all.Cols+c:]}
				mat.Copy(at, k)
			}
			var samples [][]float64
			for _, y := range drawn.Y {
				samples = append(samples, y.Data)
			}
			moments5(t, fmt.Sprintf("%v, noise %v", shape, noise), samples, mean.Data, all)
		}
	}
}

func TestLatentSample(t *testing.T) {
	m := modelOf(t, samplingShape(43000))
	prior := m.PriorLatent()
	for q := range prior.Mu {
		if prior.Mu[q] != 0 || prior.S[q] != 1 || prior.Start != -1 {
			t.Errorf("prior %+v", prior)
		}
	}
	last := m.ref.Examples() - 1
	trained := m.TrainingLatent(last)
	compare.SameBits(t, "training mean", trained.Mu, m.params.X.Mu.Row(last))
	compare.SameBits(t, "training variance", trained.S, m.params.X.S.Row(last))
	if trained.Mu[0]++; trained.Mu[0] == m.params.X.Mu.At(last, 0) {
		t.Error("TrainingLatent shares the model's numbers")
	}

	l := field.Latent{Mu: []float64{1, -20, 0}, S: []float64{4, 0.01, 0}}
	x := l.Sample(4000, 3)
	var samples [][]float64
	for k := range x.Rows {
		samples = append(samples, x.Row(k)[:2])
		if x.At(k, 2) != 0 {
			t.Fatalf("a certain coordinate is %v", x.At(k, 2))
		}
	}
	moments5(t, "latent points", samples, l.Mu[:2], mat.NewDense(2, 2, []float64{4, 0, 0, 0.01}))
	compare.SameBits(t, "fewer points", l.Sample(7, 3).Data, x.Slice(0, 7, 0, 3).Clone().Data)
	if other := l.Sample(1, 4); other.At(0, 0) == x.At(0, 0) {
		t.Error("two seeds give the same point")
	}
	if none := l.Sample(0, 1); none.Rows != 0 || none.Cols != 3 {
		t.Errorf("no points are %d×%d", none.Rows, none.Cols)
	}
}

// What cannot be drawn panics, in words of its own.
func TestLatentSamplePanics(t *testing.T) {
	for _, c := range []struct {
		l     field.Latent
		count int
		want  string
	}{
		{field.Latent{Mu: one(1), S: one(1)}, -1, "sgplvm: Latent.Sample: -1 points, expected no negative number"},
		{field.Latent{Mu: one(1)}, 2, "sgplvm: Latent.Sample: 1 means and 0 variances"},
	} {
		if text := tier.Panic(func() { c.l.Sample(c.count, 1) }); !strings.HasPrefix(text, c.want) {
			t.Errorf("%d points: panic %q, expected %q", c.count, text, c.want)
		}
	}
}

// Some of the fields have the bits that they have among all, in groups that are drawn together and across them; those that are none of them are refused.
func TestSampleSome(t *testing.T) {
	const count = 2*drawnTogether + 7
	for seed := range uint64(9) {
		m := modelOf(t, samplingShape(44500+seed))
		all, err := m.Sample(t.Context(), m.PriorLatent(), nil, field.SampleOptions{Count: count, Seed: 3, Noise: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range [][2]int{{0, 1}, {5, 9}, {drawnTogether - 1, drawnTogether + 1}, {count - 1, count}, {0, count}, {9, 9}} {
			some, err := m.Sample(t.Context(), m.PriorLatent(), nil, field.SampleOptions{Count: count, From: c[0], To: c[1], Seed: 3, Noise: true})
			if err != nil || len(some.Y) != c[1]-c[0] || some.X.Rows != len(some.Y) {
				t.Fatalf("%v: %d fields, %v", c, len(some.Y), err)
			}
			for k, y := range some.Y {
				compare.SameBits(t, fmt.Sprintf("field %d of %v", k, c), y.Data, all.Y[c[0]+k].Data)
				compare.SameBits(t, "latent point", some.X.Row(k), all.X.Row(c[0]+k))
			}
		}
	}
	var config *field.ConfigError
	m := modelOf(t, samplingShape(44500))
	for _, c := range [][2]int{{-1, 2}, {3, 2}, {0, count + 1}} {
		if _, err := m.Sample(t.Context(), m.PriorLatent(), nil, field.SampleOptions{Count: count, From: c[0], To: c[1]}); !errors.As(err, &config) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

func TestSampleErrors(t *testing.T) {
	m := modelOf(t, reference.ResidualShape(45000))
	var config *field.ConfigError
	if _, err := m.Sample(t.Context(), m.PriorLatent(), nil, field.SampleOptions{Count: -1}); !errors.As(err, &config) || config.Field != "SampleOptions" {
		t.Errorf("a negative count: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Sample(gone, m.PriorLatent(), nil, field.SampleOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := m.Sample(t.Context(), field.Latent{}, nil, field.SampleOptions{}); !errors.As(err, &config) || config.Field != "Latent" {
		t.Errorf("no latent: %v", err)
	}
	if r, err := m.Sample(t.Context(), m.PriorLatent(), nil, field.SampleOptions{}); err != nil || len(r.Y) != 1 || r.X.Rows != 1 {
		t.Errorf("the zero options: %d fields, %v", len(r.Y), err)
	}
	m = saying(t, learned(t, m.ref, 5), Options{})
	if _, err := m.Sample(t.Context(), m.PriorLatent(), field.Grid{mat.New(1, m.grid[0].Cols)}, field.SampleOptions{Noise: true}); err != nil {
		t.Errorf("a learned covariance off its points: %v", err)
	}
	if _, err := m.Sample(t.Context(), m.PriorLatent(), nil, field.SampleOptions{Noise: true}); err != nil {
		t.Error(err)
	}
}
