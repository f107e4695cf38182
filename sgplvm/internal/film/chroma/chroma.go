package chroma

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Chroma tells which pixels of a film in red, green and blue share their chroma. Most videos keep less chroma than luma (chroma
// subsampling: 4:2:0, 4:2:2; Poynton, "Digital video and HD", 2nd edition, 2012), and most programs that unpack them repeat each
// sample of it, so that frames have steps of colour that were never filmed. A film is learned with chroma that is interpolated
// instead (Interpolated), and predicted frames repeat it again (Repeat). See docs/math.md, 19.8.
type Chroma struct {
	Across, Down pairing
}

// luma is Y = 0.299·R + 0.587·G + 0.114·B (Recommendation ITU-R BT.601). Chroma is counted as R − G and B − G, which every
// matrix makes of the same two samples.
var luma = [3]float64{0.299, 0.587, 0.114}

// lumaOf returns Y.
func lumaOf(red, green, blue float64) float64 { return luma[0]*red + luma[1]*green + luma[2]*blue }

// pairing is what pixels share along an axis: pairs of two that follow one another. The chroma of a pair is its mean. With c_k that
// of the pairs, its second pixel has c_k + Near·(c_k+1 − c_k−1) + Far·(c_k+2 − c_k−2), and its first as much less.
type pairing struct {
	Shared    bool
	Odd       bool // pairs begin at pixels 1, 3, 5 and so on
	Near, Far float64
	Missed    float64 // the mean squared error of that, over (c_k+1 − c_k−1)²
}

// Shared tells whether any pixels share their chroma.
func (c *Chroma) Shared() bool { return c.Across.Shared || c.Down.Shared }

// Interpolated returns frames of width×height pixels with chroma that is interpolated: frames themselves where no pixels share it.
func (c *Chroma) Interpolated(frames field.Source, width, height int) field.Source {
	if !c.Shared() {
		return frames
	}
	return interpolated{frames, *c, width, height}
}

// interpolated is a source of frames whose chroma is interpolated.
type interpolated struct {
	field.Source
	chroma        Chroma
	width, height int
}

// ReadExamples is that of field.Source.
func (s interpolated) ReadExamples(dst []float64, from, to int) error {
	if err := s.Source.ReadExamples(dst, from, to); err != nil {
		return err
	}
	for n := 3 * s.width * s.height; len(dst) > 0; dst = dst[n:] {
		s.chroma.Across.spread(dst[:n], s.height, 3*s.width, s.width, 3)
		s.chroma.Down.spread(dst[:n], s.width, 3, s.height, 3*s.width)
	}
	return nil
}

// concerns tells whether pixels of a frame share their chroma. It panics, naming the caller, if the shapes do not fit.
func (c *Chroma) concerns(caller string, f frame.Frame) bool {
	f.Check(caller, "a frame to change")
	if c.Shared() && f.Mean.Cols != len(luma) {
		panic(fmt.Sprintf("film: %s: a frame of %d channels, expected the %d of a film whose pixels share their chroma", caller, f.Mean.Cols, len(luma)))
	}
	return c.Shared()
}

// cell returns the pair that a pixel of a line is in, and on which side of its middle the pixel is.
func (p pairing) cell(pixel int) (pair int, side float64) {
	if p.Odd {
		pixel++
	}
	return pixel / 2, float64(2*(pixel%2) - 1)
}

// spread gives each pixel of a frame's lines the chroma that follows from the pairs, where they share it, and leaves luma as it is. Lines begin at
// multiples of from; their n pixels are step apart.
func (p pairing) spread(frame []float64, lines, from, n, step int) {
	if !p.Shared {
		return
	}
	mat.Parallel(lines, func(i int) {
		c := differencesOf(p, frame[i*from:], n, step)
		for k := range n {
			pair, side := p.cell(k)
			v := frame[i*from+k*step:][:3]
			y := lumaOf(v[0], v[1], v[2])
			var own [2]float64
			for d, pairs := range c {
				own[d] = pairs[pair] + side*(p.Near*ahead(pairs, pair, 1)+p.Far*ahead(pairs, pair, 2))
			}
			v[1] = y - luma[0]*own[0] - luma[2]*own[1]
			v[0], v[2] = v[1]+own[0], v[1]+own[1]
		}
	})
}

// ahead is by how much the pair that lies so far ahead has more than the one as far behind; the first and the last stand for those beyond.
func ahead(pairs []float64, pair, far int) float64 {
	return pairs[min(pair+far, len(pairs)-1)] - pairs[max(pair-far, 0)]
}

// differences are R − G and B − G of the pairs along a line.
type differences [2][]float64

// differencesOf returns that of n pixels, each three numbers, step apart.
func differencesOf(p pairing, line []float64, n, step int) (c differences) {
	last, _ := p.cell(n - 1)
	count := make([]float64, last+1)
	c[0], c[1] = make([]float64, last+1), make([]float64, last+1)
	for k := range n {
		pair, _ := p.cell(k)
		v := line[k*step:][:3]
		count[pair]++
		c[0][pair] += v[0] - v[1]
		c[1][pair] += v[2] - v[1]
	}
	for k, n := range count {
		c[0][k] /= n
		c[1][k] /= n
	}
	return c
}

// String tells in a few words which pixels share their chroma; nothing where none do.
func (c *Chroma) String() string {
	switch {
	case c.Across.Shared && c.Down.Shared:
		return "chroma of 2×2 pixels interpolated"
	case c.Across.Shared:
		return "chroma of 2×1 pixels interpolated"
	case c.Down.Shared:
		return "chroma of 1×2 pixels interpolated"
	}
	return ""
}
