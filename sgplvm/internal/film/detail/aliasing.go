package detail

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// An Aliasing tells what pixels miss between which contents have moved. With the parts w_k of a value that are sampled at the points x_k of
// frames, contents of one period a pixel beyond what pixels can show would count Σ w_k·exp(2πi·x_k) times, and once where they
// are whole pixels away. So what is missed is in proportion to
//
//	|1 − Σ w_k·exp(2πi·x_k)|²/4
//
// across and the same down: 1 half way between two pixels, and less where two frames show different halves of it. Two samples, at x and x′, are apart by
// |exp(2πi·x) − exp(2πi·x′)|²/4 for the same reason, though both frames show the same contents. The unit of both is the texture there.
type Aliasing struct {
	sum     turn
	Texture float64
	Between float64
}

// A Path runs from a point of a to one of b.
type Path struct {
	Ax, Ay, Bx, By float64
	Miss           float64 // squared distance by which it misses the point at its time
	Apart          float64 // squared distance by which the flows there and back disagree
	Agreement      float64 // of the flows, from 0 to 1
}

// A turn is exp(2πi·x) and exp(2πi·y) at a point: real and imaginary part of each.
type turn [4]float64

func turnAt(x, y float64) (t turn) {
	t[1], t[0] = math.Sincos(2 * math.Pi * x)
	t[3], t[2] = math.Sincos(2 * math.Pi * y)
	return t
}

// from returns the squared distance between two turns, over 4.
func (t turn) from(u turn) (d float64) {
	for k, v := range t {
		d += frame.Square(v-u[k]) / 4
	}
	return d
}

// Add takes in a path with a weight, of which share is that of the frame a.
func (l *Aliasing) Add(p Path, weight, share float64, textures *[2]frame.Image[float64]) {
	a, b := turnAt(p.Ax, p.Ay), turnAt(p.Bx, p.By)
	for k := range a {
		l.sum[k] += weight * (share*a[k] + (1-share)*b[k])
	}
	texture := share*textureAt(textures[0], p.Ax, p.Ay) + (1-share)*textureAt(textures[1], p.Bx, p.By)
	l.Texture += weight * texture
	l.Between += weight * texture * a.from(b)
}

// Missed returns what is missed.
func (l *Aliasing) Missed() float64 { return l.Texture * l.sum.from(turn{1, 0, 1, 0}) }
