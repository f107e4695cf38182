package predict

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// anyBlend returns a blend of some parts.
func anyBlend(rng *rand.Rand, share float64) Blend {
	return Blend{Share: share, Neighbours: 1 + 3*rng.Float64(), Shrinkage: 0.1 + 0.9*rng.Float64(), Taper: 0.5 + 2*rng.Float64(),
		WideTaper: 3 * rng.Float64(), Reach: 3 * rng.Float64(), Parts: 1 << rng.IntN(3), Damping: float64(rng.IntN(3)) / 2, Inflation: 0.5 + rng.Float64()}
}

// blendCase returns a model of several points that keeps residuals, and values seen in part.
func blendCase(t *testing.T, seed uint64) (model, Observed, *rand.Rand) {
	m := keeping(t, learned(t, reference.ResidualShape(45000+seed).Model(t), 4))
	for k := uint64(1); m.grid.Len() < 4; k++ {
		m = keeping(t, learned(t, reference.ResidualShape(45000+seed+1000*k).Model(t), 4))
	}
	rng := rand.New(rand.NewPCG(seed, 11))
	values := reference.Masked(rng, m.grid.Len(), m.channels(), 0.5, false)
	if v := values.At(0, 0); v != v { // something is seen
		values.Set(0, 0, 0.3)
	}
	values.Set(values.Rows-1, 0, math.NaN()) // and something is missing
	return m, Observed{Values: m.ref.UserValues(values)}, rng
}

// The direct prediction of a point is the conditional Gaussian of its definition.
func TestDirectMoments(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		m, obs, rng := blendCase(t, seed)
		e, err := m.observe(obs)
		if err != nil {
			t.Fatal(err)
		}
		b := anyBlend(rng, 1)
		distances := m.far(e)
		weights := effective(distances, b.Neighbours)
		got := m.directMoments(e, distances, &b).own
		n, channels, examples := m.grid.Len(), m.channels(), m.params.X.Mu.Rows
		x := data.InSpacings(m.grid)
		whole := wholeCovariance(t, got)
		value := func(k, i, c int) float64 { return m.ref.Y.At(k*n+i, c) }
		centre := func(of func(k, i, c int) float64, w func(k int) float64, i, c int) (mean float64) {
			for k := range examples {
				mean += w(k) * of(k, i, c)
			}
			return mean
		}
		near := func(k int) float64 { return weights[k] }
		alike := func(int) float64 { return 1 / float64(examples) }
		fit := func(k, i, c int) float64 { return value(k, i, c) - m.residuals.At(k, i*channels+c) }
		for i := range n {
			for c := range channels {
				compare.NearOne(t, "mean", got.mean.At(i, c), centre(value, near, i, c), 1e-2) // small weights do not count
			}
			for j := range n {
				var local, wide float64
				for c := range channels {
					for k := range examples {
						local += weights[k] * (value(k, i, c) - centre(value, near, i, c)) * (value(k, j, c) - centre(value, near, j, c)) / float64(channels)
						wide += (fit(k, i, c) - centre(fit, alike, i, c)) * (fit(k, j, c) - centre(fit, alike, j, c)) / float64(examples*channels)
					}
				}
				far := work.SquaredDistance(x.Row(i), x.Row(j))
				local *= math.Exp(-far / (b.Taper * b.Taper))
				wide *= math.Exp(-far / (b.WideTaper * b.WideTaper))
				want := (1-b.Shrinkage)*local + b.Shrinkage*(wide+m.params.Noise.Covariance.At(i, j))
				if i == j {
					want -= 1 / m.params.Noise.Beta // is added where the noise is
				}
				compare.NearOne(t, fmt.Sprintf("covariance of %d and %d", i, j), whole.At(i, j), want, 1e-2)
			}
		}
	}
}

// The direct prediction given the observed values is that of a dense solution.
func TestDirectConditional(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		m, obs, rng := blendCase(t, 100+seed)
		e, err := m.observe(obs)
		if err != nil {
			t.Fatal(err)
		}
		b := anyBlend(rng, 1)
		moments := m.directMoments(e, m.far(e), &b)
		whole := wholeCovariance(t, moments.own)
		p, err := m.conditional(t.Context(), e, moments, ConditionGivenLatent)
		if err != nil {
			t.Fatal(err)
		}
		for c, seen := range e.seen {
			missing := complement(seen, m.grid.Len())
			if len(seen) == 0 {
				continue
			}
			oo := mat.New(len(seen), len(seen))
			work.Submatrix(oo, whole, seen, seen)
			for k := range seen {
				oo.Row(k)[k] += 1 / m.params.Noise.Beta
			}
			l, err := chol.Factorize(oo)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range missing {
				g := mat.New(len(seen), 1)
				for k, j := range seen {
					g.Data[k] = whole.At(j, i)
				}
				solved := g.Clone()
				l.Solve(solved)
				mean, variance := moments.own.mean.At(i, c), whole.At(i, i)
				for k, j := range seen {
					mean += solved.Data[k] * (e.values.At(j, c) - moments.own.mean.At(j, c))
					variance -= solved.Data[k] * g.Data[k]
				}
				compare.NearOne(t, "mean", p.Mean.At(i, c), mean, 1e-7)
				compare.NearOne(t, "variance", p.Variance.At(i, c), max(0, variance), 1e-7) // the white noise comes on top
			}
		}
	}
}

// A mixture has the moments of its two predictions together, and a blend that gives the latent variables all the weight is
// what there is without one.
func TestBlendedMoments(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		m, obs, rng := blendCase(t, 200+seed)
		impute := func(blends ...Blend) Prediction {
			p, _, err := m.Impute(t.Context(), obs, InferOptions{Blends: blends})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		b := anyBlend(rng, 0)
		b.Inflation, b.Damping = 1, 0
		with := impute(b)
		b.Share = 1
		direct := impute(b)
		b.Share, b.Inflation = 0.1+0.8*rng.Float64(), 0.5+rng.Float64()
		both, blend := impute(b), b
		plain := impute()
		b.Share, b.Inflation = 0, 1
		alone := impute(b)
		b = blend
		for i := range both.Mean.Rows {
			for c := range both.Mean.Cols {
				d := direct.Mean.At(i, c) - with.Mean.At(i, c)
				v := (1-b.Share)*with.Variance.At(i, c) + b.Share*direct.Variance.At(i, c) + b.Share*(1-b.Share)*d*d
				compare.NearOne(t, "mean", both.Mean.At(i, c), with.Mean.At(i, c)+b.Share*d, 1e-9)
				compare.NearOne(t, "variance", both.Variance.At(i, c), b.Inflation*v, 1e-9)
				compare.NearOne(t, "mean of the latent variables alone", alone.Mean.At(i, c), plain.Mean.At(i, c), 1e-12)
				compare.NearOne(t, "variance of the latent variables alone", alone.Variance.At(i, c), plain.Variance.At(i, c), 1e-12)
			}
		}
	}
}

// Damping 1 is what infinitely many degrees of freedom make of variances, without damping all of the factors count, and between them their powers.
func TestDamping(t *testing.T) {
	for seed := range uint64(8) {
		m, obs, rng := blendCase(t, 340+seed)
		b := anyBlend(rng, []float64{0, 1}[seed%2])
		b.Damping = 0
		impute := func(damping, degrees float64) Prediction {
			b := b
			b.Damping = damping
			p, _, err := m.Impute(t.Context(), obs, InferOptions{Blends: []Blend{b}, DegreesOfFreedom: degrees})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		whole, half, held, without := impute(0, 3), impute(0.5, 3), impute(1, 3), impute(0, -1)
		differ := false
		for i := range whole.Mean.Rows {
			for c, v := range whole.Variance.Row(i) {
				compare.NearOne(t, "mean", half.Mean.At(i, c), whole.Mean.At(i, c), 1e-12)
				compare.NearOne(t, "held back", held.Variance.At(i, c), without.Variance.At(i, c), 1e-9)
				compare.NearOne(t, "half of it", half.Variance.At(i, c), math.Sqrt(v*held.Variance.At(i, c)), 1e-9)
				differ = differ || math.Abs(v-held.Variance.At(i, c)) > 0.01*v
			}
		}
		if !differ {
			t.Errorf("seed %d: the variances follow nothing", seed)
		}
	}
}

// An example takes the blend for what is missing most like it.
func TestBlendFor(t *testing.T) {
	m, obs, rng := blendCase(t, 300)
	e, err := m.observe(obs)
	if err != nil {
		t.Fatal(err)
	}
	o := InferOptions{Blends: []Blend{anyBlend(rng, 0.2), anyBlend(rng, 0.3), anyBlend(rng, 0.4)}}
	gap, seen := e.missing().Gap, e.missing().Seen
	o.Blends[0].Gap, o.Blends[1].Gap, o.Blends[2].Gap = 0, gap*1.1, gap+20
	if b := m.blendFor(e, o); b == nil || b.Share != 0.3 {
		t.Errorf("%+v, expected the one of share 0.3", b)
	}
	o.Blends[0].Gap, o.Blends[0].Seen, o.Blends[1].Seen, o.Blends[2].Seen = gap*1.2, seen, seen/1000, seen
	if b := m.blendFor(e, o); b == nil || b.Share != 0.2 {
		t.Errorf("%+v, expected the one of share 0.2, for a share that is seen as here", b)
	}
	o.Blends[0].Gap, o.Blends[1].Seen = 0, 0
	if b := saying(t, m.ref, Options{}).blendFor(e, o); b != nil {
		t.Errorf("%+v for a model without residuals", b)
	}
	o.Blends[1].Share = 0
	if b := saying(t, m.ref, Options{}).blendFor(e, o); b == nil || b.Inflation != o.Blends[1].Inflation {
		t.Errorf("%+v for a model without residuals, which needs none to multiply variances", b)
	}
	if b := m.blendFor(e, InferOptions{}); b != nil {
		t.Errorf("%+v without blends", b)
	}
}

// How much of a picture is seen, and how far from it what is hidden lies.
func TestMissing(t *testing.T) {
	different := 0
	for seed := range uint64(20) {
		m, _, _ := blendCase(t, 301+seed)
		x := data.InSpacings(m.grid)
		values := mat.New(x.Rows, m.channels())
		var want, count, seen float64
		for c := range m.channels() {
			every := 3
			if c > 0 && c == m.channels()-1 { // the others are alike
				every = 2
				different = max(different, c)
			}
			for i := range x.Rows {
				if i%every == 0 {
					seen++
					continue
				}
				nearest := math.Inf(1)
				for j := 0; j < x.Rows; j += every {
					nearest = min(nearest, math.Sqrt(work.SquaredDistance(x.Row(i), x.Row(j))))
				}
				want, count = want+nearest, count+1
				values.Set(i, c, math.NaN())
			}
		}
		got, err := m.Missing(Observed{Values: values})
		if err != nil {
			t.Fatal(err)
		}
		compare.NearOne(t, "gap", got.Gap, want/max(1, count), 1e-12)
		compare.NearOne(t, "seen", got.Seen, seen/(seen+count), 1e-12)
	}
	if different < 2 {
		t.Error("no case has two channels that are alike and one that differs")
	}
}

// Weights have the effective number that was asked for, or are all alike where there are no more.
func TestEffective(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		d := make([]float64, 2+rng.IntN(30))
		for k := range d {
			d[k] = rng.ExpFloat64()
		}
		number := 1.01 + 20*rng.Float64()
		var sum, squares float64
		for _, w := range effective(d, number) {
			sum += w
			squares += w * w
		}
		compare.NearOne(t, "sum", sum, 1, 1e-12)
		compare.NearOne(t, "number", 1/squares, min(number, float64(len(d))), 1e-6)
	}
	for _, w := range effective([]float64{2, 2, 2, 2}, 2) {
		compare.NearOne(t, "weight of equals", w, 0.25, 1e-15)
	}
}

// Parts hold every point once and are as large as one another.
func TestHalve(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		x := mat.New(8+rng.IntN(40), 1+rng.IntN(3))
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		points := rng.Perm(x.Rows)[:4+rng.IntN(x.Rows-4)]
		all := slices.Clone(points)
		ends := halve(x, all, 0, 4, nil)
		if len(ends) != 4 {
			t.Fatalf("%d parts, want 4", len(ends))
		}
		from := 0
		for _, to := range ends {
			p := all[from:to]
			from = to
			if 4*len(p) < len(points)-7 || 4*len(p) > len(points)+7 {
				t.Errorf("a part of %d from %d points", len(p), len(points))
			}
		}
		slices.Sort(all)
		slices.Sort(points)
		if !slices.Equal(all, points) {
			t.Errorf("parts hold %v, want %v", all, points)
		}
	}
}

// Numbers that mean nothing are refused by name.
func TestBlendCheck(t *testing.T) {
	good := Blend{Share: 0.5, Neighbours: 8, Shrinkage: 0.5, Taper: 4, Parts: 1, Inflation: 1}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	m, obs, _ := blendCase(t, 302)
	for _, change := range []func(b *Blend){
		func(b *Blend) { b.Share = 1.5 }, func(b *Blend) { b.Share = math.NaN() }, func(b *Blend) { b.Neighbours = 0 },
		func(b *Blend) { b.Shrinkage = 0 }, func(b *Blend) { b.Taper = 0 }, func(b *Blend) { b.Parts = 3 }, func(b *Blend) { b.Parts = 0 },
		func(b *Blend) { b.Inflation = 0 }, func(b *Blend) { b.Reach = math.Inf(1) }, func(b *Blend) { b.Gap = -1 },
		func(b *Blend) { b.Seen = 1.5 }, func(b *Blend) { b.Seen = -0.1 }, func(b *Blend) { b.Damping = 1.5 }, func(b *Blend) { b.Damping = -0.5 },
	} {
		b := good
		change(&b)
		var refused *data.ConfigError
		if _, _, err := m.Impute(t.Context(), obs, InferOptions{Blends: []Blend{b}}); !errors.As(err, &refused) {
			t.Errorf("%+v: %v, want a *data.ConfigError", b, err)
		}
	}
}

func effective(distances []float64, number float64) []float64 {
	w := make([]float64, len(distances))
	infer.Effective(w, distances, number)
	return w
}
