package bound_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// FuzzBound tries one of the laws below.
func FuzzBound(f *testing.F) { fuzz.OneOf(f, tryDense, tryGradient, tryTwin, tryHoles, tryNumbers) }

// The bound is that of full matrices.
func tryDense(t *testing.T, s *fuzz.Source) {
	shape := reference.ShapeOf(s.IntN)
	x := subjectOf(t, shape)
	got, d := x.bound(t)+x.evaluator.Divergence(x.Params), reference.NewDense(x.Model)
	compare.NearOne(t, shape.String(), got, d.Bound()+d.KL, 1e-8)
}

// The gradient along a direction of all parameters is that of differences, and it has the same bits at any GOMAXPROCS.
func tryGradient(t *testing.T, s *fuzz.Source) {
	shape := reference.ShapeOf(s.IntN)
	for f := range shape.Space { // Matérn 1/2 has a kink where an inducing point meets a point
		if own := &shape.Space[f]; own.Inducing > 0 && own.Kind == matern12 {
			own.Kind = matern32
		}
	}
	x := subjectOf(t, shape)
	value := x.bound(t)
	grad := x.gradient(t, bound.GroupAll)
	compare.AtEveryWidth(func(procs int) {
		other := newSubject(x.Model)
		compare.SameBits(t, fmt.Sprint("GOMAXPROCS ", procs), flat(other.gradient(t, bound.GroupAll)), flat(grad))
	})
	at, slopes := natural(x.Params), natural(grad).values()
	start := at.values()
	direction, slope, size := make([]float64, len(start)), 0.0, 0.0
	for i, v := range slopes {
		direction[i] = s.NormFloat64()
		slope, size = slope+direction[i]*v, size+math.Abs(direction[i]*v)
	}
	moved := func(h float64) float64 {
		for i, p := range at.at {
			*p = start[i] + h*direction[i]
		}
		return x.bound(t)
	}
	const h = 1e-4
	got := (8*(moved(h)-moved(-h)) - (moved(2*h) - moved(-2*h))) / (12 * h)
	if most := 1e-6*(size+1) + 1e-8*math.Abs(value); !(math.Abs(got-slope) <= most) {
		t.Errorf("%v: derivative %v, differences give %v, want them within %.3g", shape, slope, got, most)
	}
}

// What should change nothing changes nothing but rounding.
func tryTwin(t *testing.T, s *fuzz.Source) {
	shape := reference.ShapeOf(s.IntN)
	shape.Residual, shape.Time, shape.TimePart = "", "", ""
	shape.Parts &^= reference.Time
	var names []string
	for name := range reference.Twins {
		names = append(names, name)
	}
	slices.Sort(names)
	m, name := shape.Model(t), names[s.IntN(len(names))]
	other := reference.Twins[name](rand.New(rand.NewPCG(s.Uint64(), 5)), m)
	compare.NearOne(t, name+": "+shape.String(), newSubject(other.Model).bound(t), newSubject(m).bound(t), 1e-8)
}

// The bound of data with holes is that by definition, with the same basis of q(U).
func tryHoles(t *testing.T, s *fuzz.Source) {
	shape := reference.ShapeOf(s.IntN)
	shape.Residual = ""
	m := shape.Model(t)
	whole := *m
	whole.Y = mat.New(m.Y.Rows, m.Y.Cols)
	m.Hide(func(example, point, channel int) bool { return s.IntN(3) == 1 })
	if s.Bool() {
		m.Errors = mat.New(m.Y.Rows, m.Y.Cols)
		for i := range m.Errors.Data {
			m.Errors.Data[i] = max(0, s.NormFloat64())
		}
	}
	x := newSubject(m)
	if !x.evaluator.Holes() {
		x.evaluator.Mask()
	}
	u, _, err := x.evaluator.Incomplete(t.Context(), x.Params)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.evaluator.Hold(t.Context(), x.Params); err != nil {
		t.Fatal(err)
	}
	joint := u.Latent
	for _, s := range u.Space {
		joint = reference.Kronecker(joint, s)
	}
	d, want := reference.NewDense(&whole), 0.0
	for c := range m.Channels() {
		want += d.Holed(m, c, joint).Bound
	}
	compare.NearOne(t, shape.String(), x.bound(t)+x.evaluator.Divergence(x.Params), want, 1e-7)
}

// Any parameters are refused, or have a bound: no more than noise of precision β gives data that are predicted without an error.
func tryNumbers(t *testing.T, s *fuzz.Source) {
	shape := reference.ShapeOf(s.IntN)
	shape.Jitter = 1e-3 // without it rounding decides where a kernel matrix is singular
	x := subjectOf(t, shape)
	all := natural(x.Params).at
	for range 1 + s.IntN(4) {
		p := all[s.IntN(len(all))]
		if *p *= math.Pow(10, float64(s.IntN(33)-16)); s.IntN(8) == 1 {
			*p = s.Bits()
		}
	}
	if x.Params.Validate(x.Space) != nil || x.Params.Noise.Beta > 1e12 { // noise that vanishes multiplies rounding
		return
	}
	grad := x.Params.Clone()
	value, err := x.evaluator.Evaluate(t.Context(), x.Params, grad, bound.GroupAll)
	var factor *field.FactorizationError
	switch p := x.Params; {
	case errors.As(err, &factor) || err != nil && p.X.Paths != nil:
	case err != nil:
		t.Errorf("%v: error %v of type %T", shape, err, err)
	case !math.IsInf(x.evaluator.Magnitude(p), 0):
		n := float64(x.Y.Rows * x.Y.Cols)
		most := n / 2 * math.Log(p.Noise.Beta/(2*math.Pi))
		if !(value <= most+0x1p-32*(math.Abs(most)+x.evaluator.Magnitude(p))) {
			t.Errorf("%v: bound %v, expected at most %v", shape, value, most)
		}
	}
}
