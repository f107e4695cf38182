package experiment

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/baseline"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/source"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

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
