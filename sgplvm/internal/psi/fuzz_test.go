package psi_test

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
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

// FuzzStatistics tries the law below.
func FuzzStatistics(f *testing.F) { fuzz.OneOf(f, tryParameters) }

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
