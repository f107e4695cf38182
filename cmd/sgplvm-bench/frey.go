package main

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/experiment"
)

func frey(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "frey", `sgplvm-bench frey -data F -split SPLIT.npy -observed MASKS.npy [flags]

Repeats the first experiment of Atkinson and Zabaras (2018): the model and its
baselines learn from the first n pictures of a split and fill in the last ones, of which
masks say what was observed. Prints a table of their errors, beside the published
ones where the data are the Frey faces, and writes table.csv, table.html and
strip.png. F is a .npy array, a GIF or a folder of pictures of any kind; SPLIT.npy
holds the numbers of all pictures in some order; MASKS.npy has a mask (1 observed,
0 not) for each of the last pictures in that order.`)
	var (
		data     = f.String("data", "", "all pictures, complete: "+engine.DataUsage)
		split    = f.String("split", "", "the `file` with the order of the pictures, .npy: whole numbers, each from 0 once")
		observed = f.String("observed", "", "the `file` of masks, .npy: one for each picture to fill in")
		grid     = f.Grid("grid", "", "`WIDTHxHEIGHT` of a picture, needed where the array has a picture a row, but for rows of 560 values: 20x28")
		n        = f.Whole("n", 50, 3, math.MaxInt32, "`number` of pictures to learn from; published are 50 and 1000")
		quick    = f.Toggle("quick", "a look: fewer steps of training, every tenth picture filled in")
		paper    = f.Toggle("paper", "the latent variable models as in the paper: no residual, and the observed values used in its way")
		methods  = experiment.MethodsFlag(f, experiment.FreyMethods())
		seed     = f.Seed("seed", 0, "the `number` that decides everything random")
		out      = f.String("out", "sgplvm-frey", "the `folder` to write to")
	)
	f.Everyday("data", "split", "observed", "n", "quick", "out")
	f.Examples("sgplvm-bench frey -data frey_faces.npy -split split.npy -observed masks.npy -n 50")
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
