package sgplvm

import (
	"fmt"
	"math"
	"sync"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Data are n_ξ examples, each seen in d_y channels at all n_s points of a
// space, in the user's units: either Examples and Y, or Source. They are not
// copied and must not change while the model trains.
type Data struct {
	Examples int
	Y        mat.Matrix // (n_ξ·n_s)×d_y; row i·n_s + j is example i at point j of the grid
	Source   Source     // the same in another form: other types of numbers, files
}

// source returns the data as a source whose sizes fit together and to ns points.
func (d Data) source(ns int) (*scaledSource, error) {
	s := &scaledSource{source: d.Source}
	if d.Source == nil {
		if d.Examples < 1 || d.Y.Cols < 1 || d.Y.Rows != d.Examples*ns {
			return nil, &ConfigError{Field: "Data", Err: fmt.Errorf("values are %d×%d, expected %d examples × %d points = %d rows and at least one channel", d.Y.Rows, d.Y.Cols, d.Examples, ns, d.Examples*ns)}
		}
		s.source = &matrixSource{d.Y, d.Examples}
	} else if d.Examples != 0 || d.Y.Rows != 0 {
		return nil, &ConfigError{Field: "Data", Err: fmt.Errorf("%d examples and %d×%d values beside a source, expected one of the two", d.Examples, d.Y.Rows, d.Y.Cols)}
	}
	s.examples, s.points, s.channels = s.source.Dims()
	if s.examples < 1 || s.channels < 1 || s.points != ns {
		return nil, &ConfigError{Field: "Data", Err: fmt.Errorf("the source has %d examples of %d points and %d channels, expected at least one example, %d points and at least one channel", s.examples, s.points, s.channels, ns)}
	}
	if s.channels > math.MaxInt/8/s.points/s.examples {
		return nil, &ConfigError{Field: "Data", Err: fmt.Errorf("%d examples × %d points × %d channels, expected at most %d numbers", s.examples, s.points, s.channels, math.MaxInt/8)}
	}
	return s, nil
}

// SpatialFactor is one factor of the training grid with its kernel.
type SpatialFactor struct {
	// X are the factor's points, n_f×d_f.
	X mat.Matrix

	// Kernel is the covariance along the factor. Default: Matern32, variance 1,
	// one length scale per dimension, twice the mean spacing of the points. Only
	// the product of all variances is identified; the spatial ones stay as given.
	Kernel Kernel

	// Xu are the initial inducing points, m_f×d_f, which training moves. Default:
	// none, the inducing points are the data points and stay there (tied).
	Xu mat.Matrix
}

// Config chooses a model. Only Space must be given.
type Config struct {
	// Space is the grid on which every example is seen, factor by factor.
	Space []SpatialFactor

	// LatentDims is d_ξ, the number of latent dimensions. Default: 30, or n_ξ−1 if
	// that is less.
	LatentDims int

	// Inducing is m_ξ, the number of latent inducing points, at most n_ξ. Default:
	// 100, or n_ξ if that is less.
	Inducing int

	// LatentKernel is which parts the latent kernel has, such as
	// LatentRBF|LatentLinear|LatentBias. Default: LatentRBF.
	LatentKernel LatentParts

	// LatentTime is the kernel of the latent kernel's time part, where it has one. Default:
	// that of Dynamics. Numbers that are 0 are found like those.
	LatentTime TimeKernel

	// Noise is the initial noise variance as a fraction of the data's variance.
	// Default 0.01.
	Noise float64

	// Dynamics makes the latent variables move over time: examples that are close in time are
	// alike, and there are predictions for other times. Default: none, they are
	// independent.
	Dynamics Dynamics

	// Residual is the kernel of the noise's structured part: what one example has in
	// space that the latent variables do not explain. Default: none, the noise is white.
	// Without a variance it starts with that of the noise, without length scales with two
	// spacings. Only for one spatial factor without free inducing points.
	Residual Kernel

	// NoiseFloor is what the white noise variance, as a fraction of the data's, does not
	// fall below: a structured residual otherwise takes its place. Default 0.
	NoiseFloor float64

	// Jitter is added to the diagonals of the latent kernel matrix and of those of
	// free spatial inducing points, as a fraction of their mean. It is the same for
	// a whole training run. Default 1e-6; negative: none.
	Jitter float64

	// Start are the parameters from which training starts, such as Model.Params returns of a
	// model of the same examples; LatentDims, Inducing, LatentKernel, Noise, Residual,
	// NoiseFloor and the kernels of Space do not count then. They are copied. Default: principal
	// components and what the other fields say.
	Start *Params

	// Seed decides everything random: which latent points become inducing points
	// and the start of latent dimensions beyond the data's rank.
	Seed uint64

	// Attributes are kept in the model file for the caller, who gives them meaning.
	Attributes map[string]string
}

// Model is a structured Bayesian Gaussian process latent variable model. Fit
// must have the model to itself; all other methods may be called from many
// goroutines at once.
type Model struct {
	space      Grid
	channels   int
	scaler     Scaler
	params     *Params
	jitter     float64
	seed       uint64
	attributes map[string]string
	attached   map[string][]byte

	calibration *calibration // of variances at a time; nil: none

	residuals mat.Matrix // of the training examples, n_ξ×(n_s·d_y); 0×0 where they are not kept

	problem *problem // training data; nil for a model that was loaded

	mu        sync.Mutex
	posterior *posterior // what prediction needs; made when first asked for
	alpha     *kronprod.Tensor
	timelines map[int]timeline // of a dynamical prior, likewise
}

// New sets up a model of the data at the starting point of training. Errors:
// *ConfigError, *ValueError, *ReadError.
func New(data Data, cfg Config) (*Model, error) {
	m := &Model{seed: cfg.Seed, attributes: cfg.Attributes}
	if len(cfg.Space) == 0 {
		return nil, &ConfigError{Field: "Space", Err: fmt.Errorf("no spatial factor")}
	}
	for f, s := range cfg.Space {
		if s.X.Rows < 1 || s.X.Cols < 1 {
			return nil, &ConfigError{Field: "Space", Err: fmt.Errorf("spatial factor %d: points are %d×%d, expected at least one point of one dimension", f, s.X.Rows, s.X.Cols)}
		}
		if i, j, bad := mat.NonFinite(s.X); bad {
			return nil, &ConfigError{Field: "Space", Err: fmt.Errorf("spatial factor %d: point %d, dimension %d: coordinate %v, expected a finite number", f, i, j, s.X.At(i, j))}
		}
		m.space = append(m.space, s.X.Clone())
	}
	y, err := data.source(m.space.Len())
	if err != nil {
		return nil, err
	}
	if m.scaler, err = newScaler(y); err != nil {
		return nil, err
	}
	m.channels, y.scaler = y.channels, m.scaler
	for c, s := range m.scaler.Scale {
		if math.IsInf(s, 0) || math.IsNaN(s) || math.IsInf(1/s, 0) {
			return nil, &ConfigError{Field: "Data", Err: fmt.Errorf("channel %d: standard deviation %v is outside the range of a float64", c, s)}
		}
	}
	switch {
	case cfg.Jitter < 0:
		m.jitter = 0
	case cfg.Jitter == 0:
		m.jitter = 1e-6
	default:
		m.jitter = cfg.Jitter
	}
	field, params := "Start", cfg.Start
	if params == nil {
		field = "Space"
		if params, err = start(y, cfg); err != nil {
			return nil, err
		}
	}
	if params.Mu.Rows != y.examples {
		return nil, &ConfigError{Field: field, Err: fmt.Errorf("latent variables of %d examples, expected %d", params.Mu.Rows, y.examples)}
	}
	params = params.clone()
	if err := params.validate(m.space); err != nil {
		return nil, &ConfigError{Field: field, Err: err}
	}
	m.params = params
	m.problem = newProblem(y, m.space, m.jitter)
	return m, nil
}

// Space returns the training grid. It must not be changed.
func (m *Model) Space() Grid { return m.space }

// Channels returns d_y.
func (m *Model) Channels() int { return m.channels }

// Examples returns n_ξ.
func (m *Model) Examples() int { return m.params.Mu.Rows }

// Params returns a copy of the parameters.
func (m *Model) Params() *Params { return m.params.clone() }

// Scaler returns the map from the user's units to the model's.
func (m *Model) Scaler() Scaler { return m.scaler }

// Jitter returns what is added to kernel diagonals, as a fraction of their mean.
func (m *Model) Jitter() float64 { return m.jitter }

// Seed returns the seed of everything random in training.
func (m *Model) Seed() uint64 { return m.seed }

// Attributes returns the caller's own entries in the model file. The map must
// not be changed.
func (m *Model) Attributes() map[string]string { return m.attributes }

// Attach keeps content with the model, and in its file, under a name: what the caller needs beside
// the model to use it. It replaces what has the name; nil takes it away. It must have the
// model to itself; content must not be changed afterwards.
func (m *Model) Attach(name string, content []byte) {
	if m.attached == nil {
		m.attached = map[string][]byte{}
	}
	m.attached[name] = content
	if content == nil {
		delete(m.attached, name)
	}
}

// Attached returns what was attached under a name, nil where nothing was. It must not be changed.
func (m *Model) Attached(name string) []byte { return m.attached[name] }

// Noise returns the noise standard deviation of each channel, in the user's
// units.
func (m *Model) Noise() []float64 {
	sd := make([]float64, m.channels)
	for c, s := range m.scaler.Scale {
		sd[c] = s / math.Sqrt(m.params.Beta)
	}
	return sd
}

// SignalToNoise returns β times the variance of the scaled data, which is 1.
// Near 1 the model explains everything as noise.
func (m *Model) SignalToNoise() float64 { return m.params.Beta }
