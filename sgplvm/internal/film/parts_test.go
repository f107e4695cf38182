package film_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/inflation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// Parts in files of the first format are read, fit together, and are written as they were.
func TestPartsInFiles(t *testing.T) {
	s := frame.Shape{Width: 20, Height: 16, Channels: 1, At: data.Instants([]float64{0, 1, 2, 3.5, 4, 5}, []int{3, 3, 3, 3, 3, 3})}
	m := new(motion.Motion)
	for name, p := range map[string]frame.Part{"motion": m, "originals": new(training.Frames), "detail": new(detail.Detail), "unrest": new(inflation.Inflation)} {
		file, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Decode(file); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := p.Check(s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		again, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(file, again); d != "" {
			t.Errorf("%s: written again (-want +got):\n%s", name, d)
		}
	}
	const want = "motion of 3×3 nodes, strength 0.001, in time matern52(3.084), with inter-frame flow"
	if m.String() != want {
		t.Errorf("the motion is %q, want %q", m, want)
	}
}
