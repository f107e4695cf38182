package main

import (
	"context"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/cmd/internal/report"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// imputeFlags are those of impute.
type imputeFlags struct {
	*cli.Flags
	times      *engine.TimeFlags
	keep, json *bool
	views      *views
}

func newImputeFlags(e *cli.Environment) imputeFlags {
	f := cli.NewFlags(e, "impute", `sgplvm impute -model MODEL -data F -out FILLED.npy [flags]

Fills in the missing pixels of pictures, or values at the model's scattered points or
those of -points (n×points or n×points×channels), or of a table. NaN means missing, or 0 in a
mask, or nothing in a .csv file. Observed values are kept as they are; the results have the
shape of the input. Some observed values are hidden in the ways in which others are missing:
impute says with what error it fills them in, and the simplest method beside it.`)
	f.Input("points", "the `file` with the coordinates of the values (.npy, .npz, .nc, .csv), points×dimensions, where these are not the training points")
	f.Output("out", "the `file` for the filled pictures or table: "+engine.OutputUsage)
	f.Output("variance", "the `file` for the variance of every value, noise included, 0 where observed: "+engine.VarianceUsage)
	engine.NewReadFlags(f)
	f.Input("model", "the model `file`")
	f.Input("data", "the pictures, or the table: "+engine.DataUsage)
	f.Grid("grid", "", "`WIDTHxHEIGHT` of a picture, where the model does not say")
	f.Input("observed", engine.MaskUsage)
	f.Input("truth", "the complete `pictures`, like -data: print the errors of what was filled in")
	f.Result("sheet", "the PNG `file` with the first pictures: seen, filled and, with -truth, truth", ".png")
	s := imputeFlags{f,
		engine.NewTimeFlags(f, "the `file` with the times of the pictures (.npy, .npz, .nc, .csv), for a model that knows times; a film with motion needs them"),
		f.Toggle("keep-outliers", engine.KeepUsage), f.JSON(), newViews(f, "the `folder` for all views of the model, also those that are not given")}
	f.Parts()
	f.Need("model", "data", "out")
	f.Everyday("model", "data", "view", "out", "variance", "observed", "times", "sheet", "truth", "json")
	f.Examples(
		"sgplvm impute -model faces.model -data damaged.npy -out filled.npy -variance variance.npy",
		"sgplvm impute -model both.model -view sst=new.nc -out predicted",
		"sgplvm impute -model photos.model -data scratched -out restored -variance uncertain",
		"sgplvm impute -model faces.model -data whole.npy -observed mask.png -truth whole.npy -out filled -sheet sheet.png",
	)
	return s
}

func impute(ctx context.Context, e *cli.Environment, args []string) error {
	f := newImputeFlags(e)
	if err := f.Read(args); err != nil {
		return err
	}
	path, options := f.Text("model"), sgplvm.InferOptions{KeepOutliers: *f.keep}
	if f.views.given() {
		if err := f.views.check(1, "data", "grid", "observed", "times", "truth", "sheet", "variance", "points", "json", "part"); err != nil {
			return err
		}
		return f.views.impute(ctx, e, path, f.Text("out"), options)
	}
	out, variance, err := engine.NewOutputs(f.Flags, "out", "variance")
	if err != nil {
		return err
	}
	m, err := engine.Load(path)
	if err != nil {
		return err
	}
	seen, truth, err := f.load(e, m)
	if err != nil {
		return err
	}
	if err := seen.Results(m, out, variance); err != nil {
		return err
	}
	if f.Work() == nil {
		if e.More, e.After, err = m.CheckForetold(seen.Count, seen.Observed); err != nil {
			return err
		}
	}
	filled, err := engine.Fill(ctx, e, m, seen, options)
	if err != nil {
		return err
	}
	stop := e.Timing("observed values hidden for a test")
	checks, err := engine.CheckFilling(ctx, m, seen.Count, seen.Observed, filled.Outliers, options)
	stop()
	if err != nil {
		return err
	}
	if err := out.Save(filled.Mean); err != nil {
		return err
	}
	if err := variance.Save(filled.Variance); err != nil {
		return err
	}
	out.Note(e)
	variance.Note(e)
	return f.compare(e, seen.Frames, filled, truth, checks)
}

// load loads the pictures and, where it is given, their truth.
func (f imputeFlags) load(e *cli.Environment, m *sgplvm.Model) (seen *engine.Observations, truth *dataset.Frames, err error) {
	if seen, err = engine.LoadObserved(f.Flags, f.Text("model"), m, f.Text("data"), f.Text("observed"), f.Text("grid"), "points"); err != nil {
		return nil, nil, err
	}
	n := engine.InferenceOf(seen.Frames)
	n.Filled = f.Work() == nil || f.Work().Joins()
	if err := engine.CheckInferring(m, n); err != nil {
		return nil, nil, err
	}
	e.Notes("", seen.Notes)
	if seen.Priors, err = f.times.Priors(m, &seen.Form); err != nil {
		return nil, nil, err
	}
	if f.Given("sheet") && (seen.Table || seen.Scattered) {
		return nil, nil, f.Usagef("-sheet of %s, expected pictures", map[bool]string{true: "a table", false: "scattered points"}[seen.Table])
	}
	if path := f.Text("truth"); path != "" && f.Work().Slice() == nil {
		truth, err = engine.LoadTruth(f.Flags, &seen.Form, path)
	}
	return seen, truth, err
}

// compare draws what was filled in, and says how well, beside a truth with its errors.
func (f imputeFlags) compare(e *cli.Environment, seen *dataset.Frames, filled *engine.Result, truth *dataset.Frames, checks []sgplvm.FillCheck) (err error) {
	if sheet := f.Text("sheet"); sheet != "" {
		if err := picture.SaveFilled(sheet, seen, filled.Mean, filled.Variance, truth, min(seen.Count, picture.SheetRows)); err != nil {
			return err
		}
	}
	var rows []report.Row
	if truth != nil {
		if rows, err = filled.Rows("filled in", seen, truth); err != nil {
			return err
		}
	}
	if *f.json {
		return e.PrintJSON(engine.AboutFilled(seen, checks, rows))
	}
	if err := engine.PrintKinds(e.Stdout, checks); err != nil || truth == nil {
		return err
	}
	return report.Write(e.Stdout, rows)
}
