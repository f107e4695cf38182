package sgplvm

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Sizes of a validation.
const (
	coarseFrom    = 1200 // points of one factor from which on validation, and most of training, takes place at some of them
	maxValidation = 1000 // points of one factor, where there are more than coarseFrom
	minTraining   = 5    // examples to learn from, for one
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
	data    trainingSet
	scale   float64               // how much smaller distances in spacings are at its points, which may be further apart
	trained recent[*bound.Params] // of trainedKept
	learned recent[*Model]        // of learnedKept
}

// A fold keeps trainedKept sets of parameters: those of the first stage's candidates, so that later ones start from the best. It keeps learnedKept models,
// if they have few numbers: the best, and ordered candidates next to it.
const (
	trainedKept = 5
	learnedKept = 4
	smallFold   = 4_000_000
)

// A fillCase is an example held out, under one pattern of what is missing.
type fillCase struct {
	fold, example int
	kind          int // of its pattern
	truth, seen   []float64
	at            *Instant
}

// validationPoints returns the points of the validation, their grid, and their spacing in that of all points. If there are more than
// coarseFrom and their covariance may be learned, it takes every second, third, … along each factor;
// of one factor with scattered points some at random.
func (s *search) validationPoints(rng *rand.Rand) (points []int, grid Grid, scale float64) {
	g := s.data.Grid
	if g.Len() <= coarseFrom || s.data.Times != nil || !s.jointPossible() {
		return allBut(g.Len(), nil), g, 1
	}
	if len(g) == 1 && (g[0].Cols > 1 || len(s.data.Hide) > 0) {
		points = s.somePoints(rng)
		return points, Grid{work.Gather(g[0], points)}, math.Pow(float64(len(points))/float64(g.Len()), 1/float64(g[0].Cols))
	}
	for every := 2; ; every++ {
		points, grid = thinned(g, every)
		if grid.Len() <= coarseFrom {
			return points, grid, 1 / float64(every)
		}
	}
}

// somePoints returns maxValidation points of one factor at random. If a mask is known, at most three quarters of them are seen in it.
func (s *search) somePoints(rng *rand.Rand) []int {
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
func (s *search) heldOut(rng *rand.Rand, p plan) (folds [][]int) {
	n, _, _ := s.data.Source.Dims()
	if s.data.holes == nil {
		return divide(rng, n, p, s.data.Times != nil)
	}
	examples := s.data.holes.HeldExamples()
	count := max(1, min(p.folds, len(examples)))
	if s.data.Times == nil { // more folds take longer and say no more of the same examples
		count = min(count, 1+(len(examples)-1)*foldShare/n)
	}
	folds = make([][]int, count)
	for k, i := range examples {
		folds[k%count] = append(folds[k%count], i)
	}
	return folds
}

// newCase returns the next case: an example with values at some points with coordinates x.
func (s *search) newCase(rng *rand.Rand, fold, example, next int, values []float64, x mat.Matrix, points []int, channels int) fillCase {
	h := s.data.holes
	if h == nil {
		return newFillCase(fold, example, values, s.missing(rng, next, x, points, channels), s.data)
	}
	c := newFillCase(fold, example, values, make([]bool, len(values)), s.data)
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
func (s *search) missing(rng *rand.Rand, next int, x mat.Matrix, points []int, channels int) []bool {
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

// newFillCase hides values of an example.
func newFillCase(fold, example int, values []float64, missing []bool, d trainingSet) fillCase {
	c := fillCase{fold: fold, example: example, truth: values, seen: slices.Clone(values)}
	for k, m := range missing {
		if m {
			c.seen[k] = math.NaN()
		}
	}
	if d.Times != nil {
		c.at = &data.Instants(d.Times, d.Sequences)[example]
	}
	return c
}

// firstInTime are the first examples in time that the folds hold out; others follow at even distances.
var firstInTime = [...]int{1, 3, 2, 0}

// divide returns the examples that each fold holds out: at random or, in time, at even distances.
func divide(rng *rand.Rand, n int, p plan, inTime bool) (folds [][]int) {
	order := rng.Perm(n)
	each := max(1, min(p.heldOut, n/4))
	count := max(1, min(p.folds, p.heldOut/each, n/each))
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
func (s *search) learnedBy(n int, out []int) []int {
	in := allBut(n, out)
	if s.data.Times != nil || s.data.holes != nil || len(in) <= s.plan.learned {
		return in
	}
	rng := rand.New(rand.NewPCG(s.given.Seed, 0x6c6561726e6564))
	rng.Shuffle(len(in), func(i, k int) { in[i], in[k] = in[k], in[i] })
	in = in[:s.plan.learned]
	slices.Sort(in)
	return in
}

// longerAtLast returns the configuration of the last training, which is longer than that of candidates in two cases: many examples with cheap steps after a quick
// search, and few smooth fields, most of whose training is at some points. The points of the validation are too far apart to show what these gain.
func (s *search) longerAtLast(c Config) Config {
	n, points, _ := s.data.Source.Dims()
	many := s.quick() && n >= manyExamples && points <= manyPoints
	fields := s.smooth(c) && n < manyExamples && c.Training.CoarsePoints > 0 && s.data.holes == nil
	if !many && !fields || c.Residual.Rounds <= 0 || s.given.Training.Iterations != 0 {
		return c
	}
	c.Training.Iterations = max(c.Training.Iterations, min(lastSteps*c.Training.Iterations, manySteps))
	if s.given.Training.Warmup == 0 {
		c.Training.Warmup = shortWarmup(c.Training.Iterations)
	}
	return c
}

// smooth reports whether a configuration is for smooth fields, which are worth more steps than candidates have. A longer reach alone does not make it one.
func (s *search) smooth(c Config) bool {
	n, _, _ := s.data.Source.Dims()
	return c.Residual.Taper > bound.DefaultTaper(float64(n)) && (c.Noise == s.smoothNoise() || s.given.Noise != 0)
}

// smoothNoise is the initial noise of smooth fields, small since complete ones have hardly any and steps are few. Many pictures of few
// points are seldom smooth fields; they share the start at quick effort.
func (s *search) smoothNoise() float64 {
	n, points, _ := s.data.Source.Dims()
	if pictures := n >= manyExamples && points <= coarseFrom; s.data.holes != nil || pictures && s.quick() {
		return grownNoise
	}
	return 1e-7
}

// grownNoise is the initial noise where it will grow: imputed values have some, and fields in time that do not last.
const grownNoise = 1e-5

// lastSteps is how many times as many steps the last training has.
const lastSteps = 3

// allBut returns the numbers below n that are not in an ascending list.
func allBut(n int, list []int) (rest []int) {
	for i := range n {
		if _, found := slices.BinarySearch(list, i); !found {
			rest = append(rest, i)
		}
	}
	return rest
}

// instantsOf returns times and labels of some examples; nil if the data have none.
func instantsOf(d trainingSet, examples []int) (times []float64, sequences []int) {
	if d.Times == nil {
		return nil, nil
	}
	for _, i := range examples {
		times = append(times, d.Times[i])
		if d.Sequences != nil {
			sequences = append(sequences, d.Sequences[i])
		}
	}
	return times, sequences
}

// readPoints sets the rows of dst to the values of the examples at some points.
func readPoints(dst mat.Matrix, source Source, points []int) error {
	n, all, channels := source.Dims()
	example := make([]float64, all*channels)
	for i := range n {
		if err := source.ReadExamples(example, i, i+1); err != nil {
			return &ReadError{From: i, To: i + 1, Err: err}
		}
		for k, at := range points {
			copy(dst.Row(i)[k*channels:(k+1)*channels], example[at*channels:])
		}
	}
	return nil
}

// fitted returns a configuration with sizes that fit the fold.
func (f *fold) fitted(cfg Config) Config {
	n, points, _ := f.data.Source.Dims()
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
func atSpacing(list []Blend, factor float64) []Blend {
	list = slices.Clone(list)
	for i := range list {
		b := &list[i]
		b.Gap, b.Taper, b.WideTaper, b.Reach = b.Gap/factor, b.Taper/factor, b.WideTaper/factor, b.Reach/factor
	}
	return list
}

// model trains a configuration on the fold. What candidates share is trained once.
func (f *fold) model(ctx context.Context, cfg Config) (m *Model, err error) {
	cfg.Infer = InferOptions{}
	key := text(cfg)
	if m, ok := f.learned.get(key); ok {
		return m, nil
	}
	base := cfg
	base.Residual.Rounds, base.Residual.Steps, base.Residual.Strength, base.Residual.Taper, base.Residual.Local = -1, 0, 0, 0, Off
	p, ok := f.trained.get(text(base))
	if !ok {
		if p, err = f.train(ctx, base); err != nil {
			return nil, err
		}
		f.trained.limit = trainedKept
		f.trained.put(text(base), p)
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
func (f *fold) train(ctx context.Context, cfg Config) (*bound.Params, error) {
	t, err := trainerOf(f.data, f.fitted(cfg))
	if err != nil {
		return nil, err
	}
	if _, err := t.Fit(ctx); err != nil {
		return nil, err
	}
	return t.params, nil
}

// learn returns the model of trained parameters, with its noise covariance learned if cfg has rounds of that, and calibrated if possible.
func (f *fold) learn(ctx context.Context, cfg Config, p *bound.Params) (*Model, error) {
	cfg = f.fitted(cfg)
	cfg.Training.CoarsePoints, cfg.Training.Iterations, cfg.Training.Warmup = -1, 1, 1
	cfg.Residual.Taper *= f.scale
	t, err := trainerAt(f.data, cfg, p)
	if err != nil {
		return nil, err
	}
	if _, err := t.Fit(ctx); err != nil {
		return nil, err
	}
	return t.Model()
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
