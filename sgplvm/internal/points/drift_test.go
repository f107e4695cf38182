package points

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// The amounts of a drift given observed values are those of the joint normal distribution of both, written densely, and C⁻¹·r is less what they explain of it. Patterns are uncorrelated over the points, also where
// coordinates lie far from zero or on a line.
func TestDrift(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 8))
		const n, count = 40, 25
		var d drift
		points := mat.New(n, 3)
		for i := range n {
			x := rng.NormFloat64()
			copy(points.Row(i), []float64{x, 5e6 + 100*rng.NormFloat64(), 3 - 2*x})
		}
		d.setPatterns(points)
		j := len(d.patterns)
		patterns := mat.New(n, j)
		for l, v := range d.patterns {
			mat.Copy(patterns.Slice(0, n, l, l+1), mat.Vector(v))
		}
		products := mat.New(j, j)
		mat.Mul(products, 1/(n*driftDeviation*driftDeviation), patterns.T(), patterns, 0)
		if compare.Near(t, "patterns", products.Data, mat.Identity(j).Data, 1e-9); j != 6 {
			t.Fatalf("%d patterns of a plane, expected 6", j)
		}
		d.mean, d.variance, d.some, d.information, d.shift = make([]float64, j), make([]float64, j), make([]float64, n), mat.New(j, j), mat.New(j, 1)
		for range j {
			d.told = append(d.told, make([]float64, n))
		}
		seen, all := rng.Perm(n)[:count], make([]int, count)
		b, residual := mat.New(count, j), mat.New(count, 1)
		for k, i := range seen {
			copy(b.Row(k), patterns.Row(i))
			residual.Data[k], all[k] = rng.NormFloat64(), k
		}
		for l := range j {
			d.mean[l], d.variance[l] = rng.NormFloat64(), 0.1+rng.Float64()
		}
		c := randomCovariance(rng, count)
		prior := mat.New(j, j)
		for l, v := range d.variance {
			prior.Row(l)[l] = v
		}
		cross, total, gain := mat.New(j, count), c.Clone(), mat.New(j, count)
		mat.Mul(cross, 1, prior, b.T(), 0)
		mat.Mul(total, 1, b, cross, 1)
		mat.Mul(gain, 1, cross, precisionOf(t, total, all), 0)
		mean, left, explained := append([]float64{}, d.mean...), prior.Clone(), residual.Clone()
		mat.Mul(mat.Vector(mean), 1, gain, residual, 1)
		mat.Mul(left, -1, gain, cross.T(), 1)
		for l, m := range mean {
			mat.Mul(explained, d.mean[l]-m, b.Slice(0, count, l, l+1), mat.Identity(1), 1)
		}
		precision, solved, want := precisionOf(t, c, all), make([]float64, count), make([]float64, count)
		mat.Mul(mat.Vector(solved), 1, precision, residual, 0)
		mat.Mul(mat.Vector(want), 1, precision, explained, 0)
		if err := d.see(0, 1, seen, solved, precision); err != nil {
			t.Fatal(err)
		}
		compare.Near(t, "mean", d.mean, mean, 1e-8)
		compare.Near(t, "C⁻¹·r", solved, want, 1e-7)
		for l, v := range d.variance {
			compare.NearOne(t, "variance", v, left.At(l, l), 1e-8)
		}
	}
}
