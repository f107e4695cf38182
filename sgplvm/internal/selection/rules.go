package selection

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Presets that held on other data: a search starts from them, and a quick one takes them.

const (
	coarsePoints = 1000 // of one factor at which most of training takes place, where there are more than CoarseFrom
	littleNoise  = 1e-3 // at the start, where it falls far
	tinyFloor    = 1e-8 // of the noise of smooth fields, which otherwise have none
)

// learnedNoise is the preset of one spatial factor, with a noise covariance of all points that is learned freely.
func (s *Search) learnedNoise() training.Settings {
	n, points, _ := s.data.Source.Dims()
	c := training.Settings{Factors: field.FactorsJoint, LatentDims: max(1, min(30, n-1)), NoiseFloor: tinyFloor,
		Residual: training.Residual{Kernel: matern32, Rounds: 2, Local: field.On, Taper: bound.DefaultTaper(float64(n))}}
	if n >= manyExamples {
		c.LatentDims = 12
	}
	if n >= manyExamples && (s.data.Holes == nil || s.plan.Stages == 0) {
		c.Noise = littleNoise
	}
	if s.given.Effort == field.EffortQuick {
		c.Residual.Rounds = 1
	}
	if s.quick() {
		c.Noise, c.Residual.Steps = s.smoothNoise(), quickRound
	}
	if s.given.Lean {
		c.Residual.Local = field.Off
	}
	if points > CoarseFrom {
		c.Training.CoarsePoints = coarsePoints
	}
	c.Training.Iterations = s.plan.Steps
	c.Training.Warmup = training.ShortWarmup(c.Training.Iterations)
	return c
}

// whiteNoise is the preset of a kernel for each factor, with white noise.
func (s *Search) whiteNoise() training.Settings {
	n, points, channels := s.data.Source.Dims()
	c := training.Settings{Factors: field.FactorsProduct, LatentDims: max(1, min(30, n-1)), Residual: training.Residual{Kernel: kernel.Kernel{Kind: kernel.White}}}
	if points == 1 {
		c.LatentDims = max(1, min(c.LatentDims, channels-1))
	}
	c.Training.Iterations = whiteSteps * s.plan.Steps
	c.Training.Warmup = training.ShortWarmup(c.Training.Iterations)
	return c
}

// independent searches for examples without times: others, partly seen, are to be filled in.
func (s *Search) independent() (training.Settings, error) {
	first, q := s.structures()
	best := incumbent{settings: first}
	nothing := len(q.candidates) == 1 && s.plan.Stages == 0 && (first.Residual.Local != field.On || s.given.Infer.Blends != nil) // is left to ask
	if n, _, _ := s.data.Source.Dims(); n < MinTraining || s.cannotValidate() || s.tooLarge() || nothing {
		return first, nil
	}
	s.Task = "values hidden of examples that were held out: " + s.hidden()
	j, err := s.thinnedFolds(1)
	if err == nil {
		err = s.foretell(func() (time.Duration, error) {
			p, err := j.probe(s.ctx, first)
			return s.expected(j, p, first, q), err
		})
	}
	if err != nil {
		return first, err
	}
	if best, err = s.try(j, best, q); err != nil {
		return best.settings, err
	}
	tried, by := map[string]bool{}, j
	for len(tried) < s.plan.Stages && best.scored() && !s.ended() {
		q, more := next(s.searchStages(best.settings), tried)
		if !more {
			break
		}
		tried[q.name] = true
		if by, best, err = s.finer(by, best, q); err != nil {
			return best.settings, err
		}
		if best, err = s.try(by, best, q); err != nil {
			return best.settings, err
		}
	}
	if best, err = s.blended(j, best); err != nil {
		return best.settings, err
	}
	best.settings = s.longerAtLast(best.settings)
	best, err = s.rescaleAtAllPoints(j, best)
	return best.settings, err
}

// finer returns the validator of a stage and the incumbent. Once no candidate learns a covariance of all points, validation goes over to all points: they tell
// better what steps, dimensions and kernels are worth, and cost no eigenproblem of their number. The incumbent is then to be validated anew.
func (s *Search) finer(j *Folds, best incumbent, q searchStage) (*Folds, incumbent, error) {
	if j.scale() == 1 || s.data.Holes != nil || best.settings.Residual.Rounds > 0 || q.structures {
		return j, best, nil
	}
	whole, err := s.wholeFolds(2*minHeldOut, fewPatterns)
	if err != nil {
		return j, best, err
	}
	return whole, incumbent{settings: best.settings}, nil
}

// structures returns the stage about the noise and its first candidate. None is simpler than the others, so the best mean wins. Of data with missing values
// the first has completed what all learn from, and another's own completions are unknown: it must surely be better.
func (s *Search) structures() (first training.Settings, q searchStage) {
	add := func(name string, preset training.Settings) {
		cfg := s.given.Or(preset)
		q.candidates = append(q.candidates, option{name, func(c *training.Settings) { *c = cfg }})
	}
	q.name = "noise"
	if s.data.Holes != nil {
		q.sure = validation.SureErrors
	}
	n, _, _ := s.data.Source.Dims()
	joint := s.jointPossible() && (n >= MinTraining || s.given.Factors == field.FactorsJoint) // fewer examples say nothing of a covariance
	if joint {
		learned := s.learnedNoise()
		first = s.given.Or(learned)
		add("learned covariance", learned)
		if s.given.Residual.Taper == 0 {
			add("learned covariance of longer reach, hardly any noise", s.smoothed(learned))
		}
		few := s.given.Effort == field.EffortQuick && (len(s.data.Grid) == 1 || s.data.Grid.Len() <= CoarseFrom)
		if s.given.Residual.Kernel.Kind != "" || few {
			return first, q
		}
	}
	white := s.whiteNoise()
	add("white noise, a kernel for each factor", white)
	if joint {
		q.brief = len(q.candidates) - 1
	}
	if !joint {
		return s.given.Or(white), q
	}
	if n := s.data.Grid.Len(); len(s.data.Grid) > 1 && s.given.Factors == "" && n <= CoarseFrom && s.given.Effort != field.EffortQuick {
		white.Factors = field.FactorsJoint
		add("white noise, one kernel for all points", white)
		q.like = len(q.candidates) - 1
	}
	return first, q
}

// smoothed returns a preset with a learned covariance for smooth fields.
func (s *Search) smoothed(learned training.Settings) training.Settings {
	learned.Residual.Taper *= longReach
	learned.Noise = s.smoothNoise()
	if s.quick() {
		learned.Residual.Strength = 1
	}
	return learned
}

// quickRound is the number of steps of a round that learns the noise covariance at quick effort: more change hardly anything.
const quickRound = 8

// next returns the first stage that is not done.
func next(list []searchStage, tried map[string]bool) (q searchStage, more bool) {
	for _, q := range list {
		if !tried[q.name] {
			return q, true
		}
	}
	return q, false
}

// hidden says in words what validation hides.
func (s *Search) hidden() string {
	if s.data.Holes != nil {
		return "the way that others are missing"
	}
	if k := len(s.data.Hide); k == 1 {
		return "as one mask says"
	} else if k > 1 {
		return fmt.Sprintf("as %d masks say", k)
	}
	return "half of them at random, one side, a block and nine in ten in turn"
}

// cannotValidate reports whether data with missing values have nothing held out.
func (s *Search) cannotValidate() bool { return s.data.Holes != nil && len(s.data.Holes.HeldOut) == 0 }

// MaxNumbers is the largest size of data that are validated; larger data take the presets.
const MaxNumbers = 40_000_000

func (s *Search) tooLarge() bool {
	n, points, channels := s.data.Source.Dims()
	return n*points*channels > MaxNumbers
}

// searchStages returns the stages after the first, the costly ones last.
func (s *Search) searchStages(c training.Settings) (list []searchStage) {
	n, points, channels := s.data.Source.Dims()
	add := func(open bool, name string, ordered bool, options ...option) {
		if open && min(len(options), s.plan.Candidates) > 0 {
			options = options[:min(len(options), s.plan.Candidates)]
			list = append(list, searchStage{name: name, candidates: append([]option{{"as before", func(*training.Settings) {}}}, options...), ordered: ordered, sure: validation.SureErrors})
		}
	}
	learned, thorough := c.Residual.Rounds > 0, s.given.Effort == field.EffortThorough
	smooth := s.smooth(c)
	reach := learned && s.given.Residual.Taper == 0
	add(!learned && s.jointPossible() && s.given.Residual.Kernel.Kind == "", "learned covariance, trained for longer", false, s.longer()...)
	for i := range list {
		list[i].structures = true
	}
	add(reach, "longer reach of the learned covariance", true, tapers(c, 1.4, 2, 2.8)...)
	add(reach, "shorter reach of the learned covariance", true, tapers(c, 1/1.4, 1/2., 1/2.8)...)
	add(learned && s.given.Residual.Strength == 0 && (thorough || smooth), "weight of the prior of that covariance", true, strengths(1, 0.1)...)
	add(learned && s.given.Infer.DegreesOfFreedom == 0, "degrees of freedom", true, freedoms(10, 2)...)
	var dims []option
	most := n - 1
	if points == 1 {
		most = min(most, channels-1)
	}
	for _, d := range []int{c.LatentDims / 2, c.LatentDims * 2} {
		if d != c.LatentDims && d >= 1 && d <= min(most, 40) {
			dims = append(dims, option{fmt.Sprintf("%d", d), func(c *training.Settings) { c.LatentDims = d }})
		}
	}
	add(s.given.LatentDims == 0 && (thorough || !learned || n >= manyExamples), "latent dimensions", false, dims...)
	if learned && !smooth && n >= manyExamples && s.data.Holes == nil {
		add(true, "steps of training and inducing points", true, s.larger(c)...)
	} else { // examples that were completed roughly show what steps are worth by the noise alone
		few, more := learned && !smooth && !thorough && n < manyExamples, []int{min(4*s.plan.Steps, manySteps), manySteps}
		if few { // some gain by twice the steps, others lose
			more = []int{2 * s.plan.Steps}
		}
		add(s.given.Training.Iterations == 0 && !(few && s.data.Holes != nil), "steps of training", true, stepOptions(c.Training.Iterations, more...)...)
	}
	add(!learned && s.given.LatentKernel == "", "latent kernel", false,
		option{"rbf+linear+bias", func(c *training.Settings) { c.LatentKernel = "rbf+linear+bias" }})
	return list
}

// whiteSteps is how many times as many steps a training with white noise has: they are all that it learns by.
const whiteSteps = 4

// longReach is the factor of the default reach of a covariance over smooth fields.
const longReach = 4

func tapers(c training.Settings, factors ...float64) (list []option) {
	for _, f := range factors {
		taper := f * c.Residual.Taper
		list = append(list, option{fmt.Sprintf("%.3g spacings", taper), func(c *training.Settings) { c.Residual.Taper = taper }})
	}
	return list
}

func strengths(values ...float64) (list []option) {
	for _, v := range values {
		list = append(list, option{fmt.Sprintf("%g examples", v), func(c *training.Settings) { c.Residual.Strength = v }})
	}
	return list
}

func freedoms(values ...float64) (list []option) {
	for _, v := range values {
		list = append(list, option{fmt.Sprintf("%g", v), func(c *training.Settings) { c.Infer.DegreesOfFreedom = v }})
	}
	return list
}

// longer returns the candidates about the noise that take longer to learn than the winner.
func (s *Search) longer() (list []option) {
	learned := s.learnedNoise()
	learned.Training.Iterations *= whiteSteps
	for _, preset := range []training.Settings{learned, s.smoothed(learned)} {
		cfg := s.given.Or(preset)
		list = append(list, option{fmt.Sprintf("noise from %.3g, %d steps", cmp.Or(cfg.Noise, training.StartNoise), cfg.Training.Iterations), func(c *training.Settings) { *c = cfg }})
	}
	return list
}

// larger returns candidates with more inducing points and steps of training, if these are open.
func (s *Search) larger(c training.Settings) (list []option) {
	n, _, _ := s.data.Source.Dims()
	for _, more := range []struct{ steps, inducing int }{{2, 150}, {4, 200}} {
		d, open := c, []string{}
		if s.given.Training.Iterations == 0 {
			d.Training.Iterations = more.steps * s.plan.Steps
			open = append(open, fmt.Sprintf("%d steps", d.Training.Iterations))
		}
		if m := min(more.inducing, n); s.given.Inducing == 0 {
			d.Inducing = m
			open = append(open, fmt.Sprintf("%d inducing points", m))
		}
		if len(open) > 0 {
			list = append(list, option{strings.Join(open, ", "), func(c *training.Settings) { c.Training.Iterations, c.Inducing = d.Training.Iterations, d.Inducing }})
		}
	}
	if s.given.Effort != field.EffortThorough {
		list = list[:min(len(list), 1)]
	}
	return list
}

// stepOptions returns the candidates with more steps of training than so many.
func stepOptions(than int, values ...int) (list []option) {
	for _, v := range values {
		if v > than {
			list = append(list, option{fmt.Sprintf("%d", v), func(c *training.Settings) { c.Training.Iterations = v }})
			than = v
		}
	}
	return list
}
