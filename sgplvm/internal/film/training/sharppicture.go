package training

import "github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"

// A SharpPicture is what finer pixels are sampled from: coefficients of a spline, how many of its pixels are one of training, each way, and what other frames
// leave unresolved of pixels of training (unresolved.go).
type SharpPicture struct {
	frame.Image[float32]
	Finer      float64
	Unresolved frame.Image[float32] // none where a frame is enlarged by itself
}

// At sets dst to the values at the point (x, y), in pixels of training.
func (p *SharpPicture) At(dst []float64, x, y float64) {
	if p.Finer != 1 {
		x, y = p.Finer*(x+0.5)-0.5, p.Finer*(y+0.5)-0.5
	}
	frame.Sample(dst, p.Image, x, y)
}

// UnresolvedAt returns what is left at the point (x, y), in pixels of training.
func (p *SharpPicture) UnresolvedAt(x, y float64) float64 {
	u := p.Unresolved
	if len(u.Data) == 0 {
		return 1
	}
	i, j := min(max(int(x+0.5), 0), u.Width-1), min(max(int(y+0.5), 0), u.Height-1)
	return float64(u.Data[j*u.Width+i])
}
