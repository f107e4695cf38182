package mixture

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// Frames have noise, and what lies half way between two of them has half of its variance (docs/math.md, 19.11). Frames beside the two show the same contents with noise of their own. So each of the two is averaged with
// the one beside it, along the flow between them, and that with the next one before: the filter of Kalman (1960), of a few steps, for contents that change at random and are seen with noise. Its gain at a pixel is
//
//	θ = c·ν/((2 − θ′)·ν + max(D − 2ν, 0))
//
// ν is the noise's variance, D the mean square over a window by which the two frames differ, 2ν and what has changed, c how far the flows there and back agree, and θ′ the gain of the frame beside at the place that they lead to: its noise has the variance (1 − θ′)·ν.
// What noise there is frames that are left out tell (smoothinglaw.go).

// A smoothed frame is what is added to one to average it with those beside it, in the units of the pictures. The zero value adds nothing.
type smoothed struct {
	added frame.Image[float32] // coefficients of a spline
	gain  frame.Image[float32] // of each pixel
	less  float64              // which part of the variance of noise goes, a mean over pixels
}

// A smoothedKey tells smoothed frames apart: the frame, the one beside it, and how.
type smoothedKey struct {
	of, beside int
	detail.Smoothing
}

// smoothedAround returns the two frames around a moment, each averaged with those on its side.
func smoothedAround(f *training.Frames, x motion.Moment, around []motion.Neighbour, how detail.Smoothing) [2]smoothed {
	return [2]smoothed{smoothedFrame(f, x.Shot, around[0].Place, -1, how), smoothedFrame(f, x.Shot, around[1].Place, 1, how)}
}

// smoothedFrame returns that of a place in a shot, averaged with those before it (step −1) or after it (1).
func smoothedFrame(f *training.Frames, s motion.Sequence, place, step int, how detail.Smoothing) smoothed {
	beside := place + step
	if how.Frames == 0 || beside < 0 || beside == len(s.Examples) {
		return smoothed{}
	}
	key := smoothedKey{s.Examples[place], s.Examples[beside], how}
	return training.Kept(f.Cache, key, func() smoothed {
		how.Frames--
		return average(f, key.of, key.beside, smoothedFrame(f, s, beside, step, how), how.Noise)
	})
}

// average returns a frame averaged with the one beside it, which is smoothed, where noise has a variance, over the channels' mean one. Where light fades between them the frame stays.
func average(f *training.Frames, of, beside int, besides smoothed, noise float64) (to smoothed) {
	flows := f.FlowsBetween(min(of, beside), max(of, beside))
	if flows.Light != nil {
		return to
	}
	trip := flows.RoundTrip(of > beside)
	shows, other, n := f.Picture(of), detail.SplineOf(f, beside, detail.Sharpening{}, 0), f.Channels
	to.added, to.gain = frame.NewImage[float32](f.Width, f.Height, n), frame.NewImage[float32](f.Width, f.Height, 1)
	agreed, gains := make([]float64, f.Width*f.Height), make([]float64, f.Width*f.Height)
	differ, scale := frame.NewImage[float64](f.Width, f.Height, 1), meanVariance(f)
	mat.Parallel(f.Height, func(row int) {
		value, buffer, y := make([]float64, n), make([]float64, n), float64(row)
		for column := range f.Width {
			x, k := float64(column), row*f.Width+column
			p, q, apart, inside := trip.Follow(x, y)
			if !inside {
				continue // contents have left the picture
			}
			agreed[k] = motion.Agreement(apart, p-x, q-y, motion.FlowSpread)
			frame.Sample(value, other, p, q)
			for c, v := range value {
				differ.Data[k] += frame.Square(v-float64(shows.Data[k*n+c])) / (float64(n) * scale)
			}
			besides.addTo(value, buffer, 1, p, q)
			if len(besides.gain.Data) > 0 {
				frame.SampleLinear(buffer[:1], besides.gain, p, q)
				gains[k] = buffer[0]
			}
			for c, v := range value {
				to.added.Data[k*n+c] = float32(v - float64(shows.Data[k*n+c]))
			}
		}
	})
	for k, d := range windowMeans(differ).Data {
		left := 1 - gains[k]
		gain := agreed[k] * noise / ((1+left)*noise + max(d-2*noise, 0))
		to.gain.Data[k] = float32(gain)
		to.less += (1 - frame.Square(1-gain) - left*frame.Square(gain)) / float64(len(agreed))
		for c := range n {
			to.added.Data[k*n+c] *= float32(gain)
		}
	}
	to.added.ToSpline()
	return to
}

// addTo adds so much of it to the values at the point (x, y), in pixels of training; buffer holds a number for each, or more.
func (s *smoothed) addTo(value, buffer []float64, part, x, y float64) {
	if len(s.added.Data) == 0 {
		return
	}
	frame.Sample(buffer[:len(value)], s.added, x, y)
	for c := range value {
		value[c] += part * buffer[c]
	}
}
