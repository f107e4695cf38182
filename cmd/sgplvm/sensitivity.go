package main

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/cmd/internal/report"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

func sensitivity(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "sensitivity", `sgplvm sensitivity -model MODEL [-out TABLE.csv] [flags]

Tells which inputs of an emulator (train -inputs makes one) the outputs depend on, by Sobol indices: the share
of the variance that an input explains alone (first), and the share in which it has any part (all), of the whole
output, of its mean over the points, and of its leading principal components; -first and -all have them
for every point. The inputs of a run are taken as independent, a field as one input.`)
	f.Input("model", "the `file` of the emulator")
	out := f.Result("out", "the `file` for the table, .csv", ".csv")
	f.Output("first", "the `file` for maps of the shares explained alone, one for each input: "+engine.OutputUsage)
	f.Output("all", "the `file` for maps of the shares that an input has a part in: "+engine.OutputUsage)
	sheet := f.Result("sheet", "the PNG `file` with all maps, black 0 and white 1", ".png")
	prior := newPriorFlag(f)
	o := sgplvm.SensitivityOptions{}
	points := f.Whole("points", 1<<15, 256, 1<<22, "`number` of inputs at which the emulator is evaluated: four times as many halve the error")
	components := f.Whole("components", 3, 1, 100, "`number` of principal components in the table")
	seed := f.Seed("seed", 0, "the `number` that decides where")
	asJSON := f.JSON()
	f.Need("model")
	f.Everyday("model", "out", "first", "all", "sheet", "prior", "json")
	f.Examples("sgplvm sensitivity -model emulator -out sobol.csv -sheet sobol.png")
	if err := f.Read(args); err != nil {
		return err
	}
	maps, err := openMaps(f)
	if err != nil {
		return err
	}
	const each = 20 // numbers for each point and input, as measured
	inputs, _, fields := maps.m.Inputs()
	if err := engine.CheckNumbers(each * float64(*points*(2+len(inputs)+fields))); err != nil {
		return err
	}
	o.Belief, o.Points, o.Components, o.Seed = beliefs[*prior], *points, *components, *seed
	stop := e.Timing("evaluating the emulator")
	s, err := maps.m.Sensitivity(ctx, o)
	stop()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Text("model"), err)
	}
	if *out != "" {
		if err := writeTable(*out, sensitivityTable(maps.m, s, engine.Number)); err != nil {
			return err
		}
	}
	if err := maps.save(s, *sheet); err != nil {
		return err
	}
	if *asJSON {
		return e.PrintJSON(s)
	}
	return report.WriteGrid(e.Stdout, sensitivityTable(maps.m, s, func(v float64) string { return fmt.Sprintf("%.3f", v) }))
}

// sensitivityTable has a row for each input, with its numbers as text.
func sensitivityTable(m *sgplvm.Emulator, s *sgplvm.Sensitivity, number func(v float64) string) [][]string {
	head := []string{"input", "first", "all"}
	add := func(name string) { head = append(head, name+"_first", name+"_all") }
	for c := range m.Channels() {
		add("mean" + map[bool]string{true: fmt.Sprint(c + 1)}[m.Channels() > 1])
	}
	for j := range s.Components {
		add(fmt.Sprint("component", j+1))
	}
	rows := [][]string{head}
	for q, in := range s.Inputs {
		row := []string{engine.InputName(in.Name, q)}
		for _, v := range append(append([]sgplvm.SobolShare{in.Whole}, in.Mean...), in.Components...) {
			row = append(row, engine.Number(v.First), engine.Number(v.All))
		}
		rows = append(rows, row)
	}
	return rows
}

// sobolMaps are the outputs of sensitivity that have a map for each input.
type sobolMaps struct {
	m          *sgplvm.Emulator
	layout     picture.Picture
	first, all *engine.Output
}

// openMaps reads the emulator and asks whether maps can be written.
func openMaps(f *cli.Flags) (*sobolMaps, error) {
	s := &sobolMaps{}
	var err error
	if s.first, s.all, err = engine.NewOutputs(f, "first", "all"); err != nil {
		return nil, err
	}
	if s.m, err = openEmulator(f); err != nil {
		return nil, err
	}
	count := 0
	columns, values, _ := s.m.Inputs()
	for _, c := range columns {
		if c.Dropped == "" {
			count++
		}
	}
	form, _, err := engine.EmulatorForm(f.Text("model"), s.m, "", count+min(1, values))
	if err != nil {
		return nil, err
	}
	if f.Given("sheet") && (form.Table || form.Scattered) {
		return nil, f.Usagef("-sheet of outputs that are no pictures, expected none")
	}
	s.layout.Layout = form.Layout
	for _, o := range []*engine.Output{s.first, s.all} {
		if err := o.Holding(form, picture.Levels{Low: 0, High: 1, Bits: 8}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// save writes the maps, and the sheet of both.
func (s *sobolMaps) save(r *sgplvm.Sensitivity, sheet string) error {
	var first, all []float64
	var rows []picture.SheetRow
	for q, in := range r.Inputs {
		first, all = append(first, in.First...), append(all, in.All...)
		a, b := s.layout, s.layout
		a.Values, b.Values = in.First, in.All
		rows = append(rows, picture.SheetRow{Label: engine.InputName(in.Name, q), Pictures: []picture.Picture{a, b}})
	}
	if err := s.first.Save(first); err != nil {
		return err
	}
	if err := s.all.Save(all); err != nil {
		return err
	}
	if sheet == "" {
		return nil
	}
	drawn := picture.NewSheet([]string{"first", "all"}, rows)
	drawn.Low, drawn.High = 0, 1
	return picture.SavePNG(sheet, drawn.Image())
}
