package sgplvm

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
)

// A limit that has passed ends each training after a step and leaves rounds of a completion out, and the warnings say so; all holes are filled in.
func TestLimit(t *testing.T) {
	_, r, err := Run{Limit: 1}.Fit(t.Context(), waves(14), Config{LatentDims: 2, Effort: EffortNone, Training: steps(40)})
	if err != nil {
		t.Fatal(err)
	}
	if want := "the limit of 1ns ended 1 training early"; !slices.Contains(r.Warnings, want) || r.Iterations > 2 || r.Status != "out of time" {
		t.Errorf("%d steps, %s, warnings %q, expected %q", r.Iterations, r.Status, r.Warnings, want)
	}
	c, err := Run{Limit: 1}.Complete(t.Context(), holed(mixed(12, 3, 3, 1), scatteredHoles(0.2, 3)), Config{LatentDims: 2, Effort: EffortNone})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(c.Report.Warnings, "; ")
	if !strings.Contains(text, "5 trainings early") || !strings.Contains(text, "the completion 1 round early") {
		t.Errorf("warnings %q", text)
	}
	for _, v := range c.Mean.Data {
		if v != v {
			t.Fatal("a value is missing")
		}
	}
}

// When its share of the limit has passed no method of a contest goes on but the first, the mean, and those that have a clock of their own; the warnings say how many.
func TestMethodsEndInTime(t *testing.T) {
	fill := func(ctx context.Context) (mean, variance mat.Matrix, err error) { return mean, variance, ctx.Err() }
	for _, begin := range []time.Duration{0, -time.Hour} {
		c := limit.New(time.Hour)
		c.Begin = c.Begin.Add(begin)
		var failed []string
		for _, m := range inTime(c, []completion.Filler{{Name: "mean", Fill: fill}, {Name: "lines", Fill: fill}, {Name: "another view", Sure: true, Fill: fill}}) {
			if _, _, err := m.Fill(t.Context()); err != nil {
				failed = append(failed, m.Name)
			}
		}
		if late := begin < 0; late != slices.Equal(failed, []string{"lines"}) || late != strings.Contains(strings.Join(c.Warnings(), ""), "comparison with 1 simple method early") {
			t.Errorf("%v: %q failed, warnings %q", begin, failed, c.Warnings())
		}
	}
}

// A cancelling is a source that calls cancel, if there is one, when it is read.
type cancelling struct {
	Source
	cancel func()
}

func (c *cancelling) ReadExamples(dst []float64, from, to int) error {
	if c.cancel != nil {
		c.cancel()
	}
	return c.Source.ReadExamples(dst, from, to)
}

// What was cancelled within the first evaluation of the bound says so and nothing of the bound, and training can begin again.
func TestCancelledAtStart(t *testing.T) {
	d := waves(14)
	if d.Source == nil {
		d.Source = NewSource(d.Y.Data, d.Examples, d.Grid.Len(), d.Y.Cols)
	}
	source := &cancelling{Source: d.Source}
	d.Source, d.Y, d.Examples = source, mat.Matrix{}, 0
	trainer, err := NewTrainer(d, Config{LatentDims: 2, Training: steps(4)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	source.cancel = cancel
	if _, err := trainer.Fit(ctx); err == nil || err.Error() != context.Canceled.Error() {
		t.Errorf("error %v", err)
	}
	source.cancel = nil
	if r, err := trainer.Fit(t.Context()); err != nil || r.Iterations == 0 {
		t.Errorf("afterwards %+v, error %v", r, err)
	}
}

// No limit of a run ends the training of a candidate: what a search compares is trained as it would be alone.
func TestSearchIsQuiet(t *testing.T) {
	c := limit.New(time.Hour)
	c.Train(0)
	d := trainingSet{Data: sceneData(evenly(10)), run: Run{clock: c}} // each candidate is trained on all frames
	if _, s, err := choose(t.Context(), d, Config{LatentDims: 2, Training: steps(8)}); err != nil || len(s.selection.Stages) == 0 || s.selection.Ended != "" || c.Cut > 0 {
		t.Errorf("%d trainings were ended, %+v, error %v", c.Cut, s.selection, err)
	}
}
