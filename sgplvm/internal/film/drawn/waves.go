package drawn

import (
	"math"
	"math/rand/v2"
)

// Waves are a texture that goes on below the pixels of training: size, both frequencies in pixels twice as fine, phase.
type Waves [][4]float64

// NewWaves draws waves of lengths from shortest to longest, in pixels twice as fine.
func NewWaves(rng *rand.Rand, shortest, longest float64) (all Waves) {
	for range 60 {
		k, turn := 2*math.Pi/(shortest*math.Pow(longest/shortest, rng.Float64())), 2*math.Pi*rng.Float64()
		all = append(all, [4]float64{40, k * math.Cos(turn), k * math.Sin(turn), 2 * math.Pi * rng.Float64()})
	}
	return all
}

// At returns the mean over a pixel of the given side around a point.
func (w Waves) At(x, y, side float64) float64 {
	mean := func(k float64) float64 {
		if k *= side / 2; k != 0 {
			return math.Sin(k) / k
		}
		return 1
	}
	sum := 1280.0
	for _, v := range w {
		sum += v[0] * mean(v[1]) * mean(v[2]) * math.Sin(v[1]*x+v[2]*y+v[3])
	}
	return sum
}
