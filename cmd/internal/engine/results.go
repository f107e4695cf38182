package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/report"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// A Result holds pictures that were filled in, one after the other.
type Result struct {
	Mean, Variance []float64
	Size           int // values of a picture
	Outliers       []sgplvm.Outlier
}

// NewResult returns room for some pictures.
func NewResult(pictures, size int) *Result {
	return &Result{Mean: make([]float64, pictures*size), Variance: make([]float64, pictures*size), Size: size}
}

// of returns the values of a picture.
func (r *Result) of(values []float64, i int) []float64 { return values[i*r.Size : (i+1)*r.Size] }

// A filled example is what was made of one.
type filled struct {
	Mean, Variance []float64
	Outliers       []sgplvm.Outlier
	Local          bool // each missing point was conditioned on its neighbourhood
}

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
	frames, err := LoadLike(f, &form, path)
	if err == nil && frames.Points() != m.Points() {
		err = fmt.Errorf("%s: outputs of %d points, expected %d as the emulator's", path, frames.Points(), m.Points())
	}
	return frames, err
}

// Invert finds the inputs behind outputs, of which deviations returns the standard errors; path is the emulator's file.
func Invert(ctx context.Context, e *cli.Environment, path string, m *sgplvm.Emulator, belief sgplvm.Belief, outputs *dataset.Frames, deviations func(i int) []float64, o sgplvm.InvertOptions) ([]*sgplvm.Inverted, error) {
	inverter, err := m.Inverter(belief)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	found := make([]*sgplvm.Inverted, outputs.Count)
	return found, e.Each(ctx, "output", "inverted", outputs.Name, 0, outputs.Count, func(i int) (err error) {
		found[i], err = inverter.Invert(ctx, outputs.Values(i), deviations(i), o)
		return err
	})
}

// Rows compares what was filled in with the truth: one row under a name, or one for each column of a table.
func (r *Result) Rows(name string, seen, truth *dataset.Frames) ([]report.Row, error) {
	if !seen.Table {
		s, err := r.Score(seen, truth)
		return []report.Row{{Name: name, Summary: s}}, err
	}
	var rows []report.Row
	for k := range seen.Channels {
		columns := [4]mat.Matrix{mat.New(seen.Count, 1), mat.New(seen.Count, 1), mat.New(seen.Count, 1), mat.New(seen.Count, 1)}
		for i := range seen.Count {
			for c, values := range [4][]float64{truth.Values(i), seen.Values(i), r.Mean[i*r.Size:], r.Variance[i*r.Size:]} {
				columns[c].Set(i, 0, values[k])
			}
		}
		s, err := evaluate.Score(columns[0], columns[1], columns[2], columns[3])
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint("column ", k+1)
		if k < len(seen.Columns) {
			name = seen.Columns[k]
		}
		rows = append(rows, report.Row{Name: name, Summary: evaluate.Summarize([]evaluate.Scores{s})})
	}
	return rows, nil
}

// Score compares what was filled in with the truth.
func (r *Result) Score(seen, truth *dataset.Frames) (evaluate.Summary, error) {
	_, s, err := evaluate.Evaluate(Matrix(truth), Matrix(seen), mat.NewDense(seen.Count, r.Size, r.Mean), mat.NewDense(seen.Count, r.Size, r.Variance), seen.Channels)
	return s, err
}

// Matrix returns the values of all frames, a frame a row.
func Matrix(f *dataset.Frames) mat.Matrix {
	a := mat.New(f.Count, f.Points()*f.Channels)
	for i := range f.Count {
		copy(a.Row(i), f.Values(i))
	}
	return a
}
