package chroma

import (
	"context"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Pairs share chroma where its mean squared difference within them is maxShared of that between them at most, and luma's is more: it is 0 of chroma in frames that were unpacked, and
// about 1 in filmed ones.
const maxShared = 1. / 4

// Find finds out which pixels of all frames share their chroma. Errors: *field.ReadError, ctx.Err().
func Find(ctx context.Context, frames field.Source, width, height int) (c Chroma, err error) {
	if _, _, channels := frames.Dims(); channels != len(luma) || min(width, height) < frame.LeastSide {
		return c, nil
	}
	var across, down stepSums
	if err := frame.Each(ctx, frames, func(_ int, values []float64) {
		across.add(values, height, 3*width, width, 3)
		down.add(values, width, 3, height, 3*width)
	}); err != nil {
		return Chroma{}, err
	}
	c.Across, c.Down = across.pairs(), down.pairs()
	if !c.Shared() {
		return c, nil
	}
	err = c.learn(ctx, frames, width, height)
	return c, err
}

// stepSums are the sums of squared differences between a pixel and the next, of those at even places and at odd ones.
type stepSums struct{ chroma, luma [2]float64 }

// add takes in the lines of a frame, as they are for pairing.spread.
func (s *stepSums) add(values []float64, lines, from, n, step int) {
	for i := range lines {
		for k := range n - 1 {
			a, b := values[i*from+k*step:][:3], values[i*from+(k+1)*step:][:3]
			r, g, b2 := b[0]-a[0], b[1]-a[1], b[2]-a[2]
			s.chroma[k%2] += frame.Square(r-g) + frame.Square(b2-g)
			s.luma[k%2] += frame.Square(lumaOf(r, g, b2))
		}
	}
}

// pairs returns which pixels share their chroma.
func (s *stepSums) pairs() pairing {
	for first, within := range s.chroma {
		between := s.chroma[1-first]
		if between > 0 && within <= maxShared*between && s.luma[first] >= maxShared*s.luma[1-first] {
			return pairing{Shared: true, Odd: first == 1}
		}
	}
	return pairing{}
}

// learn learns how chroma is interpolated from twice as large pairs, of the pairs that share it, as scenes look alike from octave to octave.
func (c *Chroma) learn(ctx context.Context, frames field.Source, width, height int) error {
	var slopes [2]slopeSums
	if err := frame.Each(ctx, frames, func(_ int, values []float64) {
		c.Across.eachHalf(values, height, 3*width, width, 3, slopes[0].add)
		c.Down.eachHalf(values, width, 3, height, 3*width, slopes[1].add)
	}); err != nil {
		return err
	}
	var misses [2]missSums
	for k, p := range []*pairing{&c.Across, &c.Down} {
		if p.Shared {
			p.Near, p.Far = slopes[k].weights()
			misses[k] = missSums{near: p.Near, far: p.Far}
		}
	}
	if err := frame.Each(ctx, frames, func(_ int, values []float64) {
		c.Across.eachHalf(values, height, 3*width, width, 3, misses[0].add)
		c.Down.eachHalf(values, width, 3, height, 3*width, misses[1].add)
	}); err != nil {
		return err
	}
	c.Across.Missed, c.Down.Missed = misses[0].slope(), misses[1].slope()
	return nil
}

// eachHalf calls visit for every two pairs of a frame's lines, which are as they are for spread, and both differences of channels: with half of what the second has
// more than the first, and with what the next two have more than those before, and those next to them.
func (p pairing) eachHalf(values []float64, lines, from, n, step int, visit func(half, near, far float64)) {
	if !p.Shared {
		return
	}
	for i := range lines {
		for _, pairs := range differencesOf(p, values[i*from:], n, step) {
			wide := make([]float64, len(pairs)/2)
			for k := range wide {
				wide[k] = (pairs[2*k] + pairs[2*k+1]) / 2
			}
			for k := range wide {
				visit((pairs[2*k+1]-pairs[2*k])/2, ahead(wide, k, 1), ahead(wide, k, 2))
			}
		}
	}
}

// slopeSums are the sums that Near and Far follow from, by least squares.
type slopeSums struct{ nn, nf, ff, n, f float64 }

// add takes in what eachHalf calls it with.
func (s *slopeSums) add(half, near, far float64) {
	s.nn, s.nf, s.ff, s.n, s.f = s.nn+near*near, s.nf+near*far, s.ff+far*far, s.n+near*half, s.f+far*half
}

// weights returns Near and Far: those of a straight line where nothing was learned.
func (s *slopeSums) weights() (near, far float64) {
	det := s.nn*s.ff - s.nf*s.nf
	if !(det > 1e-6*s.nn*s.ff) {
		return 1. / 8, 0
	}
	return (s.n*s.ff - s.f*s.nf) / det, (s.f*s.nn - s.n*s.nf) / det
}

// missSums are the sums of a line through the squared errors of interpolation over g = (c_k+1 − c_k−1)²: what they are where nothing changes is noise.
type missSums struct{ near, far, n, g, gg, e, ge float64 }

// add takes in what eachHalf calls it with.
func (s *missSums) add(half, near, far float64) {
	g, e := frame.Square(near), frame.Square(half-s.near*near-s.far*far)
	s.n, s.g, s.gg, s.e, s.ge = s.n+1, s.g+g, s.gg+g*g, s.e+e, s.ge+g*e
}

// slope returns Missed.
func (s *missSums) slope() float64 {
	det := s.n*s.gg - s.g*s.g
	if !(det > 1e-6*s.n*s.gg) {
		return 0
	}
	return max(0, (s.n*s.ge-s.g*s.e)/det)
}
