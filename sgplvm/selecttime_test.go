package sgplvm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// modes draws a film of random curves in time, each the weight of one pattern: rough ones (Ornstein and
// Uhlenbeck's process) or smooth ones (sums of waves).
func modes(rough bool, n, width, height int) []float64 {
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]float64, n*width*height)
	for p := range 6 {
		for q := range 4 {
			curve := make([]float64, n)
			if rough {
				keep := math.Exp(-1. / 4)
				curve[0] = rng.NormFloat64()
				for i := range n - 1 {
					curve[i+1] = keep*curve[i] + math.Sqrt(1-keep*keep)*rng.NormFloat64()
				}
			} else {
				for range 4 {
					speed, phase, rise := 0.2+0.5*rng.Float64(), 2*math.Pi*rng.Float64(), rng.NormFloat64()
					for i := range curve {
						curve[i] += rise * math.Sin(speed*float64(i)+phase)
					}
				}
			}
			for i, w := range curve {
				for j := range width * height {
					x, y := (float64(j%width)+0.5)/float64(width), (float64(j/width)+0.5)/float64(height)
					values[i*width*height+j] += w / float64(1+p+q) * math.Cos(math.Pi*float64(p)*x) * math.Cos(math.Pi*float64(q)*y)
				}
			}
		}
	}
	for i := range values {
		values[i] += 0.02 * rng.NormFloat64()
	}
	return values
}

// The time part of films with more than MostNumbers numbers becomes the rough kernel where things change
// roughly, and the sum where they do so smoothly; that of others the sum. Nothing else is changed, but to
// plainTime where it is asked for.
func TestSelectTimePart(t *testing.T) {
	if testing.Short() {
		t.Skip("eight trainings")
	}
	const n, width, height = 40, 24, 15
	matern52 := kernel.Kernel{Kind: kernel.Matern52}
	for _, c := range []struct {
		rough          bool
		grid           Grid
		o              TimeSelection
		part           kernel.Kernel
		want, wantPart kernel.Kernel
	}{
		{true, Grid{line(height), line(width)}, TimeSelection{Part: true, MostNumbers: n*width*height - 1}, kernel.Kernel{}, matern52, roughTime},
		{false, Grid{line(height), line(width)}, TimeSelection{Part: true, MostNumbers: n*width*height - 1}, kernel.Kernel{}, matern52, mixedTime},
		{true, Grid{line(height), line(width)}, TimeSelection{Part: true, MostNumbers: n * width * height}, kernel.Kernel{}, matern52, mixedTime},
		{true, Grid{plane(height, width)}, TimeSelection{Part: true, Kernels: true, MostNumbers: 1}, kernel.Kernel{}, matern32, roughTime},
		{true, Grid{line(height), line(width)}, TimeSelection{Kernels: true, MostNumbers: 1}, matern52, matern32, matern52},
		{true, Grid{line(height), line(width)}, TimeSelection{Kernels: true, MostNumbers: 1}, kernel.Kernel{}, matern32, matern32},
	} {
		c.o.Width, c.o.Height = width, height
		d := Data{Source: NewSource(modes(c.rough, n, width, height), n, width*height, 1), Grid: c.grid, Times: line(n).Data}
		cfg := Config{LatentDims: 4, LatentKernel: "rbf+time", LatentTime: c.part, TimeKernel: matern52, Noise: 0.02, Training: steps(60)}
		if c.o.Kernels {
			cfg.LatentKernel = "rbf" // plainTime has the other
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		trains := c.o.Part && c.o.MostNumbers < n*width*height
		if _, err := SelectTime(ended, d, cfg, c.o); (err != nil) != trains || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: error %v once the context has ended", c.o, err)
		}
		got, err := SelectTime(context.Background(), d, cfg, c.o)
		if err != nil {
			t.Errorf("%+v: %v", c.o, err)
			continue
		}
		if !got.LatentTime.Equal(c.wantPart) || !got.TimeKernel.Equal(c.want) {
			t.Errorf("%+v: time part %v, in time %v", c.o, got.LatentTime, got.TimeKernel)
		}
		if got.LatentKernel != "rbf+time" || got.NoiseFloor != 0 || got.LatentDims != 4 || got.Noise != 0.02 || got.Training.Progress != nil {
			t.Errorf("%+v: %+v is not as it was", c.o, got)
		}
	}
}

// Of small films all candidates are tried, by leaving examples out or by filling in what masks hide; nothing
// but kernels and noise changes.
func TestSelectTimeKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("dozens of trainings")
	}
	const n, width, height = 16, 6, 4
	d := Data{Source: NewSource(modes(false, n, width, height), n, width*height, 1), Grid: Grid{line(height), line(width)}, Times: line(n).Data}
	mask := make([]bool, width*height)
	for j := range mask {
		mask[j] = j%3 != 0
	}
	cfg := Config{LatentDims: 3, Inducing: 15, Seed: 4, Training: steps(15)}
	for _, o := range []TimeSelection{
		{Kernels: true, Period: 5}, {Kernels: true, Part: true}, {Kernels: true, Seen: [][]bool{mask, mask}}, {Kernels: true, Seen: [][]bool{mask}, Part: true, Period: 5},
		{Kernels: true, Seen: [][]bool{}},
	} {
		got, err := SelectTime(context.Background(), d, cfg, o)
		if err != nil {
			t.Errorf("%+v: %v", o, err)
			continue
		}
		again, err := SelectTime(context.Background(), d, cfg, o)
		if err != nil || diff(again, got) != "" {
			t.Errorf("%+v: another selection the second time, error %v: %s", o, err, diff(again, got))
		}
		if got.LatentDims != 3 || got.Inducing != 15 || got.Seed != 4 || got.Training.Iterations != 15 || got.TimeKernel.Kind == "" || got.LatentKernel == "" {
			t.Errorf("%+v: %+v", o, got)
		}
		if _, err := NewTrainer(d, got); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestSelectTimeRefuses(t *testing.T) {
	d := swelling()
	for name, c := range map[string]struct {
		change func(d *Data, o *TimeSelection)
		field  string
	}{
		"no times":     {func(d *Data, _ *TimeSelection) { d.Times = nil }, "Times"},
		"bad times":    {func(d *Data, _ *TimeSelection) { d.Times = line(3).Data }, "Times"},
		"other pixels": {func(_ *Data, o *TimeSelection) { o.Part, o.MostNumbers, o.Width, o.Height = true, 1, 5, 5 }, "TimeSelection"},
		"other masks":  {func(_ *Data, o *TimeSelection) { o.Seen = [][]bool{make([]bool, 7)} }, "TimeSelection"},
		"no grid":      {func(d *Data, o *TimeSelection) { d.Grid = nil }, "Grid"},
	} {
		data, o := d, TimeSelection{Kernels: true}
		c.change(&data, &o)
		var refused *ConfigError
		if _, err := SelectTime(context.Background(), data, swellingConfig(), o); !errors.As(err, &refused) || refused.Field != c.field {
			t.Errorf("%s: error %v, expected one about %s", name, err, c.field)
		}
	}
}

// seasons draws a film of patterns with random weights that come again after some frames: neighbours in
// time tell nothing of a frame.
func seasons(n, period, width, height int) []float64 {
	rng := rand.New(rand.NewPCG(5, 6))
	values := make([]float64, n*width*height)
	for p := range 3 {
		weights := make([]float64, period)
		for k := range weights {
			weights[k] = 10 * rng.NormFloat64()
		}
		for i := range n {
			for j := range width * height {
				x, y := (float64(j%width)+0.5)/float64(width), (float64(j/width)+0.5)/float64(height)
				values[i*width*height+j] += weights[i%period] * math.Cos(math.Pi*float64(p)*x) * math.Cos(math.Pi*float64(p%2)*y)
			}
		}
	}
	for i := range values {
		values[i] += rng.NormFloat64()
	}
	return values
}

// Under masks that hide nearly all of a frame what fills it in better is selected: a kernel that repeats
// itself where frames do.
func TestSelectSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("a dozen trainings")
	}
	const n, period, width, height = 35, 5, 6, 4
	mask := make([]bool, width*height)
	mask[3] = true
	for _, repeats := range []bool{true, false} {
		values := modes(false, n, width, height)
		if repeats {
			values = seasons(n, period, width, height)
		}
		d := Data{Source: NewSource(values, n, width*height, 1), Grid: Grid{line(height), line(width)}, Times: line(n).Data}
		cfg := Config{LatentDims: 3, Inducing: n, Training: steps(60)}
		got, err := SelectTime(context.Background(), d, cfg, TimeSelection{Kernels: true, Period: period, Seen: [][]bool{mask}})
		if err != nil {
			t.Fatal(err)
		}
		if selected := got.TimeKernel.Kind == kernel.Sum; selected != repeats || got.Inducing != n || got.LatentDims != 3 {
			t.Errorf("frames repeat themselves %t: kernel in time %v of %+v", repeats, got.TimeKernel, got)
		}
	}
}
