package flow

import "math"

// detailCell is the side of the cells over which energies are averaged, in pixels, and leastDetail the least size of a frame that tells, in pixels each way.
const detailCell, leastDetail = 2, 16

// Textures are told apart by how their energy goes from the octave below to that of training pixels, its ratio in octaves: a class each below -2, for each half
// up to 0, and above. Energies are those of cells of classCell pixels each way and of classReach cells around.
const (
	spectralClasses       = 6
	firstClass, classStep = -2, 0.5
	classCell, classReach = 4, 2
)

// spectralClassesOf returns the classes of the cells of a picture.
func spectralClassesOf(m image[float64]) image[float64] {
	if min(m.width, m.height) < leastDetail {
		return newImage[float64](1, 1, 1)
	}
	below := meanOfChannels(octaveEnergy(halfOf(m)))
	energy := newImage[float64](below.width, below.height, 1)
	downsample(energy, meanOfChannels(octaveEnergy(m)))
	classes := newImage[float64](below.width, below.height, 1)
	for y := range classes.height {
		for x := range classes.width {
			var u, v float64
			for j := max(y-classReach, 0); j <= min(y+classReach, classes.height-1); j++ {
				for i := max(x-classReach, 0); i <= min(x+classReach, classes.width-1); i++ {
					u, v = u+energy.data[j*energy.width+i], v+below.data[j*below.width+i]
				}
			}
			if u > 0 && v > 0 {
				classes.data[y*classes.width+x] = min(max(math.Floor((math.Log2(u/v)-firstClass)/classStep)+1, 0), spectralClasses-1)
			}
		}
	}
	return classes
}

// meanOfChannels returns a picture of one channel.
func meanOfChannels(m image[float64]) image[float64] {
	mean := newImage[float64](m.width, m.height, 1)
	for k, v := range m.data {
		mean.data[k/m.channels] += v / float64(m.channels)
	}
	return mean
}

// classAt returns the class of a pixel.
func classAt(classes image[float64], x, y int) int {
	return int(classes.data[min(y/classCell, classes.height-1)*classes.width+min(x/classCell, classes.width-1)])
}

// octaveEnergy returns the mean squares over cells of what the octave below misses of a picture.
func octaveEnergy(m image[float64]) image[float64] {
	missed := newImage[float64](m.width, m.height, m.channels)
	missedByOctave(missed, m)
	for i, v := range missed.data {
		missed.data[i] = v * v
	}
	cells := newImage[float64](max(1, m.width/detailCell), max(1, m.height/detailCell), m.channels)
	downsample(cells, missed)
	return cells
}

// missedByOctave sets dst to the difference between a picture and the spline through the means of its
// 2×2 blocks, which it returns.
func missedByOctave(dst, src image[float64]) (half image[float64]) {
	half = newImage[float64](src.width/2, src.height/2, src.channels)
	downsample(half, src)
	Field{}.Warp(frameOf(dst), frameOf(half))
	for j, v := range src.data {
		dst.data[j] = v - dst.data[j]
	}
	return half
}

// halfOf returns the means of 2×2 pixels.
func halfOf(m image[float64]) image[float64] {
	half := newImage[float64](m.width/2, m.height/2, m.channels)
	downsample(half, m)
	return half
}
