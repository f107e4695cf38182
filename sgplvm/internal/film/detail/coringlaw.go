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

// cored are sums over the values of a level: of products of what is sharp, by how much all channels have more of it, and what the truth lacks without either, and how many there are.
type cored struct{ sharp2, sharpMore, more2, sharpTruth, moreTruth, values float64 }

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
		more, energy := p.more.Row(y), p.energy.Row(y)
		for k, s := range p.sharp.Row(y) {
			x, c := k/n, k%n
			if counts.Data[y*counts.Height/truth.Height*counts.Width+x*counts.Width/truth.Width] == 0 {
				continue
			}
			lacking := truth.Row(y)[k] - (enlarged.Row(y)[k] - s)
			i, j, a := coringAt(energy[k])
			rows[y][c][i].add(1-a, s, more[k], lacking)
			rows[y][c][j].add(a, s, more[k], lacking)
		}
	})
	for _, row := range rows {
		for c := range row {
			for k := range coringLevels {
				l.levels[c][k].join(row[c][k])
			}
		}
	}
}

func (s *cored) add(w, sharp, more, truth float64) {
	s.join(cored{w * sharp * sharp, w * sharp * more, w * more * more, w * sharp * truth, w * more * truth, w})
}

func (s *cored) join(t cored) {
	s.sharp2 += t.sharp2
	s.sharpMore += t.sharpMore
	s.more2 += t.more2
	s.sharpTruth += t.sharpTruth
	s.moreTruth += t.moreTruth
	s.values += t.values
}

// coringRounds is after how many rounds of coordinate descent two parts are taken for the best ones.
const coringRounds = 32

// parts returns the regression of the truth on what is sharp and on what all channels have more, both from 0 to 1.
func (s *cored) parts() (own, shared float64) {
	own = 1
	if !(s.sharp2 > 0) {
		return own, shared
	}
	few := coringPrior / s.values
	for range coringRounds {
		if s.more2 > 0 {
			shared = min(max((s.moreTruth-own*s.sharpMore)/((1+few)*s.more2), 0), 1)
		}
		own = min(max((s.sharpTruth-shared*s.sharpMore+few*s.sharp2)/((1+few)*s.sharp2), 0), 1)
	}
	return own, shared
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
			all[c].own[k], all[c].shared[k] = s.parts()
			known = known || s.sharp2 > 0
		}
	}
	return all, known
}
