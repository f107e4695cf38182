package sgplvm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// conditionWith runs f under other limits.
func conditionWith(limits conditionLimits, f func()) {
	defer func(old conditionLimits) { conditioning = old }(conditioning)
	conditioning = limits
	f()
}

// Groups that see every observed point are as good as all points at once.
func TestLocalConditioningWithAllNeighbours(t *testing.T) {
	for seed := range uint64(sizes(30)) {
		shape := randomShape(12000 + seed)
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 40))
		for _, g := range []Grid{nil, randomGrid(rng, m)} {
			n := m.space.Len()
			if g != nil {
				n = g.Len()
			}
			values := masked(rng, n, shape.channels, 0.5, seed%2 == 0)
			values.Set(0, 0, 1)
			q, e := m.mustObserve(t, g, values)
			l := randomLatent(rng, shape.latent)
			want, err := q.conditional(e, l)
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range []int{1, 2, 3, 100} {
				conditionWith(conditionLimits{exact: 0, group: group, neighbours: n, work: math.Inf(1)}, func() {
					got, err := q.conditional(e, l)
					if err != nil {
						t.Fatal(err)
					}
					if want.Conditioning == "exact" && got.Conditioning != "local" {
						t.Errorf("%v: conditioning %q", shape, got.Conditioning)
					}
					near(t, fmt.Sprintf("%v, groups of %d: mean", shape, group), got.Mean.Data, want.Mean.Data, 1e-9)
					near(t, fmt.Sprintf("%v, groups of %d: variance", shape, group), got.Variance.Data, want.Variance.Data, 1e-9)
				})
			}
		}
	}
}

// A Markov field on a line: two neighbours on either side say nearly all.
func TestLocalConditioningIsClose(t *testing.T) {
	shape := modelShape{examples: 4, inducing: 3, latent: 2, channels: 1, space: []factorShape{{points: 60, dims: 1, kind: Matern12}}}
	m := shape.model(t)
	rng := rand.New(rand.NewPCG(1, 41))
	values := masked(rng, 60, 1, 0.4, true)
	q, e := m.mustObserve(t, nil, values)
	l := randomLatent(rng, 2)
	want, err := q.conditional(e, l)
	if err != nil {
		t.Fatal(err)
	}
	last := math.Inf(1)
	for _, neighbours := range []int{1, 4, 12} {
		conditionWith(conditionLimits{exact: 0, group: 1, neighbours: neighbours, work: math.Inf(1)}, func() {
			got, err := q.conditional(e, l)
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
	shape := modelShape{examples: 4, inducing: 3, latent: 2, channels: 2, space: []factorShape{{points: 12, dims: 1, kind: Matern32}}}
	m := shape.model(t)
	rng := rand.New(rand.NewPCG(2, 41))
	values := masked(rng, 12, 2, 0, true)
	for i := range 5 { // 7 observed in either channel
		values.Set(2*i, 0, math.NaN())
		values.Set(2*i, 1, math.NaN())
	}
	q, e := m.mustObserve(t, nil, values)
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
			p, err := q.conditional(e, l)
			if err != nil {
				t.Fatal(err)
			}
			if p.Conditioning != c.want {
				t.Errorf("%+v: conditioning %q, want %q", c.limits, p.Conditioning, c.want)
			}
			if c.want == "none" {
				m.toUserUnits(p, 1)
				sameBits(t, "mean", p.Mean.Data, plain.Mean.Data)
				sameBits(t, "variance", p.Variance.Data, plain.Variance.Data)
			}
		})
	}
}

// What was observed comes back as it was, with no variance, whatever its size
// and whatever else is missing.
func TestImputeKeepsObserved(t *testing.T) {
	for seed := range uint64(sizes(20)) {
		shape := randomShape(13000 + seed)
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 42))
		for _, share := range []float64{0, 0.5} {
			values := m.scaler.unscaled(masked(rng, m.space.Len(), shape.channels, share, false))
			kept := values.Clone()
			p, _, err := m.Impute(context.Background(), Observed{Values: values}, InferOptions{})
			if err != nil {
				t.Fatal(err)
			}
			sameBits(t, "the caller's values", values.Data, kept.Data)
			for i, y := range kept.Data {
				unit := math.Pow(m.scaler.Scale[i%shape.channels], 2)
				switch mean, variance := p.Mean.Data[i], p.Variance.Data[i]; {
				case y == y && (mean != y || variance != 0):
					t.Errorf("%v: observed %v, returned %v with variance %v", shape, y, mean, variance)
				case y != y && !(variance >= unit/m.params.Beta && mean-mean == 0):
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
	truth := bumps(16, 6, 5, 99)
	rng := rand.New(rand.NewPCG(3, 42))
	var square, total float64
	for n := range truth.Examples {
		want := truth.Y.Slice(n*30, n*30+30, 0, 1)
		values := want.Clone()
		for i := range 30 {
			if rng.IntN(2) == 0 {
				values.Set(i, 0, math.NaN())
			}
		}
		p, _, err := m.Impute(context.Background(), Observed{Values: values}, InferOptions{})
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

// Groups partition the points, and the nearest observed points are those that a
// search through all finds.
func TestNeighbourhoods(t *testing.T) {
	for seed := range uint64(20) {
		shape := modelShape{examples: 2, inducing: 2, latent: 1, channels: 1, seed: seed, space: []factorShape{
			{points: 9, dims: 1, kind: Matern32}, {points: 7, dims: 2, kind: RBF, ard: true}, {points: 2, dims: 1, kind: White}}}
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 43))
		values := masked(rng, m.space.Len(), 1, 0.5, true)
		q, e := m.mustObserve(t, nil, values)
		absent := complement(e.seen[0], m.space.Len())
		points := gridPoints(m.space)
		distance := func(p int, centre rows) float64 {
			var d float64
			for f, k := range m.params.Spatial {
				for i, v := range points[p][f] {
					scale := 1.0
					if len(k.LengthScale) > 0 {
						scale = k.LengthScale[min(i, len(k.LengthScale)-1)]
					}
					d += math.Pow((v-centre[f][i])/scale, 2)
				}
			}
			return d
		}
		conditionWith(conditionLimits{group: 5, neighbours: 4}, func() {
			var all []int
			for _, group := range q.neighbourhoods(e.on, absent) {
				if len(group) == 0 || len(group) > 5 {
					t.Errorf("a group of %d", len(group))
				}
				all = append(all, group...)

				centre := rows{make([]float64, 1), make([]float64, 2), make([]float64, 1)}
				for _, p := range group {
					for f := range centre {
						for i := range centre[f] {
							centre[f][i] += points[p][f][i] / float64(len(group))
						}
					}
				}
				want := slices.Clone(e.seen[0])
				slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(distance(a, centre), distance(b, centre)) })
				got := q.nearest(e.on, group, e.seen[0])
				if !slices.IsSorted(got) || len(got) != min(4, len(want)) {
					t.Errorf("nearest points %v", got)
					continue
				}
				// Ties and rounding may pick another point at the same distance.
				for _, p := range got {
					if d, limit := distance(p, centre), distance(want[len(got)-1], centre); !(d <= limit*(1+1e-12)) {
						t.Errorf("point %d at %g is not among the nearest, up to %g", p, d, limit)
					}
				}
			}
			slices.Sort(all)
			if !slices.Equal(all, absent) {
				t.Errorf("groups hold %v, want %v", all, absent)
			}
		})
	}
}

// A long strip is cut across, not along.
func TestNeighbourhoodsCutTheLongSide(t *testing.T) {
	shape := modelShape{examples: 2, inducing: 2, latent: 1, channels: 1, space: []factorShape{{points: 16, dims: 1, kind: Matern32}, {points: 4, dims: 1, kind: Matern32}}}
	m := shape.model(t)
	q, e := m.mustObserve(t, nil, missing(64, 1))
	conditionWith(conditionLimits{group: 16}, func() {
		for _, group := range q.neighbourhoods(e.on, complement(nil, 64)) {
			rows := map[int]bool{}
			for _, p := range group {
				rows[p/4] = true
			}
			if len(group) != 16 || len(rows) != 4 {
				t.Errorf("a group of %d points in %d rows, want 16 in 4", len(group), len(rows))
			}
		}
	})
}

// Conditioning is a closed form at S = 0 in a model that is one Gaussian: with a
// certain latent point, the missing values given the observed ones by the joint
// covariance of PredictCovariance.
func TestConditionalIsGaussian(t *testing.T) {
	for seed := range uint64(sizes(20)) {
		shape := randomShape(14000 + seed)
		m := shape.model(t)
		m = rebuilt(m.space, m.params, m.problem.observations(), m.jitter)
		rng := rand.New(rand.NewPCG(seed, 44))
		values := masked(rng, m.space.Len(), shape.channels, 0.5, false)
		values.Set(0, 0, 1)
		q, e := m.mustObserve(t, nil, values)
		l := randomLatent(rng, shape.latent)
		clear(l.S)
		p, err := q.conditional(e, l)
		if err != nil {
			t.Fatal(err)
		}
		mean, cov, err := m.PredictCovariance(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		for c, seen := range e.seen {
			coo := newRows(len(seen), len(seen))
			residual := make([]float64, len(seen))
			for k, i := range seen {
				residual[k] = values.At(i, c) - mean.At(i, c)
				for h, j := range seen {
					coo[k][h] = cov[c].At(i, j)
				}
				coo[k][k] += 1 / m.params.Beta
			}
			factor := choleskyOf(coo)
			for _, i := range complement(seen, mean.Rows) {
				com := make([]float64, len(seen))
				for k, j := range seen {
					com[k] = cov[c].At(j, i)
				}
				near(t, shape.String()+": mean", one(p.Mean.At(i, c)), one(mean.At(i, c)+inner(com, solveWith(factor, residual))), 1e-9)
				near(t, shape.String()+": variance", one(p.Variance.At(i, c)), one(cov[c].At(i, i)-inner(com, solveWith(factor, com))), 1e-9)
			}
		}
	}
}

// The paper's way: the Gaussian with the exact moments of each channel, noise included,
// conditioned by the dense formula; in groups that see all observed points as well.
func TestConditionMoments(t *testing.T) {
	for seed := range uint64(sizes(40)) {
		shape := samplingShape(15000 + seed)
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 45))
		values := masked(rng, m.space.Len(), shape.channels, 0.5, seed%2 == 0)
		values.Set(0, 0, 1)
		q, e := m.mustObserve(t, nil, values)
		l := randomLatent(rng, shape.latent)
		d := newDense(m)
		f, noise := d.forecast(l, m.space), d.noiseAt(d.points)
		mean, variance := values.Clone(), values.Clone()
		for c, seen := range e.seen {
			coo, residual := newRows(len(seen), len(seen)), make([]float64, len(seen))
			for k, i := range seen {
				residual[k] = values.At(i, c) - f.mean[c][i]
				for h, j := range seen {
					coo[k][h] = f.cov[c][i][j] + noise[i][j]
				}
			}
			factor := choleskyOf(coo)
			for i := range mean.Rows {
				mean.Set(i, c, f.mean[c][i])
				variance.Set(i, c, f.cov[c][i][i]+noise[i][i]-1/m.params.Beta)
				if slices.Contains(seen, i) {
					continue
				}
				com := make([]float64, len(seen))
				for k, j := range seen {
					com[k] = f.cov[c][j][i] + noise[j][i]
				}
				g := solveWith(factor, com)
				mean.Set(i, c, mean.At(i, c)+inner(g, residual))
				variance.Set(i, c, variance.At(i, c)-inner(g, com))
			}
		}
		for _, limits := range []conditionLimits{conditioning, {exact: 0, group: 2, neighbours: mean.Rows, work: math.Inf(1)}} {
			conditionWith(limits, func() {
				p, err := q.conditionalOn(e, q.momentsOf(l), ConditionMoments)
				if err != nil {
					t.Fatal(err)
				}
				near(t, shape.String()+": mean", p.Mean.Data, mean.Data, 1e-9)
				near(t, shape.String()+": variance", p.Variance.Data, variance.Data, 1e-9)
			})
		}
	}
}

// What Impute does in each way is what it says: q(x) is that of Infer, and without
// conditioning the prediction that of Predict.
func TestImputeConditioning(t *testing.T) {
	for seed := range uint64(sizes(20)) {
		shape := samplingShape(17000 + seed)
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 46))
		values := masked(rng, m.space.Len(), shape.channels, 0.5, false)
		values.Set(0, 0, 1)
		q, e := m.mustObserve(t, nil, values)
		obs := Observed{Values: m.scaler.unscaled(values)}
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
			sameBits(t, "latent mean", l.Mu, inferred.Mu)
			moments := q.momentsOf(l)
			if how == ConditionGivenLatent {
				if moments, err = q.refine(e, l, moments); err != nil {
					t.Fatal(err)
				}
			}
			want, err := q.conditionalOn(e, moments, how)
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
			sameBits(t, fmt.Sprintf("%v, conditioning %q: mean", shape, how), p.Mean.Data, want.Mean.Data)
			sameBits(t, fmt.Sprintf("%v, conditioning %q: variance", shape, how), p.Variance.Data, want.Variance.Data)
		}
		var config *ConfigError
		if _, _, err := m.Impute(t.Context(), obs, InferOptions{Conditioning: "exact"}); !errors.As(err, &config) || config.Field != "InferOptions" {
			t.Errorf("an unknown way: %v", err)
		}
	}
}

// Conditioning on everything returns the data: where each missing point is also an
// observed one and there is hardly any noise, the observed value.
func TestConditionOnEverything(t *testing.T) {
	for seed := range uint64(sizes(20)) {
		shape := randomShape(18000 + seed).of(LatentRBF)
		m := shape.model(t)
		m.params.Beta = 1e10
		rng := rand.New(rand.NewPCG(seed, 47))
		last := len(m.space) - 1
		x := m.space[last]
		twice := mat.New(2*x.Rows, x.Cols)
		mat.Copy(twice.Slice(0, x.Rows, 0, x.Cols), x)
		mat.Copy(twice.Slice(x.Rows, 2*x.Rows, 0, x.Cols), x)
		g := append(slices.Clone(m.space[:last]), twice)
		values := masked(rng, g.Len(), shape.channels, 0, true)
		want := values.Clone()
		for i := range values.Rows {
			for c := range values.Cols {
				if j := i % twice.Rows; j >= x.Rows {
					want.Set(i, c, values.At(i-x.Rows, c))
					values.Set(i, c, math.NaN())
				}
			}
		}
		q, e := m.mustObserve(t, g, values)
		l := randomLatent(rng, shape.latent)
		l.Mu[0] = 10 // where the training data say nothing
		for _, how := range []Conditioning{ConditionGivenLatent, ConditionMoments} {
			p, err := q.conditionalOn(e, q.momentsOf(l), how)
			if err != nil {
				t.Fatal(err)
			}
			for i, y := range values.Data {
				if y != y { // β⁻¹ over the least eigenvalue of K is left, 1e-4 at most
					near(t, fmt.Sprintf("%v, conditioning %q: mean", shape, how), one(p.Mean.Data[i]), one(want.Data[i]), 1e-3)
					near(t, fmt.Sprintf("%v, conditioning %q: variance", shape, how), one(p.Variance.Data[i]), one(0), 1e-3)
				}
			}
		}
	}
}
