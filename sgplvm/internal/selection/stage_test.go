package selection

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// plain returns scores without errors.
func plain(losses []float64) validation.Scores {
	if losses == nil {
		return validation.Scores{}
	}
	return validation.Scores{Losses: losses, Errors: make([]float64, len(losses))}
}

// A tableValidator knows the scores of configurations by their latent dimensions; nil: they cannot be trained.
type tableValidator struct {
	scores map[int][]float64
	asked  []int
	then   func(dims int) error // after each
}

func (j *tableValidator) validate(_ context.Context, cfg training.Settings, hopeless func(validation.Scores) bool) (validation.Scores, error) {
	j.asked = append(j.asked, cfg.LatentDims)
	if j.then != nil {
		if err := j.then(cfg.LatentDims); err != nil {
			return validation.Scores{}, err
		}
	}
	if j.scores[cfg.LatentDims] == nil {
		return validation.Scores{}, fmt.Errorf("%d cannot be trained", cfg.LatentDims)
	}
	v := plain(j.scores[cfg.LatentDims])
	if n := validation.MinValidated; len(v.Losses) > n {
		if first := (validation.Scores{Losses: v.Losses[:n], Errors: v.Errors[:n]}); hopeless(first) {
			return first, nil
		}
	}
	return v, nil
}

// dims are candidates with so many latent dimensions.
func dims(list ...int) (options []option) {
	for _, d := range list {
		options = append(options, option{fmt.Sprint(d), func(c *training.Settings) { c.LatentDims = d }})
	}
	return options
}

// A later candidate wins only where it is better by more than chance; those that fail are passed over, and equal
// ones validated once.
func TestTry(t *testing.T) {
	huge := math.MaxFloat64
	for name, c := range map[string]struct {
		scores  map[int][]float64
		list    []int
		ordered bool
		first   []float64 // the incumbent is validated already
		asked   []int
		want    int // latent dimensions; 0: nothing could be validated
	}{
		"the last":             {map[int][]float64{1: {1, 2, 3}, 2: {1.1, 2, 2.8}, 3: {0, 1, 2}}, []int{1, 2, 3}, false, nil, []int{1, 2, 3}, 3},
		"by chance":            {map[int][]float64{1: {1, 2, 3}, 2: {1.5, 1, 2.9}}, []int{1, 2}, false, nil, []int{1, 2}, 1},
		"better than the best": {map[int][]float64{1: {1, 2, 3}, 2: {0, 1, 2.1}, 3: {0.01, 0.9, 2.1}}, []int{1, 2, 3}, false, nil, []int{1, 2, 3}, 2},
		"the first fails":      {map[int][]float64{2: {9, 9, 9}}, []int{1, 2}, false, nil, []int{1, 2}, 2},
		"one fails":            {map[int][]float64{1: {9, 9, 9}, 3: {1, 1, 2}}, []int{1, 2, 3}, false, nil, []int{1, 2, 3}, 3},
		"no numbers":           {map[int][]float64{1: {1, 2, math.NaN()}, 2: {9, 9, 9}, 3: {math.Inf(-1), 0, 0}, 4: {-huge, -huge, -huge}}, []int{1, 2, 3, 4}, false, nil, []int{1, 2, 3, 4}, 2},
		"all fail":             {nil, []int{1, 2}, false, nil, []int{1, 2}, 0},
		"equal ones":           {map[int][]float64{1: {1, 2, 3}, 2: {0, 1, 2}}, []int{1, 2, 1, 2, 2}, false, nil, []int{1, 2}, 2},
		"what stands":          {map[int][]float64{2: {0, 1, 2}}, []int{1, 2}, false, []float64{1, 2, 3}, []int{2}, 2},
		"nothing else":         {nil, []int{1}, false, []float64{1, 2, 3}, nil, 1},
		"ordered":              {map[int][]float64{1: {1, 2, 3}, 2: {0, 1, 2}, 3: {0.1, 1, 2}, 4: {-9, -9, -9}}, []int{1, 2, 3, 4}, true, nil, []int{1, 2, 3}, 2},
		"ordered, by chance":   {map[int][]float64{1: {1, 2, 3}, 2: {0.9, 2.1, 2.9}, 3: {-9, -9, -8}}, []int{1, 2, 3}, true, nil, []int{1, 2, 3}, 3},
	} {
		watch, j := new(recorder), &tableValidator{scores: c.scores}
		s := &Search{trainers: unstepped{}, ctx: context.Background(), outer: context.Background(), run: Run{Watch: watch}}
		best, err := s.try(j, incumbent{settings: training.Settings{LatentDims: 1}, Scores: plain(c.first)}, searchStage{name: "how many", candidates: dims(c.list...), ordered: c.ordered, sure: validation.SureErrors})
		if err != nil || best.settings.LatentDims != max(c.want, 1) || (!best.scored()) != (c.want == 0) || !slices.Equal(j.asked, c.asked) {
			t.Errorf("%s: %d of %v, asked %v, error %v", name, best.settings.LatentDims, best.Losses, j.asked, err)
		}
		if c.want == 0 != (s.Ended != "") {
			t.Errorf("%s: ended: %q", name, s.Ended)
		}
		if watch.started != len(c.asked) || watch.stopped != len(c.asked) {
			t.Errorf("%s: %d shown, %d ended", name, watch.started, watch.stopped)
		}
		told := 0
		for _, stage := range s.Stages {
			chosen := 0
			for _, candidate := range stage.Candidates {
				if candidate.Failure == "" {
					told++
				}
				if candidate.Chosen {
					chosen++
					if candidate.Name != fmt.Sprint(c.want) || candidate.Difference != 0 || candidate.Error != 0 || candidate.Score != validation.Mean(best.Losses) {
						t.Errorf("%s: %+v", name, candidate)
					}
				}
			}
			if c.want > 0 && chosen != 1 {
				t.Errorf("%s: %d of %+v chosen", name, chosen, stage)
			}
		}
		if len(watch.told) != told {
			t.Errorf("%s: told %q", name, watch.told)
		}
	}
}

// A candidate that is clearly worse on the first examples is not validated by the others, and says so; one that is not is.
func TestHopeless(t *testing.T) {
	good := []float64{1, 2, 3, 1, 2, 3, 1, 2, 3}
	shifted := func(by float64, noise float64) (list []float64) {
		for i, v := range good {
			list = append(list, v+by+noise*float64(i%2))
		}
		return list
	}
	j := &tableValidator{scores: map[int][]float64{1: good, 2: shifted(1, 0.5), 3: shifted(0.01, 0.5), 4: append(shifted(1, 0.5)[:validation.MinValidated], -99, -99, -99)}}
	var s *Search
	for sure, want := range map[float64][]int{0: {0, validation.MinValidated, 0, validation.MinValidated}, validation.SureErrors: {0, validation.MinValidated, validation.MinValidated, validation.MinValidated}} {
		s = &Search{trainers: unstepped{}, ctx: context.Background(), outer: context.Background()}
		best, err := s.try(j, incumbent{}, searchStage{name: "which", candidates: dims(1, 2, 3, 4), sure: sure})
		if err != nil || best.settings.LatentDims != 1 {
			t.Fatalf("%+v, error %v", best, err)
		}
		var got []int
		for _, c := range s.Stages[0].Candidates {
			got = append(got, c.Examples)
		}
		if !slices.Equal(got, want) {
			t.Errorf("better by %v errors: scored by %v examples, expected %v", sure, got, want)
		}
	}
	if c := s.Stages[0].Candidates[1]; math.Abs(c.Difference-1.25) > 1e-14 || c.Error == 0 {
		t.Errorf("%+v", c)
	}
}

// A candidate that is like the one before it is passed over where that one is far worse than the best.
func TestTryAlike(t *testing.T) {
	good := []float64{1, 2, 3, 1, 2, 3}
	bad, near := []float64{9, 9, 9, 9, 8, 9}, []float64{1.1, 2, 3, 1, 2, 3.1}
	for _, c := range []struct {
		before []float64
		asked  []int
	}{{bad, []int{1, 2}}, {near, []int{1, 2, 3}}} {
		j := &tableValidator{scores: map[int][]float64{1: good, 2: c.before, 3: near}}
		s := &Search{trainers: unstepped{}, ctx: context.Background(), outer: context.Background()}
		if _, err := s.try(j, incumbent{}, searchStage{name: "which", candidates: dims(1, 2, 3), like: 2}); err != nil || !slices.Equal(j.asked, c.asked) {
			t.Errorf("asked %v after %v, expected %v, error %v", j.asked, c.before, c.asked, err)
		}
	}
}

// A candidate that is far worse after a part of its steps has no more of them; one that is not far worse, or has few steps, has all.
func TestTryBriefly(t *testing.T) {
	good := []float64{1, 2, 3, 1, 2, 3}
	for _, c := range []struct {
		brief, whole []float64
		steps        int
		asked        []int
		name         string
		best         int
	}{
		{[]float64{9, 9, 9, 9, 8, 9}, []float64{0, 0, 0, 0, 0, 0}, 240, []int{1, 60}, "240, after 60 steps", 1},
		{[]float64{1.4, 2.4, 3.4, 1.4, 2.4, 3.5}, []float64{0, 0, 0, 0, 0, 0}, 240, []int{1, 60, 240}, "240", 240},
		{nil, []float64{0, 0, 0, 0, 0, 0}, 240, []int{1, 60, 240}, "240", 240},
		{nil, []float64{0, 0, 0, 0, 0, 0}, 200, []int{1, 200}, "200", 200},
	} {
		j := &tableValidator{scores: map[int][]float64{1: good, 60: c.brief, c.steps: c.whole}}
		steps := func(n int) option {
			return option{fmt.Sprint(n), func(c *training.Settings) { c.Training.Iterations = n }}
		}
		s := &Search{trainers: unstepped{}, ctx: context.Background(), outer: context.Background(), plan: Plan{Steps: 60}}
		best, err := s.try(stepsValidator{j}, incumbent{}, searchStage{name: "which", candidates: []option{steps(1), steps(c.steps)}, brief: 1})
		if err != nil || !slices.Equal(j.asked, c.asked) || best.settings.Training.Iterations != c.best {
			t.Errorf("asked %v, expected %v, best %d, error %v", j.asked, c.asked, best.settings.Training.Iterations, err)
		}
		if name := s.Stages[0].Candidates[1].Name; name != c.name {
			t.Errorf("called %q, expected %q", name, c.name)
		}
	}
}

// A stepsValidator is a tableValidator that knows scores by steps of training.
type stepsValidator struct{ *tableValidator }

func (j stepsValidator) validate(ctx context.Context, cfg training.Settings, hopeless func(validation.Scores) bool) (validation.Scores, error) {
	return j.tableValidator.validate(ctx, training.Settings{LatentDims: cfg.Training.Iterations}, hopeless)
}

// A search that ends within a candidate keeps what was best before; a source that fails ends it with an error.
func TestTryEnds(t *testing.T) {
	scores := map[int][]float64{1: {3, 3, 4}, 2: {2, 2, 3}, 3: {0, 0, 1}}
	for _, c := range []struct {
		at, want int
		outer    bool
	}{{1, 1, false}, {2, 1, false}, {3, 2, false}, {2, 1, true}} {
		outer, cancelOuter := context.WithCancel(context.Background())
		ctx, cancel := context.WithCancel(outer)
		s := &Search{trainers: unstepped{}, ctx: ctx, outer: outer}
		j := &tableValidator{scores: scores, then: func(dims int) error {
			if dims < c.at {
				return nil
			}
			if c.outer {
				cancelOuter()
			}
			cancel()
			return ctx.Err()
		}}
		best, err := s.try(j, incumbent{settings: training.Settings{LatentDims: 1}}, searchStage{name: "how many", candidates: dims(1, 2, 3)})
		if best.settings.LatentDims != c.want || errors.Is(err, context.Canceled) != c.outer {
			t.Errorf("%+v: %d, error %v", c, best.settings.LatentDims, err)
		}
		if _, err := s.try(j, best, searchStage{name: "again", candidates: dims(1, 2, 3)}); len(j.asked) != c.at || err != nil {
			t.Errorf("%+v: asked %v after the end, error %v", c, j.asked, err)
		}
		if (s.Ended == "the search was stopped") == c.outer {
			t.Errorf("%+v: ended: %q", c, s.Ended)
		}
		cancelOuter()
		cancel()
	}
	s := &Search{trainers: unstepped{}, ctx: context.Background(), outer: context.Background()}
	j := &tableValidator{scores: scores, then: func(dims int) error {
		if dims == 2 {
			return fmt.Errorf("wrapped: %w", &field.ReadError{Err: errSource})
		}
		return nil
	}}
	if _, err := s.try(j, incumbent{settings: training.Settings{LatentDims: 1}}, searchStage{name: "how many", candidates: dims(1, 2, 3)}); !errors.Is(err, errSource) || len(j.asked) != 2 {
		t.Errorf("error %v, asked %v", err, j.asked)
	}
}
