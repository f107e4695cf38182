package mixture

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// byEnlarged returns the others of pixels of training with the flow between enlarged frames in place of that between frames as they are. Frames together show
// what lies between pixels of one, so that pixels miss between them what these leave unresolved. Beyond the ends nothing changes.
func (o Others) byEnlarged() Others {
	if len(o.enlarged.Data) == 0 {
		return o
	}
	o.means[others-1] = o.enlarged
	o.doubts.Data = slices.Clone(o.doubts.Data)
	for pixel, u := range o.unresolved.Data {
		o.doubts.Data[doubts*pixel+doubtMissed] *= u
	}
	return o
}

// Others returns the predictions of a frame of width×height pixels at a moment, and those of pixels of training by which weights and variances go.
func (x *Mixture) Others(f *training.Frames, d *detail.Detail, m motion.Moment, width, height int) (at, around Others) {
	if around = predictOthers(f, d, m, f.Width, f.Height, x.enlarged); x.enlarged {
		around = around.byEnlarged()
	}
	if width == f.Width && height == f.Height {
		return around, around
	}
	return NewOthers(f, d, m, width, height), around
}

// A Choice learns two mixtures from the same left-out frames, to take the likelier one: with the dense flow between frames as they are, which is exact where contents rest, and with that between enlarged ones, which know what lies between pixels.
type Choice struct {
	plain, enlarged *Law // no enlarged one where frames are not enlarged from one another
	frames          *training.Frames
	enlarging       *detail.Detail // of frames that are enlarged best
}

// NewChoice starts with two laws (NewLaw), given how frames are enlarged best as well.
func NewChoice(m *motion.Motion, frames *training.Frames, d, enlarging *detail.Detail, examined int) *Choice {
	c := &Choice{plain: NewLaw(m, frames, d, examined), frames: frames, enlarging: enlarging}
	if enlarging.SuperResolution != (detail.SuperResolution{}) {
		c.enlarged = NewLaw(m, frames, d, examined)
		c.enlarged.mixture.enlarged = true
	}
	return c
}

// Wants tells whether frame i counts.
func (c *Choice) Wants(i int) bool { return c.plain.Wants(i) }

// Add takes in a frame that was left out, what the model predicted of it, and its moment, and returns what the others predicted: plain, of frames as they are, and enlarged, the same ones where frames are not enlarged from one another.
func (c *Choice) Add(truth, predicted frame.Frame, m motion.Moment) (plain, enlarged Others) {
	plain = predictOthers(c.frames, c.enlarging, m, truth.Width, truth.Height, c.enlarged != nil)
	c.plain.Add(truth, predicted, plain)
	if enlarged = plain.byEnlarged(); c.enlarged != nil {
		c.enlarged.Add(truth, predicted, enlarged)
	}
	return plain, enlarged
}

// TrainingErrors is that of both laws.
func (c *Choice) TrainingErrors(squares []float64) {
	c.plain.TrainingErrors(squares)
	if c.enlarged != nil {
		c.enlarged.TrainingErrors(squares)
	}
}

// Mixture returns that with the flow between enlarged frames where left-out frames are surely likelier, and that between frames as they are elsewhere.
func (c *Choice) Mixture() *Mixture {
	plain := c.plain.Mixture()
	if c.enlarged == nil {
		return plain
	}
	if enlarged := c.enlarged.Mixture(); surelyLikelier(c.enlarged.losses(enlarged), c.plain.losses(plain)) {
		return enlarged
	}
	return plain
}

// Aliased is that of the law of frames as they are.
func (c *Choice) Aliased(d *detail.Detail) (parts []float64) { return c.plain.Aliased(d) }

// surelyLikelier tells whether frames lose less than before, in the mean and two standard errors of that, and are enough to tell.
func surelyLikelier(losses, before []float64) bool {
	n := float64(len(losses))
	if n < leastAsked {
		return false
	}
	var mean, squares float64
	for i, l := range losses {
		mean += (l - before[i]) / n
		squares += frame.Square(l-before[i]) / n
	}
	return mean+surelyLess*math.Sqrt(max(squares-mean*mean, 0)/(n-1)) < 0
}

// losses returns the mean negative log density, under a mixture, of the samples of each frame that has some.
func (l *Law) losses(x *Mixture) (losses []float64) {
	errors := l.mixed(x)
	sums, counts := make([]float64, l.frames), make([]float64, l.frames)
	for i, s := range l.samples {
		v := x.laws[s.channel].variance(l.parts(x, s)) + x.light[s.channel]
		sums[s.frame] += (math.Log(2*math.Pi*v) + frame.Square(errors[i])/v) / 2
		counts[s.frame]++
	}
	for i, n := range counts {
		if n > 0 {
			losses = append(losses, sums[i]/n)
		}
	}
	return losses
}
