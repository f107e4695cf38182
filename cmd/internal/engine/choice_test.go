package engine_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// changed loads one of the models after a change of its file.
func changed(t *testing.T, name string, change func(f *safetensors.File)) *sgplvm.Model {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(models, name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Read(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	f.Metadata = maps.Clone(f.Metadata)
	change(f)
	var b bytes.Buffer
	if err := safetensors.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	m, err := sgplvm.Load(&b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// keep puts a value into the metadata of a model's file.
func keep(t *testing.T, f *safetensors.File, name string, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	f.Metadata[name] = string(text)
}

var testSelection = sgplvm.Selection{
	Effort: sgplvm.EffortQuick, Task: "filling in 12 of 50 examples, halves hidden", Ended: "time limit\x1b",
	Stages: []sgplvm.SelectionStage{
		{Name: "spatial kernel", Candidates: []sgplvm.Candidate{
			{Name: "matern32", Score: 3.14159, RMSE: 0.25, Chosen: true},
			{Name: "rbf", Score: 3.24159, Difference: 0.1, Error: 0.0123, RMSE: 0.2631, Examples: 14},
			{Name: "white, pixel by pixel", Failure: "its training found\nnothing"},
		}},
		{Name: "residual", Candidates: []sgplvm.Candidate{{Name: "none", Score: -2, Difference: -0.001, Error: 0.01}, {Name: "matern32 in 2 rounds", Score: -1.999, Chosen: true}}},
	},
}

const testTable = `chosen with the effort quick by filling in 12 of 50 examples, halves hidden
  spatial kernel         nats a value   worse than the chosen       RMSE
* matern32                     3.1416                               0.25
  rbf                          3.2416        +0.1000 ± 0.0123     0.2631  by the first 14 examples
  white, pixel by pixel  its training found\nnothing
  residual
  none                        -2.0000        -0.0010 ± 0.0100
* matern32 in 2 rounds        -1.9990
the search ended early: time limit\x1b
`

// How a model was chosen is told by train and by info, and what of the data its file keeps.
func TestSelectionTold(t *testing.T) {
	m := changed(t, "local.model", func(f *safetensors.File) {
		keep(t, f, "selection", testSelection)
		keep(t, f, "config", sgplvm.Config{LatentDims: 2, Residual: sgplvm.ResidualConfig{Kernel: kernel.Kernel{Kind: kernel.Matern32}, Rounds: 1, Taper: -1}})
	})
	about := engine.Describe(m)
	if !strings.HasSuffix(about, "\nkept in the file       residuals of the training examples, 1920 bytes\n"+
		"configuration          2 latent dimensions, residual matern32, its covariance learned freely in 1 round without taper\n"+testTable) {
		t.Errorf("info: %s", about)
	}
	var out, notes bytes.Buffer
	r := engine.Trained{Report: sgplvm.Report{Iterations: 5, Status: "converged", Forecast: 90 * time.Second, Searched: 61500 * time.Millisecond, Warnings: []string{"odd"}}, Took: 80 * time.Second}
	engine.Report(&cli.Environment{Stdout: &out, Stderr: &notes}, m, r)
	want := testTable + `chosen: 2 latent dimensions, residual matern32, its covariance learned freely in 1 round without taper
trained on 8 pictures in 1m20s: 5 steps (converged), bound 0, noise 1.228, signal-to-noise ratio 100
forecast 1m30s; the search took 1m1.5s
the model file keeps residuals of the training examples, 1920 bytes; "lean": true in -config forbids it
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	if notes.String() != "sgplvm: warning: odd\n" {
		t.Errorf("%q", notes.String())
	}
}

// Where nothing could be tried that is said, and what is counted agrees with its number.
func TestNothingTried(t *testing.T) {
	m := changed(t, "local.model", func(f *safetensors.File) {
		keep(t, f, "selection", sgplvm.Selection{Effort: sgplvm.EffortNormal})
		keep(t, f, "config", sgplvm.Config{LatentDims: 1, Inducing: 1})
	})
	if about := engine.Describe(m); !strings.HasSuffix(about, "\nconfiguration          1 latent dimension, 1 inducing point\nwith the effort normal there was nothing to try\n") {
		t.Errorf("info: %s", about)
	}
}

// A file that says much is told in part.
func TestLongSelection(t *testing.T) {
	long := sgplvm.Selection{Stages: []sgplvm.SelectionStage{{Candidates: make([]sgplvm.Candidate, 5000)}, {Name: "unseen"}}}
	long.Stages[0].Candidates[0].Name = strings.Repeat("long", 1<<18)
	m := changed(t, "white.model", func(f *safetensors.File) { keep(t, f, "selection", long) })
	if text := engine.Describe(m); len(text) > 200000 || !strings.HasSuffix(text, "\n  …\n") || strings.Contains(text, "unseen") {
		t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-20:])
	}
}

// A limit that has cut the search short says what would have been enough.
func TestLimitText(t *testing.T) {
	r := engine.Trained{Report: sgplvm.Report{Forecast: 90 * time.Second, Searched: 10 * time.Second}, Took: 35 * time.Second}
	early := &sgplvm.Selection{Effort: sgplvm.EffortThorough, Ended: "time limit"}
	for _, c := range []struct {
		selection *sgplvm.Selection
		limit     time.Duration
		forecast  time.Duration
		searched  time.Duration // by earlier runs too
		want      string
	}{
		{early, 10 * time.Second, 90 * time.Second, 10 * time.Second, "-limit 10s ended the search early: with the effort thorough it would have taken about 1m30s in all, of which training the chosen model took 25s"},
		{early, 10 * time.Second, 0, 10 * time.Second, "-limit 10s ended the search early: training the chosen model took another 25s"},
		{early, 10 * time.Second, 90 * time.Second, time.Minute, "-limit 10s ended the search early: with the effort thorough it would have taken about 1m30s in all"},
		{early, 10 * time.Second, 0, time.Minute, "-limit 10s ended the search early"},
		{early, 0, 90 * time.Second, 10 * time.Second, ""},
		{&sgplvm.Selection{}, 10 * time.Second, 90 * time.Second, 10 * time.Second, ""},
		{nil, 10 * time.Second, 90 * time.Second, 10 * time.Second, ""},
	} {
		r.Forecast, r.Searched = c.forecast, c.searched
		if got := engine.LimitText(c.limit, c.selection, r); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}

// A model in which time explains everything says so, and one of which every latent dimension is in use.
func TestUseOfLatentSpace(t *testing.T) {
	for _, c := range []struct {
		variance, second, noise float64
		want                    string
	}{
		{1e-9, 1, 0.1, "latent dimensions      2, none in use: the part of time explains the examples by itself\n"},
		{1, 1, 0.1, "latent dimensions      2, all in use: more may describe the examples better\n"},
		{1, 1e9, 0.1, "latent dimensions      2\n"},
		{1, 1, 1, "latent dimensions      2, none in use: the examples are taken for noise\n"},
	} {
		m := changed(t, "calibrated.model", func(f *safetensors.File) {
			f.Lookup("beta").Data.([]float64)[0] = 1 / c.noise
			f.Lookup("latent.variance").Data.([]float64)[0] = c.variance
			scale := f.Lookup("latent.lengthscale").Data.([]float64)
			scale[0], scale[1] = 1, c.second
		})
		if text := engine.Describe(m); !strings.Contains(text, "\n"+c.want) {
			t.Errorf("%+v: %s", c, text)
		}
	}
}

// The relevances of a part that counts for nothing are not told.
func TestNoughtPart(t *testing.T) {
	for variance, told := range map[float64]bool{1: true, 1e-9: false} {
		m := changed(t, "parts.model", func(f *safetensors.File) { f.Lookup("latent.variance").Data.([]float64)[0] = variance })
		if text := engine.Describe(m); strings.Contains(text, "\nrelevance ") != told || !strings.Contains(text, "\nlinear relevance ") {
			t.Errorf("variance %v: %s", variance, text)
		}
		if about := engine.About(m); len(about.Relevances) != map[bool]int{true: 2, false: 1}[told] {
			t.Errorf("variance %v: %+v", variance, about.Relevances)
		}
	}
}

// A configuration in words.
func TestConfigText(t *testing.T) {
	rbf := kernel.Kernel{Kind: kernel.RBF}
	for _, c := range []struct {
		cfg  sgplvm.Config
		want string
	}{
		{sgplvm.Config{}, "plain defaults"},
		{sgplvm.Config{Residual: sgplvm.ResidualConfig{Kernel: kernel.Kernel{Kind: kernel.White}, Rounds: -1}, NoiseFloor: -1}, "plain defaults"},
		{sgplvm.Config{LatentDims: 3, Inducing: 4, LatentKernel: "rbf+time", TimeKernel: rbf, LatentTime: kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{1.0 / 3}}, Motion: sgplvm.On,
			Factors: sgplvm.FactorsJoint, Spatial: []sgplvm.SpatialConfig{{Kernel: rbf}, {}}, NoiseFloor: 1e-8},
			"3 latent dimensions, 4 inducing points, latent kernel rbf+time, in time rbf, time part rbf(0.3333), motion followed, joint factors, in space rbf, noise floor 1e-08"},
		{sgplvm.Config{Residual: sgplvm.ResidualConfig{Kernel: rbf, Rounds: 2, Taper: 7.23456, Strength: 1, Local: sgplvm.On}, Training: sgplvm.TrainingConfig{CoarsePoints: 50}, Infer: sgplvm.InferOptions{DegreesOfFreedom: 5}},
			"residual rbf, its covariance learned freely in 2 rounds with taper 7.23, prior strength 1, local residuals, most of training at 50 points, 5 degrees of freedom"},
		{sgplvm.Config{Partly: &sgplvm.Config{LatentDims: 2}}, "for examples seen in part a second model of 2 latent dimensions"},
	} {
		if got := engine.ConfigText(c.cfg); got != c.want {
			t.Errorf("%s, expected %s", got, c.want)
		}
	}
}

// An error about a field of a configuration is told by its name in JSON.
func TestAboutConfig(t *testing.T) {
	for _, c := range []struct{ field, want string }{
		{"Residual.Taper", "residual.taper"}, {"LatentDims", "latentDims"}, {"Partly.Training.CoarsePoints", "partly.training.coarsePoints"},
		{"Config", "configuration"}, {"Data", ""}, {"Times", ""}, {"Start", ""}, {"Training.Nothing", ""}, {"Seed.High", ""}, {"", ""},
	} {
		field, _, ok := engine.AboutConfig(&sgplvm.ConfigError{Field: c.field})
		if field != c.want || ok != (c.want != "") {
			t.Errorf("%s: %s, %t", c.field, field, ok)
		}
	}
	if _, _, ok := engine.AboutConfig(os.ErrNotExist); ok {
		t.Error("any error is one of a configuration")
	}
}
