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

// No limit of a run ends the training of a candidate: what a search compares is trained as it would be alone.
func TestSearchIsQuiet(t *testing.T) {
	c := limit.New(time.Hour)
	c.Train(0)
	d := setOf(t, waves(14).at(line(14).Data, nil))
	d.Clock = c
	if s, err := d.Choose(t.Context(), Config{LatentDims: 2, Effort: EffortQuick, Training: steps(8)}.open()); err != nil || len(s.Report.Stages) == 0 || s.Report.Ended != "" || c.Cut > 0 {
		t.Errorf("%d trainings were ended, %+v, error %v", c.Cut, s.Report, err)
	}
}

// Methods of a contest fill in the same held-out values once, and missing values of several kinds once.
func TestMethodsOnce(t *testing.T) {
	calls := 0
	methods := completion.Once([]completion.Filler{{Fill: func(context.Context) (mean, variance mat.Matrix, err error) {
		calls++
		return mat.New(1, 1), mat.New(1, 1), nil
	}}})
	for range 3 {
		if m, _, err := methods[0].Fill(t.Context()); err != nil || m.Rows != 1 {
			t.Fatalf("%v, error %v", m, err)
		}
	}
	list := []completion.HeldValue{{Example: 1}, {Example: 2, Value: 3}}
	c := completion.NewContest(mat.New(3, 4), &completion.Mask{Size: 4, Missing: make([]bool, 12)}, 1, false)
	c.Add("mean", list)
	other := []completion.HeldValue{{Example: 1}, {Example: 2, Value: 2}}
	if calls != 1 || !c.About(list) || c.About(other) || c.About(list[:1]) || (*completion.Contest)(nil).About(nil) {
		t.Errorf("called %d times, or another list of values taken for the same", calls)
	}
}
