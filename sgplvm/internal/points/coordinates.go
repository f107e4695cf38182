package points

import "github.com/seed-08962ecc/kronfield/mat"

// points are coordinates, a dimension after the other.
type points struct{ x mat.Matrix } // dimensions×n

// coordinates returns the points' coordinates as they are.
func (c *Contents) coordinates() points {
	return points{mat.NewDense(c.Points, len(c.Coordinates)/c.Points, c.Coordinates).T().Clone()}
}

// in returns the points' coordinates in units of their own for each dimension; without units nothing.
func (l *points) in(units []float64) (p points) {
	if len(units) == 0 {
		return p
	}
	p.x = mat.New(l.x.Rows, l.x.Cols)
	for q, unit := range units {
		divide(p.x.Row(q), l.x.Row(q), unit)
	}
	return p
}

//go:noinline
func divide(dst, v []float64, by float64) {
	for i, x := range v {
		dst[i] = x / by
	}
}

// splitPoint sets index to those of a point in each factor, of which the last one runs fastest.
func splitPoint(index []int, point int, sizes []int) {
	for f := len(sizes) - 1; f >= 0; f-- {
		index[f] = point % sizes[f]
		point /= sizes[f]
	}
}
