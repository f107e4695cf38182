package chroma

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// AddVariance adds to the variance of a frame of finer pixels than the width×height of training what frames that share their chroma do not
// tell: what interpolation of chroma misses, and errors of rounding. Where contents rest both are the same in all frames, so that what is learned from frames at
// other times knows nothing of them. Where contents move it has the errors of rounding of frames of training as well, which those of finer pixels have not.
// With F₁ the variance of these and 2F that expected of finer pixels V becomes √((max(V − F₁, 0) + missed)² + (2F)²), in squares of the frame's unit (docs/math.md, 19.8). It panics if the frame has not three channels where pixels of the film share their chroma.
func (c *Chroma) AddVariance(f frame.Frame, width, height int) {
	if !c.concerns("AddVariance", f) {
		return
	}
	coarse := frame.NewImage[float64](width, min(height, f.Height), len(luma))
	frame.DownsampleImage(coarse, f.View())
	missed, once, finer := c.missed(coarse), c.Rounding.once(), c.Rounding.finer()
	mat.Parallel(f.Height, func(y int) {
		row := make([]float64, len(luma)*f.Width)
		missed.RowOver(row, y, f.Width, f.Height)
		for x := range f.Width {
			mean, v := f.Mean.Row(y*f.Width+x), f.Variance.Row(y*f.Width+x)
			for d := range v {
				part := c.Rounding.part(d, mean[d])
				v[d] = math.Hypot(max(v[d]-part*once[d], 0)+row[len(luma)*x+d], part*finer[d])
			}
		}
	})
}

// missed returns the variance of what interpolation of chroma misses in red, green and blue, of a predicted frame in pixels of training: Missed·(c_k+1 − c_k−1)² along each axis, with
// luma known.
func (c *Chroma) missed(m frame.Image[float64]) frame.Image[float64] {
	const apart = 2 // pixels, of pairs
	v := frame.NewImage[float64](m.Width, m.Height, len(luma))
	mat.Parallel(m.Height, func(y int) {
		above, row, below := m.Row(max(y-apart, 0)), m.Row(y), m.Row(min(y+apart, m.Height-1))
		for x := range m.Width {
			left, right := row[3*max(x-apart, 0):][:3], row[3*min(x+apart, m.Width-1):][:3]
			up, down := above[3*x:][:3], below[3*x:][:3]
			slope := func(d int) float64 {
				return c.Across.Missed*frame.Square(right[d]-right[1]-left[d]+left[1]) + c.Down.Missed*frame.Square(down[d]-down[1]-up[d]+up[1])
			}
			red, blue, out := slope(0), slope(2), v.Row(y)[3*x:][:3]
			out[0] = frame.Square(1-luma[0])*red + frame.Square(luma[2])*blue
			out[1] = frame.Square(luma[0])*red + frame.Square(luma[2])*blue
			out[2] = frame.Square(luma[0])*red + frame.Square(1-luma[2])*blue
		}
	})
	return v
}
