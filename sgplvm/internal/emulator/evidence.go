package emulator

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Ratios of noise and signal, r = b/a: between these logarithms, and how many are tried before the best is refined.
const minRatio, maxRatio, ratios = -16., 6., 45

// An evidence evaluates log p(P | ξ) = Σ_j log N(P_:j | 0, a_j·K + b_j·I) of modes that share a kernel, with the best a and b of each.
type evidence struct {
	x, p   mat.Matrix // inputs n×d and coordinates n×J
	linear mat.Matrix // part of the kernel, n×n
	solver eig.Solver

	k, form, weight mat.Matrix // n×n
	spectrum        eig.Spectrum
	b               mat.Matrix // Uᵀ·P
	a, r            []float64  // of each mode: a_j, and b_j/a_j
}

func newEvidence(x mat.Matrix, u []float64, p mat.Matrix) *evidence {
	n := x.Rows
	e := &evidence{x: x, p: p, linear: linear(x, u), k: mat.New(n, n), form: mat.New(n, n), weight: mat.New(n, n), b: mat.New(n, p.Cols)}
	e.a, e.r = make([]float64, p.Cols), make([]float64, p.Cols)
	return e
}

// decompose sets U, λ ≥ 0 and B for a kernel.
func (e *evidence) decompose(k *Kernel) error {
	k.values(e.k, e.x, e.x, e.form, e.weight)
	if err := e.solver.Sym(&e.spectrum, e.k); err != nil {
		return err
	}
	for i, v := range e.spectrum.Values {
		e.spectrum.Values[i] = max(0, v)
	}
	mat.Mul(e.b, 1, e.spectrum.Vectors.T(), e.p, 0)
	return nil
}

// value returns the log evidence of a kernel under the best a and b, which it sets.
func (e *evidence) value(k *Kernel) (float64, error) {
	if err := e.decompose(k); err != nil {
		return 0, err
	}
	return -profile(e.a, e.r, e.spectrum.Values, e.b, 0, make([]float64, e.b.Cols)), nil
}

// slopes is value with the gradient in the kernel's parameters.
func (e *evidence) slopes(k *Kernel) (float64, gradient, error) {
	v, err := e.value(k)
	if err != nil {
		return v, gradient{}, err
	}
	return v, e.gradient(k), nil
}

// gradient returns the gradient of the evidence in the kernel's parameters, for the a and r that are set.
func (e *evidence) gradient(k *Kernel) gradient {
	n, modes := e.b.Rows, e.b.Cols
	h, diagonal := mat.New(n, modes), make([]float64, n) // H·diag(√a), Σ_j a_j/D_ij
	for i, l := range e.spectrum.Values {
		for j, r := range e.r {
			diagonal[i] += 1 / (l + r)
			h.Set(i, j, e.b.At(i, j)/(math.Sqrt(e.a[j])*(l+r)))
		}
	}
	m, t := mat.New(n, n), mat.New(n, n)
	mat.Syrk(m, 0.5, h, 0)
	mat.MirrorLower(m)
	for i, v := range diagonal {
		m.Data[i*n+i] -= 0.5 * v
	}
	u := e.spectrum.Vectors
	mat.Mul(t, 1, u, m, 0)
	mat.MulSym(m, 1, t, u.T(), 0)
	mat.MirrorLower(m)
	return k.slopes(e.x, m, e.form, e.weight, e.linear)
}

// profile sets the best a and r of every column of B for eigenvalues λ, of which further ones, in number zeros, are 0: rest is the squares of the columns there, in sum. It returns
// what a and r minimise: −log p.
func profile(a, r, lambda []float64, b mat.Matrix, zeros int, rest []float64) float64 {
	n, modes := b.Rows+zeros, b.Cols
	inverse, logs := mat.New(ratios, b.Rows), make([]float64, ratios)
	shifted := make([]float64, b.Rows)
	for t := range ratios {
		ratio := math.Exp(gridRatio(t))
		for i, l := range lambda {
			shifted[i] = l + ratio
			inverse.Set(t, i, 1/(l+ratio))
		}
		logs[t] = 0.5 * (asm.SumLog(shifted) + float64(zeros)*gridRatio(t))
	}
	squares, sums := mat.New(b.Rows, modes), mat.New(ratios, modes)
	mat.MulElem(squares, b, b)
	mat.Mul(sums, 1, inverse, squares, 0)
	columns := columns(squares)
	costs := make([]float64, modes)
	mat.Parallel(modes, func(j int) {
		best, least := 0, math.Inf(1)
		for t := range ratios {
			if v := 0.5*float64(n)*math.Log(max((sums.At(t, j)+rest[j]/math.Exp(gridRatio(t)))/float64(n), tiny)) + logs[t]; v < least {
				best, least = t, v
			}
		}
		a[j], r[j], costs[j] = refine(gridRatio(best), lambda, columns.Row(j), float64(zeros), rest[j])
	})
	total := 0.
	for _, c := range costs {
		total += c
	}
	return total
}

// tiny keeps the logarithm of a mode that is 0 in all runs finite.
const tiny = 1e-300

func gridRatio(t int) float64 { return minRatio + (maxRatio-minRatio)*float64(t)/(ratios-1) }

// refine minimises ½n·log a(r) + ½Σ log(λ_i + r) from log r by safeguarded Newton steps, and returns a, r and −log p.
func refine(logR float64, lambda, squares []float64, zeros, rest float64) (a, r, cost float64) {
	n := float64(len(lambda)) + zeros
	at := func(x float64) (a, cost, slope, curvature float64) {
		r := math.Exp(x)
		var s0, s1, s2, l1, l2, logs float64
		product := 1.
		for i, l := range lambda {
			v := 1 / (l + r)
			w := squares[i] * v
			s0 += w
			s1 += w * v
			s2 += w * v * v
			l1 += v
			l2 += v * v
			if product *= l + r; product < 1e-200 || product > 1e200 {
				logs += math.Log(product)
				product = 1
			}
		}
		logs += math.Log(product)
		if zeros > 0 {
			w := rest / r
			s0, s1, s2 = s0+w, s1+w/r, s2+w/(r*r)
			l1, l2, logs = l1+zeros/r, l2+zeros/(r*r), logs+zeros*x
		}
		s0 = max(s0, tiny)
		slope = 0.5 * r * (l1 - n*s1/s0)
		curvature = slope + 0.5*r*r*(n*(2*s2/s0-s1*s1/(s0*s0))-l2)
		return s0 / n, 0.5*n*math.Log(s0/n) + 0.5*logs, slope, curvature
	}
	step := (maxRatio - minRatio) / (ratios - 1)
	low, high := max(minRatio, logR-step), min(maxRatio, logR+step)
	x := logR
	a, cost, slope, curvature := at(x)
	for range 20 {
		if slope > 0 {
			high = x
		} else {
			low = x
		}
		next := x - slope/curvature
		if !(curvature > 0) || next <= low || next >= high {
			next = 0.5 * (low + high)
		}
		moved := math.Abs(next - x)
		x = next
		a, cost, slope, curvature = at(x)
		if moved < 1e-9 {
			break
		}
	}
	return a, math.Exp(x), cost + 0.5*n*(1+math.Log(2*math.Pi))
}
