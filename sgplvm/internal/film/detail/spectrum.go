package detail

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// DetailCell is the side of the cells over which energies are averaged, in pixels.
const DetailCell = 2

// Textures are told apart by how their energy goes from the octave below to that of training pixels, its ratio in octaves: a class each below -2, for each half
// up to 0, and above. Energies are those of cells of classCell pixels each way and of classReach cells around.
const (
	SpectralClasses       = 6
	firstClass, classStep = -2, 0.5
	classCell, classReach = 4, 2
)

// SpectralClassesOf returns the classes of the cells of a picture.
func SpectralClassesOf(m frame.Image[float64]) frame.Image[float64] {
	if min(m.Width, m.Height) < frame.LeastSide {
		return frame.NewImage[float64](1, 1, 1)
	}
	below := meanOfChannels(OctaveEnergy(HalfOf(m)))
	energy := frame.NewImage[float64](below.Width, below.Height, 1)
	frame.DownsampleImage(energy, meanOfChannels(OctaveEnergy(m)))
	classes := frame.NewImage[float64](below.Width, below.Height, 1)
	for y := range classes.Height {
		for x := range classes.Width {
			var u, v float64
			for j := max(y-classReach, 0); j <= min(y+classReach, classes.Height-1); j++ {
				for i := max(x-classReach, 0); i <= min(x+classReach, classes.Width-1); i++ {
					u, v = u+energy.Data[j*energy.Width+i], v+below.Data[j*below.Width+i]
				}
			}
			if u > 0 && v > 0 {
				classes.Data[y*classes.Width+x] = min(max(math.Floor((math.Log2(u/v)-firstClass)/classStep)+1, 0), SpectralClasses-1)
			}
		}
	}
	return classes
}

// meanOfChannels returns a picture of one channel.
func meanOfChannels(m frame.Image[float64]) frame.Image[float64] {
	mean := frame.NewImage[float64](m.Width, m.Height, 1)
	for k, v := range m.Data {
		mean.Data[k/m.Channels] += v / float64(m.Channels)
	}
	return mean
}

// ClassAt returns the class of a pixel.
func ClassAt(classes frame.Image[float64], x, y int) int {
	return int(classes.Data[min(y/classCell, classes.Height-1)*classes.Width+min(x/classCell, classes.Width-1)])
}

// OctaveEnergy returns the mean squares over cells of what the octave below misses of a picture.
func OctaveEnergy(m frame.Image[float64]) frame.Image[float64] {
	missed := frame.NewImage[float64](m.Width, m.Height, m.Channels)
	missedByOctave(missed, m)
	for i, v := range missed.Data {
		missed.Data[i] = v * v
	}
	cells := frame.NewImage[float64](max(1, m.Width/DetailCell), max(1, m.Height/DetailCell), m.Channels)
	frame.DownsampleImage(cells, missed)
	return cells
}

// missedByOctave sets dst to the difference between a picture and the spline through the means of its
// 2×2 blocks, which it returns.
func missedByOctave(dst, src frame.Image[float64]) (half frame.Image[float64]) {
	half = frame.NewImage[float64](max(1, src.Width/2), max(1, src.Height/2), src.Channels)
	frame.DownsampleImage(half, src)
	motion.Field{}.Warp(frame.FrameOf(dst), frame.FrameOf(half))
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
