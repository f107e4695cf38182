package main

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/experiment"
	"github.com/seed-08962ecc/kronfield/internal/quote"
)

func reproduce(ctx context.Context, e *cli.Environment, args []string) error {
	switch {
	case len(args) > 0 && args[0] == "video":
		return reproduceVideo(ctx, e, args[1:])
	case len(args) > 0 && args[0] == "holes":
		return reproduceHoles(ctx, e, args[1:])
	case len(args) > 0 && args[0] == "frey":
		return reproduceFrey(ctx, e, args[1:])
	case len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]):
		return reproduceFrey(ctx, e, args)
	case len(args) > 0 && !strings.HasPrefix(args[0], "-"):
		return cli.Usagef("reproduce: unknown experiment %s, expected frey, video or holes", quote.Text(args[0]))
	}
	return cli.Usagef("reproduce: no experiment, expected frey, video or holes, before all flags")
}

func reproduceFrey(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "reproduce", `sgplvm reproduce frey -data F -split SPLIT.npy -observed MASKS.npy [flags]

Repeats the first experiment of Atkinson and Zabaras (2018): the model and its
baselines learn from the first n pictures of a split and fill in the last ones, of which
masks say what was observed. Prints a table of their errors, beside the published
ones where the data are the Frey faces, and writes table.csv, table.html and
strip.png. F is a .npy array, a GIF or a folder of pictures of any kind; SPLIT.npy
holds the numbers of all pictures in some order; MASKS.npy has a mask (1 observed,
0 not) for each of the last pictures in that order.

sgplvm reproduce video -h explains the second experiment, on a film, and reproduce holes -h
one on data with holes.`)
	var (
		data     = f.String("data", "", "all pictures, complete: "+engine.DataUsage)
		split    = f.String("split", "", "the `file` with the order of the pictures, .npy: whole numbers, each from 0 once")
		observed = f.String("observed", "", "the `file` of masks, .npy: one for each picture to fill in")
		grid     = f.Grid("grid", "", "`WIDTHxHEIGHT` of a picture, needed where the array has a picture a row, but for rows of 560 values: 20x28")
		n        = f.Whole("n", 50, 3, math.MaxInt32, "`number` of pictures to learn from; published are 50 and 1000")
		quick    = f.Toggle("quick", "a look: fewer steps of training, every tenth picture filled in")
		paper    = f.Toggle("paper", "the latent variable models as in the paper: no residual, and the observed values used in its way")
		methods  = f.List("methods", "the `methods`, separated by commas: ", experiment.FreyMethods()...)
		seed     = f.Seed("seed", 0, "the `number` that decides everything random")
		out      = f.String("out", "sgplvm-frey", "the `folder` to write to")
	)
	f.Everyday("data", "split", "observed", "n", "quick", "out")
	f.Examples("sgplvm reproduce frey -data frey_faces.npy -split split.npy -observed masks.npy -n 50")
	if err := f.Read(args); err != nil {
		return err
	}
	if err := f.Require("data", "split", "observed", "out"); err != nil {
		return err
	}
	if err := f.Apart([]string{"data", "split", "observed"}, []string{"out"}); err != nil {
		return err
	}
	return experiment.Frey(ctx, e, experiment.FreyOptions{
		Data: *data, Grid: *grid, Split: *split, Masks: *observed, Training: *n,
		Quick: *quick, Paper: *paper, Methods: *methods, Seed: *seed, Out: *out,
	})
}

func reproduceVideo(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "reproduce video", `sgplvm reproduce video -frames F -truth F -train TRAIN.npy [flags]

Repeats the second experiment of Atkinson and Zabaras (2018): methods learn from some
frames of a film and predict the others, at the resolution of the truth. Prints a table
of their errors in units in which each channel of the training frames has mean 0 and
variance 1, and writes table.txt, table.csv, table.html and frames.png, which shows the
best, the median and the worst frame beside the truth. F is a .npy array, a GIF or a folder
of pictures.`)
	auto := cli.TimeKernel{Auto: true}
	var (
		frames     = f.String("frames", "", "all frames, of which some are learned from: "+engine.DataUsage)
		truth      = f.String("truth", "", "the same frames in the resolution to predict: "+engine.DataUsage)
		training   = f.String("train", "", "the `file` with the numbers of the frames to learn from, .npy: whole numbers from 0")
		times      = f.String("times", "", "the `file` with the times of all frames, .npy, by default 0, 1, 2, …")
		period     = f.Positive("period", "the `period` of what repeats itself, in units of the times, for climatology and the selection of the time kernel: 12 for months")
		quick      = f.Toggle("quick", "a look: fewer steps of training, every tenth frame predicted")
		methods    = f.List("methods", "the `methods`, separated by commas: ", experiment.VideoMethods()...)
		latent     = f.Whole("latent", 0, 0, cli.MaxLatent, "`number` of the model's latent dimensions , by default 30 or one less than the frames")
		iterations = f.Whole("iters", 0, 0, cli.MaxIterations, "`number` of the model's steps of training , by default 400, or 80 with -quick")
		kernel     = cli.Add(f, "time-kernel", auto, "`kernel` of the model's latent variables in time, as 0.7*rbf(5)*periodic(12,1)+0.3*matern12, or auto (model selection) for small films", cli.ParseTimeKernel)
		partKernel = cli.Add(f, "latent-time-kernel", auto, "`kernel` of the time part of the model's latent kernel, or auto (model selection in large films)", cli.ParseTimeKernel)
		observed   = f.String("observed", "", "the mask `file` of the frames to predict, .npy: row k belongs to the k-th of them, 1 where it is seen; errors are those of the rest")
		paper      = f.Toggle("paper", "the model as published: no time part in its latent kernel, variances as they are")
		seed       = f.Seed("seed", 0, "the `number` that decides everything random")
		save       = f.String("model", "", "the `file` to save the model to")
		out        = f.String("out", "sgplvm-video", "the `folder` to write to")
	)
	f.Everyday("frames", "truth", "train", "times", "period", "quick", "out")
	f.Examples("sgplvm reproduce video -frames low.npy -truth high.npy -train train.npy")
	if err := f.Read(args); err != nil {
		return err
	}
	if err := f.Require("frames", "truth", "train", "out"); err != nil {
		return err
	}
	if err := f.Apart([]string{"frames", "truth", "train", "times", "observed"}, []string{"model", "out"}); err != nil {
		return err
	}
	return experiment.Video(ctx, e, experiment.VideoOptions{
		Frames: *frames, Truth: *truth, Training: *training, Times: *times, Masks: *observed,
		Quick: *quick, Paper: *paper, Methods: *methods, Period: *period, Seed: *seed,
		Latent: *latent, Iterations: *iterations, Kernel: *kernel, PartKernel: *partKernel,
		Model: *save, Out: *out,
	})
}
