package flow

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A displacement evaluates the displacement d of a lattice's nodes, in pixels, on a frame of
// width×height pixels.
type displacement struct {
	lattice
	width, height  int
	column         []int     // the cell of each column of pixels
	columnPart     []float64 // and how far into it the column lies
	scaleX, scaleY float64   // from units of the frame's width to pixels
	cellX, cellY   float64   // cells in a pixel
	d              []float64 // of size() numbers
}

// newDisplacement prepares displacements of one lattice on frames of one size: of gives them.
func newDisplacement(l lattice, width, height int) *displacement {
	f := &displacement{lattice: l, width: width, height: height, scaleX: float64(width), scaleY: float64(height) * l.aspect,
		cellX: float64(l.across-1) / float64(width), cellY: float64(l.down-1) / float64(height)}
	f.column, f.columnPart = cellsOf(width, l.across)
	return f
}

// noDisplacement is 0 everywhere.
func noDisplacement(width, height int) *displacement {
	return newDisplacement(lattice{2, 2, 1}, width, height).of(make([]float64, 8))
}

// of returns the displacement d.
func (f displacement) of(d []float64) *displacement {
	f.d = d
	return &f
}

// row sets u and v to the displacement in pixels at the centres of row y.
func (f *displacement) row(u, v []float64, y int) {
	j, k, b := between((float64(y)+0.5)*f.cellY, f.down)
	n := f.nodes()
	for i, c := range f.column {
		a := f.columnPart[i]
		u[i] = f.scaleX * blend(f.d[:n], j*f.across+c, k*f.across+c, a, b)
		v[i] = f.scaleY * blend(f.d[n:], j*f.across+c, k*f.across+c, a, b)
	}
}

// value returns the displacement in pixels at the point (x, y), in pixels.
func (f *displacement) value(x, y float64) (u, v float64) {
	i, _, a := between((x+0.5)*f.cellX, f.across)
	j, k, b := between((y+0.5)*f.cellY, f.down)
	n, top, bottom := f.nodes(), j*f.across+i, k*f.across+i
	return f.scaleX * blend(f.d[:n], top, bottom, a, b), f.scaleY * blend(f.d[n:], top, bottom, a, b)
}

// covariance returns the covariance of the displacement at the point (x, y), in squared pixels, from
// that of the nodes: uu, uv and vv of all.
func (f *displacement) covariance(nodes []float64, x, y float64) (uu, uv, vv float64) {
	i, _, a := between((x+0.5)*f.cellX, f.across)
	j, k, b := between((y+0.5)*f.cellY, f.down)
	n, top, bottom := f.nodes(), j*f.across+i, k*f.across+i
	value := func(c []float64) float64 { return blend(c[:n], top, bottom, a, b) }
	return f.scaleX * f.scaleX * value(nodes), f.scaleX * f.scaleY * value(nodes[n:]), f.scaleY * f.scaleY * value(nodes[2*n:])
}

// blend interpolates node values between node top and the next, and node bottom below it and the next.
func blend(d []float64, top, bottom int, a, b float64) float64 {
	return (1-b)*((1-a)*d[top]+a*d[top+1]) + b*((1-a)*d[bottom]+a*d[bottom+1])
}

// inverse returns the point r with r + d(r) = s for s = (x, y), in pixels, by fixed-point
// iteration from r = s + (u, v). It converges where the displacement contracts, see lattice.stretch.
func (f *displacement) inverse(x, y, u, v float64) (rx, ry float64) {
	rx, ry = x+u, y+v
	for range 60 {
		u, v = f.value(rx, ry)
		nx, ny := x-u, y-v
		moved := math.Abs(nx-rx) + math.Abs(ny-ry)
		rx, ry = nx, ny
		if moved < 1e-6 {
			break
		}
	}
	return rx, ry
}

// resample sets dst to the picture with the coefficients src at the points r + d(r): a frame in
// reference coordinates.
func resample[T, S number](dst image[T], src image[S], f *displacement) {
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

// resampleAlong is resample at φ(r + share·g(r)), where φ(r) = r + d(r) and g is an inter-frame flow.
func resampleAlong(dst, src image[float32], d, g *displacement, share float64) {
	n := dst.channels
	mat.Parallel(dst.height, func(y int) {
		buffer := mat.Borrow(2 * dst.width)
		u, v := (*buffer)[:dst.width], (*buffer)[dst.width:]
		g.row(u, v, y)
		out := dst.row(y)
		for x := range dst.width {
			rx, ry := float64(x)+share*u[x], float64(y)+share*v[x]
			du, dv := d.value(rx, ry)
			sample(out[x*n:(x+1)*n], src, rx+du, ry+dv)
		}
		mat.GiveBack(buffer)
	})
}
