package flow

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Of the measurement: the frames from which and about the number of values from which the law is learned,
// and the least size of a frame, in pixels each way.
const (
	mostDetailFrames = 16
	detailSamples    = 1 << 17
	leastDetail      = 16
)

// DetailLaw learns a Detail from frames and their predictions.
type DetailLaw struct {
	width, height, channels int
	used                    []int // the numbers of the frames that count
	stride                  int
	missed, energies        []float64             // of some values: what an octave missed, and the energy below it
	rings                   [][len(rings)]float64 // what each ring of pixels would have added to these
	of                      []int                 // their channels
	total                   []float64             // sum over the frames of the mean energy, for each channel
	frames                  int                   // taken in so far
}

// NewDetailLaw starts with nothing, for as many frames of width×height pixels as given.
func NewDetailLaw(width, height, channels, frames int) *DetailLaw {
	used := make([]int, min(frames, mostDetailFrames))
	for k := range used {
		used[k] = k * frames / len(used)
	}
	all := float64(width) * float64(height) * float64(channels) * float64(len(used))
	return &DetailLaw{width: width, height: height, channels: channels, used: used, total: make([]float64, channels),
		stride: 1 + 2*int(all/(2*detailSamples))} // odd, so that it meets columns of all kinds
}

// Add takes in frame i and what was predicted of it: Means in its own pixels. Only 16 frames, evenly chosen, count;
// the others change nothing. It panics if the sizes do not fit.
func (l *DetailLaw) Add(i int, truth, predicted Frame) {
	truth.check("Add", "the truth")
	predicted.check("Add", "a prediction")
	for _, f := range []Frame{truth, predicted} {
		if f.Width != l.width || f.Height != l.height || f.Mean.Cols != l.channels {
			panic(fmt.Sprintf("flow: Add: %d×%d pixels with mean %d×%d for %d×%d pixels and %d channels", f.Width, f.Height, f.Mean.Rows, f.Mean.Cols, l.width, l.height, l.channels))
		}
	}
	if min(l.width, l.height) < leastDetail || !slices.Contains(l.used, i) {
		return
	}
	missed := newImage[float64](l.width, l.height, l.channels)
	added := aboutRings(missedByOctave(missed, truth.picture()), missed.size())
	for i, v := range missed.data {
		l.total[i%l.channels] += v * v / float64(l.width*l.height)
	}
	l.frames++
	below := newImage[float64](l.width/2, l.height/2, l.channels)
	downsample(below, predicted.picture(), make([]float64, below.height*l.width*l.channels))
	energy := octaveEnergy(below)
	u := make([]float64, l.channels)
	for i := l.frames % l.stride; i < len(missed.data); i += l.stride {
		c, pixel := i%l.channels, i/l.channels
		energy.sampleOver(u, pixel%l.width, pixel/l.width, l.width, l.height)
		var rings [len(rings)]float64
		for k, m := range added {
			rings[k] = m.data[i]
		}
		l.missed, l.rings = append(l.missed, missed.data[i]), append(l.rings, rings)
		l.energies, l.of = append(l.energies, u[c]), append(l.of, c)
	}
}

// Detail returns what was learned; nothing from frames of fewer than 16 pixels either way.
func (l *DetailLaw) Detail() *Detail {
	d := &Detail{width: l.width, height: l.height}
	if l.frames == 0 {
		return d
	}
	for _, t := range l.total {
		d.energy = append(d.energy, t/float64(l.frames))
	}
	weights := make([]float64, len(l.of))
	for i, c := range l.of {
		if s := d.energy[c]; s > 0 {
			weights[i] = 1 / s
		}
	}
	left := slices.Clone(l.missed)
	d.sharpening = regressSharpening(left, l.rings, weights)
	var squares, logs []float64
	for i, e := range left {
		if s := d.energy[l.of[i]]; s > 0 {
			squares, logs = append(squares, e*e/s), append(logs, math.Log(l.energies[i]/s+leastEnergy))
		}
	}
	if len(squares) == 0 {
		d.energy = nil // nothing but plain areas
		return d
	}
	d.a, d.gamma = work.LogLinearVariance(squares, logs, 0, 1)
	return d
}

// MeasureDetail learns from some frames of width×height pixels, row by row, as if they had been predicted
// without error. Errors: *data.ConfigError where sizes do not fit, *data.ReadError, ctx.Err().
func MeasureDetail(ctx context.Context, frames data.Source, width, height int) (*Detail, error) {
	n, points, channels := frames.Dims()
	if n < 1 || width < 1 || height < 1 || points != width*height {
		return nil, &data.ConfigError{Field: "size", Err: fmt.Errorf("frames of %d×%d pixels from a source of %d frames of %d points", width, height, n, points)}
	}
	law := NewDetailLaw(width, height, channels, n)
	f := Frame{Width: width, Height: height, Mean: mat.New(points, channels)}
	for _, i := range law.used {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := frames.ReadExamples(f.Mean.Data, i, i+1); err != nil {
			return nil, &data.ReadError{From: i, To: i + 1, Err: err}
		}
		law.Add(i, f, f)
	}
	return law.Detail(), nil
}
