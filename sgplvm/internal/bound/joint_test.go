package bound_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// viewShapes are two views of the same six examples: a grid, and four points with structured noise.
func viewShapes(seed uint64) []shape {
	grid := shape{Examples: 6, Inducing: 3, Latent: 2, Channels: 2, Jitter: 1e-6, Seed: seed, Space: []factor{{Points: 3, Dims: 1, Kind: kernel.RBF}, {Points: 2, Dims: 1, Kind: kernel.Matern32}}}
	list := reference.ResidualShape(seed)
	list.Examples, list.Inducing, list.Latent, list.Seed = 6, 4, 2, seed+1
	return []shape{grid, list}
}

// jointOf returns the views of some shapes, which share x, their joint bound and their dense bounds without KL, added up; with holes values of the first are missing, and there is no dense bound.
func jointOf(t *testing.T, shapes []shape, holes bool) (j *bound.Joint, x *bound.Latents, p []*bound.Params, dense float64) {
	var views []*bound.Evaluator
	for _, s := range shapes {
		m := subjectOf(t, s)
		if holes && x == nil {
			m.Hide(func(i, point, channel int) bool { return (i+2*point+channel)%4 == 0 })
			m = newSubject(m.Model)
		}
		if x == nil {
			c := m.Params.Clone()
			x = &c.X
		}
		mat.Copy(m.Params.X.Mu, x.Mu)
		mat.Copy(m.Params.X.S, x.S)
		if !holes {
			dense += reference.NewDense(m.Model).Bound() + psi.KL(x.Mu, x.S, nil)
		}
		views, p = append(views, m.evaluator), append(p, m.Params)
	}
	return bound.NewJoint(views, make([][]int, len(views))), x, p, dense
}

// The joint bound is the sum of the dense bounds of its views, with one KL.
func TestJointDense(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		j, x, p, dense := jointOf(t, viewShapes(seed), false)
		got, err := j.Evaluate(t.Context(), x, p, nil, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		compare.NearOne(t, fmt.Sprint(seed), got, dense-psi.KL(x.Mu, x.S, nil), 1e-9)
	}
}

// Bound and every derivative of two views against evaluations with 50 digits.
func TestJointReference(t *testing.T) {
	c := reference.TwoViews(t)
	var views []*bound.Evaluator
	var p, grad []*bound.Params
	for _, v := range c.Views {
		s := newSubject(v.Model(t))
		views, p, grad = append(views, s.evaluator), append(p, s.Params), append(grad, s.Params.Clone())
	}
	x, dx := p[0].Clone().X, p[0].Clone().X
	got, err := bound.NewJoint(views, make([][]int, len(views))).Evaluate(t.Context(), &x, p, &dx, grad, bound.GroupAll)
	if err != nil {
		t.Fatal(err)
	}
	compare.NearOne(t, "bound", got, c.Bound, reference.Digits)
	compare.Near(t, "derivative in μ", dx.Mu.Data, slices.Concat(c.Mu...), reference.Digits)
	compare.Near(t, "derivative in S", dx.S.Data, slices.Concat(c.S...), reference.Digits)
	for v, view := range c.Views {
		got := slopesByName(grad[v])
		for name, values := range view.Slopes(t) {
			compare.Near(t, fmt.Sprint("view ", v, ", derivative in ", name), got[name], values, reference.Digits)
		}
	}
}

// Derivatives in q(X) and in the parameters of each view are those of differences, where values of a view are missing too.
func TestJointGradient(t *testing.T) {
	for _, holes := range []bool{false, true} {
		testJointGradient(t, holes)
	}
}

func testJointGradient(t *testing.T, holes bool) {
	j, x, p, _ := jointOf(t, viewShapes(7), holes)
	one := bound.Params{X: *x}
	dx, grad := one.Clone().X, []*bound.Params{p[0].Clone(), p[1].Clone()}
	value := func() float64 {
		v, err := j.Evaluate(t.Context(), x, p, nil, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if _, err := j.Evaluate(t.Context(), x, p, &dx, grad, bound.GroupAll); err != nil {
		t.Fatal(err)
	}
	check := func(name string, at *float64, want float64) {
		t.Helper()
		const h = 1e-5
		keep := *at
		*at = keep + h
		up := value()
		*at = keep - h
		down := value()
		*at = keep
		if d := (up - down) / (2 * h); math.Abs(d-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("%s: derivative %v, by differences %v", name, want, d)
		}
	}
	for k := range x.Mu.Data {
		check("μ", &x.Mu.Data[k], dx.Mu.Data[k])
		check("S", &x.S.Data[k], dx.S.Data[k])
	}
	for v := range p {
		values, slopes := natural(p[v]), natural(grad[v])
		for k, name := range values.names {
			if name[:len("μ")] != "μ" && name[0] != 'S' && name != "variance 0[0]" && name != "variance 1[0]" { // X is shared, spatial variances are never free
				check(fmt.Sprint("view ", v, ", ", name), values.at[k], *slopes.at[k])
			}
		}
	}
}

// A view that lacks examples is one of fewer examples, and says nothing of the others.
func TestJointLacking(t *testing.T) {
	shapes := viewShapes(3)
	shapes[1].Examples = 4
	whole, part := subjectOf(t, shapes[0]), subjectOf(t, shapes[1])
	x, rows := whole.Params.Clone().X, []int{0, 2, 3, 5}
	for k, i := range rows {
		copy(part.Params.X.Mu.Row(k), x.Mu.Row(i))
		copy(part.Params.X.S.Row(k), x.S.Row(i))
	}
	want := whole.bound(t) + part.withoutKL(t)
	j := bound.NewJoint([]*bound.Evaluator{whole.evaluator, part.evaluator}, [][]int{nil, rows})
	one := bound.Params{X: x}
	dx, grad := one.Clone().X, []*bound.Params{whole.Params.Clone(), part.Params.Clone()}
	got, err := j.Evaluate(t.Context(), &x, []*bound.Params{whole.Params, part.Params}, &dx, grad, bound.GroupAll)
	if err != nil {
		t.Fatal(err)
	}
	compare.NearOne(t, "bound", got, want, 1e-12)
	for i := range x.Mu.Rows {
		sum := grad[0].X.Mu.At(i, 0) - x.Mu.At(i, 0)
		for k, r := range rows {
			if r == i {
				sum += grad[1].X.Mu.At(k, 0)
			}
		}
		compare.NearOne(t, fmt.Sprint("slope in μ of example ", i), dx.Mu.At(i, 0), sum, 1e-12)
	}
}
