package picture

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// Faces returns count grey frames (count×height×width, 0 to 255) of a face
// that turns, nods, blinks, looks around and speaks, with a little noise: a few
// smooth causes behind many pixels. The frames depend on the arguments alone.
func Faces(count, width, height int, seed uint64) *npy.Array {
	rng := rand.New(rand.NewPCG(seed, 0xface))
	values := make([]float64, 0, count*width*height)
	for i := range count {
		f := faceAt(float64(i))
		for r := range height {
			for c := range width {
				v := f.pixel((float64(c)+0.5)/float64(width), (float64(r)+0.5)/float64(height), 0.7/float64(width))
				values = append(values, min(255, max(0, 255*v+2*rng.NormFloat64())))
			}
		}
	}
	return npy.New(values, count, height, width)
}

// face is a pose and an expression; lengths in units of the frame's sides.
type face struct {
	x, y, tilt float64 // centre of the head, angle in radians
	turn       float64 // shift of the features to the side
	light      float64 // brightness falls off to one side
	eyes       float64 // how far open, 0 to 1
	gaze       float64 // shift of the pupils
	mouth      float64 // how far open, 0 to 1
	smile      float64 // −1 to 1
}

// faceAt returns the face at a time in frames: every cause has a period of its
// own, so that no two frames are alike.
func faceAt(t float64) face {
	wave := func(period, phase float64) float64 { return math.Sin(2*math.Pi*t/period + phase) }
	blink := math.Pow(math.Max(0, wave(23, 0.4)), 6)
	return face{
		x: 0.5 + 0.05*wave(41, 0), y: 0.5 + 0.03*wave(29, 1), tilt: 0.14 * wave(53, 2),
		turn: 0.05 * wave(37, 0.5), light: 0.25 * wave(71, 1.5),
		eyes: 1 - blink, gaze: 0.02 * wave(19, 2.2),
		mouth: math.Pow(0.5+0.5*wave(13, 0.9), 2), smile: wave(31, 2.8),
	}
}

// pixel returns the brightness, 0 to 1, at (u, v), both 0 to 1; edges are soft
// over the width blur.
func (f face) pixel(u, v, blur float64) float64 {
	sin, cos := math.Sincos(f.tilt)
	dx, dy := u-f.x, (v-f.y)*1.2
	x, y := cos*dx+sin*dy, cos*dy-sin*dx
	inside := func(cx, cy, rx, ry float64) float64 { // a soft ellipse
		px, py := (x-cx)/rx, (y-cy)/ry
		r := math.Hypot(px, py)
		distance := (r - 1) * r / (math.Hypot(px/rx, py/ry) + 1e-9) // to the edge, to first order
		return 1 / (1 + math.Exp(2*distance/blur))
	}
	blend := func(under, over, share float64) float64 { return under + (over-under)*share }

	b := 0.30 + 0.10*v // wall
	b = blend(b, 0.12, inside(0, -0.12, 0.34, 0.42))
	skin := 0.72 + f.light*x*2 - 0.15*math.Hypot(x, y)
	b = blend(b, skin, inside(0, 0.02, 0.29, 0.42))
	for _, side := range []float64{-1, 1} {
		cx, cy := side*0.125+f.turn, -0.07
		b = blend(b, 0.22, inside(cx, cy-0.085-0.02*f.smile*f.eyes, 0.07, 0.016))
		open := 0.006 + 0.034*f.eyes
		b = blend(b, 0.93, inside(cx, cy, 0.062, open))
		b = blend(b, 0.08, inside(cx+f.gaze, cy, 0.026, min(0.028, open)))
	}
	b = blend(b, skin-0.17, inside(1.3*f.turn, 0.08, 0.025, 0.075))
	// The lips follow a parabola, which a smile bends up.
	bend := 0.5 * f.smile * (x - f.turn) * (x - f.turn) / 0.12
	y += bend * 0.6
	b = blend(b, 0.45, inside(f.turn, 0.23, 0.115+0.02*f.smile, 0.028+0.035*f.mouth))
	b = blend(b, 0.10, inside(f.turn, 0.23, 0.085, 0.004+0.03*f.mouth))
	return b
}
