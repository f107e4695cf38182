package opticalflow

// The refinement gives up what is small and moves far by itself: to follow it costs more along its outline than it brings inside. So what patches have found is kept where it fits far better,
// and where the patches of the other picture have found the way back.

// Of what is kept: by how many pixels it is apart from the refined flow at least; how far there and back may be apart, in pixels and as a part of the displacement, both
// standard deviations; how many times less it must miss in the pixels around, as far as keepReach, and what the refined flow must miss there at least, as a mean square and as a part of the variance.
const (
	keepApart             = 1
	keepSpread, keepShare = 0.25, 0.025
	keepReach             = 2
	keepTimes             = 4
	keepLeast, keepPart   = 0.01, 0.25
)

// keep sets a refined flow to what patches have found where that was given up; back is what they have found the other way.
func keep(a, b Picture, found, back, f Flow) {
	given := found.givenUp(&back, f)
	if len(given) == 0 {
		return
	}
	before, after := nearby(a.Width, a.Height, found.misfits(a, b)), nearby(a.Width, a.Height, f.misfits(a, b))
	squares := make([]float32, len(a.Pixels))
	for k, v := range a.Pixels {
		squares[k] = float32(v * v)
	}
	mean, square := nearby(a.Width, a.Height, a.Pixels), nearby(a.Width, a.Height, squares)
	for _, k := range given {
		if variance := square[k] - float32(mean[k]*mean[k]); after[k] > max(keepLeast, keepTimes*before[k], keepPart*variance) {
			f.Right[k], f.Down[k] = found.Right[k], found.Down[k]
		}
	}
}

// givenUp returns the pixels of which a refined flow is apart from what was found, inside the second picture, there and back.
func (f Flow) givenUp(back *Flow, refined Flow) (pixels []int) {
	for k, u := range f.Right {
		du, dv := u-refined.Right[k], f.Down[k]-refined.Down[k]
		if float32(du*du)+float32(dv*dv) < keepApart*keepApart {
			continue
		}
		if apart, moved, inside := f.Return(back, k); inside && apart <= keepSpread*keepSpread+float64(keepShare*keepShare*moved) {
			pixels = append(pixels, k)
		}
	}
	return pixels
}

// misfits returns the squared differences of what two pictures show along a flow.
func (f Flow) misfits(a, b Picture) []float32 {
	squares := make([]float32, len(a.Pixels))
	for k, v := range a.Pixels {
		d := b.at(float32(k%a.Width)+f.Right[k], float32(k/a.Width)+f.Down[k]) - v
		squares[k] = float32(d * d)
	}
	return squares
}

// nearby returns the means of values over the pixels as far as keepReach each way.
func nearby(width, height int, v []float32) []float32 {
	rows, means := make([]float32, len(v)), make([]float32, len(v))
	mean := func(dst, src []float32, first, step, at, n int) {
		var sum float32
		from, to := max(at-keepReach, 0), min(at+keepReach, n-1)
		for i := from; i <= to; i++ {
			sum += src[first+i*step]
		}
		dst[first+at*step] = sum / float32(to-from+1)
	}
	for y := range height {
		for x := range width {
			mean(rows, v, y*width, 1, x, width)
		}
	}
	for y := range height {
		for x := range width {
			mean(means, rows, x, width, y, height)
		}
	}
	return means
}
