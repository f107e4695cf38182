package psi

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// A bias is a linear part in one more latent dimension where all examples and
// inducing points are 1, as far as an RBF part does not see it.
func TestBiasIsAConstantDimension(t *testing.T) {
	for i, names := range []Names{{"bias"}, {"linear", "bias"}, {"rbf", "linear", "bias"}, {"rbf", "linear", "bias", "time"}} {
		p := randomProblem(rand.New(rand.NewPCG(46, uint64(i))), names, 5, 3, 2, 1)
		wider := func(a mat.Matrix, v float64) mat.Matrix {
			b := mat.New(a.Rows, a.Cols+1)
			b.Fill(v)
			mat.Copy(b.Slice(0, a.Rows, 0, a.Cols), a)
			return b
		}
		c := problem{q: Q{wider(p.q.Mu, 1), wider(p.q.S, 0), p.q.At}, in: Inducing{wider(p.in.Z, 1), p.in.At}}
		linear := &Linear{make([]float64, 2)}
		for _, part := range p.k.Clone().Parts {
			switch part := part.(type) {
			case *Bias:
				linear.Variance = append(linear.Variance, part.Variance)
				c.k.Parts = append(c.k.Parts, linear)
			case *Linear:
				linear = part
			case *RBF:
				part.LengthScale = append(part.LengthScale, 1e8)
				c.k.Parts = append(c.k.Parts, part)
			default:
				c.k.Parts = append(c.k.Parts, part)
			}
		}
		want1, want2 := p.forward()
		got1, got2 := c.forward()
		compare.Near(t, names.String()+": Ψ1", got1.Data, want1.Data, 1e-13)
		compare.Near(t, names.String()+": Ψ2", got2.Data, want2.Data, 1e-13)
		compare.Near(t, names.String()+": ψ0", one(c.statistics().Psi0(c.q)), one(p.statistics().Psi0(p.q)), 1e-13)
	}
}

// As many inducing points as a kernel has rank determine f everywhere: tr K⁻¹Ψ2 = ψ0, however
// uncertain x is.
func TestInducingPointsOfFullRank(t *testing.T) {
	for i, c := range []struct {
		names Names
		rank  int
	}{{Names{"linear"}, 3}, {Names{"bias"}, 1}, {Names{"linear", "bias"}, 4}, {Names{"time"}, 6}} {
		p := randomProblem(rand.New(rand.NewPCG(47, uint64(i))), c.names, 6, c.rank, 3, 1)
		if p.q.At != nil {
			p.in.At = p.q.At // every example's time
		}
		st := p.statistics()
		_, psi2 := p.forward()
		k0 := mat.New(c.rank, c.rank)
		st.Matrix(k0)
		factor, err := chol.Factorize(k0)
		if err != nil {
			t.Fatal(err)
		}
		factor.Solve(psi2)
		compare.Near(t, c.names.String(), one(mat.Trace(psi2)), one(st.Psi0(p.q)), 1e-9)
	}
}
