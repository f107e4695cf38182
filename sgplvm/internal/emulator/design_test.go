package emulator

import (
	"context"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Each run is the candidate after which the variances that Predict has, with the runs so far among its own, are least, and what is left is their share.
func TestDesign(t *testing.T) {
	m := mixedModel(t)
	prior := m.NewPrior(Uniform)
	references, candidates := prior.Spread(40, 1), prior.Spread(15, 2)
	d := m.NewDesign(references, candidates)
	variance := func(more []int) float64 {
		x := mat.New(m.X.Rows+len(more), m.X.Cols)
		mat.Copy(x.Slice(0, m.X.Rows, 0, x.Cols), m.X)
		for i, c := range more {
			copy(x.Row(m.X.Rows+i), candidates.Row(c))
		}
		sum := 0.
		for _, g := range m.process.groups {
			for i, j := range g.modes {
				sum += m.Deviations[j] * m.Deviations[j] * g.a[i] * latentVariance(g.kernel, x, references, g.r[i])
			}
		}
		return sum
	}
	start := variance(nil)
	var runs []int
	for range 3 {
		best, left, err := d.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		least, at := 0., -1
		for c := range candidates.Rows {
			if v := variance(append(append([]int{}, runs...), c)); at < 0 || v < least {
				least, at = v, c
			}
		}
		if best != at {
			t.Errorf("run %d: candidate %d, want %d", len(runs), best, at)
		}
		near(t, "left", left, least/start, 0.02)
		runs = append(runs, best)
	}
}

// latentVariance sums K(r, r) − k·(K + rI)⁻¹·k over rows of z, by Gaussian elimination.
func latentVariance(k *Kernel, x, z mat.Matrix, ratio float64) float64 {
	n, m := x.Rows, z.Rows
	c, b := mat.New(n, n), mat.New(n, m)
	k.values(c, x, x, mat.Matrix{}, mat.Matrix{})
	k.values(b, x, z, mat.Matrix{}, mat.Matrix{})
	sum := 0.
	for _, v := range k.diagonal(z) {
		sum += v
	}
	for i := range n {
		c.Row(i)[i] += ratio
	}
	for i := range n {
		for r := range m {
			sum -= b.At(i, r) * b.At(i, r) / c.At(i, i)
		}
		for h := i + 1; h < n; h++ {
			l := c.At(h, i) / c.At(i, i)
			for s := i; s < n; s++ {
				c.Row(h)[s] -= l * c.At(i, s)
			}
			for r := range m {
				b.Row(h)[r] -= l * b.At(i, r)
			}
		}
	}
	return sum
}
