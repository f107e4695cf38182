package sgplvm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A viewWorld are views of n examples that a few shared and private Gaussian variables make by smooth maps, with white noise; the best prediction is a Gaussian conditional.
type viewWorld struct {
	sizes []int
	loads mat.Matrix // of all values, size×latents
	noise []float64  // of each view
	truth mat.Matrix // values without noise, n×size
	y     mat.Matrix
}

// drawViews draws views of points on a line, of which each has its own points; shared is how many latent variables all views have, private how many each has by itself.
func drawViews(n int, sizes []int, shared, private int, noise []float64, seed uint64) *viewWorld {
	rng := rand.New(rand.NewPCG(seed, 1))
	size := 0
	for _, s := range sizes {
		size += s
	}
	d := shared + private*len(sizes)
	w := &viewWorld{sizes: sizes, noise: noise, loads: mat.New(size, d)}
	from := 0
	for v, s := range sizes {
		for q := range d {
			if q >= shared && (q-shared)/private != v {
				continue
			}
			a, b, f := rng.NormFloat64(), rng.NormFloat64(), 1+3*rng.Float64()
			for k := range s {
				x := f * float64(k) / float64(max(1, s-1))
				if s <= 8 {
					x = 10 * rng.Float64() // a table
				}
				w.loads.Set(from+k, q, a*math.Sin(x)+b*math.Cos(x))
			}
		}
		from += s
	}
	x := mat.New(n, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	w.truth = mat.New(n, size)
	mat.Mul(w.truth, 1, x, w.loads.T(), 0)
	w.y = w.truth.Clone()
	for i := range n {
		from := 0
		for v, s := range sizes {
			for k := range s {
				w.y.Row(i)[from+k] += noise[v] * rng.NormFloat64()
			}
			from += s
		}
	}
	return w
}

// views returns the views with some values missing: NaN where hidden says so.
func (w *viewWorld) views(hidden func(i, v, k int) bool) (all []View) {
	from := 0
	for v, s := range w.sizes {
		y := mat.New(w.y.Rows, s)
		for i := range y.Rows {
			for k := range s {
				if y.Row(i)[k] = w.y.At(i, from+k); hidden(i, v, k) {
					y.Row(i)[k] = math.NaN()
				}
			}
		}
		x := mat.New(s, 1)
		for k := range s {
			x.Data[k] = float64(k)
		}
		d := Data{Source: NewSource(y.Data, y.Rows, s, 1), Grid: Grid{x}}
		if s <= 8 {
			d = Data{Source: NewSource(y.Data, y.Rows, 1, s), Grid: Grid{mat.New(1, 1)}}
		}
		all = append(all, View{Name: string(rune('a' + v)), Data: d})
		from += s
	}
	return all
}

// optimum returns the best prediction of the truth of hidden values of example i from the observed values of some views.
func (w *viewWorld) optimum(t *testing.T, i int, hidden func(i, v, k int) bool, from func(v int) bool) []float64 {
	var seen []int
	var noise []float64
	at := 0
	for v, s := range w.sizes {
		for k := range s {
			if !hidden(i, v, k) && from(v) {
				seen, noise = append(seen, at+k), append(noise, w.noise[v])
			}
		}
		at += s
	}
	all := mat.New(w.loads.Rows, w.loads.Rows)
	mat.Mul(all, 1, w.loads, w.loads.T(), 0)
	if len(seen) == 0 {
		return make([]float64, w.loads.Rows)
	}
	cov, y, cross := mat.New(len(seen), len(seen)), mat.New(len(seen), 1), mat.New(w.loads.Rows, len(seen))
	for a, p := range seen {
		y.Data[a] = w.y.At(i, p)
		for b, q := range seen {
			cov.Set(a, b, all.At(p, q))
		}
		cov.Row(a)[a] += noise[a] * noise[a]
		for p2 := range cross.Rows {
			cross.Set(p2, a, all.At(p2, p))
		}
	}
	f, err := chol.Factorize(cov)
	if err != nil {
		t.Fatal(err)
	}
	f.Solve(y)
	mean := mat.New(w.loads.Rows, 1)
	mat.Mul(mean, 1, cross, y, 0)
	return mean.Data
}

func TestViewsTrial(t *testing.T) {
	for seed := range uint64(2) {
		w := drawViews(60, []int{40, 10, 5}, 3, 1, []float64{.2, .2, .3}, seed)
		rng := rand.New(rand.NewPCG(seed, 9))
		mask := map[[3]int]bool{}
		from := 0
		for v, s := range w.sizes {
			for i := range w.y.Rows {
				whole, cut := rng.Float64() < .15, rng.IntN(s+1)
				for k := range s {
					mask[[3]int{i, v, k}] = whole && v > 0 || v == 0 && k < cut || v == 2 && rng.Float64() < .2
				}
			}
			from += s
		}
		hidden := func(i, v, k int) bool { return mask[[3]int{i, v, k}] }
		all, err := CompleteViews(t.Context(), w.views(hidden), Config{Effort: EffortQuick})
		if err != nil {
			t.Fatal(err)
		}
		from = 0
		for v, s := range w.sizes {
			var e, b, o, own, c, al float64
			alone, err := Complete(t.Context(), w.views(hidden)[v].Data, Config{Effort: EffortQuick})
			if err != nil {
				t.Fatal(err)
			}
			for i := range w.y.Rows {
				best, self := w.optimum(t, i, hidden, func(int) bool { return true }), w.optimum(t, i, hidden, func(u int) bool { return u == v })
				for k := range s {
					if hidden(i, v, k) {
						truth := w.truth.At(i, from+k)
						e += sq(all[v].Mean.Data[i*s+k] - truth)
						al += sq(alone.Mean.Data[i*s+k] - truth)
						b += sq(best[from+k] - truth)
						o += sq(self[from+k] - truth)
						own += sq(truth)
						c++
					}
				}
			}
			t.Logf("seed %d view %d: joint %.3f alone %.3f best %.3f best alone %.3f mean %.3f", seed, v, math.Sqrt(e/c), math.Sqrt(al/c), math.Sqrt(b/c), math.Sqrt(o/c), math.Sqrt(own/c))
			for _, k := range all[v].Kinds {
				t.Logf("   %+v", k)
			}
			from += s
		}
	}
}

func sq(x float64) float64 { return x * x }

func TestViewsCore(t *testing.T) {
	for seed := range uint64(2) {
		w := drawViews(60, []int{40, 10, 5}, 3, 1, []float64{.2, .2, .3}, seed)
		rng := rand.New(rand.NewPCG(seed, 9))
		mask := map[[3]int]bool{}
		for v, s := range w.sizes {
			for i := range w.y.Rows {
				whole, cut := rng.Float64() < .15, rng.IntN(s+1)
				for k := range s {
					mask[[3]int{i, v, k}] = whole && v > 0 || v == 0 && k < cut || v == 2 && rng.Float64() < .2
				}
			}
		}
		hidden := func(i, v, k int) bool { return mask[[3]int{i, v, k}] }
		s, err := newViewSet(t.Context(), Run{}, w.views(hidden), Config{Effort: EffortQuick})
		if err != nil {
			t.Fatal(err)
		}
		state, err := s.complete(t.Context(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		em, emv, err := s.components(t.Context(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		from := 0
		for v, n := range w.sizes {
			var e, b, o, z, c, pc, pz float64
			for i := range w.y.Rows {
				best, self := w.optimum(t, i, hidden, func(int) bool { return true }), w.optimum(t, i, hidden, func(u int) bool { return u == v })
				for k := range n {
					if hidden(i, v, k) {
						truth := w.truth.At(i, from+k)
						e += sq(state.y[v].At(i, k) - truth)
						z += sq(state.y[v].At(i, k)-truth) / (state.variance[v].At(i, k))
						pc += sq(em[v].At(i, k) - truth)
						pz += sq(em[v].At(i, k)-truth) / emv[v].At(i, k)
						b += sq(best[from+k] - truth)
						o += sq(self[from+k] - truth)
						c++
					}
				}
			}
			t.Logf("seed %d view %d: joint %.3f (z² %.2f) components %.3f (%.2f) best %.3f best alone %.3f; %s", seed, v, math.Sqrt(e/c), z/c, math.Sqrt(pc/c), pz/c, math.Sqrt(b/c), math.Sqrt(o/c), s.views[v].config.Residual.Kernel.Kind)
			from += n
		}
	}
}
