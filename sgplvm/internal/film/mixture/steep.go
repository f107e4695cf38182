package mixture

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Contents out of place err by slope times distance, so that a part of the variance of a pixel of training is in proportion to its squared slope
// (byOwnTexture). Finer pixels have slopes of their own: the part lies where edges are.

// Of squared slopes of finer pixels: what all have, in units of the channels' variances, and how much larger than their mean one is at most.
const leastSlope, mostSteep = 1e-9, 8

// slope returns the squared slope of a channel of a picture per pixel.
func slope(m frame.Image[float64], column, row, c int) float64 {
	left, right := m.Row(row)[max(column-1, 0)*m.Channels:], m.Row(row)[min(column+1, m.Width-1)*m.Channels:]
	up, down := m.Row(max(row-1, 0))[column*m.Channels:], m.Row(min(row+1, m.Height-1))[column*m.Channels:]
	return (frame.Square(right[c]-left[c]) + frame.Square(down[c]-up[c])) / 4
}

// steepness returns how much larger squared slopes are, means over channels of the variances scale, than in the pixel of training, of width×height ones, that they lie in; nothing of pixels that
// are no finer.
func steepness(flow frame.Image[float64], scale []float64, width, height int) (s frame.Image[float64]) {
	if flow.Width <= width && flow.Height <= height {
		return s
	}
	s = frame.NewImage[float64](flow.Width, flow.Height, 1)
	mat.Parallel(s.Height, func(y int) {
		for column := range s.Width {
			squared := leastSlope
			for c, v := range scale {
				squared += slope(flow, column, y, c) / (v * float64(len(scale)))
			}
			s.Data[y*s.Width+column] = squared
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
