package points

import (
	"math"
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
				most = minFitted * trace
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
