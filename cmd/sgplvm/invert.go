package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// invertSettings are the flags of invert.
type invertSettings struct {
	f                                            *cli.Flags
	model, data, observed, errors_, prior, level *string
	count                                        *int
	seed                                         *uint64
	json                                         *bool

	m *sgplvm.Emulator
	invertedFiles
}

func newInvertSettings(e *cli.Environment) *invertSettings {
	f := cli.NewFlags(e, "invert", `sgplvm invert -model MODEL -data SEEN.npy -out INPUTS.csv [flags]

Finds the inputs behind outputs that were seen in part and with errors, by an emulator (train -inputs makes one):
a row for each output, with the mean of each input, its deviation and the ends of its 90 % interval, how many
maxima the density has, and a score that is about 1 where some inputs explain what was seen. Inputs
that are fields come back as fields. NaN in the data means not seen. How far the emulator may be off counts, too.`)
	f.Output("out", "the `file` for the inputs: a table, .csv; of inputs that are fields alone "+engine.OutputUsage)
	f.Output("samples", "the `file` for draws of the inputs: a table, .csv; of inputs that are fields alone .npy, outputs×draws×field")
	f.Output("fields", "the `file` for input fields beside a table: "+engine.OutputUsage)
	f.Output("variance", "the `file` for the variances of input fields: "+engine.VarianceUsage)
	engine.NewReadFlags(f)
	s := &invertSettings{
		f:        f,
		model:    f.Input("model", "the `file` of the emulator"),
		data:     f.Input("data", "the outputs, of the form of those in the runs: "+engine.DataUsage),
		observed: f.Input("observed", engine.MaskUsage),
		errors_:  f.Input("errors", "the standard error of what was seen: a `number`, by default 0, or a file of the form of the data"),
		prior:    newPriorFlag(f),
		level:    f.Choice("effort", "normal", "`work`: quick (a quarter of the draws), normal or thorough (four times as many)", "quick", "normal", "thorough"),
		count:    f.Whole("count", 400, 10, 100_000, "`number` of draws of each output's inputs, at normal effort"),
		seed:     f.Seed("seed", 0, "the `number` that decides everything random"),
		json:     f.JSON(),
	}
	f.Need("model", "data", "out")
	f.Everyday("model", "data", "out", "errors", "observed", "prior", "effort", "samples", "fields", "variance", "json")
	f.Examples(
		"sgplvm invert -model emulator -data measured.npy -errors 0.01 -out inputs.csv",
		"sgplvm invert -model flow.emulator -data pressures.npy -errors 0.008 -out conductivities.npy -variance v.npy",
	)
	return s
}

func invert(ctx context.Context, e *cli.Environment, args []string) error {
	s := newInvertSettings(e)
	if err := s.f.Read(args); err != nil {
		return err
	}
	if err := s.open(); err != nil {
		return err
	}
	frames, deviations, err := s.load()
	if err != nil {
		return err
	}
	e.Notes("", frames.Notes)
	if err := s.holding(s.m, frames); err != nil {
		return err
	}
	found, err := engine.Invert(ctx, e, *s.model, s.m, beliefs[*s.prior], frames, deviations, sgplvm.InvertOptions{Draws: engine.InversionDraws(*s.count, *s.level), Seed: *s.seed})
	if err != nil {
		return err
	}
	if err := s.save(ctx, found); err != nil {
		return err
	}
	s.tell(e, found)
	if *s.json {
		return e.PrintJSON(found)
	}
	return nil
}

// open reads the emulator and asks whether the results can be written.
func (s *invertSettings) open() (err error) {
	f := s.f
	if s.m, err = openEmulator(f); err != nil {
		return err
	}
	s.out, s.samples = f.Text("out"), f.Text("samples")
	points, channels := s.m.InputFieldDims()
	s.values = points * channels
	columns, _, _ := s.m.Inputs()
	s.table = slices.ContainsFunc(columns, func(c sgplvm.EmulatorInput) bool { return c.Dropped == "" })
	to := "out"
	if s.table {
		to = "fields"
		for _, name := range []string{"out", "samples"} {
			if path := f.Text(name); path != "" && !strings.HasSuffix(strings.ToLower(path), ".csv") {
				return f.Usagef("-%s %q of inputs in a table, expected a name that ends in .csv", name, path)
			}
		}
		if err = cli.Writable(s.out); err != nil {
			return err
		}
	}
	for _, name := range []string{"fields", "variance"} {
		if f.Given(name) && (s.values == 0 || name == "fields" && !s.table) {
			return f.Usagef("-%s with inputs that are %s, expected none", name, map[bool]string{true: "a table", false: "fields alone, which are -out"}[s.table])
		}
	}
	s.fields = &engine.Output{}
	if s.values > 0 {
		if s.fields, err = engine.NewOutput(f, to); err != nil {
			return err
		}
	}
	if s.variance, err = engine.NewOutput(f, "variance"); err != nil {
		return err
	}
	if ending := strings.ToLower(s.samples); !s.table && ending != "" && !strings.HasSuffix(ending, ".npy") {
		return f.Usagef("-samples %q of fields, expected a name that ends in .npy", s.samples)
	}
	return cli.Writable(s.samples)
}

// error returns the number that -errors is.
func (s *invertSettings) error() (float64, bool) {
	v, err := strconv.ParseFloat(cmp.Or(*s.errors_, "0"), 64)
	return v, err == nil
}

// load reads the outputs, and their standard errors.
func (s *invertSettings) load() (*dataset.Frames, func(i int) []float64, error) {
	frames, err := engine.EmulatorOutputs(s.f, *s.model, s.m, *s.data)
	if err != nil {
		return nil, nil, err
	}
	if *s.observed != "" {
		mask, err := dataset.LoadMask(*s.observed, &frames.Form)
		if err != nil {
			return nil, nil, err
		}
		frames = frames.WithMask(mask)
	}
	if v, ok := s.error(); ok {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return nil, nil, s.f.Usagef("-errors %s, expected a number of 0 or more, or a file", *s.errors_)
		}
		all := make([]float64, frames.Points()*frames.Channels)
		for k := range all {
			all[k] = v
		}
		return frames, func(int) []float64 { return all }, nil
	}
	known, err := engine.EmulatorOutputs(s.f, *s.model, s.m, *s.errors_)
	if err != nil {
		return nil, nil, err
	}
	if known.Count != frames.Count && known.Count != 1 {
		return nil, nil, fmt.Errorf("%s: shape %s, expected %s as the data have, or one for all", *s.errors_, quote.Shape(known.Shape), quote.Shape(frames.Shape))
	}
	return frames, func(i int) []float64 { return known.Values(min(i, known.Count-1)) }, nil
}

// tell says what a user should know of the results.
func (s *invertSettings) tell(e *cli.Environment, found []*sgplvm.Inverted) {
	say := func(text string, is func(r *sgplvm.Inverted) bool) {
		first, count := slices.IndexFunc(found, is), 0
		for _, r := range found {
			if is(r) {
				count++
			}
		}
		if count > 0 {
			e.Note("%s of %d (number %d, from 0, first) %s", quote.Counted(count, "output"), len(found), first, text)
		}
	}
	say("have no value: their inputs are those of the prior", func(r *sgplvm.Inverted) bool { return r.Observed == 0 })
	say("have several maxima of the density, different inputs that explain what was seen", func(r *sgplvm.Inverted) bool { return len(r.Modes) > 1 })
	say("no input explains: the score is larger than in 999 of 1000 cases", func(r *sgplvm.Inverted) bool { return r.Unexplained })
	say("have means by sampling more than half a deviation from the maximum: a Gaussian around it would not do", func(r *sgplvm.Inverted) bool { return r.Differ > 0.5 })
	say("have draws worth fewer than 50 independent ones: a higher -effort takes more", func(r *sgplvm.Inverted) bool { return r.Effective < 50 })
}
