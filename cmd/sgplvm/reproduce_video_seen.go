package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// titleResidual is the rival that uses what is seen of a frame: linear interpolation in time and
// a Gaussian process in space of what it leaves.
const titleResidual = "linear interpolation, GP of the rest"

// partlySeen is what may be seen of the test frames.
type partlySeen struct {
	truth *dataset.Training
	mask  *dataset.Mask
	row   map[int]int     // of the mask, for a frame
	frame map[float64]int // at a time
}

// loadSeen reads the masks of all test frames, row by row.
func (x *filmExperiment) loadSeen(path string) error {
	if path == "" {
		return nil
	}
	if x.truth.Layout != x.frames.Layout {
		return &dataset.Error{Path: x.truth.Name, Found: "frames of " + dataset.FormatGrid(x.truth.Width, x.truth.Height),
			Want: dataset.FormatGrid(x.frames.Width, x.frames.Height) + " beside -observed, as those learned from"}
	}
	mask, n, err := dataset.LoadMasks(path, x.truth.Layout)
	if err != nil {
		return err
	}
	if want := x.frames.Count - len(x.training); n != want {
		return &dataset.Error{Path: path, Found: fmt.Sprintf("masks of %d frames", n), Want: fmt.Sprintf("%d, one for each frame that is not learned from", want)}
	}
	s := &partlySeen{x.truth, mask, make(map[int]int), make(map[float64]int)}
	for i := range x.frames.Count {
		if slices.Contains(x.training, i) {
			continue
		}
		row := len(s.row)
		s.row[i] = row
		if j, found := s.frame[x.times[i]]; found {
			return fmt.Errorf("frames %d and %d both have the time %v, expected different ones beside -observed", j, i, x.times[i])
		}
		s.frame[x.times[i]] = i
		if values, err := s.values(i); err != nil {
			return err
		} else if _, _, missing := mat.NonFinite(values); !missing {
			return &dataset.Error{Path: path, Place: fmt.Sprintf("row %d", row), Found: "a frame seen as a whole", Want: "something to predict"}
		}
	}
	x.seen = s
	return nil
}

// values returns a frame (points×channels) with NaN where it is not seen.
func (s *partlySeen) values(frame int) (mat.Matrix, error) {
	v := mat.New(s.truth.Points(), s.truth.Channels)
	if err := s.truth.ReadExamples(v.Data, frame, frame+1); err != nil {
		return v, err
	}
	for i := range v.Rows {
		for c := range v.Cols {
			if !s.mask.Observed(s.row[frame], i, c) {
				v.Set(i, c, math.NaN())
			}
		}
	}
	return v, nil
}

// rows returns some rows of pixels of a frame with NaN where it is not seen; of films of
// which nothing is seen, the zero Matrix.
func (s *partlySeen) rows(frame, from, to int) (mat.Matrix, error) {
	if s == nil {
		return mat.Matrix{}, nil
	}
	v, err := s.values(frame)
	if err != nil {
		return v, err
	}
	return v.Slice(from*s.truth.Width, to*s.truth.Width, 0, v.Cols), nil
}

// each calls body for the frames at some times, with what is seen of them, and collects in one slab
// what it says of all their values.
func (s *partlySeen) each(ctx context.Context, times []float64, predict func(k int, seen mat.Matrix, mean, variance []float64) error, body func(s baseline.Slab) error) error {
	size := s.truth.Points() * s.truth.Channels
	p := baseline.Slab{To: s.truth.Height, Mean: mat.New(len(times), size), Variance: mat.New(len(times), size)}
	failures := make([]error, len(times))
	mat.Parallel(len(times), func(k int) {
		if ctx.Err() != nil {
			return
		}
		seen, err := s.values(s.frame[times[k]])
		if err == nil {
			err = predict(k, seen, p.Mean.Row(k), p.Variance.Row(k))
		}
		failures[k] = err
	})
	if err := errors.Join(ctx.Err(), errors.Join(failures...)); err != nil {
		return err
	}
	return body(p)
}

// A seenModel fills in the frames with the model: the latent posterior at the time is the prior
// of what was seen.
type seenModel struct {
	model *sgplvm.Model
	seen  *partlySeen
}

func (m seenModel) Predict(ctx context.Context, times []float64, _, _ int, body func(s baseline.Slab) error) error {
	priors, err := m.model.LatentAt(0, times)
	if err != nil {
		return err
	}
	return m.seen.each(ctx, times, func(k int, seen mat.Matrix, mean, variance []float64) error {
		p, _, err := m.model.Impute(ctx, sgplvm.Observed{Values: seen, Prior: &priors[k]}, sgplvm.InferOptions{})
		if err != nil {
			return err
		}
		copy(mean, p.Mean.Data)
		copy(variance, p.Variance.Data)
		return nil
	}, body)
}

// One training frame in so many is held out for the choice of a model that fills in.
const seenHeldOut = 4

// chooseSeen is chooseTime for frames seen in part: training frames are held out, and the
// candidates learn from the others and fill in what the masks of the test frames hide.
func (x *filmExperiment) chooseSeen(ctx context.Context, cfg sgplvm.Config, o sgplvm.FitOptions) (sgplvm.Config, error) {
	var learned, held []int
	for k, i := range x.training {
		if k%seenHeldOut == seenHeldOut/2 {
			held = append(held, i)
		} else {
			learned = append(learned, i)
		}
	}
	if len(x.training)*x.frames.Points()*x.frames.Channels > mostToChoose || len(held) < 2 {
		return plainTime.apply(cfg), nil
	}
	seen := &partlySeen{x.frames, x.seen.mask, make(map[int]int), make(map[float64]int)}
	for k, i := range held {
		seen.row[i], seen.frame[x.times[i]] = k%len(x.seen.row), i
	}
	part := cfg
	part.Dynamics.Times, part.Inducing = x.timesOf(learned), min(len(learned), maxFilmInducing)
	part.LatentDims = min(part.LatentDims, len(learned)-1)
	chosen, err := leastDensity(ctx, withSettings(part, append([]timeSetting{plainTime}, timeSettings(x.period)...)), func(cfg sgplvm.Config) ([]float64, error) {
		m, err := sgplvm.New(sgplvm.Data{Source: chosenFrames{x.frames, learned}}, cfg)
		if err != nil {
			return nil, err
		}
		if _, err := fit(ctx, x.e, m, o); err != nil {
			return nil, err
		}
		densities := make([]float64, len(held))
		return densities, seenModel{m, seen}.Predict(ctx, x.timesOf(held), x.frames.Height, x.frames.Width, func(s baseline.Slab) error {
			for k, i := range held {
				truth, hidden := mat.New(x.frames.Points(), x.frames.Channels), mat.Matrix{}
				if err := x.frames.ReadExamples(truth.Data, i, i+1); err != nil {
					return err
				}
				if hidden, err = seen.values(i); err != nil {
					return err
				}
				row := func(a mat.Matrix) mat.Matrix { return mat.NewDense(truth.Rows, truth.Cols, a.Row(k)) }
				score, err := evaluate.Score(truth, hidden, row(s.Mean), row(s.Variance))
				if err != nil {
					return err
				}
				densities[k] = score.NLP
			}
			return nil
		})
	})
	chosen.Dynamics.Times, chosen.Inducing, chosen.LatentDims = cfg.Dynamics.Times, cfg.Inducing, cfg.LatentDims
	return chosen, err
}

// A seenResidual interpolates in time and fills in what that leaves.
type seenResidual struct {
	interpolation *baseline.FilmMethod
	rest          *baseline.Method
	seen          *partlySeen
}

func (m seenResidual) Predict(ctx context.Context, times []float64, height, width int, body func(s baseline.Slab) error) error {
	level := mat.New(len(times), height*width*m.seen.truth.Channels)
	if err := interpolated(ctx, m.interpolation, times, height, width, level); err != nil {
		return err
	}
	return m.seen.each(ctx, times, func(k int, seen mat.Matrix, mean, variance []float64) error {
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

// interpolated sets the rows of mean to the frames at the times.
func interpolated(ctx context.Context, m *baseline.FilmMethod, times []float64, height, width int, mean mat.Matrix) error {
	return m.Predict(ctx, times, height, width, func(s baseline.Slab) error {
		row := mean.Cols / height
		mat.Copy(mean.Slice(0, mean.Rows, s.From*row, s.To*row), s.Mean)
		return nil
	})
}

// Cross-validation of the rival, whose kernels every frame finds anew.
const (
	residualFolds = 5
	residualCases = 20
)

// learnResidual interpolates every training frame from the others and fits a Gaussian process to
// what that leaves, under the masks of the test frames.
func (x *filmExperiment) learnResidual(ctx context.Context) (filmMethod, string, error) {
	p := newProgress(x.e)
	defer p.clear()
	size := x.frames.Points() * x.frames.Channels
	film := func(frames []int) baseline.Film {
		return baseline.Film{Width: x.frames.Width, Height: x.frames.Height, Frames: chosenFrames{x.frames, frames}, Times: x.timesOf(frames)}
	}
	begin := time.Now()
	rest := mat.New(len(x.training), size)
	for k, i := range x.training {
		others := slices.Delete(slices.Clone(x.training), k, k+1)
		m, err := baseline.FitFilm(ctx, baseline.Interpolation, film(others), baseline.FilmOptions{})
		if err != nil {
			return nil, "", err
		}
		level := mat.New(1, size)
		if err := interpolated(ctx, m, x.timesOf([]int{i}), x.frames.Height, x.frames.Width, level); err != nil {
			return nil, "", err
		}
		if err := x.frames.ReadExamples(rest.Row(k), i, i+1); err != nil {
			return nil, "", err
		}
		mat.Add(rest.Slice(k, k+1, 0, size), rest.Slice(k, k+1, 0, size), -1, level)
		p.counting("interpolated", k+1, len(x.training), begin)
	}
	interpolation, err := baseline.FitFilm(ctx, baseline.Interpolation, film(x.training), baseline.FilmOptions{})
	if err != nil {
		return nil, "", err
	}
	var masks [][]bool
	for _, i := range x.tests {
		observed := make([]bool, size)
		for j := range observed {
			observed[j] = x.seen.mask.Observed(x.seen.row[i], j/x.frames.Channels, j%x.frames.Channels)
		}
		masks = append(masks, observed)
	}
	points := mat.New(x.frames.Points(), 2)
	for i := range points.Rows {
		points.Set(i, 0, float64(i/x.frames.Width))
		points.Set(i, 1, float64(i%x.frames.Width))
	}
	p.show("fitting what interpolation leaves")
	m, err := baseline.Fit(ctx, baseline.GP, baseline.Data{Points: points, Channels: x.frames.Channels, Pictures: rest},
		baseline.Options{Masks: masks, Folds: min(residualFolds, len(x.training)), Cases: residualCases, Seed: x.seed})
	if err != nil {
		return nil, "", err
	}
	about := ""
	for _, s := range m.Settings() {
		about += fmt.Sprintf("%s %.4g", s.Name, s.Value)
	}
	return seenResidual{interpolation, m, x.seen}, about, nil
}
