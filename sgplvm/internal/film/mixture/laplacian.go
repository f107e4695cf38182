package mixture

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// LeastScale is the least variance or energy, of a channel or of detail, that is divided by.
const LeastScale = 1e-12

// laplacianEnergy returns the energy of the Laplacian of a picture, how much it bends, at each pixel and in each channel, in squared units of the values: the square of how far the pixel is from the mean of the four
// beside it, smoothed. Pictures go on beyond their edges mirrored about their outermost pixels, as splines do:
// lines along the edges, which cameras and codecs leave, bend as others do.
func laplacianEnergy(m frame.Image[float64]) frame.Image[float64] {
	bent, n := frame.NewImage[float64](m.Width, m.Height, m.Channels), m.Channels
	mat.Parallel(m.Height, func(y int) {
		above, under := adjacent(y, m.Height)
		to, row, over, below := bent.Row(y), m.Row(y), m.Row(above), m.Row(under)
		for x := range m.Width {
			left, right := adjacent(x, m.Width)
			for c := range n {
				k := x*n + c
				to[k] = frame.Square(row[k] - (row[left*n+c]+row[right*n+c]+over[k]+below[k])/4)
			}
		}
	})
	return smoothed(bent)
}

// smoothed returns means over 3×3 pixels that count 1, 2 and 1 times each way, of a picture that goes on mirrored about its outermost pixels.
func smoothed(m frame.Image[float64]) frame.Image[float64] {
	across, means, n := frame.NewImage[float64](m.Width, m.Height, m.Channels), frame.NewImage[float64](m.Width, m.Height, m.Channels), m.Channels
	mat.Parallel(m.Height, func(y int) {
		to, row := across.Row(y), m.Row(y)
		for x := range m.Width {
			left, right := adjacent(x, m.Width)
			for c := range n {
				to[x*n+c] = row[left*n+c]/4 + row[x*n+c]/2 + row[right*n+c]/4
			}
		}
	})
	mat.Parallel(m.Height, func(y int) {
		above, under := adjacent(y, m.Height)
		to, row, over, below := means.Row(y), across.Row(y), across.Row(above), across.Row(under)
		for k := range to {
			to[k] = over[k]/4 + row[k]/2 + below[k]/4
		}
	})
	return means
}

// beside returns the places before and after one of n, mirrored at the ends.
func adjacent(k, n int) (before, after int) {
	return frame.Mirror(k-1, n), frame.Mirror(k+1, n)
}
