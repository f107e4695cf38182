package mixture

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// A NoiseLaw measures the white noise of training pixels: what each shows by itself, of nothing that there is. The errors of
// all predictions of a frame have it, while what they have of contents follows these: it is less where there is less to be seen, and has not four times as
// much energy in an octave as in the one below.
type NoiseLaw struct {
	scale    []float64                               // the unit: the mean energy of each channel
	errors   [noisePredictions]seen                  // of the model, of the dense flow, of that between enlarged frames, and of that along straight paths
	white    [noisePredictions][noiseOctaves]float64 // of each octave, sums over frames: the energy in errors for each unit of white noise's variance
	frames   [noisePredictions]float64               // how many were taken in
	film     *training.Frames                        // what frames are predicted from where they are enlarged, as detail says
	detail   *detail.Detail
	stride   int     // of how many frames one is predicted along straight paths as well
	turns    asking  // how much places differ in what pixels miss between them
	rounding float64 // the variance of what values were rounded by, which is as much in pixels of any size
}

// seen are, for some cells of each octave and channel, the energies of errors, and what they may be in proportion to.
type seen struct {
	parts   [noiseOctaves][][]varianceLaw
	squares [noiseOctaves][][]float64
}

// Of the errors that are looked at: those of the model, of the dense flow, of that between enlarged frames, and of that along straight paths where others bend. Straight ones err more, but
// where they are apart, while what is left along paths that bend can look alike everywhere, as noise does.
const (
	inModel = iota
	inFlow
	inEnlarged
	inStraight
	noisePredictions
)

// noiseOctaves is in how many octaves they are.
const noiseOctaves = 2

// noiseCell is the side of the cells over which energies are averaged, in pairs of pixels: energies of few pixels depend on chance, and those of errors do
// not follow them. noiseSamples is about from how many cells the law is learned.
const noiseCell, noiseSamples = 4, 1 << 14

// interpolatedNoise is what white noise has left in the highest octave where a spline through pixels is sampled between them, the mean over all places.
const interpolatedNoise = 0.71

// straightFrames is about how many frames are predicted along straight paths as well, which takes time.
const straightFrames = 6

// quiet is of how many cells the one is that has the least of contents, as far as that is to be relied on.
const quiet = 4

// LawMemory returns about how many bytes the samples of all laws take that are learned from frames of some channels: of two mixtures (Choice) and of noise.
func LawMemory(channels int) float64 {
	const sample, energies = 160, 8 * (varianceParts + 1) // bytes of an errorSample, and of what is seen of a cell
	return float64(channels) * (2*errorSamples*sample + noisePredictions*noiseOctaves*noiseSamples*energies)
}

// NewNoiseLaw starts with nothing, for frames that are enlarged as a detail says.
func NewNoiseLaw(frames *training.Frames, d *detail.Detail) *NoiseLaw {
	l := &NoiseLaw{rounding: frame.Square(frames.Step) / 12, film: frames, detail: d, stride: max(min(frames.Frames, mostMixtureFrames)/straightFrames, 1)}
	for _, s := range d.Energy {
		l.scale = append(l.scale, max(s, detail.LeastScale))
	}
	for p := range l.errors {
		for k := range noiseOctaves {
			l.errors[p].parts[k], l.errors[p].squares[k] = make([][]varianceLaw, len(l.scale)), make([][]float64, len(l.scale))
		}
	}
	return l
}

// Add takes in a training frame in pixels of training that was left out, its moment, and what the model and the others predicted of it, with the flow between frames as they are and between enlarged ones (Choice).
func (l *NoiseLaw) Add(truth, predicted frame.Frame, x motion.Moment, o, enlarged Others) {
	if o.beyond > 0 || len(o.doubts.Data) == 0 || len(l.scale) == 0 {
		return
	}
	shares := o.noise // what noise of the frames around is in the flow's errors; the model may know contents from many frames
	var unit float64  // the mean energy of all channels
	for _, s := range l.scale {
		unit += s / float64(len(l.scale))
	}
	doubt := frame.NewImage[float64](truth.Width, truth.Height, 2)
	for k := range truth.Width * truth.Height {
		d := o.doubts.Data[doubts*k:]
		texture, missed := d[doubtEnergy], d[doubtMissed]
		doubt.Data[2*k], doubt.Data[2*k+1] = d[doubtApart], missed/unit
		l.turns = l.turns.plus(asking{texture: texture, turned: missed, turned2: missed * missed / max(texture, detail.LeastScale)}, 1)
	}
	all := []frame.Image[float64]{predicted.View(), o.means[others-1]}
	if l.detail.SuperResolution != (detail.SuperResolution{}) {
		all = append(all, enlarged.means[others-1])
		if l.detail.Bends && int(l.frames[inModel])%l.stride == 0 {
			even := *l.detail
			even.Bends = false
			all = append(all, predictOthers(l.film, &even, x, truth.Width, truth.Height, true).enlarged)
		}
	}
	for p, shown := range all {
		errors := truth.Picture()
		errors.Add(-1, shown)
		for k := range noiseOctaves {
			l.addOctave(p, k, detail.OctaveEnergy(errors), detail.OctaveEnergy(shown), doubt)
			shown, errors = detail.HalfOf(shown), detail.HalfOf(errors)
		}
	}
	for k, octave := 0, detail.WhiteMissed; k < noiseOctaves; k, octave = k+1, octave/4 {
		l.white[inModel][k] += octave
		l.white[inFlow][k] += octave * (1 + shares)
		for p := inEnlarged; p < len(all); p++ {
			l.white[p][k] += octave
		}
	}
	l.white[inFlow][0] -= detail.WhiteMissed * (1 - interpolatedNoise) * shares
	for p := range all {
		l.frames[p]++
	}
}

// addOctave takes in the energies of errors, those of what was predicted, and, of each pixel, the squared distance by which the flow's paths are apart and what pixels miss,
// which counts for enlarged frames alone: others show no texture between pixels.
func (l *NoiseLaw) addOctave(p, k int, errors, shown, doubt frame.Image[float64]) {
	n, to := len(l.scale), &l.errors[p]
	all, doubts := frame.NewImage[float64](errors.Width, errors.Height, 2*n+2), frame.NewImage[float64](errors.Width, errors.Height, 2)
	frame.DownsampleImage(doubts, doubt)
	for i := range errors.Width * errors.Height {
		row := all.Data[i*(2*n+2) : (i+1)*(2*n+2)]
		copy(row[2*n:], doubts.Data[2*i:2*i+2])
		for c, s := range l.scale {
			row[c], row[n+c] = errors.Data[i*n+c]/s, shown.Data[i*n+c]/s
		}
	}
	cells := frame.NewImage[float64](max(1, errors.Width/noiseCell), max(1, errors.Height/noiseCell), 2*n+2)
	frame.DownsampleImage(cells, all)
	stride := 1 + 2*(cells.Width*cells.Height*mostMixtureFrames/(2*noiseSamples)) // odd, to meet columns of all kinds
	for i := int(l.frames[inModel]) % stride; i < cells.Width*cells.Height; i += stride {
		row := cells.Data[i*(2*n+2) : (i+1)*(2*n+2)]
		for c := range l.scale {
			u := row[n+c]
			parts := varianceLaw{1: u, 2: u * row[2*n], everywhere: 1}
			if p >= inEnlarged {
				parts[missing] = row[2*n+1]
			}
			to.parts[k][c] = append(to.parts[k][c], parts)
			to.squares[k][c] = append(to.squares[k][c], row[c])
		}
	}
}

// Variances returns that of each channel's white noise; nothing where no frames were added.
func (l *NoiseLaw) Variances() []float64 {
	if l.frames[inModel] == 0 {
		return nil
	}
	predictions := []int{inModel, inFlow}
	if l.frames[inEnlarged] > 0 {
		predictions = []int{inModel, inEnlarged, inStraight} // enlarged frames know more of contents
	}
	noise := make([]float64, len(l.scale))
	for c, s := range l.scale {
		least := math.Inf(1)
		for _, p := range predictions {
			if l.frames[p] > 0 {
				least = min(least, l.variance(p, c))
			}
		}
		noise[c] = max(0, s*least-l.rounding)
	}
	return noise
}

// Most returns how much white noise each channel can have: as much as errors have energy in the quarter of the cells where that is least.
func (l *NoiseLaw) Most() []float64 {
	if l.frames[inModel] == 0 {
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

// variance returns the variance of white noise, in units of the channel's energy, that is in the errors of a prediction at most. In
// each octave the energy of errors is a sum of b, everywhere alike, and of parts in proportion to the energy shown, to that times the distance by
// which paths are apart, and to what pixels miss between them where places differ in that. What b has of contents is not less in octave 2 than in octave 1, and not negative.
func (l *NoiseLaw) variance(p, c int) float64 {
	e, white := &l.errors[p], &l.white[p]
	var b, least [noiseOctaves]float64
	for k := range b {
		parts := e.parts[k][c]
		if !l.turns.spread() {
			parts = slices.Clone(parts)
			for i := range parts {
				parts[i][missing] = 0
			}
		}
		law := fitVariances(parts, e.squares[k][c], 0)
		contents := make([]float64, len(e.parts[k][c]))
		for i, p := range e.parts[k][c] {
			contents[i] = law[1]*p[1] + law[2]*p[2]
		}
		slices.Sort(contents)
		b[k], least[k] = law[everywhere], law[everywhere]-contents[len(contents)/quiet]
	}
	return l.frames[p] * min((least[0]-b[1])/(white[0]-white[1]), least[1]/white[1])
}
