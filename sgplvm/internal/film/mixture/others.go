package mixture

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// others is how many predictions there are beside that of the model.
const others = 3

// Others are predictions from the training frames before and after a time alone: linear interpolation of
// each pixel, the frame that is nearer, and linear interpolation along the dense optical flow. Beyond the ends of a sequence
// all are its nearest frame.
type Others struct {
	means    [others]frame.Image[float64]
	mismatch frame.Image[float64] // of each pixel, the mean square, over channels, of how far what both frames show along the paths is apart; none beyond the ends and of pixels other than those of training
	beyond   float64              // by how much the time is beyond the ends; 0 between them
	gap      float64              // the harmonic mean of how far both frames are away in time; 0 beyond the ends
	few      bool                 // the shot has three frames at most and is no example for others (fewframes.go)
}

// NewOthers predicts a frame of width×height pixels, sampled from frames that detail has sharpened, at a moment. It panics if no
// frame of the shot is known.
func NewOthers(f *motion.Frames, d *Detail, x motion.Moment, width, height int) (o Others) {
	s, around := x.Shot, x.Neighbours()
	o.few = len(s.Examples) <= 3
	if len(around) == 0 {
		panic(fmt.Sprintf("film: NewOthers: frame %d is alone in its shot", x.Without))
	}
	pictures := make([]motion.SharpPicture, len(around))
	for k, n := range around {
		pictures[k] = Sharp(f, d, s, n.Place, x.Without, width)
	}
	for k := range o.means {
		o.means[k] = frame.NewImage[float64](width, height, f.Channels)
	}
	if len(around) == 1 {
		o.beyond = math.Abs(x.Time - s.Times[around[0].Place])
		o.sampleStill(f, pictures, []float64{1})
		copy(o.means[2].Data, o.means[1].Data)
		o.toUnits(f)
		return o
	}
	o.gap = gapOf(x.Time-s.Times[around[0].Place], s.Times[around[1].Place]-x.Time)
	flows := f.FlowsBetween(s.Examples[around[0].Place], s.Examples[around[1].Place])
	flow := newDense(around[1].Weight, pictures[0], pictures[1], flows, bendsAround(f, x, around, flows))
	o.sampleStill(f, pictures, []float64{around[0].Weight, around[1].Weight})
	doubtful := width == f.Width && height == f.Height
	if doubtful {
		o.mismatch = frame.NewImage[float64](width, height, 1)
	}
	o.each(f, func(pixel int, value *[others][]float64, buffer []float64, x, y float64) {
		mismatch := flow.at(value[2], buffer, x, y)
		if doubtful {
			o.mismatch.Data[pixel] = frame.Square(f.Step) * mismatch
		}
	})
	o.toUnits(f)
	return o
}

// traits returns what the numbers of a law multiply, of a value between two frames: of channel c at a pixel of training for which the model expects the variance v. scale is the variance of the channel, mean that of all.
func (o *Others) traits(column, row, c int, v, scale, mean, spread float64) varianceLaw {
	flow := o.means[others-1]
	pixel := row*flow.Width + column
	var mismatch float64
	if len(o.mismatch.Data) > 0 { // none at the time of the first frame
		mismatch = o.mismatch.Data[pixel] / mean
	}
	return traitsOf(v/scale, mismatch, slope(flow, column, row, c)/scale, spread)
}

// gapOf returns how far frames are away in time that lie before and after: the harmonic mean of both distances, to which the variance of
// a Brownian motion between two known values is in proportion.
func gapOf(before, after float64) float64 {
	if !(before+after > 0) {
		return 0
	}
	return 2 * before * (after / (before + after))
}

// sampleStill samples pictures where they are: their weighted mean and the one of largest weight.
func (o *Others) sampleStill(frames *motion.Frames, pictures []motion.SharpPicture, weights []float64) {
	nearest := 0
	if len(weights) > 1 && weights[1] > weights[0] {
		nearest = 1
	}
	o.each(frames, func(_ int, value *[others][]float64, buffer []float64, x, y float64) {
		one := buffer[:frames.Channels]
		for k := range pictures {
			pictures[k].At(one, x, y)
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
func (o *Others) each(frames *motion.Frames, set func(pixel int, value *[others][]float64, buffer []float64, x, y float64)) {
	w, h, n := o.means[0].Width, o.means[0].Height, frames.Channels
	mat.Parallel(h, func(row int) {
		buffer, value := make([]float64, 2*n), new([others][]float64)
		y := (float64(row)+0.5)*float64(frames.Height)/float64(h) - 0.5
		for column := range w {
			k := (row*w + column) * n
			for j := range value {
				value[j] = o.means[j].Data[k : k+n]
			}
			set(row*w+column, value, buffer, (float64(column)+0.5)*float64(frames.Width)/float64(w)-0.5, y)
		}
	})
}

// toUnits brings all means from those of the pictures to those of the frames.
func (o *Others) toUnits(frames *motion.Frames) {
	mat.Parallel(len(o.means), func(i int) {
		m := o.means[i]
		for k, v := range m.Data {
			m.Data[k] = frames.Least + frames.Step*v
		}
	})
}

// slope returns the squared slope of a channel of a picture per pixel.
func slope(m frame.Image[float64], column, row, c int) float64 {
	left, right := m.Row(row)[max(column-1, 0)*m.Channels:], m.Row(row)[min(column+1, m.Width-1)*m.Channels:]
	up, down := m.Row(max(row-1, 0))[column*m.Channels:], m.Row(min(row+1, m.Height-1))[column*m.Channels:]
	return (frame.Square(right[c]-left[c]) + frame.Square(down[c]-up[c])) / 4
}
