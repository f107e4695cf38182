package mixture

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// How paths are to be followed, whether they bend (bendslaw.go) and what frames along them are averaged (smoothinglaw.go), errors of left-out frames tell.

// pathFrames is about how many left-out frames tell it, pathPixels about how many pixels of each.
const pathFrames, pathPixels = 12, 1 << 15

// pathMoments returns the moments of the left-out frames that tell how paths are to be followed.
func pathMoments(m *motion.Motion) (some []motion.Moment) {
	var moments []motion.Moment
	examined := m.Examined(mostMixtureFrames)
	for _, s := range m.Sequences {
		if len(s.Examples) <= fewFrames {
			continue // nothing beside the two around it
		}
		for p := 1; p+1 < len(s.Examples); p++ {
			if i := s.Examples[p]; examined[i] {
				moments = append(moments, m.LeftOut(i))
			}
		}
	}
	n := min(len(moments), pathFrames)
	for k := range n {
		some = append(some, moments[(2*k+1)*len(moments)/(2*n)])
	}
	return some
}

// pathErrors returns the squared errors of an interpolation of a frame that is left out, at some of its pixels, over the variance of each channel.
func pathErrors(f *motion.Frames, x motion.Moment, path *dense, scale []float64) float64 {
	return sampledErrors(f, x.Without, scale, func(value, buffer []float64, x, y float64) { path.at(value, buffer, x, y) })
}

// sampledErrors returns the squared errors of what at says of a frame, at some of its pixels, over the variance of each channel. A buffer holds two numbers for each.
func sampledErrors(f *motion.Frames, of int, scale []float64, at func(value, buffer []float64, x, y float64)) (sum float64) {
	truth := f.Picture(of)
	stride := 1 + 2*(f.Width*f.Height/(2*pathPixels)) // odd, to meet columns of all kinds
	rows := make([]float64, f.Height)
	mat.Parallel(f.Height, func(y int) {
		value, buffer, sum := make([]float64, f.Channels), make([]float64, 2*f.Channels), 0.0
		for x := (stride - y*f.Width%stride) % stride; x < f.Width; x += stride {
			at(value, buffer, float64(x), float64(y))
			for k, v := range value {
				sum += frame.Square(f.Step*(v-float64(truth.Data[(y*f.Width+x)*f.Channels+k]))) / max(scale[k], LeastScale)
			}
		}
		rows[y] = sum
	})
	for _, e := range rows {
		sum += e
	}
	return sum
}
