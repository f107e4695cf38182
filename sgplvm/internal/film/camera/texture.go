package main

import (
	"math"
	"math/rand/v2"
)

// A texture is contents at all scales, in colour: a sum of octaves, each smooth between random values at the corners of cells half as wide as those of the octave above, with half of its energy.
// That is about what videos have (docs/measurements.md, 13.19). Its values have mean 0 and variance 1, and channels have 0.64 of that in common.
type texture [octaves][][channels]float32 // values at the corners

// widest is the width of the widest cells, in pixels of the finer film; those of the last octave are half a pixel wide. corners is after how many of them a texture repeats itself.
const (
	channels = 3
	octaves  = 8
	widest   = 64
	corners  = 256
)

// newTexture draws one. The deviation of an octave's corners is that of uniform numbers from −1 to 1, √⅓, scaled to its share of the energy.
func newTexture(seed uint64) *texture {
	t, rng := new(texture), rand.New(rand.NewPCG(seed, 0x74657874757265))
	var energy float64
	for o := range octaves {
		energy += math.Exp2(-float64(o))
	}
	const smooth = 26. / 35 // the mean of (1 − a)² + a² across a cell, as cellOf smooths: what is between corners varies less
	for o := range octaves {
		deviation := math.Sqrt(3*math.Exp2(-float64(o))/energy) / smooth
		uniform := func() float64 { return deviation * (2*rng.Float64() - 1) }
		t[o] = make([][channels]float32, corners*corners)
		for k := range t[o] {
			common := 0.8 * uniform()
			for c := range t[o][k] {
				t[o][k][c] = float32(common + 0.6*uniform())
			}
		}
	}
	return t
}

// add adds the values at a point, in pixels of the finer film.
func (t *texture) add(to *[channels]float64, x, y float64) {
	cell := float64(widest)
	for o := range t {
		i, a := cellOf(x / cell)
		j, b := cellOf(y / cell)
		at := [4]int{j*corners + i, j*corners + (i+1)%corners, (j+1)%corners*corners + i, (j+1)%corners*corners + (i+1)%corners}
		parts := [4]float64{(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b}
		for n, k := range at {
			for c, v := range &t[o][k] {
				to[c] += parts[n] * float64(v)
			}
		}
		cell /= 2
	}
}

// cellOf returns the cell of a place, and how far it is through it, smoothed: 3a² − 2a³.
func cellOf(x float64) (cell int, part float64) {
	i := math.Floor(x)
	a := x - i
	return int(i) & (corners - 1), a * a * (3 - 2*a)
}
