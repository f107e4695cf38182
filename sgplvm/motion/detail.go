package motion

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Detail is the variance of what fine pixels show that coarse ones, of which each is a mean over
// fine ones, do not tell. Nobody has seen it, but scenes look alike from octave to octave: what a
// spline between the means of 2×2 pixels misses in the frames themselves is measured
// where it is, and so is by how much less the next octave misses than the one before (the
// scale invariance of natural images: Field, J. Opt. Soc. Am. A 4(12), 1987).
type Detail struct {
	width, height int            // of the frames that were measured
	variance      image[float64] // missed by an octave in the frames, over cells of some pixels
	ratio         float64        // of an octave's variance to that of the coarser octave before it
}

// detailCell is the side of the cells over which variances are averaged, in pixels, and
// detailFrames how many frames are measured, evenly chosen.
const (
	detailCell   = 4
	detailFrames = 16
)

// Ratios outside of these bounds come of frames without structure.
const leastRatio, largestRatio = 0.05, 0.9

// MeasureDetail measures the detail of frames of width×height pixels, row by row. Frames of fewer
// than 8 pixels either way have none. Errors: *OptionError where sizes do not fit,
// *sgplvm.ReadError, ctx.Err().
func MeasureDetail(ctx context.Context, frames sgplvm.Source, width, height int) (*Detail, error) {
	n, points, channels := frames.Dims()
	if n < 1 || width < 1 || height < 1 || points != width*height {
		return nil, optionError("size", "frames of %d×%d pixels from a source of %d frames of %d points", width, height, n, points)
	}
	d := &Detail{width: width, height: height, ratio: leastRatio,
		variance: newImage[float64](max(1, width/detailCell), max(1, height/detailCell), channels)}
	if min(width, height) < 8 {
		return d, nil
	}
	frame, missed := newImage[float64](width, height, channels), newImage[float64](width, height, channels)
	var fine, coarse float64 // mean squares of two octaves
	count := min(n, detailFrames)
	for k := range count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i := k * n / count
		if err := frames.ReadExamples(frame.data, i, i+1); err != nil {
			return nil, &sgplvm.ReadError{From: i, To: i + 1, Err: err}
		}
		half := missedByOctave(missed, frame)
		for j, v := range missed.data {
			missed.data[j] = v * v / float64(count)
			fine += missed.data[j] / float64(len(missed.data))
		}
		below := newImage[float64](half.width, half.height, channels)
		missedByOctave(below, half)
		coarse += mat.Dot(mat.Vector(below.data), mat.Vector(below.data)) / float64(len(below.data)*count)
		cells := newImage[float64](d.variance.width, d.variance.height, channels)
		shrink(cells, missed, make([]float64, cells.height*width*channels))
		for j, v := range cells.data {
			d.variance.data[j] += v
		}
	}
	if coarse > 0 {
		d.ratio = min(max(fine/coarse, leastRatio), largestRatio)
	}
	return d, nil
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

// AddTo adds the variance of detail to that of a frame of the same scene, whatever its pixels:
// nothing where they are as large as those measured, and ρ + ρ² + … + ρᵏ times what the last octave
// missed where they are 2ᵏ times as fine, with the ratio ρ between octaves. It panics if
// the numbers of channels differ.
func (d *Detail) AddTo(f Frame) {
	f.check("a frame to write")
	if f.Variance.Cols != d.variance.channels {
		panic(fmt.Sprintf("motion: AddTo: variance %d×%d for %d channels", f.Variance.Rows, f.Variance.Cols, d.variance.channels))
	}
	octaves := math.Log2(float64(f.Width) / float64(d.width))
	if !(octaves > 0) {
		return
	}
	share := d.ratio * (1 - math.Pow(d.ratio, octaves)) / (1 - d.ratio)
	scaleX, scaleY := float64(d.variance.width)/float64(f.Width), float64(d.variance.height)/float64(f.Height)
	mat.Parallel(f.Height, func(y int) {
		v := make([]float64, d.variance.channels)
		for x := range f.Width {
			sampleLinear(v, d.variance, scaleX*(float64(x)+0.5)-0.5, scaleY*(float64(y)+0.5)-0.5)
			at := y*f.Width + x
			for c, s := range v {
				f.Variance.Set(at, c, f.Variance.At(at, c)+share*s)
			}
		}
	})
}

// detailText is how a Detail is written.
type detailText struct {
	Width, Height, Channels int
	Ratio                   float64
	Variance                string // of the cells, row by row, as float32 in base64
}

// MarshalJSON writes the detail as JSON text, variances with the precision of a float32.
func (d *Detail) MarshalJSON() ([]byte, error) {
	values := make([]byte, 0, 4*len(d.variance.data))
	for _, v := range d.variance.data {
		values = binary.LittleEndian.AppendUint32(values, math.Float32bits(float32(v)))
	}
	return json.Marshal(detailText{d.width, d.height, d.variance.channels, d.ratio, base64.StdEncoding.EncodeToString(values)})
}

// UnmarshalJSON reads what MarshalJSON wrote. Errors: *FormatError.
func (d *Detail) UnmarshalJSON(text []byte) error {
	var t detailText
	if err := json.Unmarshal(text, &t); err != nil {
		return &FormatError{"detail", err}
	}
	const most = 1 << 20
	if t.Width < 1 || t.Height < 1 || t.Channels < 1 || t.Width > most || t.Height > most || t.Channels > most {
		return &FormatError{"detail", fmt.Errorf("frames of %d×%d pixels and %d channels", t.Width, t.Height, t.Channels)}
	}
	if !(t.Ratio > 0 && t.Ratio < 1) {
		return &FormatError{"detail ratio", fmt.Errorf("%v, expected between 0 and 1", t.Ratio)}
	}
	values, err := base64.StdEncoding.DecodeString(t.Variance)
	width, height := max(1, t.Width/detailCell), max(1, t.Height/detailCell)
	if err != nil || len(values)%4 != 0 || len(values)/4/t.Channels/width != height || len(values) != 4*width*height*t.Channels {
		return &FormatError{"detail variance", fmt.Errorf("%d bytes, expected 4 for each of %d×%d cells and %d channels", len(values), width, height, t.Channels)}
	}
	r := Detail{width: t.Width, height: t.Height, ratio: t.Ratio, variance: newImage[float64](width, height, t.Channels)}
	for i := range r.variance.data {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:])))
		if !(v >= 0) || math.IsInf(v, 0) {
			return &FormatError{"detail variance", fmt.Errorf("number %d is %v, expected 0 or more", i, v)}
		}
		r.variance.data[i] = v
	}
	*d = r
	return nil
}
