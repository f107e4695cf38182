package flow

// A sharpPicture is what finer pixels are sampled from: coefficients of a spline, how many of its pixels are one of training, each way, and what other frames
// leave unresolved of pixels of training (unresolved.go).
type sharpPicture struct {
	image[float32]
	finer      float64
	unresolved image[float32] // none where a frame is enlarged by itself
}

// at sets dst to the values at the point (x, y), in pixels of training.
func (p *sharpPicture) at(dst []float64, x, y float64) {
	if p.finer != 1 {
		x, y = p.finer*(x+0.5)-0.5, p.finer*(y+0.5)-0.5
	}
	sample(dst, p.image, x, y)
}

// unresolvedAt returns what is left at the point (x, y), in pixels of training.
func (p *sharpPicture) unresolvedAt(x, y float64) float64 {
	u := p.unresolved
	if len(u.data) == 0 {
		return 1
	}
	i, j := min(max(int(x+0.5), 0), u.width-1), min(max(int(y+0.5), 0), u.height-1)
	return float64(u.data[j*u.width+i])
}
