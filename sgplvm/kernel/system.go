package kernel

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A System is a kernel in time as the output of a stationary linear system with a state of s numbers: k(Δ) = hᵀ·exp(Δ·G)·b for Δ ≥ 0.
type System struct {
	Generator     mat.Matrix // G, s×s
	Output, Input []float64  // h and b, s each
}

// System returns k as a system: exactly what is Markov, and sums and products of that with periodic kernels, as sums of harmonics to
// 10⁻⁷, and RBF kernels, as a system of order 8 to 10⁻³ (Solin and Särkkä, 2014; Hartikainen and Särkkä, 2010). ok is false where a term is
// of another kind.
func (k Kernel) System() (s System, ok bool) {
	switch k.Kind {
	case Sum, Product:
		for i, term := range k.Terms {
			t, ok := term.System()
			switch {
			case !ok:
				return System{}, false
			case k.Kind == Product && i > 0:
				s = s.times(t)
			case k.Kind == Product:
				s = t
			default:
				for j := range t.Input {
					t.Input[j] *= k.Weights[i]
				}
				s = s.beside(t)
			}
		}
		return s, len(k.Terms) > 0
	case Periodic:
		return k.harmonics(), true
	case RBF:
		k.inTime("System")
		return smooth(1 / k.LengthScale[0]), true
	}
	n := k.StateSize()
	s = System{Generator: mat.New(n, n)}
	if n > 0 {
		k.Generator(s.Generator)
		s.Output, s.Input = k.Output(), k.Input()
	}
	return s, n > 0
}

// beside returns the system of a sum: its state is that of s and that of t.
func (s System) beside(t System) System {
	n := len(s.Input)
	g := mat.New(n+len(t.Input), n+len(t.Input))
	mat.Copy(g.Slice(0, n, 0, n), s.Generator)
	mat.Copy(g.Slice(n, g.Rows, n, g.Rows), t.Generator)
	return System{g, append(s.Output, t.Output...), append(s.Input, t.Input...)}
}

// times returns the system of a product, with G₁⊗I + I⊗G₂.
func (s System) times(t System) System {
	m := len(t.Input)
	g := mat.New(len(s.Input)*m, len(s.Input)*m)
	for i := range g.Rows {
		for j := range g.Cols {
			if i%m == j%m {
				g.Row(i)[j] += s.Generator.At(i/m, j/m)
			}
			if i/m == j/m {
				g.Row(i)[j] += t.Generator.At(i%m, j%m)
			}
		}
	}
	return System{g, kronVector(s.Output, t.Output), kronVector(s.Input, t.Input)}
}

// How many harmonics a periodic kernel has at most, from how many values they are, and the least that counts.
const (
	maxHarmonics  = 48
	periodSamples = 256
	minHarmonic   = 1e-8
)

// harmonics returns the system of a periodic kernel, Σ_j w_j·cos(2πjΔ/p): each harmonic turns two numbers.
func (k *Kernel) harmonics() (s System) {
	delta, values := make([]float64, periodSamples), make([]float64, periodSamples)
	for i := range delta {
		delta[i] = k.Period * float64(i) / periodSamples
	}
	k.values(values, delta)
	for j := range maxHarmonics {
		var weight float64
		for i, v := range values {
			weight += v * math.Cos(2*math.Pi*float64(i*j%periodSamples)/periodSamples) / periodSamples
		}
		if j == 0 {
			s = System{mat.New(1, 1), []float64{1}, []float64{weight}}
			continue
		}
		if weight *= 2; weight < minHarmonic {
			break
		}
		rate := 2 * math.Pi * float64(j) / k.Period
		s = s.beside(System{mat.NewDense(2, 2, []float64{0, -rate, rate, 0}), []float64{1, 0}, []float64{weight, 0}})
	}
	return s
}

// smoothRow and smoothInput are the last row of F and b of the system of order 8 whose spectral density is that of the RBF kernel with the Taylor polynomial
// of 1/density in place of it. Components of the state are derivatives.
var (
	smoothRow   = [...]float64{-3212.7745018908501, -7767.57886789488624, -8586.70931254198548, -5690.02065719927695, -2482.90560106351862, -734.336038381772984, -144.632617775353946, -17.471841218106004}
	smoothInput = [...]float64{1.0, 0.0, -1.00635290562572519, 0.0, 3.09159700297732389, 0.0, -16.4539659546676067, 0.0}
)

// smooth returns the system of an RBF kernel of unit length scale at a rate.
func smooth(rate float64) System {
	n := len(smoothInput)
	s := System{mat.New(n, n), make([]float64, n), append([]float64(nil), smoothInput[:]...)}
	s.Output[0] = 1
	for i := range n - 1 {
		s.Generator.Set(i, i+1, rate)
	}
	for j, v := range smoothRow {
		s.Generator.Set(n-1, j, rate*v)
	}
	return s
}
