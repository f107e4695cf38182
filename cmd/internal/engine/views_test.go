package engine

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// A model of which a view has the name of a file elsewhere is refused, before results could be named after it.
func TestViewNames(t *testing.T) {
	for name, refused := range map[string]bool{"b": false, "../b": true, "x/b": true, "..": true} {
		var views []sgplvm.View
		for k, name := range []string{"a", name} {
			y := make([]float64, 8*3)
			for i := range y {
				y[i] = math.Sin(float64(i*i + k + i/3))
			}
			views = append(views, sgplvm.View{Name: name, Data: sgplvm.Data{Source: sgplvm.NewSource(y, 8, 1, 3), Grid: sgplvm.Grid{mat.New(1, 1)}}})
		}
		m, _, err := sgplvm.FitViews(t.Context(), views, sgplvm.Config{Effort: sgplvm.EffortNone, LatentDims: 1, Inducing: 4, Training: sgplvm.TrainingConfig{Iterations: 3, Warmup: 1}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "M")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Save(file); err != nil {
			t.Fatal(err)
		}
		file.Close()
		if _, err := LoadViews(path); (err != nil) != refused || refused && !strings.Contains(err.Error(), "names that files may have") {
			t.Errorf("a view named %s: %v", name, err)
		}
	}
}
