package mixture

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Contents out of place err by slope times distance, so that a part of the variance of a pixel of training is in proportion to its squared slope
// (byOwnTexture). Finer pixels have slopes of their own: the part lies where edges are.

// Of squared slopes of finer pixels: what all have, in units of the channels' variances, and how much larger than their mean one is at most.
const leastSlope, mostSteep = 1e-9, 8

// steepness returns how much larger squared slopes are, means over channels, than in the pixel of training, of width×height ones, that they lie in; nothing of pixels that
// are no finer.
func (x *Mixture) steepness(flow frame.Image[float64], width, height int) (s frame.Image[float64]) {
	if flow.Width <= width && flow.Height <= height {
		return s
	}
	s = frame.NewImage[float64](flow.Width, flow.Height, 1)
	mat.Parallel(s.Height, func(y int) {
		for column := range s.Width {
			slope := leastSlope
			for c := range flow.Channels {
				slope += x.texture(flow, column, y, c) / float64(flow.Channels)
			}
			s.Data[y*s.Width+column] = slope
		}
	})
	means := frame.NewImage[float64](width, height, 1)
	frame.DownsampleImage(means, s)
	mat.Parallel(s.Height, func(y int) {
		mean := make([]float64, s.Width)
		means.RowOver(mean, y, s.Width, s.Height)
		row := s.Row(y)
		for k, m := range mean {
			row[k] = min(row[k]/m, mostSteep)
		}
	})
	return s
}
