package detail

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A CoringLaw learns which part of what is sharp is contents, from frames at the size of training that were enlarged.
type CoringLaw struct {
	energy []float64
	levels []cored // of each channel
}

// cored are sums over values by their levels, in units of the channel's energy: of the squares of what is sharp, of that times what the truth has of it, and how many there are.
type cored struct{ squares, products, values [coringLevels]float64 }

// coringPrior is as how many more values, all of contents, those of a level are counted: few tell nothing.
const coringPrior = 256

// NewCoringLaw starts with nothing, for frames whose detail is known.
func NewCoringLaw(d *Detail) *CoringLaw {
	return &CoringLaw{d.Energy, make([]cored, len(d.Energy))}
}

// Add takes in a frame and how it was enlarged, of one size and in units of the values, and which of the pixels that it was enlarged from count, 0 or 1 for each.
func (l *CoringLaw) Add(truth, enlarged, counts frame.Image[float64]) {
	sharp, energy := sharpParts(enlarged, counts.Width, counts.Height)
	n := truth.Channels
	rows := make([][]cored, truth.Height)
	mat.Parallel(truth.Height, func(y int) {
		rows[y] = make([]cored, n)
		for k, v := range sharp.Row(y) {
			x, c := k/n, k%n
			if counts.Data[y*counts.Height/truth.Height*counts.Width+x*counts.Width/truth.Width] == 0 {
				continue
			}
			s := max(l.energy[c], LeastScale)
			lacking := truth.Row(y)[k] - (enlarged.Row(y)[k] - v)
			i, j, a := coringAt(energy.Row(y)[k] / s)
			for _, at := range [2]struct {
				level int
				w     float64
			}{{i, 1 - a}, {j, a}} {
				of := &rows[y][c]
				of.squares[at.level] += at.w * v * v / s
				of.products[at.level] += at.w * v * lacking / s
				of.values[at.level] += at.w
			}
		}
	})
	for _, row := range rows {
		for c := range row {
			for k := range coringLevels {
				l.levels[c].squares[k] += row[c].squares[k]
				l.levels[c].products[k] += row[c].products[k]
				l.levels[c].values[k] += row[c].values[k]
			}
		}
	}
}

// Detail returns the detail with what was learned, by linear regression of each level; the same one if that is nothing.
func (l *CoringLaw) Detail(d *Detail) *Detail {
	learned, known := *d, false
	learned.coring = make([]coring, len(l.levels))
	for c, of := range l.levels {
		for k, s := range of.squares {
			learned.coring[c][k] = 1
			if s > 0 {
				few := coringPrior / of.values[k]
				learned.coring[c][k] = min(max((of.products[k]/s+few)/(1+few), 0), 1)
				known = true
			}
		}
	}
	if !known {
		return d
	}
	return &learned
}
