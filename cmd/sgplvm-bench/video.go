package main

import (
	"context"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/experiment"
)

func video(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "video", `sgplvm-bench video -frames F -truth F -train TRAIN.npy [flags]

Repeats the second experiment of Atkinson and Zabaras (2018): methods learn from some
frames of a film and predict the others, at the resolution of the truth. Prints a table
of their errors in units in which each channel of the training frames has mean 0 and
variance 1, and writes table.txt, table.csv, table.html and frames.png, which shows the
best, the median and the worst frame beside the truth. F is a .npy array, a GIF or a folder
of pictures.`)
	auto := experiment.TimeKernel{Auto: true}
	var (
		frames     = f.String("frames", "", "all frames, of which some are learned from: "+engine.DataUsage)
		truth      = f.String("truth", "", "the same frames in the resolution to predict: "+engine.DataUsage)
		training   = f.String("train", "", "the `file` with the numbers of the frames to learn from, .npy: whole numbers from 0")
		times      = f.String("times", "", "the `file` with the times of all frames, .npy, by default 0, 1, 2, …")
		period     = f.Positive("period", "the `period` of what repeats itself, in units of the times, for climatology and the selection of the time kernel: 12 for months")
		quick      = f.Toggle("quick", "a look: fewer steps of training, every tenth frame predicted")
		methods    = experiment.MethodsFlag(f, experiment.VideoMethods())
		latent     = f.Whole("latent", 0, 0, 1024, "`number` of the model's latent dimensions , by default 30 or one less than the frames")
		iterations = f.Whole("iters", 0, 0, cli.MaxIterations, "`number` of the model's steps of training , by default 400, or 80 with -quick")
		kernel     = cli.Add(f, "time-kernel", auto, "`kernel` of the model's latent variables in time, as 0.7*rbf(5)*periodic(12,1)+0.3*matern12, or auto (model selection) for small films", experiment.ParseTimeKernel)
		partKernel = cli.Add(f, "latent-time-kernel", auto, "`kernel` of the time part of the model's latent kernel, or auto (model selection in large films)", experiment.ParseTimeKernel)
		observed   = f.String("observed", "", "the mask `file` of the frames to predict, .npy: row k belongs to the k-th of them, 1 where it is seen; errors are those of the rest")
		paper      = f.Toggle("paper", "the model as published: no time part in its latent kernel, variances as they are")
		seed       = f.Seed("seed", 0, "the `number` that decides everything random")
		save       = f.String("model", "", "the `file` to save the model to")
		out        = f.String("out", "sgplvm-video", "the `folder` to write to")
	)
	f.Everyday("frames", "truth", "train", "times", "period", "quick", "out")
	f.Examples("sgplvm-bench video -frames low.npy -truth high.npy -train train.npy")
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
