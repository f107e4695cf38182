package experiment

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat/npy"
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

// The paper's settings and those of the plain model are fixed; else the library chooses, for what the masks hide.
func TestFreySetup(t *testing.T) {
	for _, c := range []struct {
		n             int
		name          string
		paper         bool
		latent, basis int
	}{
		{20, structured, true, 19, 20},
		{50, structured, true, 30, 50},
		{1000, structured, true, 30, 100},
		{1000, plain, true, 30, 100},
		{1000, plain, false, 30, 100},
		{1000, structured, false, 0, 0},
	} {
		layout := dataset.Layout{Width: 20, Height: 2, Channels: 1}
		values := make([]float64, 40)
		values[3] = math.NaN()
		seen, err := dataset.FromArray("seen", npy.New(values, 1, 2, 20), layout)
		if err != nil {
			t.Fatal(err)
		}
		x := &frey{FreyOptions: FreyOptions{Paper: c.paper}, training: &dataset.Frames{Form: dataset.Form{Count: c.n, Layout: layout}}, seen: seen}
		got, err := x.setup(c.name)
		open := c.name == structured && !c.paper
		if err != nil || got.config.Inducing != c.basis || got.config.LatentDims != c.latent || (got.config.Training.Iterations == 400) == open ||
			(got.config.Effort == sgplvm.EffortNone) == open || (got.config.Infer.Conditioning == sgplvm.ConditionMoments) != c.paper {
			t.Errorf("%+v: %+v, %v", c, got.config, err)
		}
		if open && (len(got.data.Hide) != 1 || !got.data.Hide[0][3] || got.data.Hide[0][4] || len(got.data.Grid) != 2) {
			t.Errorf("%+v: hidden %v, %d factors", c, got.data.Hide, len(got.data.Grid))
		}
		if white := len(got.config.Spatial) == len(got.data.Grid) && got.config.Spatial[0].Kernel.Kind == kernel.White; white != (c.name == plain) {
			t.Errorf("%+v: spatial kernels %+v", c, got.config.Spatial)
		}
	}
}
