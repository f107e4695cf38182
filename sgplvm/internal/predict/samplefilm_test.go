package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A frame of a film that is drawn along a certain path has the moments of a field that is drawn by itself, and
// where the path comes back to a point at the same time the field is the same again.
func TestSampleFilmMoments(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	count := 1500
	if testing.Short() {
		count = 400
	}
	for seed := range uint64(9) {
		shape := samplingShape(48000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 61))
		at := &data.Instant{}
		latents := []field.Latent{randomLatent(rng, shape.Latent), randomLatent(rng, shape.Latent), {}}
		for i := range latents[:2] {
			clear(latents[i].S)
			latents[i].At = at
		}
		latents[2] = latents[0]
		path := mat.New(3, shape.Latent)
		for i, l := range latents {
			copy(path.Row(i), l.Mu)
		}
		on := m.projection(m.samplingGrids(rng)[seed%4])
		s, err := on.sampler()
		if err != nil {
			t.Fatal(err)
		}
		for _, noise := range []bool{false, true} {
			samples := make([][][]float64, 2)
			for draw := range count {
				y, err := s.drawFilm(t.Context(), path, latents, field.SampleOptions{Seed: seed, Noise: noise}, draw)
				if err != nil {
					t.Fatal(err)
				}
				for i := range samples {
					samples[i] = append(samples[i], y[0].Row(i))
				}
				for k, v := range y[0].Row(0) {
					if d := math.Abs(v - y[0].At(2, k)); !noise && !(d < 1e-4) {
						t.Fatalf("%v: point %d differs by %v where the path comes back", shape, k, d)
					}
				}
			}
			for i, all := range samples {
				mean, cov, err := m.PredictCovariance(latents[i], on.grid)
				if noise {
					mean, cov, err = m.PredictDataCovariance(latents[i], on.grid)
				}
				if err != nil {
					t.Fatal(err)
				}
				want, scale := make([]float64, mean.Rows), m.scaler.Scale[0]
				for k := range want {
					want[k] = (mean.At(k, 0) - m.scaler.Mean[0]) / scale
				}
				moments5(t, fmt.Sprintf("%v, frame %d, noise %v", shape, i, noise), all, want, scaled(cov[0], 1/(scale*scale)))
			}
		}
	}
}
