package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// resumed returns a new trainer of the same data and configuration where another one was.
func resumed(t testing.TB, tr *Trainer, s set) *Trainer {
	t.Helper()
	var b bytes.Buffer
	if err := tr.Checkpoint(&b); err != nil {
		t.Fatal(err)
	}
	next := newTestTrainer(t, s.data, s.config)
	if err := next.Resume(&b); err != nil {
		t.Fatal(err)
	}
	return next
}

// A trainer that goes through a checkpoint after every phase ends with the bits and the report of one that
// does not, and gives the same model at each of them.
func TestResumeEveryPhase(t *testing.T) {
	all := sets()
	for _, name := range []string{"free inducing points", "moving", "own kernels in time", "residual", "coarse", "coarse factors", "holes in time", "known errors"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && len(name) > 8 {
				t.Skip("takes a second")
			}
			s := all[name]
			s.config.Training.Iterations, s.config.Training.Warmup = 30, 6
			whole := newTestTrainer(t, s.data, s.config)
			at, count := newTestTrainer(t, s.data, s.config), 0
			for more := true; more; count++ {
				at = resumed(t, at, s)
				got, err := at.Step(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if more, err = whole.Step(context.Background()); err != nil || got != more {
					t.Fatalf("step %d: more %v, resumed %v, error %v", count, more, got, err)
				}
				if d := diff(at.Report(), whole.Report()); d != "" {
					t.Fatalf("step %d: %s", count, d)
				}
				if !bytes.Equal(fileOf(t, at), fileOf(t, whole)) {
					t.Fatalf("step %d: another model", count)
				}
			}
			if count < 3 {
				t.Errorf("%d steps", count)
			}
			if !bytes.Equal(fileOf(t, resumed(t, at, s)), fileOf(t, whole)) {
				t.Error("resumed at the end: another model")
			}
		})
	}
}

// Stopped at any step of the optimiser, saved and resumed, training ends with the bits of one that was not.
func TestResumeEveryStep(t *testing.T) {
	for _, name := range []string{"product", "timed", "residual", "coarse"} {
		s := sets()[name]
		s.config.Training.Iterations, s.config.Training.Warmup = 30, 6
		if name == "timed" {
			s.config.Training.Joint = true
		}
		whole, want := fit(t, s.data, s.config)
		file := fileOf(t, whole)
		stride := 1
		if name == "coarse" || name == "residual" {
			stride = 7
		}
		if testing.Short() {
			stride = 13
		}
		for last := 1; last <= want.Iterations; last += stride {
			at, _ := fit(t, s.data, s.config, func(p Progress) bool { return p.Iteration < last })
			next := resumed(t, at, s)
			r := finish(t, next)
			r.Evaluations = want.Evaluations // a line search that was stopped is done again
			for i := range r.Phases {
				r.Phases[i].Evaluations = want.Phases[i].Evaluations
			}
			if d := diff(r, want); d != "" {
				t.Fatalf("%s, stopped at step %d: %s", name, last, d)
			}
			if !bytes.Equal(fileOf(t, next), file) {
				t.Fatalf("%s, stopped at step %d: another model", name, last)
			}
		}
	}
}

// What is no checkpoint, or one of other data or settings, is refused and changes nothing.
func TestResumeRefuses(t *testing.T) {
	s := sets()["timed"]
	s.config.Training.Iterations = 12
	other := func(change func(s *set)) []byte {
		o := s
		change(&o)
		tr := newTestTrainer(t, o.data, o.config)
		if _, err := tr.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := tr.Checkpoint(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	good := other(func(*set) {})
	cases := map[string][]byte{
		"nothing":        nil,
		"a model":        fileOf(t, newTestTrainer(t, s.data, s.config)),
		"another format": bytes.Replace(bytes.Clone(good), []byte("checkpoint 1"), []byte("checkpoint 2"), 1),
		"a byte more":    append(bytes.Clone(good), 0),
		"other examples": other(func(s *set) { s.data = bumps(11, 6, 5, 2).at(line(11).Data, nil) }),
		"other points":   other(func(s *set) { s.data = bumps(12, 5, 5, 2).at(line(12).Data, nil) }),
		"other seed":     other(func(s *set) { s.config.Seed = 99 }),
		"other kernel":   other(func(s *set) { s.config.LatentKernel = "rbf" }),
		"independent":    other(func(s *set) { s.data.Times, s.config.LatentKernel = nil, "rbf" }),
		"other values":   other(func(s *set) { s.data.Y = bumps(12, 6, 5, 77).Y }),
		"other offset": other(func(s *set) {
			s.data.Y = s.data.Y.Clone()
			for i := range s.data.Y.Data {
				s.data.Y.Data[i] += 4
			}
		}),
		"other dims": other(func(s *set) { s.config.LatentDims = 3 }),
	}
	for n := 0; n < len(good); n += 1 + len(good)/40 {
		damaged := bytes.Clone(good)
		damaged[n] ^= 1 << (n % 8)
		cases[fmt.Sprintf("byte %d damaged", n)] = damaged
	}
	tr := newTestTrainer(t, s.data, s.config)
	if _, err := tr.Step(context.Background()); err != nil {
		t.Fatal(err)
	}
	before, params := fileOf(t, tr), tr.inner.Params().Clone()
	for name, file := range cases {
		var refused *FileError
		err := tr.Resume(bytes.NewReader(file))
		if !errors.As(err, &refused) || len(err.Error()) > 1000 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %.300v", name, err)
		}
		if !bytes.Equal(fileOf(t, tr), before) || diff(tr.inner.Params(), params) != "" {
			t.Fatalf("%s: the trainer has changed", name)
		}
	}
	if err := tr.Resume(bytes.NewReader(good)); err != nil {
		t.Error(err)
	}
	if w := (&shortWriter{10}); !errors.Is(tr.Checkpoint(w), errNoSpace) {
		t.Error("a checkpoint that cannot be written has no error")
	}
}
