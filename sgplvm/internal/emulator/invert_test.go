package emulator

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// mixedModel is a model of 2 inputs with kernels of every form, two of them of single modes.
func mixedModel(t *testing.T) *Model {
	t.Helper()
	m, err := Fit(context.Background(), worlds(30, 2, 4, 6).data(), Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernels[len(m.Kernels)-1]
	kernel := func(f Form) *Kernel {
		c := *k
		c.Form, c.Share, c.Scales = f, 0.7, []float64{1.1, 1.9}
		if f == Product {
			c.Parts = []float64{0.6, 0.9}
		}
		return &c
	}
	m.Kernels = []*Kernel{kernel(RBF), kernel(Product), kernel(Matern52)}
	m.Modes = [][]int{{0}, {1}, sample(m.P.Cols, m.P.Cols, 0)[2:]}
	if err := m.Condition(); err != nil {
		t.Fatal(err)
	}
	return m
}

// Moments at a point are those of Predict, to the rounding of sums in another order.
func TestPoint(t *testing.T) {
	m := mixedModel(t)
	p := newSurface(m).point()
	x := []float64{0.3, -1.4}
	p.at(x)
	mean, variance := m.Predict(mat.NewDense(1, 2, x))
	for j := range p.mean {
		near(t, "mean", p.mean[j], mean.At(0, j), 1e-9)
		near(t, "variance", p.variance[j]/variance.At(0, j), 1, 1e-6)
	}
}

// The density of the inputs is that of dense matrices of all observed values, up to a constant, whether fewer or more values were observed than there are
// components; its gradient is that of central differences.
func TestPosteriorDensity(t *testing.T) {
	m := mixedModel(t)
	for _, b := range []Belief{Normal, Uniform} {
		prior := m.NewPrior(b)
		for _, count := range []int{3, 60} {
			o := seen(m, []float64{0.4, 0.9}, count, 0.05, 1)
			v, err := m.NewInverter(prior)
			if err != nil {
				t.Fatal(err)
			}
			p, err := v.newProblem(o)
			if err != nil {
				t.Fatal(err)
			}
			at, other := []float64{0.3, -0.8}, []float64{-0.9, 0.5}
			g, none := make([]float64, 2), make([]float64, 2)
			got := p.value(at, g) - p.value(other, none)
			near(t, fmt.Sprint("density ", count), got/(denseDensity(t, m, prior, o, at)-denseDensity(t, m, prior, o, other)), 1, 1e-5)
			for k := range at {
				const h = 1e-5
				up, down := []float64{at[0], at[1]}, []float64{at[0], at[1]}
				up[k] += h
				down[k] -= h
				want := (p.value(up, none) - p.value(down, none)) / (2 * h)
				near(t, fmt.Sprint("slope ", k), g[k]/want, 1, 1e-4)
			}
		}
	}
}

// seen observes count values of the output at ξ that the emulator expects, with noise.
func seen(m *Model, x []float64, count int, noise float64, seed uint64) *Observation {
	rng := rand.New(rand.NewPCG(seed, 1))
	mean, _ := m.Predict(mat.NewDense(1, len(x), x))
	y := make([]float64, m.V.Rows)
	m.Field(y, mean.Row(0))
	o := &Observation{}
	for k := range count {
		at := k * len(y) / count
		o.At, o.Errors = append(o.At, at), append(o.Errors, noise)
		o.Values = append(o.Values, y[at]+noise*rng.NormFloat64())
	}
	return o
}

// denseDensity is −log of the posterior density by a covariance matrix of the observed values.
func denseDensity(t *testing.T, m *Model, prior *Prior, o *Observation, at []float64) float64 {
	x := mat.New(1, m.X.Cols)
	prior.set(x.Row(0), at, 0)
	mean, variance := m.Predict(x)
	y := make([]float64, m.V.Rows)
	m.Field(y, mean.Row(0))
	f, left := m.Covariance(variance.Row(0))
	n := len(o.At)
	c, e := mat.New(n, n), make([]float64, n)
	for i, p := range o.At {
		e[i] = o.Values[i] - y[p]
		for k, u := range o.At {
			for j := range f.Cols {
				c.Row(i)[k] += f.At(p, j) * f.At(u, j)
			}
		}
		c.Row(i)[i] += left[p] + o.Errors[i]*o.Errors[i]
	}
	// Gaussian elimination gives the determinant and the solution.
	sum, misfit := 0.5*(at[0]*at[0]+at[1]*at[1]), 0.
	for i := range n {
		sum += 0.5 * math.Log(c.At(i, i))
		misfit += e[i] * e[i] / c.At(i, i)
		for k := i + 1; k < n; k++ {
			l := c.At(k, i) / c.At(i, i)
			e[k] -= l * e[i]
			for j := i; j < n; j++ {
				c.Row(k)[j] -= l * c.At(i, j)
			}
		}
	}
	return sum + 0.5*misfit
}

// Of 300 truths drawn from the prior, seen as the emulator says, ranks among the draws are uniform (Talts and others 2018), by both ways; what is known of half
// of them (one observed value) and of the other half (all with noise) is different.
func TestRanks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	m := mixedModel(t)
	for _, b := range []Belief{Normal, Uniform} {
		prior := m.NewPrior(b)
		v, err := m.NewInverter(prior)
		if err != nil {
			t.Fatal(err)
		}
		const truths, draws, thin, bins = 300, 171, 9, 10
		var found [truths][2]int
		mat.Parallel(truths, func(i int) {
			rng := rand.New(rand.NewPCG(uint64(i), 3))
			u := mat.New(1, prior.Width())
			for k := range u.Data {
				u.Data[k] = rng.Float64()
			}
			x := prior.Draw(u)
			y := make([]float64, m.V.Rows)
			m.Outputs(x, mat.Matrix{}).Draw(y, 0, rng)
			o := &Observation{}
			for k := range []int{1, 60}[i%2] {
				left := m.Scaler.Scale[0] * m.Scaler.Scale[0] * m.Left[k]
				o.At, o.Errors = append(o.At, k), append(o.Errors, 0.3)
				o.Values = append(o.Values, y[k]+math.Sqrt(0.09+left)*rng.NormFloat64())
			}
			p, err := v.Invert(context.Background(), o, InvertOptions{Draws: draws, Seed: uint64(i)})
			if err != nil {
				t.Error(err)
				return
			}
			for q := range 2 {
				for k := 0; k < draws; k += thin {
					if p.Draws.At(k, q) < x.At(0, q) {
						found[i][q]++
					}
				}
			}
		})
		for q := range 2 {
			counts, square := [bins]float64{}, 0.
			for i := range truths {
				counts[found[i][q]*bins/(1+(draws+thin-1)/thin)]++
			}
			for _, c := range counts {
				square += (c - truths/bins) * (c - truths/bins) * bins / truths
			}
			if square > 27.9 { // 1 in 1000
				t.Errorf("prior %d, input %d: ranks %v, χ² %.1f", b, q, counts, square)
			}
		}
	}
}
