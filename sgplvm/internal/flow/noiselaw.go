package flow

import (
	"math"
	"slices"
)

// A NoiseLaw measures the white noise of training pixels: what each shows by itself, of nothing that there is. The errors of
// all predictions of a frame have it, while what they have of contents follows these: it is less where there is less to be seen, and has not four times as
// much energy in an octave as in the one below.
type NoiseLaw struct {
	scale    []float64                               // the unit: the mean energy of each channel
	errors   [noisePredictions]seen                  // of the model, of the dense flow, and of that between enlarged frames
	white    [noisePredictions][noiseOctaves]float64 // of each octave, sums over frames: the energy in errors for each unit of white noise's variance
	frames   [noisePredictions]float64
	film     *TrainingFrames
	detail   *Detail
	stride   int     // of how many frames the last one is predicted from enlarged ones
	rounding float64 // the variance of what values were rounded by, which is as much in pixels of any size
}

// seen are, for some cells of each octave and channel, the energies of errors, and what they may be in proportion to.
type seen struct {
	parts   [noiseOctaves][][]varianceLaw
	squares [noiseOctaves][][]float64
}

// noisePredictions is how many predictions are looked at, and noiseOctaves in how many octaves.
const noisePredictions, noiseOctaves = 3, 2

// noiseCell is the side of the cells over which energies are averaged, in pairs of pixels: energies of few pixels depend on chance, and those of errors do
// not follow them. noiseSamples is about from how many cells the law is learned.
const noiseCell, noiseSamples = 4, 1 << 14

// interpolatedNoise is what white noise has left in the highest octave where a spline through pixels is sampled between them, the mean over all places.
const interpolatedNoise = 0.71

// resolvedFrames is about how many frames are predicted from enlarged ones, which takes time.
const resolvedFrames = 6

// quiet is of how many cells the one is that has the least of contents, as far as that is to be relied on.
const quiet = 4

// NewNoiseLaw starts with nothing, for frames that are enlarged as a detail says.
func NewNoiseLaw(frames *TrainingFrames, d *Detail) *NoiseLaw {
	l := &NoiseLaw{rounding: square(frames.Step) / 12, film: frames, detail: d, stride: max(min(frames.Frames, mostMixtureFrames)/resolvedFrames, 1)}
	for _, s := range d.energy {
		l.scale = append(l.scale, max(s, leastScale))
	}
	for p := range l.errors {
		for k := range noiseOctaves {
			l.errors[p].parts[k], l.errors[p].squares[k] = make([][]varianceLaw, len(l.scale)), make([][]float64, len(l.scale))
		}
	}
	return l
}

// Add takes in a training frame in pixels of training that was left out, its moment, and what the model and the others predicted of it.
func (l *NoiseLaw) Add(truth, predicted Frame, x Moment, o Others) {
	if o.beyond > 0 || len(o.doubts.data) == 0 || len(l.scale) == 0 {
		return
	}
	var shares float64 // what noise of the two frames around is in the flow's errors; the model may know contents from many frames
	for _, n := range x.neighbours() {
		shares += square(n.weight)
	}
	apart := newImage[float64](truth.Width, truth.Height, 1)
	for k := range apart.data {
		apart.data[k] = o.doubts.data[doubts*k+doubtApart]
	}
	all := []image[float64]{predicted.view(), o.means[others-1]}
	if l.detail.superResolution != (superResolution{}) && int(l.frames[0])%l.stride == 0 {
		all = append(all, l.resolved(truth, x))
	}
	for p, shown := range all {
		errors := truth.picture()
		errors.add(-1, shown)
		for k := range noiseOctaves {
			l.addOctave(&l.errors[p], k, octaveEnergy(errors), octaveEnergy(shown), apart)
			shown, errors = halfOf(shown), halfOf(errors)
		}
	}
	for k, octave := 0, whiteMissed; k < noiseOctaves; k, octave = k+1, octave/4 {
		l.white[0][k] += octave
		l.white[1][k] += octave * (1 + shares)
		if len(all) == noisePredictions {
			l.white[2][k] += octave
		}
	}
	l.white[1][0] -= whiteMissed * (1 - interpolatedNoise) * shares
	for p := range all {
		l.frames[p]++
	}
}

// addOctave takes in the energies of errors, those of what was predicted, and the squared distance by which the flow's paths are apart.
func (l *NoiseLaw) addOctave(to *seen, k int, errors, shown, apart image[float64]) {
	n := len(l.scale)
	all, distances := newImage[float64](errors.width, errors.height, 2*n+1), newImage[float64](errors.width, errors.height, 1)
	downsample(distances, apart)
	for i, d := range distances.data {
		row := all.data[i*(2*n+1) : (i+1)*(2*n+1)]
		row[2*n] = d
		for c, s := range l.scale {
			row[c], row[n+c] = errors.data[i*n+c]/s, shown.data[i*n+c]/s
		}
	}
	cells := newImage[float64](max(1, errors.width/noiseCell), max(1, errors.height/noiseCell), 2*n+1)
	downsample(cells, all)
	stride := 1 + 2*(cells.width*cells.height*mostMixtureFrames/(2*noiseSamples)) // odd, to meet columns of all kinds
	for i := int(l.frames[0]) % stride; i < cells.width*cells.height; i += stride {
		row := cells.data[i*(2*n+1) : (i+1)*(2*n+1)]
		for c := range l.scale {
			u := row[n+c]
			to.parts[k][c] = append(to.parts[k][c], varianceLaw{1: u, 2: u * row[2*n], everywhere: 1})
			to.squares[k][c] = append(to.squares[k][c], row[c])
		}
	}
}

// resolved predicts a frame from enlarged ones. Errors are less there where what pixels miss between them is known, which white noise is not.
func (l *NoiseLaw) resolved(truth Frame, x Moment) image[float64] {
	fine, coarse := l.film.Others(l.detail, x, 2*truth.Width, 2*truth.Height), newImage[float64](truth.Width, truth.Height, truth.Mean.Cols)
	downsample(coarse, fine.means[others-1])
	return coarse
}

// Variances returns that of each channel's white noise; nothing where no frames were added.
func (l *NoiseLaw) Variances() []float64 {
	if l.frames[0] == 0 {
		return nil
	}
	noise := make([]float64, len(l.scale))
	for c, s := range l.scale {
		least := math.Inf(1)
		for p, n := range l.frames {
			if n > 0 {
				least = min(least, n*l.variance(p, c))
			}
		}
		noise[c] = max(0, s*least-l.rounding)
	}
	return noise
}

// Most returns how much white noise each channel can have: as much as errors have energy in the quarter of the cells where that is least.
func (l *NoiseLaw) Most() []float64 {
	if l.frames[0] == 0 {
		return nil
	}
	most := make([]float64, len(l.scale))
	for c, s := range l.scale {
		most[c] = math.Inf(1)
		for p := range l.errors {
			for k, squares := range l.errors[p].squares {
				sorted := slices.Clone(squares[c])
				if slices.Sort(sorted); len(sorted) == 0 {
					continue
				}
				most[c] = min(most[c], s*l.frames[p]*sorted[len(sorted)/quiet]/l.white[p][k])
			}
		}
	}
	return most
}

// variance returns the variance of white noise, over the frames and in units of the channel's energy, that is in the errors of a prediction at most. In
// each octave the energy of errors is a sum of b, everywhere alike, and of parts in proportion to the energy shown and to that times the distance by
// which paths are apart. What b has of contents is not less in octave 2 than in octave 1, and not negative.
func (l *NoiseLaw) variance(p, c int) float64 {
	e, white := &l.errors[p], &l.white[p]
	var b, least [noiseOctaves]float64
	for k := range b {
		law := fitVariances(e.parts[k][c], e.squares[k][c], 0)
		contents := make([]float64, len(e.parts[k][c]))
		for i, p := range e.parts[k][c] {
			contents[i] = law[1]*p[1] + law[2]*p[2]
		}
		slices.Sort(contents)
		b[k], least[k] = law[everywhere], law[everywhere]-contents[len(contents)/quiet]
	}
	return min((least[0]-b[1])/(white[0]-white[1]), least[1]/white[1])
}
