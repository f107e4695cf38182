package motion

import (
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A SharpPicture is what finer pixels are sampled from: coefficients of a spline, and how many of its pixels are one of training, each way.
type SharpPicture struct {
	frame.Image[float32]
	Finer float64
}

// At sets dst to the values at the point (x, y), in pixels of training.
func (p *SharpPicture) At(dst []float64, x, y float64) {
	if p.Finer != 1 {
		x, y = p.Finer*(x+0.5)-0.5, p.Finer*(y+0.5)-0.5
	}
	frame.Sample(dst, p.Image, x, y)
}
