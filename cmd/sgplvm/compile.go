package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

// edgeTypes are the words of the flag -type.
var edgeTypes = map[string]edge.Type{"f64": edge.Float64, "f32": edge.Float32, "f16": edge.Float16}

func compile(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "compile", `sgplvm compile -model MODEL -out M.edge [flags]

Makes a file with everything that filling in and predicting on one set of points needs, for
small static programs that use package edge, or, of an emulator, everything that predicting needs.
Prints what the file, filling in and fewer bits cost.`)
	f.Input("model", "the model `file`")
	f.Input("points", "the `file` with coordinates to compile for (.npy, .npz, .nc, .csv), points×dimensions, where these are not the training points")
	f.Grid("grid", "", "`WIDTHxHEIGHT` of the pictures, where it is not that of the training pictures")
	kind := f.Choice("type", "f64", "the `type` of the numbers in large tables: f64, f32 or f16", "f64", "f32", "f16")
	fast := f.Toggle("fast", "fill in faster, in less memory, a little less exactly")
	units := f.String("units", "", "the `name` of the units of the values, which the compiled model tells")
	held := f.Input("held", "pictures like those of training that the model has not learned from, which say what raises an alarm: "+engine.DataUsage)
	learn := f.Toggle("learn", "streams can learn from what they see: of models of examples with times, of white noise and no part in time")
	times := f.Input("times", "the `file` with the times of -held (.npy, .npz, .nc, .csv)")
	out := f.Model("out", "the compiled `file` to write")
	f.Need("model", "out")
	f.Everyday("model", "out", "type")
	f.Examples("sgplvm compile -model faces.model -type f16 -out faces.edge")
	if err := f.Read(args); err != nil {
		return err
	}
	if emulator, err := engine.LoadEmulator(f.Text("model")); err != nil || emulator != nil {
		if err != nil {
			return err
		}
		if err := f.Refuse(ofEmulator, "points", "grid", "fast", "units", "held", "learn", "times"); err != nil {
			return err
		}
		return compileEmulator(e, emulator, *out, edgeTypes[*kind])
	}
	m, g, err := engine.LoadAt(f)
	if err != nil {
		return err
	}
	if err := engine.CheckCompiling(m); err != nil {
		return err
	}
	o := sgplvm.CompileOptions{Grid: g.Points, Type: edgeTypes[*kind], Fast: *fast, Learn: *learn}
	if g.Layout.Points() > 0 {
		o.Label, o.Width, o.Height = dataset.FormatGrid(g.Layout.Width, g.Layout.Height), g.Layout.Width, g.Layout.Height
	}
	o.Units = *units
	o.Low, o.High = engine.Range(m)
	if *held != "" {
		if err := loadHeld(f, m, &o, *held, *times); err != nil {
			return err
		}
	}
	file, err := m.Compile(o)
	if err != nil {
		return err
	}
	if err := writeCompiled(*out, file); err != nil {
		return err
	}
	return describeCompiled(ctx, e, m, o, file)
}

func writeCompiled(path string, file []byte) error {
	return files.WriteAtomic(path, func(w io.Writer) error {
		_, err := w.Write(file)
		return err
	})
}

// compileEmulator writes the file of an emulator.
func compileEmulator(e *cli.Environment, m *sgplvm.Emulator, out string, kind edge.Type) error {
	file := m.Compile(kind, m.Attributes()["grid"])
	if err := writeCompiled(out, file); err != nil {
		return err
	}
	c, err := edge.OpenEmulator(file)
	if err != nil {
		return err
	}
	about := c.About()
	fmt.Fprintf(e.Stdout, "file               %d bytes, %v\n", len(file), kind)
	fmt.Fprintf(e.Stdout, "inputs             %s\n", cli.Text(strings.Join(about.Inputs, ", ")))
	if about.Field > 0 {
		fmt.Fprintf(e.Stdout, "input field        %d values\n", about.Field)
	}
	fmt.Fprintf(e.Stdout, "output             %d points, %d channels\n", about.Points, about.Channels)
	return nil
}

// loadHeld reads examples that were held back.
func loadHeld(f *cli.Flags, m *sgplvm.Model, o *sgplvm.CompileOptions, data, times string) error {
	all, err := engine.LoadObserved(f, f.Text("model"), m, data, "", "", "")
	if err != nil {
		return err
	}
	o.Held = engine.Matrix(all.Frames)
	if times != "" {
		o.HeldTimes, err = dataset.LoadTimes(times, all.Count)
	}
	return err
}

// describeCompiled prints what a compiled file costs.
func describeCompiled(ctx context.Context, e *cli.Environment, m *sgplvm.Model, o sgplvm.CompileOptions, file []byte) error {
	compiled, err := edge.Open(file)
	if err != nil {
		return err
	}
	n := compiled.Points()
	fmt.Fprintf(e.Stdout, "file               %d bytes, %v\n", len(file), o.Type)
	fmt.Fprintf(e.Stdout, "example            %d points, %d channels\n", n, compiled.Channels())
	describeStream(e, compiled)
	describeAlarms(e, compiled, o.Held.Rows > 0)
	if o.Learn {
		l, err := compiled.NewLearner(edge.LearnOptions{Surprising: true})
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Stdout, "learning           %d bytes, the stream and its room included; %.3g multiplications each time\n", l.Bytes(), l.Multiplications())
	}
	fmt.Fprintf(e.Stdout, "seen of it             memory beside the file    multiplications\n")
	for _, c := range []struct {
		share string
		seen  int
	}{{"all", n}, {"half", (n + 1) / 2}, {"a tenth", (n + 9) / 10}} {
		bytes := compiled.Bytes() + compiled.NewWorkspace(c.seen).Bytes()
		fmt.Fprintf(e.Stdout, "  %-8s %24d bytes %18.3g\n", c.share, bytes, compiled.Multiplications(c.seen))
	}
	if o.Type == edge.Float64 {
		return nil
	}
	return describeLoss(ctx, e, m, o, compiled)
}

// describeStream says whether examples can be filled in as those of a stream.
func describeStream(e *cli.Environment, compiled *edge.Model) {
	stream, err := compiled.NewWorkspace(1).NewStream(edge.StreamOptions{})
	var refused *edge.StreamError
	switch {
	case err == nil:
		fmt.Fprintf(e.Stdout, "streams            %d bytes each\n", stream.Bytes())
	case errors.As(err, &refused) && refused.Kernel != "":
		fmt.Fprintf(e.Stdout, "streams            none: the kernel %s in time has no state\n", refused.Kernel)
	}
}

// describeAlarms says which rates of false alarms can be had.
func describeAlarms(e *cli.Environment, compiled *edge.Model, held bool) {
	least, ok := compiled.Alarm(math.SmallestNonzeroFloat64)
	switch {
	case held && !ok:
		fmt.Fprintf(e.Stdout, "alarms             none: they take two frames held out, of 2048 points at most\n")
	case held:
		sure := fmt.Sprintf("to within a third from %.2g on", 40*least.Rate)
		if 40*least.Rate >= 1 {
			sure = fmt.Sprintf("%d frames held out are too few to tell one to within a third", int(math.Round(1/least.Rate))-1)
		}
		fmt.Fprintf(e.Stdout, "alarms             false ones at rates from %.2g on; %s\n", least.Rate, sure)
	}
}

// mostCompared is how many training posteriors the loss is measured on.
const mostCompared = 100

// describeLoss prints how far predictions of a type of fewer bits are from the model's, for training posteriors.
func describeLoss(ctx context.Context, e *cli.Environment, m *sgplvm.Model, o sgplvm.CompileOptions, compiled *edge.Model) error {
	size := compiled.Points() * compiled.Channels()
	mean, variance := make([]float64, size), make([]float64, size)
	w := compiled.NewWorkspace(1)
	count := min(m.Examples(), mostCompared)
	var ofMeans, ofVariances float64
	for i := range count {
		if err := ctx.Err(); err != nil {
			return err
		}
		l := m.TrainingLatent(i * m.Examples() / count)
		l.At = nil
		want, err := m.Predict(l, o.Grid)
		if err != nil {
			return err
		}
		if err := w.Predict(mean, variance, l.Mu, l.S); err != nil {
			return err
		}
		for k, v := range want.Variance.Data {
			ofMeans = max(ofMeans, math.Abs(mean[k]-want.Mean.Data[k])/math.Sqrt(v))
			ofVariances = max(ofVariances, math.Abs(variance[k]/v-1))
		}
	}
	fmt.Fprintf(e.Stdout, "loss of accuracy   means up to %.2g deviations, variances up to %.2g of them, over %d training posteriors\n", ofMeans, ofVariances, count)
	return nil
}
