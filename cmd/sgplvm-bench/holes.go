package main

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/experiment"
)

func holes(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "holes", `sgplvm-bench holes -data F -holes random:0.3,clouds:0.6 [flags]
sgplvm-bench holes -data F -split SPLIT.npy -observed MASKS.npy [flags]

Hides values of complete pictures, has methods for data with holes fill them in from all
that is left, and prints a table of their errors for each way of hiding. Holes are
random:SHARE, points by themselves, or clouds:SHARE:SIZE, blobs of about so many points; or
masks from a file, of the last pictures of a split. Writes table.txt, table.csv and
table.html. F is a .npy array, a GIF or a folder of pictures of any kind.`)
	var (
		data     = f.String("data", "", "all pictures, complete: "+engine.DataUsage)
		grid     = f.Grid("grid", "", "`WIDTHxHEIGHT` of a picture, needed where the array has a picture a row, but for rows of 560 values: 20x28")
		split    = f.String("split", "", "the `file` with an order of the pictures, .npy: whole numbers, each from 0 once")
		n        = f.Whole("n", 0, 0, math.MaxInt32, "`number` of pictures of the split to take, the first ones, by default all")
		observed = f.String("observed", "", "the `file` of masks, .npy: one for each of the last pictures of the split, 1 where it is seen")
		times    = f.String("times", "", "the `file` with the times of all pictures, .npy")
		holes    = cli.Add(f, "holes", holesFlag{}, "the `holes`, separated by commas: random:SHARE or clouds:SHARE:SIZE", parseHolesFlag)
		examples = f.Whole("examples", 0, 0, math.MaxInt32, "`number` of pictures that get holes, the others stay whole; by default all")
		fill     = f.Finite("fill-value", 0, "points that hold this `value` in every picture, as land does, are left out")
		quick    = f.Toggle("quick", "a look: parameters are judged by fewer values")
		methods  = experiment.MethodsFlag(f, experiment.HolesMethods())
		seed     = f.Seed("seed", 0, "the `number` that decides everything random")
		out      = f.String("out", "sgplvm-holes", "the `folder` to write to")
	)
	f.Everyday("data", "holes", "split", "observed", "quick", "out")
	f.Examples("sgplvm-bench holes -data frey_faces.npy -holes random:0.3,clouds:0.4:20")
	if err := f.Read(args); err != nil {
		return err
	}
	if err := f.Require("data", "out"); err != nil {
		return err
	}
	if err := f.Apart([]string{"data", "split", "observed", "times"}, []string{"out"}); err != nil {
		return err
	}
	if *split == "" {
		if err := f.Refuse("without -split", "n", "observed"); err != nil {
			return err
		}
	}
	if (len(holes.list) == 0) == (*observed == "") {
		return f.Usagef("expected one of -holes and -observed")
	}
	o := experiment.HolesOptions{
		Data: *data, Grid: *grid, Split: *split, Masks: *observed, Training: *n, Times: *times, Holes: holes.list,
		Examples: *examples, Quick: *quick, Methods: *methods, Seed: *seed, Out: *out,
	}
	if f.Given("fill-value") {
		o.Fill = fill
	}
	return experiment.Holes(ctx, e, o)
}

// holesFlag are holes as they were written.
type holesFlag struct {
	text string
	list []experiment.Hole
}

func (h holesFlag) String() string { return h.text }

func parseHolesFlag(s string) (holesFlag, error) {
	list, err := experiment.ParseHoles(s)
	return holesFlag{s, list}, err
}
