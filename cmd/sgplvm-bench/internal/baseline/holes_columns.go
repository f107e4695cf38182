package baseline

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
)

// completeColumns completes pictures by a model of their columns. Columns of which nothing is seen are left
// out and taken from the nearest point that was.
func completeColumns(ctx context.Context, kind HoleKind, d Incomplete, o HoleOptions) (Completion, error) {
	h := hideSome(d, o.Seed)
	never := newNeverSeen(d, h.pictures)
	inner := hidden{pictures: columns(h.pictures, never.kept)}
	for k, c := range h.cells {
		if j, found := slices.BinarySearch(never.kept, c.value); found {
			inner.cells, inner.truth = append(inner.cells, cell{c.picture, j}), append(inner.truth, h.truth[k])
		}
	}
	var l ladder
	switch kind {
	case DINEOF:
		l = dineofLadder(inner.pictures)
	case SoftImpute:
		l = softLadder(inner.pictures)
	case PPCAEM:
		l = ppcaLadder(inner.pictures)
	case GaussianEM:
		l = gaussianLadder(inner.pictures, rows(inSpacings(d.Points), never.points()), never.pointChannels())
	}
	value, model, scale, err := l.climb(ctx, inner)
	if err != nil {
		return Completion{}, err
	}
	y := columns(d.Pictures, never.kept)
	noisy, chosen := model.(noisyModel)
	var noise float64
	if chosen = chosen && len(inner.cells) > 0; chosen {
		if noise, scale, err = bestNoise(inner, noisy); err != nil {
			return Completion{}, err
		}
	}
	if model, err = l.fit(ctx, y, value, model); err != nil {
		return Completion{}, err
	}
	if chosen {
		model = model.(noisyModel).withNoise(noise)
	}
	mean, variance := y.Clone(), mat.New(y.Rows, y.Cols)
	if err := model.complete(mean, variance, y); err != nil {
		return Completion{}, err
	}
	mat.Scale(variance, scale, variance)
	return Completion{never.spread(d, mean, variance), []Parameter{{l.name, value}, {"variance factor", scale}}}, nil
}

// neverSeen tells columns with values from those without any.
type neverSeen struct {
	kept     []int // columns with a value, also where cross-validation hides some; ascending
	channels int
	stand    map[int]int     // of a column without: the nearest one with, of its channel, as a place in kept
	extra    map[int]float64 // the mean squared difference of such neighbours
}

// newNeverSeen looks at pictures of which cross-validation has hidden some values.
func newNeverSeen(d Incomplete, left mat.Matrix) *neverSeen {
	s := &neverSeen{channels: d.Channels, stand: map[int]int{}, extra: map[int]float64{}}
	for j := range left.Cols {
		for i := range left.Rows {
			if !math.IsNaN(left.At(i, j)) {
				s.kept = append(s.kept, j)
				break
			}
		}
	}
	if len(s.kept) == left.Cols {
		return s
	}
	for c := range d.Channels {
		var places []int
		for k, j := range s.kept {
			if j%d.Channels == c {
				places = append(places, k)
			}
		}
		if len(places) == 0 {
			continue
		}
		points := make([]int, len(places))
		for k, place := range places {
			points[k] = s.kept[place] / d.Channels
		}
		seen := rows(d.Points, points)
		tree := simple.NewTree(seen)
		_, difference := seenMoments(left, c, d.Channels)
		if d := neighbourDifference(left, s.kept, places, seen, tree); d > 0 {
			difference = d
		}
		for j := c; j < left.Cols; j += d.Channels {
			if _, found := slices.BinarySearch(s.kept, j); !found {
				s.stand[j] = places[tree.Nearest(nil, d.Points.Row(j/d.Channels), 1)[0]]
				s.extra[j] = difference
			}
		}
	}
	return s
}

// neighbourDifference is the mean squared difference of values at neighbouring points where both are seen; 0 where none are.
func neighbourDifference(y mat.Matrix, kept, places []int, x mat.Matrix, t *simple.Tree) float64 {
	var sum, count float64
	for number := range x.Rows {
		for _, other := range t.Nearest(nil, x.Row(number), 2) {
			if other == number {
				continue
			}
			for i := range y.Rows {
				if r := y.At(i, kept[places[number]]) - y.At(i, kept[places[other]]); !math.IsNaN(r) {
					sum += r * r
					count++
				}
			}
		}
	}
	return sum / max(count, 1)
}

// points returns the points of the kept columns, each once where all channels of it are kept, else one a column.
func (s *neverSeen) points() (list []int) {
	step := s.pointChannels()
	for k := 0; k < len(s.kept); k += step {
		list = append(list, s.kept[k]/s.channels)
	}
	return list
}

// pointChannels is how many columns of a point stand side by side in what is kept: all channels, or 1
// where some point has lost one of them.
func (s *neverSeen) pointChannels() int {
	if len(s.kept)%s.channels != 0 {
		return 1
	}
	for k, j := range s.kept {
		if j%s.channels != k%s.channels || j/s.channels != s.kept[k-k%s.channels]/s.channels {
			return 1
		}
	}
	return s.channels
}

// spread puts completed kept columns (n×|kept|) among all columns.
func (s *neverSeen) spread(d Incomplete, mean, variance mat.Matrix) Prediction {
	p := Prediction{d.Pictures.Clone(), mat.New(d.Pictures.Rows, d.Pictures.Cols)}
	for i := range mean.Rows {
		for k, j := range s.kept {
			if math.IsNaN(d.Pictures.At(i, j)) {
				p.Mean.Set(i, j, mean.At(i, k))
				p.Variance.Set(i, j, variance.At(i, k))
			}
		}
		for j := range d.Pictures.Cols {
			place, found := s.stand[j]
			if found && math.IsNaN(d.Pictures.At(i, j)) {
				p.Mean.Set(i, j, mean.At(i, place))
				p.Variance.Set(i, j, variance.At(i, place)+s.extra[j])
			}
		}
	}
	return p
}
