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
// frames around the time say by themselves (Others). The means are mixed by weights from 0 to 1 with the sum 1, and the
// variances of the model are multiplied by a factor. Both depend on how far the model and the dense flow are apart: with
// u the mean square of their difference over a cell of some pixels, in units of the channels' variances, they are
// piecewise linear in log₂u between the levels −16, −14, …, 0. Beyond the ends of a sequence there is one set of them.
// Without levels a Mixture is the model alone.
type Mixture struct {
	width, height int       // cells
	scale         []float64 // variance of each channel
	unit          float64   // median distance of frames in time
	levels        []share   // none: the model alone
	outside       share
}

// A share is the weights of the model and the others, and the factor of the variances.
type share struct {
	Weights [1 + others]float64
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
	beyond float64 // by how much the time is beyond the ends; 0 between them
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
	o.each(frames, func(value *[others][]float64, buffer []float64, x, y float64) { flow.at(value[2], buffer, x, y) })
	o.toUnits(frames)
	return o, nil
}

// sampleStill samples pictures where they are: their weighted mean and the one of largest weight.
func (o *Others) sampleStill(frames *TrainingFrames, splines []image[float32], weights []float64) {
	nearest := 0
	if len(weights) > 1 && weights[1] > weights[0] {
		nearest = 1
	}
	o.each(frames, func(value *[others][]float64, buffer []float64, x, y float64) {
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

// each calls set with room for the values of every pixel and the pixel's place in the training frames.
func (o *Others) each(frames *TrainingFrames, set func(value *[others][]float64, buffer []float64, x, y float64)) {
	w, h, n := o.means[0].width, o.means[0].height, frames.Channels
	mat.Parallel(h, func(row int) {
		buffer, value := make([]float64, 2*n), new([others][]float64)
		y := (float64(row)+0.5)*float64(frames.Height)/float64(h) - 0.5
		for column := range w {
			k := (row*w + column) * n
			for j := range value {
				value[j] = o.means[j].data[k : k+n]
			}
			set(value, buffer, (float64(column)+0.5)*float64(frames.Width)/float64(w)-0.5, y)
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
	apart := x.apart(f, o)
	mat.Parallel(f.Height, func(y int) {
		var level [1]float64
		for column := range f.Width {
			apart.sampleOver(level[:], column, y, f.Width, f.Height)
			s, pixel := x.share(level[0], o.beyond), y*f.Width+column
			for c := range f.Mean.Cols {
				mean := s.Weights[0] * f.Mean.At(pixel, c)
				for k, m := range o.means {
					mean += s.Weights[1+k] * m.data[pixel*m.channels+c]
				}
				f.Mean.Set(pixel, c, mean)
				if f.Variance.Rows > 0 {
					f.Variance.Set(pixel, c, s.Factor*f.Variance.At(pixel, c))
				}
			}
		}
	})
}

// apart returns the place between levels, from 0 on, of each cell of a frame: by how far model and dense flow are apart.
func (x *Mixture) apart(f Frame, o Others) image[float64] {
	squares := newImage[float64](f.Width, f.Height, 1)
	m, n := o.means[others-1], f.Mean.Cols
	mat.Parallel(f.Height, func(y int) {
		for pixel := y * f.Width; pixel < (y+1)*f.Width; pixel++ {
			for c := range n {
				squares.data[pixel] += square(f.Mean.At(pixel, c)-m.data[pixel*n+c]) / x.scale[c] / float64(n)
			}
		}
	})
	cells := newImage[float64](min(x.width, f.Width), min(x.height, f.Height), 1)
	downsample(cells, squares, make([]float64, cells.height*f.Width))
	for k, u := range cells.data {
		cells.data[k] = min(max((math.Log2(max(u, 1e-30))-firstLevel)/levelStep, 0), mixtureLevels-1)
	}
	return cells
}

// share returns the share at a place between levels, or at a time beyond the ends of a sequence: the longer that is, the
// less the model counts beside the nearest frame.
func (x *Mixture) share(level, beyond float64) (s share) {
	if beyond > 0 {
		s = x.outside
		left := s.Weights[0] * max(0, 1-x.unit/beyond)
		s.Weights[0] -= left
		s.Weights[2] += left
		return s
	}
	i, j, a := between(level, len(x.levels))
	for k := range s.Weights {
		s.Weights[k] = (1-a)*x.levels[i].Weights[k] + a*x.levels[j].Weights[k]
	}
	s.Factor = (1-a)*x.levels[i].Factor + a*x.levels[j].Factor
	return s
}

// String tells the mean weights, and nothing where the model is alone.
func (x *Mixture) String() string {
	if x.Alone() {
		return ""
	}
	var mean [1 + others]float64
	for _, s := range x.levels {
		for k, w := range s.Weights {
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
	Levels        []share
	Outside       share
}

// Encode returns the mixture as JSON text, to the bit.
func (x *Mixture) Encode() ([]byte, error) {
	return json.Marshal(mixtureText{x.width, x.height, x.scale, x.unit, x.levels, x.outside})
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
	for _, s := range append(slices.Clone(t.Levels), t.Outside) {
		var sum float64
		for _, w := range s.Weights {
			sum += w
			if !(w >= 0 && w <= 1) {
				return badPart("mixture", "weight %v, expected one from 0 to 1", w)
			}
		}
		if len(t.Levels) > 0 && (!(math.Abs(sum-1) < 1e-6) || !(s.Factor > 0) || math.IsInf(s.Factor, 0)) {
			return badPart("mixture", "weights of %v together and factor %v, expected 1 and a positive number", sum, s.Factor)
		}
	}
	*x = Mixture{t.Width, t.Height, t.Scale, t.Unit, t.Levels, t.Outside}
	return nil
}
