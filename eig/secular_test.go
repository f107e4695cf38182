package eig_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
)

// A secular equation 1/rho + Σ z[i]²/(d[i] − λ) = 0.
type secularEquation struct {
	name string
	d, z []float64
	rho  float64
}

// digits is the precision of the reference, in bits: weights of 2^-300, squared
// and divided, leave far more than those of a float64.
const digits = 2400

func exact(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

// sign returns the sign of the equation's left side at λ = d[pole] + shift, and
// whether the residual is within the noise that rounding leaves:
//
//	|f| ≤ max(k, 8)·ε·(1/ρ + Σ |z[i]²/(d[i] − λ)| + |shift|·f′)
//
// which is what Gu and Eisenstat's analysis of the vectors asks for: k for sums of
// k terms, and each term has a few roundings itself.
func (q *secularEquation) sign(pole int, shift *big.Float) (sign int, small bool) {
	sum := exact(1)
	sum.Quo(sum, exact(q.rho))
	size, slope := new(big.Float).Copy(sum), exact(0)
	for i, d := range q.d {
		delta := exact(d)
		delta.Sub(delta, exact(q.d[pole]))
		delta.Sub(delta, shift)
		if delta.Sign() == 0 {
			return 0, false
		}
		term := exact(q.z[i])
		term.Mul(term, term)
		term.Quo(term, delta)
		sum.Add(sum, term)
		size.Add(size, new(big.Float).Abs(term))
		slope.Add(slope, term.Abs(term.Quo(term, delta)))
	}
	noise := slope.Mul(slope, new(big.Float).Abs(shift))
	noise.Add(noise, size)
	noise.Mul(noise, exact(float64(max(len(q.d), 8))*fuzz.Eps))
	return sum.Sign(), new(big.Float).Abs(sum).Cmp(noise) <= 0
}

// secularEquations are equations of all sizes, easy and extreme. Poles ascend,
// and z and rho are as deflation may leave them, or worse.
func secularEquations() []secularEquation {
	s := fuzz.New(31)
	var qs []secularEquation
	add := func(name string, rho float64, d, z []float64) {
		qs = append(qs, secularEquation{fmt.Sprintf("%s k=%d rho=%g", name, len(d), rho), d, z, rho})
	}
	vector := func(k int, f func(i int) float64) []float64 {
		v := make([]float64, k)
		for i := range v {
			v[i] = f(i)
		}
		return v
	}
	for _, k := range []int{1, 2, 3, 4, 5, 8, 29, 60} {
		one := vector(k, func(int) float64 { return 1 / math.Sqrt(float64(k)) })
		even := vector(k, func(i int) float64 { return float64(i) / float64(k) })
		near := vector(k, func(i int) float64 { return 1 + float64(i)*fuzz.Eps })
		pairs := vector(k, func(i int) float64 { return float64(i/2) + float64(i%2)*fuzz.Eps*float64(i+1) })
		random := vector(k, func(int) float64 { return s.NormFloat64() })
		slices.Sort(random)
		graded := vector(k, func(i int) float64 { return math.Ldexp(1, 3*(i-k)) })
		both := vector(k, func(i int) float64 { return math.Copysign(math.Ldexp(1, -3*min(i, k-1-i)), float64(2*i-k)) })
		slices.Sort(both)
		both = slices.Compact(both)
		normal := func(k int) []float64 { return vector(k, func(int) float64 { return s.NormFloat64() }) }
		alternate := vector(k, func(i int) float64 { return []float64{1, 1e-15, 1e-8}[i%3] })
		wide := vector(k, func(int) float64 { return math.Ldexp(s.NormFloat64(), -s.IntN(60)) })
		for _, rho := range []float64{1, 1e-12, 1e12} {
			add("even", rho, even, one)
			add("near", rho, near, one)
			add("near, random weights", rho, near, normal(k))
			add("pairs", rho, pairs, normal(k))
			add("random", rho, random, normal(k))
			add("random, wide weights", rho, random, wide)
			add("random, alternating weights", rho, random, alternate)
			add("graded", rho, graded, normal(k))
			add("graded, wide weights", rho, graded, wide)
			add("clustered at 0", rho, both, normal(len(both)))
			add("tiny weights", rho, even, vector(k, func(i int) float64 { return math.Ldexp(1, -300*(i%2)) }))
			add("pairs, wide weights", rho, pairs, wide)
		}
	}
	return qs
}

// TestSecularRoots holds every root to exact arithmetic: it lies between its
// poles, f is not distinguishable from 0 there or changes its sign within a few
// units of the last place of the shift. No root needs more than 14 steps; with 22 it
// is still interpolation that finds it, not bisection.
func TestSecularRoots(t *testing.T) {
	to := eig.Tuned()
	to.SecularSteps = 22
	eig.Tune(t, to)
	for _, q := range secularEquations() {
		k := len(q.d)
		if k > 8 && testing.Short() {
			continue
		}
		for j := range q.d {
			pole, shift, ok := eig.SecularRoot(q.d, q.z, q.rho, j)
			last := j == k-1
			if !ok || pole != j && (last || pole != j+1) || !(shift > 0) && pole == j || !(shift < 0) && pole != j {
				t.Errorf("%s: root %d: pole %d, shift %g, %v", q.name, j, pole, shift, ok)
				continue
			}
			if !last && !(math.Abs(shift) <= (1+0x1p-19)*(q.d[j+1]-q.d[j])/2) {
				t.Errorf("%s: root %d is %g from pole %d, nearer to the other one", q.name, j, shift, pole)
			}
			if _, small := q.sign(pole, exact(shift)); small {
				continue
			}
			before, _ := q.sign(pole, exact(shift-4*math.Abs(shift)*fuzz.Eps))
			after, _ := q.sign(pole, exact(shift+4*math.Abs(shift)*fuzz.Eps))
			if before > 0 || after < 0 {
				t.Errorf("%s: root %d: f does not vanish at pole %d%+g: signs %d, %d beside it", q.name, j, pole, shift, before, after)
			}
		}
	}
}
