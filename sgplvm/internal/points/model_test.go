package points

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// F is what the training examples' predictions vary by, and a fast model leaves little of it out, but nothing of its diagonal.
func TestFitted(t *testing.T) {
	for seed := range uint64(20) {
		slow, fast := twins(t, seed)
		for _, m := range []*Model{slow, fast} {
			n, k := m.c.Points, m.c.Examples
			psi1, centre := mat.New(k, m.c.Inducing), mat.New(1, m.c.Inducing)
			m.stats.Psi1(psi1, psi.Q{Mu: m.mu, S: m.s})
			for i := range k {
				for j, v := range psi1.Row(i) {
					centre.Data[j] += v / float64(k)
				}
			}
			for i := range k {
				for j, v := range centre.Data {
					psi1.Row(i)[j] -= v
				}
			}
			f, trace, left := mat.New(n, n), 0.0, 0.0
			for _, p := range m.p {
				mean := mat.New(k, n)
				mat.Mul(mean, 1, psi1, p.T(), 0)
				mat.Mul(f, 1/float64(k*m.c.Channels), mean.T(), mean, 1)
			}
			for i := range n {
				trace += f.At(i, i)
				left += m.unfitted[i]
			}
			most := 1e-10 * trace
			if m == fast {
				most = minFitted / m.c.Beta * float64(n)
			}
			if !(left <= most) || len(m.fitted) > k*m.c.Channels {
				t.Errorf("seed %d: %v of %v is left out, with %d rows of %d examples", seed, left, trace, len(m.fitted), k)
			}
			for i := range n {
				for j := range n {
					got := 0.0
					for _, row := range m.fitted {
						got += row[i] * row[j]
					}
					allowed := 1e-10*trace + math.Sqrt(m.unfitted[i]*m.unfitted[j])
					if i == j {
						got, allowed = got+m.unfitted[i], 1e-12*trace
					}
					if want := f.At(i, j); !(math.Abs(got-want) <= allowed) {
						t.Errorf("seed %d: F at %d, %d is %v, want %v", seed, i, j, got, want)
					}
				}
			}
		}
	}
}

// A sketch infers from observed values alone, evenly among those of a channel, 256 at most and half of that at least.
func TestThin(t *testing.T) {
	const n, dy = 1500, 2
	w := &Workspace{m: &Model{c: &Contents{Points: n, Channels: dy}}}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		values, some, part := make([]float64, n*dy), make([]float64, n*dy), rng.Float64()
		for i := range values {
			if values[i] = math.NaN(); rng.Float64() < part {
				values[i] = rng.NormFloat64()
			}
		}
		for c := range dy {
			w.thin(some, values, c)
			observed, taken, since := 0, 0, 0
			for i := c; i < len(values); i += dy {
				if some[i] == some[i] {
					taken, since = taken+1, 0
					if some[i] != values[i] {
						t.Errorf("seed %d: value %d is %v, expected %v", seed, i, some[i], values[i])
					}
				} else if values[i] == values[i] {
					since++
				}
				if values[i] == values[i] {
					observed++
				}
				if since > n/sketchSeen {
					t.Fatalf("seed %d: %d values in a row are left out", seed, since)
				}
			}
			if taken > sketchSeen || taken < min(observed, sketchSeen/2) {
				t.Errorf("seed %d: %d of %d values", seed, taken, observed)
			}
		}
	}
}
