package predict

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// Posterior is what a trained model says: the factors of the training bound and α = K_uu⁻¹Ū,
// without the data. It is made from the parameters and α alone, so a loaded model predicts
// with the bits of the one that was saved. It does not change, and may be used from any number of
// goroutines; what only some calls need is made when it is first asked for.
type Posterior struct {
	params *bound.Params
	grid   field.Grid // the training grid, X_f
	scaler data.Scaler
	jitter float64
	times  []data.Instant // of the training examples; nil without a dynamical prior

	psi      *psi.Statistics
	inducing []mat.Matrix    // X_{u,f}; X_f where tied
	alpha    kronprod.Tensor // m_ξ × m_1 × … × d_y
	totals   []float64       // of Options
	featureBasis

	// Made when first asked for, and shared by all that With returns.
	training func() *projection                  // on the training grid
	last     *atomic.Pointer[projection]         // the last on another grid
	reach    func() []float64                    // of the values of each channel (reachOf)
	starts   func() *starts                      // of inference
	paths    func() (*dynamics.Posterior, error) // of the latent variables over time
	rooms    *sync.Pool                          // of predictions

	calibration *Calibration                              // or nil
	inflationAt func(t data.Instant, without int) float64 // of the calibration
	lastFactors *atomic.Pointer[factorsOn]                // of calibration, the last on another grid
	residuals   mat.Matrix                                // of the training examples, n_ξ×(n_s·d_y); 0×0 where they are not kept
	filled      *Filled                                   // beside them, or nil
	atTraining  func() *filler                            // on the training grid
	lastFiller  *atomic.Pointer[filler]                   // the last on another grid
}

// Options are what a model may know beside its parameters. The zero value is a model that knows
// nothing else.
type Options struct {
	// Calibration calibrates the variances of predictions at a time. Only with a dynamical prior. nil:
	// they are as the model has them.
	Calibration *Calibration

	// Incomplete is q(U) of a model that learned from data with holes. It belongs to the parameters: New takes it,
	// With leaves it as it is. nil: the data were complete.
	Incomplete *bound.Incomplete

	// Spectra are the solutions of the factors' eigenproblems (bound.Factor.Spectrum), the latent one first, of complete data.
	// Like Incomplete they belong to the parameters. nil: New solves them.
	Spectra []eig.Spectrum

	// Residuals are those of the training examples, in the model's units, n_ξ×(n_s·d_y), as
	// Posterior.Residuals returns them. Only beside a learned covariance of the noise. 0×0: they are
	// not kept.
	Residuals mat.Matrix

	// Totals are what examples of complete data add up to beside Ψ2 and G, as package sums has them: with them the model takes in further examples.
	// Like Spectra they belong to the parameters. nil: not known.
	Totals []float64

	// Filled tells of training values that were filled in. Only beside residuals. nil: all were observed.
	Filled *Filled
}

// New returns the posterior with parameters p, which are copied, of a model that was trained at the
// points of a grid, in the units of the scaler; alpha is that of bound.Evaluator.Alpha and jitter
// the training's. Grid, scaler, alpha and options are shared and must not change. Errors:
// *field.FactorizationError; options that do not fit the parameters.
func New(p *bound.Params, grid field.Grid, scaler data.Scaler, alpha kronprod.Tensor, jitter float64, o Options) (*Posterior, error) {
	p = p.Clone()
	q := &Posterior{params: p, grid: grid, scaler: scaler, jitter: jitter, times: p.X.At(), alpha: alpha, totals: o.Totals}
	q.psi, q.last = new(psi.Statistics), new(atomic.Pointer[projection])
	q.psi.Set(p.Latent, p.Inducing())
	for f, x := range grid {
		if !p.Space[f].Tied() {
			x = p.Space[f].Xu
		}
		q.inducing = append(q.inducing, x)
	}
	var err error
	if o.Incomplete != nil {
		err = q.setIncomplete(o.Incomplete, p, q.inducing, q.channels())
	} else {
		if o.Spectra == nil {
			if o.Spectra, err = decompose(p, grid, jitter); err != nil {
				return nil, err
			}
		}
		err = q.setSpectra(o.Spectra, p, q.inducing, q.channels())
	}
	if err != nil {
		return nil, err
	}
	q.training = sync.OnceValue(func() *projection { return q.project(grid, q.learnedAt(grid)) })
	q.reach = sync.OnceValue(q.reachOf)
	q.starts = sync.OnceValue(func() *starts { return newStarts(q.psi, p) })
	q.paths = sync.OnceValues(func() (*dynamics.Posterior, error) { return dynamics.NewPosterior(p.X.Paths) })
	q.rooms = &sync.Pool{New: func() any { return new(room) }}
	return q.With(o)
}

// With returns the posterior with these options in place of its own. The two share everything else.
// Errors: options that do not fit the parameters.
func (q *Posterior) With(o Options) (*Posterior, error) {
	examples := q.params.X.Mu.Rows
	if c := o.Calibration; c != nil {
		if q.times == nil {
			return nil, errors.New("a calibration, expected none without a dynamical prior")
		}
		if err := c.Validate(q.grid.Len(), q.channels(), examples); err != nil {
			return nil, err
		}
	}
	if r, size := o.Residuals, q.grid.Len()*q.channels(); r.Rows > 0 && (!q.params.Noise.Learned() || r.Rows != examples || r.Cols != size) {
		return nil, fmt.Errorf("residuals are %d×%d beside a noise covariance of order %d, expected %d×%d beside one of order %d",
			r.Rows, r.Cols, q.params.Noise.Covariance.Rows, examples, size, q.grid.Len())
	}
	if err := o.Filled.validate(o.Residuals, q.grid.Len()); err != nil {
		return nil, err
	}
	c := *q
	c.calibration, c.residuals, c.filled = o.Calibration, o.Residuals, o.Filled
	c.lastFactors = new(atomic.Pointer[factorsOn])
	if o.Calibration != nil {
		c.inflationAt = o.Calibration.Inflation.Over(q.times)
	}
	c.lastFiller = new(atomic.Pointer[filler])
	c.atTraining = sync.OnceValue(func() *filler { return c.newFiller(c.training()) })
	return &c, nil
}

// Options returns those of New or With.
func (q *Posterior) Options() Options {
	return Options{Calibration: q.calibration, Incomplete: q.incomplete, Spectra: q.spectra, Totals: q.totals, Residuals: q.residuals, Filled: q.filled}
}

// keeps reports whether residuals of the training examples are kept.
func (q *Posterior) keeps() bool { return q.residuals.Rows > 0 }

func (q *Posterior) channels() int { return q.alpha.Dims[len(q.alpha.Dims)-1] }

// spatialDims returns how many features every spatial factor has: m_f, or less where the training data had holes.
func (q *Posterior) spatialDims() []int {
	var dims []int
	for _, s := range q.factors[1:] {
		dims = append(dims, s.Size())
	}
	return dims
}

// components returns their product.
func (q *Posterior) components() int {
	n := 1
	for _, s := range q.factors[1:] {
		n *= s.Size()
	}
	return n
}

// versions returns how many masks the training data had, complete ones among them.
func (q *Posterior) versions() int {
	if q.incomplete != nil {
		return len(q.incomplete.Tables)
	}
	return 1
}

// checkArguments checks those of a prediction. Errors: *field.ConfigError.
func (q *Posterior) checkArguments(l field.Latent, g field.Grid) error {
	if g != nil {
		if err := q.checkGrid(g); err != nil {
			return err
		}
	}
	if err := q.checkLatent(l); err != nil {
		return &field.ConfigError{Field: "Latent", Err: err}
	}
	return nil
}

// farLatent bounds latent means, whose prior is N(0, 1), so that the moments of linear parts do not overflow.
const farLatent = 1e50

// checkLatent compares a latent posterior with the model.
func (q *Posterior) checkLatent(l field.Latent) error {
	if d := q.params.X.Mu.Cols; len(l.Mu) != d || len(l.S) != d {
		return fmt.Errorf("%d means and %d variances, expected %d latent dimensions", len(l.Mu), len(l.S), d)
	}
	if l.At != nil && l.At.Time-l.At.Time != 0 {
		return fmt.Errorf("time %v, expected a finite number", l.At.Time)
	}
	for i, v := range l.S {
		if !(v >= 0 && v <= farLatent*farLatent) || !(math.Abs(l.Mu[i]) <= farLatent) {
			return fmt.Errorf("dimension %d: mean %v, variance %v, expected finite numbers, up to %g and its square, and no negative variance", i, l.Mu[i], v, float64(farLatent))
		}
	}
	return nil
}

// checkGrid compares a grid's factors with the model's. Errors: *field.ConfigError.
func (q *Posterior) checkGrid(g field.Grid) error {
	refuse := func(format string, args ...any) error {
		return &field.ConfigError{Field: "Grid", Err: fmt.Errorf(format, args...)}
	}
	if len(g) != len(q.grid) {
		return refuse("%d spatial factors, expected %d", len(g), len(q.grid))
	}
	for f, x := range g {
		if x.Cols != q.grid[f].Cols || x.Rows < 1 {
			return refuse("spatial factor %d: points are %d×%d, expected %d columns and at least one row", f, x.Rows, x.Cols, q.grid[f].Cols)
		}
		if i, j, bad := mat.NonFinite(x); bad {
			return refuse("spatial factor %d: point %d, dimension %d: coordinate %v, expected a finite number", f, i, j, x.At(i, j))
		}
	}
	return nil
}
