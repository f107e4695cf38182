package emulator

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Shares of variances are those that plain Monte Carlo of predictions finds, within five of its standard errors, at values of the output and for its mean, for normal
// and for uniform inputs.
func TestSensitivity(t *testing.T) {
	m := mixedModel(t)
	directions := []int{0, 17, 44, -1}
	for _, b := range []Belief{Normal, Uniform} {
		prior := m.NewPrior(b)
		s, err := m.Sensitivity(context.Background(), prior, 4096, 1)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		const n = 8_000
		draw := func() mat.Matrix {
			u := mat.New(n, prior.Width())
			for i := range u.Data {
				u.Data[i] = rng.Float64()
			}
			return u
		}
		a, other := draw(), draw()
		v := make([]float64, m.P.Cols)
		for _, k := range directions {
			if copy(v, m.Means().Row(0)); k >= 0 {
				copy(v, m.V.Row(k))
			}
			f := func(u mat.Matrix) []float64 {
				mean, _ := m.Predict(prior.Draw(u))
				y := make([]float64, n)
				for i := range y {
					for j, p := range mean.Row(i) {
						y[i] += v[j] * m.Deviations[j] * p
					}
				}
				return y
			}
			fa, fb := f(a), f(other)
			_, variance := moments(append(append([]float64{}, fa...), fb...))
			centre, _ := moments(fa)
			for q := range s.Factors {
				c := a.Clone()
				mat.Copy(c.Slice(0, n, q, q+1), other.Slice(0, n, q, q+1))
				fc := f(c)
				firsts, alls := make([]float64, n), make([]float64, n)
				for i := range fc {
					firsts[i] = (fb[i] - centre) * (fc[i] - fa[i]) / variance
					alls[i] = (fc[i] - fa[i]) * (fc[i] - fa[i]) / 2 / variance
				}
				var shares [2]float64
				s.Of(&s.Factors[q], mat.NewDense(1, len(v), v), shares[:1], shares[1:])
				for _, c := range []struct {
					name string
					got  float64
					each []float64
				}{{"first", shares[0], firsts}, {"all", shares[1], alls}} {
					want, spread := moments(c.each)
					if e := math.Sqrt(spread/n) + 0.002; math.Abs(c.got-want) > 5*e {
						t.Errorf("prior %d, output %d, input %d, %s: %.4f, want %.4f ± %.4f", b, k, q, c.name, c.got, want, e)
					}
				}
			}
		}
	}
}

func moments(v []float64) (mean, variance float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v))
	}
	return mean, variance
}

// Every 64th of each axis has as many points, and of Ishigami's function the shares are those known in closed form, by the points and sums that Sensitivity has.
func TestLattice(t *testing.T) {
	const n = 1 << 13
	u := newLattice(6, n, 3).points(0, n)
	for k := range 6 {
		var has [64]int
		for i := range n {
			has[int(64*u.At(i, k))]++
		}
		if slices.Max(has[:]) > n/64+2 {
			t.Errorf("axis %d: %v points in each 64th", k, has)
		}
	}
	f := func(row []float64) float64 {
		x := [3]float64{}
		for k := range x {
			x[k] = math.Pi * (2*row[k] - 1)
		}
		return math.Sin(x[0]) + 7*math.Pow(math.Sin(x[1]), 2) + 0.1*math.Pow(x[2], 4)*math.Sin(x[0]) - 3.5
	}
	variance := 49./8 + 0.1*math.Pow(math.Pi, 4)/5 + 0.01*math.Pow(math.Pi, 8)/18 + 0.5
	want := []float64{0.3139, 0.4424, 0, 0.5576, 0.4424, 0.2437}
	for q := range 3 {
		first, all := 0., 0.
		for i := range n {
			a, b := u.Row(i)[:3], u.Row(i)[3:]
			c := append([]float64{}, a...)
			c[q] = b[q]
			d := f(c) - f(a)
			first += f(b) * d / n / variance
			all += d * d / 2 / n / variance
		}
		near(t, "first", first, want[q], 0.005)
		near(t, "all", all, want[3+q], 0.005)
	}
}
