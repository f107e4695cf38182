package bound_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Blocks and parts of a sweep change nothing but rounding, whatever their size, and nothing at all with the
// number of processors.
func TestBlocks(t *testing.T) {
	for _, shape := range []shape{
		{Examples: 5, Inducing: 3, Latent: 2, Channels: 2, Jitter: 1e-6, Space: []factor{{Points: 8, Dims: 1, Kind: matern32}, {Points: 15, Dims: 1, Kind: matern52}}},
		{Examples: 5, Inducing: 3, Latent: 2, Channels: 2, Jitter: 1e-6, Space: []factor{{Points: 12, Dims: 1, Inducing: 9, Kind: rbf}, {Points: 11, Dims: 1, Kind: white}}},
		{Examples: 5, Inducing: 3, Latent: 2, Channels: 2, Jitter: 1e-6, Residual: matern32, Space: []factor{{Points: 90, Dims: 2, Kind: matern32, ARD: true}}},
	} {
		evaluate := func() (all [][]float64) {
			s := subjectOf(t, shape)
			all = append(all, []float64{s.bound(t)}, flat(s.gradient(t, bound.GroupAll)))
			alpha, err := s.evaluator.Alpha(t.Context(), s.Params)
			if err != nil {
				t.Fatal(err)
			}
			return append(all, alpha.Data)
		}
		whole := evaluate()
		var first [][]float64
		bound.WithBlocks(5*24, 24, func() {
			compare.AtEveryWidth(func(procs int) {
				got := evaluate()
				if first == nil {
					first = got
				}
				for k, name := range []string{"bound", "gradient", "α"} {
					compare.Near(t, fmt.Sprintf("%v: %s", shape, name), got[k], whole[k], 1e-8) // α is multiplied by T, of norm up to 10³
					compare.SameBits(t, fmt.Sprintf("%v: %s with %d processors", shape, name, procs), got[k], first[k])
				}
			})
		})
		compare.NearOne(t, shape.String()+": bound", first[0][0], whole[0][0], 1e-11)
	}
}

// Slabs of any size give the bits that all data in one piece give, but for the order in which free
// gradients add them up.
func TestSlabs(t *testing.T) {
	defer func(n int) { data.SlabNumbers = n }(data.SlabNumbers)
	for _, shape := range []shape{
		{Examples: 7, Inducing: 3, Latent: 2, Channels: 3, Jitter: 1e-6, Space: []factor{{Points: 5, Dims: 1, Kind: matern32}, {Points: 4, Dims: 1, Inducing: 3, Kind: rbf}}},
		{Examples: 7, Inducing: 3, Latent: 2, Channels: 2, Jitter: 1e-6, Residual: matern32, Space: []factor{{Points: 9, Dims: 1, Kind: rbf}}},
	} {
		var want [][]float64
		for _, numbers := range []int{1 << 20, 1, 61, 130} {
			data.SlabNumbers = numbers
			s := subjectOf(t, shape)
			got := [][]float64{{s.bound(t)}, flat(s.gradient(t, held)), flat(s.gradient(t, bound.GroupAll))}
			if want == nil {
				want = got
			}
			what := fmt.Sprintf("%v: slabs of %d numbers: ", shape, numbers)
			compare.SameBits(t, what+"bound", got[0], want[0])
			compare.SameBits(t, what+"gradient", got[1], want[1])
			compare.Near(t, what+"gradient in space", got[2], want[2], 1e-12)
		}
	}
}

// While the spatial parameters are held the data are not read.
func TestHeldDataAreNotRead(t *testing.T) {
	s := subjectOf(t, threeFactors())
	scaled := *s.evaluator.Data()
	source := &failing{Source: scaled.Source}
	scaled.Source = source
	s.evaluator = bound.NewEvaluator(&scaled, s.Space, s.Jitter)
	s.bound(t)
	before := source.calls
	for range 3 {
		s.Params.X.Mu.Data[0] += 0.1
		s.Params.Noise.Beta *= 1.1
		s.gradient(t, held)
	}
	if source.calls != before {
		t.Errorf("%d reads more", source.calls-before)
	}
	s.Params.Space[0].Kernel.LengthScale[0] *= 1.1
	if s.bound(t); source.calls == before {
		t.Error("nothing was read at another length scale")
	}
}

// Extreme noise, latent variances and length scales give a number, or an error that says which factor
// failed; never a NaN.
func TestExtremes(t *testing.T) {
	all := reference.RBF | reference.Linear | reference.Bias
	rbfOf := func(p *bound.Params) *psi.RBF { return p.Latent.Part("rbf").(*psi.RBF) }
	for name, change := range map[string]func(p *bound.Params){
		"precision 1e12":        func(p *bound.Params) { p.Noise.Beta = 1e12 },
		"precision 1e-12":       func(p *bound.Params) { p.Noise.Beta = 1e-12 },
		"latent variance 1e-12": func(p *bound.Params) { rbfOf(p).Variance = 1e-12 },
		"latent variance 1e5":   func(p *bound.Params) { rbfOf(p).Variance = 1e5 },
		"linear variances 1e-12": func(p *bound.Params) {
			if part, is := p.Latent.Part("linear").(*psi.Linear); is {
				mat.Scale(mat.Vector(part.Variance), 1e-12, mat.Vector(part.Variance))
			}
		},
		"bias 1e-300": func(p *bound.Params) {
			if part, is := p.Latent.Part("bias").(*psi.Bias); is {
				part.Variance = 1e-300
			}
		},
		"uncertain by 1e12":        func(p *bound.Params) { p.X.S.Fill(1e12) },
		"certain to 1e-12":         func(p *bound.Params) { p.X.S.Fill(1e-12) },
		"long latent scale":        func(p *bound.Params) { rbfOf(p).LengthScale[0] = 1e6 },
		"short latent scale":       func(p *bound.Params) { rbfOf(p).LengthScale[0] = 1e-3 },
		"long spatial scale":       func(p *bound.Params) { p.Space[0].Kernel.LengthScale[0] = 1e6 },
		"short spatial scale":      func(p *bound.Params) { p.Space[0].Kernel.LengthScale[0] = 1e-6 },
		"equal inducing points":    func(p *bound.Params) { p.Z.Fill(0.5) },
		"latent means far away":    func(p *bound.Params) { p.X.Mu.Fill(1e4) },
		"inducing points far away": func(p *bound.Params) { p.Z.Fill(-1e4) },
	} {
		for _, parts := range []reference.Parts{reference.RBF, all} {
			s := subjectOf(t, shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 2, Jitter: 1e-8, Parts: parts,
				Space: []factor{{Points: 3, Dims: 1, Kind: matern32}, {Points: 3, Dims: 1, Inducing: 2, Kind: rbf}}})
			change(s.Params)
			for _, v := range append(natural(s.gradient(t, bound.GroupAll)).values(), s.bound(t)) {
				if v-v != 0 {
					t.Errorf("%s, %v: bound or derivative %v", name, parts, v)
				}
			}
		}
	}
}

// Where exponents lose their digits, between latent coordinates too many length scales apart, or a linear
// part, a bias or a part of time so large that rounding outgrows the rest, there is an error that says so, or
// the truth; never a bound that an optimiser would take for a better one.
func TestWhereDigitsEnd(t *testing.T) {
	const every = reference.RBF | reference.Linear | reference.Bias
	const affine = reference.Linear | reference.Bias
	z := func(p *bound.Params, far float64) { p.Z.Set(0, 0, far) }
	mu := func(p *bound.Params, far float64) { p.X.Mu.Set(0, 0, far) }
	scale := func(p *bound.Params, far float64) { p.Latent.Part("rbf").(*psi.RBF).LengthScale[0] = 1 / far }
	linear := func(p *bound.Params, far float64) { p.Latent.Part("linear").(*psi.Linear).Variance[0] = far }
	bias := func(p *bound.Params, far float64) { p.Latent.Part("bias").(*psi.Bias).Variance = far }
	for name, c := range map[string]struct {
		parts  reference.Parts
		most   float64 // beyond it the truth, too, is lost in the dense formulas
		refuse bool    // something is
		change func(p *bound.Params, far float64)
	}{
		"an inducing point far away":              {reference.RBF, 1e12, true, z},
		"a short length scale":                    {reference.RBF, 1e12, true, scale},
		"a latent mean far away":                  {reference.RBF, 1e12, false, mu},
		"all parts, an inducing point far away":   {every, 1e12, true, z},
		"all parts, a latent mean far away":       {every, 1e6, false, mu},
		"all parts, a linear variance":            {every, 1e12, true, linear},
		"all parts, a bias":                       {every, 1e12, true, bias},
		"linear and bias, an inducing point away": {affine, 1e12, false, z},
		"linear and bias, a linear variance":      {affine, 1e12, true, linear},
		"linear and bias, small variances":        {affine, 1e12, false, func(p *bound.Params, far float64) { linear(p, 1/far); bias(p, 1/far) }},
		"linear and bias, a bias":                 {affine, 1e12, true, bias},
		"bias alone":                              {reference.Bias, 1e12, true, bias},
	} {
		refused := false
		for _, far := range []float64{1e2, 1e4, 1e6, 1e8, 3e8, 1e9, 3e9, 1e10, 1e12} {
			if far > c.most {
				break
			}
			s := subjectOf(t, shape{Examples: 6, Inducing: 4, Latent: 2, Channels: 2, Jitter: 1e-7, Parts: c.parts, Space: []factor{{Points: 3, Dims: 1, Kind: matern32}}})
			c.change(s.Params, far)
			b, err := s.evaluator.Bound(t.Context(), s.Params)
			var at *field.FactorizationError
			if errors.As(err, &at) && at.Factor == 0 {
				refused = true
			} else if err != nil {
				t.Errorf("%s, %g: error %v", name, far, err)
			} else if truth := reference.NewDense(s.Model).Bound(); !(b <= truth+1e-4*math.Abs(truth)) {
				t.Errorf("%s, %g: bound %v, in truth %v", name, far, b, truth)
			}
		}
		if refused != c.refuse {
			t.Errorf("%s: something was refused: %v", name, refused)
		}
	}
	for variance, refuse := range map[float64]bool{1: false, 2: true} { // of space: it multiplies the bias
		s := subjectOf(t, shape{Examples: 6, Inducing: 4, Latent: 2, Channels: 2, Jitter: 1e-7, Parts: every, Space: []factor{{Points: 3, Dims: 1, Kind: matern32}}})
		bias(s.Params, 0.6*psi.FlattestPrior)
		s.Params.Space[0].Kernel.Variance = variance
		if _, err := s.evaluator.Bound(t.Context(), s.Params); (err != nil) != refuse {
			t.Errorf("spatial variance %v: error %v", variance, err)
		}
	}
	s := subjectOf(t, dynamical())
	s.Params.Latent.Part("time").(*psi.Time).Variance = 1e7
	if _, err := s.evaluator.Bound(t.Context(), s.Params); err == nil || !strings.Contains(err.Error(), "the time part give f a prior variance of") {
		t.Errorf("a part of time of variance 1e7: error %v", err)
	}
}

// A nonlinear part whose prior variance is larger than what numbers can tell is refused, at smaller distances than one of variance 1, and no
// bound is above the log density of the noise.
func TestWhereVariancesEnd(t *testing.T) {
	s := subjectOf(t, shape{Examples: 6, Inducing: 4, Latent: 2, Channels: 2, Jitter: 1e-6, Parts: reference.RBF, Space: []factor{{Points: 3, Dims: 1, Kind: matern32}}})
	k, n := s.Params.Latent.Part("rbf").(*psi.RBF), float64(6*3*2)
	space, lengths := s.Params.SpatialVariance(), slices.Clone(k.LengthScale)
	for e := -2; e < 100; e++ {
		k.Variance = math.Pow(10, float64(e)) / space
		b, err := s.evaluator.Bound(t.Context(), s.Params)
		switch {
		case e <= 5 && err != nil:
			t.Errorf("variance 1e%d: %v", e, err)
		case e > 6 && (err == nil || !strings.Contains(err.Error(), "a prior variance of")):
			t.Errorf("variance 1e%d: error %v", e, err)
		case err == nil && b > n/2*math.Log(s.Params.Noise.Beta/(2*math.Pi)):
			t.Errorf("variance 1e%d: a bound of %v", e, b)
		}
	}
	k.Variance = 1e4 / space // so that 1e3 length scales are too far
	for q, l := range lengths {
		k.LengthScale[q] = l / 1e6
	}
	if _, err := s.evaluator.Bound(t.Context(), s.Params); err == nil || !strings.Contains(err.Error(), "expected at most 1e+03 with a prior variance of 1e+04") {
		t.Errorf("inducing inputs far away and a variance of 1e4: error %v", err)
	}
}

// A bound that no data can have is refused, whatever the sign of what is possible; what rounding does to one is not.
func TestImpossibleBounds(t *testing.T) {
	for _, c := range []struct {
		bound, most float64
		refuse      bool
	}{{5, 6, false}, {6, 6, false}, {6 + 1e-9, 6, false}, {6.001, 6, true}, {-5, -6, true}, {-7, -6, false}, {1e161, 1e5, true}, {-1e161, 1e5, false}, {-1e5 + 1e-5, -1e5, false}} {
		b, err := bound.Possible(c.bound, c.most)
		if (err != nil) != c.refuse || err == nil && b != c.bound {
			t.Errorf("a bound of %v, at most %v: %v, error %v", c.bound, c.most, b, err)
		}
	}
}

// Paths that rounding would spoil are refused by sequence and dimension, and forgotten.
func TestRefusedPaths(t *testing.T) {
	s := subjectOf(t, dynamical())
	want := s.bound(t)
	p := s.Params.Clone()
	p.X.Paths.Lambda.Set(0, 1, 1e14)
	if _, err := s.evaluator.Bound(t.Context(), p); err == nil || !strings.Contains(err.Error(), "latent dimension 1: a precision of 1e+14, expected at most") {
		t.Errorf("error %v", err)
	}
	compare.SameBits(t, "bound", []float64{s.bound(t)}, []float64{want})
}

// The eigenproblems' solutions after Alpha are those of factors made anew, by the bit, and stay when the evaluator goes on.
func TestSpectra(t *testing.T) {
	for _, shape := range []shape{
		{Examples: 5, Inducing: 3, Latent: 2, Channels: 2, Jitter: 1e-6, Space: []factor{{Points: 12, Dims: 1, Inducing: 9, Kind: rbf}, {Points: 11, Dims: 1, Kind: white}}},
		{Examples: 5, Inducing: 3, Latent: 2, Channels: 2, Jitter: 1e-6, Residual: matern32, Space: []factor{{Points: 20, Dims: 2, Kind: matern32, ARD: true}}},
	} {
		s := subjectOf(t, shape)
		s.bound(t)
		if _, err := s.evaluator.Alpha(t.Context(), s.Params); err != nil {
			t.Fatal(err)
		}
		solved := s.evaluator.Spectra()
		statistics := new(psi.Statistics)
		statistics.Set(s.Params.Latent, s.Params.Inducing())
		anew, err := bound.Factors(statistics, s.Params, s.Space, shape.Jitter)
		if err != nil || len(solved) != len(anew) {
			t.Fatalf("%d spectra of %d factors, error %v", len(solved), len(anew), err)
		}
		other := s.Params.Clone()
		other.X.S.Fill(0.5)
		other.Space[0].Kernel.LengthScale[0] *= 1.1
		if _, err := s.evaluator.Bound(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		for f, want := range anew {
			if got := solved[f]; !slices.Equal(got.Values, want.Lambda) || !work.Equal(got.Vectors, want.Coord) {
				t.Errorf("%v, factor %d: other eigenvalues or vectors", shape, f)
			}
		}
	}
}
