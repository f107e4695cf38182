package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// A film holds what the library predicts, at the pixels' centres, whatever its form and
// however many frames are predicted together.
func TestRender(t *testing.T) {
	defer func(n int) { engine.GroupNumbers = n }(engine.GroupNumbers)
	workFolder(t)
	mustRun(t, "train", "-data", "train.npy", "-out", "product", "-config", steps(t, 5))
	colour := inColour(trainingFaces())
	writeArray(t, "colour.npy", npy.New(colour, testTraining, testHeight, testWidth, 3))
	mustRun(t, "train", "-data", "colour.npy", "-out", "colour", "-config", "steps5.json")
	for _, c := range []struct {
		model, args   string
		first, count  int
		width, height int
		numbers       int
	}{
		{"model", "", 0, 9, testWidth, testHeight, 1 << 27},
		{"model", "-examples 3 -grid 10x8", 3, 1, 10, 8, 1 << 27},
		{"product", "-examples 2-8 -grid 11x3", 2, 7, 11, 3, 150},
		{"colour", "-grid 6x6", 0, 9, 6, 6, 1},
	} {
		engine.GroupNumbers = c.numbers
		m := loadTestModel(t, c.model)
		g, err := dataset.Pixels(m.Grid(), dataset.Layout{Width: testWidth, Height: testHeight}, c.width, c.height)
		if err != nil {
			t.Fatal(err)
		}
		shape := []int{c.count, c.height, c.width}
		if m.Channels() > 1 {
			shape = append(shape, m.Channels())
		}
		var mean, variance []float64
		for i := c.first; i < c.first+c.count; i++ {
			p, err := m.Predict(m.TrainingLatent(i), g)
			if err != nil {
				t.Fatal(err)
			}
			mean, variance = append(mean, p.Mean.Data...), append(variance, p.Variance.Data...)
		}
		film := func(args ...string) {
			if out := succeed(t, append(append([]string{"render", "-model", c.model}, args...), strings.Fields(c.args)...)...); out != "" {
				t.Errorf("printed %q", out)
			}
		}
		closeTo := func(what string, got, want []float64, tolerance float64) {
			t.Helper()
			for i, v := range want {
				if d := math.Abs(got[i] - v); !(d <= tolerance) {
					t.Fatalf("%s %s, %s: value %d is %v, want %v", c.model, c.args, what, i, got[i], v)
				}
			}
		}
		film("-out", "film.npy", "-variance", "variance.npy")
		closeTo("mean", shaped(t, "film.npy", shape...), mean, 1e-9*255)
		closeTo("variance", shaped(t, "variance.npy", shape...), variance, 1e-9*255*255)
		black, white := "-black="+fmt.Sprint(math.Floor(slices.Min(mean))), "-white="+fmt.Sprint(math.Ceil(slices.Max(mean)))
		film("-out", "frames-"+c.model+c.args, black, white)
		film("-out", "film.gif", "-fps", "10", black, white, "-variance", "variance2.npy")
		for _, path := range []string{"frames-" + c.model + c.args, "film.gif"} {
			f, err := dataset.Load(path, dataset.Layout{Width: c.width, Height: c.height, Channels: m.Channels()})
			if err != nil || f.Count != c.count {
				t.Fatalf("%s: %v, error %v", path, f, err)
			}
			for i := range c.count {
				if want := float64(i) / 10; f.Times != nil && f.Times[i] != want {
					t.Errorf("%s: frame %d at %v s, want %v", path, i, f.Times[i], want)
				}
				if m.Channels() == 1 || f.Times == nil { // colours of animations are those of a palette
					low, scale := math.Floor(slices.Min(mean)), 255/(math.Ceil(slices.Max(mean))-math.Floor(slices.Min(mean)))
					var levels []float64
					for _, v := range mean[i*g.Len()*m.Channels():][:g.Len()*m.Channels()] {
						levels = append(levels, (v-low)*scale)
					}
					closeTo(path, f.Values(i), levels, 0.5+1e-6)
				}
			}
		}
		sameBits(t, "variances beside an animation", shaped(t, "variance2.npy", shape...), shaped(t, "variance.npy", shape...))
	}
	for _, c := range []struct {
		code       int
		args, line string
	}{
		{1, "render -model model -out train.npy/result", "~train.npy/result: .+"},
		{1, "render -model model -out seen.npy/film.gif", "~seen.npy/film.gif: .+"},
		{2, "render -model colour -out film.gif -grid 16384x4096", `render: -out "film.gif" of 9 pictures of 201326592 values, expected at most 1073741824 values in all`},
		{1, "render -model train.npy -out result", "~train.npy: .+"},
		{2, "render -model model -out film.npy -grid 128x128 -examples 0-99", "render: -examples 0-99, expected numbers up to 8, the last of the model's"},
	} {
		mustFail(t, c.code, c.line, strings.Fields(c.args)...)
	}
}

// Black and white are the least and the greatest of training values that are neither bytes nor words, whatever else a result shows.
func TestRenderLevels(t *testing.T) {
	workFolder(t)
	values := trainingFaces()
	for i, v := range values {
		values[i] = v/1000 - 3
	}
	writeArray(t, "small.npy", npy.New(values, testTraining, testHeight, testWidth))
	mustRun(t, "train", "-data", "small.npy", "-out", "small", "-config", steps(t, 5))
	low, high := slices.Min(values), slices.Max(values)
	if o := sgplvmRun("render", "-model", "small", "-out", "plain"); o.code != 0 || o.stderr != fmt.Sprintf("sgplvm: plain: black is %.4g, white %.4g\n", low, high) {
		t.Errorf("exit code %d, %q", o.code, o.stderr)
	}
	mustRun(t, "render", "-model", "small", "-out", "told", "-black="+fmt.Sprint(low), "-white="+fmt.Sprint(high))
	want, err := dataset.Load("told", dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := dataset.Load("plain", dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range testTraining {
		sameBits(t, fmt.Sprintf("frame %d", i), got.Values(i), want.Values(i))
	}
	if out := mustRun(t, "info", "-model", "small"); !strings.Contains(out, fmt.Sprintf("\nblack and white        %v %v\n", low, high)) {
		t.Errorf("info says %s", out)
	}
}

// A model that knows times renders any of them: from a file, evenly, or those of one of its
// sequences.
func TestRenderTimes(t *testing.T) {
	workFolder(t)
	grid, err := dataset.Grid(testWidth, testHeight, "product")
	if err != nil {
		t.Fatal(err)
	}
	frames, err := dataset.Load("train.npy", dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	d := sgplvm.Data{Source: frames, Grid: grid, Times: []float64{0, 1, 2, 3, 4, 10, 11, 12, 13}, Sequences: []int{0, 0, 0, 0, 0, 7, 7, 7, 7}}
	cfg := sgplvm.Config{LatentDims: 2}
	if cfg.Attributes, err = engine.Attributes(&frames.Form, frames); err != nil {
		t.Fatal(err)
	}
	cfg.Training.Iterations = 5
	m, _, err := sgplvm.Fit(t.Context(), d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Save("moving", m); err != nil {
		t.Fatal(err)
	}
	m = loadTestModel(t, "moving")
	writeArray(t, "times.npy", npy.New([]float64{2.5, -1, 40}, 3))
	var training []sgplvm.Latent
	for i := range testTraining {
		training = append(training, m.TrainingLatent(i))
	}
	at := func(sequence int, times ...float64) []sgplvm.Latent {
		l, err := m.LatentAt(sequence, times)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for _, c := range []struct {
		args    string
		latents []sgplvm.Latent
	}{
		{"", training},
		{"-examples 8", training[8:]},
		{"-examples all -fps 2", training},
		{"-times times.npy", at(0, 2.5, -1, 40)},
		{"-times times.npy -sequence 7 -fps 3", at(7, 2.5, -1, 40)},
		{"-fps 2", at(0, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4)},
		{"-from 2.5 -fps 2", at(0, 2.5, 3, 3.5, 4)},
		{"-from=-1 -to 0.49 -fps 10 -sequence 7", at(7, -1, -0.9, -0.8, -0.7, -0.6, -0.5, -0.4, -0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4)},
		{"-sequence 7 -to 10 -fps 1", at(7, 10)},
	} {
		mustRun(t, append([]string{"render", "-model", "moving", "-out", "film.npy"}, strings.Fields(c.args)...)...)
		film := shaped(t, "film.npy", len(c.latents), testHeight, testWidth)
		for i, l := range c.latents {
			want, err := m.Predict(l, nil)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range want.Mean.Data {
				if d := math.Abs(film[i*testPoints+k] - v); !(d < 1e-9*255) {
					t.Fatalf("%s: frame %d, value %d is %v, want %v", c.args, i, k, film[i*testPoints+k], v)
				}
			}
		}
	}
	writeArray(t, "singles.npy", npy.New([]float32{1}, 1))
	const still = "render: times with a model that was trained without any, expected -examples or nothing"
	for _, c := range []struct {
		code       int
		args, line string
	}{
		{2, "-model model -times times.npy", still},
		{2, "-model model -from 3", still},
		{2, "-model model -to 3 -fps 5", still},
		{1, "-model moving -times gone.npy", "~gone.npy: .+"},
		{1, "-model moving -times singles.npy", "singles.npy: found elements of type float32, expected float64 or integers"},
		{2, "-model moving -fps 3 -sequence 1", "render: -sequence 1, expected one that the model was trained on"},
		{2, "-model moving -times times.npy -sequence 1", "render: -sequence 1, expected one that the model was trained on"},
		{2, "-model moving -from 5", "render: times from 5 to 4, 25 to a unit, expected a number of 1 to 1000000"},
		{2, "-model moving -to 1e300", "render: times from 0 to 1e+300, 25 to a unit, expected a number of 1 to 1000000"},
		{2, "-model moving -times times.npy -examples 3", "render: more than one of -times, -examples and -from or -to, expected at most one"},
		{2, "-model moving -times times.npy -to 3", "render: more than one of -times, -examples and -from or -to, expected at most one"},
		{2, "-model moving -times times.npy -times times.npy -out times.npy", `render: -out "times.npy" is the file of -times, expected another one`},
	} {
		mustFail(t, c.code, c.line, append([]string{"render", "-out", "result.npy"}, strings.Fields(c.args)...)...)
	}
}
