package experiment

import (
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/baseline"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Published numbers stand beside pictures of the Frey faces' number and size alone.
func TestPublished(t *testing.T) {
	x := &frey{training: &dataset.Frames{}, original: true}
	for _, c := range []struct {
		name       string
		n          int
		rmse, mnlp float64
	}{
		{structured, 50, 14.50, 3.25}, {structured, 1000, 8.91, 3.16}, {plain, 50, 15.63, 3.45}, {plain, 1000, 9.09, 3.15},
		{string(baseline.GP), 50, 19.27, 6.66}, {string(baseline.GP), 77, 19.27, 6.66},
		{structured, 100, 0, 0}, {string(baseline.PPCA), 50, 0, 0},
	} {
		x.training.Count = c.n
		row, ok := x.published(c.name)
		if ok != (c.rmse != 0) || ok && (row.Summary.RMSE.Mean != c.rmse || row.Summary.MNLP.Mean != c.mnlp || !row.Published || len(row.Notes) != 2) {
			t.Errorf("%s at %d: %v, %v", c.name, c.n, ok, row)
		}
	}
	x.original = false
	if row, ok := x.published(structured); ok {
		t.Error(row)
	}
}

// The paper's settings and those of the plain model are fixed; the best known ones have a
// structured residual where there is one spatial factor.
func TestFreySetup(t *testing.T) {
	for _, c := range []struct {
		n, width      int
		name          string
		paper         bool
		latent, basis int
		residual      bool
	}{
		{20, 20, structured, true, 19, 20, false},
		{50, 20, structured, true, 30, 50, false},
		{1000, 20, structured, true, 30, 100, false},
		{1000, 20, plain, true, 30, 100, false},
		{1000, 20, plain, false, 30, 100, false},
		{1000, 80, structured, false, 0, 100, true},
		{1000, 200, structured, false, 30, 100, false}, // two spatial factors
		{50, 20, structured, false, 0, 50, true},
		{1000, 20, structured, false, 0, 100, true},
	} {
		x := &frey{FreyOptions: FreyOptions{Paper: c.paper}, training: &dataset.Frames{Form: dataset.Form{Count: c.n, Layout: dataset.Layout{Width: c.width, Height: 28, Channels: 1}}}}
		got, err := x.setup(c.name)
		if err != nil || got.config.Inducing != c.basis || c.latent > 0 && got.config.LatentDims != c.latent || got.config.Training.Iterations != 400 ||
			(got.config.Residual.Kernel.Kind != "") != c.residual || (got.config.Residual.Rounds > 0) != c.residual || (got.infer.Conditioning == sgplvm.ConditionMoments) != c.paper {
			t.Errorf("%+v: %s, %v", c, modelText(got), err)
		}
		if large := c.residual && c.width*28 > coarseFrom; (got.config.Training.CoarsePoints > 0) != large || c.residual != (got.config.Residual.Rounds > 0) {
			t.Errorf("%+v: trained on %d points, %d rounds", c, got.config.Training.CoarsePoints, got.config.Residual.Rounds)
		}
		if white := len(got.config.Spatial) == len(got.data.Grid) && got.config.Spatial[0].Kernel.Kind == kernel.White; white != (c.name == plain) {
			t.Errorf("%+v: spatial kernels %+v", c, got.config.Spatial)
		}
		words := modelText(got)
		if strings.Contains(words, "residual") != c.residual || strings.Contains(words, "paper") != c.paper {
			t.Errorf("%+v: %s", c, words)
		}
	}
}
