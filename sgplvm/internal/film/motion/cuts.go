package motion

import (
	"math"
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A film is cut where a frame has nothing to do with the one before it: it is unlike, and the dense flow does not find its
// contents either, which may have moved far where frames are far apart. Between two cuts is a shot: a sequence of its own,
// with the label of the whole, so that nothing is interpolated across a cut.

// Of a cut: how unlike the frames are at least, from 0 to 2, and by how many times as much as the median of all pairs.
const leastCut, cutRatio = 0.5, 5

// leastFollowed is the least part of all pixels that the dense flow follows to another frame of the same shot. Between frames of different films
// it follows up to 0.2 of them, within 13 films 0.4 and more; contents that turn by more than 1 are lost.
const leastFollowed = 0.3

// Where contents move so fast that all pairs are unlike, the flow alone tells, if it follows wellFollowed of the pixels at least in a third of some pairs.
const wellFollowed, pairsAsked = 0.6, 9

// A pairOfFrames is two frames of a sequence, one after the other, and how unlike they are.
type pairOfFrames struct {
	from, to int
	unlike   float64
}

// pairs returns all pairs of frames of different times, in order.
func (f *pyramids) pairs(all []Sequence) (pairs []pairOfFrames) {
	level := f.levels[len(f.levels)-1]
	for _, s := range all {
		for p := range len(s.Examples) - 1 {
			if a, b := s.Examples[p], s.Examples[p+1]; s.Times[p] < s.Times[p+1] {
				pairs = append(pairs, pairOfFrames{a, b, unlikeness(level[a], level[b])})
			}
		}
	}
	return pairs
}

// cuts returns after which frames the film is cut, of some pairs.
func (f *pyramids) cuts(pairs []pairOfFrames) map[int]bool {
	cuts, known := map[int]bool{}, map[int]float64{}
	if len(pairs) == 0 {
		return cuts
	}
	sorted := make([]float64, len(pairs))
	for k, p := range pairs {
		sorted[k] = p.unlike
	}
	slices.Sort(sorted)
	followed := func(k int) float64 {
		if _, ok := known[k]; !ok {
			known[k] = f.followed(pairs[k].from, pairs[k].to)
		}
		return known[k]
	}
	trusted := sync.OnceValue(func() bool {
		parts := make([]float64, min(len(pairs), pairsAsked))
		for k := range parts {
			parts[k] = followed(k * len(pairs) / len(parts))
		}
		slices.Sort(parts)
		return len(parts) > 1 && parts[len(parts)-1-(len(parts)-1)/3] >= wellFollowed
	})
	for k, p := range pairs {
		if p.unlike > leastCut && followed(k) < leastFollowed && (p.unlike > cutRatio*sorted[len(sorted)/2] || trusted()) {
			cuts[p.from] = true
		}
	}
	return cuts
}

// shots returns sequences cut into shots, by the pictures of the coarsest level and, where these are unlike, the flow on the finest.
func (f *pyramids) shots(all []Sequence) (shots []Sequence) {
	cuts := f.cuts(f.pairs(all))
	for _, s := range all {
		from := 0
		for p, frame := range s.Examples {
			if cuts[frame] || p+1 == len(s.Examples) {
				shots = append(shots, Sequence{Sequence: data.Sequence{Label: s.Label, Examples: s.Examples[from : p+1], Times: s.Times[from : p+1]}})
				from = p + 1
			}
		}
	}
	return shots
}

// unlikeness returns 1 less the correlation of two pictures over their pixels and channels, the channels' means taken off;
// 0 where one is plain.
func unlikeness(a, b frame.Image[float32]) float64 {
	means := make([]float64, 2*a.Channels)
	per := 1 / float64(a.Width*a.Height)
	for k, v := range a.Data {
		means[k%a.Channels] += per * float64(v)
		means[a.Channels+k%a.Channels] += per * float64(b.Data[k])
	}
	var aa, ab, bb float64
	for k, v := range a.Data {
		x, y := float64(v)-means[k%a.Channels], float64(b.Data[k])-means[a.Channels+k%a.Channels]
		aa, ab, bb = aa+float64(x*x), ab+float64(x*y), bb+float64(y*y)
	}
	if root := math.Sqrt(aa * bb); root > 0 {
		return 1 - ab/root
	}
	return 0
}

// followed returns the part of all pixels of a frame that the dense flow to another one finds there, as the flow back agrees.
func (f *pyramids) followed(from, to int) float64 {
	var shown [2]frame.Image[float32]
	for k, i := range [2]int{from, to} {
		spline := f.levels[f.estimated][i]
		shown[k] = frame.NewImage[float32](spline.Width, spline.Height, spline.Channels)
		Resample(shown[k], spline, noDisplacement(spline.Width, spline.Height))
	}
	flows := FlowsBetween(shown[0], shown[1])
	there, back, n := &flows.There, &flows.Back, 0
	for k := range there.Right {
		if apart, moved, inside := there.Return(back, k); inside && apart < frame.Square(FlowSpread)+frame.Square(flowPortion)*moved {
			n++
		}
	}
	return float64(n) / float64(len(there.Right))
}
