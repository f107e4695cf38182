package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/baseline"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/source"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// partlySeen is what may be seen of some frames.
type partlySeen struct {
	frames *dataset.Training
	mask   *dataset.Mask
	row    map[int]int // of the mask, by the frame's number
}

// loadSeen reads the masks of all test frames, row by row.
func (x *video) loadSeen() error {
	if x.Masks == "" {
		return nil
	}
	if x.truth.Layout != x.frames.Layout {
		return &dataset.Error{Path: x.truth.Name, Found: "frames of " + dataset.FormatGrid(x.truth.Width, x.truth.Height),
			Want: dataset.FormatGrid(x.frames.Width, x.frames.Height) + " beside -observed, as those learned from"}
	}
	mask, n, err := dataset.LoadMasks(x.Masks, x.truth.Layout)
	if err != nil {
		return err
	}
	others := x.others()
	if n != len(others) {
		return &dataset.Error{Path: x.Masks, Found: fmt.Sprintf("masks of %d frames", n), Want: fmt.Sprintf("%d, one for each frame that is not learned from", len(others))}
	}
	x.seen = &partlySeen{x.truth, mask, make(map[int]int)}
	for row, i := range others {
		x.seen.row[i] = row
		if values, err := x.seen.values(i); err != nil {
			return err
		} else if _, _, missing := mat.NonFinite(values); !missing {
			return &dataset.Error{Path: x.Masks, Place: fmt.Sprintf("row %d", row), Found: "a frame seen as a whole", Want: "something to predict"}
		}
	}
	return nil
}

// values returns a frame (points×channels) with NaN where it is not seen.
func (s *partlySeen) values(frame int) (mat.Matrix, error) {
	v := mat.New(s.frames.Points(), s.frames.Channels)
	if err := s.frames.ReadExamples(v.Data, frame, frame+1); err != nil {
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

// rows returns some rows of pixels of a frame with NaN where it is not seen; of films of which nothing
// is seen, the zero Matrix.
func (s *partlySeen) rows(frame, from, to int) (mat.Matrix, error) {
	if s == nil {
		return mat.Matrix{}, nil
	}
	v, err := s.values(frame)
	if err != nil {
		return v, err
	}
	return v.Slice(from*s.frames.Width, to*s.frames.Width, 0, v.Cols), nil
}

// each calls predict for some frames with what is seen of them, several at a time, and gives body one
// slab of what it says of all their values.
func (s *partlySeen) each(ctx context.Context, frames []int, predict func(k int, seen mat.Matrix, mean, variance []float64) error, body func(s baseline.Slab) error) error {
	n, size := len(frames), s.frames.Points()*s.frames.Channels
	p := baseline.Slab{To: s.frames.Height, Mean: mat.New(n, size), Variance: mat.New(n, size)}
	failures := make([]error, n)
	mat.Parallel(n, func(k int) {
		if ctx.Err() != nil {
			return
		}
		seen, err := s.values(frames[k])
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

// A seenModel fills in the frames with the model: the latent posterior at the time is the prior of
// what was seen.
type seenModel struct {
	model *sgplvm.Model
	seen  *partlySeen
}

func (m seenModel) predict(ctx context.Context, w wanted, body func(s baseline.Slab) error) error {
	priors, err := m.model.LatentAt(0, w.times)
	if err != nil {
		return err
	}
	return m.seen.each(ctx, w.frames, func(k int, seen mat.Matrix, mean, variance []float64) error {
		p, _, err := m.model.Impute(ctx, sgplvm.Observed{Values: seen, Prior: &priors[k]}, sgplvm.InferOptions{})
		if err != nil {
			return err
		}
		copy(mean, p.Mean.Data)
		copy(variance, p.Variance.Data)
		return nil
	}, body)
}

// One training frame in so many is held out for the selection of a model that fills in.
const heldOutShare = 4

// selectSeen is model selection for frames seen in part: training frames are held out, and the
// candidates learn from the others and fill in what the masks of the test frames hide.
func (x *video) selectSeen(ctx context.Context, cfg sgplvm.Config, o sgplvm.FitOptions) (sgplvm.Config, error) {
	var learned, heldOut []int
	for k, i := range x.training {
		if k%heldOutShare == heldOutShare/2 {
			heldOut = append(heldOut, i)
		} else {
			learned = append(learned, i)
		}
	}
	if len(x.training)*x.frames.Points()*x.frames.Channels > selection.MostNumbers || len(heldOut) < 2 {
		return selection.PlainTime(cfg), nil
	}
	seen := &partlySeen{x.frames, x.seen.mask, make(map[int]int)}
	for k, i := range heldOut {
		seen.row[i] = k % len(x.seen.row)
	}
	part := cfg
	part.Dynamics.Times, part.Inducing = x.timesOf(learned), min(len(learned), mostInducing)
	part.LatentDims = min(part.LatentDims, len(learned)-1)
	candidates := append([]sgplvm.Config{selection.PlainTime(part)}, selection.TimeCandidates(part, x.Period)...)
	best, err := selection.Best(ctx, candidates, func(cfg sgplvm.Config) ([]float64, error) {
		m, _, err := engine.Train(ctx, x.e, sgplvm.Data{Source: source.Subset{Examples: x.frames, Numbers: learned}}, cfg, o, nil)
		if err != nil {
			return nil, err
		}
		return x.heldOutDensities(ctx, seenModel{m, seen}, heldOut)
	})
	best.Dynamics.Times, best.Inducing, best.LatentDims = cfg.Dynamics.Times, cfg.Inducing, cfg.LatentDims
	return best, err
}

// heldOutDensities returns the mean negative log density of what is hidden of each frame.
func (x *video) heldOutDensities(ctx context.Context, m seenModel, frames []int) ([]float64, error) {
	densities := make([]float64, len(frames))
	w := wanted{frames, x.timesOf(frames), x.frames.Height, x.frames.Width}
	return densities, m.predict(ctx, w, func(s baseline.Slab) error {
		for k, i := range frames {
			truth := mat.New(x.frames.Points(), x.frames.Channels)
			if err := x.frames.ReadExamples(truth.Data, i, i+1); err != nil {
				return err
			}
			hidden, err := m.seen.values(i)
			if err != nil {
				return err
			}
			byPoint := func(a mat.Matrix) mat.Matrix { return mat.NewDense(truth.Rows, truth.Cols, a.Row(k)) }
			score, err := evaluate.Score(truth, hidden, byPoint(s.Mean), byPoint(s.Variance))
			if err != nil {
				return err
			}
			densities[k] = score.NLP
		}
		return nil
	})
}
