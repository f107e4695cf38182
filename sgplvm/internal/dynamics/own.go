package dynamics

import (
	"cmp"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// How kernels of single latent dimensions are found.
const (
	ownTimes  = 200  // examples that are looked at
	ownScales = 6    // length scales are 2⁰ to 2⁵ median spacings
	ownRough  = 0.25 // median spacings, of what an example has beside its neighbours
	ownNugget = 1e-4
)

// Shares that are tried: of what repeats itself, in what is not rough, and of what is rough.
var (
	seasonalShares = []float64{0.05, 0.3, 0.6, 0.9}
	roughShares    = []float64{0.005, 0.03, 0.15, 0.5}
)

// An ownSum is the kernel of a latent dimension of its own: a sum of a part that repeats itself, smooth parts and a rough one.
type ownSum struct {
	terms            []kernel.Kernel
	seasonal, smooth int // how many there are of these, in this order; one rough term follows
}

// newOwnSum returns the sum for a prior, whose kernel is the form of the smooth part, at each length scale where it has none.
func newOwnSum(prior Prior, all []data.Sequence, period float64) ownSum {
	spacing, span := medianGap(all), 0.0
	for _, s := range all {
		span = max(span, s.Times[len(s.Times)-1]-s.Times[0])
	}
	var o ownSum
	if period > 0 {
		o.seasonal = 1
		o.terms = append(o.terms, kernel.Kernel{Kind: kernel.Product, Terms: []kernel.Kernel{
			{Kind: kernel.RBF, LengthScale: []float64{max(span, period)}}, {Kind: kernel.Periodic, Period: period, LengthScale: []float64{1}}}})
	}
	form := prior.Kernel
	if form.Kind == "" {
		form.Kind = kernel.Matern32
	}
	o.smooth = 1
	if scale, _ := form.Missing(); scale {
		o.smooth = ownScales
	}
	for i := range o.smooth {
		o.terms = append(o.terms, form.Complete(spacing*float64(int(1)<<i), cmp.Or(period, spacing)))
	}
	o.terms = append(o.terms, kernel.Kernel{Kind: kernel.Matern12, LengthScale: []float64{ownRough * spacing}})
	return o
}

// weights are those that are tried.
func (o ownSum) weights() (all [][]float64) {
	shares := seasonalShares
	if o.seasonal == 0 {
		shares = []float64{0}
	}
	for _, seasonal := range shares {
		for smooth := range o.smooth {
			for _, rough := range roughShares {
				w := make([]float64, len(o.terms))
				if o.seasonal > 0 {
					w[0] = seasonal * (1 - rough)
				}
				w[o.seasonal+smooth] = (1 - seasonal) * (1 - rough)
				w[len(w)-1] = rough
				all = append(all, w)
			}
		}
	}
	return all
}

// StartOwn is Start with kernels of the dimensions of their own, as OwnKernels finds them.
func StartOwn(prior Prior, scores mat.Matrix, fractions []float64, period float64) (p *Params, err error) {
	if prior.Own, err = OwnKernels(prior, scores, period); err != nil {
		return nil, err
	}
	return start(prior, scores, fractions)
}

// OwnKernels returns a kernel for each column of scores (n×d): a sum of what repeats itself with a period, if that is not 0, of what is
// smooth, of the form of the kernel of prior, and of what each example has beside its neighbours. Its weights are means over sums of one
// smooth term, in proportion to the densities of the scores as Gaussian processes with these, of any variance (docs/math.md, "Kernels of single
// dimensions"). The first sequences with 200 examples together are looked at.
func OwnKernels(prior Prior, scores mat.Matrix, period float64) ([]kernel.Kernel, error) {
	all := prior.sequences()
	o := newOwnSum(prior, all, period)
	for _, k := range o.terms {
		if err := k.ValidateTime(); err != nil {
			return nil, err
		}
	}
	some, left := all[:0:0], ownTimes
	for _, s := range all {
		if m := min(left, len(s.Times)); m > 0 {
			some = append(some, data.Sequence{Label: s.Label, Times: s.Times[:m], Examples: s.Examples[:m]})
			left -= m
		}
	}
	tried := o.weights()
	evidence := make([][]float64, len(tried)) // of each column
	mat.Parallel(len(tried), func(i int) { evidence[i] = o.evidence(tried[i], some, scores) })
	own := make([]kernel.Kernel, scores.Cols)
	for q := range own {
		own[q] = o.mean(tried, evidence, q)
	}
	return own, nil
}

// evidence returns the log density of each column of scores under the sum with some weights, times the variance that is best for the
// column, but for a constant; −∞ where that fails.
func (o ownSum) evidence(weights []float64, sequences []data.Sequence, scores mat.Matrix) []float64 {
	k := kernel.Kernel{Kind: kernel.Sum}
	for i, w := range weights {
		if w > 0 {
			k.Terms, k.Weights = append(k.Terms, o.terms[i]), append(k.Weights, w)
		}
	}
	squares, found := make([]float64, scores.Cols), make([]float64, scores.Cols)
	var logDet, count float64
	for _, s := range sequences {
		n := len(s.Times)
		matrix := mat.New(n, n)
		k.TimeMatrix(matrix, s.Times, s.Times)
		var f chol.Factor
		if f.RefactorizeShifted(matrix, ownNugget) != nil {
			logDet = math.Inf(1)
			break
		}
		white := work.Gather(scores, s.Examples)
		f.SolveHalf(white)
		work.AddColumnSquares(squares, white)
		logDet += f.LogDet()
		count += float64(n)
	}
	for q, square := range squares {
		found[q] = -0.5 * (count*math.Log(max(square, math.SmallestNonzeroFloat64)) + logDet)
	}
	return found
}

// mean returns the kernel with the mean of the weights that were tried.
func (o ownSum) mean(tried [][]float64, evidence [][]float64, q int) kernel.Kernel {
	best := math.Inf(-1)
	for _, e := range evidence {
		best = max(best, e[q])
	}
	k := kernel.Kernel{Kind: kernel.Sum, Weights: make([]float64, len(o.terms))}
	for i, e := range evidence {
		p := 1.0 // where none can be judged
		if !math.IsInf(best, -1) {
			p = math.Exp(e[q] - best)
		}
		asm.Axpy(p, tried[i], k.Weights)
	}
	asm.Scale(k.Weights, 1/sum(k.Weights), k.Weights)
	for i := range o.terms {
		k.Terms = append(k.Terms, o.terms[i].Clone())
	}
	return k
}

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

// Refit finds the dimensions' own kernels again, from the means mu (n×d) of q(X) with smooth parts of a form as OwnKernels has it from a prior, and sets μ̄ to what the same pseudo-observations
// say under them: those of precision Λ around m = μ + μ̄/Λ, which make q(x) of the prior, so that μ̄ = (K + Λ⁻¹)⁻¹·m = Λ^½·B⁻¹·Λ^½·m.
func (p *Params) Refit(form kernel.Kernel, mu mat.Matrix, period float64) error {
	prior := p.Prior
	prior.Kernel = form
	own, err := OwnKernels(prior, mu, period)
	if err != nil {
		return err
	}
	p.Prior.Own = own
	return p.Observe(p.Scaled(mu))
}

// Scaled returns Λ^½·m, n×d, of the pseudo-observations m of precision Λ that make q(x), of means mu, of the prior.
func (p *Params) Scaled(mu mat.Matrix) mat.Matrix {
	y := mat.New(mu.Rows, mu.Cols)
	for i, v := range mu.Data[:len(y.Data)] {
		half := math.Sqrt(p.Lambda.Data[i])
		y.Data[i] = half*v + p.MuBar.Data[i]/half
	}
	return y
}

// Observe sets μ̄ to what pseudo-observations m of precision Λ say, of which scaled is Λ^½·m: Λ^½·B⁻¹·Λ^½·m. It takes n³ operations for a sequence of n.
func (p *Params) Observe(scaled mat.Matrix) error {
	kernels := p.Prior.kernels()
	for _, s := range p.Prior.sequences() {
		n := len(s.Times)
		k, b, v, y := mat.New(n, n), mat.New(n, n), mat.New(n, n), mat.New(n, 1)
		lambda := make([]float64, n)
		for q := range p.MuBar.Cols {
			if q < len(kernels) {
				kernels[q].TimeMatrix(k, s.Times, s.Times)
			}
			s.Column(lambda, p.Lambda, q)
			var f chol.Factor
			if err := factorB(&f, b, v, k, lambda); err != nil {
				return failed(&s, q, err)
			}
			s.Column(y.Data, scaled, q)
			f.Solve(y)
			for j, i := range s.Examples {
				p.MuBar.Set(i, q, math.Sqrt(lambda[j])*y.At(j, 0))
			}
		}
	}
	return nil
}
