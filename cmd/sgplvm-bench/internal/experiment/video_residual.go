package experiment

import (
	"context"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
)

// titleResidual is the baseline that uses what is seen of a frame: linear interpolation in time and
// a Gaussian process in space of what it leaves.
const titleResidual = "linear interpolation, GP of the rest"

// A residualMethod interpolates in time and fills in what that leaves.
type residualMethod struct {
	interpolation *baseline.FilmMethod
	rest          *baseline.Method
	seen          *partlySeen
}

func (m residualMethod) predict(ctx context.Context, w wanted, body func(s baseline.Slab) error) error {
	level := mat.New(len(w.times), w.height*w.width*m.seen.frames.Channels)
	if err := interpolated(ctx, m.interpolation, w, level); err != nil {
		return err
	}
	return m.seen.each(ctx, w.frames, func(k int, seen mat.Matrix, mean, variance []float64) error {
		rest := mat.NewDense(1, len(mean), seen.Data)
		mat.Add(rest, rest, -1, level.Slice(k, k+1, 0, level.Cols))
		p, err := m.rest.Fill(ctx, rest)
		if err != nil {
			return err
		}
		for i, v := range p.Mean.Data {
			mean[i] = v + level.At(k, i)
		}
		copy(variance, p.Variance.Data)
		return nil
	}, body)
}

// interpolated sets the rows of mean to the frames wanted.
func interpolated(ctx context.Context, m *baseline.FilmMethod, w wanted, mean mat.Matrix) error {
	return fitted{m}.predict(ctx, w, func(s baseline.Slab) error {
		row := mean.Cols / w.height
		mat.Copy(mean.Slice(0, mean.Rows, s.From*row, s.To*row), s.Mean)
		return nil
	})
}

// Cross-validation of the Gaussian process, whose kernels every frame finds anew.
const (
	residualFolds = 5
	residualCases = 20
)

// fitResidual interpolates every training frame from the others and fits a Gaussian process to what
// that leaves, under the masks of the test frames.
func (x *video) fitResidual(ctx context.Context) (method, string, error) {
	p := cli.NewProgress(x.e)
	defer p.Clear()
	rest, err := x.residuals(ctx, p)
	if err != nil {
		return nil, "", err
	}
	interpolation, err := baseline.FitFilm(ctx, baseline.Interpolation, x.film(x.training), baseline.FilmOptions{})
	if err != nil {
		return nil, "", err
	}
	var masks [][]bool
	for _, i := range x.tests {
		observed := make([]bool, rest.Cols)
		for j := range observed {
			observed[j] = x.seen.mask.Observed(x.seen.row[i], j/x.frames.Channels, j%x.frames.Channels)
		}
		masks = append(masks, observed)
	}
	p.Show("fitting what interpolation leaves")
	m, err := baseline.Fit(ctx, baseline.GP, baseline.Data{Points: gridPoints(x.frames.Width, x.frames.Height), Channels: x.frames.Channels, Pictures: rest},
		baseline.Options{Masks: masks, Folds: min(residualFolds, len(x.training)), Cases: residualCases, Seed: x.Seed})
	if err != nil {
		return nil, "", err
	}
	return residualMethod{interpolation, m, x.seen}, parametersText(m.Parameters()), nil
}

// residuals returns what interpolation from all others leaves of each training frame, a frame a row.
func (x *video) residuals(ctx context.Context, p *cli.Progress) (mat.Matrix, error) {
	size := x.frames.Points() * x.frames.Channels
	rest := mat.New(len(x.training), size)
	level := mat.New(1, size)
	for k, i := range x.training {
		others := slices.Delete(slices.Clone(x.training), k, k+1)
		m, err := baseline.FitFilm(ctx, baseline.Interpolation, x.film(others), baseline.FilmOptions{})
		if err != nil {
			return rest, err
		}
		w := wanted{[]int{i}, x.timesOf([]int{i}), x.frames.Height, x.frames.Width}
		if err := interpolated(ctx, m, w, level); err != nil {
			return rest, err
		}
		if err := x.frames.ReadExamples(rest.Row(k), i, i+1); err != nil {
			return rest, err
		}
		mat.Add(rest.Slice(k, k+1, 0, size), rest.Slice(k, k+1, 0, size), -1, level)
		p.Show("interpolated: %d/%d", k+1, len(x.training))
	}
	return rest, nil
}
