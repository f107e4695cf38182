package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// InputsUsage says in the help of a flag what inputs may be.
const InputsUsage = "the known inputs of the runs, a run a row: a table (`file` .csv, .npy: numbers, dates, labels, empty where not known; standard errors of a column NAME in one named 'NAME ±'), fields (.npy, .nc as -data takes them), or both, separated by a comma"

// LoadInputs reads inputs, as dataset.LoadInputs does, and prints its notes, and which differ that were the same in all runs.
func LoadInputs(e *cli.Environment, paths, columns string, like []sgplvm.EmulatorInput) (*dataset.Inputs, error) {
	in, err := dataset.LoadInputs(paths, columns, like)
	if err == nil {
		for _, note := range in.Notes {
			e.Note("%s", note)
		}
		for q, c := range like {
			i := -1
			if c.Dropped != "" && c.Levels == nil && c.Low == c.High {
				i = slices.IndexFunc(in.Columns[q].Numbers, func(v float64) bool { return v == v && v != c.Low })
			}
			if i >= 0 {
				e.Note("warning: %s, input %s: found %v, but all runs have %v: what it changes is not known", in.Run(i), quote.Text(c.Name), in.Columns[q].Numbers[i], c.Low)
			}
		}
	}
	return in, err
}

// AboutInputs names the inputs in an error about them, unless that has a place in their file; explain, if not nil, is for others.
func AboutInputs(path string, err error, explain func(error) error) error {
	bad := (*sgplvm.InputError)(nil)
	switch {
	case errors.As(err, &bad) && bad.Place != "":
		return err
	case bad == nil && explain != nil:
		return explain(err)
	}
	return AboutData(path, err)
}

// SaveEmulator writes an emulator to a file.
func SaveEmulator(path string, m *sgplvm.Emulator) error {
	return files.WriteAtomic(path, func(w io.Writer) error { return m.Save(w) })
}

// LoadEmulator reads an emulator from a file; nil where the file has a model of another kind, or is none.
func LoadEmulator(path string) (*sgplvm.Emulator, error) {
	file, info, err := openModel(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	m, err := sgplvm.LoadEmulator(file)
	if err == nil {
		return m, fits(sgplvm.Memory{Data: predictTimes * float64(info.Size())})
	}
	if errors.Is(err, sgplvm.ErrNoEmulator) {
		return nil, nil
	}
	if otherFile(file) != "" {
		return nil, nil
	}
	return nil, fmt.Errorf("%s: %w", path, err)
}

// EmulatorForm is the form of count outputs of an emulator, as pictures of a grid if one was asked for, and the levels of their pictures.
func EmulatorForm(path string, m *sgplvm.Emulator, grid string, count int) (form dataset.Form, l picture.Levels, err error) {
	a := m.Attributes()
	if grid != "" {
		a[attributeGrid] = grid
	}
	form = dataset.Form{Name: "fields", Count: count, Type: npy.Float64, Grid: m.Grid(), Layout: dataset.Layout{Channels: m.Channels()}}
	l, ok := keptLevels(a)
	if !ok {
		l, _ = typeLevels(npy.Uint8)
	}
	switch {
	case a[attributeTable] == "columns":
		form.Table, form.Width, form.Height, form.Shape = true, 1, 1, []int{count, m.Channels()}
		if names := a[attributeColumns]; names != "" {
			form.Columns = strings.Split(names, "\n")
		}
		return form, l, nil
	case a[attributeGrid] != "" && (grid != "" || len(m.Grid()) > 1):
		if form.Width, form.Height, err = dataset.ParseGrid(a[attributeGrid]); err != nil || form.Points() != m.Points() {
			return form, l, fmt.Errorf("%s: attribute %s: %s for %d points", path, attributeGrid, quote.Text(a[attributeGrid]), m.Points())
		}
		form.Shape = []int{count, form.Height, form.Width}
	default:
		form.Width, form.Height, form.Scattered, form.Shape = m.Points(), 1, true, []int{count, m.Points()}
	}
	if m.Channels() > 1 {
		form.Shape = append(form.Shape, m.Channels())
	}
	return form, l, nil
}

// attributeColumns is where an emulator keeps the names of an output table's columns.
const attributeColumns = "columns"

// Emulate learns an emulator of frames.
func Emulate(ctx context.Context, e *cli.Environment, run sgplvm.Run, frames *dataset.Training, d sgplvm.Data, cfg sgplvm.Config) (m *sgplvm.Emulator, err error) {
	if need, err := sgplvm.EmulatorMemory(d); err == nil { // else the run says it
		if err := holdTo(need, 0); err != nil {
			return nil, err
		}
	}
	if cfg.Attributes, err = Attributes(&frames.Form, frames); err != nil {
		return nil, err
	}
	if frames.Columns != nil {
		cfg.Attributes[attributeColumns] = strings.Join(frames.Columns, "\n")
	}
	if m, err = run.Emulate(ctx, d, cfg); err == nil && len(m.Outliers()) > 0 {
		var places []string
		for _, o := range m.Outliers()[:min(5, len(m.Outliers()))] {
			if at := frames.Place(o.Example, o.Channel); at != "" {
				places = append(places, at)
			}
		}
		if places != nil {
			e.Note("outputs that count as missing: %s: %s", frames.Name, strings.Join(places, ", "))
		}
		e.Note("-keep-outliers keeps such values")
	}
	return m, err
}

// AboutEmulator is what JSON tells of an emulator.
type AboutEmulator struct {
	Runs            int                    `json:"runs"`
	Points          int                    `json:"points"`
	Channels        int                    `json:"channels"`
	Inputs          []sgplvm.EmulatorInput `json:"inputs"`
	FieldValues     int                    `json:"fieldValues,omitzero"`
	FieldComponents int                    `json:"fieldComponents,omitzero"`
	Kernel          string                 `json:"kernel"`
	Transforms      []string               `json:"transforms,omitempty"` // of the channels' values: "log" or "logit"
	Foretold        float64                `json:"foretold"`             // error of inputs between those of the runs, in standard deviations
	Error           float64                `json:"error"`                // of runs held out
	Simplest        map[string]float64     `json:"simplest"`
	Covered         float64                `json:"covered"`
	Deviations      []float64              `json:"deviations"`
	Notes           []string               `json:"notes,omitempty"`
	Seconds         float64                `json:"seconds,omitzero"`
}

// NewAboutEmulator describes an emulator.
func NewAboutEmulator(m *sgplvm.Emulator) AboutEmulator {
	a := AboutEmulator{Runs: m.Runs(), Points: m.Points(), Channels: m.Channels(), Kernel: m.Kernel(), Transforms: m.Transforms(), Deviations: m.Deviations(), Notes: m.Notes(), Seconds: m.Took().Seconds()}
	a.Inputs, a.FieldValues, a.FieldComponents = m.Inputs()
	r := m.Errors()
	a.Foretold, a.Error, a.Simplest, a.Covered = r.Foretold, r.Mean, map[string]float64{}, r.Covered
	for _, s := range r.Simplest {
		a.Simplest[s.Name] = s.Mean
	}
	return a
}

// DescribeEmulator tells an emulator's sizes, inputs, kernels and errors in lines of words.
func DescribeEmulator(m *sgplvm.Emulator) string {
	var s lines
	s.pair("emulator", "%d runs, outputs of %s", m.Runs(), outputText(m))
	inputs, values, components := m.Inputs()
	for q, in := range inputs {
		name := in.Name
		if name == "" {
			name = fmt.Sprint(q + 1)
		}
		s.pair("input "+cli.Text(name), "%s", inputText(in))
	}
	if values > 0 {
		s.pair("input fields", "%d values, %d components", values, components)
	}
	s.pair("kernel", "%s", cli.Text(m.Kernel()))
	if t := m.Transforms(); t != nil {
		s.pair("values count by", "%s", strings.Join(slices.Compact(t), ", "))
	}
	s.pair("error", "%s", EmulatorErrors(m))
	for _, note := range m.Notes() {
		s.pair("note", "%s", cli.Text(note))
	}
	return s.String()
}

func outputText(m *sgplvm.Emulator) string {
	text := quote.Counted(m.Points(), "point")
	if m.Points() == 1 {
		return quote.Counted(m.Channels(), "column")
	}
	if m.Channels() > 1 {
		text += fmt.Sprintf(" and %d channels", m.Channels())
	}
	return text
}

// inputText tells what a column of inputs is.
func inputText(in sgplvm.EmulatorInput) string {
	switch {
	case in.Dropped != "":
		return "left out: " + in.Dropped
	case in.Levels != nil:
		return fmt.Sprintf("%d categories", len(in.Levels))
	}
	text := fmt.Sprintf("%.5g to %.5g", in.Low, in.High)
	width := in.High - in.Low
	if in.Log {
		width = math.Log(in.High / in.Low)
		text += " by its logarithm"
	}
	switch l := in.LengthScale / width; {
	case l > 3:
		text += ", hardly any effect beside a straight line"
	case in.Log && l > 0:
		text += fmt.Sprintf(", outputs bend over about a factor of %.3g", math.Exp(in.LengthScale))
	case l > 0:
		text += fmt.Sprintf(", outputs bend over about %.3g", in.LengthScale)
	}
	return text
}

// EmulatorErrors tells in one line what error is foretold, and how well runs were predicted that were held out, beside the simplest methods.
func EmulatorErrors(m *sgplvm.Emulator) string {
	r := m.Errors()
	unit, scale := "of the standard deviation", 1.
	if d := m.Deviations(); len(d) == 1 && m.Transforms() == nil {
		unit, scale = "in the data's unit", d[0]
	}
	text := fmt.Sprintf("%.4g %s foretold for inputs between those of the runs; %.4g for runs held out (", scale*r.Foretold, unit, scale*r.Mean)
	for i, s := range r.Simplest {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %.4g", s.Name, scale*s.Mean)
	}
	return text + fmt.Sprintf("), %.0f %% of values within 90 %% intervals", 100*r.Covered)
}

// ReportEmulator prints how training went.
func ReportEmulator(e *cli.Environment, m *sgplvm.Emulator) {
	fmt.Fprintf(e.Stdout, "learned from %s in %v\nerror %s\n", quote.Counted(m.Runs(), "run"), m.Took().Round(100*time.Millisecond), EmulatorErrors(m))
	for _, note := range m.Notes() {
		e.Note("%s", note)
	}
	for _, s := range m.Errors().Simplest {
		if s.Mean < m.Errors().Mean {
			e.Note("warning: %s predicts runs held out better", s.Name)
		}
	}
}

// NoteFar tells which inputs lie far from all runs.
func NoteFar(e *cli.Environment, p *sgplvm.Emulated) {
	const far = 1.5
	count, most := 0, 0
	for i, d := range p.Far {
		if d > far {
			count++
		}
		if d > p.Far[most] {
			most = i
		}
	}
	if count > 0 {
		e.Note("warning: %d of %d inputs lie far from all runs, number %d (from 0) farthest: %.2g times as far as any run from its neighbours; predictions there are guesses", count, p.Len(), most, p.Far[most])
	}
}

// InversionDraws returns how many draws an effort takes where normal effort takes count.
func InversionDraws(count int, effort string) int {
	switch effort {
	case "quick":
		return (count + 3) / 4
	case "thorough":
		return 4 * count
	}
	return count
}
