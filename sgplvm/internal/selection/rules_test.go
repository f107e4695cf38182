package selection

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Large data take what held on others, without a trial; examples too few to hold any out learn no covariance.
func TestNothingIsTried(t *testing.T) {
	for name, c := range map[string]struct {
		data  Data
		joint bool
	}{
		"large": {Data{Data: training.Data{Source: sized{2000, 150 * 150, 1}, Grid: grid(150, 150)}}, false},
		"many":  {Data{Data: training.Data{Source: sized{40001, 1000, 1}, Grid: field.Grid{line(1000)}}}, true},
		"few":   {waves(MinTraining - 1), false},
		"one":   {waves(1), false},
	} {
		for effort := range Plans {
			s := newSearch(t, c.data, training.Settings{Effort: effort})
			cfg, err := s.all()
			if err != nil || len(s.Stages) > 0 || (cfg.Factors == field.FactorsJoint) != c.joint || (cfg.Residual.Rounds > 0) != c.joint || cfg.LatentDims < 1 {
				t.Errorf("%s: %+v, %+v, error %v", name, cfg, s.Selection, err)
			}
		}
	}
}

// Stages come once, have candidates that differ from the incumbent, and leave alone what is given.
func TestStages(t *testing.T) {
	for effort := range Plans {
		for name, fix := range map[string]func(c *training.Settings){
			"LatentDims":            func(c *training.Settings) { c.LatentDims = 3 },
			"Inducing":              func(c *training.Settings) { c.Inducing = 7 },
			"LatentKernel":          func(c *training.Settings) { c.LatentKernel = "rbf+bias" },
			"Noise":                 func(c *training.Settings) { c.Noise = 0.013 },
			"NoiseFloor":            func(c *training.Settings) { c.NoiseFloor = 0.003 },
			"Factors":               func(c *training.Settings) { c.Factors = field.FactorsJoint },
			"Factors, product":      func(c *training.Settings) { c.Factors = field.FactorsProduct },
			"Residual.Kernel":       func(c *training.Settings) { c.Residual.Kernel.Kind = kernel.White },
			"Residual.Kernel, some": func(c *training.Settings) { c.Residual.Kernel.Kind, c.Factors = kernel.RBF, field.FactorsJoint },
			"Residual.Rounds":       func(c *training.Settings) { c.Residual.Rounds = 1 },
			"Residual.Rounds, none": func(c *training.Settings) { c.Residual.Rounds = -1 },
			"Residual.Strength":     func(c *training.Settings) { c.Residual.Strength = 7.5 },
			"Residual.Taper":        func(c *training.Settings) { c.Residual.Taper = -1 },
			"Residual.Local":        func(c *training.Settings) { c.Residual.Local = field.Off },
			"DegreesOfFreedom":      func(c *training.Settings) { c.Infer.DegreesOfFreedom = 41 },
			"LocalBandwidth":        func(c *training.Settings) { c.Infer.LocalBandwidth = 0.7 },
			"Iterations":            func(c *training.Settings) { c.Training.Iterations = 5 },
			"Warmup":                func(c *training.Settings) { c.Training.Warmup = 2 },
			"CoarsePoints":          func(c *training.Settings) { c.Training.CoarsePoints = 5 },
		} {
			given := training.Settings{Effort: effort}
			fix(&given)
			s := newSearch(t, waves(22), given)
			for _, preset := range []training.Settings{s.learnedNoise(), s.whiteNoise()} {
				before, asked := s.given.Or(preset), map[string]bool{}
				if before.Residual.Rounds > 0 && before.Residual.Taper == 0 {
					continue // given to white noise
				}
				for _, q := range s.searchStages(before) {
					if asked[q.name] || len(q.candidates) < 2 || len(q.candidates) > 1+s.plan.Candidates {
						t.Errorf("%s, %v: %s has %d candidates, tried before %t", name, effort, q.name, len(q.candidates), asked[q.name])
					}
					asked[q.name] = true
					for i, o := range q.candidates {
						cfg := before
						o.apply(&cfg)
						if cfg.String() == before.String() != (i == 0) {
							t.Errorf("%s, %v: %s, %s: changes something: %t", name, effort, q.name, o.name, i == 0)
						}
						again := cfg
						if fix(&again); again.String() != cfg.String() {
							t.Errorf("%s, %v: %s, %s: changes what is given", name, effort, q.name, o.name)
						}
					}
				}
				if effort != field.EffortQuick && len(asked) == 0 {
					t.Errorf("%s, %v: nothing is tried", name, effort)
				}
			}
		}
	}
}

// More steps of training are a stage: twice as many of few examples that learn a covariance of short reach, where these are complete.
func TestStepsAreTried(t *testing.T) {
	learned := (*Search).learnedNoise
	longer := func(s *Search) training.Settings {
		c := s.learnedNoise()
		c.Residual.Taper *= 1.4
		return c
	}
	smooth := func(s *Search) training.Settings { return s.smoothed(s.learnedNoise()) }
	for _, c := range []struct {
		name   string
		effort field.Effort
		noise  float64
		holes  *completion.Mask
		preset func(s *Search) training.Settings
		want   []string
	}{
		{"learned", field.EffortNormal, 0, nil, learned, []string{"as before", "120"}},
		{"longer", field.EffortNormal, 0, nil, longer, []string{"as before", "120"}},
		{"learned, with holes", field.EffortNormal, 0, new(completion.Mask), learned, nil},
		{"learned, quick", field.EffortQuick, 0, nil, learned, nil},
		{"learned, thorough", field.EffortThorough, 0, nil, learned, []string{"as before", "400"}},
		{"white", field.EffortNormal, 0, nil, (*Search).whiteNoise, []string{"as before", "400"}},
		{"smooth", field.EffortNormal, 0, nil, smooth, []string{"as before", "240", "400"}},
		{"smooth, with holes", field.EffortNormal, 0, new(completion.Mask), smooth, []string{"as before", "240", "400"}},
		{"smooth, with noise", field.EffortNormal, 0.01, nil, smooth, []string{"as before", "240", "400"}},
	} {
		s := newSearch(t, waves(22), training.Settings{Effort: c.effort, Noise: c.noise})
		s.data.Holes = c.holes
		var got []string
		for _, q := range s.searchStages(s.given.Or(c.preset(s))) {
			if q.name == "steps of training" {
				for _, o := range q.candidates {
					got = append(got, o.name)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, expected %q", c.name, got, c.want)
		}
	}
}

// With many examples the covariance is learned from little noise, and more steps come with more inducing points, where these are open.
func TestLargerModels(t *testing.T) {
	for _, c := range []struct {
		given training.Settings
		want  []string
	}{
		{training.Settings{Effort: field.EffortQuick}, nil},
		{training.Settings{Effort: field.EffortNormal}, []string{"as before", "120 steps, 150 inducing points"}},
		{training.Settings{Effort: field.EffortThorough}, []string{"as before", "240 steps, 150 inducing points", "480 steps, 200 inducing points"}},
		{training.Settings{Effort: field.EffortNormal, Inducing: 30}, []string{"as before", "120 steps"}},
		{training.Settings{Effort: field.EffortNormal, Training: steps(12)}, []string{"as before", "150 inducing points"}},
		{training.Settings{Effort: field.EffortThorough, Inducing: 200, Training: steps(12)}, nil},
	} {
		s := newSearch(t, correlated(manyExamples, 6, 5), c.given)
		cfg := s.given.Or(s.learnedNoise())
		noise := littleNoise
		if c.given.Effort == field.EffortQuick {
			noise = s.smoothNoise()
		}
		if cfg.Noise != noise || cfg.LatentDims != 12 {
			t.Errorf("%+v: noise from %v, %d latent dimensions", c.given, cfg.Noise, cfg.LatentDims)
		}
		cfg.Residual.Taper *= 1.4 // a longer reach is not that of smooth fields
		var got []string
		for _, q := range s.searchStages(cfg) {
			if q.name != "steps of training and inducing points" {
				continue
			}
			for _, o := range q.candidates {
				got = append(got, o.name)
				changed := cfg
				o.apply(&changed)
				if name := fmt.Sprintf("%d steps, %d inducing points", changed.Training.Iterations, changed.Inducing); strings.Contains(o.name, ", ") && o.name != name {
					t.Errorf("%+v: %s means %s", c.given, o.name, name)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, expected %q", c.given, got, c.want)
		}
		c.given.Inducing = min(c.given.Inducing, 100)
		for _, q := range newSearch(t, correlated(manyExamples-1, 6, 5), c.given).searchStages(cfg) {
			if q.name == "steps of training and inducing points" {
				t.Errorf("%+v: asked of few examples", c.given)
			}
		}
	}
}

// Data with holes are searched when they are completed roughly: noise and steps are asked as ever, but for the quick effort, which asks nothing.
func TestLargerModelsOfHoles(t *testing.T) {
	for effort, noise := range map[field.Effort]float64{field.EffortQuick: littleNoise, field.EffortNormal: 0} {
		s := newSearch(t, correlated(manyExamples, 6, 5), training.Settings{Effort: effort})
		s.data.Holes = new(completion.Mask)
		if _, q := s.structures(); q.sure != validation.SureErrors {
			t.Errorf("%v: another noise need not surely be better", effort)
		}
		cfg := s.given.Or(s.learnedNoise())
		if cfg.Noise != noise {
			t.Errorf("%v: noise from %v, expected %v", effort, cfg.Noise, noise)
		}
		asked := slices.ContainsFunc(s.searchStages(cfg), func(q searchStage) bool { return q.name == "steps of training" })
		larger := slices.ContainsFunc(s.searchStages(cfg), func(q searchStage) bool { return q.name == "steps of training and inducing points" })
		if asked != (effort == field.EffortNormal) || larger {
			t.Errorf("%v: steps are tried: %t, inducing points with them: %t", effort, asked, larger)
		}
	}
}

// Candidates of the effort quick with a learned covariance come from one training, those of larger efforts do not; rounds are short.
func TestQuickSharesATraining(t *testing.T) {
	for _, n := range []int{22, manyExamples} {
		for effort, trainings := range map[field.Effort]int{field.EffortQuick: 1, field.EffortNormal: 2} {
			s := newSearch(t, correlated(n, 6, 5), training.Settings{Effort: effort, LatentDims: 2, Training: steps(2)})
			j, err := s.thinnedFolds(1)
			if err != nil {
				t.Fatal(err)
			}
			_, q := s.structures()
			for _, o := range q.candidates[:2] {
				cfg := s.given
				o.apply(&cfg)
				if cfg.Residual.Rounds < 1 || (cfg.Residual.Steps == quickRound) != (effort == field.EffortQuick) {
					t.Errorf("%v, %s: %+v", effort, o.name, cfg.Residual)
				}
				if _, err := j.models(t.Context(), cfg, 0, 1); err != nil {
					t.Fatal(err)
				}
			}
			if f := &j.folds[0]; len(f.trained.entries) != trainings || len(f.learned.entries) != 2 {
				t.Errorf("%v, %d examples: %d trainings and %d models, expected %d and 2", effort, n, len(f.trained.entries), len(f.learned.entries), trainings)
			}
		}
	}
}

// Many examples of few points are trained for longer than candidates were where hardly any work goes into the search; what is given stays.
func TestLongerAtLast(t *testing.T) {
	for name, c := range map[string]struct {
		data  Data
		given training.Settings
		times int
	}{
		"quick":           {correlated(manyExamples, 6, 5), training.Settings{Effort: field.EffortQuick}, lastSteps},
		"few":             {correlated(manyExamples-1, 6, 5), training.Settings{Effort: field.EffortQuick}, 1},
		"normal":          {correlated(manyExamples, 6, 5), training.Settings{}, 1},
		"many points":     {Data{Data: training.Data{Source: sized{manyExamples, manyPoints + 1, 1}, Grid: field.Grid{line(manyPoints + 1)}}}, training.Settings{Effort: field.EffortQuick}, 1},
		"given":           {correlated(manyExamples, 6, 5), training.Settings{Effort: field.EffortQuick, Training: steps(12)}, 1},
		"no covariance":   {correlated(manyExamples, 6, 5), training.Settings{Effort: field.EffortQuick, Factors: field.FactorsProduct}, 1},
		"a given warm-up": {correlated(manyExamples, 6, 5), training.Settings{Effort: field.EffortQuick, Training: training.Training{Warmup: 7}}, lastSteps},
	} {
		s := newSearch(t, c.data, c.given)
		cfg, _ := s.structures()
		got := s.longerAtLast(cfg)
		if got.Training.Iterations != c.times*cfg.Training.Iterations {
			t.Errorf("%s: %d steps after %d, expected %d times as many", name, got.Training.Iterations, cfg.Training.Iterations, c.times)
		}
		if w := c.given.Training.Warmup; w > 0 && got.Training.Warmup != w || w == 0 && c.times > 1 && got.Training.Warmup != training.ShortWarmup(got.Training.Iterations) {
			t.Errorf("%s: a warm-up of %d steps", name, got.Training.Warmup)
		}
	}
}

// Few smooth fields most of whose training is at some points are trained for longer at last, whatever the effort, but for no longer than is worth it.
func TestFieldsAreTrainedForLonger(t *testing.T) {
	for name, c := range map[string]struct {
		effort field.Effort
		change func(s *Search, c *training.Settings)
		want   int
	}{
		"quick":        {field.EffortQuick, func(*Search, *training.Settings) {}, 90},
		"normal":       {field.EffortNormal, func(*Search, *training.Settings) {}, 180},
		"long already": {field.EffortNormal, func(_ *Search, c *training.Settings) { c.Training.Iterations = 240 }, manySteps},
		"longest":      {field.EffortNormal, func(_ *Search, c *training.Settings) { c.Training.Iterations = 500 }, 500},
		"all points":   {field.EffortNormal, func(_ *Search, c *training.Settings) { c.Training.CoarsePoints = 0 }, 60},
		"noise":        {field.EffortNormal, func(_ *Search, c *training.Settings) { c.Noise = littleNoise }, 60},
		"many":         {field.EffortNormal, func(s *Search, _ *training.Settings) { s.data.Source = sized{manyExamples, 20, 1} }, 60},
		"short reach":  {field.EffortNormal, func(_ *Search, c *training.Settings) { c.Residual.Taper /= longReach }, 60},
		"holes":        {field.EffortNormal, func(s *Search, c *training.Settings) { s.data.Holes, c.Noise = new(completion.Mask), grownNoise }, 60},
		"given":        {field.EffortNormal, func(s *Search, _ *training.Settings) { s.given.Training.Iterations = 60 }, 60},
	} {
		s := newSearch(t, waves(24), training.Settings{Effort: c.effort})
		cfg := s.given.Or(s.smoothed(s.learnedNoise()))
		cfg.Training.CoarsePoints = 5
		c.change(s, &cfg)
		if got := s.longerAtLast(cfg).Training.Iterations; got != c.want {
			t.Errorf("%s: %d steps, expected %d", name, got, c.want)
		}
	}
}

// Noise starts lowest for complete fields; what was filled in has some, and many pictures of few points do not share it where they share a start.
func TestSmoothNoise(t *testing.T) {
	for _, c := range []struct {
		n, points int
		effort    field.Effort
		holes     *completion.Mask
		want      float64
	}{
		{40, 30, field.EffortNormal, nil, 1e-7},
		{40, 30, field.EffortNormal, new(completion.Mask), grownNoise},
		{40, 30, field.EffortQuick, nil, 1e-7},
		{manyExamples, CoarseFrom, field.EffortQuick, nil, grownNoise},
		{manyExamples, CoarseFrom + 1, field.EffortQuick, nil, 1e-7},
		{manyExamples, CoarseFrom, field.EffortNormal, nil, 1e-7},
	} {
		s := &Search{data: Data{Data: training.Data{Source: sized{c.n, c.points, 1}}, Holes: c.holes}, given: training.Settings{Effort: c.effort}}
		if got := s.smoothNoise(); got != c.want {
			t.Errorf("%+v: noise from %v", c, got)
		}
	}
}

// Where white noise stands and no covariance is tried any more, what is validated at some points is validated at all from then on, and the incumbent anew.
func TestFiner(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *Search, j *Folds, c *training.Settings, q *searchStage)
		finer  bool
	}{
		"white":      {func(*Search, *Folds, *training.Settings, *searchStage) {}, true},
		"structures": {func(_ *Search, _ *Folds, _ *training.Settings, q *searchStage) { q.structures = true }, false},
		"learned":    {func(_ *Search, _ *Folds, c *training.Settings, _ *searchStage) { c.Residual.Rounds = 1 }, false},
		"holes":      {func(s *Search, _ *Folds, _ *training.Settings, _ *searchStage) { s.data.Holes = new(completion.Mask) }, false},
		"all points": {func(_ *Search, j *Folds, _ *training.Settings, _ *searchStage) { j.folds[0].scale = 1 }, false},
	} {
		s := newSearch(t, waves(24), training.Settings{Effort: field.EffortNormal})
		j, err := s.thinnedFolds(1)
		if err != nil {
			t.Fatal(err)
		}
		j.folds[0].scale = 0.5
		best, q := incumbent{s.whiteNoise(), validation.Scores{Losses: []float64{1}, Errors: []float64{1}}}, searchStage{}
		c.change(s, j, &best.settings, &q)
		got, stands, err := s.finer(j, best, q)
		if err != nil || (got != j) != c.finer || stands.scored() == c.finer || stands.settings.String() != best.settings.String() || c.finer && got.scale() != 1 {
			t.Errorf("%s: other folds: %v, at %v of the points, the incumbent is scored: %v, error %v", name, got != j, got.scale(), stands.scored(), err)
		}
	}
	s := newSearch(t, waves(24), training.Settings{Effort: field.EffortNormal})
	list := s.searchStages(s.whiteNoise())
	for i, q := range list {
		if q.structures != (i == 0) || i == 0 && !strings.Contains(q.name, "covariance") {
			t.Errorf("stage %d, %q, is about structures: %v", i, q.name, q.structures)
		}
	}
	if len(list) < 2 {
		t.Errorf("%d stages", len(list))
	}
}
