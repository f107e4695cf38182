package sgplvm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// plain is a verdict without errors.
func plain(losses []float64) validation.Scores {
	if losses == nil {
		return validation.Scores{}
	}
	return validation.Scores{Losses: losses, Errors: make([]float64, len(losses))}
}

// A candidate is better if it is by more than chance makes it: by some standard errors of the mean
// difference.
func TestBetter(t *testing.T) {
	for _, c := range []struct {
		scores, others []float64
		want           bool
	}{
		{[]float64{1, 2, 3}, []float64{1, 2, 3}, false},
		{[]float64{1, 2, 3}, []float64{1.1, 2.1, 3.2}, true},
		{[]float64{1.1, 2.1, 3.2}, []float64{1, 2, 3}, false},
		{[]float64{0, 0, 0, 0}, []float64{1, 1, 1, -1}, false},            // 0.5 ± 0.5
		{[]float64{0, 0, 0, 0}, []float64{1, 1, 1, 0.1}, true},            // 0.775 ± 0.225
		{[]float64{5}, []float64{9}, false},                               // no error is known
		{[]float64{math.Inf(1), 0, 0}, []float64{1, 1, 1}, false},         // nor here
		{[]float64{0, 0, 0}, []float64{math.NaN(), 100, 100}, false},      // or here
		{[]float64{0, 0, 0, 0, 0}, []float64{3, 3, 3, 3, -1}, true},       // 2.2 ± 0.8
		{[]float64{0, 0, 0, 0, 0}, []float64{3, 3, 3, -1, -0.999}, false}, // 1.4 ± 0.98
	} {
		if got := validation.Better(plain(c.scores), plain(c.others), 2); got != c.want {
			t.Errorf("%v better than %v: %v", c.scores, c.others, got)
		}
	}
	if m, e := validation.Difference(plain([]float64{1, 2, 6}), plain([]float64{0, 0, 0})); m != 3 || math.Abs(e-math.Sqrt(14./6)) > 1e-15 {
		t.Errorf("difference %v ± %v", m, e)
	}
}

// Errors count as much as densities: half of their logarithms' difference is what the mean of two densities loses, and
// of verdicts on unequally many examples those count that both know.
func TestDifference(t *testing.T) {
	for _, c := range []struct {
		a, b validation.Scores
		m, e float64
	}{
		{validation.Scores{Losses: []float64{1, 1}, Errors: []float64{3, 3}}, validation.Scores{Losses: []float64{1, 1}, Errors: []float64{1, 1}}, 1, 0},          // 2 of a mean of 2
		{validation.Scores{Losses: []float64{0, 0}, Errors: []float64{3, 3}}, validation.Scores{Losses: []float64{1, 1}, Errors: []float64{1, 1}}, 0, 0},          // one as much better as the other is worse
		{validation.Scores{Losses: []float64{0, 2}, Errors: []float64{1, 3}}, validation.Scores{Losses: []float64{0, 0}, Errors: []float64{2, 2}}, 1, 1.5},        // −½ and 2½
		{validation.Scores{Losses: []float64{5}, Errors: []float64{2}}, validation.Scores{Losses: []float64{1, 99, 99}, Errors: []float64{2, 99, 99}}, 4, 0},      // the first alone
		{validation.Scores{Losses: []float64{1.02, 1.02}, Errors: []float64{1, 1}}, validation.Scores{Losses: []float64{1, 1}, Errors: []float64{0, 0}}, 2.02, 0}, // no error at all
		{validation.Scores{}, validation.Scores{Losses: []float64{1}, Errors: []float64{1}}, 0, 0},
	} {
		if m, e := validation.Difference(c.a, c.b); math.Abs(m-c.m) > 1e-14 || math.Abs(e-c.e) > 1e-14 {
			t.Errorf("%v and %v: %v ± %v, want %v ± %v", c.a, c.b, m, e, c.m, c.e)
		}
		if m, e := validation.Difference(c.b, c.a); math.Abs(m+c.m) > 1e-14 || math.Abs(e-c.e) > 1e-14 {
			t.Errorf("%v and %v: %v ± %v, want %v ± %v", c.b, c.a, m, e, -c.m, c.e)
		}
	}
	r := math.Log(1.01) // of close errors the logarithms' difference
	if m, _ := validation.Difference(validation.Scores{Losses: []float64{0, 0}, Errors: []float64{1.01, 1.01}}, validation.Scores{Losses: []float64{0, 0}, Errors: []float64{1, 1}}); math.Abs(m-r) > 1e-6 {
		t.Errorf("%v, want %v", m, r)
	}
}

// A tableValidator knows the scores of configurations by their latent dimensions; nil: they cannot be trained.
type tableValidator struct {
	scores map[int][]float64
	asked  []int
	then   func(dims int) error // after each
}

func (j *tableValidator) validate(_ context.Context, cfg Config, hopeless func(validation.Scores) bool) (validation.Scores, error) {
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
		options = append(options, option{fmt.Sprint(d), func(c *Config) { c.LatentDims = d }})
	}
	return options
}

// A recorder is a Watcher that writes down what it is shown.
type recorder struct {
	mu               sync.Mutex
	told             []string
	started, stopped int
	steps            int
	whenTold         func(line string)
}

func (r *recorder) begin() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.stopped++
	}
}

func (r *recorder) Forecast(time.Duration, bool) {}

func (r *recorder) Tell(line string) {
	r.told = append(r.told, line)
	if r.whenTold != nil {
		r.whenTold(line)
	}
}

func (r *recorder) Timing(string) func() { return r.begin() }

func (r *recorder) Training(string) (func(Progress) bool, func()) {
	return func(Progress) bool { r.steps++; return true }, r.begin()
}

func (r *recorder) Counting(string, int) (func(int), func()) { return func(int) {}, r.begin() }

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
		s := &search{ctx: context.Background(), outer: context.Background(), run: Run{Watch: watch}}
		best, err := s.try(j, incumbent{cfg: Config{LatentDims: 1}, Scores: plain(c.first)}, searchStage{name: "how many", candidates: dims(c.list...), ordered: c.ordered, sure: validation.SureErrors})
		if err != nil || best.cfg.LatentDims != max(c.want, 1) || (!best.scored()) != (c.want == 0) || !slices.Equal(j.asked, c.asked) {
			t.Errorf("%s: %d of %v, asked %v, error %v", name, best.cfg.LatentDims, best.Losses, j.asked, err)
		}
		if c.want == 0 != (s.selection.Ended != "") {
			t.Errorf("%s: ended: %q", name, s.selection.Ended)
		}
		if watch.started != len(c.asked) || watch.stopped != len(c.asked) {
			t.Errorf("%s: %d shown, %d ended", name, watch.started, watch.stopped)
		}
		told := 0
		for _, stage := range s.selection.Stages {
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
		if text, err := json.Marshal(s.selection); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(string(text), "null") {
			t.Errorf("%s: %s", name, text)
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
	var s *search
	for sure, want := range map[float64][]int{0: {0, validation.MinValidated, 0, validation.MinValidated}, validation.SureErrors: {0, validation.MinValidated, validation.MinValidated, validation.MinValidated}} {
		s = &search{ctx: context.Background(), outer: context.Background()}
		best, err := s.try(j, incumbent{}, searchStage{name: "which", candidates: dims(1, 2, 3, 4), sure: sure})
		if err != nil || best.cfg.LatentDims != 1 {
			t.Fatalf("%+v, error %v", best, err)
		}
		var got []int
		for _, c := range s.selection.Stages[0].Candidates {
			got = append(got, c.Examples)
		}
		if !slices.Equal(got, want) {
			t.Errorf("better by %v errors: judged by %v examples, expected %v", sure, got, want)
		}
	}
	if c := s.selection.Stages[0].Candidates[1]; math.Abs(c.Difference-1.25) > 1e-14 || c.Error == 0 {
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
		s := &search{ctx: context.Background(), outer: context.Background()}
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
		steps := func(n int) option { return option{fmt.Sprint(n), func(c *Config) { c.Training.Iterations = n }} }
		s := &search{ctx: context.Background(), outer: context.Background(), plan: plan{steps: 60}}
		best, err := s.try(stepsValidator{j}, incumbent{}, searchStage{name: "which", candidates: []option{steps(1), steps(c.steps)}, brief: 1})
		if err != nil || !slices.Equal(j.asked, c.asked) || best.cfg.Training.Iterations != c.best {
			t.Errorf("asked %v, expected %v, best %d, error %v", j.asked, c.asked, best.cfg.Training.Iterations, err)
		}
		if name := s.selection.Stages[0].Candidates[1].Name; name != c.name {
			t.Errorf("called %q, expected %q", name, c.name)
		}
	}
}

// A stepsValidator is a tableValidator that knows scores by steps of training.
type stepsValidator struct{ *tableValidator }

func (j stepsValidator) validate(ctx context.Context, cfg Config, hopeless func(validation.Scores) bool) (validation.Scores, error) {
	return j.tableValidator.validate(ctx, Config{LatentDims: cfg.Training.Iterations}, hopeless)
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
		s := &search{ctx: ctx, outer: outer}
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
		best, err := s.try(j, incumbent{cfg: Config{LatentDims: 1}}, searchStage{name: "how many", candidates: dims(1, 2, 3)})
		if best.cfg.LatentDims != c.want || errors.Is(err, context.Canceled) != c.outer {
			t.Errorf("%+v: %d, error %v", c, best.cfg.LatentDims, err)
		}
		if _, err := s.try(j, best, searchStage{name: "again", candidates: dims(1, 2, 3)}); len(j.asked) != c.at || err != nil {
			t.Errorf("%+v: asked %v after the end, error %v", c, j.asked, err)
		}
		if (s.selection.Ended == "the search was stopped") == c.outer {
			t.Errorf("%+v: ended: %q", c, s.selection.Ended)
		}
		cancelOuter()
		cancel()
	}
	s := &search{ctx: context.Background(), outer: context.Background()}
	j := &tableValidator{scores: scores, then: func(dims int) error {
		if dims == 2 {
			return fmt.Errorf("wrapped: %w", &ReadError{Err: errSource})
		}
		return nil
	}}
	if _, err := s.try(j, incumbent{cfg: Config{LatentDims: 1}}, searchStage{name: "how many", candidates: dims(1, 2, 3)}); !errors.Is(err, errSource) || len(j.asked) != 2 {
		t.Errorf("error %v, asked %v", err, j.asked)
	}
}

// fixed are values that no rule and no candidate has, by the names of the fields of Config, and further fields that they need.
func fixed(film bool) map[string]func(c *Config) {
	rbf := kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{1.7}}
	list := map[string]func(c *Config){
		"Lean":                    func(c *Config) { c.Lean = true },
		"KeepOutliers":            func(c *Config) { c.KeepOutliers = true },
		"Fold":                    func(c *Config) { c.Fold = Off },
		"Infer.KeepOutliers":      func(c *Config) { c.Infer.KeepOutliers = true },
		"Factors":                 func(c *Config) { c.Factors = FactorsJoint },
		"LatentDims":              func(c *Config) { c.LatentDims = 3 },
		"Inducing":                func(c *Config) { c.Inducing = 7 },
		"LatentKernel":            func(c *Config) { c.LatentKernel = "rbf+bias" },
		"Spatial":                 func(c *Config) { c.Spatial = []SpatialConfig{{Kernel: rbf}} },
		"Noise":                   func(c *Config) { c.Noise = 0.013 },
		"NoiseFloor":              func(c *Config) { c.NoiseFloor = 0.003 },
		"Residual.Kernel":         func(c *Config) { c.Residual.Kernel = kernel.Kernel{Kind: kernel.White} },
		"Residual.Rounds":         func(c *Config) { c.Residual.Rounds = 1 },
		"Residual.Steps":          func(c *Config) { c.Residual.Steps = 5 },
		"Residual.Strength":       func(c *Config) { c.Residual.Strength = 7.5 },
		"Residual.Taper":          func(c *Config) { c.Residual.Taper = -1 },
		"Residual.Local":          func(c *Config) { c.Residual.Local = Off },
		"Infer.Candidates":        func(c *Config) { c.Infer.Candidates = 2 },
		"Infer.Iterations":        func(c *Config) { c.Infer.Iterations = 21 },
		"Infer.Conditioning":      func(c *Config) { c.Infer.Conditioning = ConditionNone },
		"Infer.DegreesOfFreedom":  func(c *Config) { c.Infer.DegreesOfFreedom = 41 },
		"Infer.LocalBandwidth":    func(c *Config) { c.Infer.LocalBandwidth = 0.7 },
		"Infer.LocalStrength":     func(c *Config) { c.Infer.LocalStrength = 5 },
		"Infer.Blends":            func(c *Config) { c.Infer.Blends = []Blend{{Gap: 1, Parts: 1, Inflation: 1.1}} },
		"Infer.FirstOrder":        func(c *Config) { c.Infer.FirstOrder = true },
		"Jitter":                  func(c *Config) { c.Jitter = 2e-6 },
		"Seed":                    func(c *Config) { c.Seed = 99 },
		"Training.Iterations":     func(c *Config) { c.Training.Iterations = 5 },
		"Training.Warmup":         func(c *Config) { c.Training.Warmup = 2 },
		"Training.Joint":          func(c *Config) { c.Training.Joint = true },
		"Training.HoldSpace":      func(c *Config) { c.Training.HoldSpace = true },
		"Training.CoarsePoints":   func(c *Config) { c.Training.CoarsePoints = 5 },
		"Training.Uncalibrated":   func(c *Config) { c.Training.Uncalibrated = true },
		"Motion":                  func(c *Config) { c.Motion = Off },
		"Spatial, two":            func(c *Config) { c.Spatial = []SpatialConfig{{Kernel: rbf}, {}} },
		"Spatial, inducing":       func(c *Config) { c.Spatial = []SpatialConfig{{Inducing: line(2)}, {}} },
		"Spatial, one, inducing":  func(c *Config) { c.Spatial = []SpatialConfig{{Inducing: plane(5, 1)}} },
		"Residual.Kernel, some":   func(c *Config) { c.Residual.Kernel = rbf },
		"Residual.Rounds, none":   func(c *Config) { c.Residual.Rounds = -1 },
		"Residual.Local, learned": func(c *Config) { c.Residual.Local = On },
		"NoiseFloor, none":        func(c *Config) { c.NoiseFloor = -1 },
		"NoiseFloor, high":        func(c *Config) { c.NoiseFloor = 0.4 },
		"Noise, low":              func(c *Config) { c.Noise = 1e-10 },
		"Jitter, infinite":        func(c *Config) { c.Jitter = math.Inf(-1) },
		"Factors, product":        func(c *Config) { c.Factors = FactorsProduct },
	}
	if film {
		list["Period"] = func(c *Config) { c.Period = 4 }
		list["LatentTime"] = func(c *Config) { c.LatentTime = kernel.Kernel{Kind: kernel.RBF} }
		list["OwnTimeKernels"] = func(c *Config) { c.OwnTimeKernels = Off }
		list["OwnTimeKernels,on"] = func(c *Config) { c.OwnTimeKernels = On }
		list["TimeKernel"] = func(c *Config) { c.TimeKernel = kernel.Kernel{Kind: kernel.RBF} }
		list["PartlyReach"] = func(c *Config) { c.Partly, c.PartlyReach = &Config{LatentDims: 2, Training: steps(3)}, 1.5 }
		list["Partly"] = func(c *Config) { c.Partly = &Config{LatentDims: 2, Training: steps(3)} }
	}
	return list
}

// fixedFields are those that a search may leave open, by reflection.
func fixedFields(in reflect.Type, path string) (names []string) {
	for f := range in.Fields() {
		tag := f.Tag.Get("json")
		switch {
		case tag == "-" || f.Name == "Effort":
		case f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[kernel.Kernel]():
			names = append(names, fixedFields(f.Type, path+f.Name+".")...)
		default:
			names = append(names, path+f.Name)
		}
	}
	return names
}

// timeFields are those that matter to the choice in time.
var timeFields = []string{"Period", "LatentTime", "TimeKernel", "OwnTimeKernels", "LatentKernel", "LatentDims", "Inducing", "Noise", "NoiseFloor", "Residual.Kernel", "Residual.Rounds", "Factors", "Partly"}

// fieldOf returns the value of a field by its path.
func fieldOf(c Config, path string) any {
	v := reflect.ValueOf(c)
	for name := range strings.SplitSeq(path, ".") {
		v = v.FieldByName(name)
	}
	return v.Interface()
}

// What a configuration gives stays, every field of it; and what is chosen can be trained. One candidate of a stage and one blend stand for all,
// which TestQuestions looks at.
func TestGivenStays(t *testing.T) {
	oneProcessor(t)
	normal := plans[EffortNormal]
	t.Cleanup(func() { plans[EffortNormal] = normal })
	p := normal
	p.candidates, p.rounds, p.folds = 1, 0, 1
	plans[EffortNormal] = p
	still, timed := bumps(7, 3, 2, 2), bumps(7, 3, 2, 2).at(line(7).Data, nil)
	list := fixed(true)
	for _, name := range fixedFields(reflect.TypeFor[Config](), "") {
		if list[name] == nil {
			t.Errorf("no value of the field %s to ask whether it stays", name)
		}
	}
	for _, film := range []bool{false, true} {
		d := still
		if film {
			d = timed
		}
		for name, fix := range fixed(film) {
			for _, effort := range []Effort{EffortQuick, EffortNormal} {
				path, _, _ := strings.Cut(name, ",")
				if effort == EffortNormal && (testing.Short() || film && !slices.Contains(timeFields, path)) {
					continue
				}
				given := Config{Effort: effort, Training: steps(2)}
				fix(&given)
				chosen, selection, err := Select(context.Background(), d, given)
				if err != nil {
					t.Errorf("%s, %v, in time %t: %v", name, effort, film, err)
					continue
				}
				if d := diff(fieldOf(chosen, path), fieldOf(given, path)); d != "" {
					t.Errorf("%s, %v, in time %t: %s", name, effort, film, d)
				}
				if p := chosen.Partly; p != nil && !strings.HasPrefix(path, "Partly") && path != "Period" {
					if d := diff(fieldOf(*p, path), fieldOf(given, path)); d != "" {
						t.Errorf("%s, %v, of the second model: %s", name, effort, d)
					}
				}
				if _, err := json.Marshal(selection); err != nil || chosen.Effort != EffortNone {
					t.Errorf("%s: effort %v, error %v", name, chosen.Effort, err)
				}
				if _, err := NewTrainer(d, chosen); err != nil {
					t.Errorf("%s, %v, in time %t: %v", name, effort, film, err)
				}
			}
		}
	}
}

// searched are small data of each kind of search.
func searched() map[string]set {
	masks := [][]bool{make([]bool, 20), make([]bool, 20)}
	for j := range 20 {
		masks[0][j], masks[1][j] = j%3 == 0, j >= 10
	}
	pictures, told := waves(14), waves(14)
	told.Hide = masks
	return map[string]set{
		"pictures":   {pictures, Config{Training: steps(8)}},
		"masks":      {told, Config{LatentDims: 4, Lean: true, Training: steps(8)}},
		"in time":    {swelling(), Config{LatentDims: 3, Training: steps(10)}},
		"two models": {swelling(), Config{LatentDims: 3, Partly: &Config{LatentDims: 2, Training: steps(7)}, Training: steps(6)}},
		"sequences":  {waves(14).at(line(14).Data, []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}), Config{LatentDims: 3, Period: 6, Training: steps(6)}},
	}
}

// The same data, seed and effort make the same bits of the same file at any number of processors, told or not.
func TestSearchSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("dozens of trainings")
	}
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	sets := searched()
	delete(sets, "two models") // which is that in time, trained twice
	for name, c := range sets {
		for _, effort := range []Effort{EffortQuick, EffortNormal} {
			c.config.Effort = effort
			var want []byte
			for _, processors := range []int{1, 2, 4} {
				runtime.GOMAXPROCS(processors)
				run := Run{}
				if processors == 2 {
					run.Watch = new(recorder)
				}
				m, _, err := run.Fit(context.Background(), c.data, c.config)
				if err != nil {
					t.Fatalf("%s, %v: %v", name, effort, err)
				}
				if want == nil {
					want = saved(t, m)
				} else if !bytes.Equal(saved(t, m), want) {
					t.Errorf("%s, %v: another model with %d processors", name, effort, processors)
				}
			}
		}
	}
}

// tensorsOf returns a model's file without its metadata, also those of the model within it.
func tensorsOf(t *testing.T, m *Model) []byte {
	t.Helper()
	bare := *m
	bare.config, bare.selection = nil, nil
	if m.partly != nil {
		inner := *m.partly
		inner.config, inner.selection = nil, nil
		bare.partly = &inner
	}
	return saved(t, &bare)
}

// The model of Fit is what training afresh from its own configuration gives; it says how that was chosen, in its
// file too, and its trainings alone are shown as steps.
func TestFitTrainsAfresh(t *testing.T) {
	if testing.Short() {
		t.Skip("some searches")
	}
	partly := 0
	for name, c := range searched() {
		for _, effort := range []Effort{EffortQuick, EffortNormal} {
			watch := new(recorder)
			c.config.Effort = effort
			m, _, err := Run{Watch: watch}.Fit(context.Background(), c.data, c.config)
			if err != nil {
				t.Fatal(err)
			}
			cfg, ok := m.Config()
			if !ok || cfg.Effort != EffortNone || m.Selection() == nil || m.Selection().Effort != effort || len(m.Selection().Stages) == 0 || m.Selection().Ended != "" {
				t.Fatalf("%s, %v: %+v, chosen by %+v", name, effort, cfg, m.Selection())
			}
			if watch.steps == 0 || watch.started != watch.stopped {
				t.Errorf("%s: %d steps, %d shown, %d ended", name, watch.steps, watch.started, watch.stopped)
			}
			if got := loaded(t, saved(t, m)); diff(got.Selection(), m.Selection()) != "" {
				t.Errorf("%s: %s", name, diff(got.Selection(), m.Selection()))
			}
			again, _, err := Fit(context.Background(), c.data, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if again.Selection() != nil || !bytes.Equal(tensorsOf(t, again), tensorsOf(t, m)) {
				t.Errorf("%s, %v: training afresh makes another model", name, effort)
			}
			trainer, _ := fit(t, c.data, cfg)
			whole := *m
			whole.partly = nil
			if !bytes.Equal(tensorsOf(t, modelOf(t, trainer)), tensorsOf(t, &whole)) {
				t.Errorf("%s, %v: a trainer makes another model", name, effort)
			}
			if m.partly != nil {
				partly++
			}
		}
	}
	if partly == 0 {
		t.Error("no model for examples seen in part")
	}
}

// What ends a search changes no candidate: those validated before are as in a whole search, and the model is the one
// that was best of them, trained afresh.
func TestSearchEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("many trainings")
	}
	for name, c := range searched() {
		_, whole, err := Select(context.Background(), c.data, c.config)
		if err != nil {
			t.Fatal(err)
		}
		all := candidates(whole)
		for _, after := range []int{0, 1, 4} {
			end := make(chan struct{})
			if after == 0 {
				close(end)
			}
			watch := new(recorder)
			watch.whenTold = func(string) {
				if len(watch.told) == after {
					close(end)
				}
			}
			m, _, err := Run{End: end, Watch: watch}.Fit(context.Background(), c.data, c.config)
			if err != nil {
				t.Fatalf("%s, after %d: %v", name, after, err)
			}
			got := candidates(m.Selection())
			if len(watch.told) != after {
				t.Errorf("%s: %d told, to end after %d", name, len(watch.told), after)
			}
			if m.Selection().Ended != "the search was stopped" {
				t.Errorf("%s, after %d: ended: %q", name, after, m.Selection().Ended)
			}
			for i, candidate := range got {
				if candidate.Name != all[i].Name || candidate.Score != all[i].Score || candidate.RMSE != all[i].RMSE {
					t.Errorf("%s, after %d, candidate %d: %+v, in a whole search %+v", name, after, i, candidate, all[i])
				}
			}
			chosen, _ := m.Config()
			again, _, err := Fit(context.Background(), c.data, chosen)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(tensorsOf(t, again), tensorsOf(t, m)) {
				t.Errorf("%s, after %d: another model than training afresh", name, after)
			}
		}
	}
}

// candidates are those of all stages.
func candidates(s *Selection) (list []Candidate) {
	for _, stage := range s.Stages {
		list = append(list, stage.Candidates...)
	}
	return list
}

// A search has the time that it is given; without any it takes what it starts from. A context that ends is an error.
func TestSearchTime(t *testing.T) {
	for name, c := range searched() {
		cfg := c.config
		cfg.Effort = EffortQuick
		m, _, err := Run{Limit: time.Nanosecond}.Fit(context.Background(), c.data, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if s := m.Selection(); s.Ended != "the run had 1ns" || len(candidates(s)) > 0 {
			t.Errorf("%s: %+v", name, s)
		}
		unlimited, _, err := Select(context.Background(), c.data, cfg)
		if err != nil {
			t.Fatal(err)
		}
		limited, s, err := Run{Limit: time.Hour}.Select(context.Background(), c.data, cfg)
		if err != nil || s.Ended != "" || !same(limited, unlimited) {
			t.Errorf("%s: another choice with an hour: %v, ended: %q, error %v", name, limited, s.Ended, err)
		}
		ended, cancel := context.WithCancel(context.Background())
		watch := &recorder{whenTold: func(string) { cancel() }}
		if m, _, err := (Run{Limit: time.Hour, Watch: watch}).Fit(ended, c.data, cfg); m != nil || !errors.Is(err, context.Canceled) || watch.started != watch.stopped || watch.steps > 0 {
			t.Errorf("%s: model %v, error %v, %d shown, %d ended", name, m, err, watch.started, watch.stopped)
		}
		cancel()
	}
}

// What cannot be used is refused by name before anything is tried.
func TestSelectRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *Data, cfg *Config)
		field  string
	}{
		"no data":            {func(d *Data, _ *Config) { *d = Data{} }, "Grid"},
		"other masks":        {func(d *Data, _ *Config) { d.Hide = [][]bool{make([]bool, 7)} }, "Hide"},
		"empty masks":        {func(d *Data, _ *Config) { d.Hide = [][]bool{make([]bool, 20)} }, "Hide"},
		"bad times":          {func(d *Data, _ *Config) { d.Times = line(3).Data }, "Times"},
		"kernels":            {func(_ *Data, c *Config) { c.Spatial = make([]SpatialConfig, 3) }, "Spatial"},
		"a period":           {func(_ *Data, c *Config) { c.Period = 3 }, "Period"},
		"latent dimensions":  {func(_ *Data, c *Config) { c.LatentDims = -1 }, "LatentDims"},
		"inducing":           {func(_ *Data, c *Config) { c.Inducing = 15 }, "Inducing"},
		"two kinds of noise": {func(_ *Data, c *Config) { c.Residual.Kernel.Kind, c.Factors = kernel.RBF, FactorsProduct }, "Residual.Kernel"},
		"local of nothing":   {func(_ *Data, c *Config) { c.Residual.Local, c.Residual.Rounds = On, -1 }, "Residual.Local"},
		"lean and local":     {func(_ *Data, c *Config) { c.Residual.Local, c.Lean = On, true }, "Lean"},
	} {
		d, cfg, watch := waves(14), Config{Training: steps(2)}, new(recorder)
		c.change(&d, &cfg)
		m, _, err := Run{Watch: watch}.Fit(context.Background(), d, cfg)
		var refused *ConfigError
		if m != nil || !errors.As(err, &refused) || refused.Field != c.field {
			t.Errorf("%s: error %v, expected one about %s", name, err, c.field)
		}
		if len(watch.told) > 0 {
			t.Errorf("%s: tried %q", name, watch.told)
		}
	}
}

// One kernel in space, or a covariance of the noise, sees all points of a grid together, and a kernel for each factor does not; a model that starts
// from another sees them as that does.
func TestChoiceOfFactors(t *testing.T) {
	d := waves(10)
	rbf := kernel.Kernel{Kind: kernel.RBF}
	for name, c := range map[string]struct {
		cfg  Config
		want int // factors
	}{
		"one kernel":  {Config{Spatial: []SpatialConfig{{Kernel: rbf}}}, 1},
		"two kernels": {Config{Spatial: []SpatialConfig{{Kernel: rbf}, {}}}, 2},
		"a residual":  {Config{Residual: ResidualConfig{Kernel: rbf}}, 1},
	} {
		var text bytes.Buffer
		if err := WriteConfig(&text, c.cfg); err != nil {
			t.Fatal(err)
		}
		cfg, err := ReadConfig(&text)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Effort, cfg.Training = EffortQuick, steps(3)
		m, _, err := Fit(context.Background(), d, cfg)
		if err != nil || len(m.Grid()) != c.want {
			t.Fatalf("%s: error %v", name, err)
		}
		from, _, err := Fit(context.Background(), d, Config{Start: m, Training: steps(2)})
		if err != nil || len(from.Grid()) != c.want || from.Selection() != nil {
			t.Errorf("%s, from that model: error %v", name, err)
		}
		other := map[int]Factors{1: FactorsProduct, 2: FactorsJoint}[c.want]
		var refused *ConfigError
		if _, _, err := Fit(context.Background(), d, Config{Start: m, Factors: other}); !errors.As(err, &refused) || refused.Field != "Start" {
			t.Errorf("%s, %s from that model: error %v", name, other, err)
		}
	}
	scattered := d.on(plane(4, 5))
	cfg, _, err := Select(context.Background(), scattered, Config{Effort: EffortQuick, Spatial: []SpatialConfig{{Kernel: rbf}}, Training: steps(2)})
	if err != nil || cfg.Residual.Rounds < 1 {
		t.Errorf("points with one kernel: %+v, error %v", cfg, err)
	}
}

// Where no candidate can be validated, the plain one is trained, and the file says so.
func TestNothingCanBeValidated(t *testing.T) {
	d := bumps(8, 4, 3, 12)
	for n := range 8 { // all alike but one, which each fold of the effort quick holds out or not
		if n != 5 {
			copy(d.Y.Data[n*12:(n+1)*12], d.Y.Data[:12])
		}
	}
	ended := 0
	for seed := range uint64(12) {
		m, _, err := Fit(context.Background(), d, Config{Effort: EffortQuick, Seed: seed, Training: steps(2)})
		if err != nil {
			t.Fatal(err)
		}
		m = loaded(t, saved(t, m))
		if s := m.Selection(); s.Ended != "" {
			ended++
			if len(s.Stages) != 1 || s.Stages[0].Candidates[0].Failure == "" || s.Stages[0].Candidates[0].Chosen {
				t.Errorf("%+v", s)
			}
		}
	}
	if ended == 0 || ended == 12 {
		t.Errorf("%d of 12 searches ended", ended)
	}
}
