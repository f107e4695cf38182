package main

import (
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/engine"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// trainSettings are the flags of train: at most 14 of them. What only experts want to set is in the file of -config.
type trainSettings struct {
	f *cli.Flags

	data, grid, points, out *string
	channels                *int

	times, sequences *string
	period           *float64
	film             *bool
	hide             *string

	effort *string
	limit  *time.Duration
	seed   *uint64
	config *string
}

func newTrainSettings(e *cli.Environment) *trainSettings {
	f := cli.NewFlags(e, "train", `sgplvm train -data F -out MODEL [flags]

Learns a model from complete pictures and writes it to a file. F is a .npy array
of shape n×height×width, n×height×width×channels or, with -grid, n×p, such an array of a .npz file
(F.npz:NAME), a variable of a classic NetCDF file (F.nc:NAME), an animated GIF, or a
folder of PNG or JPEG pictures; with -points, of shape n×points or n×points×channels. An array
of shape n×columns without a grid is a table, and so is a .csv file, whose first line may
have names: each column is scaled by itself.

What kind of model is best for the data is found by trying: -effort says with how much work.
Whatever is known better goes into the file of -config, of which sgplvm/docs/config.md has every field.`)
	return &trainSettings{
		f:        f,
		data:     f.String("data", "", "the training pictures, or a table: a .npy, .npz, .nc or .csv `file`, a GIF or a folder of PNG or JPEG frames"),
		grid:     f.Grid("grid", "", "`WIDTHxHEIGHT` of a picture, as 20x28; needed where the array has a picture a row, which is a table without"),
		channels: f.Whole("channels", 0, 0, cli.MaxChannels, "`number` of channels of a pixel, side by side in a row (0: one, or what the array's shape says; of a table the columns)"),
		points:   f.String("points", "", "the `file` with coordinates, .npy, points×dimensions, where values were seen at scattered points and not on a picture's grid"),

		times:     f.String("times", "", "the `file` with the times of the pictures, .npy, where pictures change with time"),
		sequences: f.String("sequences", "", "the `file` with a label for every picture, .npy, whole numbers: each label is a sequence of its own in time"),
		period:    f.Positive("period", "the `period` of what repeats itself, in units of the times: 12 for months"),
		film:      f.Toggle("film", "the pictures are the frames of a film, in order, as those of an animated GIF are"),
		hide:      f.String("hide", "", "the `file` with masks of pictures that will be filled in, .npy, as impute -observed takes them: the model is chosen for these"),

		effort: f.Choice("effort", sgplvm.EffortNormal.String(), "`work` to spend on choosing the model: quick, normal, thorough or none (nothing is tried)",
			sgplvm.EffortQuick.String(), sgplvm.EffortNormal.String(), sgplvm.EffortThorough.String(), sgplvm.EffortNone.String()),
		limit:  f.Duration("limit", "the `time` after which the search ends and the best so far is trained, as 90s or 10m"),
		seed:   f.Seed("seed", 0, "the `number` that decides everything random"),
		config: f.String("config", "", "the `file` with what an expert knows better, JSON, as info -write-config writes it"),
		out:    f.String("out", "", "the model `file` to write"),
	}
}

// check refuses flags that do not fit together, and a model file that cannot be written.
func (s *trainSettings) check() error {
	f := s.f
	if err := f.Require("data", "out"); err != nil {
		return err
	}
	if err := f.Exclusive(*s.points, *s.grid); err != nil {
		return err
	}
	if *s.film && *s.points != "" {
		return f.Usagef("-film with -points, expected pictures")
	}
	return f.Files([]string{"data", "points", "times", "sequences", "hide", "config"}, []string{"out"})
}

// readConfig reads the configuration, of which flags on the command line replace fields.
func (s *trainSettings) readConfig() (cfg sgplvm.Config, err error) {
	if *s.config != "" {
		if cfg, err = engine.ReadConfig(*s.config); err != nil {
			return cfg, err
		}
	}
	if s.f.Given("effort") || *s.config == "" {
		if err := cfg.Effort.UnmarshalText([]byte(*s.effort)); err != nil {
			return cfg, err
		}
	}
	if s.f.Given("seed") {
		cfg.Seed = *s.seed
	}
	if s.f.Given("period") {
		cfg.Period = *s.period
	}
	if *s.limit > 0 && cfg.Effort == sgplvm.EffortNone {
		return cfg, s.f.Usagef("-limit %v with the effort none, which searches nothing, expected one of the two", *s.limit)
	}
	cfg.SearchTime = *s.limit
	return cfg, nil
}
