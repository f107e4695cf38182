package bound_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-08962ecc/kronfield/internal/record"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

func TestValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	rbfOf := func(p *bound.Params) *psi.RBF { return p.Latent.Part("rbf").(*psi.RBF) }
	latent := func(parts ...psi.Part) func(p *bound.Params) {
		return func(p *bound.Params) { p.Latent = psi.Kernel{Parts: parts} }
	}
	and := func(part psi.Part) func(p *bound.Params) {
		return func(p *bound.Params) { p.Latent.Parts = append(p.Latent.Parts, part) }
	}
	for _, table := range []struct {
		shape shape
		cases map[string]func(p *bound.Params)
	}{
		{threeFactors(), map[string]func(p *bound.Params){
			"latent means are 0×2":                                func(p *bound.Params) { p.X.Mu = mat.New(0, 2) },
			"latent means are 4×0":                                func(p *bound.Params) { p.X.Mu = mat.New(4, 0) },
			"latent variances are 3×2, expected 4×2":              func(p *bound.Params) { p.X.S = p.X.S.Slice(0, 3, 0, 2) },
			"latent variances are 4×1, expected 4×2":              func(p *bound.Params) { p.X.S = p.X.S.Slice(0, 4, 0, 1) },
			"latent inducing inputs are 0×2":                      func(p *bound.Params) { p.Z = mat.New(0, 2) },
			"latent inducing inputs are 3×1, expected 2 columns":  func(p *bound.Params) { p.Z = p.Z.Slice(0, 3, 0, 1) },
			"latent kernel has 1 length scales, expected 2":       func(p *bound.Params) { rbfOf(p).LengthScale = []float64{1} },
			"latent kernel has 0 length scales, expected 2":       func(p *bound.Params) { rbfOf(p).LengthScale = nil },
			"latent kernel has no part":                           latent(),
			"latent kernel of the parts [bias rbf]":               latent(&psi.Bias{Variance: 1}, &psi.RBF{Variance: 1, LengthScale: []float64{1, 1}}),
			"latent kernel has 3 linear variances, expected 2":    and(&psi.Linear{Variance: []float64{1, 1, 1}}),
			"latent kernel has 0 linear variances, expected 2":    latent(&psi.Linear{}),
			"latent linear variance 0 of dimension 1":             and(&psi.Linear{Variance: []float64{1, 0}}),
			"latent linear variance NaN of dimension 0":           and(&psi.Linear{Variance: []float64{nan, 1}}),
			"latent linear variance +Inf of dimension 0":          latent(&psi.Linear{Variance: []float64{inf, 1}}),
			"latent bias -1":                                      and(&psi.Bias{Variance: -1}),
			"latent bias NaN":                                     and(&psi.Bias{Variance: nan}),
			"latent bias +Inf":                                    and(&psi.Bias{Variance: inf}),
			"latent kernel has a time part, but the examples":     and(&psi.Time{Variance: 1, Kernel: kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{1}}}),
			"times of latent inducing points, but the latent":     func(p *bound.Params) { p.ZExamples = []int{0, 1, 2} },
			"noise precision 0":                                   func(p *bound.Params) { p.Noise.Beta = 0 },
			"noise precision -1":                                  func(p *bound.Params) { p.Noise.Beta = -1 },
			"noise precision NaN":                                 func(p *bound.Params) { p.Noise.Beta = nan },
			"noise precision 5e-324":                              func(p *bound.Params) { p.Noise.Beta = math.SmallestNonzeroFloat64 },
			"noise precision +Inf":                                func(p *bound.Params) { p.Noise.Beta = inf },
			"noise floor -1":                                      func(p *bound.Params) { p.Noise.Floor = -1 },
			"noise floor NaN":                                     func(p *bound.Params) { p.Noise.Floor = nan },
			"noise floor":                                         func(p *bound.Params) { p.Noise.Floor = 1 / p.Noise.Beta },
			"a structured residual with 3 spatial factors":        func(p *bound.Params) { p.Noise.Residual = p.Space[2].Kernel },
			"2 spatial kernels for 3 spatial factors":             func(p *bound.Params) { p.Space = p.Space[:2] },
			"latent variance 0 of example 2, dimension 1":         func(p *bound.Params) { p.X.S.Set(2, 1, 0) },
			"latent variance NaN of example 3, dimension 0":       func(p *bound.Params) { p.X.S.Set(3, 0, nan) },
			"latent variance +Inf of example 0, dimension 0":      func(p *bound.Params) { p.X.S.Set(0, 0, inf) },
			"latent rbf kernel: variance -2":                      func(p *bound.Params) { rbfOf(p).Variance = -2 },
			"latent rbf kernel: length scale NaN of dimension 1":  func(p *bound.Params) { rbfOf(p).LengthScale[1] = nan },
			"spatial factor 2: matern32 kernel: length scale 0":   func(p *bound.Params) { p.Space[2].Kernel.LengthScale[0] = 0 },
			"spatial factor 0: inducing points have 1 dimensions": func(p *bound.Params) { p.Space[0].Xu = mat.New(3, 1) },
			"latent mean NaN of example 1, dimension 0":           func(p *bound.Params) { p.X.Mu.Set(1, 0, nan) },
			"latent inducing point 2, dimension 1: +Inf":          func(p *bound.Params) { p.Z.Set(2, 1, inf) },
			"spatial factor 0: inducing point 2, dimension 0":     func(p *bound.Params) { p.Space[0].Xu.Set(2, 0, nan) },
		}},
		{structuredNoise(), map[string]func(p *bound.Params){
			"a white residual kernel, expected":    func(p *bound.Params) { p.Noise.Residual.Kind = kernel.White },
			"residual matern32 kernel: variance":   func(p *bound.Params) { p.Noise.Residual.Variance = -1 },
			"expected one, with its inducing":      func(p *bound.Params) { p.Space[0].Xu = mat.New(2, 2) },
			"noise floor":                          func(p *bound.Params) { p.Noise.Floor = 2 / p.Noise.Beta },
			"noise covariance is 1×2":              func(p *bound.Params) { p.Noise.Covariance = mat.New(1, 2) },
			"noise covariance is 3×3":              func(p *bound.Params) { p.Noise.Covariance = mat.New(3, 3) },
			"noise covariance of points 1 and 0":   func(p *bound.Params) { p.Noise.Covariance = mat.New(4, 4); p.Noise.Covariance.Set(1, 0, nan) },
			"noise taper of 3 lengths, expected 2": func(p *bound.Params) { p.Noise.Taper = []float64{1, 1, 1} },
			"noise taper 0":                        func(p *bound.Params) { p.Noise.Taper = []float64{1, 0} },
			"noise taper NaN":                      func(p *bound.Params) { p.Noise.Taper = []float64{nan, 1} },
			"noise taper +Inf":                     func(p *bound.Params) { p.Noise.Taper = []float64{inf, 1} },
		}},
		{dynamical(), map[string]func(p *bound.Params){
			"precision 0 of example 1, dimension 0":              func(p *bound.Params) { p.X.Paths.Lambda.Set(1, 0, 0) },
			"coefficient NaN of example 2, dimension 1":          func(p *bound.Params) { p.X.Paths.MuBar.Set(2, 1, nan) },
			"5 times, expected 6":                                func(p *bound.Params) { p.X.Paths.Prior.Times = p.X.Paths.Prior.Times[:5] },
			"times of 2 latent inducing points, expected 3":      func(p *bound.Params) { p.ZExamples = p.ZExamples[:2] },
			"latent inducing point 1 has the time of example 6":  func(p *bound.Params) { p.ZExamples[1] = 6 },
			"latent inducing point 1 has the time of example -1": func(p *bound.Params) { p.ZExamples[1] = -1 },
			"latent time part: variance 0, expected a positive":  func(p *bound.Params) { p.Latent.Part("time").(*psi.Time).Variance = 0 },
			"length scale 0":                                         func(p *bound.Params) { p.Latent.Part("time").(*psi.Time).Kernel.LengthScale[0] = 0 },
			"weights add up to 2":                                    func(p *bound.Params) { p.X.Paths.Prior.Kernel.Weights = []float64{1, 1} },
			"time part, but the examples have no times":              func(p *bound.Params) { p.X.Paths = nil },
			"times of 0 latent inducing points, expected 3":          func(p *bound.Params) { p.ZExamples = nil },
			"coefficients μ̄ are 6×2 and precisions Λ 5×2, expected": func(p *bound.Params) { p.X.Paths.Lambda = p.X.Paths.Lambda.Slice(0, 5, 0, 2) },
		}},
	} {
		for text, change := range table.cases {
			m := table.shape.Model(t) // which is valid
			change(m.Params)
			if err := m.Params.Validate(m.Space); err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("error %v, expected %q", err, text)
			}
		}
	}
}

// exactly compares parameters number by number, bit by bit.
var exactly = cmp.Options{
	cmp.AllowUnexported(bound.Latents{}),
	cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }),
	cmp.Transformer("rows", func(a mat.Matrix) [][]float64 {
		rows := make([][]float64, a.Rows)
		for i := range rows {
			rows[i] = a.Row(i)
		}
		return rows
	}),
	cmpopts.EquateEmpty(),
}

// all shapes of parameters, learned noise included.
func manyParams(t *testing.T) map[string]*bound.Params {
	learned := subjectOf(t, structuredNoise())
	learned.Params.Noise.Taper = []float64{1.5, 2.5}
	if err := learned.evaluator.LearnNoise(t.Context(), learned.Params, 3, mat.Matrix{}); err != nil {
		t.Fatal(err)
	}
	return map[string]*bound.Params{
		"three factors":    threeFactors().With(reference.RBF | reference.Linear | reference.Bias).Model(t).Params,
		"structured noise": structuredNoise().Model(t).Params,
		"learned noise":    learned.Params,
		"paths":            dynamical().Model(t).Params,
	}
}

// A clone has the same numbers and shares none but a learned covariance, which never changes.
func TestClone(t *testing.T) {
	for name, p := range manyParams(t) {
		p.X.At() // what is derived is cloned too
		c := p.Clone()
		if diff := cmp.Diff(p, c, exactly); diff != "" {
			t.Errorf("%s: clone:\n%s", name, diff)
		}
		before := stored(t, p)
		c.Zero()
		for _, v := range natural(c).at {
			*v = -7
		}
		for _, m := range []mat.Matrix{c.X.Mu, c.X.S} {
			m.Fill(-7)
		}
		for i := range c.Noise.Taper {
			c.Noise.Taper[i] = -7
		}
		for i := range c.ZExamples {
			c.ZExamples[i] = -7
		}
		if paths := c.X.Paths; paths != nil {
			for i := range paths.Prior.Times {
				paths.Prior.Times[i] = -7
			}
			for i := range paths.Prior.Sequences {
				paths.Prior.Sequences[i] = -7
			}
		}
		if diff := cmp.Diff(before, p, exactly); diff != "" {
			t.Errorf("%s: changing the clone changes:\n%s", name, diff)
		}
	}
}

// stored returns p after it went through package record.
func stored(t *testing.T, p *bound.Params) *bound.Params {
	t.Helper()
	var text bytes.Buffer
	if err := record.Write(&text, p); err != nil {
		t.Fatal(err)
	}
	got := new(bound.Params)
	if err := record.Read(&text, got); err != nil {
		t.Fatal(err)
	}
	got.X.At()
	return got
}
