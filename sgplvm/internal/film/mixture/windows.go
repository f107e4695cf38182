package mixture

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// What two frames differ by tells little at one pixel. It is the mean over a window, in units of the channels' mean variance.

// windowReach is how far a window reaches from its middle, in pixels of training.
const windowReach = 2

// windowMeans returns the means over the window around each pixel, with the nearest pixel of an edge beyond it.
func windowMeans(m frame.Image[float64]) frame.Image[float64] {
	const part = 1. / (2*windowReach + 1)
	across, both := frame.NewImage[float64](m.Width, m.Height, m.Channels), frame.NewImage[float64](m.Width, m.Height, m.Channels)
	mat.Parallel(m.Height, func(y int) {
		row, to := m.Row(y), across.Row(y)
		for x := range m.Width {
			for o := x - windowReach; o <= x+windowReach; o++ {
				k := min(max(o, 0), m.Width-1) * m.Channels
				for c, v := range row[k : k+m.Channels] {
					to[x*m.Channels+c] += part * v
				}
			}
		}
	})
	mat.Parallel(m.Height, func(y int) {
		to := both.Row(y)
		for o := y - windowReach; o <= y+windowReach; o++ {
			for k, v := range across.Row(min(max(o, 0), m.Height-1)) {
				to[k] += part * v
			}
		}
	})
	return both
}

// meanVariance returns the mean of the channels' variances over all frames, in the units of the pictures.
func meanVariance(f *training.Frames) float64 {
	type key struct{}
	return training.Kept(f.Cache, key{}, func() (mean float64) {
		for _, v := range f.Variances() {
			mean += v / frame.Square(f.Step) / float64(f.Channels)
		}
		return max(mean, detail.LeastScale)
	})
}
