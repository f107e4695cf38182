package psi

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Small kernels have several tasks here.
func init() { taskWork = 10 }

// one is a list of one number.
func one(v float64) []float64 { return []float64{v} }

// checkGradient compares grad with central differences of f in every
// coordinate of x. With h = 1e-5 the differences have an error of h² times the
// third derivative and of ε·|f|/h, which the two terms of the tolerance cover.
func checkGradient(t *testing.T, what string, x, grad []float64, f func() float64) {
	t.Helper()
	value := f()
	for i, at := range x {
		h := 1e-5 * max(1, math.Abs(at))
		x[i] = at + h
		high := f()
		x[i] = at - h
		low := f()
		x[i] = at
		if d := math.Abs((high-low)/(2*h) - grad[i]); !(d <= 1e-6*max(1, math.Abs(grad[i]))+1e-10*math.Abs(value)) {
			t.Errorf("%s[%d]: derivative %v, differences give %v", what, i, grad[i], (high-low)/(2*h))
		}
	}
	f()
}

// gaussHermite returns nodes and weights such that Σ w·f(x) is the expectation
// of f under the standard normal distribution, exactly for polynomials of degree
// below 2n: eigenvalues and first components of the Jacobi matrix (Golub and
// Welsch, Math. Comp. 23, 1969).
func gaussHermite(t testing.TB, n int) (nodes, weights []float64) {
	t.Helper()
	jacobi := mat.New(n, n)
	for k := 1; k < n; k++ {
		jacobi.Set(k, k-1, math.Sqrt(float64(k)))
	}
	s, err := eig.Sym(jacobi)
	if err != nil {
		t.Fatal(err)
	}
	for j := range n {
		v := s.Vectors.At(0, j)
		weights = append(weights, v*v)
	}
	return s.Values, weights
}

// expectation is E f(x) under N(mu, diag s) by the tensor product of a rule.
func expectation(nodes, weights, mu, s []float64, f func(x []float64) float64) float64 {
	x := make([]float64, len(mu))
	var sum func(q int) float64
	sum = func(q int) float64 {
		if q == len(mu) {
			return f(x)
		}
		var v float64
		for k, w := range weights {
			x[q] = mu[q] + math.Sqrt(s[q])*nodes[k]
			v += float64(w * sum(q+1))
		}
		return v
	}
	return sum(0)
}

func randomMatrix(rng *rand.Rand, rows, cols int) mat.Matrix {
	a := mat.New(rows, cols)
	for i := range a.Data {
		a.Data[i] = rng.NormFloat64()
	}
	return a
}

func randomSymmetric(rng *rand.Rand, n int) mat.Matrix {
	a := randomMatrix(rng, n, n)
	mat.MirrorLower(a)
	return a
}

// everySum lists all sums of parts.
func everySum() []Names {
	var all []Names
	for bits := 1; bits < 1<<len(table); bits++ {
		var names Names
		for i, row := range table {
			if bits&(1<<i) != 0 {
				names = append(names, row.name)
			}
		}
		all = append(all, names)
	}
	return all
}

// A problem is a random kernel with inducing points and examples, which have times of two
// sequences where the kernel has a part of time.
type problem struct {
	k  Kernel
	in Inducing
	q  Q
}

// randomProblem draws n examples, m inducing points and d dimensions; variances are at most
// the given multiple of ℓ².
func randomProblem(rng *rand.Rand, names Names, n, m, d int, widest float64) problem {
	uniform := func() float64 { return 0.2 + rng.Float64() }
	p := problem{in: Inducing{Z: randomMatrix(rng, m, d)}, q: Q{Mu: randomMatrix(rng, n, d), S: mat.New(n, d)}}
	length := make([]float64, d)
	for q := range length {
		length[q] = 0.5 + rng.Float64()
		for i := range n {
			p.q.S.Set(i, q, widest*rng.Float64()*length[q]*length[q])
		}
	}
	for _, name := range names {
		switch name {
		case "rbf":
			p.k.Parts = append(p.k.Parts, &RBF{0.5 + rng.Float64(), length})
		case "linear":
			v := make([]float64, d)
			for q := range v {
				v[q] = uniform()
			}
			p.k.Parts = append(p.k.Parts, &Linear{v})
		case "bias":
			p.k.Parts = append(p.k.Parts, &Bias{uniform()})
		case "time":
			p.k.Parts = append(p.k.Parts, &Time{uniform(), randomTime(rng)})
			at := func(n int) []kernel.Instant {
				at := make([]kernel.Instant, n)
				for i := range at {
					at[i] = kernel.Instant{Sequence: i % 2, Time: 4 * rng.Float64()}
				}
				return at
			}
			p.in.At, p.q.At = at(m), at(n)
		default:
			panic("a part of which there is no random one: " + name)
		}
	}
	return p
}

func randomTime(rng *rand.Rand) kernel.Kernel {
	scale := func() []float64 { return one(0.5 + rng.Float64()) }
	return []kernel.Kernel{
		{Kind: kernel.Matern32, LengthScale: scale()},
		{Kind: kernel.Sum, Weights: []float64{0.3, 0.7}, Terms: []kernel.Kernel{{Kind: kernel.RBF, LengthScale: scale()}, {Kind: kernel.Matern52, LengthScale: scale()}}},
		{Kind: kernel.Product, Terms: []kernel.Kernel{{Kind: kernel.RBF, LengthScale: scale()}, {Kind: kernel.Periodic, LengthScale: scale(), Period: 2 + rng.Float64()}}},
	}[rng.IntN(3)]
}

func (p problem) statistics() *Statistics {
	st := new(Statistics)
	st.Set(p.k, p.in)
	return st
}

// forward returns Ψ1 and Ψ2.
func (p problem) forward() (psi1, psi2 mat.Matrix) {
	psi1, psi2 = mat.New(p.q.Mu.Rows, p.in.Z.Rows), mat.New(p.in.Z.Rows, p.in.Z.Rows)
	p.statistics().Forward(psi1, psi2, p.q)
	return psi1, psi2
}

// newGradient returns a Gradient of zeros.
func (p problem) newGradient() Gradient {
	n, m, d := p.q.Mu.Rows, p.in.Z.Rows, p.in.Z.Cols
	g := Gradient{Kernel: p.k.Clone(), Z: mat.New(m, d), Mu: mat.New(n, d), S: mat.New(n, d)}
	g.Kernel.Zero()
	return g
}

// covariance is k(x, y) at times a and b by definition; nil is a time that is not known.
func (p problem) covariance(x, y []float64, a, b *kernel.Instant) float64 {
	var sum float64
	for _, part := range p.k.Parts {
		switch part := part.(type) {
		case *RBF:
			var r2 float64
			for q, l := range part.LengthScale {
				r2 += math.Pow((x[q]-y[q])/l, 2)
			}
			sum += part.Variance * math.Exp(-r2/2)
		case *Linear:
			for q, v := range part.Variance {
				sum += float64(v * x[q] * y[q])
			}
		case *Bias:
			sum += part.Variance
		case *Time:
			if a != nil && b != nil && a.Sequence == b.Sequence {
				k := make([]float64, 1)
				part.Kernel.Values(k, one(a.Time-b.Time))
				sum += part.Variance * k[0]
			}
		}
	}
	return sum
}

// at returns the time of example or inducing point i.
func at(all []kernel.Instant, i int) *kernel.Instant {
	if all == nil {
		return nil
	}
	return &all[i]
}

// parameters returns the kernel's parameters as Visit shows them.
func parameters(k Kernel) []float64 {
	var v []float64
	k.Visit(k, func(value, _ []float64, _ bool) { v = append(v, value...) })
	return v
}

// slopes returns the derivatives that belong to them.
func slopes(k, grad Kernel) []float64 {
	var v []float64
	k.Visit(grad, func(_, slope []float64, _ bool) { v = append(v, slope...) })
	return v
}

// setParameters is the inverse of parameters.
func setParameters(k Kernel, v []float64) {
	v = slices.Clone(v)
	k.Visit(k, func(value, _ []float64, _ bool) {
		copy(value, v)
		v = v[len(value):]
	})
}

// formOf and momentsOf are SetForm and SetMoments in storage of their own.
func formOf(st *Statistics, g0 float64, g1 []float64, g mat.Matrix, at *kernel.Instant) *Form {
	f := new(Form)
	st.SetForm(f, g0, g1, g, at)
	return f
}

func momentsOf(st *Statistics, t *Scratch, q Q) (r Moments) {
	st.SetMoments(&r, t, q)
	return r
}
