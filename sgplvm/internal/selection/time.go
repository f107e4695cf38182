package selection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// timeErrors is by how many standard errors a later candidate must be better at examples left out, which all
// kernels were fitted to: those with more parameters more closely.
const timeErrors = 2

// ownErrors is the same where latent dimensions have kernels of their own at first: those that are much better for a series are so by more, and
// of several candidates one looks better by two errors by chance.
const ownErrors = 3

// maxOwnTimes and maxOwnRows are the numbers of examples, and rows of a table, up to which latent dimensions have kernels in time of their own, each a matrix of all times.
const maxOwnTimes, maxOwnRows = 200, 400

// linearSteps are the steps of training of linear latent dimensions, which start as principal components, with kernels of their own and with one that is
// trained with them: more bring nothing.
const ownSteps, linearSteps = 100, 200

const selectedLatent = 16 // latent dimensions of few examples in time

// LargeFilm is the number of numbers from which on a training takes too long to try many. Tests lower it.
var LargeFilm = 1000000

// CoarseFilm is how many numbers of a large film most of its training sees. Tests lower it.
var CoarseFilm = 1 << 21

// coarseFilm is by how many times a film has more numbers than CoarseFilm from which on most of its training takes place at
// as few of its points.
const coarseFilm = 4

// QuickFilm is how many numbers of a film most of its training sees where little is to be done. Tests lower it.
var QuickFilm = 1 << 19

// mixedTime is the kernel of a film's time part: rough changes and smooth ones in shares that training finds.
var mixedTime = kernel.Kernel{Kind: kernel.Sum, Terms: []kernel.Kernel{{Kind: kernel.Matern12}, matern32}}

// A timeCandidate says what a model knows of time, and how much of what an example has beside its
// neighbours it takes for noise.
type timeCandidate struct {
	latent string
	kernel kernel.Kernel // of the latent variables
	floor  float64       // of the noise
	own    bool          // each latent dimension has a kernel of its own
}

// plainTime has no noise floor: what an example has beside its neighbours is part of the picture.
var plainTime = timeCandidate{"rbf+time", matern32, 0, false}

// linearLatent is the latent kernel of examples that are sums of patterns.
const linearLatent = "linear+bias"

// allowed returns the candidate with what is given.
func (s *Search) allowed(c timeCandidate) timeCandidate {
	g := &s.given
	c.latent = cmp.Or(g.LatentKernel, c.latent)
	if g.TimeKernel.Kind != "" {
		c.kernel = g.TimeKernel
	}
	c.floor = cmp.Or(g.NoiseFloor, c.floor)
	c.own = c.own && g.OwnTimeKernels != field.Off
	return c
}

// preset returns the candidate as a configuration.
func (c timeCandidate) preset(s *Search) training.Settings {
	c = s.allowed(c)
	n, points, channels := s.data.Source.Dims()
	p := training.Settings{Factors: field.FactorsProduct, LatentKernel: c.latent, TimeKernel: c.kernel, LatentDims: max(1, min(selectedLatent, n-1, points*channels)),
		Residual: training.Residual{Kernel: kernel.Kernel{Kind: kernel.White}}}
	if c.own {
		p.OwnTimeKernels = field.On
	}
	if strings.Contains(c.latent, "time") {
		p.LatentTime = matern32
		if s.data.Film {
			p.LatentTime = mixedTime
		}
	}
	if c.floor > 0 {
		p.NoiseFloor, p.Noise = c.floor, 2*c.floor
	}
	switch {
	case c.latent == linearLatent && c.own:
		p.Training.Iterations = ownSteps
	case c.latent == linearLatent:
		p.Training.Iterations = linearSteps
	case s.given.Effort == field.EffortQuick:
		p.Training.Iterations = 2 * s.plan.Steps // half as many are enough of large films, which have more to tell
	}
	if points := s.coarseFilmPoints(); points > 0 {
		p.Training.CoarsePoints = points
		if s.quick() && s.given.Training.CoarsePoints >= 0 {
			p.Training.Iterations = s.plan.Steps
			p.Training.Warmup = training.ShortWarmup(p.Training.Iterations)
		}
	}
	return p
}

// coarseFilmPoints returns at how many points most of a large film's training takes place; 0: at all.
func (s *Search) coarseFilmPoints() int {
	n, points, channels := s.data.Source.Dims()
	from, most := coarseFilm*CoarseFilm, CoarseFilm
	if s.quick() {
		from, most = QuickFilm, QuickFilm
	}
	if !s.data.Film || len(s.data.Grid) != 2 || s.given.Factors == field.FactorsJoint || n*points*channels <= from {
		return 0
	}
	return max(1, most/(n*channels))
}

func (c timeCandidate) String() string {
	text := c.latent
	if c.kernel.Kind != kernel.Matern32 {
		text += " with " + c.kernel.String() + " in time"
	}
	if c.own {
		text += ", kernels of single dimensions"
	}
	if c.floor > 0 {
		return text + fmt.Sprintf(", noise at least %g of the variance", c.floor)
	}
	return text + ", any noise"
}

// options returns candidates as options.
func (s *Search) timeOptions(list []timeCandidate) (options []option) {
	for _, c := range list {
		options = append(options, option{s.allowed(c).String(), func(cfg *training.Settings) { *cfg = s.given.Or(c.preset(s)) }})
	}
	return options
}

// ownKernels reports whether latent dimensions may have kernels of their own.
func (s *Search) ownKernels() bool {
	n, _, _ := s.data.Source.Dims()
	return n <= maxOwnTimes && !s.data.Film || n <= maxOwnRows && s.table()
}

// linearTime has linear latent variables, of few examples each with a kernel of its own, and any noise.
func (s *Search) linearTime() timeCandidate {
	return timeCandidate{linearLatent, matern32, 0, s.ownKernels()}
}

// plainInTime is what is taken where nothing is tried.
func (s *Search) plainInTime() training.Settings {
	c := plainTime
	if s.table() {
		c = s.linearTime()
	}
	return s.given.Or(c.preset(s))
}

// table reports whether examples are rows of a table.
func (s *Search) table() bool { return s.data.Grid.Len() == 1 }

// timeCandidates are those for few examples, the one that holds most often first. In a table a part of f in time tells nothing that latent variables do not.
func (s *Search) timeCandidates() []timeCandidate {
	floored := timeCandidate{"rbf", matern32, 0.1, false}
	if s.ownKernels() {
		list := []timeCandidate{{linearLatent, matern32, 0.1, true}, floored}
		if s.given.Effort != field.EffortQuick {
			list = slices.Insert(list, 1, s.linearTime(), timeCandidate{"rbf", matern32, 0.1, true})
		}
		switch {
		case s.table():
			return list
		case s.given.Effort != field.EffortQuick:
			list = append(list, timeCandidate{"rbf+time", matern32, 0.1, false})
		}
		return append(list, plainTime)
	}
	if s.table() {
		return []timeCandidate{floored, s.linearTime(), {"rbf", matern32, 0, false}}
	}
	list := []timeCandidate{
		{"rbf", matern32, 0.1, false}, {"rbf", matern32, 0.3, false}, {"rbf", matern32, 0.05, false},
		{"rbf+time", matern32, 0.1, false}, {"rbf+time", matern32, 0.3, false},
	}
	if s.given.Effort == field.EffortQuick {
		list = list[:1]
	}
	if p := s.given.Period; p > 0 {
		seasons := kernel.Kernel{Kind: kernel.Sum, Terms: []kernel.Kernel{
			{Kind: kernel.Product, Terms: []kernel.Kernel{{Kind: kernel.RBF}, {Kind: kernel.Periodic, Period: p}}}, matern32}}
		list = append(list, timeCandidate{"rbf", seasons, 0.1, false})
		if s.given.Effort != field.EffortQuick {
			list = append(list, timeCandidate{"rbf", seasons, 0.3, false})
		}
	}
	return append(list, plainTime)
}

// inTime chooses for examples with times: whole ones at other times are to be predicted, and those seen in
// part at their time filled in.
func (s *Search) inTime() (training.Settings, error) {
	n, points, channels := s.data.Source.Dims()
	plain := s.plainInTime()
	if n < MinTraining {
		return plain, nil
	}
	if n*points*channels > LargeFilm || s.data.Film {
		return plain, s.foretellPlain(plain)
	}
	if s.data.Holes != nil {
		return s.holesInTime(plain)
	}
	options := s.timeOptions(s.timeCandidates())
	s.Task = "examples that were held out, predicted at their times"
	j, err := s.HoldOutWhole()
	if err != nil {
		return plain, err
	}
	folds, second := float64(len(j.folds)), s.given.Partly == nil
	learned, _, _ := j.folds[0].data.Source.Dims()
	larger := float64(n) / float64(learned)
	if s.given.Partly != nil {
		larger *= 2 // another model
	}
	tried := 1 + float64(len(options)-1)*(1+1/folds)/2 // half of those that are worse are stopped after the first fold
	if s.data.Guessed != nil {
		tried++ // the best is compared with the simplest methods
	}
	sure := float64(timeErrors)
	if s.ownKernels() {
		sure = ownErrors
	}
	best, err := s.kernelsOfTime(j, plain, options, sure, tried, larger/folds)
	if err != nil || !second {
		return best, err
	}
	return s.partly(best)
}

// foretellPlain tells how long the training takes where nothing is tried, unless little is to be done or most of it sees some points alone.
func (s *Search) foretellPlain(plain training.Settings) error {
	if s.given.Effort == field.EffortQuick || plain.Training.CoarsePoints > 0 {
		return nil
	}
	return s.foretell(func() (time.Duration, error) {
		t, err := probing(s.trainers, s.data, plain)
		if err != nil {
			return 0, err
		}
		p, err := paced(s.ctx, t)
		return time.Duration(p.inTime(plain)), err
	})
}

// kernelsOfTime chooses one of the candidates, of which another than the first must be better by so many standard errors. The work of
// as many as will be tried is foretold, and that of training larger ones at the end.
func (s *Search) kernelsOfTime(j *Folds, plain training.Settings, options []option, sure, tried, larger float64) (training.Settings, error) {
	if err := s.foretell(func() (d time.Duration, err error) {
		if s.given.Partly == nil {
			whole := plain
			options[0].apply(&whole) // which holds most often
			d, err = s.expectedPartly(whole)
		}
		last := larger // the first candidate is what is trained at the end, as far as is known
		for k := 0; k < len(options) && err == nil; k++ {
			cfg := plain
			options[k].apply(&cfg)
			p, failure := j.probe(s.ctx, cfg)
			d, err = d+time.Duration((tried/float64(len(options))+last)*p.inTime(cfg)), failure
			last = 0
		}
		return d, err
	}); err != nil {
		return plain, err
	}
	best, err := s.try(j, incumbent{settings: plain}, searchStage{name: "kernels of time", candidates: options, sure: sure})
	return best.settings, err
}

// partly adds the configuration for examples of which something is seen, where another is better for these.
func (s *Search) partly(whole training.Settings) (training.Settings, error) {
	options := s.partlyOptions(whole)
	s.Task += "; of the model for examples seen in part, values hidden of examples that were held out: " + s.hidden()
	j, err := newSecondValidator(s, whole)
	if err != nil {
		return whole, err
	}
	best, err := s.try(j, incumbent{settings: whole}, searchStage{name: "examples seen in part", candidates: options, sure: validation.SureErrors})
	if err != nil || best.settings.String() == whole.String() || !best.scored() {
		return whole, err
	}
	reach, err := journal.Within(s.run.Journal, "reach", func() (float64, error) { return j.reachOf(s.ctx, best.settings) })
	if err != nil {
		return whole, s.outerError(err)
	}
	best.settings.Effort = field.EffortNone
	whole.Partly, whole.PartlyReach = &best.settings, reach
	return whole, nil
}

// partlyOptions are the candidates for examples of which something is seen, the configuration for whole ones first.
func (s *Search) partlyOptions(whole training.Settings) []option {
	list := []timeCandidate{s.linearTime(), plainTime, {"rbf", matern32, 0.1, false}, {"rbf+time", matern32, 0.01, false}}
	switch {
	case s.table():
		list = list[:1]
	case s.given.Effort != field.EffortThorough:
		list = list[:2]
	}
	options := append([]option{{"the same", func(c *training.Settings) { *c = whole }}}, s.timeOptions(list)...)
	return append(options, s.structuredOptions()...)
}

// holesInTime chooses for examples that were seen in part at their times.
func (s *Search) holesInTime(plain training.Settings) (training.Settings, error) {
	if s.cannotValidate() {
		return plain, nil
	}
	list, structured := []timeCandidate{plainTime, {"rbf", matern32, 0.1, false}, {"rbf+time", matern32, 0.01, false}}, s.structuredOptions()
	switch {
	case s.table():
		list = s.timeCandidates()
	case s.given.Effort == field.EffortQuick:
		list = list[:2]
	case structured != nil:
		structured = append(structured, option{"learned covariance", func(c *training.Settings) { *c = s.given.Or(s.learnedInTime()) }})
	}
	options := append(s.timeOptions(list), structured...)
	s.Task = "values put aside: " + s.hidden()
	j, err := s.thinnedFolds(1)
	if err != nil {
		return plain, err
	}
	// No candidate is simpler than others, and few examples are sure of anything: the best mean decides.
	best, err := s.try(j, incumbent{settings: plain}, searchStage{name: "kernels of time", candidates: options})
	if err != nil {
		return best.settings, err
	}
	best, err = s.blended(j, best)
	return best.settings, err
}

// structuredOptions are those whose noise has a covariance in space, where examples have times.
func (s *Search) structuredOptions() []option {
	most := maxTimedJoint
	if s.given.Effort == field.EffortQuick {
		most = CoarseFrom
	}
	if _, points, _ := s.data.Source.Dims(); !s.jointPossible() || points > most {
		return nil
	}
	return []option{
		{"covariance of what does not last", func(c *training.Settings) { *c = s.given.Or(s.structuredInTime()) }},
		{"the same, smooth and rough", func(c *training.Settings) { *c = s.given.Or(s.smoothAndRough()) }},
	}
}

// maxTimedJoint is the number of points up to which a covariance of all of them is tried where examples have times.
const maxTimedJoint = 2500

// learnedInTime is the configuration of examples in time whose noise has a covariance that is learned freely.
func (s *Search) learnedInTime() training.Settings {
	n, _, _ := s.data.Source.Dims()
	c, time := s.learnedNoise(), plainTime.preset(s)
	c.LatentKernel, c.LatentTime, c.TimeKernel, c.LatentDims = time.LatentKernel, time.LatentTime, time.TimeKernel, time.LatentDims
	c.Residual.Rounds, c.Residual.Taper = 1, longReach*bound.DefaultTaper(float64(n))
	return c
}

// structuredSteps are how many steps for each one of the plan a covariance in space beside kernels of time takes, from hardly any noise.
// With fewer the noise has not grown to what it is, and variances are too small.
const structuredSteps = 2.5

// structuredInTime is the configuration of examples in time which have a field of their own beside what lasts. Such fields
// have shorter length scales, which one product of kernels in time and space does not know.
func (s *Search) structuredInTime() training.Settings {
	c := plainTime.preset(s)
	smooth := kernel.Kernel{Kind: kernel.Matern52}
	c.Factors, c.Noise, c.Spatial = field.FactorsJoint, grownNoise, []training.Spatial{{Kernel: smooth}}
	c.Residual = training.Residual{Kernel: smooth, Rounds: -1}
	if s.data.Grid.Len() > CoarseFrom {
		c.Training.CoarsePoints = coarsePoints
	}
	c.Training.Iterations = int(structuredSteps * float64(s.plan.Steps))
	c.Training.Warmup = training.ShortWarmup(c.Training.Iterations)
	return c
}

// smoothAndRough is structuredInTime whose kernels in space, of what lasts and of what does not, have a smooth and a rough part each. From kernels of
// one reach training ends with a rough field of its own beside smooth changes that last, or the other way round. Where the rough part of what lasts
// starts rougher than that of what does not it stays so, and white noise is not taken for either.
func (s *Search) smoothAndRough() training.Settings {
	c := s.structuredInTime()
	var two []float64 // spacings, in each dimension; of the points together they would follow the picture's shape
	for _, x := range s.data.Grid {
		two = append(two, work.TwoSpacings(x)...)
	}
	parts := func(smooth, rough float64) kernel.Kernel { // of so many times two spacings
		k := kernel.Kernel{Kind: kernel.Sum, Weights: []float64{0.5, 0.5}}
		for _, by := range []float64{smooth, rough} {
			scales := make([]float64, len(two))
			for d, v := range two {
				scales[d] = by * v
			}
			k.Terms = append(k.Terms, kernel.Kernel{Kind: kernel.Matern52, LengthScale: scales})
		}
		return k
	}
	c.Training.Iterations *= 2 // which part explains what takes steps to settle
	c.Training.Warmup = training.ShortWarmup(c.Training.Iterations)
	c.Spatial = []training.Spatial{{Kernel: parts(6, 0.75)}}
	c.Residual.Kernel = parts(4, 2)
	return c
}

// expectedPartly returns how long the choice of a model for examples seen in part takes, and its training at the end.
func (s *Search) expectedPartly(whole training.Settings) (time.Duration, error) {
	j, err := s.thinnedFolds(len(completion.Patterns))
	if err != nil {
		return 0, err
	}
	var total, longest float64
	for _, o := range s.partlyOptions(whole) {
		cfg := whole
		if o.apply(&cfg); s.forbidden(cfg) {
			continue
		}
		p, err := j.probe(s.ctx, cfg)
		if err != nil {
			return 0, err
		}
		one := p.inTime(cfg)
		total, longest = total+one, max(longest, one)
	}
	return time.Duration(total + longest/float64(len(j.folds))), nil
}

// outerError returns an error, or nil where it only says that the search has ended.
func (s *Search) outerError(err error) error {
	if s.ended() {
		return s.outer.Err()
	}
	return err
}

// Series are the settings of the model of a series, a single value over time. Latent variables tell nothing that the values
// do not: the simplest methods fill it in, and a model of it is there to be kept.
func Series(n int) training.Settings {
	return training.Settings{LatentKernel: linearLatent, LatentDims: 1, Inducing: min(n, seriesInducing), Training: training.Training{Iterations: seriesSteps, Warmup: training.ShortWarmup(seriesSteps)}}
}

const seriesInducing, seriesSteps = 10, 20
