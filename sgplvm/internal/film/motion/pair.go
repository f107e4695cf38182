package motion

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// lossScale is the difference, in standard deviations of the intensities, at which the loss turns from
// quadratic to linear: σ of doc.go.
const lossScale = 0.1

// A cell holds the sums of one pair of frames over one cell of the lattice: of the products of two
// corners' hat functions with the squares and the product of the two derivatives, and of a hat
// function with the derivatives times the difference of the frames.
type cell struct {
	xx, xy, yy [4][4]float64
	xt, yt     [4]float64
}

// pairing sums over pairs of frames of one size.
type pairing struct {
	Lattice
	displacement *Displacement // with no displacement yet
	rowCell      []int         // the cell of each row of pixels
	rowPart      []float64     // and how far into it the row lies
}

func newPairing(l Lattice, width, height int) pairing {
	s := pairing{Lattice: l, displacement: newDisplacement(l, width, height)}
	s.rowCell, s.rowPart = cellsOf(height, l.Down)
	return s
}

// rowSums are what sum adds up over one row of pixels in one cell: products with the hat functions to the left
// and to the right, left², left·right and right² of two, left and right of one.
type rowSums struct {
	xx, xy, yy [3]float64
	xt, yt     [2]float64
}

// sum sets cells to the sums of a pair of registered frames and returns their robust distance:
// the mean over pixels of 2σ²·(√(1 + e²/σ²) − 1), which is e² for small e, where e² is the mean
// square over the channels and σ lossScale.
func (s *pairing) sum(cells []cell, a, b frame.Image[float32]) (cost float64) {
	clear(cells)
	rows := make([]rowSums, s.Across-1)
	for y := 1; y < a.Height-1; y++ {
		clear(rows)
		cost = s.sumRow(rows, a, b, y, cost)
		s.addRow(cells[s.rowCell[y]*(s.Across-1):], rows, y, 1/float64(a.Channels)/float64(a.Width*a.Height))
	}
	return cost * 2 * lossScale * lossScale / float64(a.Width*a.Height)
}

// sumRow adds up row y and returns the sum of the pixels' distances, √(1 + e²/σ²) − 1, added to cost.
func (s *pairing) sumRow(rows []rowSums, a, b frame.Image[float32], y int, cost float64) float64 {
	n := a.Channels
	inverse := 1 / (lossScale * lossScale * float64(n))
	ra, rb := a.Row(y), b.Row(y)
	ua, ub, da, db := a.Row(y-1), b.Row(y-1), a.Row(y+1), b.Row(y+1)
	for x := 1; x < a.Width-1; x++ {
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
		right := s.displacement.columnPart[x]
		left := 1 - right
		r := &rows[s.displacement.column[x]]
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
		r.xt[0] += g * left * xt
		r.xt[1] += g * right * xt
		r.yt[0] += g * left * yt
		r.yt[1] += g * right * yt
	}
	return cost
}

// addRow adds the sums of row y, times scale, to the row of cells that it lies in.
func (s *pairing) addRow(cells []cell, rows []rowSums, y int, scale float64) {
	below := s.rowPart[y]
	vertical := [2]float64{1 - below, below}
	// Central differences of the mean of two frames are four times the derivative per pixel.
	dx, dy := s.displacement.scaleX/4, s.displacement.scaleY/4
	for c := range rows {
		to, r := &cells[c], &rows[c]
		for p := range 4 {
			vp, hp := vertical[p/2], p%2
			to.xt[p] += scale * dx * vp * r.xt[hp]
			to.yt[p] += scale * dy * vp * r.yt[hp]
			for q := range 4 {
				v, k := scale*vp*vertical[q/2], hp+q%2
				to.xx[p][q] += v * dx * dx * r.xx[k]
				to.xy[p][q] += v * dx * dy * r.xy[k]
				to.yy[p][q] += v * dy * dy * r.yy[k]
			}
		}
	}
}

// addCurvature adds the Gauss-Newton matrix of a pair to m, and its differences times the derivatives
// to r.
func (l Lattice) addCurvature(m mat.Matrix, r []float64, cells []cell) {
	n := l.nodes()
	l.corners(func(i int, corner [4]int) {
		c := &cells[i]
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
