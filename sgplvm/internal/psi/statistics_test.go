package psi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// All statistics of every kernel by quadrature, at known and unknown times. The rule's error
// falls like (2S/(2S+ℓ²))^40 for Ψ2: below 1e-14 with S ≤ 0.4ℓ²; the polynomials of degree 4
// beside the exponentials cost no digit.
func TestQuadrature(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	nodes, weights := gaussHermite(t, 40)
	for i, names := range everySum() {
		for seed, c := range []struct{ n, m, d int }{{1, 1, 1}, {3, 4, 1}, {2, 3, 2}, {1, 2, 3}, {17, 3, 1}} {
			for _, known := range []bool{true, false} {
				p := randomProblem(rand.New(rand.NewPCG(uint64(seed), uint64(i))), names, c.n, c.m, c.d, 0.4)
				if !known {
					p.q.At = nil
				}
				checkQuadrature(t, fmt.Sprintf("%v, times known: %v", names, known), p, nodes, weights)
			}
		}
	}
}

func checkQuadrature(t *testing.T, what string, p problem, nodes, weights []float64) {
	t.Helper()
	n, m := p.q.Mu.Rows, p.in.Z.Rows
	want0, want1, want2, want := 0., mat.New(n, m), mat.New(m, m), mat.New(m, m)
	for i := range n {
		average := func(f func(x []float64) float64) float64 {
			return expectation(nodes, weights, p.q.Mu.Row(i), p.q.S.Row(i), f)
		}
		value := func(x []float64, k int) float64 {
			return p.covariance(x, p.in.Z.Row(k), at(p.q.At, i), at(p.in.At, k))
		}
		self := &kernel.Instant{} // even where the time is not known, it is that of the example
		want0 += average(func(x []float64) float64 { return p.covariance(x, x, self, self) })
		for k := range m {
			want1.Set(i, k, average(func(x []float64) float64 { return value(x, k) }))
			for l := range m {
				want2.Set(k, l, want2.At(k, l)+average(func(x []float64) float64 { return value(x, k) * value(x, l) }))
			}
		}
	}
	for k := range m {
		for l := range m {
			want.Set(k, l, p.covariance(p.in.Z.Row(k), p.in.Z.Row(l), at(p.in.At, k), at(p.in.At, l)))
		}
	}
	st, psi1, psi2, k0, sum := p.statistics(), mat.New(n, m), mat.New(m, m), mat.New(m, m), mat.New(m, m)
	st.Matrix(k0)
	compare.Near(t, what+": K_0", k0.Data, want.Data, 1e-14)
	compare.Near(t, what+": ψ0", one(st.Psi0(p.q)), one(want0), 1e-10)
	st.Forward(psi1, psi2, p.q)
	compare.Near(t, what+": Ψ1", psi1.Data, want1.Data, 1e-10)
	compare.Near(t, what+": Ψ2", psi2.Data, want2.Data, 1e-10)
	psi1.Fill(math.NaN())
	st.Psi1(psi1, p.q)
	compare.Near(t, what+": Ψ1 alone", psi1.Data, want1.Data, 1e-10)

	var scratch Scratch
	for i := range n {
		r := momentsOf(st, &scratch, One(p.q.Mu.Row(i), p.q.S.Row(i), at(p.q.At, i)))
		mat.Add(sum, sum, 1, r.Psi2)
		compare.Near(t, what+": ψ1 of one example", r.Psi1.Data, want1.Row(i), 1e-10)
		mat.Mul(r.Spread, 1, r.Psi1, r.Psi1.T(), 1)
		compare.Near(t, what+": spread", r.Spread.Data, r.Psi2.Data, 1e-13)
	}
	compare.Near(t, what+": Ψ2 example by example", sum.Data, want2.Data, 1e-10)
}

// Every derivative of g0·ψ0 + Σ g1∘Ψ1 + tr(g2·Ψ2) + tr(gk·K_0).
func TestGradient(t *testing.T) {
	for i, names := range everySum() {
		for seed, c := range []struct{ n, m, d int }{{1, 1, 1}, {1, 4, 2}, {5, 3, 2}, {3, 2, 3}} {
			what := fmt.Sprintf("%v, %+v: ", names, c)
			rng := rand.New(rand.NewPCG(uint64(seed), 30+uint64(i)))
			p := randomProblem(rng, names, c.n, c.m, c.d, 1)
			for i := range p.q.S.Data {
				p.q.S.Data[i] += 0.05
			}
			g0, g1, g2, gk := rng.NormFloat64(), randomMatrix(rng, c.n, c.m), randomSymmetric(rng, c.m), randomSymmetric(rng, c.m)
			k0 := mat.New(c.m, c.m)
			value := func() float64 {
				st := p.statistics()
				psi1, psi2 := p.forward()
				st.Matrix(k0)
				return g0*st.Psi0(p.q) + mat.Dot(g1, psi1) + mat.Dot(g2, psi2) + mat.Dot(gk, k0)
			}
			to, st, psi1, psi2 := p.newGradient(), p.statistics(), mat.New(c.n, c.m), mat.New(c.m, c.m)
			st.Forward(psi1, psi2, p.q)
			st.Backward(to, g0, g1.Clone(), g2, psi1, p.q)
			st.Matrix(k0)
			st.MatrixBackward(to, gk, k0)
			checkGradient(t, what+"μ", p.q.Mu.Data, to.Mu.Data, value)
			checkGradient(t, what+"S", p.q.S.Data, to.S.Data, value)
			checkGradient(t, what+"Z", p.in.Z.Data, to.Z.Data, value)
			x := parameters(p.k)
			checkGradient(t, what+"parameters", x, slopes(p.k, to.Kernel), func() float64 {
				setParameters(p.k, x)
				return value()
			})
		}
	}
}

// The form of one example is the sum of its statistics, at a known time and none, and its
// derivatives are those of many.
func TestForm(t *testing.T) {
	var scratch Scratch
	for i, names := range everySum() {
		for seed, c := range []struct{ n, m, d int }{{1, 1, 1}, {4, 4, 2}, {3, 30, 3}} {
			rng := rand.New(rand.NewPCG(uint64(seed), 50+uint64(i)))
			p := randomProblem(rng, names, c.n, c.m, c.d, 1)
			g0, g1, g2 := rng.NormFloat64(), randomMatrix(rng, 1, c.m), randomSymmetric(rng, c.m)
			st := p.statistics()
			all := make([]int, c.n)
			for k := range all {
				all[k] = c.n - 1 - k
			}
			catalogue := st.Catalogue(p.q, all)
			for k, n := range all {
				mu, s := p.q.Mu.Row(n), p.q.S.Row(n)
				for _, time := range []*kernel.Instant{nil, at(p.q.At, n), {Sequence: 99}} {
					what := fmt.Sprintf("%v, %+v: ", names, c)
					q := One(mu, s, time)
					psi1, psi2 := mat.New(1, c.m), mat.New(c.m, c.m)
					st.Forward(psi1, psi2, q)
					want := g0*st.Psi0(q) + mat.Dot(g1, psi1) + mat.Dot(g2, psi2)
					to := p.newGradient()
					to.Mu, to.S = mat.New(1, c.d), mat.New(1, c.d)
					st.Backward(to, g0, g1.Clone(), g2, psi1, q)

					form := formOf(st, g0, g1.Row(0), g2, time)
					dmu, ds := make([]float64, c.d), make([]float64, c.d)
					compare.Near(t, what+"value", one(form.Constant+form.Value(&scratch, mu, s, nil, nil)), one(want), 1e-12)
					compare.Near(t, what+"value beside derivatives", one(form.Constant+form.Value(&scratch, mu, s, dmu, ds)), one(want), 1e-12)
					compare.Near(t, what+"∂/∂μ", dmu, to.Mu.Data, 1e-12)
					compare.Near(t, what+"∂/∂S", ds, to.S.Data, 1e-12)
					values := make([]float64, 2)
					catalogue.ValuesAt(values, []int{0, k}, form, form.Constant)
					compare.Near(t, what+"value of some of the catalogue", one(values[1]), one(want), 1e-12)
				}
			}
		}
	}
}

func TestJacobian(t *testing.T) {
	for i, names := range everySum() {
		p := randomProblem(rand.New(rand.NewPCG(40, uint64(i))), names, 1, 4, 3, 1)
		st, jacobian, psi1 := p.statistics(), mat.New(4, 3), mat.New(1, 4)
		jacobian.Fill(math.NaN())
		st.Jacobian(jacobian, p.q.Mu.Row(0), p.q.S.Row(0))
		for k := range 4 {
			checkGradient(t, fmt.Sprintf("%v: ∂ψ1[%d]/∂μ", names, k), p.q.Mu.Row(0), jacobian.Row(k), func() float64 {
				st.Psi1(psi1, p.q)
				return psi1.At(0, k)
			})
		}
	}
}

// everything evaluates all that depends on a problem.
func everything(st *Statistics, t *Scratch, p problem, g1, g2 mat.Matrix) []float64 {
	n, m := p.q.Mu.Rows, p.in.Z.Rows
	psi1, psi2, k0, to := mat.New(n, m), mat.New(m, m), mat.New(m, m), p.newGradient()
	st.Set(p.k, p.in)
	st.Matrix(k0)
	st.Forward(psi1, psi2, p.q)
	st.Backward(to, 0.3, g1.Clone(), g2, psi1, p.q)
	st.MatrixBackward(to, g2, k0)
	r := momentsOf(st, t, One(p.q.Mu.Row(0), p.q.S.Row(0), at(p.q.At, 0)))
	dmu, ds := make([]float64, p.in.Z.Cols), make([]float64, p.in.Z.Cols)
	moments := slices.Concat(r.Psi1.Data, r.Psi2.Data, r.Spread.Data)
	value := formOf(st, 0.3, g1.Row(0), g2, at(p.q.At, 0)).Value(t, p.q.Mu.Row(0), p.q.S.Row(0), dmu, ds)
	return slices.Concat(k0.Data, psi1.Data, psi2.Data, to.Z.Data, to.Mu.Data, to.S.Data, slopes(p.k, to.Kernel), moments, one(value), dmu, ds)
}

func TestSameBitsAtAnyWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 0))
	p := randomProblem(rng, Names{"rbf", "linear", "bias", "time"}, 70, 40, 5, 1)
	g1, g2 := randomMatrix(rng, 70, 40), randomSymmetric(rng, 40)
	var want []float64
	compare.AtEveryWidth(func(procs int) {
		got := everything(new(Statistics), new(Scratch), p, g1, g2)
		if want == nil {
			want = got
		}
		compare.SameBits(t, fmt.Sprintf("GOMAXPROCS %d", procs), got, want)
	})
}

// Statistics and scratch that served another kernel or another shape give the
// bits of fresh ones.
func TestReused(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 0))
	used, scratch := new(Statistics), new(Scratch)
	for i := range 60 {
		names := everySum()[rng.IntN(len(everySum()))]
		c := [][3]int{{2, 3, 2}, {5, 4, 2}, {2, 3, 1}}[rng.IntN(3)]
		p := randomProblem(rng, names, c[0], c[1], c[2], 1)
		g1, g2 := randomMatrix(rng, c[0], c[1]), randomSymmetric(rng, c[1])
		got := everything(used, scratch, p, g1, g2)
		compare.SameBits(t, fmt.Sprintf("%d, %v", i, names), got, everything(new(Statistics), new(Scratch), p, g1, g2))
	}
}

// The exponentials that wait for the gradient are those that it would compute, however many of them do.
func TestWaitingExponentials(t *testing.T) {
	defer func(most int) { maxKept = most }(maxKept)
	for _, c := range []struct{ n, m int }{{1, 1}, {7, 2}, {150, 5}, {600, 6}} {
		rng := rand.New(rand.NewPCG(31, uint64(c.n)))
		p, _ := randomRBF(31, c.n, c.m, 3, 1)
		g1, g2 := randomMatrix(rng, c.n, c.m), randomSymmetric(rng, c.m)
		var want []float64
		for _, tiles := range []int{0, 1, c.m} {
			maxKept = tiles * c.n * (c.m + 1)
			got := everything(new(Statistics), new(Scratch), p, g1, g2)
			if want == nil {
				want = got
			}
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%+v with those of %d tiles kept: number %d is %v, %v without", c, tiles, i, got[i], want[i])
				}
			}
		}
	}
}
