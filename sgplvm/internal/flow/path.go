package flow

import (
	"context"
	"math"
	"sort"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Paths. The lattice of the motion is coarse, so that it can be estimated over the whole film; what it
// leaves is followed from frame to frame. From frame a to frame b the contents at r go along g(r),
// bilinear between the nodes of a finer lattice, in widths, which minimises
//
//	Σ ρ(y_b(φ_b(r + g/2)) − y_a(φ_a(r − g/2))) + λ·‖∇g‖²
//
// with the robust ρ of doc.go, a mean over pixels, and the mean of the squared gradient. Steps linearise
// as those of the motion do; their normal equations are solved by conjugate gradients, each frame's
// pair by itself.
//
// At a time t between a and b, w of the way, contents have come w·g from a and have (1 − w)·g to go
// to b, were they to move evenly. They do not: with o_i the displacement so expected of the
// frames a⁻, a, b and b⁺ around, the polynomial through these at t, Σ L_i·o_i, is
// where the contents bend off that line, and they are taken to do so by bendShare of it.

// Of a path: its nodes across, the smoothness λ, steps on each level and in each of these
// of conjugate gradients, until the residual has fallen by followPrecision.
const (
	followNodes     = 33
	followSmooth    = 0.1
	followSteps     = 3
	followSolves    = 60
	followPrecision = 0.02
	bendShare       = 0.8
)

// leastBend is the least part of the time from a to b that a frame beside them must be away: one
// closer by tells nothing of the path but its errors.
const leastBend = 1. / 16

// follow estimates the paths between all frames and the next, and around each frame from the one before to
// the one after it, by which it is predicted when it is left out. Errors: ctx.Err().
func (m *Motion) follow(ctx context.Context, f *film) error {
	type job struct {
		path     *[]float64
		of       sequence
		from, to int
	}
	m.paths = f.latticeAcross(followNodes)
	var jobs []job
	for i := range m.sequences {
		s := &m.sequences[i]
		n := len(s.frames)
		s.next, s.over = make([][]float64, n), make([][]float64, n)
		for p := range n {
			if p+1 < n {
				jobs = append(jobs, job{&s.next[p], *s, p, p + 1})
			}
			if p > 0 && p+1 < n {
				jobs = append(jobs, job{&s.over[p], *s, p - 1, p + 1})
			}
		}
	}
	mat.Parallel(len(jobs), func(j int) {
		if ctx.Err() == nil {
			*jobs[j].path = m.pathBetween(f, jobs[j].of, jobs[j].from, jobs[j].to)
		}
	})
	return ctx.Err()
}

// pathBetween returns the path from frame a to frame b of a sequence.
func (m *Motion) pathBetween(f *film, s sequence, a, b int) []float64 {
	l := m.paths
	g := make([]float64, l.size())
	smooth := followSmooth * float64(l.across-1) / float64(l.down-1)
	cells := make([]cell, (l.across-1)*(l.down-1))
	for level := len(f.levels) - 1; level >= 0; level-- {
		frames := f.levels[level]
		first, second := frames[s.frames[a]], frames[s.frames[b]]
		w, h := first.width, first.height
		solver := newSolver(l, track{}, precision{}, frames[:1], nil)
		from, to := newImage[float32](w, h, first.channels), newImage[float32](w, h, first.channels)
		own, path := newFlow(m.lattice, w, h), newFlow(l, w, h)
		for range followSteps {
			along(from, first, own.of(s.d.Row(a)), path.of(g), -0.5)
			along(to, second, own.of(s.d.Row(b)), path.of(g), 0.5)
			solver.link(cells, from, to)
			step := solver.followStep(cells, g, smooth)
			var most float64
			limit := 1 / float64(w)
			for i, v := range step {
				most = max(most, math.Abs(v))
				g[i] += max(-limit, min(limit, v))
			}
			if most < limit/50 {
				break
			}
		}
	}
	return g
}

// along sets dst to the picture with the coefficients src at φ(r + share·g(r)).
func along(dst, src image[float32], own, path *flow, share float64) {
	n := dst.channels
	mat.Parallel(dst.height, func(y int) {
		buffer := mat.Borrow(2 * dst.width)
		u, v := (*buffer)[:dst.width], (*buffer)[dst.width:]
		path.row(u, v, y)
		out := dst.row(y)
		for x := range dst.width {
			rx, ry := float64(x)+share*u[x], float64(y)+share*v[x]
			du, dv := own.at(rx, ry)
			sample(out[x*n:(x+1)*n], src, rx+du, ry+dv)
		}
		mat.GiveBack(buffer)
	})
}

// followStep returns the Gauss-Newton step of a path at g: the solution of (H + λL)·x = −r − λL·g, where H
// and r are the sums in the cells and L is the lattice's Laplacian, by conjugate gradients
// preconditioned with the 2×2 blocks of the nodes (Golub and Van Loan, section 11.5).
func (s *solver) followStep(cells []cell, g []float64, smooth float64) []float64 {
	size, n := s.size(), s.nodes()
	prior := [2]float64{0, smooth}
	residual := make([]float64, size)
	s.multiply(residual, g, prior)
	diagonal := make([][3]float64, n) // xx, xy, yy
	s.corners(func(c int, corner [4]int) {
		for p, at := range corner {
			residual[at] += cells[c].xt[p]
			residual[n+at] += cells[c].yt[p]
			d := &diagonal[at]
			d[0] += cells[c].xx[p][p]
			d[1] += cells[c].xy[p][p]
			d[2] += cells[c].yy[p][p]
		}
	})
	for i := range residual {
		residual[i] = -residual[i]
	}
	s.edges(func(p, q int) {
		for _, i := range [2]int{p, q} {
			diagonal[i][0] += smooth
			diagonal[i][2] += smooth
		}
	})
	precondition := func(dst []float64) {
		for i, d := range diagonal {
			det := d[0]*d[2] - d[1]*d[1]
			dst[i], dst[n+i] = (d[2]*residual[i]-d[1]*residual[n+i])/det, (d[0]*residual[n+i]-d[1]*residual[i])/det
		}
	}
	x, z, direction, product := make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, size)
	precondition(z)
	copy(direction, z)
	rz := dot(residual, z)
	for first, k := rz, 0; k < followSolves && rz > followPrecision*followPrecision*first; k++ {
		clear(product)
		s.multiply(product, direction, prior)
		s.corners(func(c int, corner [4]int) {
			for p, at := range corner {
				for q, by := range corner {
					u, v := direction[by], direction[n+by]
					product[at] += cells[c].xx[p][q]*u + cells[c].xy[p][q]*v
					product[n+at] += cells[c].xy[p][q]*u + cells[c].yy[p][q]*v
				}
			}
		})
		a := rz / dot(direction, product)
		for i := range x {
			x[i] += a * direction[i]
			residual[i] -= a * product[i]
		}
		precondition(z)
		next := dot(residual, z)
		for i := range direction {
			direction[i] = z[i] + next/rz*direction[i]
		}
		rz = next
	}
	return x
}

// A neighbour is a frame of a sequence, its weight in an interpolation, and where the contents at a
// point of the reference are to be looked for in it: at φ(r + offset(r)); nil stands for no offset.
type neighbour struct {
	place  int
	weight float64
	offset []float64
}

// around returns the frames before and after a time, without a frame that is not used (−1: none), and
// their weights in linear interpolation.
func (s sequence) around(t float64, but int) []neighbour {
	before, after := s.beside(t, but)
	switch {
	case before < 0 && after == len(s.times):
		return nil
	case before < 0:
		return []neighbour{{place: after, weight: 1}}
	case after == len(s.times):
		return []neighbour{{place: before, weight: 1}}
	}
	w := 0.5
	if span := s.times[after] - s.times[before]; span > 0 {
		w = (t - s.times[before]) / span
	}
	a, b := neighbour{place: before, weight: 1 - w}, neighbour{place: after, weight: w}
	if path := s.path(before, after); path != nil {
		a.offset, b.offset = s.offsets(t, w, before, after, path)
	}
	return []neighbour{a, b}
}

// offsetFlow returns a neighbour's offset on a grid of width×height pixels.
func (m *Motion) offsetFlow(n neighbour, width, height int) *flow {
	if n.offset == nil {
		return newFlow(lattice{2, 2, 1}, width, height).of(make([]float64, 8))
	}
	return newFlow(m.paths, width, height).of(n.offset)
}

// path returns that from one frame to another, which is the next or the next but one.
func (s sequence) path(from, to int) []float64 {
	switch {
	case s.next == nil:
		return nil
	case to == from+1:
		return s.next[from]
	case s.over == nil:
		return nil
	}
	return s.over[from+1]
}

// offsets returns where the contents at time t are in the frames before and after it, from the path
// between the two and those to the frames beside them.
func (s sequence) offsets(t, w float64, before, after int, path []float64) (a, b []float64) {
	times, expected := []float64{s.times[before], s.times[after]}, [][]float64{scaled(-w, path), scaled(1-w, path)}
	near := leastBend * (s.times[after] - s.times[before])
	if p := before - 1; p >= 0 && s.times[before]-s.times[p] >= near {
		times, expected = append(times, s.times[p]), append(expected, plus(expected[0], -1, s.next[p]))
	}
	if p := after + 1; p < len(s.times) && s.times[p]-s.times[after] >= near {
		times, expected = append(times, s.times[p]), append(expected, plus(expected[1], 1, s.next[after]))
	}
	a, b = expected[0], expected[1]
	for i, l := range lagrange(times, t) {
		a, b = plus(a, -bendShare*l, expected[i]), plus(b, -bendShare*l, expected[i])
	}
	return a, b
}

func scaled(a float64, x []float64) []float64 { return plus(make([]float64, len(x)), a, x) }

// plus returns x + a·y.
func plus(x []float64, a float64, y []float64) []float64 {
	z := make([]float64, len(x))
	for i, v := range y {
		z[i] = x[i] + a*v
	}
	return z
}

// beside returns the places of the frames before and after a time, −1 and the number of frames where
// there is none, passing over one frame.
func (s sequence) beside(t float64, but int) (before, after int) {
	after = sort.SearchFloat64s(s.times, t)
	before = after - 1
	if after < len(s.times) && s.frames[after] == but {
		after++
	}
	if before >= 0 && s.frames[before] == but {
		before--
	}
	return before, after
}
