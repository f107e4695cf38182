package main

import (
	"math"
	"math/rand/v2"
	"sync"
)

// Of all films.
const (
	width, height = 320, 192
	frames        = 20
	across        = 4 // samples of a pixel each way

	middle, contrast = 127, 38 // grey levels of a texture's mean and deviation
)

// A scene tells which texture a camera sees at the point (x, y) of a frame, in its pixels, and where on that.
type scene func(t, x, y float64) (texture int, u, v float64)

// A film is a scene, and the deviation of the noise that each pixel has besides, in grey levels.
type film struct {
	scene scene
	noise float64
}

var films = map[string]film{
	"rotation": {scene: turning(0.03)},
	"spin":     {scene: turning(0.1)},
	"zoom": {scene: func(t, x, y float64) (int, float64, float64) {
		s := math.Pow(1.03, t-frames/2)
		return 0, s * (x - width/2), s * (y - height/2)
	}},
	"layers": {scene: func(t, x, y float64) (int, float64, float64) {
		if math.Hypot(x-90-7.2*t, y-70-2.5*t) < 42 {
			return 1, x - 7.2*t, y - 2.5*t
		}
		return 0, x + 2.3*t, y + 0.7*t
	}},
	"cut": {scene: func(t, x, y float64) (int, float64, float64) {
		if t < 9 {
			return 0, x + 2.3*t, y + 1.1*t
		}
		return 1, x + 2.3*t, y + 1.1*t
	}},
	"noise": {scene: func(t, x, y float64) (int, float64, float64) { return 0, x + 2.3*t, y + 1.1*t }, noise: 5},
}

// turning turns the picture about its middle, by an angle from frame to frame.
func turning(angle float64) scene {
	return func(t, x, y float64) (int, float64, float64) {
		s, c := math.Sincos(angle * t)
		return 0, c*(x-width/2) - s*(y-height/2), s*(x-width/2) + c*(y-height/2)
	}
}

// high draws the first count frames of the finer film, in grey levels: frame by frame, row by row, the channels of a pixel together.
func (f film) high(textures []*texture, count int) []uint8 {
	values := make([]uint8, count*width*height*channels)
	var all sync.WaitGroup
	for t := range count {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(t), 0x6e6f697365))
			for p := range width * height {
				seen := f.pixel(textures, float64(t), p%width, p/width)
				for c, v := range seen {
					v = middle + contrast*v
					if f.noise > 0 {
						v += f.noise * rng.NormFloat64()
					}
					values[(t*width*height+p)*channels+c] = uint8(min(max(math.Round(v), 0), 255))
				}
			}
		})
	}
	all.Wait()
	return values
}

// pixel returns the mean over a pixel.
func (f film) pixel(textures []*texture, t float64, x, y int) (mean [channels]float64) {
	for k := range across * across {
		i, u, v := f.scene(t, float64(x)+(float64(k%across)+0.5)/across, float64(y)+(float64(k/across)+0.5)/across)
		textures[i].add(&mean, u, v)
	}
	for c := range mean {
		mean[c] /= across * across
	}
	return mean
}

// halved returns the means over 2×2 pixels, rounded, of all frames.
func halved(high []uint8) []uint8 {
	low := make([]uint8, len(high)/4)
	for k := range low {
		c, x, row := k%channels, k/channels%(width/2), k/channels/(width/2)
		at := (2*row*width+2*x)*channels + c
		low[k] = uint8((int(high[at]) + int(high[at+channels]) + int(high[at+width*channels]) + int(high[at+(width+1)*channels]) + 2) / 4)
	}
	return low
}
