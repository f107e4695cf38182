package emulator

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
)

// An Observation is what was seen of an output, in the user's units.
type Observation struct {
	At     []int     // numbers of the values
	Values []float64 // finite
	Errors []float64 // standard errors, 0 or more
}

// InvertOptions steer Invert.
type InvertOptions struct {
	Sample bool // by Hamiltonian Monte Carlo; else draws are those of the Laplace approximation
	Draws  int
	Seed   uint64
}

// A Posterior is the distribution of the inputs behind an observation.
type Posterior struct {
	Draws       mat.Matrix // ξ, a draw a row
	Modes       []Mode     // the heaviest first
	Score       float64    // squared distance of the observation from what the emulator and the prior expect, over its number of values: 1 is expected
	Unexplained bool       // it is larger than in 999 of 1000 cases
	Effective   float64    // how many independent draws tell as much; all of them without sampling
	Differ      float64    // largest distance of means by sampling and by the Laplace approximation, in deviations; 0 without sampling
}

// A Mode is a maximum of the posterior density.
type Mode struct {
	Weight float64 // by the Laplace approximation
	X      []float64
}

// surprising is the number of deviations of a logarithm above which a score is.
const surprising = 3.09

// leastNoise is the least variance of an observed value, in variances of its channel: values that never vary may be rounded.
const leastNoise = 1e-12

// A problem is −log of the posterior density of t, less a constant. With W·(coordinates) + e = z for e of variance 1, z has a multivariate Student
// distribution around W·mean with the matrix C = I + level·W·diag(variance)·Wᵀ.
type problem struct {
	*point
	spread
	prior *Prior
	combo int
	w     mat.Matrix // r×J
	z     []float64  // r
	rest  float64    // squared length of the observation outside of the r directions

	xi, gx          []float64
	e, alpha        []float64 // r
	dm, dv          []float64 // J
	c, inverse, wci mat.Matrix
	factor          chol.Factor
}

// newProblem reduces an observation to at most as many numbers as there are components.
func (v *Inverter) newProblem(o *Observation) (*problem, error) {
	m := v.surface.m
	modes, count := m.P.Cols, len(o.At)
	p := &problem{point: v.surface.point(), spread: v.spread, prior: v.prior, w: mat.New(count, modes), z: make([]float64, count)}
	for k, at := range o.At {
		channel := at % len(m.Scaler.Mean)
		scale := m.Scaler.Scale[channel]
		error_ := o.Errors[k] / scale
		inverse := 1 / math.Sqrt(max(float64(error_*error_)+m.Left[at], leastNoise))
		p.z[k] = inverse * ((o.Values[k]-m.Scaler.Mean[channel])/scale - m.Centre[at])
		asm.MulTo(p.w.Row(k), m.V.Row(at), m.Deviations)
		asm.Scale(p.w.Row(k), inverse, p.w.Row(k))
	}
	if count > modes {
		g, wz := mat.New(modes, modes), make([]float64, modes)
		mat.MulSym(g, 1, p.w.T(), p.w, 0)
		mat.MirrorLower(g)
		spectrum, err := eig.Sym(g)
		if err != nil {
			return nil, err
		}
		mat.Mul(mat.Vector(wz), 1, p.w.T(), mat.Vector(p.z), 0)
		p.rest = asm.SumSquares(p.z)
		w, z := mat.New(modes, modes), make([]float64, modes)
		mat.Mul(mat.Vector(z), 1, spectrum.Vectors.T(), mat.Vector(wz), 0)
		for i, l := range spectrum.Values {
			root := math.Sqrt(max(l, 1e-14*spectrum.Values[modes-1]))
			z[i] /= root
			for j := range modes {
				w.Set(i, j, root*spectrum.Vectors.At(j, i))
			}
		}
		p.rest = max(0, p.rest-asm.SumSquares(z))
		p.w, p.z = w, z
	}
	r := p.w.Rows
	p.xi, p.gx = make([]float64, m.X.Cols), make([]float64, m.X.Cols)
	p.e, p.alpha, p.dm, p.dv = make([]float64, r), make([]float64, r), make([]float64, modes), make([]float64, modes)
	p.c, p.inverse, p.wci = mat.New(r, r), mat.New(r, r), mat.New(r, modes)
	return p, nil
}

// value returns −log density at t and sets its gradient.
func (p *problem) value(t, gradient []float64) float64 {
	misfit, logs, err := p.misfit(t)
	if err != nil {
		return math.NaN()
	}
	r := p.w.Rows
	weight := (1 + p.tail*float64(r)) / (1 + p.tail*misfit) // −2·∂log p/∂misfit
	mat.Mul(mat.Vector(p.dm), -1, p.w.T(), mat.Vector(p.alpha), 0)
	mat.Copy(p.wci, p.w)
	p.factor.SolveHalf(p.wci)
	clear(p.dv)
	for i := range r {
		row := p.wci.Row(i)
		for j, v := range row {
			p.dv[j] += 0.5 * p.level * float64(v*v)
		}
	}
	for j, v := range p.dm {
		p.dv[j] -= 0.5 * p.level * weight * float64(v*v)
		p.dm[j] *= weight
	}
	clear(p.gx)
	p.pull(p.gx, p.dm, p.dv)
	sum := 0.5 * (misfit + logs)
	if p.tail > 0 {
		sum = 0.5 * ((1/p.tail+float64(r))*math.Log1p(p.tail*misfit) + logs)
	}
	for k, v := range t {
		gradient[k] = v + p.gx[p.prior.axes[k].at]*p.prior.slope(k, v)
		sum += 0.5 * v * v
	}
	return sum
}

// misfit returns (z − W·mean)ᵀC⁻¹(z − W·mean) and log|C| at t.
func (p *problem) misfit(t []float64) (misfit, logs float64, err error) {
	p.prior.set(p.xi, t, p.combo)
	p.at(p.xi)
	copy(p.e, p.z)
	mat.Mul(mat.Vector(p.e), -1, p.w, mat.Vector(p.mean), 1)
	for i := range p.wci.Rows {
		asm.MulTo(p.wci.Row(i), p.w.Row(i), p.variance)
	}
	mat.Scale(p.wci, p.level, p.wci)
	mat.MulSym(p.c, 1, p.wci, p.w.T(), 0)
	if err := p.factor.RefactorizeShifted(p.c, 1); err != nil {
		return 0, 0, err
	}
	copy(p.alpha, p.e)
	p.factor.Solve(mat.Vector(p.alpha))
	return asm.Dot(p.alpha, p.e), p.factor.LogDet(), nil
}

// An optimum is a maximum of the density with its Laplace approximation: t = mode + root·(standard normal).
type optimum struct {
	combo   int
	t       []float64
	value   float64 // −log density, the prior of the categories in it
	hessian mat.Matrix
	root    mat.Matrix
	weight  float64
}

// starts is from how many points a maximum is looked for, and fewStarts for each combination of categories.
const starts, fewStarts = 8, 3

// An Inverter finds inputs behind outputs. Any number of goroutines may use it.
type Inverter struct {
	surface *surface
	spread  spread
	prior   *Prior
}

// NewInverter returns one of a model and a prior.
func (m *Model) NewInverter(prior *Prior) *Inverter {
	return &Inverter{newSurface(m), m.spread(), prior}
}

// A spread tells how errors of the emulator differ from normal ones: runs where one coordinate is far off are those where the others are.
type spread struct {
	level float64 // of the variances, 1 or more
	tail  float64 // 1 over the degrees of freedom; 0: normal
}

// spread compares the runs, each left out of the others with kernels held, which is optimistic: the level is never below 1. Of J coordinates the mean q of e²/variance
// has log q of variance ψ′(J/2), and ψ′(ν/2) more if errors are Student's.
func (m *Model) spread() spread {
	n, modes := m.P.Rows, float64(m.P.Cols)
	var errors, variances []mat.Matrix
	for _, c := range m.Members {
		e, v := c.process.LeaveOneOut()
		errors, variances = append(errors, e), append(variances, v)
	}
	logs := mat.New(n, 1)
	for i := range n {
		q := 0.
		for j := range m.P.Cols {
			e, v := 0., 0.
			for c, of := range m.Members {
				e += of.Weight * errors[c].At(i, j)
				v += of.Weight * (variances[c].At(i, j) + errors[c].At(i, j)*errors[c].At(i, j))
			}
			q += e * e / max(m.Factor*(v-float64(e*e)), tiny)
		}
		logs.Set(i, 0, math.Log(max(q/modes, tiny)))
	}
	mean := centre(logs)[0]
	all := asm.SumSquares(logs.Data) / float64(n)
	over := all - trigamma(modes/2)
	s := spread{level: mean + half(modes/2)}
	if over > 3*all*math.Sqrt(2/float64(n)) {
		s.tail = 1 / (2/over + 1) // ψ′(x) is about 1/(x − ½)
		s.level -= half(0.5 / s.tail)
	}
	s.level = math.Exp(max(0, s.level))
	return s
}

// trigamma and half are the first terms of ψ′(x) and of log x − ψ(x).
func trigamma(x float64) float64 { return 1/x + 1/(2*x*x) + 1/(6*x*x*x) }
func half(x float64) float64     { return 1/(2*x) + 1/(12*x*x) }

// Invert returns the posterior of ξ. Errors: those of ctx, of eig and of lbfgs.
func (v *Inverter) Invert(ctx context.Context, o *Observation, opt InvertOptions) (*Posterior, error) {
	p, err := v.newProblem(o)
	if err != nil {
		return nil, err
	}
	var list []*optimum
	for combo := range v.prior.combos {
		if p.combo = combo; v.prior.combos[combo].weight == 0 {
			continue
		}
		if list, err = p.maxima(ctx, list); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no maximum of the posterior density was found")
	}
	list = weigh(list)
	post := &Posterior{Draws: mat.New(0, v.prior.width), Effective: float64(opt.Draws)}
	for _, best := range list {
		x := make([]float64, v.prior.width)
		v.prior.set(x, best.t, best.combo)
		post.Modes = append(post.Modes, Mode{best.weight, x})
	}
	best := list[0]
	p.combo = best.combo
	misfit, _, err := p.misfit(best.t)
	if err != nil {
		return nil, err
	}
	count := float64(max(1, len(o.At)))
	post.Score = (misfit + p.rest + asm.SumSquares(best.t)) / count
	deviation := 2 / count
	if p.tail > 0 {
		deviation += trigamma(0.5 / p.tail)
	}
	post.Unexplained = math.Log(post.Score) > surprising*math.Sqrt(deviation)
	rng := rand.New(rand.NewPCG(opt.Seed, 0x696e76))
	return post, p.draw(ctx, post, list, opt, rng)
}

// maxima adds the maxima that are found for a combination of categories.
func (p *problem) maxima(ctx context.Context, list []*optimum) ([]*optimum, error) {
	count := starts
	if len(p.prior.combos) > 1 {
		count = fewStarts
	}
	var found []*optimum
	for _, start := range p.starts(count) {
		if len(start) == 0 {
			found = append(found, &optimum{combo: p.combo, value: p.value(nil, nil) - math.Log(p.prior.combos[p.combo].weight)})
			break
		}
		r, err := lbfgs.Minimize(ctx, p.value, start, lbfgs.Options{MaxIterations: 150, MaxEvaluations: 250, GradTolerance: 1e-4, RelativeDecrease: 1e-10, Decrease: 1e-5, InitialStep: 0.3})
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue // another start may do
		}
		found = append(found, &optimum{combo: p.combo, t: slices.Clone(r.X), value: r.F - math.Log(p.prior.combos[p.combo].weight)})
	}
	slices.SortStableFunc(found, func(a, b *optimum) int {
		if a.value < b.value {
			return -1
		}
		return 1
	})
	for _, o := range found {
		if !slices.ContainsFunc(list, func(k *optimum) bool { return k.holds(o) }) && (len(list) == 0 || o.value < list[0].value+30) {
			if err := p.approximate(o); err != nil {
				return nil, err
			}
			list = append(list, o)
		}
	}
	return list, nil
}

// starts returns the middle of the prior and the runs whose outputs are nearest.
func (p *problem) starts(count int) [][]float64 {
	type near struct {
		run      int
		distance float64
	}
	var runs []near
	e := make([]float64, len(p.z))
	for i := range p.m.X.Rows {
		if !p.prior.fits(p.m.X.Row(i), p.combo) {
			continue
		}
		copy(e, p.z)
		mat.Mul(mat.Vector(e), -1, p.w, mat.Vector(p.m.P.Row(i)), 1)
		runs = append(runs, near{i, asm.SumSquares(e)})
	}
	slices.SortStableFunc(runs, func(a, b near) int {
		if a.distance < b.distance {
			return -1
		}
		return 1
	})
	d := len(p.prior.axes)
	list := [][]float64{make([]float64, d)}
	for _, r := range runs[:min(len(runs), count-1)] {
		t := make([]float64, d)
		p.prior.reverse(t, p.m.X.Row(r.run))
		list = append(list, t)
	}
	return list
}

// sameMode is the squared distance, in deviations of the Laplace approximation, within which two maxima are one.
const sameMode = 9

// holds tells whether an optimum is a known one.
func (k *optimum) holds(o *optimum) bool {
	if k.combo != o.combo {
		return false
	}
	d, hd := make([]float64, len(k.t)), make([]float64, len(k.t))
	asm.AddScaled(d, o.t, -1, k.t)
	mat.Mul(mat.Vector(hd), 1, k.hessian, mat.Vector(d), 0)
	return asm.Dot(d, hd) < sameMode
}

// leastCurvature bounds the Hessian from below: the prior alone has 1.
const leastCurvature = 0.1

// approximate sets the Hessian of an optimum, by central differences of the gradient.
func (p *problem) approximate(o *optimum) error {
	d := len(o.t)
	o.hessian, o.root = mat.New(d, d), mat.New(d, d)
	const h = 1e-4
	up, down, t := make([]float64, d), make([]float64, d), slices.Clone(o.t)
	for k := range d {
		t[k] = o.t[k] + h
		p.value(t, up)
		t[k] = o.t[k] - h
		p.value(t, down)
		t[k] = o.t[k]
		for l := range d {
			v := (up[l] - down[l]) / (4 * h)
			o.hessian.Row(k)[l] += v
			o.hessian.Row(l)[k] += v
		}
	}
	s, err := eig.Sym(o.hessian)
	if err != nil {
		return err
	}
	o.weight = -o.value
	for i, l := range s.Values {
		l = max(l, leastCurvature)
		o.weight -= 0.5 * math.Log(l)
		for k := range d {
			o.root.Set(k, i, s.Vectors.At(k, i)/math.Sqrt(l))
		}
	}
	return nil
}

// Modes below leastShare of the weight are left out, and all but mostDistinct.
const leastShare, mostDistinct = 0.01, 8

// weigh turns logarithms of weights into weights, the greatest first.
func weigh(list []*optimum) []*optimum {
	slices.SortStableFunc(list, func(a, b *optimum) int {
		if a.weight > b.weight {
			return -1
		}
		return 1
	})
	list = list[:min(len(list), mostDistinct)]
	most, sum := list[0].weight, 0.
	for k, o := range list {
		o.weight = math.Exp(o.weight - most)
		if o.weight < leastShare {
			list = list[:k]
			break
		}
		sum += o.weight
	}
	for _, o := range list {
		o.weight /= sum
	}
	return list
}
