package chroma

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// AddVariance adds to the variance of a frame of finer pixels than the width×height of training what interpolation of chroma misses (docs/math.md, 19.8): where contents rest it is the
// same in all frames, so that what is learned from frames at other times knows nothing of it. It panics if the frame has not three channels where pixels of the film share their chroma.
func (c *Chroma) AddVariance(f frame.Frame, width, height int) {
	if !c.concerns("AddVariance", f) || f.Width <= width {
		return
	}
	coarse := frame.NewImage[float64](width, min(height, f.Height), len(luma))
	frame.DownsampleImage(coarse, f.View())
	c.missed(coarse).AddOver(f.Variance, f.Width, f.Height)
}

// missed returns the variance of what interpolation of chroma misses in red, green and blue, of a predicted frame in pixels of training: Missed·(c_k+1 − c_k−1)² along each axis, with
// luma known.
func (c *Chroma) missed(m frame.Image[float64]) frame.Image[float64] {
	v := frame.NewImage[float64](m.Width, m.Height, len(luma))
	mat.Parallel(m.Height, func(y int) {
		above, row, below := m.Row(max(y-2, 0)), m.Row(y), m.Row(min(y+2, m.Height-1))
		for x := range m.Width {
			left, right := row[3*max(x-2, 0):][:3], row[3*min(x+2, m.Width-1):][:3]
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
