package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// VideoOptions are the command line of the experiment.
type VideoOptions struct {
	Frames, Truth string  // all frames, and the same ones in the resolution to predict
	Training      string  // numbers of the frames to learn from
	Times         string  // of all frames; may be empty
	Masks         string  // what is seen of the frames to predict; may be empty
	Quick, Paper  bool    // a quick look; the model as published
	Methods       string  // all, or names separated by commas
	Period        float64 // of what repeats itself; 0: nothing
	Seed          uint64

	Latent, Iterations int        // of the model; 0: the default
	Kernel, PartKernel TimeKernel // of its latent variables and of its time part

	Model string // file for the model; may be empty
	Out   string // folder of the results
}

// wanted are frames that a method is to predict.
type wanted struct {
	frames        []int // their numbers
	times         []float64
	height, width int // at least those in training
}

// A method predicts frames slab by slab, in the units of the frames.
type method interface {
	predict(ctx context.Context, w wanted, body func(s baseline.Slab) error) error
}

// titleModel names the model in tables.
const titleModel = "dynamical SGPLVM"

// maxInducing bounds the latent inducing points of a film's model.
const maxInducing = 200

// video is a film, a division of its frames and what the methods made of them.
type video struct {
	VideoOptions
	e *cli.Environment

	frames, truth *dataset.Training
	times         []float64 // of all frames
	training      []int     // numbers of the frames to learn from, ascending
	tests         []int     // of those to predict
	level, scale  []float64 // mean and deviation of each channel in training

	seen *partlySeen // nil: nothing

	rows   []scoreRow
	about  []string
	first  method // the first method and its scores
	scores []evaluate.Scores
	model  *sgplvm.Model // nil unless it has run
}

func (x *video) close() {
	for _, t := range []*dataset.Training{x.frames, x.truth} {
		if t != nil {
			t.Close()
		}
	}
}

// load opens the frames and divides them.
func (x *video) load() error {
	var err error
	if x.frames, err = dataset.OpenWith(x.Frames, dataset.SetOptions{}); err != nil {
		return err
	}
	if x.truth, err = dataset.OpenWith(x.Truth, dataset.SetOptions{Layout: dataset.Layout{Channels: x.frames.Channels}}); err != nil {
		return err
	}
	for _, f := range []*dataset.Training{x.frames, x.truth} {
		if err := dataset.CheckPictures(f); err != nil {
			return err
		}
	}
	n := x.frames.Count
	if x.truth.Count != n {
		return &dataset.Error{Path: x.Truth, Found: fmt.Sprintf("%d frames", x.truth.Count), Want: fmt.Sprintf("%d, as in %s", n, x.Frames)}
	}
	if x.truth.Width < x.frames.Width || x.truth.Height < x.frames.Height {
		return &dataset.Error{Path: x.Truth, Found: "frames of " + dataset.FormatGrid(x.truth.Width, x.truth.Height),
			Want: fmt.Sprintf("at least %s, the size of those in %s", dataset.FormatGrid(x.frames.Width, x.frames.Height), x.Frames)}
	}
	if x.training, err = loadChoice(x.Training, n); err != nil {
		return err
	}
	if len(x.training) < 3 || len(x.training) == n {
		return &dataset.Error{Path: x.Training, Found: fmt.Sprintf("%d of %d frames", len(x.training), n), Want: "at least 3 to learn from and one to predict"}
	}
	x.tests = x.others()
	if x.Quick {
		x.tests = every(x.tests)
	}
	if x.Times == "" {
		x.times = engine.EvenTimes(n, 1)
	} else if x.times, err = dataset.LoadTimes(x.Times, n); err != nil {
		return err
	}
	return x.standards()
}

// others returns the numbers of the frames that are not learned from.
func (x *video) others() (list []int) {
	for i := range x.frames.Count {
		if !slices.Contains(x.training, i) {
			list = append(list, i)
		}
	}
	return list
}

// learned are the frames to learn from.
func (x *video) learned() sgplvm.Source { return sgplvm.SourceOf(x.frames, x.training) }

// standards finds the mean and the deviation of each channel of the training frames.
func (x *video) standards() error {
	channels := x.frames.Channels
	x.level, x.scale = make([]float64, channels), make([]float64, channels)
	v := make([]float64, x.frames.Points()*channels)
	per := 1 / (float64(len(x.training)) * float64(x.frames.Points()))
	over := func(dst []float64, of func(c int, v float64) float64) error {
		for _, i := range x.training {
			if err := x.frames.ReadExamples(v, i, i+1); err != nil {
				return err
			}
			sums := make([]float64, channels)
			for j, value := range v {
				if value-value != 0 {
					return &dataset.Error{Path: x.frames.Name, Place: fmt.Sprintf("frame %d, row %d, column %d, channel %d", i,
						j/channels/x.frames.Width, j/channels%x.frames.Width, j%channels), Found: fmt.Sprint(value), Want: "a finite number in every training frame"}
				}
				sums[j%channels] += of(j%channels, value)
			}
			for c, s := range sums {
				dst[c] += per * s
			}
		}
		return nil
	}
	if err := over(x.level, func(_ int, v float64) float64 { return v }); err != nil {
		return err
	}
	if err := over(x.scale, func(c int, v float64) float64 { return (v - x.level[c]) * (v - x.level[c]) }); err != nil {
		return err
	}
	for c, s := range x.scale {
		x.scale[c] = 1
		if s > 0 {
			x.scale[c] = math.Sqrt(s)
		}
	}
	return nil
}

// timesOf returns the times of some frames.
func (x *video) timesOf(frames []int) []float64 {
	t := make([]float64, len(frames))
	for k, i := range frames {
		t[k] = x.times[i]
	}
	return t
}
