package main

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func update(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "update", `sgplvm update -model MODEL -data NEW.npy -inputs NEW.csv -out MODEL2 [flags]

Adds further runs of the simulator to an emulator (train -inputs makes one) without fitting it again: its kernels, components and
variances stay, and predictions know the new runs. It tells how well the emulator had predicted them: where that is much worse than
it had foretold, training with all runs is better.`)
	f.String("model", "", "the `file` of the emulator")
	data := f.String("data", "", "the outputs of the new runs, complete, of the form of the others: "+engine.DataUsage)
	inputs := f.String("inputs", "", engine.InputsUsage)
	out := f.String("out", "", "the `file` to write")
	engine.NewReadFlags(f)
	f.Everyday("model", "data", "inputs", "out")
	f.Examples("sgplvm update -model emulator -data new.npy -inputs new.csv -out emulator")
	if err := f.Read(args); err != nil {
		return err
	}
	if err := f.Require("model", "data", "inputs", "out"); err != nil {
		return err
	}
	if err := f.Apart([]string{"data", "inputs"}, []string{"out"}); err != nil {
		return err
	}
	if err := cli.Writable(*out); err != nil {
		return err
	}
	m, err := openEmulator(f)
	if err != nil {
		return err
	}
	frames, err := engine.EmulatorOutputs(f, f.Text("model"), m, *data)
	if err != nil {
		return err
	}
	columns, _, _ := m.Inputs()
	in, err := engine.LoadInputs(e, *inputs, "", columns)
	if err != nil {
		return err
	}
	defer in.Close()
	before, err := m.Predict(&in.Inputs)
	if err != nil {
		return engine.AboutInputs(*inputs, err, nil)
	}
	if before.Len() != frames.Count {
		return fmt.Errorf("%s: %s, expected %d as %s has", *inputs, quote.Counted(before.Len(), "run"), frames.Count, *data)
	}
	updated, err := m.Update(&in.Inputs, frames)
	if err != nil {
		return engine.AboutInputs(*inputs, err, func(err error) error { return engine.AboutData(*data, err) })
	}
	if err := engine.SaveEmulator(*out, updated); err != nil {
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
	sum, count, scale := 0., 0., m.Deviations()
	mean := make([]float64, p.Size())
	for i := range p.Len() {
		p.MeanTo(mean, i)
		for k, v := range outputs.Values(i) {
			if d := (v - mean[k]) / scale[k%len(scale)]; d == d {
				sum, count = sum+d*d, count+1
			}
		}
	}
	return math.Sqrt(sum / max(1, count))
}
