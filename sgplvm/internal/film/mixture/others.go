package mixture

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// others is how many predictions there are beside that of the model.
const others = 3

// fewFrames is up to how many frames a shot is no example for others (fewframes.go).
const fewFrames = 3

// The numbers of a doubt: the mismatch, how far paths are apart, what pixels miss, what that makes of the mismatch, the texture there, and how far hypotheses are apart.
const (
	doubtMismatch = iota
	doubtApart
	doubtMissed
	doubtBetween
	doubtEnergy
	doubtHypotheses
	doubts
)

// Others are predictions from the training frames before and after a time alone: linear interpolation of
// each pixel, the frame that is nearer, and linear interpolation along the dense optical flow. Beyond the ends of a sequence
// all are its nearest frame.
type Others struct {
	means      [others]frame.Image[float64]
	enlarged   frame.Image[float64] // in pixels of training, the flow between enlarged frames (enlarged.go); none where it was not asked for and beyond the ends
	doubts     frame.Image[float64] // of each pixel, the numbers of a doubt; none beyond the ends and of pixels other than those of training
	unresolved frame.Image[float64] // of each pixel, which part other frames leave of what one does not show; none where it is all
	resolvable float64              // which part of detail is resolved where nothing is left
	beyond     float64              // by how much the time is beyond the ends; 0 between them
	gap        float64              // the harmonic mean of how far both frames are away in time; 0 beyond the ends
	noise      float64              // the variance of noise that the flow has, over that of a frame; 0 beyond the ends
	few        bool                 // the shot has fewFrames at most
}

// NewOthers predicts a frame of width×height pixels, sampled from frames that detail has sharpened, at a moment. It panics if no
// frame of the shot is known.
func NewOthers(f *training.Frames, d *detail.Detail, x motion.Moment, width, height int) Others {
	return predictOthers(f, d, x, width, height, false)
}

// predictOthers is NewOthers, of pixels of training with the flow between enlarged frames too where they are asked for.
func predictOthers(f *training.Frames, d *detail.Detail, x motion.Moment, width, height int, enlarged bool) (o Others) {
	s, around := x.Shot, x.Neighbours()
	o.few = len(s.Examples) <= fewFrames
	if len(around) == 0 {
		panic(fmt.Sprintf("film: NewOthers: frame %d is alone in its shot", x.Without))
	}
	o.resolvable = d.Resolvable
	pictures := make([]training.SharpPicture, len(around))
	for k, n := range around {
		pictures[k] = detail.Sharp(f, d, s, n.Place, x.Without, width)
	}
	for k := range o.means {
		o.means[k] = frame.NewImage[float64](width, height, f.Channels)
	}
	if len(around) == 1 {
		o.beyond = math.Abs(x.Time - s.Times[around[0].Place])
		o.sampleStill(f, pictures, []float64{1})
		if o.resolve(pictures) {
			o.each(f, func(pixel int, _ *[others][]float64, _ []float64, x, y float64) {
				o.unresolved.Data[pixel] = pictures[0].UnresolvedAt(x, y)
			})
		}
		copy(o.means[2].Data, o.means[1].Data)
		o.toUnits(f)
		return o
	}
	o.gap = gapOf(x.Time-s.Times[around[0].Place], s.Times[around[1].Place]-x.Time)
	flows := f.FlowsBetween(s.Examples[around[0].Place], s.Examples[around[1].Place])
	var bends [2]*bend
	if d.Bends {
		bends = bendsAround(f, x, around, flows)
	}
	flow := newDense(around[1].Weight, pictures[0], pictures[1], flows, bends)
	flow.smoothed = smoothedAround(f, x, around, d.Smoothing)
	var hypotheses hypothesized
	if d.Hypotheses {
		hypotheses = hypothesesAt(f, x, around, flows, bends)
	}
	for k, n := range around { // contents of one frame alone have all of its noise; they are few
		o.noise += frame.Square(n.Weight) * (1 - flow.smoothed[k].less)
	}
	o.sampleStill(f, pictures, []float64{around[0].Weight, around[1].Weight})
	resolved := o.resolve(pictures)
	doubtful := width == f.Width && height == f.Height
	if doubtful {
		o.doubts = frame.NewImage[float64](width, height, doubts)
		flow.textures = new([2]frame.Image[float64])
		for k, n := range around {
			flow.textures[k] = detail.TextureOf(f.Picture(s.Examples[n.Place]))
		}
	}
	if enlarged {
		o.enlarge(f, d, x, flow, hypotheses)
	}
	o.each(f, func(pixel int, value *[others][]float64, buffer []float64, x, y float64) {
		t := flow.at(value[2], buffer, x, y)
		hypotheses.sample(value[2], buffer[:f.Channels], x, y)
		if resolved {
			o.unresolved.Data[pixel] = t.unresolved
		}
		if doubtful {
			unit, to := frame.Square(f.Step), o.doubts.Data[doubts*pixel:]
			to[doubtMismatch], to[doubtApart] = unit*t.mismatch, t.apart
			to[doubtMissed], to[doubtBetween], to[doubtEnergy] = unit*t.Missed(), unit*t.Between, unit*t.Texture
			to[doubtHypotheses] = unit * hypotheses.spreadAt(pixel)
		}
	})
	o.toUnits(f)
	return o
}

// enlarge adds, in pixels of training, the flow between enlarged frames, along the same paths with the same hypotheses: of each pixel the mean over finer ones around it, and what other frames leave unresolved there.
func (o *Others) enlarge(f *training.Frames, d *detail.Detail, x motion.Moment, plain *dense, hypotheses hypothesized) {
	around, flow, width := x.Neighbours(), *plain, 2*f.Width
	flow.a = detail.Sharp(f, d, x.Shot, around[0].Place, x.Without, width).Means()
	flow.b = detail.Sharp(f, d, x.Shot, around[1].Place, x.Without, width).Means()
	flow.textures = nil
	o.enlarged = frame.NewImage[float64](f.Width, f.Height, f.Channels)
	o.unresolved = frame.NewImage[float64](f.Width, f.Height, 1)
	mat.Parallel(f.Height, func(row int) {
		buffer, to := make([]float64, 2*f.Channels), o.enlarged.Row(row)
		for column := range f.Width {
			value := to[column*f.Channels : (column+1)*f.Channels]
			t := flow.at(value, buffer, float64(column), float64(row))
			hypotheses.sample(value, buffer[:f.Channels], float64(column), float64(row))
			o.unresolved.Data[row*f.Width+column] = t.unresolved
			for c, v := range value {
				value[c] = f.Least + f.Step*v
			}
		}
	})
}

// own returns the traits of a value between two frames, of channel c at a pixel of training; scale is the variance of the channel, mean that of all.
func (o *Others) own(column, row, c int, scale, mean float64) (t ownTraits) {
	flow := o.means[others-1]
	pixel := row*flow.Width + column
	k := pixel*flow.Channels + c
	t.change, t.texture = frame.Square(o.means[1].Data[k]-o.means[0].Data[k])/scale, slope(flow, column, row, c)/scale
	if len(o.doubts.Data) > 0 { // none at the time of the first frame
		t.mismatch = o.doubts.Data[doubts*pixel+doubtMismatch] / mean
		t.hypotheses = o.doubts.Data[doubts*pixel+doubtHypotheses] / mean
	}
	return t
}

// resolve makes room for what frames around leave unresolved, and tells whether they leave less than all.
func (o *Others) resolve(pictures []training.SharpPicture) bool {
	if !slices.ContainsFunc(pictures, func(p training.SharpPicture) bool { return len(p.Unresolved.Data) > 0 }) {
		return false
	}
	o.unresolved = frame.NewImage[float64](o.means[0].Width, o.means[0].Height, 1)
	return true
}

// Unresolved returns what frames around leave of what one does not show.
func (o *Others) Unresolved() detail.Unresolved { return detail.Unresolved{Image: o.unresolved} }

// gapOf returns how far frames are away in time that lie before and after: the harmonic mean of both distances, to which the variance of
// a Brownian motion between two known values is in proportion.
func gapOf(before, after float64) float64 {
	if !(before+after > 0) {
		return 0
	}
	return 2 * before * (after / (before + after))
}

// sampleStill samples pictures where they are: their weighted mean and the one of largest weight.
func (o *Others) sampleStill(frames *training.Frames, pictures []training.SharpPicture, weights []float64) {
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
func (o *Others) each(frames *training.Frames, set func(pixel int, value *[others][]float64, buffer []float64, x, y float64)) {
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
func (o *Others) toUnits(frames *training.Frames) {
	mat.Parallel(len(o.means), func(i int) {
		m := o.means[i]
		for k, v := range m.Data {
			m.Data[k] = frames.Least + frames.Step*v
		}
	})
}
