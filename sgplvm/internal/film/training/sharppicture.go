package training

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A SharpPicture is what finer pixels are sampled from: coefficients of a spline, how many of its pixels are one of training, each way, and what other frames
// leave unresolved of pixels of training (unresolved.go). Its pixels lie where pixels so fine do, or where four of them meet.
type SharpPicture struct {
	frame.Image[float32]
	Finer      float64
	Unresolved frame.Image[float32] // none where a frame is enlarged by itself
	Meeting    bool
}

// At sets dst to the values at the point (x, y), in pixels of training.
func (p *SharpPicture) At(dst []float64, x, y float64) {
	if p.Finer != 1 {
		x, y = p.Finer*(x+0.5)-0.5, p.Finer*(y+0.5)-0.5
	}
	if p.Meeting {
		x, y = x+0.5, y+0.5 // the first pixel lies before the corner
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

// Means returns, of pixels twice as fine as those of training, the picture that shows at every point the mean over one of training around it. Coefficients of a spline's means over 2×2 pixels are means of
// its own.
func (p SharpPicture) Means() SharpPicture {
	m, n := p.Image, p.Channels
	p.Image, p.Meeting = frame.NewImage[float32](m.Width+1, m.Height+1, n), true
	mat.Parallel(p.Height, func(y int) {
		to, above, below := p.Row(y), m.Row(frame.Mirror(y-1, m.Height)), m.Row(frame.Mirror(y, m.Height))
		for x := range p.Width {
			left, right := n*frame.Mirror(x-1, m.Width), n*frame.Mirror(x, m.Width)
			for c := range n {
				to[x*n+c] = (above[left+c] + above[right+c] + below[left+c] + below[right+c]) / 4
			}
		}
	})
	return p
}
