package main

import (
	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// trainSettings are the flags of train: at most 30 of them. What only experts want to set is in the file of -config.
type trainSettings struct {
	f *cli.Flags

	data, observed, grid, points, out *string
	channels, sample                  *int

	times, sequences *string
	film, json       *bool
	hide, inputs     *string
	views            *views

	choice *choiceFlags

	report     *string
	resume     *bool
	plan, task *string
	keep       keeper
	shared     *plan // nil: the search is of one process
}

func newTrainSettings(e *cli.Environment) *trainSettings {
	f := cli.NewFlags(e, "train", `sgplvm train -data F -out MODEL [flags]

Learns a model from pictures, of which values may be missing (NaN), and writes it to a file. F is a .npy array
of shape n×height×width, n×height×width×channels or, with -grid, n×p, such an array of a .npz file
(F.npz:NAME), a variable of a NetCDF file (F.nc:NAME), an animated GIF, or a
folder of PNG or JPEG pictures; with -points, of shape n×points or n×points×channels. An array
of shape n×columns without a grid is a table, and so is a file .csv, .tsv or .txt, which is read as it is: each column is
scaled by itself, dates are times, words are passed over.

What kind of model is best for the data is found by trying: -effort says with how much work.
Whatever is known better goes into the file of -config, of which sgplvm/docs/config.md has every field.

An interrupt (or SIGTERM, SIGHUP) stops the run and leaves an older MODEL alone. MODEL.checkpoint keeps what was done, every half minute
too, and the same command with -resume goes on to the same model. With a short -limit as well the
search ends and the best so far is trained in that time.`)
	engine.NewReadFlags(f)
	s := &trainSettings{
		f:        f,
		data:     f.Input("data", "the training pictures, or a table: "+engine.DataUsage),
		sample:   f.Whole("sample", 0, 0, 1000000, "learn from so many of the `examples`, spread evenly over all files, without times: sgplvm shard and reduce then learn from all"),
		observed: f.Input("observed", engine.MaskUsage),
		grid:     f.Grid("grid", "", "`WIDTHxHEIGHT` of a picture, as 20x28; needed where the array has a picture a row, which is a table without"),
		channels: f.Whole("channels", 0, 0, cli.MaxChannels, "`number` of channels of a pixel, side by side in a row; by default one, or what the array's shape says, and of a table the columns"),
		points:   f.Input("points", "the `file` with coordinates (.npy, .npz, .nc, .csv), points×dimensions, where values were seen at scattered points and not on a picture's grid"),

		times:     f.Input("times", "the `file` with the times of the pictures (.npy, .npz, .nc, .csv), where pictures change with time"),
		sequences: f.Input("sequences", "the `file` with a label for every picture (.npy, .npz, .nc, .csv), whole numbers: each label is a sequence of its own in time"),
		film:      f.Toggle("film", engine.FilmUsage),
		hide:      f.Input("hide", "masks of pictures that will be filled in, a `file` or a folder as -observed takes: the model is chosen for these"),

		inputs: f.Input("inputs", engine.InputsUsage+": the model is then an emulator, which predicts the values from them"),

		views:  newViews(f, "the model `file`"),
		choice: newChoiceFlags(f),
		out:    f.Model("out", "the model `file` to write"),
		report: f.Result("report", "the HTML `file` for a page that shows what was learned, as the command report writes it", ".html", ".htm"),
		json:   f.JSON(),
		resume: f.Toggle("resume", engine.ResumeUsage),
		plan:   f.String("plan", "", planUsage),
		task:   f.String("task", "", "do one of the tasks of -plan: its `number` from 1, or auto for that of the array of Slurm, PBS, Grid Engine, AWS Batch or Kubernetes in which the process runs"),
	}
	f.Need("data", "out")
	f.Everyday("data", "view", "out", "observed", "grid", "film", "times", "points", "hide", "inputs", "effort", "limit", "resume", "report", "json")
	f.Examples(
		"sgplvm train -data frames.npy -out faces.model -report faces.html",
		"sgplvm train -data photos -observed masks -effort quick -out photos.model",
		"sgplvm train -data film.gif -out film.model",
		"sgplvm train -data fields.npy -inputs runs.csv -out emulator",
		"sgplvm train -data table.csv -json -out table.model",
		"sgplvm train -view sst=sst.nc -view chl=chl.nc -out both.model",
	)
	return s
}

// A keeper keeps what a run has done.
type keeper interface {
	Checkpoints() *sgplvm.Checkpoints
	End(e *cli.Environment, err error) error // with the run's outcome
}

// check refuses flags that do not fit together.
func (s *trainSettings) check() error {
	if *s.film && *s.points != "" {
		return s.f.Usagef("-film with -points, expected pictures")
	}
	if *s.sample == 0 {
		return nil
	}
	return s.f.Refuse("with -sample, expected one of the two", "observed", "times", "sequences", "film", "hide", "inputs")
}
