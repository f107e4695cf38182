package points

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// points are coordinates, a dimension after the other. Points of a grid have few different ones: a Gaussian between any two is a product of numbers
// between levels.
type points struct {
	x      mat.Matrix  // dimensions×n
	levels [][]float64 // the coordinates that a dimension has, ascending; nil: too many to gain by it
	at     [][]int32   // which of them the points have
	pairs  int         // of levels, of all dimensions
}

// maxPairs is how many pairs of levels there may be for each point.
const maxPairs = 16

// coordinates returns the points' coordinates as they are.
func (c *Contents) coordinates() (l points) {
	dims := len(c.Coordinates) / c.Points
	l.x = mat.NewDense(c.Points, dims, c.Coordinates).T().Clone()
	for q := range dims {
		var levels []float64
		at := make([]int32, c.Points)
		for _, v := range l.x.Row(q) {
			if k, has := slices.BinarySearch(levels, v); !has {
				levels = append(levels, v)
				copy(levels[k+1:], levels[k:])
				levels[k] = v
			}
			if len(levels)*len(levels) > maxPairs*c.Points {
				break
			}
		}
		l.pairs += len(levels) * len(levels)
		l.levels, l.at = append(l.levels, levels), append(l.at, at)
	}
	if l.pairs > maxPairs*c.Points {
		l.levels, l.at, l.pairs = nil, nil, 0
		return l
	}
	for q, levels := range l.levels {
		for i, v := range l.x.Row(q) {
			k, _ := slices.BinarySearch(levels, v)
			l.at[q][i] = int32(k)
		}
	}
	return l
}

// in returns the points' coordinates in units of their own for each dimension; without units nothing.
func (l *points) in(units []float64) (p points) {
	if len(units) == 0 {
		return p
	}
	p.x, p.at, p.pairs = mat.New(l.x.Rows, l.x.Cols), l.at, l.pairs
	for q, unit := range units {
		divide(p.x.Row(q), l.x.Row(q), unit)
	}
	for q, v := range l.levels {
		levels := make([]float64, len(v))
		divide(levels, v, units[q])
		p.levels = append(p.levels, levels)
	}
	return p
}

//go:noinline
func divide(dst, v []float64, by float64) {
	for i, x := range v {
		dst[i] = x / by
	}
}

// numbers returns how many numbers of 8 bytes points take, without what they share.
func (p *points) numbers() int {
	n := len(p.x.Data)
	for _, levels := range p.levels {
		n += len(levels)
	}
	return n
}

// splitPoint sets index to those of a point in each factor, of which the last one runs fastest.
func splitPoint(index []int, point int, sizes []int) {
	for f := len(sizes) - 1; f >= 0; f-- {
		index[f] = point % sizes[f]
		point /= sizes[f]
	}
}
