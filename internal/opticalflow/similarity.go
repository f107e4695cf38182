package opticalflow

import (
	"math"
	"math/cmplx"
)

// A Similarity turns, enlarges and shifts a picture: with points as complex numbers relative to the centre, to the right and down, z goes to
// Turn·z + Shift. The shift is in pixels.
type Similarity struct{ Turn, Shift complex128 }

// Power returns the similarity done w times, which may be any part of once: the spiral, or the straight line where nothing turns, that leads there.
func (s Similarity) Power(w float64) Similarity {
	if s.Turn == 1 {
		return Similarity{1, complex(w, 0) * s.Shift}
	}
	m := cmplx.Pow(s.Turn, complex(w, 0))
	return Similarity{m, s.Shift * (1 - m) / (1 - s.Turn)}
}

// after returns first t, then s.
func (s Similarity) after(t Similarity) Similarity {
	return Similarity{s.Turn * t.Turn, s.Turn*t.Shift + s.Shift}
}

// At returns where a point of a picture of width×height pixels goes.
func (s Similarity) At(width, height int, x, y float64) (float64, float64) {
	cx, cy := 0.5*float64(width-1), 0.5*float64(height-1)
	z := s.Turn*complex(x-cx, y-cy) + s.Shift
	return cx + real(z), cy + imag(z)
}

// turned returns what a picture shows where the similarity takes the pixels, the nearest edge beyond one.
func (s Similarity) turned(p Picture) Picture {
	t := Picture{p.Width, p.Height, make([]float32, len(p.Pixels))}
	for k := range t.Pixels {
		x, y := s.At(p.Width, p.Height, float64(k%p.Width), float64(k/p.Width))
		t.Pixels[k] = p.at(float32(x), float32(y))
	}
	return t
}

// Halfway returns two pictures, each taken half of the way to the other, by a similarity from a to b.
func (s Similarity) Halfway(a, b Picture) (Picture, Picture) {
	return s.Power(-0.5).turned(a), s.Power(0.5).turned(b)
}

// Of the search for a similarity: angles and scales are tried so many steps each way, which move the sides of a small picture by about a pixel each,
// and shifts by whole pixels up to a part of the side. shiftGain is what a shift alone may gain at most, leastGain what a similarity gains at least, in
// nats per pixel; and shiftPart is which part of what the similarity gains a shift may gain at most.
const (
	angleStep, angles    = 0.14, 7
	scaleStep, scales    = 1.14, 2
	shiftReach           = 4
	shiftGain, leastGain = 0.25, 0.2
	shiftPart            = 1. / 3
)

// Similar returns the similarity that takes what a shows to where b shows it, if there is one and no shift comes near it. It is found
// by trying on pictures whose shorter side has 8 to 15 pixels, and made exact by the flow that it leaves on those of twice the size. It panics as Between does.
func Similar(a, b Picture) (s Similarity, found bool) {
	mustFit(a, b)
	unit := 1.
	if min(a.Width, a.Height) < coarsest {
		return s, false
	}
	for min(a.Width, a.Height) >= 2*coarsest {
		a, b, unit = a.half(), b.half(), 2*unit
	}
	small, other := a.half(), b.half()
	n := float64(len(small.Pixels))
	_, shifted := bestShift(small, other, 1)
	if shifted > shiftGain*n {
		return s, false
	}
	var most float64
	for i := -angles; i <= angles; i++ {
		for j := -scales; j <= scales; j++ {
			if t, gain := bestShift(small, other, cmplx.Rect(math.Pow(scaleStep, float64(j)), angleStep*float64(i))); gain > most {
				s, most = t, gain
			}
		}
	}
	if most < leastGain*n || shifted > shiftPart*most {
		return s, false
	}
	s.Shift *= 2
	s, found = s.closer(a, b)
	s.Shift *= complex(unit, 0)
	return s, found
}

// bestShift returns the similarity that turns as it is told and gains most.
func bestShift(a, b Picture, m complex128) (best Similarity, most float64) {
	half := cmplx.Sqrt(m)
	p, q := newOverlay(a, Similarity{1 / half, 0}), newOverlay(b, Similarity{half, 0})
	right, down := a.Width/shiftReach, a.Height/shiftReach
	for v := -down; v <= down; v++ {
		for u := -right; u <= right; u++ {
			if gain := p.gain(q, u, v); gain > most {
				best, most = Similarity{m, half * complex(float64(u), float64(v))}, gain
			}
		}
	}
	return best, most
}

// An overlay is a turned picture, 0 where it shows nothing, and 1 for each pixel where it shows something.
type overlay struct{ shown, seen Picture }

func newOverlay(p Picture, s Similarity) overlay {
	o := overlay{s.turned(p), Picture{p.Width, p.Height, make([]float32, len(p.Pixels))}}
	for k := range p.Pixels {
		if x, y := s.At(p.Width, p.Height, float64(k%p.Width), float64(k/p.Width)); x > -0.5 && y > -0.5 && x < float64(p.Width)-0.5 && y < float64(p.Height)-0.5 {
			o.seen.Pixels[k] = 1
		} else {
			o.shown.Pixels[k] = 0
		}
	}
	return o
}

// gain returns how many nats likelier one picture is, given the other after a shift, than by itself, as normal noise that is correlated: −n/2·log(1 − r²)
// for n pixels that both show with the correlation r; 0 if that is negative or n is less than a third of all.
func (o overlay) gain(other overlay, u, v int) float64 {
	var n, a, b, aa, ab, bb float32
	w, h := o.shown.Width, o.shown.Height
	first, last := max(0, -u), min(w, w-u)
	for y := max(0, -v); y < min(h, h-v); y++ {
		p := o.shown.row(y)[first:last]
		m, q, l := o.seen.row(y)[first:][:len(p)], other.shown.row(y + v)[first+u:][:len(p)], other.seen.row(y + v)[first+u:][:len(p)]
		for x, s := range p {
			s, t := s*l[x], q[x]*m[x]
			n += float32(m[x] * l[x])
			a, b = a+s, b+t
			aa += float32(s * s)
			ab += float32(s * t)
			bb += float32(t * t)
		}
	}
	if 3*n < float32(w*h) {
		return 0
	}
	va, vb, c := aa-float32(a*a)/n, bb-float32(b*b)/n, ab-float32(a*b)/n
	if !(va > 0 && vb > 0 && c > 0) {
		return 0
	}
	const least = 1e-6 // of 1 − r²
	return -0.5 * float64(n) * math.Log(max(1-float64(c)*float64(c)/(float64(va)*float64(vb)), least))
}

// Of a similarity: how far, in pixels and as a part of a displacement, flows there and back may disagree, and what they leave of it may be, and for which part of the pixels
// that both show they must agree at least. Pictures with little detail may look alike as wholes where flows find nothing. leastTurn is by how much what flows follow turns or enlarges at least: a picture that
// moves along straight paths is as good below it.
const (
	agreeing, agreeingPart = 0.25, 0.05
	leastAgreement         = 0.75
	leastTurn              = 0.15
)

// near tells whether a squared distance is no more than flows may disagree by after so long a squared displacement.
func near(apart, moved float64) bool {
	return apart <= agreeing*agreeing+float64(agreeingPart*agreeingPart*moved)
}

// closer returns the similarity after what it leaves between the pictures, by the least squares of the flow where that back agrees, if that is
// in enough places.
func (s Similarity) closer(a, b Picture) (t Similarity, found bool) {
	a, b = s.Halfway(a, b)
	there, back := Between(a, b)
	left, found := fitted(&there, &back)
	if !found {
		return s, false
	}
	half := s.Power(0.5)
	return half.after(left).after(half), true
}

// fitted returns the similarity nearest to a flow, by least squares where that back agrees, if that is in enough places.
func fitted(there, back *Flow) (s Similarity, found bool) {
	var z, d, zd complex128
	var n, inside, zz float64
	for k, u := range there.Right {
		v := there.Down[k]
		apart, moved, shown := there.Return(back, k)
		if !shown {
			continue
		}
		inside++
		if !near(apart, moved) {
			continue
		}
		p, q := complex(float64(k%there.Width)-0.5*float64(there.Width-1), float64(k/there.Width)-0.5*float64(there.Height-1)), complex(float64(u), float64(v))
		n++
		z, d, zd, zz = z+p, d+q, zd+cmplx.Conj(p)*q, zz+real(p)*real(p)+imag(p)*imag(p)
	}
	if n < leastAgreement*inside || n < 3 {
		return s, false
	}
	z, d = z/complex(n, 0), d/complex(n, 0)
	turn := (zd - complex(n, 0)*cmplx.Conj(z)*d) / complex(zz-n*(real(z)*real(z)+imag(z)*imag(z)), 0)
	return Similarity{1 + turn, d - turn*z}, true
}

// Followed returns the similarity that flows from one picture to another and back follow: by which the whole picture turns or is enlarged so little that Similar need not tell it from a shift, but enough
// that paths are arcs. In most of the places that both pictures show the flows must agree, and lead no farther from where it does than they may disagree.
func Followed(there, back *Flow) (s Similarity, found bool) {
	if s, found = fitted(there, back); !found || cmplx.Abs(s.Turn-1) < leastTurn {
		return s, false
	}
	var n, inside float64
	for k, u := range there.Right {
		apart, moved, shown := there.Return(back, k)
		if !shown {
			continue
		}
		inside++
		x, y := float64(k%there.Width), float64(k/there.Width)
		p, q := s.At(there.Width, there.Height, x, y)
		p, q = p-x-float64(u), q-y-float64(there.Down[k])
		if near(apart, moved) && near(float64(p*p)+float64(q*q), moved) {
			n++
		}
	}
	return s, n >= leastAgreement*inside
}
