package motion

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Unrest tells where and when a film errs more, or less, than its predictions say: what
// glitters, opens or crumples does so in one part of the frame for some time. It is measured on
// training frames that were predicted from all others, as ratios r_i of the squares of the errors to the
// variances, means over cells of some pixels and over the channels. At a time t the variances of a cell are multiplied by
//
//	f·(p + Σ_i w_i·r_i)/(p + Σ_i w_i),  w_i = exp(−|t − t_i|/τ)
//
// with the sums over the frames of a sequence, p = 0.3 in favour of 1, the reach τ under which each
// frame's ratios are likeliest given those of the others, and one factor f that makes the mean
// ratio of what is left 1. Frames next to one another were predicted from each other, so that their
// errors share something; a frame that nobody has seen shares it as well with those around it.
type Unrest struct {
	width, height int // cells
	at            []sgplvm.Instant
	ratio         []image[float32] // of each frame; one channel
	reach, factor float64
}

// Of the ratios: the side of the cells in pixels, the weight of a ratio of 1, and the largest one.
const (
	unrestCell  = 5
	unrestPrior = 0.3
	maxUnrest   = 1e6
)

// NewUnrest starts with ratios of 1 for frames of width×height pixels at the given times.
func NewUnrest(width, height int, at []sgplvm.Instant) *Unrest {
	u := &Unrest{width: max(1, width/unrestCell), height: max(1, height/unrestCell), at: slices.Clone(at), factor: 1}
	for range at {
		r := newImage[float32](u.width, u.height, 1)
		for k := range r.data {
			r.data[k] = 1
		}
		u.ratio = append(u.ratio, r)
	}
	return u
}

// Set gives frame i the ratios of its errors to the variances that were predicted from other frames.
// It panics if the sizes do not fit.
func (u *Unrest) Set(i int, truth, predicted Frame) {
	truth.check("the truth")
	predicted.check("a prediction")
	if truth.Width != predicted.Width || truth.Height != predicted.Height || truth.Mean.Cols != predicted.Variance.Cols || truth.Width < u.width || truth.Height < u.height {
		panic(fmt.Sprintf("motion: Set: truth of %d×%d pixels and %d channels, prediction of %d×%d and %d", truth.Width, truth.Height, truth.Mean.Cols, predicted.Width, predicted.Height, predicted.Variance.Cols))
	}
	r := newImage[float64](truth.Width, truth.Height, 1)
	channels := truth.Mean.Cols
	for k := range r.data {
		for c := range channels {
			d := truth.Mean.At(k, c) - predicted.Mean.At(k, c)
			r.data[k] += min(d*d/predicted.Variance.At(k, c), maxUnrest) / float64(channels)
		}
	}
	shrink(u.ratio[i], r, make([]float64, u.height*truth.Width))
}

// Choose finds reach and factor, once all frames have their ratios.
func (u *Unrest) Choose() {
	unit, _ := medianSpacing(sequencesAt(u.at))
	least := math.Inf(1)
	for _, spacings := range []float64{1, 2, 4, 8, 16} {
		tried := Unrest{width: u.width, height: u.height, at: u.at, ratio: u.ratio, reach: spacings * unit, factor: 1}
		losses, means := make([]float64, len(u.at)), make([]float64, len(u.at))
		mat.Parallel(len(u.at), func(i int) {
			expected := tried.around(u.at[i], i)
			for k, r := range u.ratio[i].data {
				left := float64(r) / expected.data[k]
				losses[i] += math.Log(expected.data[k]) + left
				means[i] += left / float64(len(expected.data)*len(u.at))
			}
		})
		var loss, mean float64
		for i, l := range losses {
			loss += l
			mean += means[i]
		}
		if loss < least && mean > 0 {
			least, u.reach, u.factor = loss, tried.reach, mean
		}
	}
}

// sequencesAt returns the frames at some instants as sequences.
func sequencesAt(at []sgplvm.Instant) []sequence {
	times, labels := make([]float64, len(at)), make([]int, len(at))
	for i, t := range at {
		times[i], labels[i] = t.Time, t.Sequence
	}
	return sequencesOf(times, labels)
}

// around returns the cells' factors at a time, from all frames but one (−1: from all).
func (u *Unrest) around(at sgplvm.Instant, but int) image[float64] {
	sum := newImage[float64](u.width, u.height, 1)
	total := unrestPrior
	for k := range sum.data {
		sum.data[k] = unrestPrior
	}
	for i, t := range u.at {
		w := math.Exp(-math.Abs(at.Time-t.Time) / u.reach)
		if i == but || t.Sequence != at.Sequence || !(w > 1e-4) {
			continue
		}
		total += w
		for k, r := range u.ratio[i].data {
			sum.data[k] += w * float64(r)
		}
	}
	for k := range sum.data {
		sum.data[k] *= u.factor / total
	}
	return sum
}

// Scale multiplies the variances of a frame predicted at a time, whatever its pixels.
func (u *Unrest) Scale(f Frame, at sgplvm.Instant) {
	f.check("a frame to write")
	if !(u.reach > 0) {
		return
	}
	cells := u.around(at, -1)
	mat.Parallel(f.Height, func(y int) {
		factor := make([]float64, 1)
		for x := range f.Width {
			cells.under(factor, x, y, f.Width, f.Height)
			at := y*f.Width + x
			for c := range f.Variance.Cols {
				f.Variance.Set(at, c, factor[0]*f.Variance.At(at, c))
			}
		}
	})
}

// About returns the reach in units of the times and the factor.
func (u *Unrest) About() (reach, factor float64) { return u.reach, u.factor }

// unrestText is how an Unrest is written.
type unrestText struct {
	Width, Height int
	At            []sgplvm.Instant
	Ratios        string // of all cells, frame by frame, as float32 in base64
	Reach, Factor float64
}

// MarshalBinary writes the unrest as JSON text, to the bit.
func (u *Unrest) MarshalBinary() ([]byte, error) {
	var bytes []byte
	for _, r := range u.ratio {
		for _, v := range r.data {
			bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(v))
		}
	}
	return json.Marshal(unrestText{u.width, u.height, u.at, base64.StdEncoding.EncodeToString(bytes), u.reach, u.factor})
}

// UnmarshalBinary reads what MarshalBinary wrote. Errors: *FormatError.
func (u *Unrest) UnmarshalBinary(text []byte) error {
	var t unrestText
	if err := json.Unmarshal(text, &t); err != nil {
		return &FormatError{"unrest", err}
	}
	if t.Width < 1 || t.Height < 1 || t.Width > maxSide || t.Height > maxSide {
		return formatError("unrest", "%d×%d cells", t.Width, t.Height)
	}
	bytes, err := base64.StdEncoding.DecodeString(t.Ratios)
	if cells := t.Width * t.Height; err != nil || len(bytes)%(4*cells) != 0 || len(bytes)/(4*cells) != len(t.At) {
		return formatError("unrest", "%d bytes, expected 4 for each of %d×%d cells and %d frames", len(bytes), t.Width, t.Height, len(t.At))
	}
	if !(t.Reach >= 0) || math.IsInf(t.Reach, 0) || !(t.Factor > 0) || math.IsInf(t.Factor, 0) {
		return formatError("unrest", "reach %v and factor %v, expected a number from 0 and a positive one", t.Reach, t.Factor)
	}
	r := NewUnrest(t.Width*unrestCell, t.Height*unrestCell, t.At)
	r.reach, r.factor = t.Reach, t.Factor
	for i := range r.ratio {
		for k := range r.ratio[i].data {
			v := math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*(i*t.Width*t.Height+k):]))
			if !(v >= 0) || math.IsInf(float64(v), 0) {
				return formatError("unrest", "ratio %v of frame %d, expected 0 or more", v, i)
			}
			r.ratio[i].data[k] = v
		}
	}
	*u = *r
	return nil
}
