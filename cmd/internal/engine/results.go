package engine

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// LatentTable returns the names of the columns and the rows, one after the other. Examples whose latent variables are of different parts of the
// model, of which one is for those seen in part, are refused.
func LatentTable(all []sgplvm.Latent, timed bool) (columns []string, values []float64, err error) {
	for _, name := range []string{"mean", "deviation"} {
		for k := range all[0].Mu {
			columns = append(columns, fmt.Sprint(name, k+1))
		}
	}
	if timed {
		columns = append(columns, "time", "sequence")
	}
	for i, l := range all {
		if l.Partly != all[0].Partly {
			return nil, nil, fmt.Errorf("examples 0 and %d have latent variables of the two models in the file, of which one is for examples seen in part, expected all of one: take them apart", i)
		}
		values = append(values, l.Mu...)
		for _, s := range l.S {
			values = append(values, math.Sqrt(s))
		}
		switch {
		case timed && l.At != nil:
			values = append(values, l.At.Time, float64(l.At.Sequence))
		case timed:
			values = append(values, math.NaN(), math.NaN())
		}
	}
	return columns, values, nil
}

// EmulatorOutputs reads outputs of the form that an emulator has; model is its file.
func EmulatorOutputs(f *cli.Flags, model string, m *sgplvm.Emulator, path string) (*dataset.Frames, error) {
	form, _, err := EmulatorForm(model, m, "", 1)
	if err != nil {
		return nil, err
	}
	o := ReadOptions(f)
	switch {
	case form.Table:
		o.Names = form.Columns
		return dataset.LoadTable(path, m.Channels(), o)
	case form.Scattered:
		return dataset.LoadWith(path, dataset.SetOptions{At: m.Points(), Layout: dataset.Layout{Channels: m.Channels()}})
	}
	o.Layout = form.Layout
	return dataset.LoadWith(path, o)
}
