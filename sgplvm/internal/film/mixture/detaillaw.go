package mixture

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// learnedFrames is about how many frames a law is learned from, of detail and of errors (quick effort has 8 left out and loses 0.04 nats on the eye, training and all), and lawSamples how many values.
const learnedFrames, lawSamples = 24, 1 << 16

// OctavePower is the power of the ratio of two octaves' energies that the next ratio is taken to be: nearer to 1, as energies are
// alike in all octaves of natural images. With 1 the flower loses 0.036 nats and the eye gains 0.010.
const OctavePower = 0.8

// detailLaw learns a Detail from frames.
type detailLaw struct {
	width, height, channels int
	used                    []int // the numbers of the frames that count
	stride                  int
	missed, energies        []float64             // of some values: what an octave missed, and the local energy below it
	rings                   [][len(rings)]float64 // what each ring of pixels would have added to these
	of                      []int                 // their channels
	total, below            []float64             // sums over the frames of the mean energy and of that one octave below, for each channel
	bent, bentBelow         []float64             // and of the Laplacian's mean energy
	frames                  int                   // taken in so far
}

// newDetailLaw starts with nothing, for as many frames of width×height pixels as given.
func newDetailLaw(width, height, channels, frames int) *detailLaw {
	used := make([]int, min(frames, learnedFrames))
	for k := range used {
		used[k] = k * frames / len(used)
	}
	all := float64(width) * float64(height) * float64(channels) * float64(len(used))
	return &detailLaw{width: width, height: height, channels: channels, used: used, total: make([]float64, channels), below: make([]float64, channels), bent: make([]float64, channels), bentBelow: make([]float64, channels),
		stride: 1 + 2*int(all/(2*lawSamples))} // odd, so that it meets columns of all kinds
}

// add takes in a frame in pixels of training.
func (l *detailLaw) add(truth frame.Frame) {
	if min(l.width, l.height) < frame.LeastSide {
		return
	}
	missed := frame.NewImage[float64](l.width, l.height, l.channels)
	half := missedByOctave(missed, truth.View())
	added := aboutRings(half, missed.Size())
	for i, v := range missed.Data {
		l.total[i%l.channels] += v * v / float64(l.width*l.height)
	}
	l.frames++
	energy := laplacianEnergy(half)
	addMeans(l.below, OctaveEnergy(half))
	addMeans(l.bent, laplacianEnergy(truth.View()))
	addMeans(l.bentBelow, energy)
	u := make([]float64, l.channels)
	for i := l.frames % l.stride; i < len(missed.Data); i += l.stride {
		c, pixel := i%l.channels, i/l.channels
		energy.SampleOver(u, pixel%l.width, pixel/l.width, l.width, l.height)
		var rings [len(rings)]float64
		for k, m := range added {
			rings[k] = m.Data[i]
		}
		l.missed, l.rings = append(l.missed, missed.Data[i]), append(l.rings, rings)
		l.energies, l.of = append(l.energies, u[c]), append(l.of, c)
	}
}

// addMeans adds the mean of each channel of a picture.
func addMeans(to []float64, m frame.Image[float64]) {
	for i, v := range m.Data {
		to[i%m.Channels] += v * float64(m.Channels) / float64(len(m.Data))
	}
}

// detail returns what was learned; nothing from frames of fewer than 16 pixels either way.
func (l *detailLaw) detail() *Detail {
	d := &Detail{Width: l.width, Height: l.height}
	if l.frames == 0 {
		return d
	}
	for c, t := range l.total {
		s := t / float64(l.frames)
		l.below[c] = max(l.below[c]/float64(l.frames), s/MostOctave)
		d.Energy, d.Ratio = append(d.Energy, s), append(d.Ratio, 1)
		d.Laplacian = append(d.Laplacian, l.bent[c]/float64(l.frames))
		if s > 0 {
			d.Ratio[c] = math.Pow(s/l.below[c], OctavePower)
		}
	}
	weights := make([]float64, len(l.of))
	for i, c := range l.of {
		if s := d.Energy[c]; s > 0 {
			weights[i] = 1 / s
		}
	}
	left := slices.Clone(l.missed)
	d.Sharpening = regressSharpening(left, l.rings, weights)
	var squares, logs []float64
	for i, e := range left {
		if s := d.Energy[l.of[i]]; s > 0 {
			squares, logs = append(squares, e*e/s), append(logs, math.Log(l.energies[i]/max(l.bentBelow[l.of[i]]/float64(l.frames), LeastScale)+minPart))
		}
	}
	if len(squares) == 0 {
		d.Energy, d.Ratio, d.Laplacian = nil, nil, nil // nothing but plain areas
		return d
	}
	d.A, d.Gamma = work.LogLinearVariance(squares, logs, 0, 1)
	return d
}

// Measure learns from some frames of width×height pixels, row by row, as if they had been predicted
// without error. Errors: *field.ConfigError where sizes do not fit, *field.ReadError, ctx.Err().
func Measure(ctx context.Context, frames field.Source, width, height int) (*Detail, error) {
	n, points, channels := frames.Dims()
	if n < 1 || width < 1 || height < 1 || points != width*height {
		return nil, &field.ConfigError{Field: "size", Err: fmt.Errorf("frames of %d×%d pixels from a source of %d frames of %d points", width, height, n, points)}
	}
	law := newDetailLaw(width, height, channels, n)
	f := frame.Frame{Width: width, Height: height, Mean: mat.New(points, channels)}
	read := func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := frames.ReadExamples(f.Mean.Data, i, i+1); err != nil {
			return &field.ReadError{From: i, To: i + 1, Err: err}
		}
		return nil
	}
	for _, i := range law.used {
		if err := read(i); err != nil {
			return nil, err
		}
		law.add(f)
	}
	d, sides := law.detail(), edgeLaw{}
	for k := 0; k < len(law.used) && len(d.Energy) > 0; k += 4 { // few pixels are edges, but all frames have the same
		if err := read(law.used[k]); err != nil {
			return nil, err
		}
		sides.add(f.View(), d.Sharpening, d.Energy)
	}
	d.Edges = sides.edges()
	return d, nil
}
