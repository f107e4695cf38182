package predict

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
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
	for seed := range uint64(reference.Sizes(30)) {
		shape := reference.RandomShape(12000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 40))
		for _, g := range []data.Grid{nil, m.ref.RandomGrid(rng)} {
			n := m.grid.Len()
			if g != nil {
				n = g.Len()
			}
			values := reference.Masked(rng, n, shape.Channels, 0.5, seed%2 == 0)
			values.Set(0, 0, 1)
			e := m.mustObserve(t, g, values)
			l := randomLatent(rng, shape.Latent)
			want, err := m.conditional(t.Context(), e, m.momentsOf(l), ConditionGivenLatent)
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range []int{1, 2, 3, 100} {
				conditionWith(conditionLimits{exact: 0, group: group, neighbours: n, work: math.Inf(1)}, func() {
					got, err := m.conditional(t.Context(), e, m.momentsOf(l), ConditionGivenLatent)
					if err != nil {
						t.Fatal(err)
					}
					if want.Conditioning == "exact" && got.Conditioning != "local" {
						t.Errorf("%v: conditioning %q", shape, got.Conditioning)
					}
					reference.Near(t, fmt.Sprintf("%v, groups of %d: mean", shape, group), got.Mean.Data, want.Mean.Data, 1e-9)
					reference.Near(t, fmt.Sprintf("%v, groups of %d: variance", shape, group), got.Variance.Data, want.Variance.Data, 1e-9)
				})
			}
		}
	}
}

// A Markov field on a line: two neighbours on either side say nearly all.
func TestLocalConditioningIsClose(t *testing.T) {
	shape := reference.Shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 1, Space: []reference.Factor{{Points: 60, Dims: 1, Kind: kernel.Matern12}}}
	m := modelOf(t, shape)
	rng := rand.New(rand.NewPCG(1, 41))
	values := reference.Masked(rng, 60, 1, 0.4, true)
	e := m.mustObserve(t, nil, values)
	l := randomLatent(rng, 2)
	want, err := m.conditional(t.Context(), e, m.momentsOf(l), ConditionGivenLatent)
	if err != nil {
		t.Fatal(err)
	}
	last := math.Inf(1)
	for _, neighbours := range []int{1, 4, 12} {
		conditionWith(conditionLimits{exact: 0, group: 1, neighbours: neighbours, work: math.Inf(1)}, func() {
			got, err := m.conditional(t.Context(), e, m.momentsOf(l), ConditionGivenLatent)
			if err != nil {
				t.Fatal(err)
			}
			d := difference(got.Mean, want.Mean)
			if !(d < last/2) {
				t.Errorf("%d neighbours: the mean is off by %g, by %g with fewer", neighbours, d, last)
			}
			last = d
			for i, v := range got.Variance.Data {
				if !(v >= 0) {
					t.Errorf("%d neighbours: variance %v at point %d", neighbours, v, i)
				}
			}
		})
	}
	if last > 0.02 {
		t.Errorf("12 neighbours: the mean is off by %g", last)
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
			p, err := m.conditional(t.Context(), e, m.momentsOf(l), ConditionGivenLatent)
			if err != nil {
				t.Fatal(err)
			}
			if p.Conditioning != c.want {
				t.Errorf("%+v: conditioning %q, want %q", c.limits, p.Conditioning, c.want)
			}
			if c.want == "none" {
				m.toUserUnits(p, 1)
				reference.SameBits(t, "mean", p.Mean.Data, plain.Mean.Data)
				reference.SameBits(t, "variance", p.Variance.Data, plain.Variance.Data)
			}
		})
	}
}

// What was observed comes back as it was, with no variance, whatever its size
// and whatever else is missing.
func TestImputeKeepsObserved(t *testing.T) {
	for seed := range uint64(reference.Sizes(20)) {
		shape := reference.RandomShape(13000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 42))
		for _, share := range []float64{0, 0.5} {
			values := m.ref.UserValues(reference.Masked(rng, m.grid.Len(), shape.Channels, share, false))
			kept := values.Clone()
			p, _, err := m.Impute(t.Context(), Observed{Values: values}, InferOptions{})
			if err != nil {
				t.Fatal(err)
			}
			reference.SameBits(t, "the caller's values", values.Data, kept.Data)
			for i, y := range kept.Data {
				unit := math.Pow(m.scaler.Scale[i%shape.Channels], 2)
				switch mean, variance := p.Mean.Data[i], p.Variance.Data[i]; {
				case y == y && (mean != y || variance != 0):
					t.Errorf("%v: observed %v, returned %v with variance %v", shape, y, mean, variance)
				case y != y && !(variance >= unit/m.params.Noise.Beta && mean-mean == 0):
					t.Errorf("%v: missing value filled with %v, variance %v", shape, mean, variance)
				}
			}
			if share == 0 && p.Conditioning != "none" {
				t.Errorf("%v: conditioning %q with nothing missing", shape, p.Conditioning)
			}
		}
	}
}

// A neighbour of the same picture says more than the latent variables alone:
// conditioning lowers the error on the training set's own kind of data.
func TestImputeFills(t *testing.T) {
	m := trained(t)
	truth := bumps(16, 99)
	rng := rand.New(rand.NewPCG(3, 42))
	var square, total float64
	for n := range 16 {
		want := truth.Slice(n*30, n*30+30, 0, 1)
		values := want.Clone()
		for i := range 30 {
			if rng.IntN(2) == 0 {
				values.Set(i, 0, math.NaN())
			}
		}
		p, _, err := m.Impute(t.Context(), Observed{Values: values}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 30 {
			if d := p.Mean.At(i, 0) - want.At(i, 0); values.At(i, 0) != values.At(i, 0) {
				square += d * d / p.Variance.At(i, 0)
				total++
				if math.Abs(d) > 8 { // noise 1, bumps of 40
					t.Errorf("example %d, point %d: %v, want %v", n, i, p.Mean.At(i, 0), want.At(i, 0))
				}
			}
		}
	}
	if square /= total; square < 0.3 || square > 2 {
		t.Errorf("squared errors are %g times their variance", square)
	}
}

func TestComplement(t *testing.T) {
	for _, c := range []struct {
		list []int
		n    int
		want []int
	}{
		{nil, 0, nil}, {nil, 3, []int{0, 1, 2}}, {[]int{0, 1, 2}, 3, nil}, {[]int{1}, 3, []int{0, 2}}, {[]int{0, 3}, 5, []int{1, 2, 4}},
	} {
		if got := complement(c.list, c.n); !slices.Equal(got, c.want) {
			t.Errorf("complement of %v in %d: %v, want %v", c.list, c.n, got, c.want)
		}
	}
}

// Conditioning is a closed form at S = 0 in a model that is one Gaussian: with a
// certain latent point, the missing values given the observed ones by the joint
// covariance of PredictCovariance.
func TestConditionalIsGaussian(t *testing.T) {
	for seed := range uint64(reference.Sizes(20)) {
		shape := reference.RandomShape(14000 + seed)
		ref := shape.Model(t)
		ref.Scaler = reference.Unscaled(shape.Channels)
		m := saying(t, ref, Options{})
		rng := rand.New(rand.NewPCG(seed, 44))
		values := reference.Masked(rng, m.grid.Len(), shape.Channels, 0.5, false)
		values.Set(0, 0, 1)
		e := m.mustObserve(t, nil, values)
		l := randomLatent(rng, shape.Latent)
		clear(l.S)
		p, err := m.conditional(t.Context(), e, m.momentsOf(l), ConditionGivenLatent)
		if err != nil {
			t.Fatal(err)
		}
		mean, cov, err := m.PredictCovariance(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		for c, seen := range e.seen {
			coo := reference.NewRows(len(seen), len(seen))
			residual := make([]float64, len(seen))
			for k, i := range seen {
				residual[k] = values.At(i, c) - mean.At(i, c)
				for h, j := range seen {
					coo[k][h] = cov[c].At(i, j)
				}
				coo[k][k] += 1 / m.params.Noise.Beta
			}
			factor := reference.Cholesky(coo)
			for _, i := range complement(seen, mean.Rows) {
				com := make([]float64, len(seen))
				for k, j := range seen {
					com[k] = cov[c].At(j, i)
				}
				reference.NearOne(t, shape.String()+": mean", p.Mean.At(i, c), mean.At(i, c)+reference.Inner(com, reference.Solve(factor, residual)), 1e-9)
				reference.NearOne(t, shape.String()+": variance", p.Variance.At(i, c), cov[c].At(i, i)-reference.Inner(com, reference.Solve(factor, com)), 1e-9)
			}
		}
	}
}

// The paper's way: the Gaussian with the exact moments of each channel, noise included,
// conditioned by the dense formula; in groups that see all observed points as well.
func TestConditionMoments(t *testing.T) {
	for seed := range uint64(reference.Sizes(40)) {
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
		for c, seen := range e.seen {
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
				p, err := m.conditional(t.Context(), e, m.momentsOf(l), ConditionMoments)
				if err != nil {
					t.Fatal(err)
				}
				reference.Near(t, shape.String()+": mean", p.Mean.Data, mean.Data, 1e-9)
				reference.Near(t, shape.String()+": variance", p.Variance.Data, variance.Data, 1e-9)
			})
		}
	}
}

// What Impute does in each way is what it says: q(x) is that of Infer, and without
// conditioning the prediction that of Predict.
func TestImputeConditioning(t *testing.T) {
	for seed := range uint64(reference.Sizes(20)) {
		shape := samplingShape(17000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 46))
		values := reference.Masked(rng, m.grid.Len(), shape.Channels, 0.5, false)
		values.Set(0, 0, 1)
		e := m.mustObserve(t, nil, values)
		obs := Observed{Values: m.ref.UserValues(values)}
		strength := float64(seed%2) * 3
		inferred, err := m.Infer(t.Context(), obs, InferOptions{NoiseStrength: strength})
		if err != nil {
			t.Fatal(err)
		}
		for _, how := range []Conditioning{ConditionGivenLatent, ConditionMoments, ConditionNone} {
			p, l, err := m.Impute(t.Context(), obs, InferOptions{Conditioning: how, NoiseStrength: strength})
			if err != nil {
				t.Fatal(err)
			}
			reference.SameBits(t, "latent mean", l.Mu, inferred.Mu)
			moments := m.momentsOf(l)
			if how == ConditionGivenLatent {
				if moments, err = m.refine(e, l, moments); err != nil {
					t.Fatal(err)
				}
			}
			want, err := m.conditional(t.Context(), e, moments, how)
			if err != nil {
				t.Fatal(err)
			}
			m.toUserUnits(want, l.noise())
			if how == ConditionNone {
				if want, err = m.Predict(l, nil); err != nil {
					t.Fatal(err)
				}
			}
			if p.Conditioning != want.Conditioning {
				t.Errorf("%v: conditioning %q is %q, want %q", shape, how, p.Conditioning, want.Conditioning)
			}
			for i, y := range values.Data {
				if y == y {
					want.Mean.Data[i], want.Variance.Data[i] = obs.Values.Data[i], 0
				}
			}
			reference.SameBits(t, fmt.Sprintf("%v, conditioning %q: mean", shape, how), p.Mean.Data, want.Mean.Data)
			reference.SameBits(t, fmt.Sprintf("%v, conditioning %q: variance", shape, how), p.Variance.Data, want.Variance.Data)
		}
		var config *data.ConfigError
		if _, _, err := m.Impute(t.Context(), obs, InferOptions{Conditioning: "exact"}); !errors.As(err, &config) || config.Field != "InferOptions" {
			t.Errorf("an unknown way: %v", err)
		}
	}
}

// Conditioning on everything returns the data: where each missing point is also an
// observed one and there is hardly any noise, the observed value.
func TestConditionOnEverything(t *testing.T) {
	for seed := range uint64(reference.Sizes(20)) {
		shape := reference.RandomShape(18000 + seed).With(reference.RBF)
		ref := shape.Model(t)
		ref.Params.Noise.Beta = 1e10
		m := saying(t, ref, Options{})
		rng := rand.New(rand.NewPCG(seed, 47))
		last := len(m.grid) - 1
		x := m.grid[last]
		twice := mat.New(2*x.Rows, x.Cols)
		mat.Copy(twice.Slice(0, x.Rows, 0, x.Cols), x)
		mat.Copy(twice.Slice(x.Rows, 2*x.Rows, 0, x.Cols), x)
		g := append(slices.Clone(m.grid[:last]), twice)
		values := reference.Masked(rng, g.Len(), shape.Channels, 0, true)
		want := values.Clone()
		for i := range values.Rows {
			for c := range values.Cols {
				if j := i % twice.Rows; j >= x.Rows {
					want.Set(i, c, values.At(i-x.Rows, c))
					values.Set(i, c, math.NaN())
				}
			}
		}
		e := m.mustObserve(t, g, values)
		l := randomLatent(rng, shape.Latent)
		l.Mu[0] = 10 // where the training data say nothing
		for _, how := range []Conditioning{ConditionGivenLatent, ConditionMoments} {
			p, err := m.conditional(t.Context(), e, m.momentsOf(l), how)
			if err != nil {
				t.Fatal(err)
			}
			for i, y := range values.Data {
				if y != y { // β⁻¹ over the least eigenvalue of K is left, 1e-4 at most
					reference.NearOne(t, fmt.Sprintf("%v, conditioning %q: mean", shape, how), p.Mean.Data[i], want.Data[i], 1e-3)
					reference.NearOne(t, fmt.Sprintf("%v, conditioning %q: variance", shape, how), p.Variance.Data[i], 0, 1e-3)
				}
			}
		}
	}
}
