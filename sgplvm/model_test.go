package sgplvm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

func TestNewDefaults(t *testing.T) {
	grid := mat.NewDense(4, 2, []float64{0, 0, 0, 6, 8, 0, 8, 6})
	for _, c := range []struct{ examples, latent, inducing int }{{1, 1, 1}, {2, 1, 2}, {5, 4, 5}, {40, 30, 40}, {120, 30, 100}} {
		y := normalMatrix(rand.New(rand.NewPCG(1, 50)), c.examples*4*2, 1)
		m, err := New(Data{Examples: c.examples, Y: y}, Config{Space: []SpatialFactor{{X: grid}, {X: line(2), Kernel: Kernel{Kind: White}}}})
		if err != nil {
			t.Fatal(err)
		}
		p := m.Params()
		if p.Mu.Cols != c.latent || p.Z.Rows != c.inducing || m.Examples() != c.examples || m.Channels() != 1 {
			t.Errorf("%d examples: %d latent dimensions, %d inducing points", c.examples, p.Mu.Cols, p.Z.Rows)
		}
		k := p.Spatial[0]
		if k.Kind != Matern32 || k.Variance != 1 {
			t.Errorf("spatial kernel %+v", k)
		}
		near(t, "length scales of two spacings", k.LengthScale, []float64{8, 6}, 1e-15)
		if w := p.Spatial[1]; w.Kind != White || w.Variance != 1 || len(w.LengthScale) != 0 {
			t.Errorf("white kernel %+v", w)
		}
		near(t, "noise", one(p.Beta), one(100), 1e-15)
		if j := m.Jitter(); !(j > 0 && j <= 1e-4) || m.SignalToNoise() != p.Beta {
			t.Errorf("jitter %v, signal-to-noise ratio %v", m.Jitter(), m.SignalToNoise())
		}
		near(t, "noise in the data's units", m.Noise(), one(math.Sqrt(0.01)*m.Scaler().Scale[0]), 1e-15)
	}
}

func TestNewKeepsConfig(t *testing.T) {
	y := normalMatrix(rand.New(rand.NewPCG(2, 50)), 6*5, 2)
	k := Kernel{Matern52, 3, one(1.5)}
	xu := mat.NewDense(2, 1, []float64{1, 3})
	data := Data{Examples: 6, Y: y}
	cfg := Config{Space: []SpatialFactor{{X: line(5), Kernel: k, Xu: xu}}, LatentDims: 2, Inducing: 3, Noise: 0.2, Jitter: 1e-5,
		Seed: 7, Attributes: map[string]string{"camera": "left"}}
	m, err := New(data, cfg)
	if err != nil {
		t.Fatal(err)
	}
	p := m.Params()
	if p.Spatial[0].Kind != Matern52 || p.Spatial[0].Variance != 3 || p.Spatial[0].LengthScale[0] != 1.5 ||
		p.Mu.Cols != 2 || p.Z.Rows != 3 || m.Jitter() != 1e-5 || m.Seed() != 7 || m.Attributes()["camera"] != "left" {
		t.Errorf("parameters %+v", p)
	}
	near(t, "noise", one(p.Beta), one(5), 1e-15)
	bound := m.mustBound(t)

	// The caller's arrays and the copies handed out are nobody's business.
	cfg.Space[0].X.Fill(9)
	xu.Fill(8)
	k.LengthScale[0] = 0
	p.Mu.Fill(7)
	p.Spatial[0].LengthScale[0] = 6
	p.Xu[0].Fill(5)
	m.problem.held = nil
	if got := m.mustBound(t); got != bound {
		t.Errorf("bound %v, %v before the caller changed its arrays", got, bound)
	}

	cfg.Jitter = -1
	if m, err = New(Data{Examples: 6, Y: normalMatrix(rand.New(rand.NewPCG(3, 50)), 30, 2)}, Config{Space: []SpatialFactor{{X: line(5)}}, Jitter: -1}); err != nil || m.Jitter() != 0 {
		t.Errorf("without jitter: error %v", err)
	}
}

// Equal seeds start equally, others elsewhere.
func TestNewSeed(t *testing.T) {
	start := func(seed uint64) []float64 {
		m, err := New(bumps(10, 4, 3, 1), Config{Space: []SpatialFactor{{X: line(12)}}, LatentDims: 3, Inducing: 4, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return flat(m.params)
	}
	sameBits(t, "seed 3", start(3), start(3))
	if slices.Equal(start(3), start(4)) {
		t.Error("two seeds, one start")
	}
}

func TestNewErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		change func(d *Data, cfg *Config)
		field  string // of a *ConfigError
		text   string // in its message
	}{
		"no space":                   {func(d *Data, cfg *Config) { cfg.Space = nil }, "Space", "no spatial factor"},
		"no points":                  {func(d *Data, cfg *Config) { cfg.Space[1].X = mat.New(0, 1) }, "Space", "factor 1: points are 0×1"},
		"no dimensions":              {func(d *Data, cfg *Config) { cfg.Space[0].X = mat.New(4, 0) }, "Space", "factor 0: points are 4×0"},
		"a NaN coordinate":           {func(d *Data, cfg *Config) { cfg.Space[1].X.Set(2, 0, nan) }, "Space", "factor 1: point 2, dimension 0: coordinate NaN"},
		"an infinite one":            {func(d *Data, cfg *Config) { cfg.Space[0].X.Set(3, 0, -inf) }, "Space", "factor 0: point 3, dimension 0: coordinate -Inf"},
		"no examples":                {func(d *Data, cfg *Config) { d.Examples, d.Y = 0, mat.New(0, 1) }, "Data", "0 examples × 12 points"},
		"negative examples":          {func(d *Data, cfg *Config) { d.Examples = -6 }, "Data", "-6 examples"},
		"too few rows":               {func(d *Data, cfg *Config) { d.Y = d.Y.Slice(0, 71, 0, 1) }, "Data", "71×1, expected 6 examples × 12 points = 72 rows"},
		"too many rows":              {func(d *Data, cfg *Config) { d.Examples = 5 }, "Data", "72×1, expected 5 examples × 12 points = 60 rows"},
		"no channels":                {func(d *Data, cfg *Config) { d.Y = mat.New(72, 0) }, "Data", "72×0"},
		"values too large":           {func(d *Data, cfg *Config) { d.Y.Set(0, 0, 1.7e308); d.Y.Set(1, 0, -1.7e308) }, "Data", "channel 0: standard deviation"},
		"values too small":           {func(d *Data, cfg *Config) { mat.Scale(d.Y, 0x1p-1060, d.Y) }, "Data", "channel 0: standard deviation"},
		"latent dimensions":          {func(d *Data, cfg *Config) { cfg.LatentDims = -1 }, "LatentDims", "-1"},
		"inducing":                   {func(d *Data, cfg *Config) { cfg.Inducing = -1 }, "Inducing", "-1"},
		"too many inducing":          {func(d *Data, cfg *Config) { cfg.Inducing = 7 }, "Inducing", "7 latent inducing points, expected 1 to 6"},
		"negative noise":             {func(d *Data, cfg *Config) { cfg.Noise = -0.1 }, "Noise", "-0.1"},
		"noise alone":                {func(d *Data, cfg *Config) { cfg.Noise = 1 }, "Noise", "1"},
		"NaN noise":                  {func(d *Data, cfg *Config) { cfg.Noise = nan }, "Noise", "NaN"},
		"NaN jitter":                 {func(d *Data, cfg *Config) { cfg.Jitter = nan }, "Jitter", "NaN"},
		"large jitter":               {func(d *Data, cfg *Config) { cfg.Jitter = 0.2 }, "Jitter", "0.2"},
		"unknown kernel":             {func(d *Data, cfg *Config) { cfg.Space[1].Kernel.Kind = "cubic" }, "Space", `factor 1: unknown kernel "cubic"`},
		"negative variance":          {func(d *Data, cfg *Config) { cfg.Space[0].Kernel.Variance = -1 }, "Space", "factor 0: matern32 kernel: variance -1"},
		"too many scales":            {func(d *Data, cfg *Config) { cfg.Space[0].Kernel.LengthScale = ones(2) }, "Space", "factor 0: matern32 kernel: 2 length scales"},
		"NaN scale":                  {func(d *Data, cfg *Config) { cfg.Space[0].Kernel.LengthScale = one(nan) }, "Space", "length scale NaN"},
		"white with scale":           {func(d *Data, cfg *Config) { cfg.Space[0].Kernel = Kernel{White, 1, one(1)} }, "Space", "white kernel: 1 length scales"},
		"white, free":                {func(d *Data, cfg *Config) { cfg.Space[0] = SpatialFactor{line(4), Kernel{Kind: White}, line(2)} }, "Space", "factor 0: a white kernel"},
		"inducing of two dims":       {func(d *Data, cfg *Config) { cfg.Space[1].Xu = mat.New(2, 2) }, "Space", "factor 1: inducing points have 2 dimensions"},
		"a NaN inducing point":       {func(d *Data, cfg *Config) { cfg.Space[1].Xu = mat.NewDense(2, 1, []float64{0, nan}) }, "Space", "factor 1: inducing point 1, dimension 0"},
		"an infinite inducing point": {func(d *Data, cfg *Config) { cfg.Space[0].Xu = mat.NewDense(1, 1, one(inf)) }, "Space", "factor 0: inducing point 0, dimension 0"},
	} {
		d := Data{Examples: 6, Y: normalMatrix(rand.New(rand.NewPCG(4, 50)), 72, 1)}
		cfg := Config{Space: []SpatialFactor{{X: line(4)}, {X: line(3)}}}
		c.change(&d, &cfg)
		m, err := New(d, cfg)
		var config *ConfigError
		if m != nil || !errors.As(err, &config) || config.Field != c.field || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, expected one about %s with %q", name, err, c.field, c.text)
		}
	}
}

// A value that is not finite is refused by its place, the first one of several.
func TestNewRefusesNonFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for example := range 3 {
			for point := range 4 {
				for channel := range 2 {
					y := mat.New(12, 2)
					y.Set(example*4+point, channel, bad)
					y.Set(11, 1, bad)
					_, err := New(Data{Examples: 3, Y: y}, Config{Space: []SpatialFactor{{X: line(2)}, {X: line(2)}}})
					var value *ValueError
					if !errors.As(err, &value) {
						t.Fatalf("error %v", err)
					}
					if value.Example != example || value.Point != point || value.Channel != channel ||
						math.Float64bits(value.Value) != math.Float64bits(bad) {
						t.Errorf("%v at example %d, point %d, channel %d: error %v", bad, example, point, channel, err)
					}
					if want := fmt.Sprintf("example %d, point %d, channel %d: value %v", example, point, channel, bad); !strings.Contains(err.Error(), want) {
						t.Errorf("message %q, expected %q in it", err, want)
					}
				}
			}
		}
	}
}

func TestScaler(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 50))
	y := mat.New(50, 4)
	for i := range 50 {
		y.Row(i)[0] = 3 + 2*rng.NormFloat64()
		y.Row(i)[1] = 1e9 + rng.NormFloat64() // a common offset costs no digits
		y.Row(i)[2] = -7
		y.Row(i)[3] = 1e200 * rng.NormFloat64() // whose square overflows
	}
	s, err := newScaler(&scaledSource{source: &matrixSource{y, 10}, examples: 10, points: 5, channels: 4})
	if err != nil {
		t.Fatal(err)
	}
	if s.Mean[2] != -7 || s.Scale[2] != 1 {
		t.Errorf("constant channel: mean %v, scale %v", s.Mean[2], s.Scale[2])
	}
	z := s.apply(y)
	for c := range 4 {
		var mean, square float64
		for i := range 50 {
			mean += z.At(i, c) / 50
			square += z.At(i, c) * z.At(i, c) / 50
		}
		want := 1.0
		if c == 2 {
			want = 0
		}
		// The offset of 1e9 leaves 1e9·ε ≈ 2e-7 of the unit in each value.
		near(t, fmt.Sprintf("channel %d: mean", c), one(mean), one(0), 1e-6)
		near(t, fmt.Sprintf("channel %d: variance", c), one(square), one(want), 1e-6)
		if c == 0 || c == 3 {
			near(t, fmt.Sprintf("channel %d: mean", c), one(mean), one(0), 1e-14)
			near(t, fmt.Sprintf("channel %d: variance", c), one(square), one(want), 1e-14)
		}
	}
	for i, v := range s.unscaled(z).Data {
		// One rounding each on the size of the value, the mean and the scale.
		if d := math.Abs(v - y.Data[i]); !(d <= 4*0x1p-52*(math.Abs(y.Data[i])+math.Abs(s.Mean[i%4])+s.Scale[i%4])) {
			t.Errorf("%v came back as %v", y.Data[i], v)
		}
	}
	missing := mat.NewDense(1, 4, []float64{math.NaN(), 1, 2, 3})
	if got := s.apply(missing); !math.IsNaN(got.Data[0]) || math.IsNaN(got.Data[1]) {
		t.Errorf("a missing value scaled: %v", got.Data)
	}
}

// Latent means start as principal component scores of unit variance, the
// strongest first.
func TestStart(t *testing.T) {
	const n = 30
	rng := rand.New(rand.NewPCG(6, 50))
	y, scores := mat.New(n*8, 1), mat.New(n, 2)
	directions := normalMatrix(rng, 2, 8)
	for i := range n {
		scores.Set(i, 0, 5*rng.NormFloat64())
		scores.Set(i, 1, rng.NormFloat64())
		for j := range 8 {
			y.Set(i*8+j, 0, 3+scores.At(i, 0)*directions.At(0, j)+scores.At(i, 1)*directions.At(1, j))
		}
	}
	m, err := New(Data{Examples: n, Y: y}, Config{Space: []SpatialFactor{{X: line(8)}}, LatentDims: 4, Inducing: 10})
	if err != nil {
		t.Fatal(err)
	}
	p := m.params
	variance := func(q int) (v float64) {
		for i := range n {
			v += p.Mu.At(i, q) * p.Mu.At(i, q) / n
		}
		return v
	}
	near(t, "variances of the scores", []float64{variance(0), variance(1)}, ones(2), 1e-9)
	if variance(2) > 1e-3 || variance(3) > 1e-3 || variance(2) == 0 {
		t.Errorf("dimensions beyond the rank have variances %g and %g", variance(2), variance(3))
	}
	// The first score is a linear function of the two that made the data, nearly
	// the first one alone.
	var cross, own, mean float64
	for i := range n {
		mean += scores.At(i, 0) / n
	}
	for i := range n {
		d := scores.At(i, 0) - mean
		cross += p.Mu.At(i, 0) * d
		own += d * d
	}
	if r := math.Abs(cross) / math.Sqrt(own*n*variance(0)); r < 0.95 {
		t.Errorf("correlation %g of the first score with the strongest source", r)
	}
	l := p.Latent.LengthScale
	if !(l[0] < l[1] && l[1] < l[2] && l[2] == l[3]) {
		t.Errorf("length scales %v, expected longer ones for weaker components", l)
	}
	for k := range p.Z.Rows { // each one a latent mean, and all different
		found := 0
		for i := range n {
			if slices.Equal(p.Z.Row(k), p.Mu.Row(i)) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("inducing point %d equals %d latent means", k, found)
		}
	}
}
