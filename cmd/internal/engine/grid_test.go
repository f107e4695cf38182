package engine_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
)

// The pixels of a picture are those of training, or as many in the same area as are asked for.
func TestPixelGrid(t *testing.T) {
	path := filepath.Join(models, "product.model")
	m := load(t, path)
	same, err := engine.PixelGrid("render", path, m, "")
	if err != nil {
		t.Fatal(err)
	}
	if !same.Points.Equal(m.Grid()) || same.Size() != m.Grid().Len()*m.Channels() {
		t.Errorf("%+v", same)
	}
	fine, err := engine.PixelGrid("render", path, m, "10x24")
	if err != nil {
		t.Fatal(err)
	}
	if shape := fine.Shape(3); shape[0] != 3 || shape[1] != 24 || shape[2] != 10 || fine.Size() != 240*m.Channels() || fine.Points.Len() != 240 {
		t.Errorf("%v, %+v", shape, fine)
	}
	if values, err := fine.Room("render", 2); err != nil || len(values) != 2*fine.Size() {
		t.Errorf("%d values, error %v", len(values), err)
	}
	defer func(most int64) { engine.MostValues = most }(engine.MostValues)
	engine.MostValues = int64(2*fine.Size() - 1)
	if _, err := fine.Room("render", 2); err == nil || !strings.Contains(err.Error(), "render: 2 fields of ") {
		t.Errorf("error %v", err)
	}
	path = filepath.Join(models, "scattered.model")
	if _, err := engine.PixelGrid("render", path, load(t, path), ""); err == nil || !strings.HasPrefix(err.Error(), "render: ") && !strings.HasPrefix(err.Error(), path) {
		t.Errorf("error %v of scattered points", err)
	}
}

// Fields come in parts, in order, of the size that was asked for.
func TestFrames(t *testing.T) {
	path := filepath.Join(models, "dynamic.model")
	m := load(t, path)
	g, err := engine.PixelGrid("render", path, m, "")
	if err != nil {
		t.Fatal(err)
	}
	latents, err := m.LatentAt(0, engine.EvenTimes(5, 2))
	if err != nil {
		t.Fatal(err)
	}
	defer func(n int) { engine.GroupNumbers = n }(engine.GroupNumbers)
	var all [][]float64
	for _, numbers := range []int{1 << 20, 2 * g.Size(), 1} {
		engine.GroupNumbers = numbers
		frames := engine.NewFrames(quiet(t), "rendered", m, len(latents), engine.Some(latents), g)
		var values []float64
		if err := frames.Run(t.Context(), new(engine.Output), func(means []float64) error {
			values = append(values, means...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		all = append(all, values)
	}
	for _, values := range all {
		if len(values) != 5*g.Size() {
			t.Fatalf("%d values", len(values))
		}
		for i, v := range values { // products of other shapes round in other ways
			if !(math.Abs(v-all[0][i]) <= 1e-10*math.Abs(v)) {
				t.Errorf("value %d is %v and %v in other parts", i, v, all[0][i])
			}
		}
	}
}
