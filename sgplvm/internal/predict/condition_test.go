package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// conditionWith runs f under other limits.
func conditionWith(limits conditionLimits, f func()) {
	defer func(old conditionLimits) { conditioning = old }(conditioning)
	conditioning = limits
	f()
}

// Groups that see every observed point are as good as all points at once.
func TestLocalConditioningWithAllNeighbours(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		shape := reference.RandomShape(12000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 40))
		for _, g := range []field.Grid{nil, m.ref.RandomGrid(rng)} {
			n := m.grid.Len()
			if g != nil {
				n = g.Len()
			}
			values := reference.Masked(rng, n, shape.Channels, 0.5, seed%2 == 0)
			values.Set(0, 0, 1)
			e := m.mustObserve(t, g, values)
			l := randomLatent(rng, shape.Latent)
			want := m.conditional(t, e, l, field.InferOptions{})
			for _, group := range []int{1, 2, 3, 100} {
				conditionWith(conditionLimits{exact: 0, group: group, neighbours: n, work: math.Inf(1)}, func() {
					got := m.conditional(t, e, l, field.InferOptions{})
					if want.Conditioning == "exact" && got.Conditioning != "local" {
						t.Errorf("%v: conditioning %q", shape, got.Conditioning)
					}
					compare.Near(t, fmt.Sprintf("%v, groups of %d: mean", shape, group), got.Mean.Data, want.Mean.Data, 1e-9)
					compare.Near(t, fmt.Sprintf("%v, groups of %d: variance", shape, group), got.Variance.Data, want.Variance.Data, 1e-9)
				})
			}
		}
	}
}

// Of many points missing here and there each is given observed ones around it: means are near those from all of them (0.13 of their size apart where a group has the same ones).
func TestConditionScattered(t *testing.T) {
	m := modelOf(t, reference.Shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 1, Residual: kernel.Matern32, Space: []reference.Factor{{Points: 400, Dims: 2, Kind: kernel.Matern12}}})
	rng := rand.New(rand.NewPCG(1, 44))
	e, l := m.mustObserve(t, nil, reference.Masked(rng, 400, 1, 0.1, false)), randomLatent(rng, 2)
	want := m.conditional(t, e, l, field.InferOptions{})
	conditionWith(conditionLimits{exact: 100, group: 50, neighbours: 80, work: math.Inf(1)}, func() {
		got := m.conditional(t, e, l, field.InferOptions{})
		d := mat.New(400, 1)
		mat.Add(d, got.Mean, -1, want.Mean)
		if got.Conditioning != "local" || !(mat.NormFro(d) < 0.1*mat.NormFro(want.Mean)) {
			t.Errorf("%s conditioning: means are %g apart, of %g", got.Conditioning, mat.NormFro(d), mat.NormFro(want.Mean))
		}
	})
}

// L* takes all observed points, however few of them missing ones are conditioned on at once.
func TestInferAllPoints(t *testing.T) {
	for seed := range uint64(compare.Sizes(10)) {
		shape := reference.RandomShape(12500 + seed)
		shape.Space = []reference.Factor{{Points: 5, Dims: 1, Kind: kernel.RBF}, {Points: 4, Dims: 1, Kind: kernel.Matern32}}
		values := reference.Masked(rand.New(rand.NewPCG(seed, 42)), 20, shape.Channels, 0.8, true)
		want, err := modelOf(t, shape).Infer(t.Context(), field.Observed{Values: values}, field.InferOptions{Iterations: 200})
		if err != nil {
			t.Fatal(err)
		}
		conditionWith(conditionLimits{exact: 3, group: 4, neighbours: 2, work: math.Inf(1)}, func() {
			got, err := modelOf(t, shape).Infer(t.Context(), field.Observed{Values: values}, field.InferOptions{Iterations: 200})
			if err != nil {
				t.Fatal(err)
			}
			compare.Near(t, fmt.Sprintf("%v: means", shape), got.Mu, want.Mu, 1e-12)
		})
	}
}

// A narrow room, where far more is observed than is used at once, gives the bits of one for all points, without outliers and with them; with fewer values there is none.
func TestNarrowRoom(t *testing.T) {
	conditionWith(conditionLimits{exact: 8, group: 4, neighbours: 6, work: math.Inf(1)}, func() {
		m := modelOf(t, reference.Shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 1, Space: []reference.Factor{{Points: 60, Dims: 1, Kind: kernel.Matern12}}})
		for seed := range uint64(6) {
			values := m.ref.UserValues(reference.Masked(rand.New(rand.NewPCG(seed, 43)), 60, 1, 0.4, true))
			if seed%2 == 1 {
				for i := range 5 {
					values.Set(7*i, 0, 1e6)
				}
			}
			obs := field.Observed{Values: values}
			fill := func(w width) (p field.Prediction, narrower bool) {
				e, err := m.begin(t.Context(), obs, field.InferOptions{}, w)
				if err != nil {
					t.Fatal(err)
				}
				defer e.release()
				if err := e.inferWithout(m.Posterior, field.InferOptions{}); err != nil {
					t.Fatal(err)
				}
				if err := e.complete(m.Posterior, &p, new(field.Latent), obs); err != nil {
					t.Fatal(err)
				}
				return p, e.home == &m.filler(m.training()).spare[narrow]
			}
			want, _ := fill(wide)
			got, narrower := fill(usual)
			if !narrower || got.Conditioning != "local" || len(got.Outliers) != 5*int(seed%2) {
				t.Errorf("draw %d: narrow %v, conditioning %q, %d outliers", seed, narrower, got.Conditioning, len(got.Outliers))
			}
			compare.Near(t, "mean", got.Mean.Data, want.Mean.Data, 0)
			compare.Near(t, "variance", got.Variance.Data, want.Variance.Data, 0)
		}
	})
	if widthFor(4097, 4097) != usual || widthFor(4098, 4098) != narrow || widthFor(5000, 15000) != usual {
		t.Error("outliers may leave so few that all are used at once")
	}
}

// At the limits themselves: all at once up to and including exact, and nothing
// where even local conditioning would take too long.
func TestConditionLimits(t *testing.T) {
	shape := reference.Shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 2, Space: []reference.Factor{{Points: 12, Dims: 1, Kind: kernel.Matern32}}}
	m := modelOf(t, shape)
	rng := rand.New(rand.NewPCG(2, 41))
	values := reference.Masked(rng, 12, 2, 0, true)
	for i := range 5 { // 7 observed in either channel
		values.Set(2*i, 0, math.NaN())
		values.Set(2*i, 1, math.NaN())
	}
	e := m.mustObserve(t, nil, values)
	l := randomLatent(rng, 2)
	plain, err := m.Predict(l, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limits conditionLimits
		want   string
	}{
		{conditionLimits{exact: 8, group: 4, neighbours: 4, work: 0}, "exact"},
		{conditionLimits{exact: 7, group: 4, neighbours: 4, work: 0}, "exact"},
		{conditionLimits{exact: 6, group: 4, neighbours: 4, work: 1e9}, "local"},
		{conditionLimits{exact: 6, group: 4, neighbours: 4, work: 1}, "none"},
	} {
		conditionWith(c.limits, func() {
			p := m.conditional(t, e, l, field.InferOptions{})
			if p.Conditioning != c.want {
				t.Errorf("%+v: conditioning %q, want %q", c.limits, p.Conditioning, c.want)
			}
			if c.want == "none" {
				m.toUserUnits(p)
				compare.Near(t, "mean", p.Mean.Data, plain.Mean.Data, 1e-12)
				compare.Near(t, "variance", p.Variance.Data, plain.Variance.Data, 1e-12)
			}
		})
	}
}

// The paper's way: the Gaussian with the exact moments of each channel, noise included,
// conditioned by the dense formula; in groups that see all observed points as well.
func TestConditionMoments(t *testing.T) {
	for seed := range uint64(compare.Sizes(40)) {
		shape := samplingShape(15000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 45))
		values := reference.Masked(rng, m.grid.Len(), shape.Channels, 0.5, seed%2 == 0)
		values.Set(0, 0, 1)
		e := m.mustObserve(t, nil, values)
		l := randomLatent(rng, shape.Latent)
		d := reference.NewDense(m.ref)
		f, noise := d.Forecast(l.Mu, l.S, l.At, m.grid), d.Noise(d.Points)
		mean, variance := values.Clone(), values.Clone()
		for c, seen := range e.seen() {
			coo, residual := reference.NewRows(len(seen), len(seen)), make([]float64, len(seen))
			for k, i := range seen {
				residual[k] = values.At(i, c) - f.Mean[c][i]
				for h, j := range seen {
					coo[k][h] = f.Cov[c][i][j] + noise[i][j]
				}
			}
			factor := reference.Cholesky(coo)
			for i := range mean.Rows {
				mean.Set(i, c, f.Mean[c][i])
				variance.Set(i, c, f.Cov[c][i][i]+noise[i][i]-1/m.params.Noise.Beta)
				if slices.Contains(seen, i) {
					continue
				}
				com := make([]float64, len(seen))
				for k, j := range seen {
					com[k] = f.Cov[c][j][i] + noise[j][i]
				}
				g := reference.Solve(factor, com)
				mean.Set(i, c, mean.At(i, c)+reference.Inner(g, residual))
				variance.Set(i, c, variance.At(i, c)-reference.Inner(g, com))
			}
		}
		for _, limits := range []conditionLimits{conditioning, {exact: 0, group: 2, neighbours: mean.Rows, work: math.Inf(1)}} {
			conditionWith(limits, func() {
				p := m.conditional(t, e, l, field.InferOptions{Conditioning: field.ConditionMoments})
				compare.Near(t, shape.String()+": mean", p.Mean.Data, mean.Data, 1e-9)
				compare.Near(t, shape.String()+": variance", p.Variance.Data, variance.Data, 1e-9)
			})
		}
	}
}
