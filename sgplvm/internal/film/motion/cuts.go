package motion

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A film is cut where a frame has nothing to do with the one before it: it is unlike, and the dense flow does not find its
// contents either, which may have moved far where frames are far apart. Between two cuts is a shot: a sequence of its own,
// with the label of the whole, so that nothing is interpolated across a cut.

// minCut is how unlike the frames beside a cut are at least, from 0 to 2, and minFollowed the least part of all pixels that the dense flow follows to another frame of the same shot: between frames of different
// films it follows up to 0.2 of them, within 13 films 0.4 and more.
const minCut, minFollowed = 0.5, 0.3

// pixelsCompared is of how many pixels frames are at most between which the flow is asked for, and sideCompared below which side they are halved to tell how unlike they are.
const pixelsCompared, sideCompared = 1 << 14, 24

// cuts returns after which frames the film is cut: nowhere if that were between most frames of different times, as all contents are lost there.
func (f *Frames) cuts(all []Sequence) map[int]bool {
	cuts, pairs, level := map[int]bool{}, 0, f.coarse()
	for _, s := range all {
		for p := range len(s.Examples) - 1 {
			if a, b := s.Examples[p], s.Examples[p+1]; s.Times[p] < s.Times[p+1] {
				pairs++
				if unlikeness(level[a], level[b]) > minCut && f.followed(a, b) < minFollowed {
					cuts[a] = true
				}
			}
		}
	}
	if 2*len(cuts) > pairs {
		return nil
	}
	return cuts
}

// shots returns sequences cut into shots, by the pictures of the coarsest level and, where these are unlike, the flow on the finest.
func (f *Frames) shots(all []Sequence) (shots []Sequence) {
	cuts := f.cuts(all)
	for _, s := range all {
		from := 0
		for p, frame := range s.Examples {
			if cuts[frame] || p+1 == len(s.Examples) {
				shots = append(shots, Sequence{data.Sequence{Label: s.Label, Examples: s.Examples[from : p+1], Times: s.Times[from : p+1]}})
				from = p + 1
			}
		}
	}
	return shots
}

// coarse returns all frames, halved until a side is shorter than sideCompared, in units of the channels' deviations.
func (f *Frames) coarse() []frame.Image[float32] {
	size, inverse := frame.Size{Width: f.Width, Height: f.Height}, make([]float32, f.Channels)
	for min(size.Width, size.Height) >= sideCompared {
		size = size.Half()
	}
	for c, v := range f.Variances() {
		if v > 0 {
			inverse[c] = float32(f.Step / math.Sqrt(v))
		}
	}
	all := make([]frame.Image[float32], f.Frames)
	for i := range all {
		all[i] = f.smaller(i, size)
		for k := range all[i].Data {
			all[i].Data[k] *= inverse[k%f.Channels]
		}
		all[i].ToSpline() // what is fine counts for more
	}
	return all
}

// smaller returns a frame in fewer pixels.
func (f *Frames) smaller(i int, size frame.Size) frame.Image[float32] {
	m := frame.NewImage[float32](size.Width, size.Height, f.Channels)
	frame.DownsampleImage(m, f.Picture(i))
	return m
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
func (f *Frames) followed(from, to int) float64 {
	size := frame.Size{Width: f.Width, Height: f.Height}
	for size.Width*size.Height > pixelsCompared {
		size = size.Half()
	}
	flows := FlowsBetween(f.smaller(from, size), f.smaller(to, size))
	there, back, n := &flows.There, &flows.Back, 0
	for k := range there.Right {
		if apart, moved, inside := there.Return(back, k); inside && apart < frame.Square(FlowSpread)+frame.Square(flowPortion)*moved {
			n++
		}
	}
	return float64(n) / float64(len(there.Right))
}
