package motion

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Where light fades: how many quantiles of two frames are compared; by how much of their common deviation means or deviations differ at least, squared; which part of
// that the shape of the quantiles may differ by; and which part of the other frame's deviation a frame has at least that shows anything.
const (
	lightQuantiles = 32
	leastFade      = 0.1 * 0.1
	mostReshaped   = 0.1
	leastShown     = 1. / 32
)

// spread returns mean and deviation of some values.
func spread(values []float32) (mean, deviation float64) {
	var sum, squares float64
	for _, v := range values {
		sum += float64(v)
	}
	mean = sum / float64(len(values))
	for _, v := range values {
		squares += frame.Square(float64(v) - mean)
	}
	return mean, math.Sqrt(squares / float64(len(values)))
}

// standardize brings values to the mean 0 and the deviation 1, and returns what they had; values that are all the same become 0.
func standardize(values []float32) (mean, deviation float64) {
	mean, deviation = spread(values)
	for k, v := range values {
		if deviation > 0 {
			values[k] = float32((float64(v) - mean) / deviation)
		} else {
			values[k] = 0
		}
	}
	return mean, deviation
}

// evened returns two pictures, neither of them flat, in units of their own deviations, if these or the means differ and else their quantiles are alike, as where light fades: the distance of
// distributions, that of their quantiles, is that of means, of deviations and of shapes (Wasserstein distance of one dimension).
func evened(a, b opticalflow.Picture) (p, q opticalflow.Picture, fades bool) {
	var pictures [2]opticalflow.Picture
	var quantiles [2][lightQuantiles]float64
	var mean, deviation [2]float64
	for i, from := range [2]opticalflow.Picture{a, b} {
		even := opticalflow.Picture{Width: from.Width, Height: from.Height, Pixels: slices.Clone(from.Pixels)}
		mean[i], deviation[i] = standardize(even.Pixels)
		sorted := slices.Sorted(slices.Values(even.Pixels))
		for k := range quantiles[i] {
			quantiles[i][k] = float64(sorted[(2*k+1)*len(sorted)/(2*lightQuantiles)])
		}
		pictures[i] = even
	}
	fade := frame.Square(mean[0]-mean[1]) + frame.Square(deviation[0]-deviation[1])
	var reshaped float64
	for k, v := range quantiles[0] {
		reshaped += deviation[0] * deviation[1] * frame.Square(v-quantiles[1][k]) / lightQuantiles
	}
	return pictures[0], pictures[1], fade >= leastFade && reshaped <= mostReshaped*fade
}

// flat tells whether one of two pictures shows next to nothing beside the other, as a black one, so that nothing can be followed.
func flat(a, b opticalflow.Picture) bool {
	_, s := spread(a.Pixels)
	_, t := spread(b.Pixels)
	return min(s, t) <= leastShown*max(s, t)
}

// correlation returns how alike two pictures are along the flows between them, however bright they are; −1 where that cannot be told.
func (f *PairFlow) correlation(a, b opticalflow.Picture) float64 {
	l := f.lights(pictureOf(a), pictureOf(b), 0)
	if l == nil {
		return -1
	}
	return l.covariance[0] / (l.light[0].Deviation[0] * l.light[1].Deviation[0])
}

// pictureOf returns a picture as a frame of one channel.
func pictureOf(p opticalflow.Picture) frame.Image[float32] {
	return frame.Image[float32]{Width: p.Width, Height: p.Height, Channels: 1, Data: p.Pixels}
}

// lights are the lights of what two frames both show, and their covariances.
type lights struct {
	light      [2]Light
	covariance []float64
}

// lights returns those of two frames along the flows between them, where these agree by more than a part; nil where a channel shows nothing in one of them.
func (f *PairFlow) lights(a, b frame.Image[float32], agreement float64) *lights {
	n := a.Channels
	var count float64
	sums, squares := [2][]float64{make([]float64, n), make([]float64, n)}, [2][]float64{make([]float64, n), make([]float64, n)}
	products, there := make([]float64, n), make([]float64, n)
	for way, from := range [2]frame.Image[float32]{a, b} {
		to := [2]frame.Image[float32]{b, a}[way]
		trip := f.RoundTrip(way == 1)
		for k := range a.Width * a.Height {
			x0, y0 := float64(k%a.Width), float64(k/a.Width)
			x, y, apart, inside := trip.Follow(x0, y0)
			if !inside || !(Agreement(apart, x-x0, y-y0, FlowSpread) > agreement) {
				continue
			}
			frame.SampleLinear(there, to, x, y)
			count++
			for c, v := range there {
				u := float64(from.Data[k*n+c])
				sums[way][c] += u
				sums[1-way][c] += v
				squares[way][c] += u * u
				squares[1-way][c] += v * v
				products[c] += u * v
			}
		}
	}
	l := &lights{covariance: make([]float64, n)}
	for c := range n {
		for i := range l.light {
			mean := sums[i][c] / count
			variance := squares[i][c]/count - mean*mean
			if !(variance > 0) {
				return nil
			}
			l.light[i].Mean, l.light[i].Deviation = append(l.light[i].Mean, mean), append(l.light[i].Deviation, math.Sqrt(variance))
		}
		if s, t := l.light[0].Deviation[c], l.light[1].Deviation[c]; min(s, t) <= leastShown*max(s, t) {
			return nil
		}
		l.covariance[c] = products[c]/count - l.light[0].Mean[c]*l.light[1].Mean[c]
	}
	return l
}
