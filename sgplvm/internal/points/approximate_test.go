package points

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// twins returns a model with features of signal and noise, and what is made of it to be fast.
func twins(t *testing.T, seed uint64) (slow, fast *Model) {
	t.Helper()
	c, d := contents(6*seed+3, true), contents(6*seed+3, true)
	for i := range c.Coord { // inducing points that tell less than all there is
		c.Coord[i] *= 0.1
		d.Coord[i] *= 0.1
	}
	d.Approximate(Float64)
	if len(d.Shapes) == 0 || len(d.Factors) > 0 {
		t.Fatal("no shapes")
	}
	models := make([]*Model, 2)
	for k, c := range []*Contents{c, d} {
		m, err := open(encoded(c, Float64))
		if err != nil {
			t.Fatal(err)
		}
		models[k] = m
	}
	return models[0], models[1]
}

// Covariances, variances and L* of a fast model are nearly those of features, at posteriors like those of training.
func TestApproximate(t *testing.T) {
	for seed := range uint64(20) {
		slow, fast := twins(t, seed)
		var covariances [2]mat.Matrix
		var variances [2][]float64
		var bounds [2]float64
		seen := []int{0, 2, 3, 5}
		for n := range slow.c.Examples {
			for k, m := range []*Model{slow, fast} {
				w := m.NewWorkspace(0)
				values, mask := make([]float64, m.values()), make([]bool, m.values())
				for _, i := range seen {
					mask[i*m.c.Channels] = true
				}
				w.observe(values, mask)
				if err := w.setEvidence(); err != nil {
					t.Fatal(err)
				}
				bounds[k] = w.evidence.At(&w.optimiser.Scratch, m.mu.Row(n), m.s.Row(n), nil, nil)
				w.setMoments(m.mu.Row(n), m.s.Row(n))
				covariances[k] = mat.New(len(seen), len(seen))
				if k == 0 {
					w.setNoise(covariances[k], seen, seen, true)
					w.addObserved(covariances[k], seen)
					for i := range seen {
						covariances[k].Row(i)[i] += 1 / m.c.Beta
					}
				} else {
					w.setShaped(covariances[k], mat.New(len(seen), 0), seen, nil)
				}
				variances[k] = make([]float64, m.c.Points)
				w.setFeatureVariance(variances[k], m.points)
			}
			if d := math.Abs(bounds[0] - bounds[1]); !(d < 0.3) {
				t.Errorf("seed %d, example %d: L* is %v, of features %v", seed, n, bounds[1], bounds[0])
			}
			for i := range seen {
				for j := range i + 1 {
					want, got := covariances[0].At(i, j), covariances[1].At(i, j)
					if size := math.Sqrt(covariances[0].At(i, i) * covariances[0].At(j, j)); !(math.Abs(got-want) < 0.05*size) {
						t.Errorf("seed %d, example %d: covariance %d, %d is %v, of features %v", seed, n, i, j, got, want)
					}
				}
			}
			for i, want := range variances[0] {
				if noise := slow.structure.pair(i, i) + 1/slow.c.Beta; !(math.Abs(variances[1][i]-want) < 0.05*(want+noise)) {
					t.Errorf("seed %d, example %d: variance %d is %v, of features %v", seed, n, i, variances[1][i], want)
				}
			}
		}
	}
}

// Variances and those of the noise are the diagonal of covariances.
func TestShapedVariance(t *testing.T) {
	_, m := twins(t, 1)
	w := m.NewWorkspace(0)
	w.setMoments(m.mu.Row(1), m.s.Row(1))
	covariance, variance := mat.New(m.c.Points, m.c.Points), make([]float64, m.c.Points)
	w.setShaped(covariance, mat.New(m.c.Points, 0), m.points, nil)
	w.setShapedVariance(variance, m.points)
	for i, want := range variance {
		want += m.structure.pair(i, i) + 1/m.c.Beta // the noise
		if got := covariance.At(i, i); !(math.Abs(got-want) < 1e-13*want) {
			t.Errorf("point %d: %v, expected %v", i, got, want)
		}
	}
}

// Sums are not negative, whatever the latent variables.
func TestAmounts(t *testing.T) {
	for seed := range uint64(20) {
		_, m := twins(t, seed)
		w := m.NewWorkspace(0)
		rng := rand.New(rand.NewPCG(seed, 3))
		for range 10 {
			w.setMoments([]float64{9 * rng.NormFloat64(), 9 * rng.NormFloat64()}, []float64{rng.ExpFloat64(), rng.ExpFloat64()})
			for _, lambda := range m.c.Lambda {
				sum, size := w.moments.amounts[0], math.Abs(w.moments.amounts[0])
				for r, bend := range m.c.Bends {
					v := w.moments.amounts[1+r] * bent(lambda, bend)
					sum, size = sum+v, size+math.Abs(v)
				}
				if sum < -1e-12*size {
					t.Errorf("seed %d: %v at the eigenvalue %v", seed, sum, lambda)
				}
			}
		}
	}
}

// Σ of small eigenvalues keeps the digits that they need.
func TestQuantizeed(t *testing.T) {
	for _, c := range []struct {
		distance float64
		kind     Type
	}{{2, Float16}, {0.05, Float32}, {1e-6, Float64}} {
		sigma := mat.New(20, 20)
		for i := range 20 {
			for j := range 20 {
				sigma.Set(i, j, math.Exp(-math.Abs(float64(i-j))*c.distance)*(1+0.1*math.Sin(float64(i))*math.Sin(float64(j))))
			}
			sigma.Row(i)[i] += 0.1 * c.distance
		}
		model := &Contents{Beta: 1e12}
		if got := model.quantized(NewLowerTable(sigma)); got.kind != c.kind {
			t.Errorf("at the distance %v type %d, expected %d", c.distance, got.kind, c.kind)
		}
	}
}

// What is kept of a mask changes no bit.
func TestHeld(t *testing.T) {
	for seed := range uint64(8) {
		m, err := open(encoded(contents(seed, seed > 0), Float64))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 4))
		w := m.NewWorkspace(0)
		masks := make([][]bool, 2)
		for k := range masks {
			masks[k] = make([]bool, m.values())
			for i := range masks[k] {
				masks[k][i] = (i/m.c.Channels+k)%3 > 0
			}
		}
		for _, k := range []int{0, 0, 1, 1, 0} {
			values := make([]float64, m.values())
			for i := range values {
				values[i] = rng.NormFloat64()
			}
			var results [2][]float64
			for which, w := range []*Workspace{w, m.NewWorkspace(0)} {
				dst, variance := make([]float64, len(values)), make([]float64, len(values))
				if err := w.fill(dst, variance, values, masks[k]); err != nil {
					t.Fatal(err)
				}
				results[which] = append(append(dst, variance...), w.Latent().Mu...)
			}
			if !slices.Equal(results[0], results[1]) {
				t.Errorf("seed %d: another result after examples of the same mask", seed)
			}
		}
	}
}

// Of many examples the heaviest count, and their shares are those of all.
func TestHeaviest(t *testing.T) {
	m, err := open(encoded(contents(1, true), Float64))
	if err != nil {
		t.Fatal(err)
	}
	m.c.Options.MaxExamples = 2
	w := m.NewWorkspace(0)
	copy(w.weights, []float64{0.1, 0.5, 0.3, 0.1})
	o := &ownNoise{rows: []int{0, 1, 2, 3}}
	if part := w.keepHeaviest(o); !slices.Equal(o.rows, []int{1, 2}) || math.Abs(part-0.8) > 1e-15 {
		t.Errorf("rows %v, %v of the weights", o.rows, part)
	}
}

// What a fast model makes in rows of all points, and keeps, is what others make of the pairs that are asked for.
func TestShapedNoise(t *testing.T) {
	for seed := range uint64(10) {
		slow, fast := twins(t, seed)
		for _, seen := range [][]int{{0, 2, 3, 5}, {4}} { // most points, and few
			missing := []int{1}
			mask := make([]bool, slow.values())
			for _, i := range seen {
				mask[i*slow.c.Channels], mask[i*slow.c.Channels+1] = true, true
			}
			var all [2][]mat.Matrix
			for k, m := range []*Model{slow, fast} {
				w := m.NewWorkspace(0)
				w.observe(make([]float64, m.values()), mask)
				w.setDistances()
				add := func() {
					coo := w.observedCovariance(0, seen, missing).Clone()
					for i := range seen {
						clear(coo.Row(i)[i+1:])
					}
					all[k] = append(all[k], coo, w.crossCovariance(seen, missing, 0, 1).Clone())
				}
				w.setMoments(m.mu.Row(1), m.s.Row(1))
				w.moments.own = w.setLocal()
				add()
				w.moments.own, w.moments.latent = w.setSimilar(&m.c.Options.Blends[0], w.distances, m.points), false
				add()
			}
			for k, want := range all[0] {
				part, left := 1e-10, fast.c.Options.Blends[0].Shrinkage*asm.MaxAbs(fast.unfitted) // of F
				if k < 2 {
					part = 0.05 // sums of a few matrices
				}
				got := all[1][k]
				mat.Add(got, got, -1, want)
				size := max(asm.MaxAbs(want.Data), asm.MaxAbs(all[0][k/2*2].Data))
				for i := range seen {
					if off := math.Abs(got.At(i, min(i, got.Cols-1))); k%2 == 0 && !(off <= part*size) {
						t.Errorf("seed %d, %d observed, matrix %d: variance %d is off by %v, of %v", seed, len(seen), k, i, off, size)
					}
				}
				if off := asm.MaxAbs(got.Data); !(off <= part*size+left) {
					t.Errorf("seed %d, %d observed, matrix %d: off by %v, of %v", seed, len(seen), k, off, size)
				}
			}
		}
	}
}

// How many points' covariances are made at once changes no more than rounding.
func TestBlocksOfRows(t *testing.T) {
	usual := noiseRows
	defer func() { noiseRows = usual }()
	for seed := range uint64(12) {
		for _, fast := range []bool{false, true} {
			var want []float64
			for _, rows := range []int{usual, 1, 2, 4} {
				noiseRows = rows
				m, faster := twins(t, seed)
				if fast {
					m = faster
				}
				rng, w := rand.New(rand.NewPCG(seed, 3)), m.NewWorkspace(0)
				var got []float64
				for range 4 {
					values, seen, mean, variance := make([]float64, m.values()), make([]bool, m.values()), make([]float64, m.values()), make([]float64, m.values())
					for i := range values {
						values[i], seen[i] = rng.NormFloat64(), rng.IntN(3) > 0
					}
					if err := w.fill(mean, variance, values, seen); err != nil {
						t.Fatalf("seed %d, %d rows at once: %v", seed, rows, err)
					}
					got = slices.Concat(got, mean, variance)
				}
				if want == nil {
					want = got
				}
				for i, v := range want {
					if !(math.Abs(got[i]-v) <= 1e-6*(1+math.Abs(v))) {
						t.Fatalf("seed %d, fast %t, %d rows at once: number %d is %v, with many %v", seed, fast, rows, i, got[i], v)
					}
				}
			}
		}
	}
}

// Blocks of the noise in L* are those of a covariance that has nothing between them.
func TestNoiseBlocks(t *testing.T) {
	_, m := twins(t, 1)
	seen := []int{0, 1, 2, 4, 5}
	n := len(seen)
	for _, together := range []int{1, 2, 3, n} {
		w := m.NewWorkspace(0)
		w.held.together, w.held.noise = together, make([]chol.Factor, (n+together-1)/together)
		logDet, err := w.factorNoise(0, seen)
		if err != nil {
			t.Fatal(err)
		}
		sigma := mat.New(n, n)
		for k, i := range seen {
			for l, j := range seen {
				if k/together == l/together {
					sigma.Set(k, l, m.structure.pair(i, j))
				}
			}
			sigma.Row(k)[k] += 1 / m.c.Beta
		}
		factor, err := chol.Factorize(sigma)
		if err != nil {
			t.Fatal(err)
		}
		if want := factor.LogDet(); !(math.Abs(logDet-want) <= 1e-12*(1+math.Abs(want))) {
			t.Errorf("blocks of %d: log determinant %v, want %v", together, logDet, want)
		}
		inverse := mat.New(n, n)
		factor.Inverse(inverse)
		for r := range m.c.Shapes {
			var want float64
			for k, i := range seen {
				for l, j := range seen {
					want += inverse.At(k, l) * m.c.Shapes[r].pair(i, j)
				}
			}
			if got := w.held.traces[1+r]; !(math.Abs(got-want) <= 1e-11*math.Abs(want)) {
				t.Errorf("blocks of %d: trace %v, want %v", together, got, want)
			}
		}
		got, want := mat.New(n, 2), mat.New(n, 2)
		for i := range got.Data {
			got.Data[i] = math.Cos(float64(i))
			want.Data[i] = got.Data[i]
		}
		w.held.whiten(got)
		factor.SolveHalf(want)
		for i, v := range want.Data {
			if !(math.Abs(got.Data[i]-v) <= 1e-12*(1+math.Abs(v))) {
				t.Errorf("blocks of %d: number %d whitened is %v, want %v", together, i, got.Data[i], v)
			}
		}
	}
}
