package psi_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A drawn is a latent kernel with inducing points and examples.
type drawn struct {
	kernel psi.Kernel
	in     psi.Inducing
	q      psi.Q
	length []float64 // the units of each latent dimension
}

// power draws 10^k, k from −most to most.
func power(s *fuzz.Source, most int) float64 { return math.Pow(10, float64(s.IntN(2*most+1)-most)) }

// draw draws a kernel of any parts whose scales are 10^−most to 10^most, and points up to ten length scales or so
// from each other.
func draw(s *fuzz.Source, most int) drawn {
	d, m, n := 1+s.IntN(4), 1+s.IntN(20), 1+s.IntN(24)
	parts := 1 + s.IntN(15)
	c := drawn{in: psi.Inducing{Z: mat.New(m, d)}, q: psi.Q{Mu: mat.New(n, d), S: mat.New(n, d)}}
	positive := func() float64 { return power(s, most) * (0.5 + s.Float64()) }
	linear := &psi.Linear{Variance: make([]float64, d)}
	for q := range d {
		c.length = append(c.length, positive())
		linear.Variance[q] = positive() / (c.length[q] * c.length[q])
		spread := c.length[q] * []float64{1, 0.1, 3, 0}[s.IntN(4)]
		width := c.length[q] * c.length[q] * power(s, 2*most)
		for k := range m {
			c.in.Z.Set(k, q, spread*s.NormFloat64())
		}
		for i := range n {
			c.q.Mu.Set(i, q, spread*s.NormFloat64())
			c.q.S.Set(i, q, width*s.Float64())
		}
	}
	for i, part := range []psi.Part{&psi.RBF{Variance: positive(), LengthScale: slices.Clone(c.length)}, linear, &psi.Bias{Variance: positive()}, drawTime(s)} {
		if parts&(1<<i) != 0 {
			c.kernel.Parts = append(c.kernel.Parts, part)
		}
	}
	if c.kernel.Timed() {
		c.in.At, c.q.At = drawTimes(s, m), drawTimes(s, n)
		if s.IntN(4) == 1 {
			c.q.At = nil
		}
	}
	return c
}

func drawTime(s *fuzz.Source) *psi.Time {
	text := []string{"matern32(2)", "rbf(1)", "0.4*matern12(3)+0.6*rbf(2)*periodic(3,1)"}[s.IntN(3)]
	k, err := kernel.Parse(text)
	if err != nil {
		panic(err)
	}
	return &psi.Time{Variance: 0.5 + s.Float64(), Kernel: k}
}

func drawTimes(s *fuzz.Source, n int) []kernel.Instant {
	at := make([]kernel.Instant, n)
	for i := range at {
		at[i] = kernel.Instant{Sequence: s.IntN(2), Time: float64(s.IntN(8)) / 2}
	}
	return at
}

// kappa is the part of time between two instants, by definition.
func (c drawn) kappa(i, k int) float64 {
	part, timed := c.kernel.Part("time").(*psi.Time)
	if !timed || c.q.At == nil || c.q.At[i].Sequence != c.in.At[k].Sequence {
		return 0
	}
	own := part.Kernel
	own.Variance = part.Variance
	return reference.Covariance(own, []float64{c.q.At[i].Time}, []float64{c.in.At[k].Time})
}

// moments are Ψ1 and Ψ2 by definition, and how large what adds up to an element of them is at most.
func (c drawn) moments() (psi1, psi2 mat.Matrix, size float64) {
	n, m := c.q.Mu.Rows, c.in.Z.Rows
	psi1, psi2 = mat.New(n, m), mat.New(m, m)
	for i := range n {
		mu, s := c.q.Mu.Row(i), c.q.S.Row(i)
		for k := range m {
			a := c.kappa(i, k)
			for l := range m {
				one, two := reference.LatentMoments(c.kernel, mu, s, c.in.Z.Row(k), c.in.Z.Row(l))
				other, _ := reference.LatentMoments(c.kernel, mu, s, c.in.Z.Row(l), c.in.Z.Row(k))
				b := c.kappa(i, l)
				psi1.Set(i, k, one+a)
				psi2.Set(k, l, psi2.At(k, l)+two+float64(a*other)+float64(b*one)+float64(a*b))
			}
			size = max(size, a+c.largest(mu, s, c.in.Z.Row(k)))
		}
	}
	return psi1, psi2, size
}

// largest bounds the terms of k(x, z).
func (c drawn) largest(mu, s, z []float64) float64 {
	var sum float64
	for _, part := range c.kernel.Parts {
		switch part := part.(type) {
		case *psi.RBF:
			sum += part.Variance
		case *psi.Bias:
			sum += part.Variance
		case *psi.Linear:
			for q, v := range part.Variance {
				sum += v * (math.Abs(mu[q]) + math.Sqrt(s[q])) * math.Abs(z[q])
			}
		}
	}
	return sum
}

// results are Ψ1, Ψ2 and the gradient of g1∘Ψ1 + tr(g2·Ψ2).
type results struct {
	psi1, psi2 mat.Matrix
	to         psi.Gradient
	all        []float64 // of these
}

func (c drawn) results(g1, g2 mat.Matrix) results {
	n, m, d := c.q.Mu.Rows, c.in.Z.Rows, c.in.Z.Cols
	r := results{psi1: mat.New(n, m), psi2: mat.New(m, m), to: psi.Gradient{Kernel: c.kernel.Clone(), Z: mat.New(m, d), Mu: mat.New(n, d), S: mat.New(n, d)}}
	r.to.Kernel.Zero()
	var st psi.Statistics
	st.Set(c.kernel, c.in)
	st.Forward(r.psi1, r.psi2, c.q)
	st.Backward(r.to, 0, g1.Clone(), g2, r.psi1, c.q)
	r.all = slices.Concat(r.psi1.Data, r.psi2.Data, r.to.Z.Data, r.to.Mu.Data, r.to.S.Data)
	c.kernel.Visit(r.to.Kernel, func(_, slope []float64, _ bool) { r.all = append(r.all, slope...) })
	return r
}

// FuzzStatistics tries one of the laws below.
func FuzzStatistics(f *testing.F) { fuzz.OneOf(f, tryElements, tryGradient, tryParameters) }

// Ψ1 and Ψ2 of scales from 10⁻² to 10² are those of the formulas for one element, and with their gradient have the same
// bits at any GOMAXPROCS.
func tryElements(t *testing.T, s *fuzz.Source) {
	c := draw(s, 2)
	n, m := c.q.Mu.Rows, c.in.Z.Rows
	g1, g2 := slopes(s, n, m)
	r := c.results(g1, g2)
	compare.AtEveryWidth(func(procs int) {
		compare.SameBits(t, fmt.Sprint("GOMAXPROCS ", procs), c.results(g1, g2).all, r.all)
	})
	psi1, psi2, size := c.moments()
	// Exponents are sums of squares of distances in length scales, of which each has its own rounding.
	var st psi.Statistics
	st.Set(c.kernel, c.in)
	rounding := 0x1p-46 * (1 + st.Farthest()*st.Farthest())
	checkNear(t, "Ψ1", r.psi1, psi1, rounding*size)
	checkNear(t, "Ψ2", r.psi2, psi2, rounding*size*size*float64(n))
}

// slopes draws ∂L/∂Ψ1 and ∂L/∂Ψ2.
func slopes(s *fuzz.Source, n, m int) (g1, g2 mat.Matrix) {
	g1, g2 = fuzz.Normal(s, n, m), fuzz.Normal(s, m, m)
	mat.MirrorLower(g2)
	return g1, g2
}

func checkNear(t *testing.T, what string, got, want mat.Matrix, most float64) {
	t.Helper()
	for i, v := range want.Data {
		if !(math.Abs(got.Data[i]-v) <= most) {
			t.Fatalf("%s: number %d is %v, want %v within %.3g", what, i, got.Data[i], v, most)
		}
	}
}

// The gradient along a direction of all that the statistics depend on is that of differences.
func tryGradient(t *testing.T, s *fuzz.Source) {
	c := draw(s, 0)
	g1, g2 := slopes(s, c.q.Mu.Rows, c.in.Z.Rows)
	to := c.results(g1, g2).to
	// visit shows all numbers with their derivatives; positive ones move by factors.
	visit := func(f psi.Visitor) {
		c.kernel.Visit(to.Kernel, f)
		f(c.in.Z.Data, to.Z.Data, false)
		f(c.q.Mu.Data, to.Mu.Data, false)
		f(c.q.S.Data, to.S.Data, true)
	}
	var start, direction []float64
	slope, size := 0.0, 0.0
	visit(func(value, slopes []float64, positive bool) {
		for i, v := range value {
			start, direction = append(start, v), append(direction, s.NormFloat64())
			by := direction[len(direction)-1] * slopes[i]
			if positive {
				by *= v
			}
			slope, size = slope+by, size+math.Abs(by)
		}
	})
	value := func(h float64) float64 {
		k := 0
		visit(func(value, _ []float64, positive bool) {
			for i := range value {
				value[i] = start[k] + h*direction[k]
				if positive {
					value[i] = start[k] * math.Exp(h*direction[k])
				}
				k++
			}
		})
		r := c.results(g1, g2)
		return mat.Dot(g1, r.psi1) + mat.Dot(g2, r.psi2)
	}
	const h = 1e-3
	got := (8*(value(h)-value(-h)) - (value(2*h) - value(-2*h))) / (12 * h)
	if most := 1e-7 * (size + math.Abs(value(0)) + 1); !(math.Abs(got-slope) <= most) {
		t.Errorf("along a direction: derivative %v, differences give %v, want them within %.3g", slope, got, most)
	}
}

// A kernel refuses exactly the parameters that are not positive and finite, and length scales without a cube.
func tryParameters(t *testing.T, s *fuzz.Source) {
	c := draw(s, 1)
	at, bad, usable := s.IntN(12), s.Bits(), true
	for _, part := range c.kernel.Parts {
		if part.Name() == "time" { // whose weights are visited as ratios
			continue
		}
		only, number := psi.Kernel{Parts: []psi.Part{part}}, 0
		only.Visit(only, func(value, _ []float64, _ bool) {
			for i := range value {
				if at == 0 {
					value[i], usable = bad, bad > 0 && !math.IsInf(bad, 1)
					if part.Name() == "rbf" && number > 0 { // a length scale
						usable = bad >= 1e-100 && bad <= 1e100
					}
				}
				at--
				number++
			}
		})
	}
	if err := c.kernel.Validate(c.in.Z.Cols, true); usable != (err == nil) {
		t.Errorf("kernel %+v with the parameter %v: error %v", c.kernel.Parts, bad, err)
	}
}

// A length scale of the latent variables has a square with an inverse.
func TestLatentLengthScales(t *testing.T) {
	for length, usable := range map[float64]bool{1e-200: false, 1e-99: true, 1: true, 1e99: true, 1e200: false, math.Inf(1): false} {
		k := psi.Kernel{Parts: []psi.Part{&psi.RBF{Variance: 1, LengthScale: []float64{1, length}}}}
		if err := k.Validate(2, false); usable != (err == nil) {
			t.Errorf("length scale %v: error %v", length, err)
		}
	}
}
