package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
)

// FitOptions steer training. The zero value works.
type FitOptions struct {
	// Iterations is the number of L-BFGS steps in all, but for those that further
	// starts and the recovery from a collapse add. Default 400.
	Iterations int

	// Warmup is at most how many of them come first with the noise and the spatial
	// kernels held, so that the latent variables find structure before anything
	// can be explained as noise; they are cheap. Default: three quarters. Negative:
	// none.
	Warmup int

	// Schedule says how the steps after the warm-up are spent. Default: Alternating.
	Schedule Schedule

	// HoldSpace leaves the spatial kernels, free spatial inducing points and a structured
	// residual as they are. A step costs the latent side only then.
	HoldSpace bool

	// Restarts is the number of starts. Each takes a tenth of Iterations with noise and
	// space held, and training goes on from the one with the highest bound. Start 0
	// is the model as it is, the others differ from it at random, by the model's
	// seed. Default 1.
	Restarts int

	// CoarsePoints, where a model with a Residual has more points than that, makes all of
	// this begin on a random subset of so many of them: at all points only the latent side
	// adapts, in adaptSteps steps, with noise and space held, before ResidualRounds (coarse.go).
	// Default 0: training takes all points.
	CoarsePoints int

	// ResidualRounds is how often, after all else, the covariance of the noise in space is
	// learned freely and the latent side adapted to it: each time Σ becomes the posterior
	// mean under an inverse Wishart prior that is centred on the parametric Σ, and
	// residualSteps steps with everything else in space held follow. They come on top of
	// Iterations. Only for a model with a Residual. What is learned are the training points;
	// predictions at grids with others take the parametric Σ. Default 0.
	ResidualRounds int

	// ResidualStrength is the weight of that prior, in examples. Default 10.
	ResidualStrength float64

	// ResidualTaper is the distance, in mean spacings of the points along each dimension, over
	// which those rounds believe what examples say of two points together: ℓ of
	// exp(−‖x − x′‖²/ℓ²). Default 2.6·n_ξ^(1/6), since more examples tell chance from
	// what is there further away: 5 for 50 of them, 8 for 1000. Negative: any distance.
	ResidualTaper float64

	// LocalResiduals makes a model whose noise was learned in ResidualRounds keep what
	// training leaves unexplained of every example, in its file too: Impute then takes for the
	// noise of a picture that of training pictures like it (local.go).
	LocalResiduals bool

	// Calibrate calibrates the variances at a time after training (Model.Calibrate).
	Calibrate bool

	// Truncate allows phases that hold the spatial kernels to leave spatial components
	// out of their matrix products, as many as lower the bound by no more than this
	// for each number of the data when the phase begins (nats). What comes out is still a
	// lower bound, and PhaseResult says how far truncation lowers it at most. Default 0:
	// nothing is left out.
	Truncate float64

	// Progress, if not nil, is called after every step and reports whether to go on.
	Progress func(Progress) bool
}

// A Schedule is an order in which training frees parameters.
type Schedule string

// Alternating takes some steps with everything free and some, which are cheaper,
// with the spatial kernels held, in turn; Joint frees everything after the
// warm-up.
const (
	Alternating Schedule = "alternating"
	Joint       Schedule = "joint"
)

// Schedules are all of them, the default first.
var Schedules = []Schedule{Alternating, Joint}

// Progress describes a step of training.
type Progress struct {
	Phase             string        // "start", "warm-up", "joint", "latent" (all but space free) or "residual"
	Start, Starts     int           // the start that is tried or was chosen, from 0, of how many
	Iteration, Total  int           // steps so far, and at most
	Bound             float64       // lower bound on the log evidence of the scaled data
	GradNorm          float64       // largest derivative of the bound in an optimised variable
	Noise             float64       // noise standard deviation as a fraction of the data's
	Elapsed, TimeLeft time.Duration // since the start, and until the end at the present pace
}

// FitResult is the outcome of training.
type FitResult struct {
	Bound       float64       // lower bound on the log evidence of the scaled data
	Iterations  int           // L-BFGS steps, of all starts
	Evaluations int           // evaluations of the bound and its gradient
	Phases      []PhaseResult // how each phase went, in order
	Starts      []float64     // bound of each start when the best was chosen; nil where there was one
	Collapses   int           // times that training went back from a collapse into noise
	Converged   bool          // the last phase ended by itself, not at the limit
	Status      string        // how the last phase ended
	Warnings    []string      // what a user should know, one sentence each
}

// PhaseResult tells how a phase of training went.
type PhaseResult struct {
	Name        string  // "start 0", "start 1", …, "warm-up", "alternating", "joint" or "residual 1", "residual 2", …
	Steps       int     // L-BFGS steps
	Evaluations int     // evaluations of the bound and its gradient
	Bound       float64 // at its end
	Status      string  // how it ended: an lbfgs.Status in words, or "collapsed"

	// Of the last run with truncation: how many of all spatial components were left
	// out, and by how much at most that lowers the bound at its end.
	LeftOut, Components int
	TruncationLoss      float64
}

// errNoData is returned by Fit on a loaded model.
var errNoData = errors.New("sgplvm: a loaded model holds no training data and cannot be trained")

// complete fills in the defaults and checks the rest.
func (o *FitOptions) complete() error {
	switch {
	case o.Iterations < 0:
		return &ConfigError{Field: "Iterations", Err: fmt.Errorf("%d iterations, expected at least 1", o.Iterations)}
	case o.Restarts < 0:
		return &ConfigError{Field: "Restarts", Err: fmt.Errorf("%d starts, expected at least 1", o.Restarts)}
	case o.CoarsePoints < 0:
		return &ConfigError{Field: "CoarsePoints", Err: fmt.Errorf("%d points, expected 0 or more", o.CoarsePoints)}
	case o.ResidualRounds < 0:
		return &ConfigError{Field: "ResidualRounds", Err: fmt.Errorf("%d rounds, expected 0 or more", o.ResidualRounds)}
	case !(o.ResidualStrength >= 0) || math.IsInf(o.ResidualStrength, 0):
		return &ConfigError{Field: "ResidualStrength", Err: fmt.Errorf("a prior as strong as %v examples, expected a finite number, 0 or more", o.ResidualStrength)}
	case math.IsNaN(o.ResidualTaper) || math.IsInf(o.ResidualTaper, 0):
		return &ConfigError{Field: "ResidualTaper", Err: fmt.Errorf("a taper of %v, expected a finite distance", o.ResidualTaper)}
	case !(o.Truncate >= 0) || math.IsInf(o.Truncate, 0):
		return &ConfigError{Field: "Truncate", Err: fmt.Errorf("truncation by %v for each number, expected a finite number, 0 or more", o.Truncate)}
	case o.Schedule == "":
		o.Schedule = Schedules[0]
	case !slices.Contains(Schedules, o.Schedule):
		var names []string
		for _, s := range Schedules {
			names = append(names, string(s))
		}
		return &ConfigError{Field: "Schedule", Err: fmt.Errorf("schedule %q, expected %s", o.Schedule, strings.Join(names, " or "))}
	}
	if o.Iterations == 0 {
		o.Iterations = 400
	}
	o.Restarts = max(o.Restarts, 1)
	if o.ResidualStrength == 0 {
		o.ResidualStrength = 10
	}
	switch {
	case o.Warmup < 0:
		o.Warmup = 0
	case o.Warmup == 0:
		o.Warmup = o.Iterations * 3 / 4
	}
	o.Warmup = min(o.Warmup, o.Iterations)
	return nil
}

// Fit trains the model: it maximises the collapsed bound over all parameters
// with L-BFGS. When ctx ends or Progress stops it, the model keeps the best
// parameters found and the error, if any, is ctx.Err(). Other errors:
// *ConfigError, *FactorizationError, *ReadError; they change nothing.
func (m *Model) Fit(ctx context.Context, o FitOptions) (FitResult, error) {
	if m.problem == nil {
		return FitResult{}, errNoData
	}
	if err := o.complete(); err != nil {
		return FitResult{}, err
	}
	if o.Calibrate {
		if err := m.canLeaveOut(); err != nil {
			return FitResult{}, err
		}
	}
	m.mu.Lock()
	m.posterior, m.alpha, m.timelines, m.residuals, m.calibration = nil, nil, nil, mat.Matrix{}, nil
	m.mu.Unlock()
	var coarse FitResult
	if o.CoarsePoints > 0 && o.CoarsePoints < m.space.Len() && m.params.structured() {
		var on bool
		var err error
		if coarse, on, err = m.fitCoarse(ctx, &o); err != nil || !on {
			return coarse, err
		}
	}
	t := newTrainer(m, o)
	r, err := t.finish(t.run(ctx))
	r.follow(coarse)
	if err == nil && o.Calibrate {
		err = m.Calibrate(ctx)
	}
	if err == nil && o.LocalResiduals && m.params.Covariance.Rows > 0 {
		m.mu.Lock()
		defer m.mu.Unlock()
		err = m.keepResiduals()
	}
	return r, err
}
