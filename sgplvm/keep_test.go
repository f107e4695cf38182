package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A shelf keeps a run in memory and ends a context at one of the calls.
type shelf struct {
	content []byte
	saves   int
	at      int // which call ends the context; 0: none
	end     context.CancelFunc
}

func (s *shelf) save(write func(w io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	s.content = b.Bytes()
	if s.saves++; s.saves == s.at {
		s.end()
	}
	return nil
}

// interrupted runs fit again and again, each time to the stops-th checkpoint, until it comes to its end. It returns how often it ran.
func interrupted(t *testing.T, stops int, fit func(ctx context.Context, run Run) error) (runs int) {
	t.Helper()
	var content []byte
	for runs = 1; ; runs++ {
		if runs > 300 {
			t.Fatal("300 runs, and it does not come to its end")
		}
		ctx, cancel := context.WithCancel(context.Background())
		s := &shelf{at: stops, end: cancel}
		run := Run{Checkpoints: &Checkpoints{Save: s.save, Every: 1}}
		if content != nil {
			run.Checkpoints.Resume = bytes.NewReader(content)
		}
		err := fit(ctx, run)
		cancel()
		if err == nil {
			return runs
		}
		if !errors.Is(err, context.Canceled) || s.content == nil {
			t.Fatalf("run %d: %v", runs, err)
		}
		content = s.content
	}
}

// runsToKeep are data and configurations whose runs have all parts: searches of each kind, two models in one, a training
// at some of the points, several starts.
func runsToKeep() map[string]set {
	all := searched()
	all["film"] = set{sceneData(evenly(10)), Config{Effort: EffortNone, LatentDims: 3, Training: steps(6)}}
	for name, s := range sets() {
		if name == "coarse" || name == "residual" {
			s.config.Training.Iterations, s.config.Training.Warmup = 12, 4
			all["given, "+name] = s
		}
	}
	return all
}

// A run that is stopped again and again and goes on from what was kept gives the model of one that is not, to the bit, at another number of processors.
func TestRunGoesOn(t *testing.T) {
	for name, s := range runsToKeep() {
		if testing.Short() && !strings.HasPrefix(name, "given") && name != "in time" {
			continue
		}
		var want, got *Model
		fit := func(to **Model) func(ctx context.Context, run Run) error {
			return func(ctx context.Context, run Run) (err error) {
				*to, _, err = run.Fit(ctx, s.data, s.config)
				return err
			}
		}
		before := runtime.GOMAXPROCS(1)
		err := fit(&want)(context.Background(), Run{})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		stops := 5
		switch name {
		case "pictures", "masks":
			stops = 23 // they take long
		case "in time", "given, coarse":
			stops = 1
		case "film":
			stops = 3
		}
		if runs := interrupted(t, stops, fit(&got)); runs < 3 {
			t.Errorf("%s: %d runs", name, runs)
		}
		if !bytes.Equal(saved(t, got), saved(t, want)) {
			t.Errorf("%s, stopped every %d checkpoints: another model", name, stops)
		}
	}
}

// So does a completion, at another number of processors too.
func TestCompletionGoesOn(t *testing.T) {
	whole := mixed(14, 5, 4, 2)
	_, steppedMaps := steppedMaps()
	for name, s := range map[string]struct {
		set
		stops int
	}{
		"whole steps":  {set{steppedMaps, Config{Effort: EffortQuick, Training: steps(4)}}, 11},
		"rounds":       {set{holed(whole, scatteredHoles(0.3, 4)), Config{Effort: EffortQuick, Training: steps(4)}}, 101},
		"known errors": {set{holed(whole, scatteredHoles(0.3, 4)).withErrors(), Config{Effort: EffortQuick, Training: steps(8)}}, 3},
	} {
		if testing.Short() && name == "whole steps" {
			continue
		}
		var want, got *Completion
		complete := func(to **Completion) func(ctx context.Context, run Run) error {
			return func(ctx context.Context, run Run) (err error) {
				*to, err = run.Complete(ctx, s.data, s.config)
				return err
			}
		}
		before := runtime.GOMAXPROCS(1)
		err := complete(&want)(context.Background(), Run{})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		if runs := interrupted(t, s.stops, complete(&got)); runs < 3 {
			t.Errorf("%s: %d runs", name, runs)
		}
		if !slices.Equal(got.Mean.Data, want.Mean.Data) || !slices.Equal(got.Variance.Data, want.Variance.Data) || got.Check != want.Check || !bytes.Equal(saved(t, got.Model), saved(t, want.Model)) {
			t.Errorf("%s: another completion", name)
		}
	}
}

// What was kept of another run is refused by name, as is what is damaged; an error of Save is returned at the end alone.
func TestRunRefuses(t *testing.T) {
	s := sets()["timed"]
	s.config.Training.Iterations = 6
	kept := new(shelf)
	ctx, cancel := context.WithCancel(context.Background())
	kept.at, kept.end = 3, cancel
	run := Run{Checkpoints: &Checkpoints{Save: kept.save, Every: 1}}
	if _, _, err := run.Fit(ctx, s.data, s.config); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	good := kept.content
	resume := func(content []byte, change func(s *set)) error {
		o := s
		change(&o)
		run := Run{Checkpoints: &Checkpoints{Save: func(func(io.Writer) error) error { t.Error("a refused run was kept"); return nil }, Resume: bytes.NewReader(content)}}
		_, _, err := run.Fit(context.Background(), o.data, o.config)
		return err
	}
	for want, change := range map[string]func(s *set){
		"Seed":        func(s *set) { s.config.Seed = 77 },
		"Training":    func(s *set) { s.config.Training.Joint = true },
		"Effort":      func(s *set) { s.config.Effort = EffortQuick },
		"PartlyReach": func(s *set) { s.config.PartlyReach = 2 },
		"times":       func(s *set) { s.data.Times = append([]float64{-3}, s.data.Times[1:]...) },
		"values": func(s *set) {
			s.data.Y = s.data.Y.Clone()
			s.data.Y.Data[17] += 1e-9
		},
		"Start": func(s *set) { s.config.Start = trained(t) },
	} {
		err := resume(good, change)
		if refused := (*FileError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), "checkpoint: of a run with other "+want) {
			t.Errorf("other %s: %v", want, err)
		}
	}
	for n := 0; n < len(good); n += 1 + len(good)/50 {
		damaged := bytes.Clone(good)
		damaged[n] ^= 1 << (n % 8)
		for _, content := range [][]byte{damaged, good[:n]} {
			if refused := (*FileError)(nil); !errors.As(resume(content, func(*set) {}), &refused) {
				t.Errorf("damaged at byte %d: accepted", n)
			}
		}
	}
	ctx, cancel = context.WithCancel(context.Background())
	saves := 0
	run.Checkpoints = &Checkpoints{Every: 1, Save: func(func(io.Writer) error) error {
		if saves++; saves == 4 {
			cancel()
		}
		return errNoSpace
	}}
	if _, _, err := run.Fit(ctx, s.data, s.config); saves != 5 || !errors.Is(err, errNoSpace) || !errors.Is(err, context.Canceled) {
		t.Errorf("%d calls, error %v", saves, err)
	}
}
