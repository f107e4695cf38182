package flow

import (
	"math"
	"slices"
	"sync"
)

// A superResolutionLaw measures how frames of half the size are enlarged best: their truth, at the size of training, is known.
type superResolutionLaw struct {
	frames []*shownPixels
	more   func() []*shownPixels // with pixels of moreShown frames before and after each
	base   []image[float32]      // each enlarged by itself
	truth  []image[float32]
	scale  []float64 // the unit of squared errors: the mean energy of each channel
	known  map[superResolution]float64
}

// resolutionFrames is from how many frames it is learned, and leastResolved the least part by which root mean square errors must be lower for another choice: than with the first one, and than
// those of frames by themselves.
const resolutionFrames, leastResolved = 6, 0.01

// fewShown and moreShown are how many frames before and after one are tried.
const fewShown, moreShown = 2, 4

// resolutionNoise and resolutionMismatch are the values that are tried, from the first ones on.
var resolutionNoise, resolutionMismatch = []float64{0.1, 0.3, 1}, []float64{1, 0.3, 3}

// newSuperResolutionLaw takes in some of the frames of all shots, as they are, of which the detail is, and of half the size.
func newSuperResolutionLaw(shots []sequence, frames, half *TrainingFrames, d *Detail) *superResolutionLaw {
	l := &superResolutionLaw{known: map[superResolution]float64{}}
	for c := range half.Channels {
		unit := math.Inf(1) // of plain channels no error counts
		if s := d.energy[c]; s > 0 {
			unit = s / square(half.Step)
		}
		l.scale = append(l.scale, unit)
	}
	type placed struct {
		shot  sequence
		place int
	}
	var all, used []placed
	for _, s := range shots {
		for place := range s.Examples {
			if len(s.Examples) > 1 { // others show it as well
				all = append(all, placed{s, place})
			}
		}
	}
	n := min(len(all), resolutionFrames)
	for k := range n {
		x := all[(2*k+1)*len(all)/(2*n)]
		i := x.shot.Examples[x.place]
		used = append(used, x)
		l.base = append(l.base, doubled(sharpened(half.picture(i), d.sharpening, 1)))
		truth, whole := newImage[float32](2*half.Width, 2*half.Height, half.Channels), frames.picture(i)
		downsample(truth, whole) // the same pixels, or a row or column less
		for k, v := range truth.data {
			truth.data[k] = v * float32(frames.Step/half.Step)
		}
		l.truth = append(l.truth, truth)
	}
	shown := func(count int) (frames []*shownPixels) {
		for _, x := range used {
			frames = append(frames, half.shown(x.shot, x.place, -1, count))
		}
		return frames
	}
	l.frames, l.more = shown(fewShown), sync.OnceValue(func() []*shownPixels { return shown(moreShown) })
	return l
}

// error returns the sum of the mean squared errors of what is enlarged in a way, in units of the channels' energies.
func (l *superResolutionLaw) error(r superResolution) (sum float64) {
	if e, ok := l.known[r]; ok {
		return e
	}
	frames := l.frames
	if r.Frames == moreShown {
		frames = l.more()
	}
	for k, x := range frames {
		m := l.base[k]
		m.data = slices.Clone(m.data)
		if r != (superResolution{}) {
			x.improve(m, r, 1)
		}
		for i, v := range l.truth[k].data {
			sum += square(float64(v-m.data[i])) / (l.scale[i%m.channels] * float64(len(m.data)))
		}
	}
	l.known[r] = sum
	return sum
}

// best returns a way of little error: the first one, if no other mismatch and then no more noise is better by leastResolved, then with more frames if that is; none where little is won.
func (l *superResolutionLaw) best() superResolution {
	if len(l.frames) == 0 {
		return superResolution{}
	}
	best := superResolution{resolutionNoise[0], resolutionMismatch[0], fewShown}
	lower := func(r, than superResolution) bool {
		return math.Sqrt(l.error(r)) < (1-leastResolved)*math.Sqrt(l.error(than))
	}
	for _, mismatch := range resolutionMismatch[1:] {
		if r := (superResolution{best.Noise, mismatch, fewShown}); lower(r, best) {
			best = r
			break
		}
	}
	for _, noise := range resolutionNoise[1:] {
		r := superResolution{noise, best.Mismatch, fewShown}
		if !lower(r, best) {
			break
		}
		best = r
	}
	if !lower(best, superResolution{}) {
		return superResolution{}
	}
	if r := (superResolution{best.Noise, best.Mismatch, moreShown}); lower(r, best) {
		return r
	}
	return best
}
