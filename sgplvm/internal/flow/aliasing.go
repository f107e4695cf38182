package flow

import "math"

// An aliasing tells what pixels miss between which contents have moved. With the parts w_k of a value that are sampled at the points x_k of
// frames, contents of one period a pixel beyond what pixels can show would count Σ w_k·exp(2πi·x_k) times, and once where they
// are whole pixels away. So what is missed is in proportion to
//
//	|1 − Σ w_k·exp(2πi·x_k)|²/4
//
// across and the same down: 1 half way between two pixels, and less where two frames show different halves of it. Two samples, at x and x′, are apart by
// |exp(2πi·x) − exp(2πi·x′)|²/4 for the same reason, though both frames show the same contents. The unit of both is the texture there.
type aliasing struct {
	sum     turn
	texture float64
	between float64
}

// A path runs from a point of a to one of b.
type path struct {
	ax, ay, bx, by float64
	miss           float64 // squared distance by which it misses the point at its time
	apart          float64 // squared distance by which the flows there and back disagree
	agreement      float64 // of the flows, from 0 to 1
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
		d += square(v-u[k]) / 4
	}
	return d
}

// add takes in a path with a weight, of which share is that of the frame a.
func (l *aliasing) add(p path, weight, share float64, textures *[2]image[float64]) {
	a, b := turnAt(p.ax, p.ay), turnAt(p.bx, p.by)
	for k := range a {
		l.sum[k] += weight * (share*a[k] + (1-share)*b[k])
	}
	texture := share*textureAt(textures[0], p.ax, p.ay) + (1-share)*textureAt(textures[1], p.bx, p.by)
	l.texture += weight * texture
	l.between += weight * texture * a.from(b)
}

// missed returns what is missed.
func (l *aliasing) missed() float64 { return l.texture * l.sum.from(turn{1, 0, 1, 0}) }
