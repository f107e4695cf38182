package mixture

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Inflation is the variance inflation of a film: by how much predicted variances are to be multiplied in each part of
// the frame at each time, since what glitters, opens or crumples is predicted worse, for some time, than the
// variances say. It is measured on training frames that were predicted from all others, as ratios r_i of the squares
// of the errors to the variances, means over cells of some pixels and over the channels. At a time t the variances
// of a cell are multiplied by
//
//	f·(p + Σ_i w_i·r_i)/(p + Σ_i w_i),  w_i = exp(−|t − t_i|/τ)
//
// with the sums over the frames of a sequence, a weight p in favour of 1, a reach τ and one factor f for
// all that makes the mean ratio of what is left 1. Weight and reach are those under which each frame's
// ratios are likeliest given those of others, but not those of the frames next to it: these were
// predicted from it, as it was from them, so that their errors are alike anyway. Where
// that is no better than one factor for all, by more than chance makes it, f is all there is. If only some frames were predicted, to save time, the sums are over these.
type Inflation struct {
	width, height int // cells
	at            []data.Instant
	ratio         []frame.Image[float32] // of each frame; one channel
	reach         float64                // τ; 0: nothing but the factor
	prior, factor float64                // p and f
	set           []int                  // the frames that have their ratios; none: all
}

// Of the ratios: the side of the cells in pixels, the largest ratio, and by how many standard
// errors ratios that differ must be likelier.
const (
	inflationCell       = 5
	maxRatio            = 1e6
	inflationPreference = 2
)

// NewInflation starts with ratios of 1 for frames of width×height pixels at the given times.
func NewInflation(width, height int, at []data.Instant) *Inflation {
	infl := &Inflation{width: max(1, width/inflationCell), height: max(1, height/inflationCell), at: slices.Clone(at), prior: 1, factor: 1}
	for range at {
		r := frame.NewImage[float32](infl.width, infl.height, 1)
		for k := range r.Data {
			r.Data[k] = 1
		}
		infl.ratio = append(infl.ratio, r)
	}
	return infl
}

// Set gives frame i the ratios of its errors to the variances that were predicted from other frames.
// It panics if the sizes do not fit.
func (infl *Inflation) Set(i int, truth, predicted frame.Frame) {
	truth.Check("Set", "the truth")
	predicted.Check("Set", "a prediction")
	if truth.Width != predicted.Width || truth.Height != predicted.Height || truth.Mean.Cols != predicted.Variance.Cols || truth.Width < infl.width || truth.Height < infl.height {
		panic(fmt.Sprintf("film: Set: truth of %d×%d pixels and %d channels, prediction of %d×%d and %d", truth.Width, truth.Height, truth.Mean.Cols, predicted.Width, predicted.Height, predicted.Variance.Cols))
	}
	r := frame.NewImage[float64](truth.Width, truth.Height, 1)
	infl.set = append(infl.set, i)
	channels := truth.Mean.Cols
	work.EachRow(len(r.Data), func(k int) {
		for c := range channels {
			d := truth.Mean.At(k, c) - predicted.Mean.At(k, c)
			r.Data[k] += min(d*d/predicted.Variance.At(k, c), maxRatio) / float64(channels)
		}
	})
	frame.DownsampleImage(infl.ratio[i], r)
}

// Choose finds weight, reach and factor, once the frames have their ratios. If only some have, the reach is in units of their spacing.
func (infl *Inflation) Choose() {
	slices.Sort(infl.set)
	var set []data.Instant
	for _, i := range infl.set {
		set = append(set, infl.at[i])
	}
	unit, near := data.MedianSpacing(set), infl.neighbourhoods()
	defer func() {
		if infl.reach == 0 || len(infl.set) == len(infl.at) {
			infl.set = nil
		}
	}()
	infl.reach, infl.factor = 0, 1
	alike, factor := infl.losses(near)
	if !(factor > 0) {
		return // no errors at all
	}
	infl.factor = factor
	least := math.Inf(1)
	for _, prior := range []float64{1, 3, 10} {
		for _, spacings := range []float64{1, 2, 4, 8, 16} {
			tried := *infl
			tried.prior, tried.reach, tried.factor = prior, spacings*unit, 1
			losses, factor := tried.losses(near)
			var mean, square float64
			n := float64(len(losses))
			for i, l := range losses {
				d := l - alike[i]
				mean += d / n
				square += d * d / n
			}
			if mean < least && mean < -inflationPreference*math.Sqrt(max(square-mean*mean, 0)/n) {
				least, *infl = mean, tried
				infl.factor = factor
			}
		}
	}
}

// neighbourhoods returns for each frame itself and those next to it.
func (infl *Inflation) neighbourhoods() [][]int {
	times, labels := make([]float64, len(infl.at)), make([]int, len(infl.at))
	for i, t := range infl.at {
		times[i], labels[i] = t.Time, t.Sequence
	}
	near := make([][]int, len(infl.at))
	for _, s := range data.Sequences(times, labels) {
		for p, i := range s.Examples {
			near[i] = s.Examples[max(p-1, 0):min(p+2, len(s.Examples))]
		}
	}
	return near
}

// losses returns the negative log likelihood of each frame's ratios given those of others, up to a
// constant: means over the cells of log e + r/e, where e is what factors expects times the returned
// factor, under which they are likeliest together. near lists the frames that do not count for one.
func (infl *Inflation) losses(near [][]int) (losses []float64, factor float64) {
	losses, left := make([]float64, len(infl.set)), make([]float64, len(infl.set))
	per := 1 / float64(infl.width*infl.height)
	mat.Parallel(len(infl.set), func(i int) {
		frame := infl.set[i]
		expected := infl.factors(infl.at[frame], near[frame])
		for k, r := range infl.ratio[frame].Data {
			losses[i] += per * math.Log(expected.Data[k])
			left[i] += per * float64(r) / expected.Data[k]
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

// factors returns those of the cells at a time, from all frames but some.
func (infl *Inflation) factors(at data.Instant, without []int) frame.Image[float64] {
	sum := frame.NewImage[float64](infl.width, infl.height, 1)
	total := infl.prior
	for k := range sum.Data {
		sum.Data[k] = infl.prior
	}
	for i, t := range infl.at {
		if infl.reach == 0 || t.Sequence != at.Sequence || slices.Contains(without, i) || !infl.has(i) {
			continue
		}
		w := math.Exp(-math.Abs(at.Time-t.Time) / infl.reach)
		if !(w > 1e-4) {
			continue
		}
		total += w
		for k, r := range infl.ratio[i].Data {
			sum.Data[k] += w * float64(r)
		}
	}
	for k := range sum.Data {
		sum.Data[k] *= infl.factor / total
	}
	return sum
}

// has tells whether a frame has its ratios.
func (infl *Inflation) has(i int) bool {
	if len(infl.set) == 0 {
		return true
	}
	_, found := slices.BinarySearch(infl.set, i)
	return found
}

// Apply multiplies the variances of a frame predicted at a time, whatever its pixels.
func (infl *Inflation) Apply(f frame.Frame, at data.Instant) {
	f.Check("Apply", "a frame to write")
	cells := infl.factors(at, nil)
	mat.Parallel(f.Height, func(y int) {
		buffer := mat.Borrow(f.Width)
		defer mat.GiveBack(buffer)
		factors := *buffer
		cells.RowOver(factors, y, f.Width, f.Height)
		for x, factor := range factors {
			v := f.Variance.Row(y*f.Width + x)
			for c := range v {
				v[c] *= factor
			}
		}
	})
}

// Reach returns the time over which errors are alike, 0 where all cells and times have one factor.
func (infl *Inflation) Reach() float64 { return infl.reach }

// LeftOut returns what the variances of frame i are multiplied by, at a pixel of a picture of some size, as the
// frames other than it and those next to it say.
func (infl *Inflation) LeftOut(i int) func(x, y, width, height int) float64 {
	cells := infl.factors(infl.at[i], infl.neighbourhoods()[i])
	return func(x, y, width, height int) float64 {
		var v [1]float64
		cells.SampleOver(v[:], x, y, width, height)
		return v[0]
	}
}
