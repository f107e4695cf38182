package opticalflow

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// A Picture is the intensities of Width×Height pixels, row by row, in units of about their standard deviation.
type Picture struct {
	Width, Height int
	Pixels        []float32
}

// Flow is the displacement of every pixel, row by row, in pixels: to the right and down.
type Flow struct {
	Width, Height int
	Right, Down   []float32
}

// coarsest is about how many pixels the shorter side of the coarsest level has.
const coarsest = 16

// Between returns how the contents of a move to b, and back: what a shows at s is at s + there(s) in b, and what b shows at s is at s + back(s) in a, in pixels. It panics unless both
// have the same size, as many pixels as it says, and none of more than 10⁸.
func Between(a, b Picture) (there, back Flow) {
	mustFit(a, b)
	levels := [][2]Picture{{a, b}}
	for min(a.Width, a.Height) >= 2*coarsest {
		a, b = a.half(), b.half()
		levels = append(levels, [2]Picture{a, b})
	}
	var flows, found [2]Flow
	for k := len(levels) - 1; k >= 0; k-- {
		each := func(do func(way int, a, b Picture)) {
			var ways sync.WaitGroup
			ways.Go(func() { do(1, levels[k][1], levels[k][0]) })
			do(0, levels[k][0], levels[k][1])
			ways.Wait()
		}
		each(func(way int, a, b Picture) {
			if k == len(levels)-1 {
				flows[way] = globalShift(a, b)
			} else {
				flows[way] = flows[way].finer(a.Width, a.Height)
			}
			search(a, b, flows[way], k >= len(levels)-lostLevels)
			found[way] = flows[way].clone()
			refine(a, b, flows[way])
		})
		each(func(way int, a, b Picture) { keep(a, b, found[way], found[1-way], flows[way]) })
	}
	return flows[0], flows[1]
}

// mustFit panics unless pictures are what Between asks for.
func mustFit(a, b Picture) {
	if a.Width != b.Width || a.Height != b.Height || a.Width < 1 || a.Height < 1 || len(a.Pixels) != a.Width*a.Height || len(b.Pixels) != len(a.Pixels) {
		panic(fmt.Sprintf("opticalflow: pictures of %d×%d and %d×%d with %d and %d pixels", a.Width, a.Height, b.Width, b.Height, len(a.Pixels), len(b.Pixels)))
	}
	a.check()
	b.check()
}

// check panics unless products of slopes are numbers.
func (p Picture) check() {
	const most = 1e8
	for k, v := range p.Pixels {
		if !(v >= -most && v <= most) {
			panic(fmt.Sprintf("opticalflow: a picture with the pixel (%d, %d) of %v, expected numbers in units of about their standard deviation", k%p.Width, k/p.Width, v))
		}
	}
}

// half returns the picture of half the size, means of 2×2 pixels.
func (p Picture) half() Picture {
	h := Picture{Width: (p.Width + 1) / 2, Height: (p.Height + 1) / 2}
	h.Pixels = make([]float32, h.Width*h.Height)
	for y := range h.Height {
		top, bottom := p.row(2*y), p.row(min(2*y+1, p.Height-1))
		for x := range h.Width {
			l, r := 2*x, min(2*x+1, p.Width-1)
			h.Pixels[y*h.Width+x] = 0.25 * ((top[l] + top[r]) + (bottom[l] + bottom[r]))
		}
	}
	return h
}

func (p Picture) row(y int) []float32 { return p.Pixels[y*p.Width : (y+1)*p.Width] }

// at returns the picture at a point by bilinear interpolation, the nearest edge beyond one.
func (p Picture) at(x, y float32) float32 {
	first, next, below, right, down := around(p.Width, p.Height, x, y)
	return blended(p.Pixels, first, next, below, right, down)
}

// around returns the first of the four pixels around a point, by how much the numbers of those to the right and below are larger,
// and how far the point lies to the right and down.
func around(width, height int, x, y float32) (first, next, below int, right, down float32) {
	i, right := between(x, width)
	j, down := between(y, height)
	next, below = 1, width
	if width == 1 {
		next = 0
	}
	if height == 1 {
		below = 0
	}
	return j*width + i, next, below, right, down
}

// between returns the first of the two of n pixels around a point, or at the nearest edge, and how far it lies from that one to the next.
func between(x float32, n int) (i int, part float32) {
	if !(x > 0) || n == 1 {
		return 0, 0
	}
	if last := float32(n - 1); x >= last {
		return n - 2, 1
	}
	i = int(x)
	return i, x - float32(i)
}

// blended interpolates values between four pixels.
func blended(v []float32, first, next, below int, right, down float32) float32 {
	upper := v[first] + float32(right*(v[first+next]-v[first]))
	first += below
	lower := v[first] + float32(right*(v[first+next]-v[first]))
	return upper + float32(down*(lower-upper))
}

// At returns the displacement at a point, by bilinear interpolation, the nearest edge beyond one.
func (f *Flow) At(x, y float64) (right, down float64) {
	first, next, below, a, b := around(f.Width, f.Height, float32(x), float32(y))
	return float64(blended(f.Right, first, next, below, a, b)), float64(blended(f.Down, first, next, below, a, b))
}

// Return returns, of what pixel k of the first picture shows, the squared distance between that and where the flow and the one back lead, the squared displacement there, both in
// pixels, and whether that ends inside the second picture.
func (f *Flow) Return(back *Flow, k int) (apart, moved float64, inside bool) {
	u, v := float64(f.Right[k]), float64(f.Down[k])
	x, y := float64(k%f.Width)+u, float64(k/f.Width)+v
	if !(x >= 0 && y >= 0 && x <= float64(f.Width-1) && y <= float64(f.Height-1)) {
		return 0, 0, false
	}
	bu, bv := back.At(x, y)
	u2, v2 := float64(u*u), float64(v*v)
	bu, bv = u+bu, v+bv
	return float64(bu*bu) + float64(bv*bv), u2 + v2, true
}

func (f Flow) components() (u, v Picture) {
	return Picture{f.Width, f.Height, f.Right}, Picture{f.Width, f.Height, f.Down}
}

func (f Flow) clone() Flow {
	return Flow{f.Width, f.Height, slices.Clone(f.Right), slices.Clone(f.Down)}
}

func newFlow(width, height int) Flow {
	return Flow{width, height, make([]float32, width*height), make([]float32, width*height)}
}

// finer returns the flow of pictures of about twice the size.
func (f Flow) finer(width, height int) Flow {
	g := newFlow(width, height)
	u, v := f.components()
	sx, sy := float32(width)/float32(f.Width), float32(height)/float32(f.Height)
	for y := range height {
		for x := range width {
			cx, cy := (float32(x)+0.5)/sx-0.5, (float32(y)+0.5)/sy-0.5
			g.Right[y*width+x], g.Down[y*width+x] = sx*u.at(cx, cy), sy*v.at(cx, cy)
		}
	}
	return g
}

// globalShift returns the flow in which everything moves by the same whole pixels, at most a quarter of the
// side, that bring the pictures nearest, of which nearer ones win.
func globalShift(a, b Picture) Flow {
	f := newFlow(a.Width, a.Height)
	most := [2]int{a.Width / 4, a.Height / 4}
	best, bu, bv := math.Inf(1), 0, 0
	for v := -most[1]; v <= most[1]; v++ {
		for u := -most[0]; u <= most[0]; u++ {
			d := shifted(a, b, u, v) * (1 + 0.01*float64(u*u+v*v)/float64(most[0]*most[0]+most[1]*most[1]+1))
			if d < best || d == best && u*u+v*v < bu*bu+bv*bv {
				best, bu, bv = d, u, v
			}
		}
	}
	for i := range f.Right {
		f.Right[i], f.Down[i] = float32(bu), float32(bv)
	}
	return f
}

// shifted returns the mean absolute difference of what both pictures show after a shift, each less its mean.
func shifted(a, b Picture, u, v int) float64 {
	var sum, mean float64
	n := 0
	each := func(visit func(d float64)) {
		for y := max(0, -v); y < min(a.Height, a.Height-v); y++ {
			for x := max(0, -u); x < min(a.Width, a.Width-u); x++ {
				visit(float64(b.Pixels[(y+v)*b.Width+x+u] - a.Pixels[y*a.Width+x]))
			}
		}
	}
	each(func(d float64) { mean += d; n++ })
	mean /= float64(n)
	each(func(d float64) { sum += math.Abs(d - mean) })
	return sum / float64(n)
}
