package selection

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Sizes of a validation.
const (
	CoarseFrom    = 1200 // points of one factor from which on validation, and most of training, takes place at some of them
	maxValidation = 1000 // points of one factor, where there are more than CoarseFrom
	MinTraining   = 5    // examples to learn from, for one
	manyPoints    = 700  // from which on one fold must do: training takes long
	minHeldOut    = 8    // examples of many values, over all folds
	fewPatterns   = 2    // for each example at all points, where more of these would take long
	minSecond     = 4    // examples under each pattern, where little is to be tried
	maxSecond     = 100  // of at most smallSecond values, which take little to fill in
	smallSecond   = 200
	foldShare     = 8 // about one in so many examples with holes is held out of a fold at most, where folds suffice
)

// A fold has examples to learn from, and what was learned from them last: parameters without the noise covariance, and models with it.
type fold struct {
	data     Data
	trainers Trainers
	scale    float64                    // how much smaller distances in spacings are at its points, which may be further apart
	trained  recent[*bound.Params]      // of trainedKept
	learned  recent[*predict.Posterior] // of learnedKept
}

// A fold keeps trainedKept sets of parameters: those of the first stage's candidates, so that later ones start from the best. It keeps learnedKept models,
// if they have few numbers: the best, and ordered candidates next to it.
const (
	trainedKept = 5
	learnedKept = 4
	smallFold   = 4_000_000
)

// A Case is an example held out, under one pattern of what is missing.
type Case struct {
	Fold, Example int
	At            *field.Instant // nil: it has no time
	kind          int            // of its pattern
	truth, seen   []float64
}

// validationPoints returns the points of the validation, their grid, and their spacing in that of all points. If there are more than
// CoarseFrom and their covariance may be learned, it takes every second, third, … along each factor;
// of one factor with scattered points some at random.
func (s *Search) validationPoints(rng *rand.Rand) (points []int, grid field.Grid, scale float64) {
	g := s.data.Grid
	if g.Len() <= CoarseFrom || s.data.Times != nil || !s.jointPossible() {
		return work.AllBut(g.Len(), nil), g, 1
	}
	if len(g) == 1 && (g[0].Cols > 1 || len(s.data.Hide) > 0) {
		points = s.somePoints(rng)
		return points, field.Grid{work.Gather(g[0], points)}, math.Pow(float64(len(points))/float64(g.Len()), 1/float64(g[0].Cols))
	}
	for every := 2; ; every++ {
		points, grid = data.Thinned(g, every)
		if grid.Len() <= CoarseFrom {
			return points, grid, 1 / float64(every)
		}
	}
}

// somePoints returns maxValidation points of one factor at random. If a mask is known, at most three quarters of them are seen in it.
func (s *Search) somePoints(rng *rand.Rand) []int {
	points := rng.Perm(s.data.Grid.Len())
	if len(s.data.Hide) > 0 {
		var seen, rest []int
		channels := len(s.data.Hide[0]) / len(points)
		for _, i := range points {
			if s.data.Hide[0][i*channels] {
				rest = append(rest, i)
			} else {
				seen = append(seen, i)
			}
		}
		seen = seen[:min(len(seen), maxValidation*3/4)]
		points = append(seen, rest[:min(len(rest), maxValidation-len(seen))]...)
	}
	points = points[:min(len(points), maxValidation)]
	slices.Sort(points)
	return points
}

// heldOut returns the examples that each fold holds out.
func (s *Search) heldOut(rng *rand.Rand, p Plan) (folds [][]int) {
	n, _, _ := s.data.Source.Dims()
	if s.data.Holes == nil {
		return divide(rng, n, p, s.data.Times != nil)
	}
	examples := s.data.Holes.HeldExamples()
	count := max(1, min(p.Folds, len(examples)))
	if s.data.Times == nil { // more folds take longer and say no more of the same examples
		count = min(count, 1+(len(examples)-1)*foldShare/n)
	}
	folds = make([][]int, count)
	for k, i := range examples {
		folds[k%count] = append(folds[k%count], i)
	}
	return folds
}

// nextCase returns the next case: an example with values at some points with coordinates x.
func (s *Search) nextCase(rng *rand.Rand, fold, example, next int, values []float64, x mat.Matrix, points []int, channels int) Case {
	h := s.data.Holes
	if h == nil {
		return newCase(fold, example, values, s.missing(rng, next, x, points, channels), s.data)
	}
	c := newCase(fold, example, values, make([]bool, len(values)), s.data)
	c.truth = h.HeldAt(example, points, channels)
	missing := h.Of(example)
	for k := range c.seen {
		if missing[points[k/channels]*channels+k%channels] {
			c.seen[k] = math.NaN()
		}
	}
	return c
}

// missing returns what the next case misses at some points with coordinates x.
func (s *Search) missing(rng *rand.Rand, next int, x mat.Matrix, points []int, channels int) []bool {
	hide := s.data.Hide
	if len(hide) == 0 {
		return completion.Patterns[next%len(completion.Patterns)](rng, x, channels)
	}
	mask := hide[next%len(hide)]
	if len(s.data.Grid) == 1 && len(points) < s.data.Grid.Len() {
		mask = hide[0] // that the points were taken for
	}
	var missing []bool
	for _, i := range points {
		missing = append(missing, mask[i*channels:(i+1)*channels]...)
	}
	return missing
}

// newCase hides values of an example.
func newCase(fold, example int, values []float64, missing []bool, d Data) Case {
	c := Case{Fold: fold, Example: example, truth: values, seen: slices.Clone(values)}
	for k, m := range missing {
		if m {
			c.seen[k] = math.NaN()
		}
	}
	if d.Times != nil {
		c.At = &data.Instants(d.Times, d.Sequences)[example]
	}
	return c
}

// firstInTime are the first examples in time that the folds hold out; others follow at even distances.
var firstInTime = [...]int{1, 3, 2, 0}

// divide returns the examples that each fold holds out: at random or, in time, at even distances.
func divide(rng *rand.Rand, n int, p Plan, inTime bool) (folds [][]int) {
	order := rng.Perm(n)
	each := max(1, min(p.HeldOut, n/4))
	count := max(1, min(p.Folds, p.HeldOut/each, n/each))
	if inTime {
		count = min(count, len(firstInTime))
	}
	for f := range count {
		var out []int
		if inTime {
			for i := firstInTime[f]; i < n; i += len(firstInTime) {
				out = append(out, i)
			}
			out = out[:min(len(out), each)]
		} else {
			out = slices.Clone(order[f*each : (f+1)*each])
		}
		slices.Sort(out)
		folds = append(folds, out)
	}
	return folds
}

// learnedBy returns the examples that a fold learns from: all of n but those held out, or of examples without times as many at random as the
// plan says.
func (s *Search) learnedBy(n int, out []int) []int {
	in := work.AllBut(n, out)
	if s.data.Times != nil || s.data.Holes != nil || len(in) <= s.plan.Learned {
		return in
	}
	rng := rand.New(rand.NewPCG(s.given.Seed, 0x6c6561726e6564))
	rng.Shuffle(len(in), func(i, k int) { in[i], in[k] = in[k], in[i] })
	in = in[:s.plan.Learned]
	slices.Sort(in)
	return in
}

// longerAtLast returns the configuration of the last training, which is longer than that of candidates in two cases: many examples with cheap steps after a quick
// search, and few smooth fields, most of whose training is at some points. The points of the validation are too far apart to show what these gain.
func (s *Search) longerAtLast(c training.Settings) training.Settings {
	n, points, _ := s.data.Source.Dims()
	many := s.quick() && n >= manyExamples && points <= manyPoints
	fields := s.smooth(c) && n < manyExamples && c.Training.CoarsePoints > 0 && s.data.Holes == nil
	if !many && !fields || c.Residual.Rounds <= 0 || s.given.Training.Iterations != 0 {
		return c
	}
	c.Training.Iterations = max(c.Training.Iterations, min(lastSteps*c.Training.Iterations, manySteps))
	if s.given.Training.Warmup == 0 {
		c.Training.Warmup = training.ShortWarmup(c.Training.Iterations)
	}
	return c
}

// smooth reports whether a configuration is for smooth fields, which are worth more steps than candidates have. A longer reach alone does not make it one.
func (s *Search) smooth(c training.Settings) bool {
	n, _, _ := s.data.Source.Dims()
	return c.Residual.Taper > bound.DefaultTaper(float64(n)) && (c.Noise == s.smoothNoise() || s.given.Noise != 0)
}

// smoothNoise is the initial noise of smooth fields, small since complete ones have hardly any and steps are few. Many pictures of few
// points are seldom smooth fields; they share the start at quick effort.
func (s *Search) smoothNoise() float64 {
	n, points, _ := s.data.Source.Dims()
	if pictures := n >= manyExamples && points <= CoarseFrom; s.data.Holes != nil || pictures && s.quick() {
		return grownNoise
	}
	return 1e-7
}

// grownNoise is the initial noise where it will grow: imputed values have some, and fields in time that do not last.
const grownNoise = 1e-5

// lastSteps is how many times as many steps the last training has.
const lastSteps = 3

// readPoints sets the rows of dst to the values of the examples at some points.
func readPoints(dst mat.Matrix, source field.Source, points []int) error {
	n, all, channels := source.Dims()
	example := make([]float64, all*channels)
	for i := range n {
		if err := source.ReadExamples(example, i, i+1); err != nil {
			return &field.ReadError{From: i, To: i + 1, Err: err}
		}
		for k, at := range points {
			copy(dst.Row(i)[k*channels:(k+1)*channels], example[at*channels:])
		}
	}
	return nil
}

// Fitted returns settings with sizes that fit the data.
func (d Data) Fitted(cfg training.Settings) training.Settings {
	n, points, _ := d.Source.Dims()
	if cfg.LatentDims > 0 {
		cfg.LatentDims = max(1, min(cfg.LatentDims, n-1))
	}
	cfg.Inducing = min(cfg.Inducing, n)
	cfg.Training.Uncalibrated = false
	if cfg.Training.CoarsePoints >= points {
		cfg.Training.CoarsePoints = -1
	}
	return cfg
}

// atSpacing returns blends with distances in spacings larger by a factor.
func atSpacing(list []field.Blend, factor float64) []field.Blend {
	list = slices.Clone(list)
	for i := range list {
		b := &list[i]
		b.Gap, b.Taper, b.Reach = b.Gap/factor, b.Taper/factor, b.Reach/factor
	}
	return list
}

// model trains a configuration on the fold. What candidates share is trained once.
func (f *fold) model(ctx context.Context, cfg training.Settings) (m *predict.Posterior, err error) {
	cfg.Infer = field.InferOptions{}
	key := cfg.String()
	if m, ok := f.learned.get(key); ok {
		return m, nil
	}
	base := cfg
	base.Residual.Rounds, base.Residual.Steps, base.Residual.Strength, base.Residual.Taper, base.Residual.Local = -1, 0, 0, 0, field.Off
	p, ok := f.trained.get(base.String())
	if !ok {
		if p, err = f.train(ctx, base); err != nil {
			return nil, err
		}
		f.trained.limit = trainedKept
		f.trained.put(base.String(), p)
	}
	if n, points, channels := f.data.Source.Dims(); n*points*channels <= smallFold {
		f.learned.limit = learnedKept
	}
	if m, err = f.learn(ctx, cfg, p.Clone()); err == nil {
		f.learned.put(key, m)
	}
	return m, err
}

// train trains all parameters but the noise covariance.
func (f *fold) train(ctx context.Context, cfg training.Settings) (*bound.Params, error) {
	t, err := f.trainers.New(f.data, f.data.Fitted(cfg), nil)
	if err != nil {
		return nil, err
	}
	if _, err := t.Fit(ctx); err != nil {
		return nil, err
	}
	return t.Params(), nil
}

// learn returns the model of trained parameters, with its noise covariance learned if cfg has rounds of that, and calibrated if possible.
func (f *fold) learn(ctx context.Context, cfg training.Settings, p *bound.Params) (*predict.Posterior, error) {
	cfg = f.data.Fitted(cfg)
	cfg.Training.CoarsePoints, cfg.Training.Iterations, cfg.Training.Warmup = -1, 1, 1
	cfg.Residual.Taper *= f.scale
	t, err := f.trainers.New(f.data, cfg, p)
	if err != nil {
		return nil, err
	}
	if _, err := t.Fit(ctx); err != nil {
		return nil, err
	}
	return t.Posterior()
}

// recent remembers the last results by what they were made from: two, or as many as limit says.
type recent[T any] struct {
	limit   int
	entries []recentEntry[T] // the last one that was asked for first
}

type recentEntry[T any] struct {
	key   string
	value T
}

func (r *recent[T]) get(key string) (value T, ok bool) {
	for i, e := range r.entries {
		if e.key == key {
			copy(r.entries[1:], r.entries[:i])
			r.entries[0] = e
			return e.value, true
		}
	}
	return value, false
}

func (r *recent[T]) put(key string, value T) {
	r.entries = slices.Insert(r.entries, 0, recentEntry[T]{key, value})
	r.entries = slices.Delete(r.entries, min(len(r.entries), cmp.Or(r.limit, 2)), len(r.entries))
}
