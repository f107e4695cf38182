package points

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// precisionOf returns the inverse of the part of a covariance that has some rows and columns, with zeros elsewhere.
func precisionOf(t *testing.T, covariance mat.Matrix, rows []int) mat.Matrix {
	t.Helper()
	part, inverse := mat.New(len(rows), len(rows)), mat.New(covariance.Rows, covariance.Rows)
	for k, i := range rows {
		for l, j := range rows {
			part.Set(k, l, covariance.At(i, j))
		}
	}
	all := mat.Identity(len(rows))
	w := new(Workspace)
	if err := w.factor.Refactorize(part); err != nil {
		t.Fatal(err)
	}
	w.factor.Solve(all)
	for k, i := range rows {
		for l, j := range rows {
			inverse.Set(i, j, all.At(k, l))
		}
	}
	return inverse
}

// randomCovariance returns one of n variables.
func randomCovariance(rng *rand.Rand, n int) mat.Matrix {
	root, c := mat.New(n, 2*n), mat.New(n, n)
	for k := range root.Data {
		root.Data[k] = rng.NormFloat64()
	}
	mat.Mul(c, 1/float64(n), root, root.T(), 0)
	return c
}

// The farthest patch is that of a search through all discs around all values by their definition, and what is left of C⁻¹ without some values is the inverse of the covariance of the others.
func TestPatches(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		const n = 30
		w := scattered(rng, n)
		w.room.block = make([]int, 0, n)
		var seen, all []int
		for i := range n {
			if rng.IntN(4) > 0 {
				all, seen = append(all, len(seen)), append(seen, i)
			}
		}
		size := len(seen)
		covariance := randomCovariance(rng, size)
		residual := make([]float64, size)
		for k := range residual {
			residual[k] = rng.NormFloat64()
		}
		precision, solved := precisionOf(t, covariance, all), make([]float64, size)
		mat.Mul(mat.Vector(solved), 1, precision, mat.Vector(residual), 0)
		most := 1 + rng.IntN(size)
		var want float64
		for _, centre := range seen {
			for reach := range 200 { // of the squared distance
				var sum, variance float64
				var in []int
				for l, i := range seen {
					var far float64
					for q := range 3 {
						d := w.m.spacings.x.At(q, i) - w.m.spacings.x.At(q, centre)
						far += d * d
					}
					if far <= float64(reach) {
						in = append(in, l)
					}
				}
				for _, k := range in {
					sum += solved[k]
					for _, l := range in {
						variance += precision.At(k, l)
					}
				}
				if len(in) <= most {
					want = max(want, math.Abs(sum)/math.Sqrt(variance))
				}
			}
		}
		z, centre, count := w.farthestPatch(seen, solved, precision, most)
		compare.NearOne(t, fmt.Sprintf("seed %d: the farthest patch", seed), z, want, 1e-10)
		for _, k := range append([]int{}, w.around(seen, centre, count)...) {
			w.leaveOut(k, solved, precision)
			for l, i := range all {
				if i == k {
					all = append(append([]int{}, all[:l]...), all[l+1:]...)
					break
				}
			}
		}
		without, left := precisionOf(t, covariance, all), make([]float64, size)
		mat.Mul(mat.Vector(left), 1, without, mat.Vector(residual), 0)
		compare.Near(t, fmt.Sprintf("seed %d: the others' residuals", seed), solved, left, 1e-9)
		compare.Near(t, fmt.Sprintf("seed %d: the others' precision", seed), precision.Data, without.Data, 1e-9)
	}
}

// What is predicted of values that are judged together has the covariance of each channel by itself, and between channels that of their means at latent variables drawn from the prior.
func TestJointCovariance(t *testing.T) {
	rng, c := rand.New(rand.NewPCG(1, 6)), contents(1, true)
	n, dy := c.Points, c.Channels
	w, m, v := New(c).NewWorkspace(0), []float64{0.3, -0.2}, []float64{0.5, 0.8}
	w.Observe(make([]float64, n*dy))
	w.setMoments(m, v)
	joint := w.modelCovariance(0, 1, w.judged(0)).Clone()
	for ch := range dy {
		own := w.modelCovariance(ch, dy, w.m.points)
		for i := range n {
			for j := range i + 1 {
				compare.NearOne(t, "a channel", joint.At(i*dy+ch, j*dy+ch), own.At(i, j), 1e-10)
			}
		}
	}
	const draws = 40000
	sampled, mean := mat.New(n*dy, n*dy), mat.New(n*dy, 1)
	for range draws {
		x := []float64{m[0] + math.Sqrt(v[0])*rng.NormFloat64(), m[1] + math.Sqrt(v[1])*rng.NormFloat64()}
		w.Predict(x, []float64{1e-12, 1e-12})
		of, _ := w.Result()
		values := mat.Vector(of.Data)
		mat.Syrk(sampled, 1./draws, values, 1)
		mat.Add(mean, mean, 1./draws, values)
	}
	mat.Syrk(sampled, -1, mean, 1)
	for k := range n * dy {
		for l := range k {
			if got, want := joint.At(k, l), sampled.At(k, l); k%dy != l%dy && math.Abs(got-want) > 0.05*math.Sqrt(joint.At(k, k)*joint.At(l, l)) {
				t.Errorf("values %d and %d: %v, drawn %v", k, l, got, want)
			}
		}
	}
}

// An example that counts in the second moments of innovations, of channels by themselves or of all values, is judged by those of the others: score, patch and suspects are those by the moments without it.
func TestCounted(t *testing.T) {
	for seed := range uint64(6) {
		for _, apart := range []bool{true, false} {
			counts(t, seed, apart)
		}
	}
}

func counts(t *testing.T, seed uint64, apart bool) {
	rng, c := rand.New(rand.NewPCG(seed, 5)), contents(1+3*seed, true)
	c.Calibration = []float64{1.5, 1.2, 0.7}
	all, groups := c.Points*c.Channels, 1
	if apart {
		groups = c.Channels
	}
	n := all / groups
	others, values, off, mean := randomCovariance(rng, n), make([]float64, all), make([]float64, all), make([]float64, c.Latents)
	variance := []float64{0.5, 0.8}
	for k := range values {
		if values[k] = 3 * rng.NormFloat64(); k%groups > 0 {
			values[k] = math.NaN()
		}
	}
	foresee := func(moments mat.Matrix, counted float64) Foresight {
		c.Innovations, c.Counted = NewLowerTable(moments), counted
		w := New(c).NewWorkspace(0)
		w.Observe(values)
		f, err := w.Foresee(off, mean, variance, Bounds{math.Inf(1), math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	want, with := foresee(others, 0), others.Clone()
	const counted = 0.3
	for i := range n {
		for j := range n {
			with.Set(i, j, with.At(i, j)+counted*off[i*groups]*off[j*groups])
		}
	}
	got := foresee(with, counted)
	compare.NearOne(t, "score", got.Score, want.Score, 1e-9)
	compare.NearOne(t, "scale", got.Scale, want.Scale, 1e-9)
	compare.NearOne(t, "patch", got.Patch, want.Patch, 1e-9)
}

// Few values that are far off are suspects, also those that only show once others are left out; where they are much of a channel, none is: that is a change. Too many patches leave suspects as they were.
func TestSuspects(t *testing.T) {
	const n = 60
	of := func(off []float64, most int, was bool) (count int, some bool) {
		w := scattered(rand.New(rand.NewPCG(1, 2)), n)
		w.suspects, w.before = make([]bool, n), make([]bool, n)
		w.room.block, w.room.row, w.room.z = make([]int, 0, n), make([]float64, n), make([]float64, n)
		w.suspects[n-1] = was
		precision, solved, seen := mat.Identity(n), make([]float64, n), make([]int, n)
		for k := range precision.Data { // noise, and all values shifted by any amount
			precision.Data[k] -= 1. / n
		}
		for k := range seen {
			seen[k] = k
			for l, v := range off {
				solved[k] += precision.At(k, l) * v
			}
		}
		_, left := w.suspect(seen, solved, precision, most, 5)
		some = left > 0
		for _, suspect := range w.suspects {
			if suspect {
				count++
			}
		}
		return count, some
	}
	many := make([]float64, 20)
	for k := range many {
		many[k] = 10 + float64(k)
	}
	for _, c := range []struct {
		off  []float64
		want int
	}{{nil, 0}, {[]float64{10, 11, 12}, 3}, {[]float64{200, -20, 200, -20, 200, 20}, 6}, {many, 0}} {
		if count, some := of(c.off, 1, false); count != c.want || some != (c.want > 0) {
			t.Errorf("%v off: %d suspects, %v", c.off, count, some)
		}
	}
	if count, some := of(many, 4, true); count != 1 || some {
		t.Errorf("too many patches: %d suspects, %v", count, some)
	}
}

// Of few values that three processes move, one that is far off is found, though all others are off by it too.
func TestSuspectOfFew(t *testing.T) {
	const n = 8
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		w := scattered(rng, n)
		w.suspects, w.before, w.room.block, w.room.row, w.room.z = make([]bool, n), make([]bool, n), make([]int, 0, n), make([]float64, n), make([]float64, n)
		covariance, seen, residual, loads := mat.Identity(n), make([]int, n), make([]float64, n), mat.New(n, 3)
		for k := range loads.Data {
			loads.Data[k] = 10 * rng.NormFloat64()
		}
		mat.Syrk(covariance, 1, loads, 1)
		mat.MirrorLower(covariance)
		for k := range seen {
			seen[k], residual[k] = k, rng.NormFloat64()
			for q := range 3 {
				residual[k] += 0.1 * float64(q) * loads.At(k, q)
			}
		}
		residual[3] += 40
		precision, solved := precisionOf(t, covariance, seen), make([]float64, n)
		mat.Mul(mat.Vector(solved), 1, precision, mat.Vector(residual), 0)
		if _, some := w.suspect(seen, solved, precision, 1, 5); some != 1 || !w.suspects[3] {
			t.Errorf("seed %d: suspects %v", seed, w.suspects)
		}
	}
}

// Where fewer than four values are observed, and the model says that a value has no variance but noise, the variance filled in is that of the noise.
func TestFilledInFarAway(t *testing.T) {
	c := &Contents{Partly: []float64{1, 2, 3}, Beta: 100}
	for _, v := range [][2]float64{{0.01, 0.03}, {0.009, 0.03}, {0.02, 1.03}} {
		if got := c.FilledIn(v[0], math.Inf(1)); !(math.Abs(got-v[1]) < 1e-12) {
			t.Errorf("variance %v: %v, expected %v", v[0], got, v[1])
		}
	}
}
