package sgplvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// correlated draws pictures that are a random field each, around one cause: waves that reach across all of the picture, or steps that
// neighbours alone share.
func correlated(count, height, width int, farReaching bool) Data {
	rng := rand.New(rand.NewPCG(11, 12))
	y := mat.New(count*height*width, 1)
	for i := range count {
		pixels := y.Data[i*height*width : (i+1)*height*width]
		cause := rng.NormFloat64()
		var waves [8]float64
		for k := range waves {
			waves[k] = rng.NormFloat64()
		}
		var steps [100]float64
		for k := range steps {
			steps[k] = rng.NormFloat64()
		}
		for j := range pixels {
			r, c := float64(j/width)/float64(height), float64(j%width)/float64(width)
			pixels[j] = 2 * cause * math.Cos(3*r+c)
			if !farReaching {
				pixels[j] += steps[j/width/2*10+j%width/2] + 0.1*rng.NormFloat64()
				continue
			}
			for k, w := range waves {
				pixels[j] += w * math.Cos(math.Pi*(float64(k%4)*r+float64(k/4)*c)) / float64(1+k)
			}
			pixels[j] += 0.01 * rng.NormFloat64()
		}
	}
	return Data{Examples: count, Y: y, Grid: Grid{line(height), line(width)}}
}

// Each kind of data has its own kind of noise: none with structure where examples have nothing of their own, one that
// is learned where they have, which reaches far where they are smooth.
func TestChoiceOfNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("dozens of trainings")
	}
	reach := map[bool]float64{}
	for _, far := range []bool{true, false} {
		cfg, s, err := Select(context.Background(), correlated(32, 7, 6, far), Config{LatentDims: 3, Training: steps(60)})
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Residual.Rounds < 1 || cfg.Factors != FactorsJoint {
			t.Errorf("far-reaching %t: %+v", far, s.Stages[0])
		}
		reach[far] = cfg.Residual.Taper
	}
	if !(reach[true] > reach[false]) || reach[false] <= 0 {
		t.Errorf("reach %v of smooth fields, %v of others, %v at the start", reach[true], reach[false], bound.DefaultTaper(32))
	}
	cfg, s, err := Select(context.Background(), bumps(24, 6, 5, 2), Config{LatentDims: 4, Training: steps(60)})
	if err != nil || cfg.Residual.Kernel.Kind != kernel.White || cfg.Factors != FactorsProduct {
		t.Errorf("white noise: %+v, error %v", s.Stages[0], err)
	}
}

// Large data take what held on others, without a trial; examples too few to hold any out learn no covariance.
func TestNothingIsTried(t *testing.T) {
	for name, c := range map[string]struct {
		data  Data
		joint bool
	}{
		"large": {Data{Source: sized{2000, 150 * 150, 1}, Grid: Grid{line(150), line(150)}}, false},
		"many":  {Data{Source: sized{40001, 1000, 1}, Grid: Grid{line(1000)}}, true},
		"few":   {waves(minTraining - 1), false},
		"one":   {waves(1), false},
	} {
		for effort := range plans {
			s := newSearch(t, c.data, Config{Effort: effort})
			cfg, err := s.all()
			if err != nil || len(s.selection.Stages) > 0 || (cfg.Factors == FactorsJoint) != c.joint || (cfg.Residual.Rounds > 0) != c.joint || cfg.LatentDims < 1 {
				t.Errorf("%s: %+v, %+v, error %v", name, cfg, s.selection, err)
			}
		}
	}
}

// Questions are asked once, have candidates that differ from what stands, and leave alone what is given.
func TestQuestions(t *testing.T) {
	for effort := range plans {
		for name, fix := range fixed(false) {
			path, _, _ := strings.Cut(name, ",")
			given := Config{Effort: effort}
			fix(&given)
			s := newSearch(t, waves(22), given)
			for _, preset := range []Config{s.learnedNoise(), s.whiteNoise()} {
				before, asked := withDefaults(s.given, preset), map[string]bool{}
				if before.Residual.Rounds > 0 && before.Residual.Taper == 0 {
					continue // given to white noise
				}
				for _, q := range s.searchStages(before) {
					if asked[q.name] || len(q.candidates) < 2 || len(q.candidates) > 1+s.plan.candidates {
						t.Errorf("%s, %v: %s has %d candidates, asked before %t", name, effort, q.name, len(q.candidates), asked[q.name])
					}
					asked[q.name] = true
					for i, o := range q.candidates {
						cfg := before
						o.apply(&cfg)
						if same(cfg, before) != (i == 0) {
							t.Errorf("%s, %v: %s, %s: changes something: %t", name, effort, q.name, o.name, i == 0)
						}
						if d := diff(fieldOf(cfg, path), fieldOf(before, path)); d != "" {
							t.Errorf("%s, %v: %s, %s: %s", name, effort, q.name, o.name, d)
						}
					}
				}
				if effort != EffortQuick && len(asked) == 0 {
					t.Errorf("%s, %v: nothing is asked", name, effort)
				}
			}
		}
	}
}

// More steps of training are a stage: twice as many of few examples that learn a covariance of short reach, where these are complete.
func TestStepsAreAsked(t *testing.T) {
	learned := (*search).learnedNoise
	longer := func(s *search) Config {
		c := s.learnedNoise()
		c.Residual.Taper *= 1.4
		return c
	}
	smooth := func(s *search) Config { return s.smoothed(s.learnedNoise()) }
	for _, c := range []struct {
		name   string
		effort Effort
		noise  float64
		holes  *completion.Mask
		preset func(s *search) Config
		want   []string
	}{
		{"learned", EffortNormal, 0, nil, learned, []string{"as before", "120"}},
		{"longer", EffortNormal, 0, nil, longer, []string{"as before", "120"}},
		{"learned, with holes", EffortNormal, 0, new(completion.Mask), learned, nil},
		{"learned, quick", EffortQuick, 0, nil, learned, nil},
		{"learned, thorough", EffortThorough, 0, nil, learned, []string{"as before", "400"}},
		{"white", EffortNormal, 0, nil, (*search).whiteNoise, []string{"as before", "400"}},
		{"smooth", EffortNormal, 0, nil, smooth, []string{"as before", "240", "400"}},
		{"smooth, with holes", EffortNormal, 0, new(completion.Mask), smooth, []string{"as before", "240", "400"}},
		{"smooth, with noise", EffortNormal, 0.01, nil, smooth, []string{"as before", "240", "400"}},
	} {
		s := newSearch(t, waves(22), Config{Effort: c.effort, Noise: c.noise})
		s.data.holes = c.holes
		var got []string
		for _, q := range s.searchStages(withDefaults(s.given, c.preset(s))) {
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
		given Config
		want  []string
	}{
		{Config{Effort: EffortQuick}, nil},
		{Config{Effort: EffortNormal}, []string{"as before", "120 steps, 150 inducing points"}},
		{Config{Effort: EffortThorough}, []string{"as before", "240 steps, 150 inducing points", "480 steps, 200 inducing points"}},
		{Config{Effort: EffortNormal, Inducing: 30}, []string{"as before", "120 steps"}},
		{Config{Effort: EffortNormal, Training: steps(12)}, []string{"as before", "150 inducing points"}},
		{Config{Effort: EffortThorough, Inducing: 200, Training: steps(12)}, nil},
	} {
		s := newSearch(t, correlated(manyExamples, 6, 5, false), c.given)
		cfg := withDefaults(s.given, s.learnedNoise())
		noise := littleNoise
		if c.given.Effort == EffortQuick {
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
		for _, q := range newSearch(t, correlated(manyExamples-1, 6, 5, false), c.given).searchStages(cfg) {
			if q.name == "steps of training and inducing points" {
				t.Errorf("%+v: asked of few examples", c.given)
			}
		}
	}
}

// Data with holes are searched when they are completed roughly: noise and steps are asked as ever, but for the quick effort, which asks nothing.
func TestLargerModelsOfHoles(t *testing.T) {
	for effort, noise := range map[Effort]float64{EffortQuick: littleNoise, EffortNormal: 0} {
		s := newSearch(t, correlated(manyExamples, 6, 5, false), Config{Effort: effort})
		s.data.holes = new(completion.Mask)
		if _, q := s.structures(); q.sure != validation.SureErrors {
			t.Errorf("%v: another noise need not surely be better", effort)
		}
		cfg := withDefaults(s.given, s.learnedNoise())
		if cfg.Noise != noise {
			t.Errorf("%v: noise from %v, expected %v", effort, cfg.Noise, noise)
		}
		asked := slices.ContainsFunc(s.searchStages(cfg), func(q searchStage) bool { return q.name == "steps of training" })
		larger := slices.ContainsFunc(s.searchStages(cfg), func(q searchStage) bool { return q.name == "steps of training and inducing points" })
		if asked != (effort == EffortNormal) || larger {
			t.Errorf("%v: steps are asked: %t, inducing points with them: %t", effort, asked, larger)
		}
	}
}

// Candidates of the effort quick with a learned covariance come from one training, those of larger efforts do not; rounds are short.
func TestQuickSharesATraining(t *testing.T) {
	for _, n := range []int{22, manyExamples} {
		for effort, trainings := range map[Effort]int{EffortQuick: 1, EffortNormal: 2} {
			s := newSearch(t, correlated(n, 6, 5, false), Config{Effort: effort, LatentDims: 2, Training: steps(2)})
			j, err := newFillValidator(s)
			if err != nil {
				t.Fatal(err)
			}
			_, q := s.structures()
			for _, o := range q.candidates[:2] {
				cfg := s.given
				o.apply(&cfg)
				if cfg.Residual.Rounds < 1 || (cfg.Residual.Steps == quickRound) != (effort == EffortQuick) {
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
		given Config
		times int
	}{
		"quick":           {correlated(manyExamples, 6, 5, false), Config{Effort: EffortQuick}, lastSteps},
		"few":             {correlated(manyExamples-1, 6, 5, false), Config{Effort: EffortQuick}, 1},
		"normal":          {correlated(manyExamples, 6, 5, false), Config{}, 1},
		"many points":     {Data{Source: sized{manyExamples, manyPoints + 1, 1}, Grid: Grid{line(manyPoints + 1)}}, Config{Effort: EffortQuick}, 1},
		"given":           {correlated(manyExamples, 6, 5, false), Config{Effort: EffortQuick, Training: steps(12)}, 1},
		"no covariance":   {correlated(manyExamples, 6, 5, false), Config{Effort: EffortQuick, Factors: FactorsProduct}, 1},
		"a given warm-up": {correlated(manyExamples, 6, 5, false), Config{Effort: EffortQuick, Training: TrainingConfig{Warmup: 7}}, lastSteps},
	} {
		s := newSearch(t, c.data, c.given)
		cfg, _ := s.structures()
		got := s.longerAtLast(cfg)
		if got.Training.Iterations != c.times*cfg.Training.Iterations {
			t.Errorf("%s: %d steps after %d, expected %d times as many", name, got.Training.Iterations, cfg.Training.Iterations, c.times)
		}
		if w := c.given.Training.Warmup; w > 0 && got.Training.Warmup != w || w == 0 && c.times > 1 && got.Training.Warmup != shortWarmup(got.Training.Iterations) {
			t.Errorf("%s: a warm-up of %d steps", name, got.Training.Warmup)
		}
	}
}

// Few smooth fields most of whose training is at some points are trained for longer at last, whatever the effort, but for no longer than is worth it.
func TestFieldsAreTrainedForLonger(t *testing.T) {
	for name, c := range map[string]struct {
		effort Effort
		change func(s *search, c *Config)
		want   int
	}{
		"quick":        {EffortQuick, func(*search, *Config) {}, 90},
		"normal":       {EffortNormal, func(*search, *Config) {}, 180},
		"long already": {EffortNormal, func(_ *search, c *Config) { c.Training.Iterations = 240 }, manySteps},
		"longest":      {EffortNormal, func(_ *search, c *Config) { c.Training.Iterations = 500 }, 500},
		"all points":   {EffortNormal, func(_ *search, c *Config) { c.Training.CoarsePoints = 0 }, 60},
		"noise":        {EffortNormal, func(_ *search, c *Config) { c.Noise = littleNoise }, 60},
		"many":         {EffortNormal, func(s *search, _ *Config) { s.data.Source = sized{manyExamples, 20, 1} }, 60},
		"short reach":  {EffortNormal, func(_ *search, c *Config) { c.Residual.Taper /= longReach }, 60},
		"holes":        {EffortNormal, func(s *search, c *Config) { s.data.holes, c.Noise = new(completion.Mask), grownNoise }, 60},
		"given":        {EffortNormal, func(s *search, _ *Config) { s.given.Training.Iterations = 60 }, 60},
	} {
		s := newSearch(t, waves(24), Config{Effort: c.effort})
		cfg := withDefaults(s.given, s.smoothed(s.learnedNoise()))
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
		effort    Effort
		holes     *completion.Mask
		want      float64
	}{
		{40, 30, EffortNormal, nil, 1e-7},
		{40, 30, EffortNormal, new(completion.Mask), grownNoise},
		{40, 30, EffortQuick, nil, 1e-7},
		{manyExamples, coarseFrom, EffortQuick, nil, grownNoise},
		{manyExamples, coarseFrom + 1, EffortQuick, nil, 1e-7},
		{manyExamples, coarseFrom, EffortNormal, nil, 1e-7},
	} {
		s := &search{data: trainingSet{Data: Data{Source: sized{c.n, c.points, 1}}, holes: c.holes}, given: Config{Effort: c.effort}}
		if got := s.smoothNoise(); got != c.want {
			t.Errorf("%+v: noise from %v", c, got)
		}
	}
}

// Where white noise stands and no covariance is tried any more, what is validated at some points is validated at all from then on, and what stands anew.
func TestFiner(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *search, j *fillValidator, c *Config, q *searchStage)
		finer  bool
	}{
		"white":      {func(*search, *fillValidator, *Config, *searchStage) {}, true},
		"structures": {func(_ *search, _ *fillValidator, _ *Config, q *searchStage) { q.structures = true }, false},
		"learned":    {func(_ *search, _ *fillValidator, c *Config, _ *searchStage) { c.Residual.Rounds = 1 }, false},
		"holes":      {func(s *search, _ *fillValidator, _ *Config, _ *searchStage) { s.data.holes = new(completion.Mask) }, false},
		"all points": {func(_ *search, j *fillValidator, _ *Config, _ *searchStage) { j.folds[0].scale = 1 }, false},
	} {
		s := newSearch(t, waves(24), Config{Effort: EffortNormal})
		j, err := newFillValidator(s)
		if err != nil {
			t.Fatal(err)
		}
		j.folds[0].scale = 0.5
		best, q := incumbent{s.whiteNoise(), validation.Scores{Losses: []float64{1}, Errors: []float64{1}}}, searchStage{}
		c.change(s, j, &best.cfg, &q)
		got, stands, err := s.finer(j, best, q)
		if err != nil || (got != j) != c.finer || stands.scored() == c.finer || text(stands.cfg) != text(best.cfg) || c.finer && got.scale() != 1 {
			t.Errorf("%s: another judge: %v, at %v of the points, what stands is judged: %v, error %v", name, got != j, got.scale(), stands.scored(), err)
		}
	}
	s := newSearch(t, waves(24), Config{Effort: EffortNormal})
	list := s.searchStages(s.whiteNoise())
	for i, q := range list {
		if q.structures != (i == 0) || i == 0 && !strings.Contains(q.name, "covariance") {
			t.Errorf("question %d, %q, is about structures: %v", i, q.name, q.structures)
		}
	}
	if len(list) < 2 {
		t.Errorf("%d questions", len(list))
	}
}
