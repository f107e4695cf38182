package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// spots draws examples of one spot at a random place and of random brightness, three causes, with a little noise.
func spots(n, size int, seed uint64) Data {
	rng := rand.New(rand.NewPCG(seed, 30))
	y := mat.New(n*size*size, 1)
	for i := range n {
		a, b, c := float64(size)*(0.3+0.4*rng.Float64()), float64(size)*(0.3+0.4*rng.Float64()), 1+0.3*rng.NormFloat64()
		for j := range size * size {
			u, v := float64(j/size)-a, float64(j%size)-b
			y.Data[i*size*size+j] = 5 + c*math.Exp(-(u*u+v*v)/6) + 0.03*rng.NormFloat64()
		}
	}
	return Data{Examples: n, Y: y, Grid: Grid{plane(size, size)}}
}

// updating are models that take in examples.
func updating() map[string]Config {
	white := Config{Effort: EffortNone, LatentDims: 3, Inducing: 25, Seed: 1, Training: steps(60)}
	structured := white
	structured.NoiseFloor = 1e-4
	structured.Residual = ResidualConfig{Kernel: kernel.Kernel{Kind: kernel.Matern32}, Rounds: 1, Local: On}
	return map[string]Config{"white noise": white, "learned covariance": structured}
}

// spotModel is one of thirty spots of 7×7 points with a configuration of updating, trained once.
func spotModel(t *testing.T, name string) *Model {
	t.Helper()
	m, err := spotModels[name]()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var spotModels = func() map[string]func() (*Model, error) {
	all := map[string]func() (*Model, error){}
	for name, cfg := range updating() {
		all[name] = sync.OnceValues(func() (*Model, error) {
			m, _, err := Fit(context.Background(), spots(30, 7, 1), cfg)
			return m, err
		})
	}
	return all
}()

// sourceOf returns examples as a source.
func sourceOf(d Data) Source { return field.MatrixSource(d.Y, d.Examples) }

// filledError returns the root mean squared error of the right half of examples, given the left one.
func filledError(t *testing.T, m *Model, d Data) float64 {
	t.Helper()
	points, sum, count := d.Grid.Len(), 0., 0.
	width := int(math.Sqrt(float64(points)))
	for i := range d.Examples {
		truth := d.Y.Slice(i*points, (i+1)*points, 0, 1)
		seen := truth.Clone()
		for p := range points {
			if p%width >= width/2 {
				seen.Data[p] = math.NaN()
			}
		}
		p, _, err := m.Impute(t.Context(), Observed{Values: seen}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range p.Mean.Data {
			if e := v - truth.At(k, 0); p.Variance.Data[k] > 0 {
				sum, count = sum+e*e, count+1
			}
		}
	}
	return math.Sqrt(sum / count)
}

// An updated model has the α of the training code for all examples, at its parameters and latent variables, and survives its file.
func TestUpdateIsTraining(t *testing.T) {
	old, fresh := spots(30, 7, 1), spots(20, 7, 2)
	for name := range updating() {
		t.Run(name, func(t *testing.T) {
			m := loaded(t, saved(t, spotModel(t, name)))
			next, r, err := m.Update(t.Context(), sourceOf(fresh), 1)
			if err != nil {
				t.Fatal(err)
			}
			if r.Examples != 20 || r.Count != 50 || next.Examples() != 50 || !(r.After < r.Before) {
				t.Errorf("%+v, %d examples", r, next.Examples())
			}
			for i, v := range next.posterior.Params().Noise.Taper { // wider, as training makes it for more examples
				compare.NearOne(t, "taper", v, m.posterior.Params().Noise.Taper[i]*math.Pow(50./30, 1./6), 1e-14)
			}
			y := work.Stacked(old.Y, fresh.Y)
			all := &data.Scaled{Source: field.MatrixSource(y, 50), Examples: 50, Points: 49, Channels: 1, Scaler: m.posterior.Scaler()}
			e := bound.NewEvaluator(all, m.Grid(), m.posterior.Jitter())
			alpha, err := e.Alpha(t.Context(), next.posterior.Params())
			if err != nil {
				t.Fatal(err)
			}
			want, err := predict.New(next.posterior.Params(), m.Grid(), m.posterior.Scaler(), alpha, m.posterior.Jitter(), predict.Options{Spectra: e.Spectra()})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 50 {
				got, err := next.Predict(next.TrainingLatent(i), nil)
				if err != nil {
					t.Fatal(err)
				}
				p, err := want.Predict(next.TrainingLatent(i), nil)
				if err != nil {
					t.Fatal(err)
				}
				for k, v := range p.Mean.Data { // sums are recovered from α, which has the digits that the condition of K leaves
					if off := math.Abs(v - got.Mean.Data[k]); !(off < 1e-9) {
						t.Fatalf("mean of value %d of example %d is off by %g", k, i, off)
					}
					if off := math.Abs(p.Variance.Data[k]/got.Variance.Data[k] - 1); !(off < 1e-9) {
						t.Fatalf("variance of value %d of example %d is off by %g", k, i, off)
					}
				}
			}
			if again := loaded(t, saved(t, next)); string(saved(t, again)) != string(saved(t, next)) {
				t.Error("another file after it was read")
			}
		})
	}
}

func firstOf(tr *Trainer, _ Report) *Trainer { return tr }

// A model that forgets all but the new examples is another than one that does not, and counts fewer.
func TestUpdateForgets(t *testing.T) {
	_, r, err := spotModel(t, "white noise").Update(t.Context(), sourceOf(spots(20, 7, 2)), 0.9)
	if err != nil {
		t.Fatal(err)
	}
	if want := 30*math.Pow(0.9, 20) + (1-math.Pow(0.9, 20))/0.1; math.Abs(r.Count-want) > 1e-9*want {
		t.Errorf("counts %v examples, expected %v", r.Count, want)
	}
}

// Examples of another kind are told: neither the updated model nor its noise explains them.
func TestUpdateUnexplained(t *testing.T) {
	m := spotModel(t, "white noise")
	same, other := spots(5, 7, 2), normals(5, 49, 1, 3)
	for i, v := range other.Y.Data {
		other.Y.Data[i] = 5 + 0.5*v
	}
	for _, c := range []struct {
		d        Data
		low, top float64
	}{{same, 0, 0.05}, {other, 0.2, 1}} {
		_, r, err := m.Update(t.Context(), sourceOf(c.d), 1)
		if err != nil {
			t.Fatal(err)
		}
		if !(r.Unexplained >= c.low && r.Unexplained <= c.top) {
			t.Errorf("unexplained %+v, expected %v to %v", r, c.low, c.top)
		}
	}
}

// What cannot be summed is refused by name.
func TestUpdateRefuses(t *testing.T) {
	d := bumps(12, 4, 5, 1)
	model := func(d Data) *Model { return modelOf(t, firstOf(fit(t, d, small().with(steps(3))))) }
	plain := model(d)
	inf := bumps(3, 4, 5, 2)
	inf.Y.Data[25] = math.Inf(1)
	empty := holed(bumps(3, 4, 5, 2), func(example, _ int) bool { return example == 2 })
	for _, c := range []struct {
		m      *Model
		d      Data
		forget float64
		want   string
	}{
		{model(d.holed(0.1, 1)), d, 1, "missing"},
		{plain, bumps(3, 4, 4, 1), 1, "16 points"},
		{plain, d, 1.5, "1.5"},
		{plain, d, 0, "above 0"},
		{plain, inf, 1, "example 1"},
		{plain, empty, 1, "example 2"},
	} {
		_, _, err := c.m.Update(t.Context(), sourceOf(c.d), c.forget)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, expected something about %q", err, c.want)
		}
		if config, value := (*ConfigError)(nil), (*ValueError)(nil); !errors.As(err, &config) && !errors.As(err, &value) {
			t.Errorf("%T", err)
		}
	}
}

// A broken value among new examples counts as missing and is told, in an update and in a part of a round.
func TestUpdateOutliers(t *testing.T) {
	m := spotModel(t, "white noise")
	fresh := spots(20, 7, 2)
	results := func(v float64) (file string, r UpdateReport, part bytes.Buffer) {
		y := fresh.Y.Clone()
		y.Set(5*49+3, 0, v)
		d := fresh
		d.Y = y
		next, r, err := m.Update(t.Context(), sourceOf(d), 1)
		if err == nil {
			err = m.Shard(t.Context(), sourceOf(d), ShardPart{Index: 1, Count: 1}, "", &part, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		return string(saved(t, next)), r, part
	}
	want, _, wantPart := results(math.NaN())
	got, r, part := results(-9999)
	if n := loaded(t, []byte(got)).Examples(); r.Count != 50 || n != 49 {
		t.Errorf("%v examples count, %d are there to compare with, expected all and those that were seen whole", r.Count, n)
	}
	if got != want || !bytes.Equal(part.Bytes(), wantPart.Bytes()) {
		t.Error("other results than where the value is missing")
	}
	if len(r.Outliers) != 1 || r.Outliers[0].Example != 5 || r.Outliers[0].Point != 3 || r.Outliers[0].Value != -9999 {
		t.Errorf("%+v", r.Outliers)
	}
}

// A model of a table, whose columns are channels of one point, takes in rows, and so does one of a white spatial kernel: their spatial eigenvectors are the identity.
func TestUpdateIdentity(t *testing.T) {
	for name, d := range map[string]Data{"table": normals(30, 1, 6, 1), "white kernel": spots(30, 5, 1)} {
		cfg := updating()["white noise"]
		if name == "white kernel" {
			cfg.Spatial = []SpatialConfig{{Kernel: kernel.Kernel{Kind: kernel.White}}}
			cfg.Factors = FactorsJoint
		}
		m := modelOf(t, firstOf(fit(t, d, cfg)))
		next, r, err := m.Update(t.Context(), sourceOf(d), 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Count != 60 || !(r.After <= r.Before) || next.Examples() != 60 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Examples beyond those that a model was trained with make it better at others, by most of what training with all of them does.
func TestUpdateHelps(t *testing.T) {
	old, fresh, test := spots(40, 7, 1), spots(200, 7, 2), spots(40, 7, 3)
	both := Data{Examples: 240, Y: work.Stacked(old.Y, fresh.Y), Grid: old.Grid}
	for name, cfg := range updating() {
		t.Run(name, func(t *testing.T) {
			m := modelOf(t, firstOf(fit(t, old, cfg)))
			next, r, err := m.Update(t.Context(), sourceOf(fresh), 1)
			if err != nil {
				t.Fatal(err)
			}
			before, after, whole := filledError(t, m, test), filledError(t, next, test), filledError(t, modelOf(t, firstOf(fit(t, both, cfg))), test)
			t.Logf("error %.4g, updated %.4g, of all %.4g; %+v", before, after, whole, r)
			if !(after < before) {
				t.Errorf("error %.4g after an update, %.4g before", after, before)
			}
		})
	}
}
