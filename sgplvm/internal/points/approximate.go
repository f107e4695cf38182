package points

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
)

// maxShaped is up to how many points covariances of f are sums of a few matrices in a fast model.
const maxShaped = 1024

// shapeTolerance is up to which part of the covariance given x, in the root mean square over features and training posteriors, sums may differ.
const shapeTolerance = 0.01

// maxShapes is how many of these matrices there are at most, beside Σ.
const maxShapes = 3

// Approximate makes a model fast, for a file with tables of a type. Features of K and Σ together, of up to 1024 points, become a few matrices of which the
// covariance given x is a sum (docs/math.md, section 23, "Fast models").
func (c *Contents) Approximate(kind Type) {
	o := &c.Options
	o.Fast, o.Candidates, o.Iterations, o.Starts = true, 1, 6, min(o.Starts, 3)
	o.MinWeight, o.PartNeighbours, o.MaxExamples = 1e-2, 112, 128
	if !c.Whitened || c.Points > maxShaped || c.Time.Variance > 0 {
		return
	}
	c.Shape(shapeTolerance, kind)
	if kind == Float16 {
		c.Structure = c.quantized(c.Structure)
	}
}

// Shape replaces features of K and Σ together by Σ and the few matrices, in tables of a type, of which, with Σ, the covariance of f given x is a sum up to a part of it.
func (c *Contents) Shape(tolerance float64, kind Type) {
	m := begin(c)
	f := m.newFit()
	f.choose(tolerance)
	c.Bends, c.Shares = f.bends, f.shares.Clone().Data
	b, roots := c.Factors[0].B.matrix(), make([]float64, len(c.Lambda))
	scaled, shape := mat.New(b.Rows, b.Cols), mat.New(b.Rows, b.Rows)
	for _, bend := range f.bends {
		for j, lambda := range c.Lambda {
			roots[j] = math.Sqrt(bent(lambda, bend) / (1 + lambda))
		}
		mat.ScaleCols(scaled, b, roots)
		mat.Syrk(shape, 1, scaled, 0)
		t := NewLowerTable(shape)
		c.Shapes = append(c.Shapes, t.As(kind))
	}
	c.Structure, c.Whitened, c.Factors = m.structure, false, nil
	c.Lambda = quantiles(c.Lambda, fewLambda)
}

// quantiles returns some of a list, at even steps in their order, where it has more.
func quantiles(list []float64, count int) (some []float64) {
	if len(list) <= count {
		return list
	}
	all := slices.Clone(list)
	slices.Sort(all)
	for k := range count {
		some = append(some, all[k*(len(all)-1)/(count-1)])
	}
	return some
}

// fewLambda is how many eigenvalues a fast model keeps, to see that sums are not negative, and maxFitted how many sums are fitted to, of a quarter as many training posteriors.
const fewLambda, maxFitted = 17, 512

// A fit looks for functions of λ that add up to the variances of features given x, in units of the noise's: at x that is Σ_i τ_i·λ/(1 + λ0_i·λ) +
// (ψ0 − Σ_i τ_i)·λ.
type fit struct {
	lambda []float64
	terms  mat.Matrix // λ/(1 + λ0_i·λ), and λ, (m_ξ+1)×Π m_f
	at     mat.Matrix // τ and ψ0 − Σ τ of the training posteriors, n_ξ×(m_ξ+1)
	wanted mat.Matrix // at·terms
	weight []float64  // 1 over 1 and the mean of what is wanted

	bends  []float64
	shares mat.Matrix // what 1 and each λ/(1 + κλ) contribute to each term, (m_ξ+1)×(1+bends)
}

func (m *Model) newFit() *fit {
	c, k := m.c, m.c.Inducing
	lambda, examples := quantiles(c.Lambda, maxFitted), min(c.Examples, maxFitted/4)
	f := &fit{lambda: lambda, terms: mat.New(k+1, len(lambda)), at: mat.New(examples, k+1), weight: make([]float64, len(lambda))}
	for i := range k + 1 {
		bend := 0.0
		if i < k {
			bend = c.Precision * c.Latent[i]
		}
		for j, lambda := range lambda {
			f.terms.Set(i, j, bent(lambda, bend))
		}
	}
	w := &Workspace{m: m}
	w.optimiser = infer.NewOptimiser(c.Latents)
	w.newMoments()
	for n := range examples {
		row, of := f.at.Row(n), n*c.Examples/examples
		w.setMoments(m.mu.Row(of), m.s.Row(of))
		copy(row, w.moments.tau)
		row[k] = w.moments.untold()
	}
	f.wanted = mat.New(examples, len(lambda))
	mat.Mul(f.wanted, 1, f.at, f.terms, 0)
	for n := range examples {
		asm.Axpy(1/float64(examples), f.wanted.Row(n), f.weight)
	}
	for j, v := range f.weight {
		f.weight[j] = 1 / (1 + v)
	}
	return f
}

// choose adds bends, each the best of a list, until the sums are near enough.
func (f *fit) choose(tolerance float64) {
	low, high := slices.Min(f.lambda), slices.Max(f.lambda)
	candidates := []float64{0}
	for v := 0.1 / high; v < 10/low; v *= 1.25 {
		candidates = append(candidates, v)
	}
	for len(f.bends) < maxShapes {
		best, least := 0.0, math.Inf(1)
		for _, bend := range candidates {
			if slices.Contains(f.bends, bend) {
				continue
			}
			if e := f.try(append(f.bends, bend)); e < least {
				best, least = bend, e
			}
		}
		f.bends = append(f.bends, best)
		if f.try(f.bends) <= tolerance {
			return
		}
	}
}

// try sets shares by least squares for some bends and returns the root mean square of the sums' errors.
func (f *fit) try(bends []float64) float64 {
	basis := mat.New(1+len(bends), len(f.lambda))
	for j, lambda := range f.lambda {
		basis.Set(0, j, f.weight[j])
		for r, bend := range bends {
			basis.Set(1+r, j, bent(lambda, bend)*f.weight[j])
		}
	}
	size := make([]float64, basis.Rows)
	for r := range size {
		size[r] = 1 / math.Sqrt(asm.SumSquares(basis.Row(r)))
	}
	mat.ScaleRows(basis, size, basis)
	normal, weighted := mat.New(basis.Rows, basis.Rows), mat.New(f.terms.Rows, f.terms.Cols)
	mat.Syrk(normal, 1, basis, 0)
	for r := range size {
		normal.Row(r)[r] += 1e-12
	}
	factor, err := chol.Factorize(normal)
	if err != nil {
		return math.Inf(1) // two of the bends are next to one another
	}
	mat.ScaleCols(weighted, f.terms, f.weight)
	f.shares = mat.New(f.terms.Rows, basis.Rows)
	mat.Mul(f.shares, 1, weighted, basis.T(), 0)
	factor.Solve(f.shares.T())
	sums, coefficients := mat.New(f.wanted.Rows, f.wanted.Cols), mat.New(f.wanted.Rows, basis.Rows)
	mat.Mul(coefficients, 1, f.at, f.shares, 0)
	mat.Mul(sums, 1, coefficients, basis, 0)
	mat.ScaleCols(f.shares, f.shares, size)
	var square float64
	for n := range sums.Rows {
		for j, want := range f.wanted.Row(n) {
			e := (sums.At(n, j)/f.weight[j] - want) / (1 + want)
			square += e * e
		}
	}
	return math.Sqrt(square / float64(len(sums.Data)))
}

// maxQuantized is by which part rounding of Σ may change any variance.
const maxQuantized = 0.02

// quantized returns Σ − β⁻¹·I in the fewest bytes that leave every combination of noises its variance.
func (c *Contents) quantized(t Table) Table {
	sigma := t.symmetric()
	for i := range sigma.Rows {
		sigma.Row(i)[i] += 1 / c.Beta
	}
	factor, err := chol.Factorize(sigma)
	if err != nil {
		return t
	}
	x := mat.New(sigma.Rows, 1)
	for _, kind := range []Type{Float16, Float32} {
		short := t.As(kind)
		e := short.symmetric()
		for i := range e.Rows {
			e.Row(i)[i] += 1 / c.Beta
		}
		mat.Add(e, e, -1, sigma)
		for i := range x.Data {
			x.Data[i] = math.Sin(float64(1 + i*i)) // any direction
		}
		var change float64
		for range 30 { // the power method on L⁻¹·E·L⁻ᵀ
			asm.Scale(x.Data, 1/math.Sqrt(asm.SumSquares(x.Data)), x.Data)
			y := x.Clone()
			factor.SolveHalfT(y)
			mat.Mul(x, 1, e, y, 0)
			factor.SolveHalf(x)
			change = math.Sqrt(asm.SumSquares(x.Data))
			if change == 0 {
				break
			}
		}
		if change <= maxQuantized {
			return short
		}
	}
	return t
}
