package emulator

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
)

// InvertOptions steer Invert.
type InvertOptions struct {
	Draws int
	Seed  uint64
}

// A Posterior is the distribution of the inputs behind an observation.
type Posterior struct {
	Draws       mat.Matrix // ξ, a draw a row
	Modes       []Mode     // the heaviest first
	Score       float64    // squared distance of the observation from what the emulator and the prior expect, over its number of values: 1 is expected
	Unexplained bool       // it is larger than in 999 of 1000 cases
	Effective   float64    // how many independent draws tell as much
	Differ      float64    // largest distance of means from those of the Laplace approximation, in deviations
}

// A Mode is a maximum of the posterior density.
type Mode struct {
	Weight float64 // by the Laplace approximation
	X      []float64
}

// surprising is the number of deviations of a logarithm above which a score is.
const surprising = 3.09

// starts is from how many points a maximum is looked for, and fewStarts for each combination of categories.
const starts, fewStarts = 8, 3

// An Inverter finds inputs behind outputs. Any number of goroutines may use it.
type Inverter struct {
	surface *surface
	prior   *Prior
}

// NewInverter returns one of a model and a prior. Errors: *field.ConfigError.
func (m *Model) NewInverter(prior *Prior) (*Inverter, error) {
	return &Inverter{newSurface(m), prior}, prior.combine()
}

// Invert returns the posterior of ξ. Errors: those of ctx, of eig and of lbfgs.
func (v *Inverter) Invert(ctx context.Context, o *Observation, opt InvertOptions) (*Posterior, error) {
	p, err := v.newProblem(o)
	if err != nil {
		return nil, err
	}
	list, err := p.search(ctx)
	if err != nil {
		return nil, err
	}
	post := &Posterior{Draws: mat.New(0, len(v.prior.base)), Effective: float64(opt.Draws)}
	for _, best := range list {
		x := make([]float64, len(v.prior.base))
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
	post.Unexplained = math.Log(post.Score) > surprising*math.Sqrt(2/count)
	rng := rand.New(rand.NewPCG(opt.Seed, 0x696e76))
	return post, p.draw(ctx, post, list, opt, rng)
}

// search returns the maxima, the heaviest first.
func (p *problem) search(ctx context.Context) (list []*optimum, err error) {
	for combo := range p.prior.combos {
		if p.combo = combo; p.prior.combos[combo].weight == 0 {
			continue
		}
		if list, err = p.maxima(ctx, list); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no maximum of the posterior density was found")
	}
	return weigh(list), nil
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
	sort.SliceStable(found, func(i, j int) bool { return found[i].value < found[j].value })
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

// Modes below minShare of the weight are left out, and all but maxDistinct.
const minShare, maxDistinct = 0.01, 8

// weigh turns logarithms of weights into weights, the greatest first.
func weigh(list []*optimum) []*optimum {
	sort.SliceStable(list, func(i, j int) bool { return list[i].weight > list[j].weight })
	list = list[:min(len(list), maxDistinct)]
	most, sum := list[0].weight, 0.
	for k, o := range list {
		o.weight = math.Exp(o.weight - most)
		if o.weight < minShare {
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

// draw sets the draws of a posterior, of each mode its share.
func (p *problem) draw(ctx context.Context, post *Posterior, list []*optimum, opt InvertOptions, rng *rand.Rand) error {
	d, next, effective, shares, step := len(p.prior.axes), 0, 0., 0., 0.
	post.Draws = mat.New(opt.Draws, len(p.prior.base))
	for k, o := range list {
		shares += o.weight
		to := int(math.Round(shares * float64(opt.Draws)))
		if k == len(list)-1 {
			to = opt.Draws
		}
		if to == next {
			continue
		}
		t := mat.New(to-next, d)
		p.combo = o.combo
		var err error
		if step, err = p.chain(ctx, t, o, step, rng); err != nil {
			return err
		}
		e, differ := compared(t, o)
		effective += e
		if k == 0 {
			post.Differ = differ
		}
		for i := range t.Rows {
			p.prior.set(post.Draws.Row(next+i), t.Row(i), o.combo)
		}
		next = to
	}
	post.Effective = effective
	return nil
}

// newProblem reduces an observation to at most as many numbers as there are components.
func (v *Inverter) newProblem(o *Observation) (*problem, error) {
	m := v.surface.m
	modes, count := m.P.Cols, len(o.At)
	w, z, rest := mat.New(count, modes), make([]float64, count), 0.
	for k, at := range o.At {
		channel := at % len(m.Scaler.Mean)
		scale := m.Scaler.Scale[channel]
		value, error_ := o.Values[k], o.Errors[k]
		if m.Transforms != nil {
			value, error_ = m.Transforms[channel].Observed(value, error_)
		}
		error_ /= scale
		inverse := 1 / math.Sqrt(max(float64(error_*error_)+m.Left[at], minNoise))
		z[k] = inverse * ((value-m.Scaler.Mean[channel])/scale - m.Centre[at])
		asm.MulTo(w.Row(k), m.V.Row(at), m.Deviations)
		asm.Scale(w.Row(k), inverse, w.Row(k))
	}
	if count > modes {
		g, wz := mat.New(modes, modes), make([]float64, modes)
		mat.MulSym(g, 1, w.T(), w, 0)
		mat.MirrorLower(g)
		spectrum, err := eig.Sym(g)
		if err != nil {
			return nil, err
		}
		mat.Mul(mat.Vector(wz), 1, w.T(), mat.Vector(z), 0)
		rest = asm.SumSquares(z)
		w, z = mat.New(modes, modes), make([]float64, modes)
		mat.Mul(mat.Vector(z), 1, spectrum.Vectors.T(), mat.Vector(wz), 0)
		for i, l := range spectrum.Values {
			root := math.Sqrt(max(l, 1e-14*spectrum.Values[modes-1]))
			z[i] /= root
			for j := range modes {
				w.Set(i, j, root*spectrum.Vectors.At(j, i))
			}
		}
		rest = max(0, rest-asm.SumSquares(z))
	}
	p := v.surface.problem(v.prior, w, z)
	p.rest = rest
	return p, nil
}

// An Observation is what was seen of an output, in the user's units.
type Observation struct {
	At     []int     // numbers of the values
	Values []float64 // finite
	Errors []float64 // standard errors, 0 or more
}

// minNoise is the least variance of an observed value, in variances of its channel: values that never vary may be rounded.
const minNoise = 1e-12
