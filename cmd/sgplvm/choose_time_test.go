package main

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Pixels of a halved frame are means of those that it has, at the end of an odd side too.
func TestHalved(t *testing.T) {
	const n, width, height, channels = 3, 5, 3, 2
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, n*width*height*channels)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	film := halved{sgplvm.NewSource(values, n, width*height, channels), width, height}
	if frames, points, c := film.Dims(); frames != n || points != 3*2 || c != channels {
		t.Fatalf("%d frames of %d points and %d channels", frames, points, c)
	}
	got := make([]float64, 2*3*2*channels)
	for i := range got {
		got[i] = math.NaN()
	}
	if err := film.ReadExamples(got, 1, 3); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		for row, rows := range [][]int{{0, 1}, {2}} {
			for column, columns := range [][]int{{0, 1}, {2, 3}, {4}} {
				for c := range channels {
					var want float64
					for _, r := range rows {
						for _, k := range columns {
							want += values[(((i+1)*height+r)*width+k)*channels+c] / float64(len(rows)*len(columns))
						}
					}
					// four products and sums of numbers up to 4
					if v := got[((i*2+row)*3+column)*channels+c]; !(math.Abs(v-want) <= 8*4*0x1p-53) {
						t.Errorf("frame %d, row %d, column %d, channel %d: %v, want %v", i, row, column, c, v, want)
					}
				}
			}
		}
	}
	failed := errors.New("failed")
	if err := (halved{failing{film.film, failed}, width, height}).ReadExamples(got, 0, 2); err != failed {
		t.Errorf("error %v of a film that cannot be read", err)
	}
}

// failing cannot be read.
type failing struct {
	sgplvm.Source
	err error
}

func (f failing) ReadExamples([]float64, int, int) error { return f.err }

// A film is halved once, and then until few enough numbers or one pixel remains.
func TestShrunk(t *testing.T) {
	defer func(n int) { mostShrunk = n }(mostShrunk)
	for _, c := range []struct{ width, height, most, wantWidth, wantHeight int }{
		{20, 9, 1000, 10, 5},
		{20, 9, 2 * 3 * 10 * 5, 10, 5},
		{20, 9, 2*3*10*5 - 1, 5, 3},
		{20, 1, 40, 5, 1},
		{1, 1, 1, 1, 1},
		{3, 2, 0, 1, 1},
	} {
		mostShrunk = c.most
		film := sgplvm.NewSource(slices.Repeat([]uint8{7}, 2*3*c.width*c.height), 2, c.width*c.height, 3)
		small, layout, err := shrunk(context.Background(), film, dataset.Layout{Width: c.width, Height: c.height, Channels: 3})
		if err != nil || layout != (dataset.Layout{Width: c.wantWidth, Height: c.wantHeight, Channels: 3}) {
			t.Errorf("%+v: %+v %v", c, layout, err)
			continue
		}
		values := make([]float64, 2*3*c.wantWidth*c.wantHeight)
		if err := small.ReadExamples(values, 0, 2); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if math.Abs(v-7) > 7*0x1p-24 { // in float32
				t.Errorf("%+v: value %d of a grey film of 7 is %v", c, i, v)
			}
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

// In films with more than mostToChoose numbers auto is the rough kernel where things change roughly, and the sum
// where they do so smoothly; in others it is the sum. Nothing else is chosen but plainTime where it is asked for.
func TestChoosePart(t *testing.T) {
	if testing.Short() {
		t.Skip("four trainings")
	}
	defer func(n int) { mostToChoose = n }(mostToChoose)
	const n, width, height = 40, 24, 15
	e := &environment{stdout: io.Discard, stderr: io.Discard}
	auto, matern52 := sgplvm.TimeKernel{Kind: automatic}, sgplvm.TimeKernel{Kind: sgplvm.Matern52}
	for _, c := range []struct {
		rough          bool
		factors        string
		kernel, want   sgplvm.TimeKernel
		part, wantPart sgplvm.TimeKernel
		most           int
	}{
		{true, "product", matern52, matern52, auto, roughTimeKernel, n*width*height - 1},
		{false, "product", matern52, matern52, auto, filmTimeKernel, n*width*height - 1},
		{true, "product", matern52, matern52, auto, filmTimeKernel, n * width * height},
		{true, "joint", auto, matern32, auto, roughTimeKernel, 0},
		{true, "product", auto, matern32, matern52, matern52, 0},
		{true, "product", auto, matern32, sgplvm.TimeKernel{}, matern32, 0},
	} {
		mostToChoose = c.most
		space, err := dataset.Space(width, height, c.factors)
		if err != nil {
			t.Fatal(err)
		}
		data := sgplvm.Data{Source: sgplvm.NewSource(modes(c.rough, n, width, height), n, width*height, 1)}
		parts := timeParted
		if c.kernel.Kind == automatic {
			parts = sgplvm.LatentRBF // plainTime has the other
		}
		cfg := sgplvm.Config{Space: space, LatentDims: 4, LatentKernel: parts, LatentTime: c.part, Noise: 0.02,
			Dynamics: sgplvm.Dynamics{Times: dataset.EvenTimes(n, 1), Kernel: c.kernel}}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		layout, o := dataset.Layout{Width: width, Height: height, Channels: 1}, sgplvm.FitOptions{Iterations: 60}
		if _, err := chooseTime(ended, e, data, layout, cfg, o, 0); (err == nil) != (c.most == n*width*height || c.part.Kind != automatic) || err != nil && err != context.Canceled {
			t.Errorf("%+v: error %v once the context has ended", c, err)
		}
		got, err := chooseTime(context.Background(), e, data, layout, cfg, o, 0)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if got.LatentTime.String() != c.wantPart.String() || got.Dynamics.Kernel.String() != c.want.String() {
			t.Errorf("%+v: time part %v, in time %v", c, got.LatentTime, got.Dynamics.Kernel)
		}
		if got.LatentKernel != timeParted || got.NoiseFloor != 0 || got.Space[0].X.Rows != space[0].X.Rows || got.LatentDims != 4 || got.Noise != 0.02 {
			t.Errorf("%+v: %+v is not as it was", c, got)
		}
	}
}

// The commands choose the kernel of the time part of a large film that is rough, and take the sum for one that
// is not large or seen in part; models as published have none.
func TestTimePart(t *testing.T) {
	if testing.Short() {
		t.Skip("some trainings and estimates of motion")
	}
	defer func(n int) { mostToChoose = n }(mostToChoose)
	t.Chdir(t.TempDir())
	const n, width, height = 40, 16, 10
	writeArray(t, "film.npy", npy.New(modes(true, n, width, height), n, height, width))
	var some []int64
	for i := range int64(n) {
		if i%8 != 4 {
			some = append(some, i)
		}
	}
	writeArray(t, "some.npy", npy.New(some, len(some)))
	masks := make([]uint8, n/8*width*height)
	for i := range masks {
		masks[i] = uint8(i % 3 / 2)
	}
	writeArray(t, "masks.npy", npy.New(masks, n/8, height, width))
	const reproduce = "reproduce video -frames film.npy -truth film.npy -train some.npy -methods sgplvm -iters 40 -latent 4 -time-kernel matern32"
	const train = "train -data film.npy -prior dynamic -factors product -latent-kernel rbf+time -iters 40 -latent 4 -out film.model"
	rough, sum := ` \+ time, variance \S+, matern12\(\S+\)[\n;]`, ` \+ time, variance \S+, 0\.\d+\*matern12\(\S+\)\+0\.\d+\*matern32\(\S+\)[\n;]`
	for _, c := range []struct {
		args, want string
		most       int
	}{
		{reproduce, rough, 0},
		{reproduce, sum, 1000000},
		{reproduce + " -latent-time-kernel matern52", ` \+ time, variance \S+, matern52\(\S+\);`, 0},
		{reproduce + " -observed masks.npy", sum, 0},
		{reproduce + " -paper", `latent kernel rbf, variance [^+]*;`, 0},
		{train + " -motion", rough, 0},
		{train + " -motion -latent-time-kernel matern52", ` \+ time, variance \S+, matern52\(\S+\)\n`, 0},
		{train, ` \+ time, variance \S+, matern32\(\S+\)\n`, 0},
		{train + " -latent-time-kernel auto", rough, 0},
		{train + " -latent-time-kernel auto", sum, 1000000},
	} {
		mostToChoose = c.most
		out := mustRun(t, strings.Fields(c.args)...)
		if strings.HasPrefix(c.args, "train") {
			out = mustRun(t, "info", "-model", "film.model")
		}
		if !regexp.MustCompile(c.want).MatchString(out) {
			t.Errorf("%s, at most %d numbers: want %s\n%s", c.args, c.most, c.want, out)
		}
	}
}
