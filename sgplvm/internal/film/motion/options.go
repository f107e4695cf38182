package motion

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Options say how Fit works. Only Width and Height must be given.
type Options struct {
	// Width and Height are those of the frames in pixels: point y·Width + x of an example is the
	// pixel in column x of row y. Pixels are square.
	Width, Height int

	// Nodes are the numbers of nodes across the frame to choose from, 2 to 64 each; down the frame
	// there are as many as make the cells nearly square. Default 9, 5 and 17.
	Nodes []int

	// Strengths are those of the prior to choose from, λ in doc.go; above 0. Default 0.01, 0.001 and
	// 0.0001. All are tried with the first number of nodes, then the other numbers with the strength
	// chosen so far. A setting takes the place of one before it only if its error is less by
	// 1 %: a strong prior and few nodes stretch the frames least, so they should come first.
	Strengths []float64

	// Gain is the part by which motion must lower the error of frames that are left out to be
	// chosen. Default 0.02; below 0 it may raise the error by as much.
	Gain float64

	// Pixels is how many pixels a frame has at most where the motion is estimated: it is halved until there are no more.
	// Which motion is the best is judged on 65536 pixels at most all the same: where there are few, a wrong motion costs little.
	// Default 65536.
	Pixels int

	// Examined is about how many frames are left out at most to learn what predictions are mixed of and how unsure they are.
	// Default: all for the variance inflation, 24 for the mixture.
	Examined int

	// Progress, if not nil, is called when a trial has ended.
	Progress func(Trial)
}

// complete sets the defaults and checks what was given.
func (o *Options) complete(frames data.Source) error {
	refuse := func(field, format string, args ...any) error {
		return &data.ConfigError{Field: field, Err: fmt.Errorf(format, args...)}
	}
	n, points, channels := frames.Dims()
	if o.Width < 1 || o.Width > frame.MaxSide || o.Height < 1 || o.Height > frame.MaxSide || points%o.Width != 0 || points/o.Width != o.Height {
		return refuse("Width and Height", "%d×%d pixels for frames of %d points, expected 1 to %d each way and their product", o.Width, o.Height, points, frame.MaxSide)
	}
	if n < 1 || channels < 1 {
		return refuse("frames", "%d frames of %d channels, expected at least one of one channel", n, channels)
	}
	if o.Nodes == nil {
		o.Nodes = []int{9, 5, 17}
	}
	if o.Strengths == nil {
		o.Strengths = []float64{1e-2, 1e-3, 1e-4}
	}
	if o.Gain == 0 {
		o.Gain = 0.02
	}
	if o.Pixels == 0 {
		o.Pixels = maxPixels
	}
	if o.Pixels < 1 || o.Examined < 0 {
		return refuse("Pixels and Examined", "%d pixels and %d frames, expected positive numbers", o.Pixels, o.Examined)
	}
	for _, v := range o.Nodes {
		if v < 2 || v > maxNodes {
			return refuse("Nodes", "%d nodes across, expected 2 to %d", v, maxNodes)
		}
	}
	for _, s := range o.Strengths {
		if !(s > 0) || math.IsInf(s, 0) {
			return refuse("Strengths", "%v, expected a positive number", s)
		}
	}
	if !(o.Gain < 1) {
		return refuse("Gain", "%v, expected less than 1", o.Gain)
	}
	if len(o.Nodes) == 0 || len(o.Strengths) == 0 {
		return refuse("Nodes", "nothing to choose from")
	}
	return nil
}
