package bound_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// Complete data give the same bound and the same derivatives on either path.
func TestMaskedComplete(t *testing.T) {
	for seed := range uint64(compare.Sizes(60)) {
		s := reference.RandomShape(seed)
		if seed%3 == 2 {
			s = reference.TimeShape(4 * seed) // with white noise
		}
		m := s.Model(t)
		whole, masked := newSubject(m), newSubject(m)
		masked.evaluator.Mask()
		what := fmt.Sprint(s)
		compare.NearOne(t, what+": bound", masked.bound(t), whole.bound(t), 1e-10)
		want, got := natural(whole.gradient(t, bound.GroupAll)), natural(masked.gradient(t, bound.GroupAll)).values()
		compare.Near(t, what+": gradient", got, want.values(), 1e-8)
	}
}

// hidden hides a share of a model's values, of all channels alike or not, and gives some errors.
func hidden(m *reference.Model, rng *rand.Rand, share float64) {
	alike := rng.IntN(2) == 0
	gone := map[int]bool{}
	m.Hide(func(example, point, channel int) bool {
		at := example*m.Space.Len() + point
		if !alike {
			return rng.Float64() < share
		}
		if channel == 0 {
			gone[at] = rng.Float64() < share
		}
		return gone[at]
	})
	if rng.IntN(3) == 0 {
		m.Errors = mat.New(m.Y.Rows, m.Y.Cols)
		for i := range m.Errors.Data {
			m.Errors.Data[i] = max(0, rng.Float64()-0.3)
		}
	}
}

// holedShape is a random shape with white noise, in time or not, whose latent kernel has an RBF part: without it the kernel
// matrix rests on jitter, and differences on fewer digits.
func holedShape(seed uint64) shape {
	s := reference.RandomShape(seed)
	if seed%3 == 2 {
		s = reference.TimeShape(4 * seed)
	}
	if s.Parts != 0 {
		s.Parts |= reference.RBF
	}
	return s
}

// holedSubject is the model of a shape with hidden values.
func holedSubject(t testing.TB, seed uint64) *subject {
	m := holedShape(seed).Model(t)
	hidden(m, rand.New(rand.NewPCG(seed, 99)), 0.3)
	s := newSubject(m)
	if !s.evaluator.Holes() {
		s.evaluator.Mask()
	}
	return s
}

// move changes all parameters a little; latent variances stay large enough for differences.
func move(t testing.TB, p *bound.Params, rng *rand.Rand) {
	for _, v := range natural(p).at {
		*v *= math.Exp(0.1 * rng.NormFloat64())
	}
	if p.X.Paths != nil {
		reference.SetMarginals(t, p)
		return
	}
	for i, v := range p.X.S.Data {
		p.X.S.Data[i] = max(v, 0.2)
	}
}

// Every derivative is that of the bound, through T too.
func TestMaskedDifferences(t *testing.T) {
	tier.Skip(t, tier.Race)
	for seed := range uint64(compare.Sizes(24)) {
		x := holedSubject(t, seed)
		x.bound(t)
		move(t, x.Params, rand.New(rand.NewPCG(seed, 98)))
		all := natural(x.Params)
		var grad *list
		bound.WithResidual(1e-12, func() { grad = natural(x.gradient(t, bound.GroupAll)) })
		compare.CheckGradient(t, all.name(holedShape(seed).String()), all.at, grad.values(), func() float64 { return x.bound(t) })
	}
}

// The bound against matrices over all pairs of inducing points.
func TestMaskedDense(t *testing.T) {
	for seed := range uint64(compare.Sizes(60)) {
		x := holedSubject(t, 500+seed)
		if seed%2 == 1 {
			x.bound(t)
			move(t, x.Params, rand.New(rand.NewPCG(seed, 98)))
		}
		whole := *x.Model
		whole.Y = mat.New(x.Y.Rows, x.Y.Cols)
		u, _, err := x.evaluator.Incomplete(t.Context(), x.Params)
		if err != nil {
			t.Fatal(err)
		}
		joint := u.Latent
		for _, s := range u.Space {
			joint = reference.Kronecker(joint, s)
		}
		d := reference.NewDense(&whole)
		var want float64
		for c := range x.Channels() {
			want += d.Holed(x.Model, c, joint).Bound
		}
		got := x.bound(t) + x.evaluator.Divergence(x.Params)
		if !(math.Abs(got-want) <= 1e-8*max(1, math.Abs(want))) {
			t.Errorf("%v: bound %v, by definition %v", holedShape(500+seed), got, want)
		}
	}
}

// The same bits at any GOMAXPROCS, and with sums over the examples that are kept or formed in every step.
func TestMaskedBits(t *testing.T) {
	for seed := range uint64(compare.Sizes(12)) {
		var want []float64
		compare.AtEveryWidth(func(int) {
			x := holedSubject(t, 700+seed)
			x.bound(t)
			move(t, x.Params, rand.New(rand.NewPCG(seed, 98)))
			got := append(flat(x.gradient(t, bound.GroupAll)), x.bound(t))
			if want == nil {
				want = got
			}
			compare.SameBits(t, holedShape(700+seed).String(), got, want)
		})
		bound.WithMaskedBlocks(50, 0, func() {
			x := holedSubject(t, 700+seed)
			x.bound(t)
			move(t, x.Params, rand.New(rand.NewPCG(seed, 98)))
			got := append(flat(x.gradient(t, bound.GroupAll)), x.bound(t))
			compare.Near(t, "other blocks: "+holedShape(700+seed).String(), got, want, 1e-7)
		})
	}
}

// Bound and every derivative of data with holes against evaluations with 50 digits.
func TestHolesReference(t *testing.T) {
	for _, c := range reference.HolesCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			s := newSubject(c.Model(t))
			if !s.evaluator.Holes() {
				s.evaluator.Mask()
			}
			compare.NearOne(t, "bound", s.bound(t), c.Expected.Bound, reference.Digits)
			var got map[string][]float64
			bound.WithResidual(1e-12, func() { got = slopesByName(s.gradient(t, bound.GroupAll)) })
			slopes := c.Slopes(t)
			for name, values := range slopes {
				compare.Near(t, "derivative in "+name, got[name], values, reference.Digits)
			}
			for name := range got {
				if slopes[name] == nil {
					t.Errorf("the file has no derivative in %s", name)
				}
			}
		})
	}
}
