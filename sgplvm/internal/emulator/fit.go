package emulator

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Limits of the work: folds compare choices on at most foldRuns runs; kernels are fitted to at most fitRuns; products of factors, and kernels
// near the shared one, are tried for at most fewInputs inputs.
const foldRuns, fitRuns, fewInputs = 256, 400, 20

// nearModes is how many leading modes of n runs get kernels of their own at most: each keeps n² numbers.
func nearModes(n int) int { return min(30, 1+30_000_000/(n*n)) }

// A Choice is what can be chosen of an emulator.
type Choice struct {
	Mean   bool    // the kernel is 0: the mean of the runs
	Linear bool    // the kernel is its linear part: ridge regression
	Form   Form    // of the kernel
	Single bool    // one length scale for all inputs
	Near   float64 // deviation of log ℓ of a leading mode from the shared one; 0: all modes share a kernel
}

// simple tells whether there is nothing to fit.
func (c Choice) simple() bool { return c.Mean || c.Linear }

// steps limits an optimisation.
var steps = lbfgs.Options{MaxIterations: 200, MaxEvaluations: 300, GradTolerance: 1e-3, RelativeDecrease: 1e-6, Decrease: 0.1, InitialStep: 0.5}

// fitShared returns the kernel of the largest evidence (times the priors), from start, of the same form; nil: from the usual distance of runs.
func fitShared(ctx context.Context, x mat.Matrix, u []float64, p mat.Matrix, c Choice, start *Kernel) (*Kernel, error) {
	if c.Mean {
		return &Kernel{Scales: work.Ones(x.Cols), Linear: make([]float64, x.Cols)}, nil
	}
	if c.Linear {
		return &Kernel{Scales: work.Ones(x.Cols), Linear: u}, nil
	}
	e := newEvidence(x, u, p)
	at := newCoordinates(c.Form, x, u, c.Single)
	v := at.start(e)
	if start != nil {
		v = at.vector(start)
	}
	var failed error
	r, err := lbfgs.Minimize(ctx, func(v, grad []float64) float64 {
		prior := at.prior(grad, v)
		k := at.kernel(v)
		value, g, err := e.slopes(k)
		if err != nil {
			failed = err
			return math.NaN()
		}
		at.chain(grad, k, &g)
		return prior - value
	}, v, steps)
	if err != nil {
		if failed != nil {
			err = failed
		}
		return nil, err
	}
	return at.kernel(r.X), nil
}

// anyComponents is the key of a kernel of one length scale for another number of components of input fields, where a fit may begin.
var anyComponents = Choice{Linear: true, Single: true}

// sharedKernels are those of one set of runs, by choice; that of several length scales begins from that of one.
type sharedKernels map[Choice]*Kernel

// of returns the shared kernel of a choice.
func (s sharedKernels) of(ctx context.Context, x mat.Matrix, u []float64, p mat.Matrix, c Choice) (k *Kernel, err error) {
	c.Near = 0
	if s[c] != nil {
		return s[c], nil
	}
	start := s[anyComponents]
	switch {
	case c.Form != RBF && c.Single || c.Linear || c.Mean:
		start = nil
	case !c.Single:
		if start, err = s.of(ctx, x, u, p, Choice{Form: c.Form, Single: true}); err != nil {
			return nil, err
		}
	}
	s[c], err = fitShared(ctx, x, u, p, c, start)
	return s[c], err
}

// A single evaluates the evidence of one mode, with a profiled, by a Cholesky factor.
type single struct {
	x, linear, k, form, weight, m mat.Matrix
	factor                        chol.Factor
}

func newSingle(x mat.Matrix, u []float64) *single {
	n := x.Rows
	s := &single{x: x, linear: linear(x, u), k: mat.New(n, n), form: mat.New(n, n), weight: mat.New(n, n), m: mat.New(n, n)}
	return s
}

// slopes returns the log evidence of y with the best a, and its gradient in the kernel's parameters and in r.
func (s *single) slopes(k *Kernel, r float64, y []float64) (v float64, g gradient, inRatio float64, err error) {
	n := float64(len(y))
	k.values(s.k, s.x, s.x, s.form, s.weight)
	if err := s.factor.RefactorizeShifted(s.k, r); err != nil {
		return 0, g, 0, err
	}
	alpha := append([]float64{}, y...)
	s.factor.Solve(mat.Vector(alpha))
	square := 0.
	for i, v := range alpha {
		square += v * y[i]
	}
	a := max(square/n, tiny)
	v = -0.5 * (n*math.Log(a) + s.factor.LogDet() + n*(1+math.Log(2*math.Pi)))
	s.factor.Inverse(s.m)
	mat.Syrk(s.m, 0.5/a, mat.Vector(alpha), -0.5)
	mat.MirrorLower(s.m)
	return v, k.slopes(s.x, s.m, s.form, s.weight, s.linear), mat.Trace(s.m), nil
}

// noisy is the ratio of noise and signal above which a mode may look like noise only because the shared kernel is too smooth for it.
const noisy = 0.1

// ratioCentre and ratioDeviation are the centre and the deviation of the weak prior of the logarithm of r.
const ratioCentre, ratioDeviation = -5, 5

// fitNear returns the kernel of a mode around a shared one, under which it has the given ratio.
func fitNear(ctx context.Context, x mat.Matrix, y []float64, c Choice, shared *Kernel, ratio float64) (*Kernel, error) {
	s := newSingle(x, shared.Linear)
	at := newCoordinates(c.Form, x, shared.Linear, false).around(shared, c.Near)
	d := len(at.centre)
	objective := func(v, grad []float64) float64 {
		u := (v[d] - ratioCentre) / ratioDeviation
		prior := at.prior(grad[:d], v[:d]) + 0.5*u*u
		k, r := at.kernel(v), math.Exp(v[d])
		value, g, inRatio, err := s.slopes(k, math.Exp(minRatio)+r, y)
		if err != nil {
			return math.NaN()
		}
		at.chain(grad, k, &g)
		grad[d] = u/ratioDeviation - r*inRatio
		return prior - value
	}
	starts := [][]float64{append(append([]float64{}, at.centre...), math.Log(min(ratio, 1)))}
	if ratio > noisy {
		rough := append(append([]float64{}, at.centre...), math.Log(noisy))
		for q := range x.Cols {
			rough[q] -= math.Ln2
		}
		starts = append(starts, rough)
	}
	var best lbfgs.Result
	for k, start := range starts {
		r, err := lbfgs.Minimize(ctx, objective, start, steps)
		if err != nil {
			return nil, err
		}
		if k == 0 || r.F < best.F {
			best = r
		}
	}
	return at.kernel(best.X), nil
}

// A group is modes that share a kernel, conditioned on the runs.
type group struct {
	kernel *Kernel
	modes  []int
	a, r   []float64  // of each of the modes
	u      mat.Matrix // n×n
	lambda []float64
	alpha  mat.Matrix // a·U·H, n×modes
}

// A Process predicts coordinates of outputs from inputs. Of many runs x are inducing inputs, and p has all.
type Process struct {
	x, p   mat.Matrix
	groups []group
}

// fitKernels returns the kernels of a choice for inputs x, n×d of mean 0, and coordinates p, n×J, with the shared kernel: those of leading modes, if
// they have some, and last the shared one. modes says which have each.
func fitKernels(ctx context.Context, x, p mat.Matrix, c Choice, shared *Kernel) (kernels []*Kernel, modes [][]int, err error) {
	own := 0
	if c.Near > 0 {
		own = min(nearModes(x.Rows), p.Cols)
	}
	if own > 0 {
		kernels, modes = make([]*Kernel, own), make([][]int, own)
		e := newEvidence(x, shared.Linear, p)
		if _, err := e.value(shared); err != nil {
			return nil, nil, err
		}
		errs := make([]error, own)
		mat.Parallel(own, func(j int) {
			y := columns(p.Slice(0, p.Rows, j, j+1)).Data
			kernels[j], errs[j] = fitNear(ctx, x, y, c, shared, e.r[j])
			modes[j] = []int{j}
		})
		if err := first(errs); err != nil {
			return nil, nil, err
		}
	}
	rest := make([]int, p.Cols-own)
	for i := range rest {
		rest[i] = own + i
	}
	return append(kernels, shared), append(modes, rest), nil
}

// newProcess conditions kernels on the runs, with the best a and b of each mode.
func newProcess(x, p mat.Matrix, kernels []*Kernel, modes [][]int) (*Process, error) {
	m := &Process{x: inducing(x), p: p, groups: make([]group, len(kernels))}
	errs := make([]error, len(kernels))
	mat.Parallel(len(kernels), func(g int) {
		of := mat.New(p.Rows, len(modes[g]))
		for k, j := range modes[g] {
			mat.Copy(of.Slice(0, p.Rows, k, k+1), p.Slice(0, p.Rows, j, j+1))
		}
		if x.Rows > m.x.Rows {
			m.groups[g], errs[g] = induced(kernels[g], modes[g], x, m.x, of)
			return
		}
		e := newEvidence(x, kernels[g].Linear, of)
		if _, errs[g] = e.value(kernels[g]); errs[g] != nil {
			return
		}
		h := e.b
		for i, l := range e.spectrum.Values {
			for j, r := range e.r {
				h.Row(i)[j] /= l + r // a·H
			}
		}
		alpha := mat.New(p.Rows, of.Cols)
		mat.Mul(alpha, 1, e.spectrum.Vectors, h, 0)
		m.groups[g] = group{kernels[g], modes[g], e.a, e.r, e.spectrum.Vectors, e.spectrum.Values, alpha}
	})
	return m, first(errs)
}

// Predict returns the means of coordinates at inputs (m×d), m×J, and their variances, the noise b included.
func (m *Process) Predict(x mat.Matrix) (mean, variance mat.Matrix) {
	mean, variance = mat.New(x.Rows, m.p.Cols), mat.New(x.Rows, m.p.Cols)
	m.predict(mean, variance, x)
	return mean, variance
}

// predict is Predict into matrices, of which variance may be empty.
func (m *Process) predict(mean, variance, x mat.Matrix) {
	n := m.x.Rows
	mat.Parallel(len(m.groups), func(t int) {
		g := &m.groups[t]
		k, of := mat.New(x.Rows, n), mat.New(x.Rows, len(g.modes))
		g.kernel.values(k, x, m.x, mat.Matrix{}, mat.Matrix{})
		mat.Mul(of, 1, k, g.alpha, 0)
		for i := range x.Rows {
			for c, j := range g.modes {
				mean.Set(i, j, of.At(i, c))
			}
		}
		if variance.Cols == 0 {
			return
		}
		ku, known, prior := mat.New(x.Rows, n), mat.New(x.Rows, len(g.modes)), g.kernel.diagonal(x)
		mat.Mul(ku, 1, k, g.u, 0)
		mat.MulElem(ku, ku, ku)
		mat.Mul(known, 1, ku, g.inverse(), 0)
		for i := range x.Rows {
			for c, j := range g.modes {
				variance.Set(i, j, g.a[c]*(max(0, prior[i]-known.At(i, c))+g.r[c]))
			}
		}
	})
}

// inverse returns 1/(λ_i + r_j), n×modes.
func (g *group) inverse() mat.Matrix {
	inverse := mat.New(len(g.lambda), len(g.modes))
	for i, l := range g.lambda {
		for j, r := range g.r {
			inverse.Row(i)[j] = 1 / (l + r)
		}
	}
	return inverse
}

// LeaveOneOut returns the errors of every run's coordinates when predicted from the others, and their variances, noise included; kernels, a and b held.
func (m *Process) LeaveOneOut() (errors, variances mat.Matrix) {
	n, modes := m.p.Rows, m.p.Cols
	errors, variances = mat.New(n, modes), mat.New(n, modes)
	mat.Parallel(len(m.groups), func(t int) {
		g := &m.groups[t]
		squares := mat.New(n, n)
		mat.MulElem(squares, g.u, g.u)
		d := mat.New(n, len(g.modes)) // the diagonal of (K + rI)⁻¹
		mat.Mul(d, 1, squares, g.inverse(), 0)
		for i := range n {
			for c, j := range g.modes {
				errors.Set(i, j, g.alpha.At(i, c)/d.At(i, c))
				variances.Set(i, j, g.a[c]/d.At(i, c))
			}
		}
	})
	return errors, variances
}

// Up to exactRuns runs are conditioned on exactly, more by as many inducing inputs, which are inputs of runs: products of runs and of inducing inputs are summed over inducingBlock
// runs at a time. maxRuns limits runs: their coordinates are in memory and in the file.
var exactRuns = 2000

const inducingBlock, maxRuns = 2048, 100_000

// inducing returns the rows of x that predictions are conditioned on.
func inducing(x mat.Matrix) mat.Matrix {
	if x.Rows <= exactRuns {
		return x
	}
	return rows(x, sample(x.Rows, exactRuns, 0))
}

// induced returns the modes of p that share a kernel, conditioned on all rows of x by the inducing inputs z: K is taken as Kxz·Kzz⁻¹·Kzx
// [Quiñonero-Candela and Rasmussen 2005, DTC]. With L·Lᵀ = Kzz, A = L⁻¹·Kzx and A·Aᵀ = W·Λ·Wᵀ the group has U = L⁻ᵀ·W·Λ^½, and B = Λ^(−½)·Wᵀ·A·P.
func induced(k *Kernel, modes []int, x, z, p mat.Matrix) (group, error) {
	m, n := z.Rows, x.Rows
	g := group{kernel: k, modes: modes, a: make([]float64, p.Cols), r: make([]float64, p.Cols), u: mat.New(m, m), alpha: mat.New(m, p.Cols)}
	kzz, gram, b := mat.New(m, m), mat.New(m, m), mat.New(m, p.Cols)
	k.values(kzz, z, z, mat.Matrix{}, mat.Matrix{})
	factor, _, err := chol.FactorizeJitter(kzz, nil)
	if err != nil {
		return g, err
	}
	rest := make([]float64, p.Cols)
	for from := 0; from < n; from += inducingBlock {
		to := min(n, from+inducingBlock)
		a, of := mat.New(m, to-from), p.Slice(from, to, 0, p.Cols)
		k.values(a, z, x.Slice(from, to, 0, x.Cols), mat.Matrix{}, mat.Matrix{})
		factor.SolveHalf(a)
		mat.Syrk(gram, 1, a, 1)
		mat.Mul(b, 1, a, of, 1)
		for i := range of.Rows {
			for j, v := range of.Row(i) {
				rest[j] += float64(v * v)
			}
		}
	}
	mat.MirrorLower(gram)
	spectrum, err := eig.Sym(gram)
	if err != nil {
		return g, err
	}
	g.lambda = spectrum.Values
	roots, h := make([]float64, m), mat.New(m, p.Cols)
	mat.Mul(h, 1, spectrum.Vectors.T(), b, 0)
	for i, l := range g.lambda {
		if g.lambda[i] = max(0, l); l > negligible*g.lambda[m-1] {
			roots[i] = math.Sqrt(l)
			asm.Scale(h.Row(i), 1/roots[i], h.Row(i))
		} else {
			clear(h.Row(i))
		}
		for j, v := range h.Row(i) {
			rest[j] -= float64(v * v)
		}
	}
	profile(g.a, g.r, g.lambda, h, n-m, rest)
	mat.ScaleCols(g.u, spectrum.Vectors, roots)
	factor.SolveHalfT(g.u)
	for i, l := range g.lambda {
		for j, r := range g.r {
			h.Row(i)[j] /= l + r
		}
	}
	mat.Mul(g.alpha, 1, g.u, h, 0)
	return g, nil
}
