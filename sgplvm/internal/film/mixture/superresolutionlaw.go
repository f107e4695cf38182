package mixture

import (
	"math"
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// A SuperResolutionLaw measures how frames of half the size are enlarged best: their truth, at the size of training, is known.
type SuperResolutionLaw struct {
	frames []*shownPixels
	more   func() []*shownPixels  // with pixels of moreShown frames before and after each
	base   []frame.Image[float32] // each enlarged by itself
	truth  []frame.Image[float32]
	scale  []float64 // the unit of squared errors: the mean energy of each channel
	known  map[SuperResolution]float64
}

// resolutionFrames is from how many frames it is learned, and minResolved the least part by which root mean square errors must be lower for another choice: than with the first one, and than
// those of frames by themselves.
const resolutionFrames, minResolved = 6, 0.01

// FewShown and moreShown are how many frames before and after one are tried.
const FewShown, moreShown = 2, 4

// resolutionNoise and resolutionMismatch are the values that are tried, from the first ones on.
var resolutionNoise, resolutionMismatch = []float64{0.1, 0.3, 1}, []float64{1, 0.3, 3}

// NewSuperResolutionLaw takes in some of the frames of all shots, as they are, of which the detail is, and of half the size.
func NewSuperResolutionLaw(shots []motion.Sequence, frames, half *motion.Frames, d *Detail) *SuperResolutionLaw {
	l := &SuperResolutionLaw{known: map[SuperResolution]float64{}}
	for c := range half.Channels {
		unit := math.Inf(1) // of plain channels no error counts
		if s := d.Energy[c]; s > 0 {
			unit = s / frame.Square(half.Step)
		}
		l.scale = append(l.scale, unit)
	}
	type placed struct {
		shot  motion.Sequence
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
		l.base = append(l.base, doubled(sharpened(half.Picture(i), d.Sharpening, 1)))
		truth, whole := frame.NewImage[float32](2*half.Width, 2*half.Height, half.Channels), frames.Picture(i)
		frame.DownsampleImage(truth, whole) // the same pixels, or a row or column less
		for k, v := range truth.Data {
			truth.Data[k] = v * float32(frames.Step/half.Step)
		}
		l.truth = append(l.truth, truth)
	}
	shown := func(count int) (frames []*shownPixels) {
		for _, x := range used {
			frames = append(frames, shownBy(half, x.shot, x.place, -1, count))
		}
		return frames
	}
	l.frames, l.more = shown(FewShown), sync.OnceValue(func() []*shownPixels { return shown(moreShown) })
	return l
}

// error returns the sum of the mean squared errors of what is enlarged in a way, in units of the channels' energies.
func (l *SuperResolutionLaw) error(r SuperResolution) (sum float64) {
	if e, ok := l.known[r]; ok {
		return e
	}
	frames := l.frames
	if r.Frames == moreShown {
		frames = l.more()
	}
	for k, x := range frames {
		m := l.base[k]
		m.Data = slices.Clone(m.Data)
		if r != (SuperResolution{}) {
			x.improve(m, r, 1)
		}
		for i, v := range l.truth[k].Data {
			sum += frame.Square(float64(v-m.Data[i])) / (l.scale[i%m.Channels] * float64(len(m.Data)))
		}
	}
	l.known[r] = sum
	return sum
}

// Best returns a way of little error: the first one, if no other mismatch and then no more noise is better by minResolved, then with more frames if that is; none where little is won.
func (l *SuperResolutionLaw) Best() SuperResolution {
	if len(l.frames) == 0 {
		return SuperResolution{}
	}
	best := SuperResolution{resolutionNoise[0], resolutionMismatch[0], FewShown}
	lower := func(r, than SuperResolution) bool {
		return math.Sqrt(l.error(r)) < (1-minResolved)*math.Sqrt(l.error(than))
	}
	for _, mismatch := range resolutionMismatch[1:] {
		if r := (SuperResolution{best.Noise, mismatch, FewShown}); lower(r, best) {
			best = r
			break
		}
	}
	for _, noise := range resolutionNoise[1:] {
		r := SuperResolution{noise, best.Mismatch, FewShown}
		if !lower(r, best) {
			break
		}
		best = r
	}
	if !lower(best, SuperResolution{}) {
		return SuperResolution{}
	}
	if r := (SuperResolution{best.Noise, best.Mismatch, moreShown}); lower(r, best) {
		return r
	}
	return best
}

// Enlarged returns the detail with frames of the shots of a motion enlarged as halved ones are best (superresolutionlaw.go).
func (d *Detail) Enlarged(m *motion.Motion, frames *motion.Frames) *Detail {
	if min(frames.Width, frames.Height) < 2*frame.LeastSide || len(d.Energy) == 0 {
		return d
	}
	enlarged := *d
	enlarged.SuperResolution = NewSuperResolutionLaw(m.Sequences, frames, frames.Halved(), d).Best()
	return &enlarged
}
