package flow

import (
	"cmp"
	"math"
	"slices"
)

// An EnlargingLaw measures how much finer pixels still miss where the two frames around a time, whose contents are
// displaced by parts of pixels, show more together than one alone: training frames are predicted, each from those around it,
// by the dense flow between frames of half the size, where contents move by half as many pixels and so by about as many as
// between frames that are not left out.
type EnlargingLaw struct {
	half             *TrainingFrames // no frames where they are too small to tell
	detail           *Detail         // of half the size
	missed, expected []float64       // of each channel, sums of squared errors within 2×2 pixels, and of what the detail let expect
	values           float64         // as many in each channel
	left             float64         // over all channels, of what the detail let expect and other frames leave unresolved
}

// leastEnlarging is the least part of the variance of detail that is left. Of all places one in quietPlaces counts: where the flow is wrong more is missed,
// for which the mixture's variances stand.
const leastEnlarging, quietPlaces = 1. / 8, 4

// NewEnlargingLaw starts with how frames of the shots of a motion are enlarged best (superresolutionlaw.go), and nothing else.
func (m *Motion) NewEnlargingLaw(frames *TrainingFrames, d *Detail) *EnlargingLaw {
	l := &EnlargingLaw{half: &TrainingFrames{}, detail: d}
	if min(frames.Width, frames.Height) < 2*leastDetail || len(d.energy) == 0 {
		return l
	}
	l.half = frames.halved()
	l.missed, l.expected = make([]float64, len(d.energy)), make([]float64, len(d.energy))
	small := *d
	small.width, small.height = l.half.Width, l.half.Height
	small.energy, small.ratio, small.noise = nil, nil, nil
	for _, s := range d.energy { // of the octave below, after which that of the frames comes as it is
		q := 1.0
		if c := len(small.energy); len(d.ratio) > 0 {
			q = math.Pow(d.ratio[c], 1/octavePower)
		}
		small.energy, small.ratio = append(small.energy, s/q), append(small.ratio, q)
	}
	l.detail = &small
	small.resolvable = 1
	small.superResolution = newSuperResolutionLaw(m.sequences, frames, l.half, d).best()
	return l
}

// Add takes in a training frame that was left out, and its moment.
func (l *EnlargingLaw) Add(truth Frame, x Moment) {
	if l.half.Frames == 0 {
		return
	}
	o := l.half.Others(l.detail, x, truth.Width, truth.Height)
	if o.beyond > 0 {
		return
	}
	f := NewFrame(truth.Width, truth.Height, truth.Mean.Cols)
	copy(f.Mean.Data, o.means[others-1].data)
	l.detail.AddTo(f, Unresolved{})
	e := truth.picture()
	e.add(-1, f.view())
	n := e.channels
	coarse, squares, expected := newImage[float64](l.half.Width, l.half.Height, n), newImage[float64](l.half.Width, l.half.Height, n), newImage[float64](l.half.Width, l.half.Height, n)
	downsample(coarse, e)
	for k, v := range e.data {
		e.data[k] = v * v
	}
	downsample(squares, e)
	downsample(expected, Frame{Width: f.Width, Height: f.Height, Mean: f.Variance}.view())
	left := newImage[float64](l.half.Width, l.half.Height, 1)
	o.Unresolved().over(left)
	sure := l.sure(l.half.Others(l.detail, x, l.half.Width, l.half.Height).doubts)
	for _, place := range sure {
		for c := range n {
			k := place*n + c
			l.missed[c] += (squares.data[k] - square(coarse.data[k])) / l.scale(c)
			e := expected.data[k] / l.scale(c)
			l.expected[c] += e
			l.left += e * left.data[place]
		}
	}
	l.values += float64(len(sure))
}

// sure returns the pixels of half the size at which paths meet best.
func (l *EnlargingLaw) sure(doubt image[float64]) []int {
	places := make([]int, l.half.Width*l.half.Height)
	for k := range places {
		places[k] = k
	}
	if len(doubt.data) > 0 {
		slices.SortStableFunc(places, func(a, b int) int {
			return cmp.Compare(doubt.data[doubts*a+doubtApart], doubt.data[doubts*b+doubtApart])
		})
	}
	return places[:max(len(places)/quietPlaces, 1)]
}

// scale is the unit of value k of a picture: the mean energy of its channel.
func (l *EnlargingLaw) scale(k int) float64 {
	return max(l.detail.energy[k%len(l.detail.energy)], leastScale)
}

// Resolved returns the detail of frames that are enlarged best.
func (l *EnlargingLaw) Resolved(d *Detail) *Detail {
	if l.detail.superResolution == d.superResolution {
		return d
	}
	resolved := *d
	resolved.superResolution = l.detail.superResolution
	return &resolved
}

// Detail returns the detail of frames with white noise of the given variances, with what it expects of contents as what was measured asks for,
// if that is less. Noise is taken for what it is.
func (l *EnlargingLaw) Detail(d *Detail, noise []float64) *Detail {
	scaled := l.Resolved(d)
	if len(noise) > 0 {
		scaled = scaled.withNoise(noise)
	}
	var missed, expected, all float64
	for c, v := range l.missed {
		missed += v
		all += l.expected[c]
		expected += scaled.scenery(c) * l.expected[c]
		if len(noise) > 0 {
			missed -= l.values * 3. / 4 * noise[c] / l.scale(c)
		}
	}
	if !(missed > 0) || !(expected > 0) {
		return scaled
	}
	return scaled.resolving(min(missed/expected, 1), l.left/all)
}

// Parts returns the detail with parts of what it expects, one for each class of texture, at least leastEnlarging and what noise of the given variances at most is.
func (d *Detail) Parts(parts, noise []float64) *Detail {
	var most, expected float64
	for c, s := range d.energy {
		q, known := 1.0, 0.0
		if len(d.ratio) > 0 {
			q = d.ratio[c]
		}
		if len(d.noise) > 0 {
			known = d.noise[c]
		}
		if len(noise) > 0 {
			most += 3 * max(noise[c]-known, 0)
		}
		expected += math.Exp(d.a) * d.scenery(c) * q * s
	}
	less := *d
	less.parts = nil
	for _, p := range parts {
		if most > p*expected {
			p = min(most/max(expected, leastScale), 1)
		}
		less.parts = append(less.parts, max(p, leastEnlarging))
	}
	return &less
}

// resolving returns the detail with a part of what it expects, at least leastEnlarging, where other frames leave another part unresolved. As much of
// it is resolvable as makes these the same; if even all is not enough, less is expected everywhere.
func (d *Detail) resolving(part, unresolved float64) *Detail {
	less := *d
	part = max(part, leastEnlarging)
	if unresolved < 1 {
		less.resolvable = min((1-part)/(1-unresolved), 1)
	}
	less.a += math.Log(min(part/unresolved, 1))
	return &less
}
