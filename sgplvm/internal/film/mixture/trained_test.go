package mixture

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// trained returns what a source has to learn from besides motion: its frames and their detail.
func trained(t testing.TB, m *motion.Motion, src field.Source) (*motion.Frames, *Detail) {
	t.Helper()
	d, err := Measure(t.Context(), src, m.Width, m.Height)
	if err != nil {
		t.Fatal(err)
	}
	return filmtest.Keep(t, m, src), d
}
