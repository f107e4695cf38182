package experiment

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
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
