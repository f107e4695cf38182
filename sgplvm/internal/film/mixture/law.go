package mixture

import (
	"cmp"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// A Law learns a Mixture from training frames that were left out: the products of the errors of the model and of
// the others.
type Law struct {
	mixture Mixture
	near    map[int]bool // the frames that count
	frames  int
	inside  products // between others
	few     products // between others, in shots of few frames
	outside products
	stride  int
	samples []errorSample
	gaps    []float64 // of each frame, as that of Others
}

// An errorSample is a value between the ends: its frame and channel, its traits, but for the spread of its gap, and, in units of the channel's
// deviation, the errors of the model and the others.
type errorSample struct {
	frame   int
	channel int
	traits  varianceLaw
	errors  [1 + others]float64
}

// NewLaw starts with nothing, to learn from about as many frames as given (0: 24) and the ends of all shots.
func NewLaw(m *motion.Motion, frames *motion.Frames, examined int) *Law {
	l := &Law{near: m.Examined(cmp.Or(examined, learnedFrames)), mixture: Mixture{}}
	for _, v := range frames.Variances() {
		l.mixture.scale = append(l.mixture.scale, max(v, LeastScale))
	}
	most := min(m.Frames, cmp.Or(examined, learnedFrames))
	l.stride = 1 + 2*int(float64(m.Width)*float64(m.Height)*float64(most)/(2*lawSamples)) // odd, to meet columns of all kinds
	var at []data.Instant
	for _, s := range m.Sequences {
		for _, t := range s.Times {
			at = append(at, data.Instant{Sequence: s.Label, Time: t})
		}
	}
	l.mixture.unit = data.MedianSpacing(at)
	return l
}

// Wants tells whether frame i counts.
func (l *Law) Wants(i int) bool { return l.near[i] }

// Frames returns how many frames count.
func (l *Law) Frames() int { return len(l.near) }

// Add takes in a frame, what the model predicted of it and what the others did.
func (l *Law) Add(truth, predicted frame.Frame, o Others) {
	n, mean := truth.Mean.Cols, l.mixture.meanScale()
	rows, samples := make([]products, truth.Height), make([][]errorSample, truth.Height)
	mat.Parallel(truth.Height, func(y int) {
		s := errorSample{frame: l.frames}
		e := &s.errors
		for x := range truth.Width {
			pixel := y*truth.Width + x
			for c, scale := range l.mixture.scale {
				per := 1 / math.Sqrt(scale)
				e[0] = per * (predicted.Mean.At(pixel, c) - truth.Mean.At(pixel, c))
				for k, m := range o.means {
					e[1+k] = per * (m.Data[pixel*n+c] - truth.Mean.At(pixel, c))
				}
				v := predicted.Variance.At(pixel, c)
				rows[y].add(e, v/scale)
				if o.beyond == 0 && (pixel+l.frames)%l.stride == 0 {
					s.channel, s.traits = c, o.traits(x, y, c, v, scale, mean, 1)
					samples[y] = append(samples[y], s)
				}
			}
		}
	})
	for _, row := range samples {
		l.samples = append(l.samples, row...)
	}
	to := &l.inside
	if o.beyond > 0 {
		to = &l.outside
	} else if o.few {
		to = &l.few
	}
	to.frames++
	for k := range rows {
		to.join(&rows[k])
	}
	l.gaps = append(l.gaps, o.gap)
	l.frames++
}

// Mixture returns what was learned, and where that is too little what holds for few frames (fewframes.go).
func (l *Law) Mixture() *Mixture {
	x := l.mixture
	switch {
	case l.knowsModel():
		x.inside = l.inside.weights(0)
	case l.few.frames > 0:
		x.inside = l.few.weights(1)
	default:
		x.inside = weights{others: 1}
	}
	if len(l.samples) == 0 {
		x.gap = gapOf(x.unit/2, x.unit/2)
		x.laws = lawsOfFew(len(x.scale))
	} else {
		x.gap = typicalGap(l.gaps)
		x.laws = l.variances(&x)
	}
	x.outside = l.beyond()
	return &x
}

// knowsModel tells whether anything was learned of the model between frames.
func (l *Law) knowsModel() bool { return l.inside.frames > 0 }

// beyond returns the weights beyond the ends, of least squared error if the model is known between them, else the nearest frame alone, and the factor that gives errors under them
// their mean square.
func (l *Law) beyond() share {
	s, p := share{Weights: weights{2: 1}, Factor: 1}, l.outside
	if !(p.count > 0) {
		return s
	}
	if l.knowsModel() {
		s.Weights = simplexWeights(&p.plain, 0)
	}
	s.Factor = min(max(quadratic(&p.relative, &s.Weights)/p.count, 1/frame.MaxNumber), frame.MaxNumber)
	return s
}

// variances returns the law of each channel under a mixture's weights.
func (l *Law) variances(x *Mixture) (laws []varianceLaw) {
	channels := len(x.scale)
	errors := l.mixed(x)
	rows, squares := make([][]varianceLaw, channels), make([][]float64, channels)
	for i, s := range l.samples {
		parts := s.traits
		parts[bySlope] *= spreadOf(l.gaps[s.frame], x.gap)
		if !l.knowsModel() {
			parts[modelled] = 0
		}
		rows[s.channel] = append(rows[s.channel], parts)
		squares[s.channel] = append(squares[s.channel], frame.Square(errors[i]))
	}
	laws = make([]varianceLaw, channels)
	mat.Parallel(channels, func(c int) { laws[c] = fitVariances(rows[c], squares[c]) })
	return laws
}

// mixed returns the errors of samples under a mixture.
func (l *Law) mixed(x *Mixture) (errors []float64) {
	errors = make([]float64, len(l.samples))
	for i, s := range l.samples {
		for k, w := range x.inside {
			errors[i] += w * s.errors[k]
		}
	}
	return errors
}

// typicalGap returns the geometric mean of those gaps that are none of 0; 0 of none.
func typicalGap(gaps []float64) float64 {
	var sum, n float64
	for _, g := range gaps {
		if g > 0 {
			sum += math.Log(g)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return math.Exp(sum / n)
}

// LawMemory returns about how many bytes the samples of a law take that is learned from frames of some channels.
func LawMemory(channels int) float64 {
	return float64(channels) * lawSamples * 2 * 8 * (3 + varianceParts + 1 + others)
}
