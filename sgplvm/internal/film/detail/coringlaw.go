package detail

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A CoringLaw learns which part of what is sharp is contents, from frames at the size of training that were enlarged.
type CoringLaw struct {
	energy []float64
	levels [][coringLevels]cored // of each channel
}

// cored are sums over the values of a level: of products of the kinds of what is sharp, of these and what the truth lacks without them, and how many there are.
type cored struct {
	products [sharpKinds][sharpKinds]float64
	truth    [sharpKinds]float64
	values   float64
}

// coringPrior is as how many more values, all of contents, those of a level are counted: few tell nothing.
const coringPrior = 256

// NewCoringLaw starts with nothing, for frames whose detail is known.
func NewCoringLaw(d *Detail) *CoringLaw {
	return &CoringLaw{d.Energy, make([][coringLevels]cored, len(d.Energy))}
}

// Add takes in a frame and how it was enlarged, of one size and in units of the values, and which of the pixels that it was enlarged from count, 0 or 1 for each.
func (l *CoringLaw) Add(truth, enlarged, counts frame.Image[float64]) {
	p := sharpOf(enlarged, counts.Size(), l.energy)
	n := truth.Channels
	rows := make([][][coringLevels]cored, truth.Height)
	mat.Parallel(truth.Height, func(y int) {
		rows[y] = make([][coringLevels]cored, n)
		for k, v := range truth.Row(y) {
			x, c := k/n, k%n
			if counts.Data[y*counts.Height/truth.Height*counts.Width+x*counts.Width/truth.Width] == 0 {
				continue
			}
			var sharp [sharpKinds]float64
			for kind, of := range p.kinds {
				sharp[kind] = of.Row(y)[k]
			}
			lacking := v - (enlarged.Row(y)[k] - sharp[sharpMean] - sharp[sharpWithin])
			i, j, a := coringAt(p.energy.Row(y)[k])
			rows[y][c][i].add(1-a, sharp, lacking)
			rows[y][c][j].add(a, sharp, lacking)
		}
	})
	for _, row := range rows {
		for c := range row {
			for k := range coringLevels {
				l.levels[c][k].join(&row[c][k])
			}
		}
	}
}

// add takes in a value with a weight.
func (s *cored) add(w float64, sharp [sharpKinds]float64, truth float64) {
	for i, a := range sharp {
		for j, b := range sharp {
			s.products[i][j] += w * a * b
		}
		s.truth[i] += w * a * truth
	}
	s.values += w
}

func (s *cored) join(t *cored) {
	for i := range s.products {
		for j, v := range t.products[i] {
			s.products[i][j] += v
		}
		s.truth[i] += t.truth[i]
	}
	s.values += t.values
}

// coringRounds is after how many rounds of coordinate descent parts are taken for the best ones.
const coringRounds = 64

// parts returns the regression of the truth on what is sharp, each part from 0 to 1.
func (s *cored) parts() [sharpKinds]float64 {
	parts := asIs
	for range coringRounds {
		for i, of := range s.products {
			if !(of[i] > 0) {
				continue
			}
			few := coringPrior / s.values
			left := s.truth[i] + few*asIs[i]*of[i]
			for j, v := range of {
				if j != i {
					left -= parts[j] * v
				}
			}
			parts[i] = min(max(left/((1+few)*of[i]), 0), 1)
		}
	}
	return parts
}

// Detail returns the detail with what was learned; the same one if that is nothing.
func (l *CoringLaw) Detail(d *Detail) *Detail {
	parts, known := l.parts()
	if !known {
		return d
	}
	learned := *d
	learned.coring = parts
	return &learned
}

// Core takes off a frame that was enlarged twice, from pixels of some size, what is sharp in it and likely no contents.
func (l *CoringLaw) Core(f frame.Frame, from frame.Size) {
	if parts, known := l.parts(); known {
		core(f, from, parts, l.energy, 1)
	}
}

// parts returns what was learned of each level, and whether that is anything.
func (l *CoringLaw) parts() (all []coring, known bool) {
	all = make([]coring, len(l.levels))
	for c, of := range l.levels {
		for k, s := range of {
			for kind, v := range s.parts() {
				all[c][kind][k] = v
				known = known || s.products[kind][kind] > 0
			}
		}
	}
	return all, known
}
