package sgplvm

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

func paramsShape() modelShape {
	return modelShape{examples: 4, inducing: 3, latent: 2, channels: 1,
		space: []factorShape{{points: 4, dims: 2, inducing: 3, kind: RBF, ard: true}, {points: 3, dims: 1, kind: White}, {points: 2, dims: 2, kind: Matern32}}}
}

// Every group packs its own parameters and nothing else, and unpacking gives
// them back.
func TestPack(t *testing.T) {
	for _, c := range []struct {
		free group
		want int
	}{
		{0, 0},
		{groupNoise, 1},
		{groupLatent, 1 + 2 + 8 + 8 + 6},
		{groupSpatial, 2 + 6 + 0 + 1},
		{groupAll, 1 + 25 + 9},
		{groupNoise | groupSpatial, 1 + 9},
	} {
		p := paramsShape().model(t).params
		before := flat(p)
		if n := p.count(c.free); n != c.want {
			t.Errorf("group %b: %d parameters, want %d", c.free, n, c.want)
		}
		x := make([]float64, c.want+1)
		x[c.want] = 42
		p.pack(x, c.free)
		p.unpack(x, c.free)
		near(t, "packed and unpacked", flat(p), before, 4*0x1p-52)
		if x[c.want] != 42 {
			t.Errorf("group %b: wrote beyond the end", c.free)
		}
		for i := range c.want {
			x[i]++
		}
		p.unpack(x, c.free)
		changed := 0
		for i, v := range flat(p) {
			if v != before[i] && math.Abs(v-before[i]) > 1e-3 {
				changed++
			}
		}
		if changed != c.want {
			t.Errorf("group %b: %d parameters moved, want %d", c.free, changed, c.want)
		}
	}
}

// The logarithm of a positive parameter is packed, so that any number unpacks
// to a positive one.
func TestPackLogarithms(t *testing.T) {
	p := paramsShape().model(t).params
	x := make([]float64, p.count(groupAll))
	p.pack(x, groupAll)
	if x[0] != math.Log(p.Beta) || x[1] != math.Log(p.Latent.Variance) || x[2] != math.Log(p.Latent.LengthScale[0]) || x[4] != p.Mu.Data[0] || x[12] != math.Log(p.S.Data[0]) {
		t.Errorf("packed %v", x)
	}
	for i := range x {
		x[i] = -30
	}
	p.unpack(x, groupAll)
	for _, v := range slices.Concat(one(p.Beta), one(p.Latent.Variance), p.Latent.LengthScale, p.S.Data, p.Spatial[0].LengthScale) {
		near(t, "positive parameter", one(v*1e13), one(math.Exp(-30)*1e13), 1e-15)
	}
	if p.Mu.Data[3] != -30 || p.Z.Data[0] != -30 || p.Xu[0].Data[1] != -30 {
		t.Errorf("coordinates %v, %v, %v", p.Mu.Data[3], p.Z.Data[0], p.Xu[0].Data[1])
	}
}

func TestParamsValidate(t *testing.T) {
	for text, change := range map[string]func(p *Params){
		"latent means are 0×2":                                func(p *Params) { p.Mu = mat.New(0, 2) },
		"latent means are 4×0":                                func(p *Params) { p.Mu = mat.New(4, 0) },
		"latent variances are 3×2, expected 4×2":              func(p *Params) { p.S = p.S.Slice(0, 3, 0, 2) },
		"latent variances are 4×1, expected 4×2":              func(p *Params) { p.S = p.S.Slice(0, 4, 0, 1) },
		"latent inducing inputs are 0×2":                      func(p *Params) { p.Z = mat.New(0, 2) },
		"latent inducing inputs are 3×1, expected 2 columns":  func(p *Params) { p.Z = p.Z.Slice(0, 3, 0, 1) },
		"latent kernel has 1 length scales, expected 2":       func(p *Params) { p.Latent.LengthScale = ones(1) },
		"latent kernel has 0 length scales, expected 2":       func(p *Params) { p.Latent.LengthScale = []float64{} },
		"latent kernel has the variance 3 of an RBF part but": func(p *Params) { p.Latent = LatentKernel{Variance: 3, Bias: 1} },
		"latent kernel has no part":                           func(p *Params) { p.Latent = LatentKernel{} },
		"latent kernel has 3 linear variances, expected 2":    func(p *Params) { p.Latent.Linear = ones(3) },
		"latent kernel has 0 linear variances, expected 2":    func(p *Params) { p.Latent = LatentKernel{Linear: []float64{}} },
		"latent linear variance 0 of dimension 1":             func(p *Params) { p.Latent.Linear = []float64{1, 0} },
		"latent linear variance NaN of dimension 0":           func(p *Params) { p.Latent.Linear = []float64{math.NaN(), 1} },
		"latent linear variance +Inf of dimension 0":          func(p *Params) { p.Latent = LatentKernel{Linear: []float64{math.Inf(1), 1}} },
		"latent bias -1":                                      func(p *Params) { p.Latent.Bias = -1 },
		"latent bias NaN":                                     func(p *Params) { p.Latent.Bias = math.NaN() },
		"latent bias +Inf":                                    func(p *Params) { p.Latent.Bias = math.Inf(1) },
		"noise precision 0":                                   func(p *Params) { p.Beta = 0 },
		"noise precision -1":                                  func(p *Params) { p.Beta = -1 },
		"noise precision NaN":                                 func(p *Params) { p.Beta = math.NaN() },
		"noise precision +Inf":                                func(p *Params) { p.Beta = math.Inf(1) },
		"2 spatial kernels for 3 spatial factors":             func(p *Params) { p.Spatial = p.Spatial[:2] },
		"3 spatial kernels for 3 spatial factors":             func(p *Params) { p.Xu = p.Xu[:2] },
		"latent variance 0 of example 2, dimension 1":         func(p *Params) { p.S.Set(2, 1, 0) },
		"latent variance NaN of example 3, dimension 0":       func(p *Params) { p.S.Set(3, 0, math.NaN()) },
		"latent variance +Inf of example 0, dimension 0":      func(p *Params) { p.S.Set(0, 0, math.Inf(1)) },
		"latent rbf kernel: variance -2":                      func(p *Params) { p.Latent.Variance = -2 },
		"latent rbf kernel: length scale NaN of dimension 1":  func(p *Params) { p.Latent.LengthScale[1] = math.NaN() },
		"spatial factor 2: matern32 kernel: length scale 0":   func(p *Params) { p.Spatial[2].LengthScale[0] = 0 },
		"spatial factor 0: inducing points have 1 dimensions": func(p *Params) { p.Xu[0] = mat.New(3, 1) },
		"latent mean NaN of example 1, dimension 0":           func(p *Params) { p.Mu.Set(1, 0, math.NaN()) },
		"latent inducing point 2, dimension 1: +Inf":          func(p *Params) { p.Z.Set(2, 1, math.Inf(1)) },
		"spatial factor 0: inducing point 2, dimension 0":     func(p *Params) { p.Xu[0].Set(2, 0, math.NaN()) },
	} {
		m := paramsShape().model(t)
		if err := m.params.validate(m.space); err != nil {
			t.Fatal(err)
		}
		change(m.params)
		if err := m.params.validate(m.space); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, expected %q", err, text)
		}
	}
}

func TestParamsClone(t *testing.T) {
	p := paramsShape().model(t).params
	c := p.clone()
	sameBits(t, "clone", flat(c), flat(p))
	before := flat(p)
	x := make([]float64, c.count(groupAll))
	c.unpack(x, groupAll)
	c.Spatial[0].Variance = 9
	sameBits(t, "the original", flat(p), before)
	c.zero()
	sameBits(t, "zero", flat(c), make([]float64, len(before)))
}
