package sgplvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Observed is a partly seen example, in the user's units.
type Observed struct {
	// Grid holds the points; nil means the training grid.
	Grid Grid

	// Values are the data, n_s*×d_y, point by point in the grid's order. NaN means
	// not observed; channels may miss different points.
	Values mat.Matrix

	// Prior is the distribution N(Mu, diag S) of the latent variables before anything was
	// observed, as LatentAt gives it for a certain time, and that time; its other fields do not count. nil:
	// standard normal, which is right at an unknown time, too.
	Prior *Latent
}

// Latent is the posterior of one example's latent variables, q(x) = N(Mu, diag S).
type Latent struct {
	Mu, S []float64 // d_ξ each
	Bound float64   // L*, a lower bound on the log evidence of the scaled observations
	Noise float64   // the example's noise variance over that of the training data; 0 stands for 1
	Start int       // the training example whose posterior led here; −1: the prior mean
	At    *Instant  // its time, where it is known
}

// InferOptions steer inference. The zero value works.
type InferOptions struct {
	// Polish is how many of the best starting points are optimised. All training
	// posteriors and the prior are scored. Default 3.
	Polish int

	// Iterations bounds the L-BFGS steps of each. Default 200.
	Iterations int

	// NoiseStrength says how firmly the noise of the example is taken to be that of the
	// training data: as if this many further values had been observed with it. What one
	// example has that others do not varies, most of all after training on few. 0 stands for
	// infinitely many, the noise is fixed.
	NoiseStrength float64

	// Conditioning is how Impute uses the observed values beside q(x). Default:
	// ConditionGivenLatent.
	Conditioning Conditioning

	// Freedom makes Impute scale an example's variances as if its values had a multivariate
	// Student distribution with so many degrees of freedom around their mean, given x: pictures
	// whose observed values lie far from what was expected are less sure elsewhere too, most
	// of all near those observed values that all others do not predict (nearbyScale).
	// Default: 50 where the model keeps its training residuals, else infinitely many, a
	// Gaussian, for which a negative number stands too.
	Freedom float64

	// LocalBandwidth and LocalStrength are h and ν of a model that keeps its training
	// residuals: how near training examples must be to count for the noise of this one, and
	// how firmly the noise is taken to be that of all (local.go). Defaults 0.7 and 1;
	// a negative bandwidth: the noise is that of all.
	LocalBandwidth, LocalStrength float64

	// FirstOrder makes Impute predict from q(x) as it is, to first order, without
	// the refinement by generalised least squares.
	FirstOrder bool
}

// Infer returns the posterior of a partly seen example's latent variables. An
// example with nothing observed gets its prior. Errors: *ConfigError,
// *ValueError, ctx.Err().
func (m *Model) Infer(ctx context.Context, obs Observed, o InferOptions) (Latent, error) {
	q, err := m.ready()
	if err != nil {
		return Latent{}, err
	}
	e, err := m.observe(q, obs)
	if err != nil {
		return Latent{}, err
	}
	return q.infer(ctx, e, o)
}

// An example is a partly seen example in the model's units, on a projected
// grid.
type example struct {
	on     *projection
	values mat.Matrix // n_s*×d_y, scaled, NaN where missing
	seen   [][]int    // observed points of each channel, ascending
	prior  *normal
}

// observe checks an example and scales it.
func (m *Model) observe(q *posterior, obs Observed) (*example, error) {
	g := obs.Grid
	if g == nil {
		g = m.space
	}
	if err := m.checkGrid(g); err != nil {
		return nil, err
	}
	v := obs.Values
	if v.Rows != g.Len() || v.Cols != m.channels {
		return nil, &ConfigError{Field: "Observed", Err: fmt.Errorf("values are %d×%d, expected %d points × %d channels", v.Rows, v.Cols, g.Len(), m.channels)}
	}
	for i := range v.Rows {
		for c := range v.Cols {
			if x := v.At(i, c); math.IsInf(x, 0) {
				return nil, &ValueError{Point: i, Channel: c, Value: x, Want: "a finite number, or NaN where nothing was observed"}
			}
		}
	}
	if l := obs.Prior; l != nil {
		if err := m.checkLatent(*l); err != nil {
			return nil, &ConfigError{Field: "Prior", Err: err}
		}
		for i, v := range l.S {
			if !(1/v > 0 && 1/v < math.Inf(1)) {
				return nil, &ConfigError{Field: "Prior", Err: fmt.Errorf("dimension %d: variance %v, expected a positive number with an inverse", i, v)}
			}
		}
	}
	e := &example{on: m.at(q, g), values: m.scaler.apply(v), seen: make([][]int, m.channels), prior: normalOf(obs.Prior)}
	for c := range e.seen {
		for i := range v.Rows {
			switch x := e.values.At(i, c); {
			case math.Abs(x) > farOff:
				return nil, &ValueError{Point: i, Channel: c, Value: v.At(i, c), Want: fmt.Sprintf("a value within %g standard deviations of the channel's mean", farOff)}
			case x == x:
				e.seen[c] = append(e.seen[c], i)
			}
		}
	}
	return e, nil
}

// farOff bounds the scaled observations, so that their squares do not overflow.
const farOff = 1e100

// observed reports whether anything of the example was.
func (e *example) observed() bool {
	return slices.ContainsFunc(e.seen, func(seen []int) bool { return len(seen) > 0 })
}

// checkGrid compares a grid's factors with the model's.
func (m *Model) checkGrid(g Grid) error {
	if len(g) != len(m.space) {
		return &ConfigError{Field: "Grid", Err: fmt.Errorf("%d spatial factors, expected %d", len(g), len(m.space))}
	}
	for f, x := range g {
		if x.Cols != m.space[f].Cols || x.Rows < 1 {
			return &ConfigError{Field: "Grid", Err: fmt.Errorf("spatial factor %d: points are %d×%d, expected %d columns and at least one row", f, x.Rows, x.Cols, m.space[f].Cols)}
		}
		if i, j, bad := mat.NonFinite(x); bad {
			return &ConfigError{Field: "Grid", Err: fmt.Errorf("spatial factor %d: point %d, dimension %d: coordinate %v, expected a finite number", f, i, j, x.At(i, j))}
		}
	}
	return nil
}

// evidence is L* as a function of the latent posterior: Atkinson and Zabaras
// (2018), equation of the test bound, with K_uu⁻¹Ū = α and the channel count
// where it belongs,
//
//	L* = constant + g0·ψ0 + g1·ψ1 + tr(G·Ψ2) − KL
//
// with g0 = −½β·d_y·tr K(X_O, X_O), g1 = β·r and G = −½β·R. The data enter through r
// (m_ξ) and the symmetric R (m_ξ×m_ξ) alone. Where the noise is structured all of it is
// whitened with the Cholesky factor of Σ_OO, and β = 1.
type evidence struct {
	constant float64    // without −½β·‖y‖²
	square   float64    // that
	count    float64    // observed values
	dPsi0    float64    // g0
	dPsi1    []float64  // g1, m_ξ
	dPsi2    *psi2Slope // G
	prior    *normal
}

// evidenceOf condenses an example's observations.
func (q *posterior) evidenceOf(e *example) (*evidence, error) {
	latent := q.factors[0]
	m, beta := latent.size(), q.params.precision()
	v := &evidence{dPsi1: make([]float64, m), prior: e.prior}
	bigR := mat.New(m, m)
	slack := make([]float64, m) // Σ_j g_j·(β⁻¹/d_ij − 1), over channels
	for c, seen := range e.seen {
		channels := e.alike(c)
		if len(seen) == 0 || channels == nil {
			continue
		}
		o, err := q.observe(e.on, seen)
		if err != nil {
			return nil, err
		}
		for _, c := range channels {
			po, y := gather(e.on.p[c], seen), mat.New(len(seen), 1)
			for k, i := range seen {
				y.Data[k] = e.values.At(i, c)
			}
			o.whiten(po)
			o.whiten(y)
			v.constant -= 0.5*o.logNoise + 0.5*float64(len(seen))*math.Log(2*math.Pi)
			v.square -= 0.5 * beta * mat.Dot(y, y)
			v.count += float64(len(seen))
			v.dPsi0 -= 0.5 * beta * o.trace
			mat.Mul(mat.Vector(v.dPsi1), beta, po.T(), y, 1)
			mat.Syrk(bigR, 1, po.T(), 1)
			mat.Mul(mat.Vector(slack), -1, q.latentTimesSpace, mat.Vector(o.norms), 1)
		}
	}
	scaled := mat.New(m, m)
	mat.ScaleCols(scaled, latent.coord, slack)
	mat.MulSym(bigR, 1, scaled, latent.coord.T(), 1)
	mat.MirrorLower(bigR)
	mat.Scale(bigR, -0.5*beta, bigR)
	v.addTime(q.params, e.prior.when(), bigR)
	v.dPsi2 = q.psi.slope2(bigR)
	return v, nil
}

// observation is what L* needs of a set of observed points of one channel.
type observation struct {
	factor   *chol.Factor // of Σ_OO where the noise is structured, else nil
	logNoise float64      // log|Σ_OO|
	trace    float64      // tr K(X_O, X_O), of whitened data tr Σ_OO⁻¹K(X_O, X_O)
	norms    []float64    // g_j, the sums of squares of the columns of Φ_O, whitened likewise
}

// whiten sets a, with a row for each observed point, to L⁻¹·a.
func (o *observation) whiten(a mat.Matrix) {
	if o.factor != nil {
		o.factor.SolveHalf(a)
	}
}

// observe prepares L* for observations at the given points of a grid.
func (q *posterior) observe(on *projection, seen []int) (*observation, error) {
	o := &observation{logNoise: -float64(len(seen)) * math.Log(q.params.Beta), trace: float64(len(seen)) * q.spatialVariance()}
	if !q.params.structured() {
		mask := kronprod.NewTensor(gridDims(on.grid)...)
		for _, i := range seen {
			mask.Data[i] = 1
		}
		o.norms = on.squared.T().MulTensor(make([]float64, q.latentTimesSpace.Cols), mask, nil).Data
		return o, nil
	}
	noise, k := mat.New(len(seen), len(seen)), mat.New(len(seen), len(seen))
	submatrix(noise, on.residual(), seen, seen)
	submatrix(k, on.kss[0](), seen, seen)
	for a := range seen {
		noise.Row(a)[a] += 1 / q.params.Beta
	}
	var err error
	if o.factor, err = chol.Factorize(noise); err != nil {
		return nil, err
	}
	o.logNoise = o.factor.LogDet()
	o.factor.Solve(k)
	o.trace = mat.Trace(k)
	phi := gather(on.phi.Factors[0], seen)
	o.whiten(phi)
	o.norms = make([]float64, phi.Cols)
	for a := range seen {
		for j, v := range phi.Row(a) {
			o.norms[j] += v * v
		}
	}
	return o, nil
}

// gather returns the given rows of a.
func gather(a mat.Matrix, rows []int) mat.Matrix {
	g := mat.New(len(rows), a.Cols)
	for k, i := range rows {
		copy(g.Row(k), a.Row(i))
	}
	return g
}

// submatrix sets dst, len(a)×len(b), to the elements of k in the rows a and the columns b.
func submatrix(dst, k mat.Matrix, a, b []int) {
	for i, at := range a {
		to, row := dst.Row(i), k.Row(at)
		for j, l := range b {
			to[j] = row[l]
		}
	}
}

func gridDims(g Grid) []int {
	dims := make([]int, len(g))
	for f, x := range g {
		dims[f] = x.Rows
	}
	return dims
}

// bound returns L* at N(mu, diag s) and writes its derivatives to dmu and ds,
// unless these are nil.
func (v *evidence) bound(ps *latentPsi, t *latentScratch, mu, s, dmu, ds []float64) float64 {
	value, _ := v.boundWith(math.Inf(1), ps, t, mu, s, dmu, ds)
	return value
}

// boundWith is bound where the example's noise variance may be a multiple of the training
// noise's, and returns the multiple with the highest bound. Only the expected squares of the
// whitened residuals, −2A, count for it: with τ in place of the precision 1 and a Gamma prior
// around 1 that weighs as much as strength ν values,
//
//	L* = constant + ½|O|·log τ + τ·A − KL + ½ν·(log τ − τ + 1),  τ = (|O| + ν)/(ν − 2A)
//
// An infinite strength fixes τ = 1.
func (v *evidence) boundWith(strength float64, ps *latentPsi, t *latentScratch, mu, s, dmu, ds []float64) (value, multiple float64) {
	d := len(mu)
	if dmu != nil {
		clear(dmu)
		clear(ds)
	}
	square := v.square + ps.linear(t, v.dPsi0, v.dPsi1, v.dPsi2, mu, s, dmu, ds)
	value, tau := v.valueOf(strength, square)
	rowMu, rowS := mat.NewDense(1, d, mu), mat.NewDense(1, d, s)
	if dmu != nil {
		asm.Scale(dmu, tau, dmu)
		asm.Scale(ds, tau, ds)
		subtractIndependentKL(mat.NewDense(1, d, dmu), mat.NewDense(1, d, ds), rowMu, rowS, v.prior)
	}
	return value - independentKL(rowMu, rowS, v.prior), 1 / tau
}

// valueOf returns L* but for the divergence, and τ, given A.
func (v *evidence) valueOf(strength, square float64) (value, tau float64) {
	if math.IsInf(strength, 1) {
		return v.constant + square, 1
	}
	tau = (v.count + strength) / (strength - 2*square)
	return v.constant + 0.5*v.count*math.Log(tau) + tau*square + 0.5*strength*(math.Log(tau)-tau+1), tau
}

// traceLower returns tr(a·b) of two symmetric matrices; only the lower triangle
// of b is read.
func traceLower(a, b mat.Matrix) float64 {
	var s float64
	for i := range a.Rows {
		s += 2*asm.Dot(a.Row(i)[:i], b.Row(i)[:i]) + a.At(i, i)*b.At(i, i)
	}
	return s
}

// starts are the training posteriors in the form in which L* sees them, so that
// scoring all of them is two products.
type starts struct {
	example []int // training example of each row
	psi0    []float64
	psi1    mat.Matrix // rows ψ1, m_ξ
	psi2    mat.Matrix // rows of Ψ2's lower triangle with the off-diagonal doubled
	kl      []float64  // from the standard normal prior
}

// startNumbers bounds the numbers kept in starts.psi2 (128 MiB); beyond it only
// evenly chosen training examples are starting points.
const startNumbers = 1 << 24

func newStarts(ps *latentPsi, p *Params) *starts {
	m := p.Z.Rows
	pairs := m * (m + 1) / 2
	count := max(1, min(p.Mu.Rows, startNumbers/pairs))
	s := &starts{psi1: mat.New(count, m), psi2: mat.New(count, pairs), kl: make([]float64, count), psi0: make([]float64, count), example: make([]int, count)}
	blocks := min(exampleBlocks, count)
	mat.Parallel(blocks, func(b int) {
		t := ps.newScratch()
		from, to := blockRange(b, blocks, count)
		for k := from; k < to; k++ {
			i := k * p.Mu.Rows / count
			s.example[k] = i
			mu, v := p.Mu.Slice(i, i+1, 0, p.Mu.Cols), p.S.Slice(i, i+1, 0, p.S.Cols)
			s.psi0[k] = p.Latent.psi0(mu, v)
			ps.psi1(s.psi1.Slice(k, k+1, 0, m), mu, v)
			ps.psi2Example(t, mu.Row(0), v.Row(0))
			packLower(s.psi2.Row(k), t.e, 2)
			s.kl[k] = independentKL(mu, v, nil)
		}
	})
	return s
}

// packLower writes the lower triangle of a row by row, with the elements below
// the diagonal multiplied by off.
func packLower(dst []float64, a mat.Matrix, off float64) {
	for i := range a.Rows {
		row := a.Row(i)
		asm.Scale(dst, off, row[:i])
		dst[i] = row[i]
		dst = dst[i+1:]
	}
}

// latentTolerance ends an optimisation of q(x) that gained no more in ten steps, in nats:
// what is left then moves its mean by a small fraction of its standard deviations.
const latentTolerance = 1e-2

// infer scores all starting points, optimises the best and returns the best
// result.
func (q *posterior) infer(ctx context.Context, e *example, o InferOptions) (Latent, error) {
	if o.Polish < 0 || o.Iterations < 0 {
		return Latent{}, &ConfigError{Field: "InferOptions", Err: fmt.Errorf("Polish %d, Iterations %d, expected no negative number", o.Polish, o.Iterations)}
	}
	if err := o.Conditioning.validate(); err != nil {
		return Latent{}, &ConfigError{Field: "InferOptions", Err: err}
	}
	if o.Polish == 0 {
		o.Polish = 3
	}
	if o.Iterations == 0 {
		o.Iterations = 200
	}
	d := q.params.Mu.Cols
	if !(o.LocalStrength >= 0) || math.IsInf(o.LocalStrength, 0) || math.IsNaN(o.LocalBandwidth) || math.IsInf(o.LocalBandwidth, 0) {
		return Latent{}, &ConfigError{Field: "InferOptions", Err: fmt.Errorf("LocalBandwidth %v, LocalStrength %v, expected finite numbers, the strength 0 or more", o.LocalBandwidth, o.LocalStrength)}
	}
	if math.IsNaN(o.Freedom) || math.IsInf(o.Freedom, 0) {
		return Latent{}, &ConfigError{Field: "InferOptions", Err: fmt.Errorf("Freedom %v, expected a finite number", o.Freedom)}
	}
	if !(o.NoiseStrength >= 0) {
		return Latent{}, &ConfigError{Field: "InferOptions", Err: fmt.Errorf("NoiseStrength %v, expected 0 or more", o.NoiseStrength)}
	}
	strength := o.NoiseStrength
	if strength == 0 {
		strength = math.Inf(1)
	}
	prior := e.prior.latent(d)
	if !e.observed() {
		return prior, ctx.Err()
	}
	v, err := q.evidenceOf(e)
	if err != nil {
		return Latent{}, err
	}
	w := inferWorkspaces.Get().(*inferWorkspace)
	defer inferWorkspaces.Put(w)
	w.fit(q.psi)

	candidates := q.score(v, strength)
	prior.Bound, _ = v.boundWith(strength, q.psi, w.scratch, prior.Mu, prior.S, nil, nil)
	candidates = append(candidates, prior)
	slices.SortStableFunc(candidates, func(a, b Latent) int { return cmp.Compare(b.Bound, a.Bound) })

	var best Latent
	x := make([]float64, 2*d)
	for k, c := range candidates[:min(o.Polish, len(candidates))] {
		copy(x, c.Mu)
		for i, s := range c.S {
			x[d+i] = math.Log(s)
		}
		r, err := w.minimizer.Minimize(ctx, func(x, slope []float64) float64 {
			for i, l := range x[d:] {
				w.s[i] = math.Exp(l)
			}
			value, _ := v.boundWith(strength, q.psi, w.scratch, x[:d], w.s, w.dmu, w.ds)
			for i := range d {
				slope[i] = -w.dmu[i]
				slope[d+i] = -w.ds[i] * w.s[i]
			}
			return -value
		}, x, lbfgs.Options{MaxIterations: o.Iterations, GradTolerance: 1e-4, Decrease: latentTolerance, Noise: 1e-13})
		if err != nil {
			return Latent{}, err
		}
		if k == 0 || -r.F > best.Bound {
			best = Latent{Mu: slices.Clone(r.X[:d]), S: make([]float64, d), Bound: -r.F, Start: c.Start, At: prior.At}
			for i, l := range r.X[d:] {
				best.S[i] = math.Exp(l)
			}
		}
	}
	_, best.Noise = v.boundWith(strength, q.psi, w.scratch, best.Mu, best.S, nil, nil)
	return best, nil
}

// score returns every training posterior as a candidate with its L*.
func (q *posterior) score(v *evidence, strength float64) []Latent {
	s := q.starts
	n := len(s.example)
	packed := make([]float64, s.psi2.Cols)
	packLower(packed, v.dPsi2.g, 1)
	linear, square := mat.New(n, 1), mat.New(n, 1)
	mat.Mul(linear, 1, s.psi1, mat.Vector(v.dPsi1), 0)
	mat.Mul(square, 1, s.psi2, mat.Vector(packed), 0)
	c := make([]Latent, n)
	for k, i := range s.example {
		value, _ := v.valueOf(strength, v.square+v.dPsi0*s.psi0[k]+linear.Data[k]+square.Data[k])
		kl := s.kl[k]
		if v.prior != nil {
			kl = independentKL(q.params.Mu.Slice(i, i+1, 0, q.params.Mu.Cols), q.params.S.Slice(i, i+1, 0, q.params.S.Cols), v.prior)
		}
		c[k] = Latent{Mu: q.params.Mu.Row(i), S: q.params.S.Row(i), Start: i, Bound: value - kl}
	}
	return c
}

// inferWorkspace is what one inference at a time needs.
type inferWorkspace struct {
	minimizer  lbfgs.Minimizer
	scratch    *latentScratch
	s, dmu, ds []float64
}

var inferWorkspaces = sync.Pool{New: func() any { return new(inferWorkspace) }}

func (w *inferWorkspace) fit(ps *latentPsi) {
	if w.scratch.fits(ps) {
		return
	}
	d := ps.z.Cols
	w.scratch = ps.newScratch()
	w.s, w.dmu, w.ds = make([]float64, d), make([]float64, d), make([]float64, d)
}
