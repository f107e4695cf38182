package mixture

import (
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// meanOfChannels returns a picture of one channel.
func meanOfChannels(m frame.Image[float64]) frame.Image[float64] {
	mean := frame.NewImage[float64](m.Width, m.Height, 1)
	for k, v := range m.Data {
		mean.Data[k/m.Channels] += v / float64(m.Channels)
	}
	return mean
}

// OctaveEnergy returns the mean squares over 2×2 pixels of what the octave below misses of a picture.
func OctaveEnergy(m frame.Image[float64]) frame.Image[float64] {
	missed := frame.NewImage[float64](m.Width, m.Height, m.Channels)
	missedByOctave(missed, m)
	for i, v := range missed.Data {
		missed.Data[i] = v * v
	}
	return HalfOf(missed)
}

// missedByOctave sets dst to the difference between a picture and the spline through the means of its
// 2×2 blocks, which it returns.
func missedByOctave(dst, src frame.Image[float64]) (half frame.Image[float64]) {
	half = HalfOf(src)
	frame.Resize(frame.FrameOf(dst), frame.FrameOf(half))
	for j, v := range src.Data {
		dst.Data[j] = v - dst.Data[j]
	}
	return half
}

// HalfOf returns the means of 2×2 pixels.
func HalfOf(m frame.Image[float64]) frame.Image[float64] {
	half := frame.NewImage[float64](max(1, m.Width/2), max(1, m.Height/2), m.Channels)
	frame.DownsampleImage(half, m)
	return half
}
