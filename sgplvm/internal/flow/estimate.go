package flow

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// robust is the residual, in standard deviations of the intensities, at which the loss turns from
// quadratic to linear.
const robust = 0.1

// A film holds the frames for estimation, in standard units less a constant, as cubic B-spline
// coefficients: levels[0] the finest.
type film struct {
	aspect   float64 // width over height of a frame
	levels   [][]image[float32]
	gradient float64 // mean squared derivative of the intensities over the finest level, per frame's width
}

// A track is a list of frames, sequence after sequence and in order of time.
type track struct {
	frames []int     // numbers in the film
	times  []float64 // one for each
	linked []bool    // frame p is followed by frame p+1 of the same sequence
}

// smoothing is the length, in frame widths, over which the prior holds changes of the displacement
// together.
const smoothing = 1. / 8

// precision is the prior's: block-tridiagonal over the frames of a track, each block a combination
// of I and the lattice's Laplacian L. diagonal[p] = (a, b) stands for a·I + b·L, next[p] for the
// block of the frames p and p+1.
type precision struct {
	diagonal, next [][2]float64
}

// priorOf returns the precision of scale·Σ‖d_p‖² + scale·a²·Σ‖∇(d_{p+1} − d_p)‖², where a is
// smoothing and the gradients are differences between neighbouring nodes over their distance.
func priorOf(t track, l lattice, scale float64) precision {
	n := len(t.frames)
	q := precision{make([][2]float64, n), make([][2]float64, n)}
	membrane := scale * square(smoothing*float64(l.across-1))
	for p := range n {
		q.diagonal[p][0] = scale
		if t.linked[p] {
			q.diagonal[p][1] += membrane
			q.diagonal[p+1][1] += membrane
			q.next[p][1] -= membrane
		}
	}
	return q
}

// multiply adds block·x to dst, for a displacement x.
func (l lattice) multiply(dst, x []float64, block [2]float64) {
	for i, v := range x {
		dst[i] += block[0] * v
	}
	n := l.nodes()
	for _, o := range [2]int{0, n} {
		l.edges(func(p, q int) {
			e := block[1] * (x[o+q] - x[o+p])
			dst[o+q] += e
			dst[o+p] -= e
		})
	}
}

// addTo adds block to the matrix m.
func (l lattice) addTo(m mat.Matrix, block [2]float64) {
	n := l.nodes()
	for i := range m.Rows {
		m.Row(i)[i] += block[0]
	}
	for _, o := range [2]int{0, n} {
		l.edges(func(p, q int) {
			p, q = o+p, o+q
			m.Row(p)[p] += block[1]
			m.Row(q)[q] += block[1]
			m.Row(p)[q] -= block[1]
			m.Row(q)[p] -= block[1]
		})
	}
}

// A cell holds the sums of one pair of frames over one cell of the lattice: of the products of two
// corners' hat functions with the squares and the product of the two derivatives, and of a hat
// function with the derivatives times the residual.
type cell struct {
	xx, xy, yy [4][4]float64
	xt, yt     [4]float64
}

// A solver estimates the displacements of a track on one level.
type solver struct {
	lattice
	track
	prior   precision
	frames  []image[float32]
	flow    *flow
	warped  []image[float32]
	rowCell []int
	rowPart []float64
	factors []chol.Factor // of the normal equations, a block for each frame
}

// newSolver prepares the level of the film whose pictures are given; factors is storage, one for
// each frame of the track.
func newSolver(l lattice, t track, q precision, level []image[float32], factors []chol.Factor) *solver {
	s := &solver{lattice: l, track: t, prior: q, factors: factors}
	w, h := level[0].width, level[0].height
	for _, f := range t.frames {
		s.frames = append(s.frames, level[f])
		s.warped = append(s.warped, newImage[float32](w, h, level[f].channels))
	}
	s.flow = newFlow(l, w, h)
	s.rowCell, s.rowPart = hats(h, l.down)
	return s
}

// warp sets dst to the picture with the coefficients src at the places r + d(r).
func warp[T, S number](dst image[T], src image[S], f *flow) {
	mat.Parallel(dst.height, func(y int) {
		buffer := mat.Borrow(2 * dst.width)
		u, v := (*buffer)[:dst.width], (*buffer)[dst.width:]
		f.row(u, v, y)
		out := dst.row(y)
		for x := range dst.width {
			sample(out[x*dst.channels:(x+1)*dst.channels], src, float64(x)+u[x], float64(y)+v[x])
		}
		mat.GiveBack(buffer)
	})
}

// A state is a displacement of every frame with the cost there and what a step needs.
type state struct {
	d     mat.Matrix // frames × lattice.size
	cells [][]cell   // of every link, row by row
	cost  float64
}

func (s *solver) newState() *state {
	st := &state{d: mat.New(len(s.frames), s.size()), cells: make([][]cell, len(s.frames))}
	for p, linked := range s.linked {
		if linked {
			st.cells[p] = make([]cell, (s.across-1)*(s.down-1))
		}
	}
	return st
}

// evaluate computes the cost of st.d and the sums of its links.
func (s *solver) evaluate(st *state) {
	n := len(s.frames)
	mat.Parallel(n, func(p int) { warp(s.warped[p], s.frames[p], s.flow.of(st.d.Row(p))) })
	costs := make([]float64, n)
	mat.Parallel(n, func(p int) {
		if s.linked[p] {
			costs[p] = s.link(st.cells[p], s.warped[p], s.warped[p+1])
		}
	})
	st.cost = 0
	product := make([]float64, s.size())
	for p := range n {
		d := st.d.Row(p)
		clear(product)
		s.multiply(product, d, s.prior.diagonal[p])
		st.cost += costs[p] + dot(product, d)
		if s.linked[p] {
			clear(product)
			s.multiply(product, d, s.prior.next[p])
			st.cost += 2 * dot(product, st.d.Row(p+1))
		}
	}
}

// link sets cells to the sums of a pair of registered frames and returns their robust distance:
// the mean over pixels of 2σ²·(√(1 + e²/σ²) − 1), which is e² for small e, where e² is the mean
// square over the channels and σ robust.
func (s *solver) link(cells []cell, a, b image[float32]) (cost float64) {
	clear(cells)
	w, h, n := a.width, a.height, a.channels
	type sums struct{ xx, xy, yy [3]float64 } // products of the hats to the left and to the right: left², left·right, right²
	rows := make([]sums, s.across-1)
	times := make([][2][2]float64, s.across-1)
	scale, inverse := 1/float64(n)/float64(w*h), 1/(robust*robust*float64(n))
	for y := 1; y < h-1; y++ {
		clear(rows)
		clear(times)
		ra, rb := a.row(y), b.row(y)
		ua, ub, da, db := a.row(y-1), b.row(y-1), a.row(y+1), b.row(y+1)
		for x := 1; x < w-1; x++ {
			var xx, xy, yy, xt, yt, tt float64
			for o := x * n; o < x*n+n; o++ {
				gx := float64(ra[o+n] - ra[o-n] + rb[o+n] - rb[o-n])
				gy := float64(da[o] - ua[o] + db[o] - ub[o])
				t := float64(rb[o] - ra[o])
				xx += gx * gx
				xy += gx * gy
				yy += gy * gy
				xt += gx * t
				yt += gy * t
				tt += t * t
			}
			root := math.Sqrt(1 + tt*inverse)
			cost += root - 1
			g := 1 / root
			right := s.flow.columnPart[x]
			left := 1 - right
			c := s.flow.column[x]
			r := &rows[c]
			ll, lr, rr := g*left*left, g*left*right, g*right*right
			r.xx[0] += ll * xx
			r.xx[1] += lr * xx
			r.xx[2] += rr * xx
			r.xy[0] += ll * xy
			r.xy[1] += lr * xy
			r.xy[2] += rr * xy
			r.yy[0] += ll * yy
			r.yy[1] += lr * yy
			r.yy[2] += rr * yy
			t := &times[c]
			t[0][0] += g * left * xt
			t[0][1] += g * right * xt
			t[1][0] += g * left * yt
			t[1][1] += g * right * yt
		}
		below := s.rowPart[y]
		vertical := [2]float64{1 - below, below}
		// Central differences of the mean of two frames are four times the derivative per pixel.
		dx, dy := s.flow.scaleX/4, s.flow.scaleY/4
		for c := range rows {
			to := &cells[s.rowCell[y]*(s.across-1)+c]
			for p := range 4 {
				vp, hp := vertical[p/2], p%2
				to.xt[p] += scale * dx * vp * times[c][0][hp]
				to.yt[p] += scale * dy * vp * times[c][1][hp]
				for q := range 4 {
					v, at := scale*vp*vertical[q/2], hp+q%2
					to.xx[p][q] += v * dx * dx * rows[c].xx[at]
					to.xy[p][q] += v * dx * dy * rows[c].xy[at]
					to.yy[p][q] += v * dy * dy * rows[c].yy[at]
				}
			}
		}
	}
	return cost * 2 * robust * robust / float64(w*h)
}

// curvature adds the Gauss-Newton matrix of a link to m, and its residuals times the derivatives
// to r.
func (s *solver) curvature(m mat.Matrix, r []float64, cells []cell) {
	n := s.nodes()
	s.corners(func(at int, corner [4]int) {
		c := &cells[at]
		for p, cp := range corner {
			r[cp] += c.xt[p]
			r[n+cp] += c.yt[p]
			u, v := m.Row(cp), m.Row(n+cp)
			for q, cq := range corner {
				u[cq] += c.xx[p][q]
				u[n+cq] += c.xy[p][q]
				v[cq] += c.xy[p][q]
				v[n+cq] += c.yy[p][q]
			}
		}
	})
}

// step returns the damped Gauss-Newton step at st: the solution of the block-tridiagonal normal
// equations by block elimination with Cholesky factors (Golub and Van Loan, section 4.5). damping
// is the part by which the diagonal grows.
func (s *solver) step(st *state, damping float64) (mat.Matrix, error) {
	n, size := len(s.frames), s.size()
	x := mat.New(n, size)
	diagonal, link, before := mat.New(size, size), mat.New(size, size), mat.New(size, size)
	half := mat.New(size, size) // L⁻¹·(the block of frames p−1 and p)
	factors := s.factors
	residual, product, y := make([]float64, size), make([]float64, size), make([]float64, size)
	// x is the right-hand side first, minus half the gradient of the cost.
	for p := range n {
		d := st.d.Row(p)
		b := x.Row(p)
		s.multiply(b, d, s.prior.diagonal[p])
		if s.linked[p] {
			s.multiply(b, st.d.Row(p+1), s.prior.next[p])
		}
		if p > 0 && s.linked[p-1] {
			s.multiply(b, st.d.Row(p-1), s.prior.next[p-1])
		}
		for i := range b {
			b[i] = -b[i]
		}
	}
	curve := func(p int) { // sets link and residual to those of the frames p and p+1
		clear(link.Data)
		clear(residual)
		s.curvature(link, residual, st.cells[p])
	}
	for p := range n {
		clear(diagonal.Data)
		if p > 0 && s.linked[p-1] {
			mat.Add(diagonal, diagonal, 1, before)
		}
		s.addTo(diagonal, s.prior.diagonal[p])
		if s.linked[p] {
			curve(p)
			mat.Add(diagonal, diagonal, 1, link)
			for i, v := range residual {
				x.Row(p)[i] += v
				x.Row(p + 1)[i] -= v
			}
		}
		for i := range size {
			diagonal.Row(i)[i] *= 1 + damping
		}
		if p > 0 && s.linked[p-1] {
			mat.Syrk(diagonal, -1, half.T(), 1)
			copy(y, x.Row(p-1))
			factors[p-1].SolveHalf(mat.Vector(y))
			mat.Mul(mat.Vector(x.Row(p)), -1, half.T(), mat.Vector(y), 1)
		}
		if err := factors[p].Refactorize(diagonal); err != nil {
			return x, fmt.Errorf("motion: normal equations of frame %d: %w", s.track.frames[p], err)
		}
		if s.linked[p] {
			mat.Copy(before, link)
			mat.Scale(half, -1, link)
			s.addTo(half, s.prior.next[p])
			factors[p].SolveHalf(half)
		}
	}
	for p := n - 1; p >= 0; p-- {
		b := x.Row(p)
		if s.linked[p] {
			next := x.Row(p + 1)
			curve(p)
			mat.Mul(mat.Vector(product), -1, link, mat.Vector(next), 0)
			s.multiply(product, next, s.prior.next[p])
			for i, v := range product {
				b[i] -= v
			}
		}
		factors[p].Solve(mat.Vector(b))
	}
	return x, nil
}

// estimate returns the displacements of a track's frames, one row each: damped Gauss-Newton steps on
// the coarsest level first and the finest last.
func estimate(ctx context.Context, f *film, t track, l lattice, strength float64) (mat.Matrix, error) {
	q := priorOf(t, l, strength*f.gradient/float64(l.nodes()))
	d := mat.New(len(t.frames), l.size())
	factors := make([]chol.Factor, len(t.frames))
	for level := len(f.levels) - 1; level >= 0; level-- {
		w := f.levels[level][0]
		if level > 0 && (w.width < 2*l.across || w.height < 2*l.down) {
			continue
		}
		s := newSolver(l, t, q, f.levels[level], factors)
		now, next := s.newState(), s.newState()
		mat.Copy(now.d, d)
		s.evaluate(now)
		damping := 1e-4
		for range maxSteps {
			if err := ctx.Err(); err != nil {
				return d, err
			}
			step, err := s.step(now, damping)
			if err != nil {
				return d, err
			}
			for p := range step.Rows {
				l.move(next.d.Row(p), now.d.Row(p), step.Row(p))
			}
			s.evaluate(next)
			if !(next.cost < now.cost) {
				if damping *= 10; damping > 1e4 {
					break
				}
				continue
			}
			gain := now.cost - next.cost
			now, next = next, now
			damping = max(damping/10, 1e-6)
			if gain < 1e-3*now.cost {
				break
			}
		}
		mat.Copy(d, now.d)
	}
	return d, nil
}

// move sets dst to d + step, or to d and as much of the step as leaves the displacement valid:
// a half, a quarter, and so on.
func (l lattice) move(dst, d, step []float64) {
	for part := 1.; part > 1e-3; part /= 2 {
		for i, v := range step {
			dst[i] = d[i] + part*v
		}
		if l.valid(dst) {
			return
		}
	}
	copy(dst, d)
}

// maxSteps bounds the tries of a step on one level.
const maxSteps = 12

func dot(a, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
