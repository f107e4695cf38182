package main

import (
	"context"
	"io"
	"path/filepath"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/page"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// withInputs is why a flag is refused beside -inputs, and ofEmulator where the model is an emulator.
const withInputs, ofEmulator = "with -inputs, expected one of the two", "with an emulator, expected none"

// An emulated is what predict and sample with -inputs write.
type emulated struct {
	*sgplvm.Emulated
	grid        engine.OutputGrid
	out, second *engine.Output
}

// openEmulated predicts what the flags -model and -inputs ask for: outputs by count draws of each, or 0 draws. The second result is what the flag other names.
func openEmulated(e *cli.Environment, f *cli.Flags, draws int, other string) (*emulated, error) {
	p := &emulated{second: &engine.Output{}}
	var err error
	if p.out, err = engine.NewOutput(f, "out"); err == nil && other != "" {
		p.second, err = engine.NewOutput(f, other)
	}
	if err != nil {
		return nil, err
	}
	path := f.Text("model")
	m, err := engine.LoadEmulator(path)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, f.Usagef("-inputs with %s, which is no emulator: train -inputs makes one", path)
	}
	if m, err = onGrid(f, m); err != nil {
		return nil, err
	}
	columns, _, _ := m.Inputs()
	in, err := engine.LoadInputs(e, f.Text("inputs"), "", columns)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if p.Emulated, err = m.Predict(&in.Inputs); err != nil {
		return nil, engine.AboutInputs(f.Text("inputs"), err, nil)
	}
	form, levels, err := engine.EmulatorForm(path, m, f.Text("grid"), p.Len()*max(1, draws))
	if err != nil {
		return nil, err
	}
	p.grid = engine.OutputGrid{Points: m.Grid(), Layout: form.Layout}
	if draws > 0 {
		form.Shape = append([]int{p.Len(), draws}, form.Shape[1:]...)
	}
	if f.Given("sheet") && (form.Table || form.Scattered) {
		return nil, f.Usagef("-sheet of outputs that are no pictures, expected pictures")
	}
	if err = p.out.Holding(form, levels); err == nil && p.second.Given() {
		err = p.second.HoldingVariances(form, slices.Max(m.Deviations()))
	}
	engine.NoteFar(e, p.Emulated)
	return p, err
}

// onGrid returns the emulator at the points of -grid or -points.
func onGrid(f *cli.Flags, m *sgplvm.Emulator) (*sgplvm.Emulator, error) {
	grid, points := f.Text("grid"), f.Text("points")
	if grid == "" && points == "" {
		return m, nil
	}
	var to sgplvm.Grid
	var err error
	if points != "" {
		to, err = dataset.LoadPoints(points)
	} else {
		l := cli.Layout(grid, m.Channels())
		to, err = dataset.Cover(m.Grid(), l.Width, l.Height)
	}
	if err == nil {
		m, err = m.On(to)
	}
	if err != nil {
		return nil, f.Usagef("-grid or -points: %v", err)
	}
	return m, nil
}

// predictEmulated is predict with -inputs.
func predictEmulated(ctx context.Context, e *cli.Environment, f *cli.Flags) error {
	if err := f.Refuse(withInputs, "data", "observed", "data-points", "times", "sequence"); err != nil {
		return err
	}
	p, err := openEmulated(e, f, 0, "variance")
	if err != nil {
		return err
	}
	if err := p.out.Each(ctx, p.Len(), p.Size(), p.MeanTo); err != nil {
		return err
	}
	if err := p.second.Each(ctx, p.Len(), p.Size(), p.VarianceTo); err != nil {
		return err
	}
	p.out.Note(e)
	p.second.Note(e)
	if !f.Given("sheet") {
		return nil
	}
	size, drawn := p.Size(), min(p.Len(), picture.SheetRows)
	means, variances := make([]float64, drawn*size), make([]float64, drawn*size)
	for i := range drawn {
		p.MeanTo(means[i*size:(i+1)*size], i)
		p.VarianceTo(variances[i*size:(i+1)*size], i)
	}
	return p.grid.DrawFields(f.Text("sheet"), "mean", means, variances)
}

// sampleEmulated is sample with -inputs.
func sampleEmulated(ctx context.Context, e *cli.Environment, f *cli.Flags, count int, seed uint64) error {
	if err := f.Refuse(withInputs, "example", "times", "sequence", "from", "to", "fps", "latent", "noise", "sheet"); err != nil {
		return err
	}
	p, err := openEmulated(e, f, count, "")
	if err != nil {
		return err
	}
	err = p.out.Stream(func(put func([]float64) error) error {
		for i := range p.Len() {
			if err := p.Sample(ctx, i, count, seed, func(_ int, values []float64) error { return put(append([]float64{}, values...)) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		p.out.Note(e)
	}
	return err
}

// writeEmulatorPage writes the page of an emulator in a file.
func writeEmulatorPage(out, path string, m *sgplvm.Emulator) error {
	return files.WriteAtomic(out, func(w io.Writer) error { return page.WriteEmulator(w, path, filepath.Base(path), m) })
}

// infoEmulator is info of an emulator, whose configuration it writes where a path is given.
func infoEmulator(e *cli.Environment, m *sgplvm.Emulator, path string, asJSON bool) error {
	if path != "" {
		if err := files.WriteAtomic(path, func(w io.Writer) error { return sgplvm.WriteConfig(w, m.Config()) }); err != nil {
			return err
		}
	}
	if asJSON {
		return e.PrintJSON(engine.NewAboutEmulator(m))
	}
	_, err := io.WriteString(e.Stdout, engine.DescribeEmulator(m))
	return err
}
