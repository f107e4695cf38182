package main

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/cmd/internal/report"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// imputeSettings are the flags of impute.
type imputeSettings struct {
	f                           *cli.Flags
	model, data, grid, observed *string
	times                       *engine.TimeFlags
	truth, sheet, conditioning  *string
	keep, json                  *bool
	views                       *views
}

func newImputeSettings(e *cli.Environment) *imputeSettings {
	f := cli.NewFlags(e, "impute", `sgplvm impute -model MODEL -data F -out FILLED.npy [flags]

Fills in the missing pixels of pictures, or values at the model's scattered points or
those of -points (n×points or n×points×channels), or of a table. NaN means missing, or 0 in a
mask, or nothing in a .csv file. Observed values are kept as they are; the results have the
shape of the input. Some observed values are hidden in the ways in which others are missing:
impute says with what error it fills them in, and the simplest method beside it.`)
	f.String("points", "", "the `file` with the coordinates of the values (.npy, .npz, .nc, .csv), points×dimensions, where these are not the training points")
	f.String("out", "", "the `file` for the filled pictures or table: "+engine.OutputUsage)
	f.String("variance", "", "the `file` for the variance of every value, noise included, 0 where observed: "+engine.VarianceUsage)
	engine.NewReadFlags(f)
	s := &imputeSettings{
		f:            f,
		model:        f.String("model", "", "the model `file`"),
		data:         f.String("data", "", "the pictures, or the table: "+engine.DataUsage),
		grid:         f.Grid("grid", "", "`WIDTHxHEIGHT` of a picture, where the model does not say"),
		observed:     f.String("observed", "", engine.MaskUsage),
		times:        engine.NewTimeFlags(f, "the `file` with the times of the pictures (.npy, .npz, .nc, .csv), for a model that knows times; a film with motion needs them"),
		truth:        f.String("truth", "", "the complete `pictures`, like -data: print the errors of what was filled in"),
		conditioning: f.Choice("conditioning", "latent", "the `way` in which observed values bear on missing ones: latent (given the latent variables), paper (as Atkinson and Zabaras have it) or none (through the latent variables alone)", "latent", "paper", "none"),
		keep:         f.Toggle("keep-outliers", engine.KeepUsage),
		json:         f.JSON(),
		views:        newViews(f, "the `folder` for all views of the model, also those that are not given"),
		sheet:        f.Result("sheet", "the PNG `file` with the first pictures: seen, filled and, with -truth, truth", ".png"),
	}
	f.Parts()
	f.Everyday("model", "data", "view", "out", "variance", "observed", "times", "sheet", "truth", "json")
	f.Examples(
		"sgplvm impute -model faces.model -data damaged.npy -out filled.npy -variance variance.npy",
		"sgplvm impute -model both.model -view sst=new.nc -out predicted",
		"sgplvm impute -model photos.model -data scratched -out restored -variance uncertain",
		"sgplvm impute -model faces.model -data whole.npy -observed mask.png -truth whole.npy -out filled -sheet sheet.png",
	)
	return s
}

// conditionings are the words of the flag -conditioning.
var conditionings = map[string]sgplvm.Conditioning{"latent": sgplvm.ConditionGivenLatent, "paper": sgplvm.ConditionMoments, "none": sgplvm.ConditionNone}

func impute(ctx context.Context, e *cli.Environment, args []string) error {
	s := newImputeSettings(e)
	if err := s.f.Read(args); err != nil {
		return err
	}
	if s.views.given() {
		if err := s.views.check(1, "data", "grid", "observed", "times", "truth", "sheet", "variance", "points", "json", "part"); err != nil {
			return err
		}
		if err := s.f.Require("model"); err != nil {
			return err
		}
		return s.views.impute(ctx, e, *s.model, s.f.Text("out"), sgplvm.InferOptions{Conditioning: conditionings[*s.conditioning], KeepOutliers: *s.keep})
	}
	if err := s.f.Require("model", "data", "out"); err != nil {
		return err
	}
	if err := s.f.Apart([]string{"model", "data", "observed", "points", "times", "truth"}, []string{"out", "variance", "sheet"}); err != nil {
		return err
	}
	out, variance, err := engine.NewOutputs(s.f, "out", "variance")
	if err != nil {
		return err
	}
	m, err := engine.Load(*s.model)
	if err != nil {
		return err
	}
	seen, truth, err := s.load(e, m)
	if err != nil {
		return err
	}
	if err := seen.Results(m, out, variance); err != nil {
		return err
	}
	options := sgplvm.InferOptions{Conditioning: conditionings[*s.conditioning], KeepOutliers: *s.keep}
	filled, err := engine.Fill(ctx, e, m, seen, options)
	if err != nil {
		return err
	}
	checks, err := filled.CheckFilling(ctx, m, seen, options)
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
	return s.compare(e, seen.Frames, filled, truth, checks)
}

// load loads the pictures and, where it is given, their truth.
func (s *imputeSettings) load(e *cli.Environment, m *sgplvm.Model) (seen *engine.Observations, truth *dataset.Frames, err error) {
	if seen, err = engine.LoadObserved(s.f, *s.model, m, *s.data, *s.observed, *s.grid, "points"); err != nil {
		return nil, nil, err
	}
	n := engine.InferenceOf(seen.Frames)
	n.Filled = s.f.Work() == nil || s.f.Work().Joins()
	if err := engine.CheckInferring(m, n); err != nil {
		return nil, nil, err
	}
	for _, note := range seen.Notes {
		e.Note("%s", note)
	}
	if seen.Priors, err = s.times.Priors(m, &seen.Form); err != nil {
		return nil, nil, err
	}
	if *s.sheet != "" && seen.Table {
		return nil, nil, s.f.Usagef("-sheet of a table, expected pictures")
	}
	if *s.sheet != "" && seen.Scattered {
		return nil, nil, s.f.Usagef("-sheet of scattered points, expected pictures")
	}
	if *s.truth == "" || s.f.Work().Slice() != nil {
		return seen, nil, nil
	}
	if truth, err = engine.LoadLike(s.f, &seen.Form, *s.truth); err != nil {
		return nil, nil, err
	}
	if truth.Count != seen.Count {
		return nil, nil, fmt.Errorf("%s: %d pictures, expected %d as in %s", *s.truth, truth.Count, seen.Count, *s.data)
	}
	return seen, truth, dataset.CheckNoInf(truth)
}

// compare draws what was filled in, and says how well, beside a truth with its errors.
func (s *imputeSettings) compare(e *cli.Environment, seen *dataset.Frames, filled *engine.Result, truth *dataset.Frames, checks []sgplvm.FillCheck) (err error) {
	if *s.sheet != "" {
		if err := picture.SaveFilled(*s.sheet, seen, filled.Mean, filled.Variance, truth, min(seen.Count, picture.SheetRows)); err != nil {
			return err
		}
	}
	var rows []report.Row
	if truth != nil {
		if rows, err = filled.Rows("filled in", seen, truth); err != nil {
			return err
		}
	}
	if *s.json {
		return e.PrintJSON(engine.AboutFilled(seen, checks, rows))
	}
	if err := engine.PrintKinds(e.Stdout, checks); err != nil || truth == nil {
		return err
	}
	return report.Write(e.Stdout, rows)
}
