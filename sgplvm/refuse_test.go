package sgplvm

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// What cannot be used is refused by name, and of long names no more than fits a line is said.
func TestNewTrainerRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	long := strings.Repeat("x", 1e6)
	free := func(x mat.Matrix) SpatialConfig { return SpatialConfig{Inducing: x} }
	for name, c := range map[string]struct {
		change func(d *Data, cfg *Config)
		field  string // of the *ConfigError
		text   string // in its message
	}{
		"no grid":          {func(d *Data, cfg *Config) { d.Grid = nil }, "Grid", "no spatial factor"},
		"no points":        {func(d *Data, cfg *Config) { d.Grid[1] = mat.New(0, 1) }, "Grid", "factor 1: points are 0×1"},
		"no dimensions":    {func(d *Data, cfg *Config) { d.Grid[0] = mat.New(4, 0) }, "Grid", "factor 0: points are 4×0"},
		"a NaN coordinate": {func(d *Data, cfg *Config) { d.Grid[1].Set(2, 0, nan) }, "Grid", "factor 1: point 2, dimension 0: coordinate NaN"},
		"an infinite one":  {func(d *Data, cfg *Config) { d.Grid[0].Set(3, 0, -inf) }, "Grid", "factor 0: point 3, dimension 0: coordinate -Inf"},

		"no examples":       {func(d *Data, cfg *Config) { d.Examples, d.Y = 0, mat.New(0, 1) }, "Data", "0 examples × 12 points"},
		"negative examples": {func(d *Data, cfg *Config) { d.Examples = -6 }, "Data", "-6 examples"},
		"too few rows":      {func(d *Data, cfg *Config) { d.Y = d.Y.Slice(0, 71, 0, 1) }, "Data", "71×1, expected 6 examples × 12 points = 72 rows"},
		"too many rows":     {func(d *Data, cfg *Config) { d.Examples = 5 }, "Data", "72×1, expected 5 examples × 12 points = 60 rows"},
		"no channels":       {func(d *Data, cfg *Config) { d.Y = mat.New(72, 0) }, "Data", "72×0"},
		"values too large":  {func(d *Data, cfg *Config) { d.Y.Set(0, 0, 1.7e308); d.Y.Set(1, 0, -1.7e308) }, "Data", "channel 0: standard deviation"},
		"values too small":  {func(d *Data, cfg *Config) { mat.Scale(d.Y, 0x1p-1060, d.Y) }, "Data", "channel 0: standard deviation"},
		"nothing":           {func(d *Data, cfg *Config) { *d = Data{Grid: d.Grid} }, "Data", "values are 0×0"},
		"an empty source":   {func(d *Data, cfg *Config) { *d = Data{Grid: d.Grid, Source: sized{0, 12, 1}} }, "Data", "the source has 0 examples of 12 points and 1 channels"},
		"other points":      {func(d *Data, cfg *Config) { *d = Data{Grid: d.Grid, Source: sized{3, 5, 1}} }, "Data", "expected at least one example, 12 points"},
		"source, no channels": {func(d *Data, cfg *Config) { *d = Data{Grid: d.Grid, Source: sized{3, 12, 0}} }, "Data",
			"12 points and 0 channels"},
		"a huge source":     {func(d *Data, cfg *Config) { *d = Data{Grid: d.Grid, Source: sized{math.MaxInt / 8, 12, 1}} }, "Data", "expected at most"},
		"source and count":  {func(d *Data, cfg *Config) { *d = Data{Grid: d.Grid, Source: sized{3, 12, 1}, Examples: 3} }, "Data", "beside a source"},
		"source and values": {func(d *Data, cfg *Config) { *d = Data{Grid: d.Grid, Source: sized{3, 12, 1}, Y: d.Y} }, "Data", "beside a source"},

		"few times":           {func(d *Data, cfg *Config) { d.Times = line(5).Data }, "Times", "5 times"},
		"no times":            {func(d *Data, cfg *Config) { d.Times = []float64{} }, "Times", "0 times"},
		"a NaN time":          {func(d *Data, cfg *Config) { d.Times = []float64{0, 1, nan, 3, 4, 5} }, "Times", "NaN"},
		"an infinite time":    {func(d *Data, cfg *Config) { d.Times = []float64{0, 1, 2, inf, 4, 5} }, "Times", "+Inf"},
		"few labels":          {func(d *Data, cfg *Config) { d.Times, d.Sequences = line(6).Data, []int{1, 2} }, "Times", "2 "},
		"labels too large":    {func(d *Data, cfg *Config) { d.Times, d.Sequences = line(6).Data, []int{1, 2, 3, 4, 5, math.MinInt} }, "Times", fmt.Sprint(math.MinInt)},
		"labels alone":        {func(d *Data, cfg *Config) { d.Sequences = make([]int, 6) }, "Sequences", "without times"},
		"time part, no times": {func(d *Data, cfg *Config) { cfg.LatentKernel = "rbf+time" }, "", "time"},
		"unknown part":        {func(d *Data, cfg *Config) { cfg.LatentKernel = "cubic" }, "LatentKernel", "expected rbf, linear"},
		"a part twice":        {func(d *Data, cfg *Config) { cfg.LatentKernel = "rbf+rbf" }, "LatentKernel", "rbf"},
		"a long part":         {func(d *Data, cfg *Config) { cfg.LatentKernel = long }, "LatentKernel", "expected rbf, linear"},
		"unknown time kernel": {func(d *Data, cfg *Config) { d.Times = line(6).Data; cfg.TimeKernel.Kind = kernel.Kind(long) }, "TimeKernel", "xxx"},
		"a bad time kernel": {func(d *Data, cfg *Config) {
			d.Times = line(6).Data
			cfg.TimeKernel = kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{-1}}
		}, "TimeKernel", "-1"},
		"a bad latent time kernel": {func(d *Data, cfg *Config) {
			d.Times, cfg.LatentKernel, cfg.LatentTime = line(6).Data, "time", kernel.Kernel{Kind: kernel.Sum}
		}, "LatentTime", "sum"},

		"latent dimensions": {func(d *Data, cfg *Config) { cfg.LatentDims = -1 }, "LatentDims", "-1"},
		"inducing":          {func(d *Data, cfg *Config) { cfg.Inducing = -1 }, "Inducing", "-1"},
		"too many inducing": {func(d *Data, cfg *Config) { cfg.Inducing = 7 }, "Inducing", "7 latent inducing points, expected 1 to 6"},
		"negative noise":    {func(d *Data, cfg *Config) { cfg.Noise = -0.1 }, "Noise", "-0.1"},
		"noise alone":       {func(d *Data, cfg *Config) { cfg.Noise = 1 }, "Noise", "1"},
		"NaN noise":         {func(d *Data, cfg *Config) { cfg.Noise = nan }, "Noise", "NaN"},
		"a high floor":      {func(d *Data, cfg *Config) { cfg.NoiseFloor = 0.5 }, "NoiseFloor", "0.5"},
		"a NaN floor":       {func(d *Data, cfg *Config) { cfg.NoiseFloor = nan }, "NoiseFloor", "NaN"},
		"NaN jitter":        {func(d *Data, cfg *Config) { cfg.Jitter = nan }, "Jitter", "NaN"},
		"large jitter":      {func(d *Data, cfg *Config) { cfg.Jitter = 0.2 }, "Jitter", "0.2"},

		"one kernel of two": {func(d *Data, cfg *Config) { cfg.Spatial = cfg.Spatial[:1] }, "Spatial", "1 kernels for 2 spatial factors"},
		"unknown kernel":    {func(d *Data, cfg *Config) { cfg.Spatial[1].Kernel.Kind = "cubic" }, "", `factor 1: unknown kernel "cubic"`},
		"a long kernel":     {func(d *Data, cfg *Config) { cfg.Spatial[1].Kernel.Kind = kernel.Kind(long) }, "", `factor 1: unknown kernel "xxx`},
		"negative variance": {func(d *Data, cfg *Config) { cfg.Spatial[0].Kernel.Variance = -1 }, "", "factor 0: matern32 kernel: variance -1"},
		"too many scales":   {func(d *Data, cfg *Config) { cfg.Spatial[0].Kernel.LengthScale = []float64{1, 1} }, "", "factor 0: matern32 kernel: 2 length scales"},
		"NaN scale":         {func(d *Data, cfg *Config) { cfg.Spatial[0].Kernel.LengthScale = []float64{nan} }, "", "length scale NaN"},
		"white with scale": {func(d *Data, cfg *Config) {
			cfg.Spatial[0].Kernel = kernel.Kernel{Kind: kernel.White, Variance: 1, LengthScale: []float64{1}}
		}, "", "white kernel: 1 length scales"},
		"white, free":                {func(d *Data, cfg *Config) { cfg.Spatial[0] = SpatialConfig{kernel.Kernel{Kind: kernel.White}, line(2)} }, "Spatial", "factor 0: a white kernel"},
		"inducing of two dims":       {func(d *Data, cfg *Config) { cfg.Spatial[1] = free(mat.New(2, 2)) }, "", "factor 1: inducing points have 2 dimensions"},
		"a NaN inducing point":       {func(d *Data, cfg *Config) { cfg.Spatial[1] = free(mat.NewDense(2, 1, []float64{0, nan})) }, "", "factor 1: inducing point 1, dimension 0"},
		"an infinite inducing point": {func(d *Data, cfg *Config) { cfg.Spatial[0] = free(mat.NewDense(1, 1, []float64{inf})) }, "", "factor 0: inducing point 0, dimension 0"},

		"residual, two factors": {func(d *Data, cfg *Config) { cfg.Residual.Kernel.Kind = kernel.RBF }, "", "expected one"},
		"strength":              {func(d *Data, cfg *Config) { cfg.Residual.Strength = inf }, "Residual.Strength", "+Inf"},
		"steps of a round":      {func(d *Data, cfg *Config) { cfg.Residual.Steps = -1 }, "Residual.Steps", "-1"},
		"taper":                 {func(d *Data, cfg *Config) { cfg.Residual.Taper = nan }, "Residual.Taper", "NaN"},
		"iterations":            {func(d *Data, cfg *Config) { cfg.Training.Iterations = -1 }, "Training.Iterations", "-1"},

		"start of other examples": {func(d *Data, cfg *Config) { cfg.Start = trained(t) }, "Start", "latent variables of 16 examples, expected 6"},
	} {
		d, cfg := bumps(6, 4, 3, 11), Config{LatentDims: 2, Spatial: make([]SpatialConfig, 2)}
		c.change(&d, &cfg)
		tr, err := NewTrainer(d, cfg)
		var refused *ConfigError
		if tr != nil || !errors.As(err, &refused) {
			t.Errorf("%s: error %.300v", name, err)
			continue
		}
		if c.field != "" && refused.Field != c.field || !strings.Contains(err.Error(), c.text) || len(err.Error()) > 400 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: field %s, error %.500v\nwant %s and %s", name, refused.Field, err, c.field, c.text)
		}
	}
}

// sized claims to be of any size.
type sized [3]int

func (s sized) Dims() (examples, points, channels int)         { return s[0], s[1], s[2] }
func (s sized) ReadExamples(dst []float64, from, to int) error { return nil }

// A trainer starts from a model as that one went on, refuses one that does not fit, and checks all other
// settings as without it.
func TestStartFromModel(t *testing.T) {
	all := sets()
	for _, name := range []string{"product", "timed", "moving", "free inducing points", "residual"} {
		s := all[name]
		tr, _ := fit(t, s.data, s.config.with(steps(8)))
		m := modelOf(t, tr)
		again := newTestTrainer(t, s.data, Config{Start: m})
		if got, want := boundOf(t, s.data, again), boundOf(t, s.data, tr); got != want {
			t.Errorf("%s: bound %v at the start, expected %v", name, got, want)
		}
		for what, c := range map[string]struct {
			change func(d *Data, cfg *Config)
			field  string
		}{
			"NaN jitter":     {func(d *Data, cfg *Config) { cfg.Jitter = math.NaN() }, "Jitter"},
			"large jitter":   {func(d *Data, cfg *Config) { cfg.Jitter = 5 }, "Jitter"},
			"steps":          {func(d *Data, cfg *Config) { cfg.Training.Iterations = -1 }, "Training.Iterations"},
			"other examples": {func(d *Data, cfg *Config) { *d = bumps(9, 6, 5, 2).on(d.Grid...) }, "Start"},
			"other factors":  {func(d *Data, cfg *Config) { d.Grid = Grid{line(2), line(3), line(5)} }, "Start"},
			"other times": {func(d *Data, cfg *Config) {
				d.Times = slices.Clone(d.Times)
				if d.Sequences = nil; d.Times == nil {
					d.Times = line(12).Data
				} else {
					d.Times[11] += 5
				}
			}, "Start"},
			"times or none": {func(d *Data, cfg *Config) {
				if d.Sequences = nil; d.Times == nil {
					d.Times = line(12).Data
				} else {
					d.Times = nil
				}
			}, "Start"},
		} {
			d, cfg := s.data, Config{Start: m}
			c.change(&d, &cfg)
			var refused *ConfigError
			if _, err := NewTrainer(d, cfg); !errors.As(err, &refused) || refused.Field != c.field {
				t.Errorf("%s, %s: error %v, expected one about %s", name, what, err, c.field)
			}
		}
	}
}
