package flow

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A Mixture is what a frame at a time is made of: the prediction of the model, with its motion, and what the training
// frames around the time say by themselves (Others). The means are mixed by weights from 0 to 1 with the sum 1, which depend
// on how far the model and the dense flow are apart: with u the mean square of their difference over a cell of some pixels,
// in units of the channels' variances, they are piecewise linear in log₂u between the levels −16, −14, …, 0. Variances
// follow a law of each channel (variancelaw.go). Beyond the ends of a sequence there is one set of weights, and a
// factor of the model's variances. Without levels a Mixture is the model alone.
type Mixture struct {
	width, height int           // cells
	scale         []float64     // variance of each channel
	unit          float64       // median distance of frames in time
	levels        []weights     // none: the model alone
	laws          []varianceLaw // of each channel
	outside       share
}

// weights are those of the model and the others.
type weights [1 + others]float64

// A share is what there is beyond the ends: weights, and the factor of the variances.
type share struct {
	Weights weights
	Factor  float64
}

// Of the levels: how many there are, the first one and the distance between them; and the side of a cell in pixels.
const (
	mixtureLevels         = 9
	firstLevel, levelStep = -16, 2
	mixtureCell           = 5
)

// others is how many predictions there are beside that of the model.
const others = 3

// Others are predictions from the training frames before and after a time alone: linear interpolation of
// each pixel, the frame that is nearer, and linear interpolation along the dense optical flow. Beyond the ends of a sequence
// all are its nearest frame.
type Others struct {
	means  [others]image[float64]
	doubts image[float64] // of each pixel, mismatch and apart of a doubt; none beyond the ends
	beyond float64        // by how much the time is beyond the ends; 0 between them
}

// Others predicts a frame of width×height pixels, sampled from frames that detail has sharpened, of a time; training frame without
// is not used (−1: all are). Errors: *data.ConfigError for an unknown sequence.
func (m *Motion) Others(frames *TrainingFrames, d *Detail, at data.Instant, without, width, height int) (o Others, err error) {
	s, err := m.sequence(at.Sequence)
	if err != nil {
		return o, err
	}
	around := s.neighbours(at.Time, without)
	if len(around) == 0 {
		return o, &data.ConfigError{Field: "times", Err: fmt.Errorf("no other frame of sequence %d", at.Sequence)}
	}
	part := d.sharpness(width)
	pictures := make([]image[float32], len(around))
	for k, n := range around {
		pictures[k] = frames.picture(s.Examples[n.place])
	}
	for k := range o.means {
		o.means[k] = newImage[float64](width, height, frames.Channels)
	}
	if len(around) == 1 {
		o.beyond = math.Abs(at.Time - s.Times[around[0].place])
		o.sampleStill(frames, []image[float32]{spline(pictures[0], d.sharpening, part)}, []float64{1})
		copy(o.means[2].data, o.means[1].data)
		o.toUnits(frames)
		return o, nil
	}
	flow := newDense(pictures[0], pictures[1], around[1].weight, d.sharpening, part)
	o.sampleStill(frames, []image[float32]{flow.a, flow.b}, []float64{around[0].weight, around[1].weight})
	o.doubts = newImage[float64](width, height, 2)
	o.each(frames, func(pixel int, value *[others][]float64, buffer []float64, x, y float64) {
		t := flow.at(value[2], buffer, x, y)
		o.doubts.data[2*pixel], o.doubts.data[2*pixel+1] = square(frames.Step)*t.mismatch, t.apart
	})
	o.toUnits(frames)
	return o, nil
}

// sampleStill samples pictures where they are: their weighted mean and the one of largest weight.
func (o *Others) sampleStill(frames *TrainingFrames, splines []image[float32], weights []float64) {
	nearest := 0
	if len(weights) > 1 && weights[1] > weights[0] {
		nearest = 1
	}
	o.each(frames, func(_ int, value *[others][]float64, buffer []float64, x, y float64) {
		one := buffer[:frames.Channels]
		for k, s := range splines {
			sample(one, s, x, y)
			for c, v := range one {
				value[0][c] += weights[k] * v
				if k == nearest {
					value[1][c] = v
				}
			}
		}
	})
}

// each calls set with every pixel, room for its values and its place in the training frames.
func (o *Others) each(frames *TrainingFrames, set func(pixel int, value *[others][]float64, buffer []float64, x, y float64)) {
	w, h, n := o.means[0].width, o.means[0].height, frames.Channels
	mat.Parallel(h, func(row int) {
		buffer, value := make([]float64, 2*n), new([others][]float64)
		y := (float64(row)+0.5)*float64(frames.Height)/float64(h) - 0.5
		for column := range w {
			k := (row*w + column) * n
			for j := range value {
				value[j] = o.means[j].data[k : k+n]
			}
			set(row*w+column, value, buffer, (float64(column)+0.5)*float64(frames.Width)/float64(w)-0.5, y)
		}
	})
}

// toUnits brings all means from those of the pictures to those of the frames.
func (o *Others) toUnits(frames *TrainingFrames) {
	for _, m := range o.means {
		for k, v := range m.data {
			m.data[k] = frames.Least + frames.Step*v
		}
	}
}

// Alone tells that the model alone is all there is.
func (x *Mixture) Alone() bool { return len(x.levels) == 0 }

// Combine makes of the model's prediction, f, and the others the mixture. It panics if the sizes do not fit.
func (x *Mixture) Combine(f Frame, o Others) {
	f.check("Combine", "a frame to write")
	if o.means[0].width != f.Width || o.means[0].height != f.Height || o.means[0].channels != f.Mean.Cols || len(x.scale) != f.Mean.Cols {
		panic(fmt.Sprintf("flow: Combine: %d×%d pixels and %d channels beside others of %d×%d and %d", f.Width, f.Height, f.Mean.Cols, o.means[0].width, o.means[0].height, o.means[0].channels))
	}
	traits := x.traits(f, o)
	mat.Parallel(f.Height, func(y int) {
		var t traitsOf
		for column := range f.Width {
			if o.beyond == 0 {
				traits.sampleOver(t[:], column, y, f.Width, f.Height)
			}
			w, pixel := x.weights(t[0], o.beyond), y*f.Width+column
			for c, scale := range x.scale {
				mean := w[0] * f.Mean.At(pixel, c)
				for k, m := range o.means {
					mean += w[1+k] * m.data[pixel*m.channels+c]
				}
				f.Mean.Set(pixel, c, mean)
				if f.Variance.Rows == 0 {
					continue
				}
				v := f.Variance.At(pixel, c)
				if o.beyond > 0 {
					f.Variance.Set(pixel, c, x.outside.Factor*v)
				} else {
					f.Variance.Set(pixel, c, scale*x.laws[c].variance(v/scale, &t))
				}
			}
		}
	})
}

// levelOf returns the place between levels, from 0 on, by how far model and dense flow are apart.
func levelOf(u float64) float64 {
	return min(max((math.Log2(max(u, 1e-30))-firstLevel)/levelStep, 0), mixtureLevels-1)
}

// weights returns those at a place where model and dense flow are some way apart, or at a time beyond the ends of a
// sequence: the longer that is, the less the model counts beside the nearest frame.
func (x *Mixture) weights(u, beyond float64) (w weights) {
	if beyond > 0 {
		w = x.outside.Weights
		left := w[0] * max(0, 1-x.unit/beyond)
		w[0] -= left
		w[2] += left
		return w
	}
	i, j, a := between(levelOf(u), len(x.levels))
	for k := range w {
		w[k] = (1-a)*x.levels[i][k] + a*x.levels[j][k]
	}
	return w
}

// String tells the mean weights, and nothing where the model is alone.
func (x *Mixture) String() string {
	if x.Alone() {
		return ""
	}
	var mean weights
	for _, s := range x.levels {
		for k, w := range s {
			mean[k] += w / float64(len(x.levels))
		}
	}
	return fmt.Sprintf("mixed with interpolation %.2g, nearest frame %.2g and dense flow %.2g", mean[1], mean[2], mean[3])
}

// Check is that of Part.
func (x *Mixture) Check(s Shape) error {
	if x.Alone() {
		return nil
	}
	if w, h := mixtureCells(s.Width, s.Height); len(x.scale) != s.Channels || x.width != w || x.height != h {
		return badPart("mixture", "%d×%d cells and %d channels, expected %d×%d and %d", x.width, x.height, len(x.scale), w, h, s.Channels)
	}
	return nil
}

// mixtureCells returns how many cells frames have across and down.
func mixtureCells(width, height int) (across, down int) {
	return max(1, width/mixtureCell), max(1, height/mixtureCell)
}

// mixtureText is how a Mixture is written.
type mixtureText struct {
	Width, Height int
	Scale         []float64
	Unit          float64
	Levels        []weights
	Laws          []varianceLaw
	Outside       share
}

// Encode returns the mixture as JSON text, to the bit.
func (x *Mixture) Encode() ([]byte, error) {
	return json.Marshal(mixtureText{x.width, x.height, x.scale, x.unit, x.levels, x.laws, x.outside})
}

// Decode is that of Part.
func (x *Mixture) Decode(text []byte) error {
	var t mixtureText
	if err := json.Unmarshal(text, &t); err != nil {
		return badPart("mixture", "%v", err)
	}
	if len(t.Levels) != mixtureLevels && len(t.Levels) != 0 {
		return badPart("mixture", "%d levels, expected %d", len(t.Levels), mixtureLevels)
	}
	if len(t.Levels) > 0 && (t.Width < 1 || t.Height < 1 || t.Width > maxSide || t.Height > maxSide || !(t.Unit >= 0) || math.IsInf(t.Unit, 0)) {
		return badPart("mixture", "%d×%d cells and %v between frames", t.Width, t.Height, t.Unit)
	}
	for _, v := range t.Scale {
		if !(v > 0) || math.IsInf(v, 0) {
			return badPart("mixture", "variance %v of a channel, expected a positive number", v)
		}
	}
	for _, all := range append(slices.Clone(t.Levels), t.Outside.Weights) {
		var sum float64
		for _, w := range all {
			sum += w
			if !(w >= 0 && w <= 1) {
				return badPart("mixture", "weight %v, expected one from 0 to 1", w)
			}
		}
		if len(t.Levels) > 0 && !(math.Abs(sum-1) < 1e-6) {
			return badPart("mixture", "weights of %v together, expected 1", sum)
		}
	}
	if f := t.Outside.Factor; len(t.Levels) > 0 && (!(f > 0) || math.IsInf(f, 0)) {
		return badPart("mixture", "factor %v, expected a positive number", f)
	}
	if len(t.Laws) != len(t.Scale) {
		return badPart("mixture", "laws of %d channels, expected %d", len(t.Laws), len(t.Scale))
	}
	for _, l := range t.Laws {
		if !l.valid() {
			return badPart("mixture", "law of variances %v, expected a positive number and more of at least 0", l)
		}
	}
	*x = Mixture{t.Width, t.Height, t.Scale, t.Unit, t.Levels, t.Laws, t.Outside}
	return nil
}
