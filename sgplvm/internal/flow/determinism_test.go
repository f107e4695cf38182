package flow

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// What is learned of a film of two shots, and predicted in finer pixels, has the same bits at any number of processors.
func TestDeterminismOfMixture(t *testing.T) {
	times := line(6, 1)
	size := testWidth * testHeight
	film := cutFilm(times, 3, rotation)
	source := data.NewSource(film, len(times), size, 1)
	run := func() string {
		m := mustFit(t, film, times, 1, nil, quick())
		frames, d := trained(t, m, source)
		d, err := m.Bending(t.Context(), frames, d)
		if err != nil {
			t.Fatal(err)
		}
		d.bends = true
		law, enlarging := m.NewMixtureLaw(frames, d, 0), m.NewEnlargingLaw(frames, d)
		noise := NewNoiseLaw(frames, enlarging.Resolved(d))
		for i := range times {
			truth, predicted, x := NewFrame(testWidth, testHeight, 1), NewFrame(testWidth, testHeight, 1), m.LeftOut(i)
			copy(truth.Mean.Data, film[i*size:])
			predicted.Variance.Fill(1)
			m.AddResidual(predicted, frames, m.Field(x), d, x)
			others := frames.Others(d, x, testWidth, testHeight)
			law.Add(truth, predicted, others)
			noise.Add(truth, predicted, x, others)
			enlarging.Add(truth, x)
		}
		mixture, scaled := law.Mixture(), enlarging.Detail(d, noise.Variances())
		if mixture.Alone() || scaled == d || enlarging.missed[0] == 0 {
			t.Fatal("nothing was learned")
		}
		coarse, fine, x := NewFrame(testWidth, testHeight, 1), NewFrame(2*testWidth, 2*testHeight, 1), momentAt(t, m, 1.25, -1)
		coarse.Variance.Fill(1)
		recipe := mixture.Recipe(coarse, frames.Others(scaled, x, coarse.Width, coarse.Height))
		others := frames.Others(scaled, x, fine.Width, fine.Height)
		mixture.Combine(fine, others, recipe)
		scaled.AddTo(fine, others.Unresolved())
		text, err := mixture.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(string(text), *scaled, fine.Mean.Data, fine.Variance.Data)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := run()
	for _, procs := range []int{4, 2}[:sizes(2)] {
		runtime.GOMAXPROCS(procs)
		if run() != want {
			t.Errorf("%d processors: other bits", procs)
		}
	}
}
