package flow

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Unrest tells where and when a film errs more, or less, than its predictions say: what
// glitters, opens or crumples does so in one part of the frame for some time. It is measured on
// training frames that were predicted from all others, as ratios r_i of the squares of the errors to the
// variances, means over cells of some pixels and over the channels. At a time t the variances of a cell are multiplied by
//
//	f·(p + Σ_i w_i·r_i)/(p + Σ_i w_i),  w_i = exp(−|t − t_i|/τ)
//
// with the sums over the frames of a sequence, a weight p in favour of 1, a reach τ and one factor f for
// all that makes the mean ratio of what is left 1. Weight and reach are those under which each frame's
// ratios are likeliest given those of others, but not those of the frames next to it: these were
// predicted from it, as it was from them, so that their errors are alike whatever the film does. Where
// that is no better than one factor for all, by more than chance makes it, f is all there is.
type Unrest struct {
	width, height int // cells
	at            []data.Instant
	ratio         []image[float32] // of each frame; one channel
	reach         float64          // τ; 0: nothing but the factor
	prior, factor float64          // p and f
}

// Of the ratios: the side of the cells in pixels, the largest ratio, and by how many standard
// errors ratios that differ must be likelier.
const (
	unrestCell       = 5
	maxUnrest        = 1e6
	unrestPreference = 2
)

// NewUnrest starts with ratios of 1 for frames of width×height pixels at the given times.
func NewUnrest(width, height int, at []data.Instant) *Unrest {
	u := &Unrest{width: max(1, width/unrestCell), height: max(1, height/unrestCell), at: slices.Clone(at), prior: 1, factor: 1}
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

// Choose finds weight, reach and factor, once all frames have their ratios.
func (u *Unrest) Choose() {
	sequences := sequencesAt(u.at)
	unit, _ := medianSpacing(sequences)
	beside := make([][]int, len(u.at)) // each frame and those next to it
	for _, s := range sequences {
		for p, i := range s.frames {
			beside[i] = s.frames[max(p-1, 0):min(p+2, len(s.frames))]
		}
	}
	u.reach, u.factor = 0, 1
	alike, factor := u.losses(beside)
	if !(factor > 0) {
		return // no errors at all
	}
	u.factor = factor
	least := math.Inf(1)
	for _, prior := range []float64{0.3, 1, 3} {
		for _, spacings := range []float64{1, 2, 4, 8, 16} {
			tried := *u
			tried.prior, tried.reach, tried.factor = prior, spacings*unit, 1
			losses, factor := tried.losses(beside)
			var mean, square float64
			n := float64(len(losses))
			for i, l := range losses {
				d := l - alike[i]
				mean += d / n
				square += d * d / n
			}
			if mean < least && mean < -unrestPreference*math.Sqrt(max(square-mean*mean, 0)/n) {
				least, *u = mean, tried
				u.factor = factor
			}
		}
	}
}

// losses returns the negative log likelihood of each frame's ratios given those of others, up to a
// constant: means over the cells of log e + r/e, where e is what around expects times the returned
// factor, under which they are likeliest together. beside lists the frames that do not count for one.
func (u *Unrest) losses(beside [][]int) (losses []float64, factor float64) {
	losses, left := make([]float64, len(u.at)), make([]float64, len(u.at))
	per := 1 / float64(u.width*u.height)
	mat.Parallel(len(u.at), func(i int) {
		expected := u.around(u.at[i], beside[i])
		for k, r := range u.ratio[i].data {
			losses[i] += per * math.Log(expected.data[k])
			left[i] += per * float64(r) / expected.data[k]
		}
	})
	for _, v := range left {
		factor += v / float64(len(left))
	}
	for i, v := range left {
		losses[i] += math.Log(factor) + v/factor
	}
	return losses, factor
}

// sequencesAt returns the frames at some instants as sequences.
func sequencesAt(at []data.Instant) []sequence {
	times, labels := make([]float64, len(at)), make([]int, len(at))
	for i, t := range at {
		times[i], labels[i] = t.Time, t.Sequence
	}
	return sequencesOf(times, labels)
}

// around returns the cells' factors at a time, from all frames but some.
func (u *Unrest) around(at data.Instant, but []int) image[float64] {
	sum := newImage[float64](u.width, u.height, 1)
	total := u.prior
	for k := range sum.data {
		sum.data[k] = u.prior
	}
	for i, t := range u.at {
		if u.reach == 0 || t.Sequence != at.Sequence || slices.Contains(but, i) {
			continue
		}
		w := math.Exp(-math.Abs(at.Time-t.Time) / u.reach)
		if !(w > 1e-4) {
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
func (u *Unrest) Scale(f Frame, at data.Instant) {
	f.check("a frame to write")
	cells := u.around(at, nil)
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

// About returns the reach in units of the times, 0 where all cells and times are alike, and the factor.
func (u *Unrest) About() (reach, factor float64) { return u.reach, u.factor }

// unrestText is how an Unrest is written.
type unrestText struct {
	Width, Height int
	At            []data.Instant
	Ratios        string // of all cells, frame by frame, as float32 in base64
	Reach         float64
	Prior, Factor float64
}

// MarshalBinary writes the unrest as JSON text, to the bit.
func (u *Unrest) MarshalBinary() ([]byte, error) {
	var bytes []byte
	for _, r := range u.ratio {
		for _, v := range r.data {
			bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(v))
		}
	}
	return json.Marshal(unrestText{u.width, u.height, u.at, base64.StdEncoding.EncodeToString(bytes), u.reach, u.prior, u.factor})
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
	if !(t.Reach >= 0) || math.IsInf(t.Reach, 0) || !(t.Factor > 0) || math.IsInf(t.Factor, 0) || !(t.Prior > 0) || math.IsInf(t.Prior, 0) {
		return formatError("unrest", "reach %v, weight %v and factor %v, expected a number from 0 and positive ones", t.Reach, t.Prior, t.Factor)
	}
	r := NewUnrest(t.Width*unrestCell, t.Height*unrestCell, t.At)
	r.reach, r.prior, r.factor = t.Reach, t.Prior, t.Factor
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
