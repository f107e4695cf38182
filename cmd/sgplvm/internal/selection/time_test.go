package selection

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// silent shows nothing.
type silent struct{}

func (silent) Timing(string) func()                                 { return func() {} }
func (silent) Training(string) (func(sgplvm.Progress) bool, func()) { return nil, func() {} }
func (silent) Counting(string, int) (func(int), func())             { return func(int) {}, func() {} }

// A later candidate wins only where it is better by more than chance; those that fail are passed over.
func TestBest(t *testing.T) {
	candidates := []sgplvm.Config{{LatentDims: 3, NoiseFloor: 0.1}, {LatentDims: 3, NoiseFloor: 0.2}, {LatentDims: 3, NoiseFloor: 0.3}}
	failed := errors.New("failed")
	for _, c := range []struct {
		scores [][]float64 // nil: fails
		want   float64
	}{
		{[][]float64{{1, 2, 3}, {1.1, 2, 2.8}, {0, 1, 2}}, 0.3},
		{[][]float64{{1, 2, 3}, {1.5, 1, 2.9}}, 0.1},
		{[][]float64{{1, 2, 3}, {0, 1, 2.1}, {0.01, 0.9, 2.1}}, 0.2},
		{[][]float64{nil, {9, 9, 9}}, 0.2},
		{[][]float64{{1, 2, math.NaN()}, {9, 9, 9}, {math.Inf(-1), 0, 0}}, 0.2},
		{[][]float64{nil, nil}, 0},
	} {
		tried := 0
		cfg, err := Best(context.Background(), candidates[:len(c.scores)], func(sgplvm.Config) ([]float64, error) {
			tried++
			if c.scores[tried-1] == nil {
				return nil, failed
			}
			return c.scores[tried-1], nil
		})
		if cfg.NoiseFloor != c.want || c.want > 0 && cfg.LatentDims != 3 || (c.want == 0) != (err == failed) {
			t.Errorf("%v: noise floor %v, error %v; want %v", c.scores, cfg.NoiseFloor, err, c.want)
		}
	}
}

// modes draws a film of random curves in time, each the weight of one pattern: rough ones
// (Ornstein and Uhlenbeck's process) or smooth ones (sums of waves).
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

// In films with more than MostNumbers numbers auto is the rough kernel where things change roughly, and the sum
// where they do so smoothly; in others it is the sum. Nothing else is selected but plainTime where it is asked for.
func TestTimePart(t *testing.T) {
	if testing.Short() {
		t.Skip("four trainings")
	}
	defer func(n int) { MostNumbers = n }(MostNumbers)
	const n, width, height = 40, 24, 15
	auto, matern52 := sgplvm.TimeKernel{Kind: Automatic}, sgplvm.TimeKernel{Kind: sgplvm.Matern52}
	for _, c := range []struct {
		rough          bool
		factors        string
		kernel, want   sgplvm.TimeKernel
		part, wantPart sgplvm.TimeKernel
		most           int
	}{
		{true, "product", matern52, matern52, auto, roughTime, n*width*height - 1},
		{false, "product", matern52, matern52, auto, mixedTime, n*width*height - 1},
		{true, "product", matern52, matern52, auto, mixedTime, n * width * height},
		{true, "joint", auto, matern32, auto, roughTime, 0},
		{true, "product", auto, matern32, matern52, matern52, 0},
		{true, "product", auto, matern32, sgplvm.TimeKernel{}, matern32, 0},
	} {
		MostNumbers = c.most
		space, err := dataset.Space(width, height, c.factors)
		if err != nil {
			t.Fatal(err)
		}
		source := sgplvm.NewSource(modes(c.rough, n, width, height), n, width*height, 1)
		parts := withTime
		if c.kernel.Kind == Automatic {
			parts = sgplvm.LatentRBF // plainTime has the other
		}
		cfg := sgplvm.Config{Space: space, LatentDims: 4, LatentKernel: parts, LatentTime: c.part, Noise: 0.02,
			Dynamics: sgplvm.Dynamics{Times: dataset.EvenTimes(n, 1), Kernel: c.kernel}}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		f, o := Frames{Source: source, Width: width, Height: height}, sgplvm.FitOptions{Iterations: 60}
		f.Space = func(w, h int) ([]sgplvm.SpatialFactor, error) { return dataset.Space(w, h, c.factors) }
		if _, err := Time(ended, f, cfg, o, 0, silent{}); (err == nil) != (c.most == n*width*height || c.part.Kind != Automatic) || err != nil && err != context.Canceled {
			t.Errorf("%+v: error %v once the context has ended", c, err)
		}
		got, err := Time(context.Background(), f, cfg, o, 0, silent{})
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if got.LatentTime.String() != c.wantPart.String() || got.Dynamics.Kernel.String() != c.want.String() {
			t.Errorf("%+v: time part %v, in time %v", c, got.LatentTime, got.Dynamics.Kernel)
		}
		if got.LatentKernel != withTime || got.NoiseFloor != 0 || got.Space[0].X.Rows != space[0].X.Rows || got.LatentDims != 4 || got.Noise != 0.02 {
			t.Errorf("%+v: %+v is not as it was", c, got)
		}
	}
}
