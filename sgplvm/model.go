package sgplvm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/modelfile"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/sums"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Model is a trained structured Bayesian Gaussian process latent variable model: what a Trainer has
// learned, or Load has read. It does not change, and any number of goroutines may use it at once.
type Model struct {
	posterior  *predict.Posterior
	film       *film.Model // nil but where the examples are the frames of a film with motion
	seed       uint64
	attributes map[string]string
	attached   map[string][]byte
	config     *Config    // that it was trained with; nil where the file does not say
	selection  *Selection // how that was chosen; nil where nothing was
	phases     []PhaseReport
	partly     *Model // what fills in and infers where something is seen; nil: the model itself
	joined     *atomic.Pointer[joinedGrid]
}

// What predictions ask for and give. Package field declares it, but for Mixture and Basis.
type (
	Observed       = field.Observed       // a partly seen example
	Latent         = field.Latent         // the posterior of one example's latent variables
	Prediction     = field.Prediction     // means and variances at the points of a grid
	Slab           = field.Slab           // a part of many predictions
	Samples        = field.Samples        // fields drawn from a model
	SampledFrame   = field.SampledFrame   // one of a film that was drawn
	InferOptions   = field.InferOptions   // of Infer and Impute
	Blend          = field.Blend          // how much what training examples say directly counts
	Conditioning   = field.Conditioning   // how observed values enter the prediction of missing ones
	SlabOptions    = field.SlabOptions    // of PredictSlabs
	MixtureOptions = field.MixtureOptions // of PredictMixture
	SampleOptions  = field.SampleOptions  // of Sample

	// Mixture is the marginal distribution of the data at a grid's points as a mixture of Gaussians,
	// one for each of some latent points drawn from q(x): Component, Moments and LogDensity tell of it.
	Mixture = predict.Mixture

	// Basis is what predictions at certain latent variables are sums of: small enough to be evaluated elsewhere.
	Basis = predict.Basis
)

// The ways of conditioning.
const (
	ConditionGivenLatent = field.ConditionGivenLatent // Gaussian given x, averaged over x: the default
	ConditionMoments     = field.ConditionMoments     // the moments under q(x), as Atkinson and Zabaras (2018); uses observed values twice
	ConditionNone        = field.ConditionNone        // from q(x) alone
)

func newModel(q *predict.Posterior, f *film.Film, seed uint64, attributes map[string]string, attached map[string][]byte) *Model {
	m := &Model{posterior: q, seed: seed, attributes: maps.Clone(attributes), attached: maps.Clone(attached), joined: new(atomic.Pointer[joinedGrid])}
	if f != nil {
		m.film = &film.Model{Film: f, Posterior: q}
	}
	return m
}

// With returns the model with content attached under names, in its file as well: what the caller
// needs beside the model to use it. What had one of the names is replaced; nil takes it away. The
// models share everything else, and content, which must not be changed afterwards. It panics for the
// names under which a film is kept: motion, originals, detail, inflation, errors, mixture and chroma.
func (m *Model) With(attachments map[string][]byte) *Model {
	c := *m
	c.attached = map[string][]byte{}
	maps.Copy(c.attached, m.attached)
	for name, content := range attachments {
		checkReserved(name)
		c.attached[name] = content
		if content == nil {
			delete(c.attached, name)
		}
	}
	return &c
}

// Attached returns what was attached under a name, nil where nothing was. It must not be changed.
func (m *Model) Attached(name string) []byte { return m.attached[name] }

// Attributes returns a copy of the caller's own entries in the model file.
func (m *Model) Attributes() map[string]string { return maps.Clone(m.attributes) }

// Config returns the configuration that the model was trained with, everything chosen: with Effort none it
// trains the same model from the same data. ok is false where the model's file does not say, and where JSON does
// not have all of it: of training from another model (Start), with free inducing points or variances of kernels.
func (m *Model) Config() (cfg Config, ok bool) {
	if m.config == nil {
		return Config{}, false
	}
	return *m.config, true
}

// Selection tells how the configuration was chosen; nil where nothing was tried. It must not be changed.
func (m *Model) Selection() *Selection { return m.selection }

// Training tells how the bound rose, phase by phase: names, steps, statuses and bounds; nil where the model's file does not say.
// It must not be changed.
func (m *Model) Training() []PhaseReport { return m.phases }

// Basis returns what the model's predictions at certain latent variables are sums of, at the points of a grid (nil: the training
// grid); of a film with motion, of its frames with the motion taken out. Errors: *ConfigError.
func (m *Model) Basis(g Grid) (*Basis, error) {
	if g != nil {
		g = m.on(g)
	}
	return m.posterior.Basis(g)
}

// Grid returns the training grid. It must not be changed.
func (m *Model) Grid() Grid { return m.posterior.Grid() }

// Channels returns d_y.
func (m *Model) Channels() int { return len(m.posterior.Scaler().Mean) }

// Examples returns n_ξ.
func (m *Model) Examples() int { return m.posterior.Params().X.Mu.Rows }

// Times returns the times of the training examples; nil where they have none. They must not be changed.
func (m *Model) Times() []Instant { return m.posterior.Params().X.At() }

// Infer returns the posterior of a partly seen example's latent variables. An
// example with nothing observed gets its prior. Errors: *ConfigError,
// *ValueError, ctx.Err().
func (m *Model) Infer(ctx context.Context, obs Observed, o InferOptions) (Latent, error) {
	by, obs, err := m.seen(obs)
	if err != nil {
		return Latent{}, err
	}
	obs.Grid = by.on(obs.Grid)
	l, err := by.examples().Infer(ctx, obs, by.inferOptions(o))
	l.Partly = by != m
	return l, err
}

// Impute infers a partly seen example's latent variables and returns the
// distribution of the data at all points of its grid given what was observed:
// an observed value is its own mean, with variance 0; a missing one is
// predicted from q(x) and, as InferOptions.Conditioning says, from the residuals
// of the observed ones. Calibrated variances at a time are inflated as far as
// the observed values leave open what the time alone did. A frame of a film with motion, whose Prior must have
// a time, is predicted as a whole and corrected near what was seen of it; its Latent stays the Prior, unless
// Conditioning is ConditionNone. Errors: *ConfigError, *ValueError, ctx.Err().
func (m *Model) Impute(ctx context.Context, obs Observed, o InferOptions) (Prediction, Latent, error) {
	var p Prediction
	var l Latent
	err := m.ImputeTo(ctx, &p, &l, obs, o)
	return p, l, err
}

// ImputeTo is Impute in the storage of an earlier result of as many values, or of the zero Prediction and Latent, which become one; goroutines have
// one each. Examples that are filled in one after the other at the points of one grid allocate nothing, whatever the model, once the first
// have been: what lies between is kept by the model for the next call. Three things are allocated and collected again: matrices of more than 2²⁰ numbers,
// those of more than 1024 observed points, say; of films with motion the frames that are warped, some hundred pieces of memory; and what a
// second model for examples seen in part (Config.Partly) says of their time. After an error p and l are as they were.
// Errors: those of Impute.
func (m *Model) ImputeTo(ctx context.Context, p *Prediction, l *Latent, obs Observed, o InferOptions) error {
	by, obs, err := m.seen(obs)
	if err != nil {
		return err
	}
	obs.Grid = by.on(obs.Grid)
	if err = by.examples().ImputeTo(ctx, p, l, obs, by.inferOptions(o)); err == nil {
		l.Partly = by != m
	}
	return err
}

// inferOptions returns the options with what they leave open as the model's configuration has it.
func (m *Model) inferOptions(o InferOptions) InferOptions {
	if m.config != nil {
		return o.Or(m.config.Infer)
	}
	return o
}

// Predict returns mean and variance of the data at the points of a grid (nil:
// the training grid) for a latent posterior. They are the exact first two
// moments for uncertain latent variables. Errors: *ConfigError.
func (m *Model) Predict(l Latent, g Grid) (Prediction, error) {
	var p Prediction
	err := m.PredictTo(&p, l, g)
	return p, err
}

// PredictTo is Predict in the storage of an earlier result of as many values, or of the zero Prediction. At the training points, and again and
// again at those of one other grid, it allocates nothing, as ImputeTo. After an error p is as it was. Errors: those of Predict.
func (m *Model) PredictTo(p *Prediction, l Latent, g Grid) error {
	by := m.of(l)
	return by.examples().PredictTo(p, l, by.on(g))
}

// PredictCovariance returns the mean (n_s*×d_y) and, for every channel, the
// covariance (n_s*×n_s*) of f, the data without noise of either kind, white or
// structured, at the points of a grid (nil: the training grid), in the user's
// units. PredictDataCovariance has the noise too. Both form the full matrices.
func (m *Model) PredictCovariance(l Latent, g Grid) (mean mat.Matrix, cov []mat.Matrix, err error) {
	by := m.of(l)
	return by.examples().PredictCovariance(l, by.on(g))
}

// PredictDataCovariance is PredictCovariance of the data: of f and all of the noise.
// Its diagonal is the variance that Predict returns.
func (m *Model) PredictDataCovariance(l Latent, g Grid) (mean mat.Matrix, cov []mat.Matrix, err error) {
	by := m.of(l)
	return by.examples().PredictDataCovariance(l, by.on(g))
}

// PredictMixture returns the distribution of the data at the points of a grid (nil: the
// training grid) for a latent posterior as a mixture. Errors: *ConfigError.
func (m *Model) PredictMixture(l Latent, g Grid, o MixtureOptions) (*Mixture, error) {
	by := m.of(l)
	return by.examples().PredictMixture(l, by.on(g), o)
}

// PredictSlabs predicts what Predict does, to rounding, for many latent posteriors at once
// and some of a grid's points at a time (nil: the training grid), in bounded memory: it calls body
// with one slab after the other, in order. A slab of a film with motion is a whole frame, one latent posterior after
// the other. A slab and what it holds belong to body until it returns;
// an error of body ends the work and is returned. Errors: *ConfigError, ctx.Err() and those of body.
func (m *Model) PredictSlabs(ctx context.Context, latents []Latent, g Grid, o SlabOptions, body func(s Slab) error) error {
	by := m
	for i, l := range latents {
		if i == 0 {
			by = m.of(l)
		} else if m.of(l) != by {
			return &ConfigError{Field: "Latent", Err: fmt.Errorf("posterior %d is of the model for examples seen in part, or the first one is, expected all or none", i)}
		}
	}
	return by.examples().PredictSlabs(ctx, latents, by.on(g), o, body)
}

// Sample draws whole fields, all points and channels at once, at the points of a grid
// (nil: the training grid): each has a latent point of its own from l, inducing
// variables from q(U) and the rest from the prior given these. The same options give the same bits at
// any GOMAXPROCS. Errors: *ConfigError, *FactorizationError, ctx.Err().
func (m *Model) Sample(ctx context.Context, l Latent, g Grid, o SampleOptions) (Samples, error) {
	by := m.of(l)
	return by.examples().Sample(ctx, l, by.on(g), o)
}

// SampleFilm draws films, SampleOptions.Count of them: fields at some times of a sequence (0 where none were
// given) that belong together, at the points of a grid (nil: the training grid). A film has one path of the
// latent variables (LatentPaths), one draw of the inducing variables and the rest of f at all of its points and
// times jointly; noise is drawn frame by frame. Where contents move, they do along a path of the motion.
// body is called with one frame after the other, which belong to it until it returns; beside the model SampleFilm holds a film at the training
// pixels. The same options give the same bits at any GOMAXPROCS. Errors: *ConfigError,
// *FactorizationError, ctx.Err(), those of body; a model without times.
func (m *Model) SampleFilm(ctx context.Context, sequence int, times []float64, g Grid, o SampleOptions, body func(f SampledFrame) error) error {
	return m.examples().SampleFilm(ctx, sequence, times, m.on(g), o, body)
}

// LatentAt returns the latent posterior of a model whose examples have times at any times of
// one of its sequences (0 where none were given), in the order of the times: between
// the examples, before and after them, where it tends to the prior. Its use as
// Observed.Prior adds what was seen of a frame. Errors: *ConfigError; a model
// without times.
func (m *Model) LatentAt(sequence int, times []float64) ([]Latent, error) {
	return m.posterior.LatentAt(sequence, times)
}

// LatentPaths draws count paths of the latent variables from their posterior over time, as
// LatentAt's with the covariances between times: path k is a len(times)×d_ξ matrix.
// The same seed gives the same paths, and a larger count the same ones first. Errors:
// as LatentAt's.
func (m *Model) LatentPaths(sequence int, times []float64, count int, seed uint64) ([]mat.Matrix, error) {
	return m.posterior.LatentPaths(sequence, times, count, seed)
}

// PriorLatent returns the prior of a latent variable, N(0, I), as a posterior that has
// seen nothing; for a certain time see LatentAt.
func (m *Model) PriorLatent() Latent { return m.posterior.PriorLatent() }

// TrainingLatent returns q(x) of training example i, which is counted from 0. It
// panics if there is no such example. Its Bound is 0: examples share one.
func (m *Model) TrainingLatent(i int) Latent { return m.posterior.TrainingLatent(i) }

// Summary is what a model has learned, in numbers to be shown.
type Summary struct {
	LatentDims, Inducing int             // d_ξ, m_ξ
	LatentKernel         string          // its parts and their variances, in words
	Relevances           []Relevance     // of the latent dimensions, by part
	TimeKernel           kernel.Kernel   // of the latent variables; of zero Kind where they have no times
	OwnTimeKernels       []kernel.Kernel // of each of them in place of it; nil where they have none of their own
	Spatial              []SpatialConfig // kernel and inducing points of each factor
	Residual             kernel.Kernel   // of zero Kind where the noise is white
	Learned              bool            // the covariance of the noise at the training points
	Idle                 bool            // the latent variables count for nothing beside the latent kernel's time part
	SignalToNoise        float64         // β times the variance of the scaled data, which is 1; near 1 all is noise
	Mean, Deviation      []float64       // of the data, d_y
	Noise                []float64       // standard deviations of the white noise, d_y, in the user's units
	Jitter               float64         // added to kernel diagonals, as a fraction of their mean
	Seed                 uint64
	Counted              float64 // examples that predictions know, those of Update and Reduce among them; 0: not known
	Motion               string  // of a film's contents, in words; nothing where the examples are no frames of one

	// What the model's file keeps of the training data: the sizes of residuals and of frames.
	ResidualBytes, FrameBytes int

	// Of calibrated variances at a time: the geometric mean of their factors and the power that they
	// are raised to; 1 and 1 where there is no calibration.
	Calibrated    bool
	Factor, Power float64
}

// Relevance says how fast examples change along each latent dimension by one part of the latent
// kernel: inverse length scales, or standard deviations of slopes.
type Relevance struct {
	Title  string
	Slopes []float64 // d_ξ
	Share  float64   // of the latent kernel's variance that the part has
}

// idleVariance is the part of the time part's variance below which that of the RBF part counts for
// nothing.
const idleVariance = 1e-6

// Summary returns it.
func (m *Model) Summary() Summary {
	q := m.posterior
	p := q.Params()
	s := Summary{LatentDims: p.X.Mu.Cols, Inducing: p.Z.Rows, LatentKernel: p.Latent.Describe(),
		Residual: p.Noise.Residual.Clone(), Learned: p.Noise.Learned(), SignalToNoise: p.Noise.Beta,
		Mean: slices.Clone(q.Scaler().Mean), Deviation: slices.Clone(q.Scaler().Scale), Jitter: q.Jitter(), Seed: m.seed, Factor: 1, Power: 1}
	if totals := q.Options().Totals; totals != nil {
		s.Counted = totals[sums.Count]
	}
	s.ResidualBytes = 8 * len(q.Options().Residuals.Data)
	if rbf := p.Latent.Variance("rbf"); rbf > 0 {
		s.Idle = rbf < idleVariance*p.Latent.Variance("time")
	}
	for _, deviation := range s.Deviation {
		s.Noise = append(s.Noise, deviation/math.Sqrt(p.Noise.Beta))
	}
	for _, r := range p.Latent.Relevances() {
		s.Relevances = append(s.Relevances, Relevance{r.Title, slices.Clone(r.Slopes), r.Share})
	}
	if p.X.Paths != nil {
		s.TimeKernel = p.X.Paths.Prior.Kernel.Clone()
		s.OwnTimeKernels = p.X.Paths.Prior.Clone().Own
	}
	for f := range p.Space {
		s.Spatial = append(s.Spatial, SpatialConfig{p.Space[f].Kernel.Clone(), p.Space[f].Xu.Clone()})
	}
	if m.film != nil {
		s.Motion, s.FrameBytes = m.film.String(), m.film.FrameBytes()
	}
	if c := q.Options().Calibration; c != nil {
		s.Calibrated, s.Factor, s.Power = true, c.MeanFactor(), c.Power
	}
	return s
}

// A model of examples with times may hold a second one for examples of which something is seen
// (Config.Partly): what is most of all noise for the prediction of whole examples tells the rest of one of which
// a part is known. Latents say which of the two they belong to.

// of returns the model that a latent posterior belongs to.
func (m *Model) of(l Latent) *Model {
	if l.Partly && m.partly != nil {
		return m.partly
	}
	return m
}

// seen returns the model that fills in an example, and the example with what that knows of its time.
func (m *Model) seen(obs Observed) (*Model, Observed, error) {
	if m.partly == nil || m.config == nil || obs.Prior == nil || obs.Prior.At == nil || obs.Prior.Seen || !work.AnySeen(obs.Values) {
		return m, obs, nil
	}
	if reach := m.config.PartlyReach; reach > 0 {
		known := obs
		known.Grid = m.on(obs.Grid)
		missing, err := m.posterior.Missing(known)
		if err != nil || missing.Gap > reach {
			return m, obs, err
		}
	}
	at := obs.Prior.At
	priors, err := m.partly.LatentAt(at.Sequence, []float64{at.Time})
	if err != nil {
		return m, obs, err
	}
	obs.Prior = &priors[0]
	return m.partly, obs, nil
}

// fits checks that a second model is one of the same examples as a model.
func (m *Model) fits(second *Model) error {
	if second == nil {
		return nil
	}
	n, points, channels := second.Examples(), second.Grid().Len(), second.Channels()
	if n != m.Examples() || points != m.Grid().Len() || channels != m.Channels() {
		return fmt.Errorf("tensor %s: %d examples of %d points and %d channels, expected %d of %d and %d",
			modelfile.PartlyTensor, n, points, channels, m.Examples(), m.Grid().Len(), m.Channels())
	}
	if !slices.Equal(second.Times(), m.Times()) {
		return fmt.Errorf("tensor %s: examples at other times, expected those of the model", modelfile.PartlyTensor)
	}
	return nil
}

// A predictor is what predicts examples with a model: its posterior by itself or, where the examples are the
// frames of a film, with their motion put back.
type predictor interface {
	Infer(ctx context.Context, obs Observed, o InferOptions) (Latent, error)
	ImputeTo(ctx context.Context, p *Prediction, l *Latent, obs Observed, o InferOptions) error
	PredictTo(p *Prediction, l Latent, g Grid) error
	PredictCovariance(l Latent, g Grid) (mean mat.Matrix, cov []mat.Matrix, err error)
	PredictDataCovariance(l Latent, g Grid) (mean mat.Matrix, cov []mat.Matrix, err error)
	PredictMixture(l Latent, g Grid, o MixtureOptions) (*Mixture, error)
	PredictSlabs(ctx context.Context, latents []Latent, g Grid, o SlabOptions, body func(s Slab) error) error
	Sample(ctx context.Context, l Latent, g Grid, o SampleOptions) (Samples, error)
	SampleFilm(ctx context.Context, sequence int, times []float64, g Grid, o SampleOptions, body func(f SampledFrame) error) error
}

// examples returns what predicts the examples of a model.
func (m *Model) examples() predictor {
	if m.film == nil {
		return m.posterior
	}
	return m.film
}

// on returns a grid as the model sees its points: where training has joined those of several factors to one, it
// joins those of the grid. What does not fit stays, to be refused.
func (m *Model) on(g Grid) Grid {
	own := m.Grid()
	if m.film != nil || len(own) != 1 || len(g) < 2 {
		return g
	}
	if last := m.joined.Load(); last != nil && last.of.Equal(g) {
		return last.as
	}
	var factors Grid
	dims := 0
	for _, x := range g {
		if x.Rows < 1 {
			return g
		}
		dims += x.Cols
		factors = append(factors, x.Clone())
	}
	if dims != own[0].Cols {
		return g
	}
	last := &joinedGrid{factors, Grid{data.Joined(factors)}}
	m.joined.Store(last)
	return last.as
}

// A joinedGrid is the last grid whose factors were joined to one, and what it became.
type joinedGrid struct{ of, as Grid }

// checkReserved panics where a caller attaches what a film is kept as.
func checkReserved(name string) {
	if slices.Contains(film.Parts(), name) {
		panic(fmt.Sprintf("sgplvm: Model.With: the name %q, expected none of %q, which are those of a film", name, film.Parts()))
	}
}

// takeFilm takes the parts of a film out of what a file has attached.
func takeFilm(q *predict.Posterior, attached map[string][]byte) (*film.Film, error) {
	names := film.Parts()
	if attached[names[0]] == nil {
		return nil, nil
	}
	parts := map[string][]byte{}
	for _, name := range names {
		parts[name] = attached[name]
		delete(attached, name)
	}
	return film.Decode(parts, q.Grid(), len(q.Scaler().Mean), q.Params().X.At())
}

// CheckFilling tells how well Impute fills in n examples like these, for each kind of their missing values: some observed values of a few of them are hidden in the ways in
// which others are missing, and filled in. Beside the model stand the simplest methods, which learn from these examples, and from training examples as far as the model
// knows them. All examples have one grid. Where nothing is missing or observed the result is nil. Errors: those of Impute.
func (m *Model) CheckFilling(ctx context.Context, n int, observed func(i int) Observed, o InferOptions) (checks []FillCheck, err error) {
	t := m.fillTest(observed)
	t.Impute = func(ctx context.Context, obs Observed) (Prediction, error) {
		p, _, err := m.Impute(ctx, obs, o)
		return p, err
	}
	return t.Check(ctx, n)
}

// CheckForetold is about what CheckFilling takes: how many examples are filled in, and how long the simplest methods take.
func (m *Model) CheckForetold(n int, observed func(i int) Observed) (filled int, methods time.Duration, err error) {
	return m.fillTest(observed).Foretold(n)
}

func (m *Model) fillTest(observed func(i int) Observed) *completion.FillTest {
	return &completion.FillTest{Observed: observed, Known: m.Examples(), Times: m.Times(), Grid: m.Grid(), Channels: m.Channels(), Film: m.film != nil, Recall: m.recall}
}

// CheckMemory is about how many bytes CheckFilling takes for n examples.
func (m *Model) CheckMemory(n int) float64 {
	return completion.FillTestMemory(n, m.Examples(), m.Grid().Len(), m.Channels())
}

// RoomMemory is how many bytes one example takes of which so many points are observed (0: all) while it is filled in. The first call makes what all examples have in common.
func (m *Model) RoomMemory(seen int) float64 { return m.posterior.RoomMemory(seen) }

// recall sets the rows of y to training examples as the model knows them at the points of a grid (nil: its own): as they were, where it keeps that, or as it predicts them.
func (m *Model) recall(y mat.Matrix, examples []int, grid Grid) error {
	if kept, s := m.posterior.Kept(), m.posterior.Scaler(); kept.Rows > 0 && grid == nil {
		for k, i := range examples {
			for j, v := range kept.Row(i) {
				c := j % len(s.Mean)
				y.Set(k, j, s.Mean[c]+s.Scale[c]*v)
			}
		}
		return nil
	}
	failures := make([]error, len(examples))
	mat.Parallel(len(examples), func(k int) {
		var p Prediction
		if p, failures[k] = m.Predict(m.TrainingLatent(examples[k]), grid); failures[k] == nil {
			copy(y.Row(k), p.Mean.Data)
		}
	})
	return cmp.Or(failures...)
}
