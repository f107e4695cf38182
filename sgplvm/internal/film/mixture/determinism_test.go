package mixture

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// What is learned of a film of two shots, and predicted in finer pixels, has the same bits at any number of processors.
func TestDeterminismOfMixture(t *testing.T) {
	times := drawn.Times(6, 1)
	size := drawn.Width * drawn.Height
	film := drawn.Cut(times, 3, drawn.Rotation)
	source := field.NewSource(film, len(times), size, 1)
	run := func() string {
		m := filmtest.Find(t, film, times, 1)
		frames, d := trained(t, m, source)
		law := NewLaw(m, frames, 0)
		for i := range times {
			truth, predicted, x := frame.New(drawn.Width, drawn.Height, 1), frame.New(drawn.Width, drawn.Height, 1), m.LeftOut(i)
			copy(truth.Mean.Data, film[i*size:])
			predicted.Variance.Fill(1)
			law.Add(truth, predicted, NewOthers(frames, d, x, drawn.Width, drawn.Height))
		}
		mixture := law.Mixture()
		if mixture.Alone() {
			t.Fatal("nothing was learned")
		}
		coarse, fine, x := frame.New(drawn.Width, drawn.Height, 1), frame.New(2*drawn.Width, 2*drawn.Height, 1), filmtest.MomentAt(t, m, 1.25, -1)
		coarse.Variance.Fill(1)
		recipe := mixture.Recipe(coarse, NewOthers(frames, d, x, coarse.Width, coarse.Height))
		others := NewOthers(frames, d, x, fine.Width, fine.Height)
		mixture.Combine(fine, others, recipe)
		d.AddTo(fine)
		text, err := mixture.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(string(text), *d, fine.Mean.Data, fine.Variance.Data)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := run()
	for _, procs := range []int{4, 2}[:drawn.Cases(2)] {
		runtime.GOMAXPROCS(procs)
		if run() != want {
			t.Errorf("%d processors: other bits", procs)
		}
	}
}
