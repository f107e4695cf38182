package motion

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A Displacement evaluates the displacement d of a lattice's nodes, in pixels, on a frame of
// width×height pixels.
type Displacement struct {
	Lattice
	width, height  int
	column         []int     // the cell of each column of pixels
	columnPart     []float64 // and how far into it the column lies
	scaleX, scaleY float64   // from units of the frame's width to pixels
	cellX, cellY   float64   // cells in a pixel
	d              []float64 // of size() numbers
}

// newDisplacement prepares displacements of one lattice on frames of one size: of gives them.
func newDisplacement(l Lattice, width, height int) *Displacement {
	f := &Displacement{Lattice: l, width: width, height: height, scaleX: float64(width), scaleY: float64(height) * l.Aspect,
		cellX: float64(l.Across-1) / float64(width), cellY: float64(l.Down-1) / float64(height)}
	f.column, f.columnPart = cellsOf(width, l.Across)
	return f
}

// noDisplacement is 0 everywhere.
func noDisplacement(width, height int) *Displacement {
	return newDisplacement(Lattice{2, 2, 1}, width, height).of(make([]float64, 8))
}

// of returns the displacement d.
func (f Displacement) of(d []float64) *Displacement {
	f.d = d
	return &f
}

// row sets u and v to the displacement in pixels at the centres of row y.
func (f *Displacement) row(u, v []float64, y int) {
	j, k, b := frame.Between((float64(y)+0.5)*f.cellY, f.Down)
	n := f.nodes()
	for i, c := range f.column {
		a := f.columnPart[i]
		u[i] = f.scaleX * blend(f.d[:n], j*f.Across+c, k*f.Across+c, a, b)
		v[i] = f.scaleY * blend(f.d[n:], j*f.Across+c, k*f.Across+c, a, b)
	}
}

// Value returns the displacement in pixels at the point (x, y), in pixels.
func (f *Displacement) Value(x, y float64) (u, v float64) {
	i, _, a := frame.Between((x+0.5)*f.cellX, f.Across)
	j, k, b := frame.Between((y+0.5)*f.cellY, f.Down)
	n, top, bottom := f.nodes(), j*f.Across+i, k*f.Across+i
	return f.scaleX * blend(f.d[:n], top, bottom, a, b), f.scaleY * blend(f.d[n:], top, bottom, a, b)
}

// covariance returns the covariance of the displacement at the point (x, y), in squared pixels, from
// that of the nodes: uu, uv and vv of all.
func (f *Displacement) covariance(nodes []float64, x, y float64) (uu, uv, vv float64) {
	i, _, a := frame.Between((x+0.5)*f.cellX, f.Across)
	j, k, b := frame.Between((y+0.5)*f.cellY, f.Down)
	n, top, bottom := f.nodes(), j*f.Across+i, k*f.Across+i
	value := func(c []float64) float64 { return blend(c[:n], top, bottom, a, b) }
	return f.scaleX * f.scaleX * value(nodes), f.scaleX * f.scaleY * value(nodes[n:]), f.scaleY * f.scaleY * value(nodes[2*n:])
}

// blend interpolates node values between node top and the next, and node bottom below it and the next.
func blend(d []float64, top, bottom int, a, b float64) float64 {
	return (1-b)*((1-a)*d[top]+a*d[top+1]) + b*((1-a)*d[bottom]+a*d[bottom+1])
}

// inverse returns the point r with r + d(r) = s for s = (x, y), in pixels, by fixed-point
// iteration from r = s + (u, v). It converges where the displacement contracts, see lattice.stretch.
func (f *Displacement) inverse(x, y, u, v float64) (rx, ry float64) {
	rx, ry = x+u, y+v
	for range 60 {
		u, v = f.Value(rx, ry)
		nx, ny := x-u, y-v
		moved := math.Abs(nx-rx) + math.Abs(ny-ry)
		rx, ry = nx, ny
		if moved < 1e-6 {
			break
		}
	}
	return rx, ry
}

// Resample sets dst to the picture with the coefficients src at the points r + d(r): a frame in
// reference coordinates.
func Resample[T, S frame.Number](dst frame.Image[T], src frame.Image[S], f *Displacement) {
	mat.Parallel(dst.Height, func(y int) {
		buffer := mat.Borrow(2 * dst.Width)
		u, v := (*buffer)[:dst.Width], (*buffer)[dst.Width:]
		f.row(u, v, y)
		out := dst.Row(y)
		for x := range dst.Width {
			frame.Sample(out[x*dst.Channels:(x+1)*dst.Channels], src, float64(x)+u[x], float64(y)+v[x])
		}
		mat.GiveBack(buffer)
	})
}
