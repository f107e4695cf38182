package edge

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
	grid   bool        // two dimensions, all of their pairs in turn, the second dimension's fastest
}

// mostPairs is how many pairs of levels there may be for each point.
const mostPairs = 16

// pointsOf returns the points' coordinates in units of their own for each dimension; without units nothing.
func (c *Contents) pointsOf(units []float64) (p points) {
	if len(units) == 0 {
		return p
	}
	p.x = mat.NewDense(c.Points, len(units), c.Coordinates).T().Clone()
	for q, unit := range units {
		row := p.x.Row(q)
		for i := range row {
			row[i] /= unit
		}
		var levels []float64
		for _, v := range row {
			if k, has := slices.BinarySearch(levels, v); !has {
				levels = append(levels, v)
				copy(levels[k+1:], levels[k:])
				levels[k] = v
			}
			if len(levels)*len(levels) > mostPairs*c.Points {
				break
			}
		}
		p.pairs += len(levels) * len(levels)
		p.levels = append(p.levels, levels)
	}
	if p.pairs > mostPairs*c.Points {
		p.levels, p.pairs = nil, 0
	}
	for q, levels := range p.levels {
		at := make([]int32, c.Points)
		for i, v := range p.x.Row(q) {
			k, _ := slices.BinarySearch(levels, v)
			at[i] = int32(k)
		}
		p.at = append(p.at, at)
	}
	p.grid = len(p.levels) == 2 && len(p.levels[0])*len(p.levels[1]) == c.Points
	for i := 0; p.grid && i < c.Points; i++ {
		n := len(p.levels[1])
		p.grid = int(p.at[0][i]) == i/n && int(p.at[1][i]) == i%n
	}
	return p
}

// numbers returns how many numbers of 8 bytes points take.
func (p *points) numbers() int {
	n := len(p.x.Data)
	for q := range p.levels {
		n += len(p.levels[q]) + len(p.at[q])/2
	}
	return n
}
