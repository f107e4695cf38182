package points

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// What training examples say of the noise is what they have at two points, times a Gaussian of the distance, and F.
func TestOwnNoise(t *testing.T) {
	usual := ownRows
	defer func() { ownRows = usual }()
	for seed := range uint64(8) {
		_, m := twins(t, seed)
		for _, ownRows = range []int{usual, 2} {
			for _, taper := range []float64{0.8, 3} {
				w := m.NewWorkspace(0)
				w.observe(make([]float64, m.values()), nil)
				w.setDistances()
				b := m.c.Options.Blends[0]
				b.Taper = taper
				w.setMoments(m.mu.Row(1), m.s.Row(1))
				w.moments.own = w.setSimilar(&b, w.distances, m.points)
				o, n := w.moments.own, m.c.Points
				all := w.ofExamples(w.room.near, w.room.fitted, m.points)
				got := mat.New(n, n)
				w.setOwnNoise(got, all, all, m.points, m.points, false)
				for i := range n {
					for j := range n {
						var square, near, fitted float64
						for q := range m.trainingSpacings.x.Rows {
							square += math.Pow(m.trainingSpacings.x.At(q, i)-m.trainingSpacings.x.At(q, j), 2)
						}
						for l := range all.residuals.Rows {
							near += all.residuals.At(l, i) * all.residuals.At(l, j)
						}
						for l := range all.fitted.Rows {
							fitted += all.fitted.At(l, i) * all.fitted.At(l, j)
						}
						if o.imputed != nil {
							near += o.imputed[i] * o.imputed[j] * m.c.Alike.pair(i, j)
						}
						want := near*math.Exp(-square/(taper*taper)) + b.Shrinkage*fitted
						if v := got.At(i, j); !(math.Abs(v-want) <= 1e-12*(1+math.Abs(want))) {
							t.Fatalf("seed %d, taper %v: %v between %d and %d, want %v", seed, taper, v, i, j, want)
						}
					}
				}
			}
		}
	}
}
