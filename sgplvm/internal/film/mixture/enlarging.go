package mixture

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// An EnlargingLaw measures how much finer pixels still miss, cored, where the two frames around a time, whose contents are
// displaced by parts of pixels, show more together than one alone: training frames are predicted, each from those around it,
// by the dense flow between frames of half the size, where contents move by half as many pixels and so by about as many as
// between frames that are not left out.
type EnlargingLaw struct {
	half             *training.Frames  // no frames where they are too small to tell
	detail           *detail.Detail    // of half the size
	missed, expected []float64         // of each channel, sums of squared errors within 2×2 pixels, and of what the detail let expect
	values           float64           // as many in each channel
	coring           *detail.CoringLaw // which part of what is sharp in enlarged frames is contents
	left             float64           // over all channels, of what the detail let expect and other frames leave unresolved
}

// Of all places one in quietPlaces counts: where the flow is wrong more is missed, for which the mixture's variances stand.
const quietPlaces = 4

// NewEnlargingLaw starts with how frames of the shots of a motion are enlarged best (detail/superresolutionlaw.go), and which part of what is sharp in them then is contents (detail/coringlaw.go).
func NewEnlargingLaw(m *motion.Motion, frames *training.Frames, d *detail.Detail) *EnlargingLaw {
	l := &EnlargingLaw{half: &training.Frames{}, detail: d, coring: detail.NewCoringLaw(d)}
	if min(frames.Width, frames.Height) < 2*frame.LeastSide || len(d.Energy) == 0 {
		return l
	}
	l.half = frames.Halved()
	l.missed, l.expected = make([]float64, len(d.Energy)), make([]float64, len(d.Energy))
	small := *d
	small.Width, small.Height = l.half.Width, l.half.Height
	small.Energy, small.Ratio, small.White = nil, nil, nil
	small.Laplacian, small.LaplacianBelow = d.LaplacianBelow, nil
	for _, s := range d.Energy { // of the octave below, after which that of the frames comes as it is
		q := 1.0
		if c := len(small.Energy); len(d.Ratio) > 0 {
			q = math.Pow(d.Ratio[c], 1/detail.OctavePower)
		}
		small.Energy, small.Ratio = append(small.Energy, s/q), append(small.Ratio, q)
	}
	l.detail = &small
	small.Resolvable, small.Hypotheses, small.Smoothing = 1, false, detail.Smoothing{} // only places where paths meet best are looked at
	small.SuperResolution = detail.NewSuperResolutionLaw(m.Sequences, frames, l.half, d).Best()
	l.learnCoring(m, frames)
	return l
}

// coringFrames is from about how many frames coring is learned.
const coringFrames = 12

// learnCoring learns which part of what is sharp in enlarged frames is contents, from some of them.
func (l *EnlargingLaw) learnCoring(m *motion.Motion, frames *training.Frames) {
	learned := m.Examined(coringFrames)
	for i := range frames.Frames {
		if !learned[i] {
			continue
		}
		if shown, both, ok := besidesOf(l.half, l.detail, m.LeftOut(i), frame.Size{Width: frames.Width, Height: frames.Height}); ok {
			l.coring.Add(frames.Values(i), shown, both)
		}
	}
}

// Add takes in a training frame that was left out, and its moment.
func (l *EnlargingLaw) Add(truth frame.Frame, x motion.Moment) {
	if l.half.Frames == 0 {
		return
	}
	o := NewOthers(l.half, l.detail, x, truth.Width, truth.Height)
	if o.beyond > 0 {
		return
	}
	f := frame.New(truth.Width, truth.Height, truth.Mean.Cols)
	copy(f.Mean.Data, o.means[others-1].Data)
	l.detail.AddTo(f, detail.Unresolved{})
	l.coring.Core(f, frame.Size{Width: l.half.Width, Height: l.half.Height})
	e := truth.Picture()
	e.Add(-1, f.View())
	n := e.Channels
	coarse, squares, expected := frame.NewImage[float64](l.half.Width, l.half.Height, n), frame.NewImage[float64](l.half.Width, l.half.Height, n), frame.NewImage[float64](l.half.Width, l.half.Height, n)
	frame.DownsampleImage(coarse, e)
	for k, v := range e.Data {
		e.Data[k] = v * v
	}
	frame.DownsampleImage(squares, e)
	frame.DownsampleImage(expected, frame.Frame{Width: f.Width, Height: f.Height, Mean: f.Variance}.View())
	left := frame.NewImage[float64](l.half.Width, l.half.Height, 1)
	o.Unresolved().Over(left)
	sure := l.sure(NewOthers(l.half, l.detail, x, l.half.Width, l.half.Height).doubts)
	for _, place := range sure {
		for c := range n {
			k := place*n + c
			l.missed[c] += (squares.Data[k] - frame.Square(coarse.Data[k])) / l.scale(c)
			e := expected.Data[k] / l.scale(c)
			l.expected[c] += e
			l.left += e * left.Data[place]
		}
	}
	l.values += float64(len(sure))
}

// sure returns the pixels of half the size at which paths meet best.
func (l *EnlargingLaw) sure(doubt frame.Image[float64]) []int {
	places := make([]int, l.half.Width*l.half.Height)
	for k := range places {
		places[k] = k
	}
	if len(doubt.Data) > 0 {
		slices.SortStableFunc(places, func(a, b int) int {
			return cmp.Compare(doubt.Data[doubts*a+doubtApart], doubt.Data[doubts*b+doubtApart])
		})
	}
	return places[:max(len(places)/quietPlaces, 1)]
}

// scale is the unit of value k of a picture: the mean energy of its channel.
func (l *EnlargingLaw) scale(k int) float64 {
	return max(l.detail.Energy[k%len(l.detail.Energy)], detail.LeastScale)
}

// Resolved returns the detail of frames that are enlarged best.
func (l *EnlargingLaw) Resolved(d *detail.Detail) *detail.Detail {
	if l.detail.SuperResolution == d.SuperResolution {
		return d
	}
	resolved := *d
	resolved.SuperResolution = l.detail.SuperResolution
	return &resolved
}

// Detail returns the detail of frames with white noise of the given variances, with what it expects of contents as what was measured asks for,
// if that is less. Noise is taken for what it is.
func (l *EnlargingLaw) Detail(d *detail.Detail, noise []float64) *detail.Detail {
	scaled := l.coring.Detail(l.Resolved(d))
	if len(noise) > 0 {
		scaled = scaled.WithNoise(noise)
	}
	var missed, expected, all float64
	for c, v := range l.missed {
		missed += v
		all += l.expected[c]
		expected += scaled.Scenery(c) * l.expected[c]
		if len(noise) > 0 {
			missed -= l.values * 3. / 4 * noise[c] / l.scale(c)
		}
	}
	if !(missed > 0) || !(expected > 0) {
		return scaled
	}
	return scaled.Resolving(min(missed/expected, 1), l.left/all)
}
