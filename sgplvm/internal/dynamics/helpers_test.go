package dynamics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Kernels of each form, complete.
var (
	markovKernels = []string{"matern12(2)", "matern32(3)", "matern52(1.5)", "0.3*matern12(1)+0.7*matern52(4)", "matern32(2)*matern12(5)",
		"matern12(3)*matern52(2)*matern32(7)", "0.2*matern32(1)+0.5*matern52(2)*(0.6*matern12(4)+0.4*matern32(9))+0.3*matern12(8)"}
	allKernels = append([]string{"rbf(1.7)", "periodic(2.5,1)", "0.5*rbf(1.7)*periodic(2.5,1)+0.5*matern12(1.7)"}, markovKernels...)
)

// parsed reads a kernel.
func parsed(t testing.TB, text string) kernel.Kernel {
	t.Helper()
	k, err := kernel.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// withStates runs f with all Markov kernels used by their states, or with none.
func withStates(states bool, f func()) {
	defer func(from float64) { statesFrom = from }(statesFrom)
	statesFrom = math.Inf(1)
	if states {
		statesFrom = 0
	}
	f()
}

// withEachForm runs f with either.
func withEachForm(f func(states bool)) {
	for _, states := range []bool{true, false} {
		withStates(states, func() { f(states) })
	}
}

// few are parameters for 7 irregular times in no order, two of them equal unless distinct is set, of one to three
// sequences of unequal lengths with labels in no order.
func few(t testing.TB, text string, distinct bool, seed uint64) *Params {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	const n = 7
	d, sequences := 1+int(seed)%3, 1+int(seed)%3
	p := &Params{Prior{Kernel: parsed(t, text)}, mat.New(n, d), mat.New(n, d)}
	for i := range n {
		p.Prior.Times = append(p.Prior.Times, float64((3*i)%n)+0.4*rng.Float64())
		if sequences > 1 {
			p.Prior.Sequences = append(p.Prior.Sequences, 5-(i*i)%sequences)
		}
	}
	if !distinct {
		p.Prior.Times[3] = p.Prior.Times[0]
	}
	for i := range p.MuBar.Data {
		p.MuBar.Data[i], p.Lambda.Data[i] = rng.NormFloat64(), math.Exp(rng.NormFloat64())
	}
	return p
}

// many are parameters for n irregular times in two sequences, some of them equal, close
// together or far apart.
func many(t testing.TB, text string, n int) *Params {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), 11))
	p := &Params{Prior{Kernel: parsed(t, text)}, mat.New(n, 2), mat.New(n, 2)}
	at := -3.
	for i := range n {
		switch rng.IntN(6) {
		case 0:
		case 1:
			at += 1e-7
		case 2:
			at += 10
		default:
			at += rng.Float64()
		}
		p.Prior.Times = append(p.Prior.Times, at)
		p.Prior.Sequences = append(p.Prior.Sequences, rng.IntN(2))
		for q := range 2 {
			p.MuBar.Set(i, q, rng.NormFloat64())
			p.Lambda.Set(i, q, math.Exp(2*rng.NormFloat64()))
		}
	}
	return p
}

// marginalsOf evaluates q(X).
func marginalsOf(t testing.TB, p *Params) (mu, s mat.Matrix, kl float64) {
	t.Helper()
	mu, s = mat.New(p.MuBar.Rows, p.MuBar.Cols), mat.New(p.MuBar.Rows, p.MuBar.Cols)
	kl, err := NewEvaluator(p.Prior).Marginals(p, mu, s)
	if err != nil {
		t.Fatal(err)
	}
	return mu, s, kl
}

// covarianceOf returns K of a sequence.
func covarianceOf(p *Params, s data.Sequence) mat.Matrix {
	k := mat.New(len(s.Times), len(s.Times))
	p.Prior.Kernel.TimeMatrix(k, s.Times, s.Times)
	return k
}

// columnOf returns column q of a along a sequence.
func columnOf(s data.Sequence, a mat.Matrix, q int) []float64 {
	v := make([]float64, len(s.Examples))
	s.Column(v, a, q)
	return v
}

// one is a list of one number.
func one(v float64) []float64 { return []float64{v} }

// inverse returns a⁻¹ and log|a| of a matrix with a positive determinant by Gauss-Jordan elimination with pivoting.
func inverse(a mat.Matrix) (inverse mat.Matrix, logDet float64) {
	n := a.Rows
	a, b := a.Clone(), mat.Identity(n)
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if math.Abs(a.At(i, k)) > math.Abs(a.At(p, k)) {
				p = i
			}
		}
		for j := range n {
			x, y := a.At(k, j), b.At(k, j)
			a.Set(k, j, a.At(p, j))
			b.Set(k, j, b.At(p, j))
			a.Set(p, j, x)
			b.Set(p, j, y)
		}
		logDet += math.Log(math.Abs(a.At(k, k)))
		for i := range n {
			f := a.At(i, k) / a.At(k, k)
			for j := range n {
				if i != k {
					a.Set(i, j, a.At(i, j)-f*a.At(k, j))
					b.Set(i, j, b.At(i, j)-f*b.At(k, j))
				}
			}
		}
		f := a.At(k, k)
		for j := range n {
			a.Set(k, j, a.At(k, j)/f)
			b.Set(k, j, b.At(k, j)/f)
		}
	}
	return b, logDet
}
