package fuzz

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Eps is the distance from 1 to the next float64, 2⁻⁵², the unit ε of every residual here.
const Eps = 0x1p-52

// Mode is a distribution of n eigenvalues between 1/κ and 1. The first six are those of LAPACK's dlatms (routine dlatm1), the
// last three follow those that STETESTER adds (Marques, Vömel, Demmel and Parlett, "Algorithm 880", ACM TOMS 35(1), 2008). κ is
// the condition number where it has a meaning.
type Mode int

const (
	OneLarge   Mode = iota + 1 // 1, 1/κ, …, 1/κ
	OneSmall                   // 1, …, 1, 1/κ
	Geometric                  // κ^(-i/(n-1)), i = 0 … n-1
	Arithmetic                 // 1 - i/(n-1)·(1-1/κ)
	LogUniform                 // random, logarithms uniform between those of 1/κ and 1
	Gaussian                   // random, standard normal; κ has no meaning
	Tiny                       // ε, 2ε, …, (n-1)ε, 1
	Cluster                    // ε, 1+2√ε, …, 1+(n-1)√ε, 2
	Dense                      // 1, 1+100ε, 1+200ε, …
)

// String returns the mode's name.
func (m Mode) String() string {
	names := [...]string{"one large", "one small", "geometric", "arithmetic", "log-uniform", "Gaussian", "tiny", "cluster", "dense"}
	if m < OneLarge || m > Dense {
		return fmt.Sprintf("Mode(%d)", int(m))
	}
	return names[m-1]
}

// Spectrum returns n numbers distributed as mode says, for the condition number cond ≥ 1, in the order of the mode's description.
func Spectrum(s *Source, mode Mode, n int, cond float64) []float64 {
	if !(cond >= 1) || mode < OneLarge || mode > Dense {
		panic(fmt.Sprintf("fuzz: Spectrum: no mode %v of condition %g", mode, cond))
	}
	d := make([]float64, n)
	for i := range d {
		first, last := i == 0, i == n-1
		t := float64(i) / float64(max(n-1, 1))
		d[i] = 1
		switch mode {
		case OneLarge:
			if !first {
				d[i] = 1 / cond
			}
		case OneSmall:
			if last {
				d[i] = 1 / cond
			}
		case Geometric:
			d[i] = math.Pow(cond, -t)
		case Arithmetic:
			d[i] = 1 - float64(t*(1-1/cond))
		case LogUniform:
			d[i] = math.Pow(cond, -s.Float64())
		case Gaussian:
			d[i] = s.NormFloat64()
		case Tiny:
			if !last {
				d[i] = float64(i+1) * Eps
			}
		case Cluster:
			switch {
			case first:
				d[i] = Eps
			case last:
				d[i] = 2
			default:
				d[i] = 1 + float64(i+1)*0x1p-26
			}
		case Dense:
			d[i] = 1 + float64(i)*100*Eps
		}
	}
	return d
}

// RandomSigns turns the sign of each of d with probability 1/2, and returns d.
func RandomSigns(s *Source, d []float64) []float64 {
	for i := range d {
		if s.values.IntN(2) == 1 {
			d[i] = -d[i]
		}
	}
	return d
}

// WithSpectrum returns Q·diag(d)·Qᵀ with Q from orthogonal. Rounding moves the eigenvalues by at most Slack = n·ε·max|d|, in
// practice by a few ε·max|d|: Q is orthogonal to a few ε and each entry is a sum of n terms.
func WithSpectrum(s *Source, name string, d []float64) Case {
	n := len(d)
	q := orthogonal(s, n)
	a := symmetric(n, func(i, j int) float64 {
		qi, qj := q.Row(i), q.Row(j)
		var sum float64
		for l, w := range d {
			sum += float64(qi[l] * w * qj[l])
		}
		return sum
	})
	c := Case{Name: fmt.Sprintf("%s n=%d", name, n), A: a, Eigenvalues: sorted(d), Pivot: Unknown}
	if n > 0 {
		c.Slack = float64(n) * Eps * mat.NormMax(mat.Vector(d))
		// Cholesky succeeds surely if λmin exceeds its backward error, about n²ε·λmax (Demmel 1989; Higham, Accuracy and
		// Stability, Theorem 10.7).
		if c.Eigenvalues[0] > 4*float64(n+1)*c.Slack {
			c.Pivot = n
		}
	}
	return c
}
