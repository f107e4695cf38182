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
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// anyBlend returns a blend of some parts.
func anyBlend(rng *rand.Rand, share float64) field.Blend {
	return field.Blend{Share: share, Neighbours: 1 + 3*rng.Float64(), Shrinkage: 0.1 + 0.9*rng.Float64(), Taper: 0.5 + 2*rng.Float64(),
		Reach: 3 * rng.Float64(), Parts: 1 << rng.IntN(3), Inflation: 0.5 + rng.Float64()}
}

// blendCase returns a model of several points that keeps residuals, and values seen in part.
func blendCase(t *testing.T, seed uint64) (model, field.Observed, *rand.Rand) {
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
	return m, field.Observed{Values: m.ref.UserValues(values)}, rng
}

// What training examples like one at hand say directly of what it misses is a conditional Gaussian by its definition, with distances that count all points alike or by how near they are, and
// with what was filled in of these examples.
func TestDirect(t *testing.T) {
	for seed := range uint64(compare.Sizes(40)) {
		m, obs, rng := blendCase(t, 100+seed)
		filled := (*Filled)(nil)
		if seed%2 == 1 {
			filled = somethingFilled(m, rng)
			m = m.with(t, Options{Residuals: m.residuals, Filled: filled})
		}
		b := anyBlend(rng, 1)
		b.Parts, b.Inflation = 1, 1
		if seed%3 == 0 {
			b.Reach = 0
		}
		got, _, err := m.Impute(t.Context(), obs, field.InferOptions{Blends: []field.Blend{b}, DegreesOfFreedom: -1, KeepOutliers: true})
		if err != nil {
			t.Fatal(err)
		}
		n, channels, examples := m.grid.Len(), m.channels(), m.params.X.Mu.Rows
		values, x := m.scaler.Apply(obs.Values), data.InSpacings(m.grid)
		weights := effective(m.distancesByDefinition(values, all(n), reachByDefinition(x, values, b.Reach)), b.Neighbours)
		least, total := infer.MinShare*slices.Max(weights), 0.
		for k, w := range weights {
			if w <= least {
				weights[k] = 0
			}
			total += weights[k]
		}
		value := func(k, i, c int) float64 { return m.ref.Y.At(k*n+i, c) }
		fit := func(k, i, c int) float64 { return value(k, i, c) - m.residuals.At(k, i*channels+c) }
		mean, fitted, g := mat.New(n, channels), mat.New(n, channels), make([]float64, n)
		for i := range n {
			for c := range channels {
				for k := range examples {
					mean.Set(i, c, mean.At(i, c)+weights[k]/total*value(k, i, c))
					fitted.Set(i, c, fitted.At(i, c)+fit(k, i, c)/float64(examples))
					if filled != nil {
						g[i] += (1 - b.Shrinkage) * weights[k] / total * filled.Variance.At(k, i*channels+c) / float64(channels)
					}
				}
			}
		}
		covariance := mat.New(n, n)
		for i := range n {
			for j := range n {
				var local, wide float64
				for c := range channels {
					for k := range examples {
						local += weights[k] / total * (value(k, i, c) - mean.At(i, c)) * (value(k, j, c) - mean.At(j, c)) / float64(channels)
						wide += (fit(k, i, c) - fitted.At(i, c)) * (fit(k, j, c) - fitted.At(j, c)) / float64(examples*channels)
					}
				}
				local *= 1 - b.Shrinkage
				if filled != nil {
					local += math.Sqrt(g[i]) * math.Sqrt(g[j]) * filled.Alike.At(i, j)
				}
				far := work.SquaredDistance(x.Row(i), x.Row(j))
				covariance.Set(i, j, local*math.Exp(-far/(b.Taper*b.Taper))+b.Shrinkage*(wide+m.params.Noise.Covariance.At(i, j)))
			}
		}
		for c, scale := range m.scaler.Scale {
			for _, v := range denseGiven(t, covariance, mat.Matrix{}, mean, values, c) {
				compare.NearOne(t, fmt.Sprintf("seed %d: mean", seed), (got.Mean.At(v.point, c)-m.scaler.Mean[c])/scale, v.mean, 1e-7)
				compare.NearOne(t, fmt.Sprintf("seed %d: variance", seed), got.Variance.At(v.point, c)/(scale*scale), max(v.variance, 1/m.params.Noise.Beta), 1e-7)
			}
		}
	}
}

// all returns the numbers below n.
func all(n int) []int { return complement(nil, n) }

// reachByDefinition returns how much every point counts near the centre of what is missing; nil: alike.
func reachByDefinition(x, values mat.Matrix, reach float64) []float64 {
	if reach == 0 {
		return nil
	}
	centre, counts, nearest := make([]float64, x.Cols), make([]float64, x.Rows), math.Inf(1)
	var missing float64
	for i := range values.Rows {
		if slices.ContainsFunc(values.Row(i), func(v float64) bool { return v != v }) {
			missing++
			for q, v := range x.Row(i) {
				centre[q] += v
			}
		}
	}
	for q := range centre {
		centre[q] /= missing
	}
	for i := range counts {
		counts[i] = work.SquaredDistance(x.Row(i), centre)
		if slices.ContainsFunc(values.Row(i), func(v float64) bool { return v == v }) {
			nearest = min(nearest, counts[i])
		}
	}
	for i, d := range counts {
		counts[i] = math.Exp(-0.5 * max(0, d-nearest) / (reach * reach))
	}
	return counts
}

// A mixture has the moments of its two predictions together, and a blend that gives the latent variables all the weight is
// what there is without one.
func TestBlendedMoments(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		m, obs, rng := blendCase(t, 200+seed)
		impute := func(blends ...field.Blend) field.Prediction {
			p, _, err := m.Impute(t.Context(), obs, field.InferOptions{Blends: blends})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		b := anyBlend(rng, 0)
		b.Inflation = 1
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

// An example takes the blend for what is missing most like it, of those that the model can follow.
func TestBlendFor(t *testing.T) {
	m, obs, rng := blendCase(t, 300)
	missing, err := m.Missing(obs)
	if err != nil {
		t.Fatal(err)
	}
	gap, seen := missing.Gap, missing.Seen
	blends := []field.Blend{anyBlend(rng, 0.2), anyBlend(rng, 0.3), anyBlend(rng, 0.4)}
	impute := func(m model, blends ...field.Blend) []float64 {
		p, _, err := m.Impute(t.Context(), obs, field.InferOptions{Blends: blends})
		if err != nil {
			t.Fatal(err)
		}
		return slices.Concat(p.Mean.Data, p.Variance.Data)
	}
	blends[0].Gap, blends[1].Gap, blends[2].Gap = 0, gap*1.1, gap+20
	compare.SameBits(t, "the nearest gap", impute(m, blends...), impute(m, blends[1]))
	blends[0].Gap, blends[0].Seen, blends[1].Seen, blends[2].Seen = gap*1.2, seen, seen/1000, seen
	compare.SameBits(t, "a share that is seen as here", impute(m, blends...), impute(m, blends[0]))
	blends[0].Gap, blends[1].Seen = 0, 0
	without := saying(t, m.ref, Options{})
	compare.SameBits(t, "a model without residuals", impute(without, blends...), impute(without))
	blends[1].Share, blends[1].Inflation = 0, 4
	plain, wider := impute(without), impute(without, blends...)
	for k, v := range plain[len(plain)/2:] {
		compare.NearOne(t, "variances of a model without residuals, which needs none to multiply them", wider[len(plain)/2+k], 4*v, 1e-12)
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
		got, err := m.Missing(field.Observed{Values: values})
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

func effective(distances []float64, number float64) []float64 {
	w := make([]float64, len(distances))
	infer.Effective(w, distances, number)
	return w
}
