package training

import "testing"

// Whichever of noise and floor is open makes room for the other.
func TestNoiseAbove(t *testing.T) {
	for _, c := range []struct{ noise, floor, fromNoise, fromFloor, wantNoise, wantFloor float64 }{
		{0, 0, 0, 0, 0, 0},
		{0, 0, 0.2, 0.1, 0.2, 0.1},
		{0, 0, 0, 1e-8, 0, 1e-8},
		{0.3, 0, 0.2, 0.1, 0.3, 0.1},
		{1e-10, 0, 0, 1e-8, 1e-10, 0.5e-10},
		{0.05, 0, 0.2, 0.1, 0.05, 0.025},
		{0, 0.4, 0, 0, 0.7, 0.4},
		{0, 0.4, 0.2, 0.1, 0.7, 0.4},
		{0, 0.02, 0, 0, 0.04, 0.02},
		{0, -1, 0.2, 0.1, 0.2, -1},
		{0.1, 0.2, 0, 0, 0.1, 0.2}, // a contradiction that stays
	} {
		noise, floor := noiseAbove(c.noise, c.floor, Settings{Noise: c.fromNoise, NoiseFloor: c.fromFloor})
		if noise != c.wantNoise || floor != c.wantFloor {
			t.Errorf("%+v: noise %v, floor %v", c, noise, floor)
		}
	}
}
