package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// fillSettings are the flags of fill.
type fillSettings struct {
	f                              *cli.Flags
	data, observed, out            *string
	model, save                    *string
	smooth, film, json             *bool
	grid                           *string
	channels                       *int
	points, times, exists, errors_ *string
	choice                         *choiceFlags
	resume                         *bool
	checkpoint                     *engine.Checkpoint // nil where a model is given
	results, variances             *engine.Output
	views                          *views
	errorTable                     string // the file for the standard errors of a table of text; "": none
}

func newFillSettings(e *cli.Environment) *fillSettings {
	f := cli.NewFlags(e, "fill", `sgplvm fill -data F -out G [flags]

Learns from examples of which values are missing, and completes them: pictures, maps, a table.
F is what train takes, a variable of a NetCDF file (F.nc:NAME), an array of a .npz file
(F.npz:NAME), or a table with a value in a row (example, coordinates, value). Missing are NaN, what the
file declares as a fill value, and empty cells. A table of text is read as it is, with dates, names, any separator; the
result is that table with the gaps filled in, and beside it another one, G_standard_error. Words are
learned from where they explain values, and not filled in. Rows without times that are like their
neighbours are in order. Points that no example has, such as land
in maps of the sea, are outside the model. G has the form that its name ends in, as F where both
are the same: .nc and .npz have all that F has and the filled values beside their standard errors.
What was observed stays as it was. Values far outside what all others say count as missing (-keep-outliers).

Observed values are hidden in the ways in which others are missing. Of each kind of missing values fill says what
fills them in, the model, simpler methods or several of these, and with what error.

An interrupt (or SIGTERM, SIGHUP) stops the run and leaves older results alone. G.checkpoint keeps what was done, every half minute too,
and the same command with -resume goes on to the same results.`)
	out := f.Output("out", "the `file` for the completed examples: .npz or .nc as the data, .gif, "+engine.OutputUsage)
	f.Output("variance", "the `file` for the variance of every value, noise included, 0 where observed: .gif, "+engine.VarianceUsage)
	engine.NewReadFlags(f)
	s := &fillSettings{
		f:        f,
		data:     f.Input("data", "the examples: "+engine.DataUsage),
		observed: f.Input("observed", engine.MaskUsage),
		out:      out,

		model:  f.Input("model", "the `file` of a model that fills in, instead of one that is learned"),
		save:   f.Model("save", "the `file` for the model that was learned"),
		json:   f.JSON(),
		smooth: f.Toggle("smooth", "what was observed is replaced by what the model makes of it, too"),

		grid:     f.Grid("grid", "", "`WIDTHxHEIGHT` of a picture, as 20x28; needed where the array has a picture a row, which is a table without"),
		channels: f.Whole("channels", 0, 0, cli.MaxChannels, "`number` of channels of a pixel, side by side in a row; by default one, or what the array's shape says, and of a table the columns"),
		points:   f.Input("points", "the `file` with coordinates (.npy, .npz, .nc, .csv), points×dimensions, where values were seen at scattered points"),
		film:     f.Toggle("film", engine.FilmUsage),
		times:    f.Input("times", "the `file` with the times of the examples (.npy, .npz, .nc, .csv), where they change with time and the data do not say when"),
		exists:   f.Input("exists", "the `file` with a mask of the points that exist, .npy: 1 where values can be, 0 where not"),
		errors_:  f.Input("errors", "the `file` with known standard errors of the values, of the form of the data"),

		choice: newChoiceFlags(f),
		resume: f.Toggle("resume", engine.ResumeUsage),
		views:  newViews(f, "the `folder` for the results, NAME with the ending of FILE"),
	}
	f.Parts()
	f.Need("data", "out")
	f.Everyday("data", "view", "out", "variance", "observed", "grid", "film", "times", "points", "model", "save", "effort", "limit", "resume", "json")
	f.Examples(
		"sgplvm fill -data sst.nc -out filled.nc",
		"sgplvm fill -data scratched -out restored -variance uncertain",
		"sgplvm fill -data gaps.csv -out filled.csv -save table.model",
		"sgplvm fill -view sst=sst.nc -view chl=chl.nc -out filled",
	)
	return s
}

func fill(ctx context.Context, e *cli.Environment, args []string) error {
	s := newFillSettings(e)
	if err := s.f.Read(args); err != nil {
		return err
	}
	if s.views.given() {
		if err := s.views.check(2, "data", "observed", "model", "save", "smooth", "film", "grid", "channels", "points", "times", "exists", "errors", "variance", "resume", "json", "part"); err != nil {
			return err
		}
		return s.views.fill(ctx, e, s.choice, *s.out)
	}
	if err := s.check(); err != nil {
		return err
	}
	var err error
	if s.results, err = engine.NewOutput(s.f, "out", append([]string{".gif"}, dataset.SetEndings...)...); err != nil {
		return err
	}
	if s.variances, err = engine.NewOutput(s.f, "variance", ".gif"); err != nil {
		return err
	}
	if *s.model == "" {
		if s.checkpoint, err = engine.NewCheckpoint(s.f, e, filepath.Clean(*s.out), *s.resume); err != nil {
			return err
		}
	}
	set, err := s.load()
	if err != nil {
		return err
	}
	e.Notes("", set.Notes)
	begin := time.Now()
	d, points := set.Data(engine.MostScattered)
	if set.Errors != nil {
		d.Errors = sgplvm.NewSource(set.Take(set.Errors, points), set.Count, len(points), set.Channels)
	}
	done, filled, err := s.complete(ctx, e, set, d, points)
	if s.checkpoint != nil {
		err = s.checkpoint.End(e, err)
	}
	if err != nil {
		return err
	}
	if *s.json {
		e.Notes("warning: ", done.Report.Warnings)
		return e.PrintJSON(engine.AboutCompleted(set, done, filled, time.Since(begin)))
	}
	if means, deviations := set.ResultNames(*s.out); means != "" {
		fmt.Fprintf(e.Stdout, "%s: %s has the filled values, %s their standard errors\n", *s.out, means, deviations)
	}
	return engine.ReportCompleted(e, set, done, filled, time.Since(begin))
}

// complete completes the examples and writes the results.
func (s *fillSettings) complete(ctx context.Context, e *cli.Environment, set *dataset.Set, d sgplvm.Data, points []int) (done *engine.Completed, filled *dataset.Filled, err error) {
	missing, _ := set.Missing()
	var outliers []sgplvm.Outlier
	if missing == 0 && *s.model == "" && !*s.choice.keep {
		if outliers, err = d.Outliers(); err != nil {
			return nil, nil, engine.AboutData(*s.data, err)
		}
	}
	switch {
	case *s.model != "":
		done, err = engine.CompleteWith(ctx, e, *s.model, set, d, sgplvm.InferOptions{KeepOutliers: *s.choice.keep}, *s.smooth)
	case missing == 0 && len(outliers) == 0 && s.valuesAlone():
		if _, err = s.choice.read(); err == nil {
			done = engine.CompleteAlready(d)
		}
	default:
		if s.valuesAlone() {
			done, err = engine.CompleteConstant(d)
		}
		if err == nil && done == nil {
			done, err = s.learn(ctx, e, set, d, points)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	done.Drop(e, set, points)
	if *s.smooth && *s.model == "" {
		if err := done.Smooth(ctx, d); err != nil {
			return nil, nil, engine.AboutData(*s.data, err)
		}
	}
	if filled, err = set.Fill(points, done.Mean.Data, done.Variance.Data, *s.smooth); err != nil {
		return nil, nil, err
	}
	if err := engine.SaveSet(e, set, filled, done.Model, s.results, s.variances); err != nil {
		return nil, nil, err
	}
	if s.errorTable != "" {
		if err := files.WriteAtomic(s.errorTable, func(w io.Writer) error { return set.WriteErrors(w, filled) }); err != nil {
			return nil, nil, err
		}
	}
	if *s.save == "" {
		return done, filled, nil
	}
	return done, filled, engine.Save(*s.save, done.Model)
}

// valuesAlone reports whether no model is needed where it fills in nothing.
func (s *fillSettings) valuesAlone() bool {
	return !*s.smooth && *s.save == "" && !s.variances.Pictures()
}

// check refuses flags that do not fit together.
func (s *fillSettings) check() error {
	switch {
	case *s.film && *s.points != "":
		return s.f.Usagef("-film with -points, expected one of the two: a film has pixels")
	case *s.model != "":
		return s.f.Refuse("with -model, which is learned already, expected one of the two", "save", "resume", "config", "effort", "limit", "seed", "period", "film")
	case s.f.Work() != nil:
		return s.f.Usagef("-part without -model, expected both: a model is learned from all examples")
	}
	return nil
}

// load loads the data, and asks whether the results can be written.
func (s *fillSettings) load() (*dataset.Set, error) {
	o := engine.ReadOptions(s.f)
	o.Layout, o.Points, o.Times, o.Observed = cli.Layout(*s.grid, *s.channels), *s.points, *s.times, *s.observed
	o.Exists, o.Errors, o.Film = *s.exists, *s.errors_, *s.film
	if *s.model != "" {
		m, err := engine.Load(*s.model)
		if err != nil {
			return nil, err
		}
		o.Names, o.Model = engine.Names(m), m.Grid()
	}
	o.Levels = *s.model+*s.save+*s.observed+*s.errors_ == "" && !s.variances.Given() && slices.Contains(dataset.TableEndings, strings.ToLower(filepath.Ext(*s.out)))
	set, err := dataset.LoadSet(*s.data, o)
	if err != nil {
		return nil, err
	}
	for _, o := range []*engine.Output{s.results, s.variances} {
		if err := o.HoldingSet(set); err != nil {
			return nil, err
		}
	}
	if err := s.besideTable(set); err != nil {
		return nil, err
	}
	if set.Times == nil && !set.Film && s.f.Given("period") {
		return nil, s.f.Usagef("-period without times, expected -times or data that have them")
	}
	return set, nil
}

// besideTable names the file of the standard errors where the result is a table of text: filled_standard_error.csv beside filled.csv.
func (s *fillSettings) besideTable(set *dataset.Set) error {
	ending := filepath.Ext(*s.out)
	if !set.FromText() || !slices.Contains(dataset.TableEndings, strings.ToLower(ending)) {
		return nil
	}
	s.errorTable = strings.TrimSuffix(*s.out, ending) + "_standard_error" + ending
	for _, name := range s.f.Paths("out") {
		if path := s.f.Text(name); filepath.Clean(path) == filepath.Clean(s.errorTable) {
			return s.f.Usagef("-%s %q is the name for the standard errors of -out %q, expected another one", name, path, *s.out)
		}
	}
	return cli.Writable(s.errorTable)
}

// learn learns a model of the examples and completes them.
func (s *fillSettings) learn(ctx context.Context, e *cli.Environment, set *dataset.Set, d sgplvm.Data, points []int) (*engine.Completed, error) {
	cfg, err := s.choice.read()
	if err != nil {
		return nil, err
	}
	form := set.Form
	form.Scattered = form.Scattered || len(points) < set.Points()
	if cfg.Attributes, err = engine.Attributes(&form, d.Source); err != nil {
		return nil, err
	}
	run := s.choice.run(e)
	run.Checkpoints, run.Values = s.checkpoint.Checkpoints(), s.valuesAlone()
	if *s.save != "" || *s.smooth {
		cfg.Fold, cfg.Transform = sgplvm.Off, sgplvm.Off // the model is to be one of the data as they are
	}
	done, err := engine.Complete(ctx, run, d, cfg)
	if err != nil {
		return nil, s.choice.explain(*s.data, engine.Placed(&set.Form, err, nil))
	}
	engine.Placed(&set.Form, nil, done.Report.Warnings)
	return done, nil
}
