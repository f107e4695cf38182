package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func update(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "update", `sgplvm update -model MODEL -data NEW -out MODEL2 [flags]

Adds examples to a model without training it again: kernels and inducing points stay, the new examples' latent variables are inferred, and
predictions and noise are those of all examples. It tells how well the new examples fit: where nothing that was learned explains them,
training with all is better. Values may be missing. Of a model in time they follow the last of its examples, evenly, or are at -times.

Adds further runs of the simulator to an emulator (train -inputs makes one), with -inputs: its kernels, components and variances stay, and predictions know
the new runs.`)
	f.String("model", "", "the `file` of the model or the emulator")
	f.Input("data", "the new examples, of the form of the others, or the outputs of the new runs, complete: "+engine.DataUsage)
	f.Input("inputs", engine.InputsUsage)
	f.Input("times", "the `file` with the times of the new examples (.npy, .npz, .nc, .csv), of a model in time")
	f.Input("observed", engine.MaskUsage)
	forget := f.Between("forget", 1, 0, 1, "how much each new example leaves of the `weight` of all before it: with .99 about the last hundred count")
	f.Result("out", "the `file` to write")
	engine.NewReadFlags(f)
	f.Need("model", "data", "out")
	f.Everyday("model", "data", "times", "inputs", "forget", "out")
	f.Examples(
		"sgplvm update -model faces.model -data whole.npy -out faces2.model",
		"sgplvm update -model emulator -data new.npy -inputs new.csv -out emulator",
	)
	if err := f.Read(args); err != nil {
		return err
	}
	m, emulator, err := engine.LoadAny(f.Text("model"))
	switch {
	case err != nil:
		return err
	case m != nil:
		if err := f.Refuse("without an emulator", "inputs"); err != nil {
			return err
		}
		return updateModel(ctx, e, f, m, *forget)
	}
	if err := f.Refuse("without a model of fields", "forget", "observed", "times"); err != nil {
		return err
	}
	if err := f.Require("inputs"); err != nil {
		return err
	}
	return updateEmulator(e, f, emulator, f.Text("inputs"))
}

// updateModel is update of a model of fields.
func updateModel(ctx context.Context, e *cli.Environment, f *cli.Flags, m *sgplvm.Model, forget float64) error {
	path, data, times := f.Text("model"), f.Text("data"), f.Text("times")
	seen, err := engine.LoadObserved(f, path, m, data, f.Text("observed"), "", "")
	if err != nil {
		return err
	}
	n := engine.InferenceOf(seen.Frames)
	n.Updates = true
	if err := engine.CheckInferring(m, n); err != nil {
		return err
	}
	take := m.Update
	if times != "" {
		list, err := dataset.LoadTimes(times, seen.Count)
		if err != nil {
			return err
		}
		at := make([]sgplvm.Instant, seen.Count)
		for i, t := range list {
			at[i].Time = t
			if trained := m.Times(); trained != nil {
				at[i].Sequence = trained[0].Sequence
			}
		}
		take = func(ctx context.Context, examples sgplvm.Source, forget float64) (*sgplvm.Model, sgplvm.UpdateReport, error) {
			return m.UpdateAt(ctx, examples, at, forget)
		}
	}
	stop := e.Timing("update")
	next, r, err := take(ctx, seen, forget)
	stop()
	if bad := (*sgplvm.ConfigError)(nil); errors.As(err, &bad) {
		return fmt.Errorf("%s: %w", path, bad.Err)
	}
	if err != nil {
		return engine.AboutData(data, engine.Placed(&seen.Form, err, nil))
	}
	if err := engine.Save(f.Text("out"), next); err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "%s added, %.6g in all; the model's error on those added was %.3g standard deviations and is %.3g now, its noise %.3g\n",
		quote.Counted(r.Examples, "example"), r.Count, r.Before, r.After, r.Noise)
	if len(r.Outliers) > 0 {
		e.Note("%s", seen.InWords(sgplvm.OutlierText(r.Outliers)))
	}
	if r.Unexplained > unexplained {
		e.Note("warning: %.0f %% of what the new examples show is explained by nothing that was learned: train again with all", 100*r.Unexplained)
	}
	return nil
}

// unexplained is the share of the variance of new examples from which on training again is advised.
const unexplained = 0.1

// updateEmulator is update of an emulator.
func updateEmulator(e *cli.Environment, f *cli.Flags, m *sgplvm.Emulator, inputs string) error {
	data := f.Text("data")
	frames, err := engine.EmulatorOutputs(f, f.Text("model"), m, data)
	if err != nil {
		return err
	}
	columns, _, _ := m.Inputs()
	in, err := engine.LoadInputs(e, inputs, "", columns)
	if err != nil {
		return err
	}
	defer in.Close()
	before, err := m.Predict(&in.Inputs)
	if err != nil {
		return engine.AboutInputs(inputs, err, nil)
	}
	if before.Len() != frames.Count {
		return fmt.Errorf("%s: %s, expected %d as %s has", inputs, quote.Counted(before.Len(), "run"), frames.Count, data)
	}
	updated, err := m.Update(&in.Inputs, frames)
	if err != nil {
		return engine.AboutInputs(inputs, err, func(err error) error { return engine.AboutData(data, err) })
	}
	if err := engine.SaveEmulator(f.Text("out"), updated); err != nil {
		return err
	}
	missed := predictionError(m, before, frames)
	fmt.Fprintf(e.Stdout, "%s added to %d; the emulator had predicted them with an error of %.4g of the standard deviation, and foretold %.4g\n",
		quote.Counted(frames.Count, "run"), m.Runs(), missed, m.Errors().Foretold)
	if missed > 2*m.Errors().Foretold {
		e.Note("warning: that is much more: train -inputs with all runs fits kernels and components again")
	}
	return nil
}

// predictionError returns the root mean squared error of predictions of outputs, in standard deviations of the channels.
func predictionError(m *sgplvm.Emulator, p *sgplvm.Emulated, outputs *dataset.Frames) float64 {
	sum, mean := 0., make([]float64, p.Size())
	for i := range p.Len() {
		p.MeanTo(mean, i)
		e := m.Distance(mean, outputs.Values(i))
		sum += e * e / float64(p.Len())
	}
	return math.Sqrt(sum)
}
