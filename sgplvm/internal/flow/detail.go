package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Detail is the variance of what fine pixels show that coarse ones, of which each is a mean over
// fine ones, do not tell. Nobody has seen it, but scenes look alike from octave to octave (the
// scale invariance of natural images: Field, J. Opt. Soc. Am. A 4(12), 1987). Where a picture of coarse pixels has
// the local energy u, the mean square of what a spline through the means of its own 2×2 pixels misses
// nearby, pixels twice as fine are taken to miss with the variance
//
//	e^a·s^(1−γ)·(u + s/1000)^γ
//
// where s is the channel's mean energy, and a and γ are those under which what one
// octave missed in the training frames is likeliest, given the energy of the octave below in their
// predictions (multiplicative heteroscedasticity: Harvey, Econometrica 44(3), 1976).
type Detail struct {
	width, height int
	energy        []float64 // s; empty where frames are too small to tell
	a, gamma      float64
}

// Of the measurement: the side of the cells over which energies are averaged, in pixels; the frames
// from which and about the number of values from which the law is learned.
const (
	detailCell       = 2
	mostDetailFrames = 16
	detailSamples    = 1 << 17
	leastDetail      = 16 // pixels each way
)

// leastEnergy is the part of its mean that is added to an energy.
const leastEnergy = 1e-3

// DetailLaw learns a Detail from frames and their predictions.
type DetailLaw struct {
	width, height, channels int
	stride                  int
	squares, energies       []float64 // of some values: what an octave missed, and the energy below it
	of                      []int     // their channels
	total                   []float64 // sum over the frames of the mean energy, for each channel
	frames                  int
}

// NewDetailLaw starts with nothing, for about as many frames of width×height pixels as given.
func NewDetailLaw(width, height, channels, frames int) *DetailLaw {
	all := float64(width) * float64(height) * float64(channels) * float64(min(frames, mostDetailFrames))
	return &DetailLaw{width: width, height: height, channels: channels, total: make([]float64, channels),
		stride: 1 + 2*int(all/(2*detailSamples))} // odd, so that it meets columns of all kinds
}

// Add takes in a frame and what was predicted of it: Means in its own pixels. It panics if the sizes
// do not fit.
func (l *DetailLaw) Add(truth, predicted Frame) {
	truth.check("the truth")
	predicted.check("a prediction")
	for _, f := range []Frame{truth, predicted} {
		if f.Width != l.width || f.Height != l.height || f.Mean.Cols != l.channels {
			panic(fmt.Sprintf("motion: Add: %d×%d pixels with mean %d×%d for %d×%d pixels and %d channels", f.Width, f.Height, f.Mean.Rows, f.Mean.Cols, l.width, l.height, l.channels))
		}
	}
	if min(l.width, l.height) < leastDetail {
		return
	}
	missed, picture := newImage[float64](l.width, l.height, l.channels), pictureOf(truth)
	missedByOctave(missed, picture)
	for i, v := range missed.data {
		l.total[i%l.channels] += v * v / float64(l.width*l.height)
	}
	l.frames++
	below := newImage[float64](l.width/2, l.height/2, l.channels)
	shrink(below, pictureOf(predicted), make([]float64, below.height*l.width*l.channels))
	energy := octaveEnergy(below)
	u := make([]float64, l.channels)
	for i := l.frames % l.stride; i < len(missed.data); i += l.stride {
		c, at := i%l.channels, i/l.channels
		energy.under(u, at%l.width, at/l.width, l.width, l.height)
		l.squares = append(l.squares, missed.data[i]*missed.data[i])
		l.energies, l.of = append(l.energies, u[c]), append(l.of, c)
	}
}

// pictureOf copies the mean of a frame.
func pictureOf(f Frame) image[float64] {
	m := newImage[float64](f.Width, f.Height, f.Mean.Cols)
	mat.Copy(mat.NewDense(f.Mean.Rows, f.Mean.Cols, m.data), f.Mean)
	return m
}

// octaveEnergy returns the mean squares over cells of what the octave below misses of a picture.
func octaveEnergy(m image[float64]) image[float64] {
	missed := newImage[float64](m.width, m.height, m.channels)
	missedByOctave(missed, m)
	for i, v := range missed.data {
		missed.data[i] = v * v
	}
	cells := newImage[float64](max(1, m.width/detailCell), max(1, m.height/detailCell), m.channels)
	shrink(cells, missed, make([]float64, cells.height*m.width*m.channels))
	return cells
}

// under sets dst to the values of a coarse picture at the centre of a pixel of a finer one.
func (m image[T]) under(dst []float64, x, y, width, height int) {
	sampleLinear(dst, m, float64(m.width)/float64(width)*(float64(x)+0.5)-0.5, float64(m.height)/float64(height)*(float64(y)+0.5)-0.5)
}

// missedByOctave sets dst to the difference between a picture and the spline through the means of its
// 2×2 blocks, which it returns.
func missedByOctave(dst, src image[float64]) (half image[float64]) {
	half = newImage[float64](src.width/2, src.height/2, src.channels)
	shrink(half, src, make([]float64, half.height*src.width*src.channels))
	view := func(m image[float64]) Frame {
		return Frame{Width: m.width, Height: m.height, Mean: mat.NewDense(m.width*m.height, m.channels, m.data)}
	}
	Field{}.Carry(view(dst), view(half))
	for j, v := range src.data {
		dst.data[j] = v - dst.data[j]
	}
	return half
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
	var squares, logs []float64
	for i, e := range l.squares {
		if s := d.energy[l.of[i]]; s > 0 {
			squares, logs = append(squares, e/s), append(logs, math.Log(l.energies[i]/s+leastEnergy))
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
// without error. Errors: *OptionError where sizes do not fit, *data.ReadError, ctx.Err().
func MeasureDetail(ctx context.Context, frames data.Source, width, height int) (*Detail, error) {
	n, points, channels := frames.Dims()
	if n < 1 || width < 1 || height < 1 || points != width*height {
		return nil, optionError("size", "frames of %d×%d pixels from a source of %d frames of %d points", width, height, n, points)
	}
	law := NewDetailLaw(width, height, channels, n)
	f := Frame{Width: width, Height: height, Mean: mat.New(points, channels)}
	for _, i := range DetailFrames(n) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := frames.ReadExamples(f.Mean.Data, i, i+1); err != nil {
			return nil, &data.ReadError{From: i, To: i + 1, Err: err}
		}
		law.Add(f, f)
	}
	return law.Detail(), nil
}

// DetailFrames returns the numbers of those of n frames from which a Detail is learned: 16 at most, evenly
// chosen.
func DetailFrames(n int) []int {
	numbers := make([]int, min(n, mostDetailFrames))
	for k := range numbers {
		numbers[k] = k * n / len(numbers)
	}
	return numbers
}

// AddTo adds the variance of detail to that of a predicted frame, whatever its pixels: nothing where
// they are as large as those of training, and that of k octaves where they are 2ᵏ times as fine,
// each of which has the variance before it as its energy, but never a larger one itself. It panics
// if the numbers of channels differ.
func (d *Detail) AddTo(f Frame) {
	f.check("a frame to write")
	octaves := math.Log2(float64(f.Width) / float64(d.width))
	if !(octaves > 0) || len(d.energy) == 0 {
		return
	}
	channels := len(d.energy)
	if f.Variance.Cols != channels {
		panic(fmt.Sprintf("motion: AddTo: variance %d×%d for %d channels", f.Variance.Rows, f.Variance.Cols, channels))
	}
	coarse := newImage[float64](d.width, min(d.height, f.Height), channels)
	shrink(coarse, pictureOf(f), make([]float64, coarse.height*f.Width*channels))
	energy := octaveEnergy(coarse)
	// e^a·s^(1−γ)·(u + s/1000)^γ of the energies of the cells, not of every pixel.
	for i, u := range energy.data {
		s, before := d.energy[i%channels], math.Inf(1)
		energy.data[i] = 0
		for left := octaves; left > 0 && s > 0; left-- {
			v := min(before, s*math.Exp(d.a+d.gamma*math.Log(u/s+leastEnergy)))
			energy.data[i] += min(left, 1) * v
			u, before = v, v
		}
	}
	mat.Parallel(f.Height, func(y int) {
		v := make([]float64, channels)
		for x := range f.Width {
			energy.under(v, x, y, f.Width, f.Height)
			at := y*f.Width + x
			for c, s := range v {
				f.Variance.Set(at, c, f.Variance.At(at, c)+s)
			}
		}
	})
}

// detailText is how a Detail is written.
type detailText struct {
	Width, Height int
	Energy        []float64 `json:",omitempty"`
	A, Gamma      float64
}

// MarshalBinary writes the detail as JSON text, to the bit.
func (d *Detail) MarshalBinary() ([]byte, error) {
	return json.Marshal(detailText{d.width, d.height, d.energy, d.a, d.gamma})
}

// UnmarshalBinary reads what MarshalBinary wrote. Errors: *FormatError.
func (d *Detail) UnmarshalBinary(text []byte) error {
	var t detailText
	if err := json.Unmarshal(text, &t); err != nil {
		return &FormatError{"detail", err}
	}
	if t.Width < 1 || t.Height < 1 || t.Width > maxSide || t.Height > maxSide {
		return formatError("detail", "frames of %d×%d pixels", t.Width, t.Height)
	}
	if !(math.Abs(t.A) <= 100) || !(t.Gamma >= 0 && t.Gamma <= 1) {
		return formatError("detail", "a law of %v and %v, expected at most 100 in size and a number from 0 to 1", t.A, t.Gamma)
	}
	for c, s := range t.Energy {
		if !(s >= 0) || math.IsInf(s, 0) {
			return formatError("detail", "energy %v of channel %d, expected 0 or more", s, c)
		}
	}
	*d = Detail{t.Width, t.Height, t.Energy, t.A, t.Gamma}
	return nil
}
