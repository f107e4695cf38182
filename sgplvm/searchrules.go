package sgplvm

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Presets that held on other data: a search starts from them, and a quick one takes them.

const (
	coarsePoints = 1000 // of one factor at which most of training takes place, where there are more than coarseFrom
	littleNoise  = 1e-3 // at the start, where it falls far
	tinyFloor    = 1e-8 // of the noise of smooth fields, which otherwise have none
)

// withDefaults returns c with what it leaves open from another configuration.
func withDefaults(c, from Config) Config {
	orKernel := func(k, other kernel.Kernel) kernel.Kernel {
		if k.Kind == "" {
			return other.Clone()
		}
		return k
	}
	c.Factors = cmp.Or(c.Factors, from.Factors)
	c.LatentDims, c.Inducing = cmp.Or(c.LatentDims, from.LatentDims), cmp.Or(c.Inducing, from.Inducing)
	c.LatentKernel = cmp.Or(c.LatentKernel, from.LatentKernel)
	c.LatentTime, c.TimeKernel = orKernel(c.LatentTime, from.LatentTime), orKernel(c.TimeKernel, from.TimeKernel)
	c.OwnTimeKernels = cmp.Or(c.OwnTimeKernels, from.OwnTimeKernels)
	if c.Spatial == nil {
		c.Spatial = from.Spatial
	}
	c.Noise, c.NoiseFloor = noiseAbove(c.Noise, c.NoiseFloor, from)
	r, o := &c.Residual, from.Residual
	r.Kernel, r.Rounds = orKernel(r.Kernel, o.Kernel), cmp.Or(r.Rounds, o.Rounds)
	r.Steps, r.Strength, r.Taper, r.Local = cmp.Or(r.Steps, o.Steps), cmp.Or(r.Strength, o.Strength), cmp.Or(r.Taper, o.Taper), cmp.Or(r.Local, o.Local)
	c.Training.Iterations = cmp.Or(c.Training.Iterations, from.Training.Iterations)
	if c.Training.Warmup == 0 && from.Training.Warmup > 0 {
		c.Training.Warmup = shortWarmup(c.Training.Iterations)
	}
	c.Training.CoarsePoints = cmp.Or(c.Training.CoarsePoints, from.Training.CoarsePoints)
	return c
}

// noiseAbove returns the initial noise and its floor. One that is 0 comes from another
// configuration, and gives way so that the floor is lower.
func noiseAbove(noise, floor float64, from Config) (float64, float64) {
	n, f := cmp.Or(noise, from.Noise), cmp.Or(floor, from.NoiseFloor)
	if f <= 0 || f < cmp.Or(n, startNoise) {
		return n, f
	}
	switch {
	case noise == 0:
		n = min(2*f, (1+f)/2)
	case floor == 0:
		f = n / 2
	}
	return n, f
}

// learnedNoise is the preset of one spatial factor, with a noise covariance of all points that is learned freely.
func (s *search) learnedNoise() Config {
	n, points, _ := s.data.Source.Dims()
	c := Config{Factors: FactorsJoint, LatentDims: max(1, min(30, n-1)), NoiseFloor: tinyFloor,
		Residual: ResidualConfig{Kernel: matern32, Rounds: 2, Local: On, Taper: bound.DefaultTaper(float64(n))}}
	if n >= manyExamples {
		c.LatentDims = 12
	}
	if n >= manyExamples && (s.data.holes == nil || s.plan.stages == 0) {
		c.Noise = littleNoise
	}
	if s.given.Effort == EffortQuick {
		c.Residual.Rounds = 1
	}
	if s.quick() {
		c.Noise, c.Residual.Steps = s.smoothNoise(), quickRound
	}
	if s.given.Lean {
		c.Residual.Local = Off
	}
	if points > coarseFrom {
		c.Training.CoarsePoints = coarsePoints
	}
	c.Training.Iterations = s.plan.steps
	c.Training.Warmup = shortWarmup(c.Training.Iterations)
	return c
}

// whiteNoise is the preset of a kernel for each factor, with white noise.
func (s *search) whiteNoise() Config {
	n, points, channels := s.data.Source.Dims()
	c := Config{Factors: FactorsProduct, LatentDims: max(1, min(30, n-1)), Residual: ResidualConfig{Kernel: kernel.Kernel{Kind: kernel.White}}}
	if points == 1 {
		c.LatentDims = max(1, min(c.LatentDims, channels-1))
	}
	c.Training.Iterations = whiteSteps * s.plan.steps
	c.Training.Warmup = shortWarmup(c.Training.Iterations)
	return c
}

// independent searches for examples without times: others, partly seen, are to be filled in.
func (s *search) independent() (Config, error) {
	first, q := s.structures()
	best := incumbent{cfg: first}
	nothing := len(q.candidates) == 1 && s.plan.stages == 0 && (first.Residual.Local != On || s.given.Infer.Blends != nil) // is left to ask
	if n, _, _ := s.data.Source.Dims(); n < minTraining || s.cannotValidate() || s.tooLarge() || nothing {
		return first, nil
	}
	s.selection.Task = "values hidden of examples that were held out: " + s.hidden()
	j, err := newFillValidator(s)
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
		return best.cfg, err
	}
	tried, by := map[string]bool{}, j
	for len(tried) < s.plan.stages && best.scored() && !s.ended() {
		q, more := next(s.searchStages(best.cfg), tried)
		if !more {
			break
		}
		tried[q.name] = true
		if by, best, err = s.finer(by, best, q); err != nil {
			return best.cfg, err
		}
		if best, err = s.try(by, best, q); err != nil {
			return best.cfg, err
		}
	}
	if best, err = s.blended(j, best); err != nil {
		return best.cfg, err
	}
	best.cfg = s.longerAtLast(best.cfg)
	best, err = s.rescaleAtAllPoints(j, best)
	return best.cfg, err
}

// finer returns the validator of a stage and the incumbent. Once no candidate learns a covariance of all points, validation goes over to all points: they tell
// better what steps, dimensions and kernels are worth, and cost no eigenproblem of their number. The incumbent is then to be validated anew.
func (s *search) finer(j *fillValidator, best incumbent, q searchStage) (*fillValidator, incumbent, error) {
	if j.scale() == 1 || s.data.holes != nil || best.cfg.Residual.Rounds > 0 || q.structures {
		return j, best, nil
	}
	whole, err := newWholeValidator(s, 2*minHeldOut, fewPatterns)
	if err != nil {
		return j, best, err
	}
	return whole, incumbent{cfg: best.cfg}, nil
}

// structures returns the stage about the noise and its first candidate. None is simpler than the others, so the best mean wins. Of data with missing values
// the first has completed what all learn from, and another's own completions are unknown: it must surely be better.
func (s *search) structures() (first Config, q searchStage) {
	add := func(name string, preset Config) {
		cfg := withDefaults(s.given, preset)
		q.candidates = append(q.candidates, option{name, func(c *Config) { *c = cfg }})
	}
	q.name = "noise"
	if s.data.holes != nil {
		q.sure = validation.SureErrors
	}
	n, _, _ := s.data.Source.Dims()
	joint := s.jointPossible() && (n >= minTraining || s.given.Factors == FactorsJoint) // fewer examples say nothing of a covariance
	if joint {
		learned := s.learnedNoise()
		first = withDefaults(s.given, learned)
		add("learned covariance", learned)
		if s.given.Residual.Taper == 0 {
			add("learned covariance of longer reach, hardly any noise", s.smoothed(learned))
		}
		few := s.given.Effort == EffortQuick && (len(s.data.Grid) == 1 || s.data.Grid.Len() <= coarseFrom)
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
		return withDefaults(s.given, white), q
	}
	if n := s.data.Grid.Len(); len(s.data.Grid) > 1 && s.given.Factors == "" && n <= coarseFrom && s.given.Effort != EffortQuick {
		white.Factors = FactorsJoint
		add("white noise, one kernel for all points", white)
		q.like = len(q.candidates) - 1
	}
	return first, q
}

// smoothed returns a preset with a learned covariance for smooth fields.
func (s *search) smoothed(learned Config) Config {
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
func (s *search) hidden() string {
	if s.data.holes != nil {
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
func (s *search) cannotValidate() bool { return s.data.holes != nil && len(s.data.holes.HeldOut) == 0 }

// maxNumbers is the largest size of data that are validated; larger data take the presets.
const maxNumbers = 40_000_000

func (s *search) tooLarge() bool {
	n, points, channels := s.data.Source.Dims()
	return n*points*channels > maxNumbers
}

// searchStages returns the stages after the first, the costly ones last.
func (s *search) searchStages(c Config) (list []searchStage) {
	n, points, channels := s.data.Source.Dims()
	add := func(open bool, name string, ordered bool, options ...option) {
		if open && min(len(options), s.plan.candidates) > 0 {
			options = options[:min(len(options), s.plan.candidates)]
			list = append(list, searchStage{name: name, candidates: append([]option{{"as before", func(*Config) {}}}, options...), ordered: ordered, sure: validation.SureErrors})
		}
	}
	learned, thorough := c.Residual.Rounds > 0, s.given.Effort == EffortThorough
	smooth := s.smooth(c)
	reach := learned && s.given.Residual.Taper == 0
	add(!learned && s.jointPossible() && s.given.Residual.Kernel.Kind == "", "learned covariance, trained for longer", false, s.longer()...)
	for i := range list {
		list[i].structures = true
	}
	add(reach, "longer reach of the learned covariance", true, tapers(c, 1.4, 2, 2.8)...)
	add(reach, "shorter reach of the learned covariance", true, tapers(c, 1/1.4, 1/2., 1/2.8)...)
	add(learned && s.given.Residual.Strength == 0 && (thorough || smooth), "weight of the prior of that covariance", true, strengths(1, 0.1)...)
	add(thorough && learned && c.Residual.Local == On && s.given.Infer.LocalBandwidth == 0, "noise of similar examples", false,
		option{"noise of all examples alike", func(c *Config) { c.Infer.LocalBandwidth = -1 }})
	add(learned && s.given.Infer.DegreesOfFreedom == 0, "degrees of freedom", true, freedoms(10, 2)...)
	add(thorough && learned && s.given.Infer.DegreesOfFreedom == 0 && c.Infer.DegreesOfFreedom == 0, "more degrees of freedom", true, freedoms(250, -1)...)
	var dims []option
	most := n - 1
	if points == 1 {
		most = min(most, channels-1)
	}
	for _, d := range []int{c.LatentDims / 2, c.LatentDims * 2} {
		if d != c.LatentDims && d >= 1 && d <= min(most, 40) {
			dims = append(dims, option{fmt.Sprintf("%d", d), func(c *Config) { c.LatentDims = d }})
		}
	}
	add(s.given.LatentDims == 0 && (thorough || !learned || n >= manyExamples), "latent dimensions", false, dims...)
	if learned && !smooth && n >= manyExamples && s.data.holes == nil {
		add(true, "steps of training and inducing points", true, s.larger(c)...)
	} else { // examples that were completed roughly show what steps are worth by the noise alone
		few, more := learned && !smooth && !thorough && n < manyExamples, []int{min(4*s.plan.steps, manySteps), manySteps}
		if few { // some gain by twice the steps, others lose
			more = []int{2 * s.plan.steps}
		}
		add(s.given.Training.Iterations == 0 && !(few && s.data.holes != nil), "steps of training", true, stepOptions(c.Training.Iterations, more...)...)
	}
	add(!learned && s.given.LatentKernel == "", "latent kernel", false,
		option{"rbf+linear+bias", func(c *Config) { c.LatentKernel = "rbf+linear+bias" }})
	return list
}

// whiteSteps is how many times as many steps a training with white noise has: they are all that it learns by.
const whiteSteps = 4

// longReach is the factor of the default reach of a covariance over smooth fields.
const longReach = 4

func tapers(c Config, factors ...float64) (list []option) {
	for _, f := range factors {
		taper := f * c.Residual.Taper
		list = append(list, option{fmt.Sprintf("%.3g spacings", taper), func(c *Config) { c.Residual.Taper = taper }})
	}
	return list
}

func strengths(values ...float64) (list []option) {
	for _, v := range values {
		list = append(list, option{fmt.Sprintf("%g examples", v), func(c *Config) { c.Residual.Strength = v }})
	}
	return list
}

func freedoms(values ...float64) (list []option) {
	for _, v := range values {
		name := fmt.Sprintf("%g", v)
		if v < 0 {
			name = "infinitely many"
		}
		list = append(list, option{name, func(c *Config) { c.Infer.DegreesOfFreedom = v }})
	}
	return list
}

// longer returns the candidates about the noise that take longer to learn than the winner.
func (s *search) longer() (list []option) {
	learned := s.learnedNoise()
	learned.Training.Iterations *= whiteSteps
	for _, preset := range []Config{learned, s.smoothed(learned)} {
		cfg := withDefaults(s.given, preset)
		list = append(list, option{fmt.Sprintf("noise from %.3g, %d steps", cmp.Or(cfg.Noise, startNoise), cfg.Training.Iterations), func(c *Config) { *c = cfg }})
	}
	return list
}

// larger returns candidates with more inducing points and steps of training, if these are open.
func (s *search) larger(c Config) (list []option) {
	n, _, _ := s.data.Source.Dims()
	for _, more := range []struct{ steps, inducing int }{{2, 150}, {4, 200}} {
		d, open := c, []string{}
		if s.given.Training.Iterations == 0 {
			d.Training.Iterations = more.steps * s.plan.steps
			open = append(open, fmt.Sprintf("%d steps", d.Training.Iterations))
		}
		if m := min(more.inducing, n); s.given.Inducing == 0 {
			d.Inducing = m
			open = append(open, fmt.Sprintf("%d inducing points", m))
		}
		if len(open) > 0 {
			list = append(list, option{strings.Join(open, ", "), func(c *Config) { c.Training.Iterations, c.Inducing = d.Training.Iterations, d.Inducing }})
		}
	}
	if s.given.Effort != EffortThorough {
		list = list[:min(len(list), 1)]
	}
	return list
}

// stepOptions returns the candidates with more steps of training than so many.
func stepOptions(than int, values ...int) (list []option) {
	for _, v := range values {
		if v > than {
			list = append(list, option{fmt.Sprintf("%d", v), func(c *Config) { c.Training.Iterations = v }})
			than = v
		}
	}
	return list
}
