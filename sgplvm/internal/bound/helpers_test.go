package bound_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Shorter names of package reference.
type (
	shape  = reference.Shape
	factor = reference.Factor
)

// held frees what is free while spatial parameters are held.
const held = bound.GroupLatent | bound.GroupNoise

// A subject is a model under test with an evaluator that lives as long.
type subject struct {
	*reference.Model
	evaluator *bound.Evaluator
}

func subjectOf(t testing.TB, s shape) *subject {
	t.Helper()
	return newSubject(s.Model(t))
}

func newSubject(m *reference.Model) *subject { return &subject{m, m.Evaluator()} }

// bound evaluates the bound at the model's parameters.
func (s *subject) bound(t testing.TB) float64 {
	t.Helper()
	b, err := s.evaluator.Bound(t.Context(), s.Params)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// gradient returns the bound's derivatives at the model's parameters.
func (s *subject) gradient(t testing.TB, free bound.Group) *bound.Params {
	t.Helper()
	grad := s.Params.Clone()
	if _, err := s.evaluator.Evaluate(t.Context(), s.Params, grad, free); err != nil {
		t.Fatal(err)
	}
	return grad
}

// withoutKL is the bound with the divergence given back.
func (s *subject) withoutKL(t testing.TB) float64 {
	t.Helper()
	return s.bound(t) + psi.KL(s.Params.X.Mu, s.Params.X.S, nil)
}

// list collects parameters with names.
type list struct {
	names []string
	at    []*float64
}

func (l *list) add(name string, v ...*float64) {
	for i, p := range v {
		l.names, l.at = append(l.names, fmt.Sprintf("%s[%d]", name, i)), append(l.at, p)
	}
}

func (l *list) addKernel(name string, k *kernel.Kernel) {
	l.add(name+": "+string(k.Kind)+" length scale", compare.Pointers(k.LengthScale)...)
	if k.Kind == kernel.Periodic {
		l.add(name+": period", &k.Period)
	}
	l.add(name+": weight", compare.Pointers(k.Weights)...)
	for i := range k.Terms {
		l.addKernel(name, &k.Terms[i])
	}
}

func (l *list) values() []float64 {
	v := make([]float64, len(l.at))
	for i, p := range l.at {
		v[i] = *p
	}
	return v
}

func (l *list) name(prefix string) func(i int) string {
	return func(i int) string { return prefix + ": " + l.names[i] }
}

// natural lists all parameters of p that the bound depends on, or of a gradient of that form.
func natural(p *bound.Params) *list {
	l := new(list)
	l.add("β", &p.Noise.Beta)
	for _, part := range p.Latent.Parts {
		switch part := part.(type) {
		case *psi.RBF:
			l.add("latent variance", &part.Variance)
			l.add("latent length scale", compare.Pointers(part.LengthScale)...)
		case *psi.Linear:
			l.add("linear variance", compare.Pointers(part.Variance)...)
		case *psi.Bias:
			l.add("bias", &part.Variance)
		case *psi.Time:
			l.add("variance of the time part", &part.Variance)
			l.addKernel("time part", &part.Kernel)
		}
	}
	if paths := p.X.Paths; paths != nil {
		l.add("μ̄", compare.Pointers(paths.MuBar.Data)...)
		l.add("Λ", compare.Pointers(paths.Lambda.Data)...)
		l.addKernel("prior", &paths.Prior.Kernel)
	} else {
		l.add("μ", compare.Pointers(p.X.Mu.Data)...)
		l.add("S", compare.Pointers(p.X.S.Data)...)
	}
	l.add("Z", compare.Pointers(p.Z.Data)...)
	for f := range p.Space {
		s := &p.Space[f]
		l.add(fmt.Sprintf("variance %d", f), &s.Kernel.Variance)
		l.addKernel(fmt.Sprintf("space %d", f), &s.Kernel)
		l.add(fmt.Sprintf("X_u %d", f), compare.Pointers(s.Xu.Data)...)
	}
	if p.Noise.Structured() {
		l.add("residual variance", &p.Noise.Residual.Variance)
		l.addKernel("residual", &p.Noise.Residual)
	}
	return l
}

// flat is every number of p.
func flat(p *bound.Params) []float64 {
	return slices.Concat(natural(p).values(), p.X.Mu.Data, p.X.S.Data, []float64{p.Noise.Floor}, p.Noise.Covariance.Data, p.Noise.Taper)
}

// packed returns the free coordinates of p.
func packed(c bound.Coordinates, p *bound.Params) []float64 {
	x := make([]float64, c.Count(p))
	c.Pack(x, p)
	return x
}
