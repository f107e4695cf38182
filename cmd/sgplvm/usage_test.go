package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
)

// notWhole are texts that no flag takes for a number.
var notWhole = []string{"", " 5", "+5", "-0", "05", "0x10", "1_000", "1e3", "five", "NaN", "5\n", "-2", "18446744073709551616"}

// Every flag that takes a number refuses what is none and what is out of its
// range, by its name and its range, before anything is read or written.
func TestNumberFlags(t *testing.T) {
	workFolder(t)
	const whole, most64 = "expected a whole number from %v to %v", "18446744073709551615"
	for _, f := range []struct {
		command, name, want string
		also                []string
	}{
		{"train", "channels", fmt.Sprintf(whole, 0, 1024), []string{"-1", "1025"}},
		{"train", "seed", fmt.Sprintf(whole, 0, most64), []string{"-1"}},
		{"render", "examples", "expected all, a whole number, or two as 10-19, the larger one last", []string{"3-2", "1-", "-1", "a", "2147483648", "1-2-3"}},
		{"sample", "count", fmt.Sprintf(whole, 1, 1000000), []string{"0", "-1", "1000001"}},
		{"sample", "example", fmt.Sprintf(whole, -1, 1<<31-1), []string{"2147483648"}},
		{"demo", "frames", fmt.Sprintf(whole, 8, 100000), []string{"0", "7", "100001", "1000000000"}},
	} {
		for _, value := range append(f.also, notWhole...) {
			line := fmt.Sprintf("%s: invalid value %q for flag -%s: %s (sgplvm %s -h explains the flags)", f.command, value, f.name, f.want, f.command)
			mustFail(t, 2, line, f.command, "-"+f.name, value, "-out", "result")
		}
	}
}

func TestBadCommandLines(t *testing.T) {
	workFolder(t)
	steps(t, 3)
	if runtime.GOOS != "windows" {
		if err := os.Link("seen.npy", "hard.npy"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("seen.npy", "soft.npy"); err != nil {
			t.Fatal(err)
		}
	}
	const words = ", expected one of demo, train, fill, impute, compile, predict, render, sample, latents, parts, join, invert, sensitivity, design, update, shard, reduce, report, info, version, completion, help"
	sides := "expected WIDTHxHEIGHT such as 20x28, sides of 1 to 16384"
	tell := func(command, text string) string {
		return fmt.Sprintf("%s: %s (sgplvm %s -h explains the flags)", command, text, command)
	}
	more := func(command, text string) string {
		return fmt.Sprintf("%s: found %q, expected nothing but flags (sgplvm %s -h explains them)", command, text, command)
	}
	for _, c := range []struct{ args, line string }{
		{"", "no command" + words + "; sgplvm -h explains them"},
		{"tran", `unknown command "tran"` + words},
		{"Train -h", `unknown command "Train"` + words},

		{"train", "train: -data is missing, expected the training pictures, or a table: a .npy, .npz, .nc or .csv file, a GIF, a PNG or JPEG picture or a folder of them"},
		{"train -data train.npy", "train: -out is missing, expected the model file to write"},
		{"train -data train.npy -out", tell("train", "flag needs an argument: -out")},
		{"train -data train.npy -out result -epochs 5", tell("train", "flag provided but not defined: -epochs")},
		{"train|-data|train.npy|-out|result|-a\nb", tell("train", `flag provided but not defined: -a\nb`)},
		{"train -data train.npy truth.npy -out result", more("train", "truth.npy")},
		{"train -data train.npy -out result -grid 5", tell("train", `invalid value "5" for flag -grid: `+sides)},
		{"train|-data|train.npy|-out|result|-grid|", tell("train", `invalid value "" for flag -grid: `+sides)},
		{"train -data train.npy -out result -grid 9223372036854775808x1", tell("train", `invalid value "9223372036854775808x1" for flag -grid: `+sides)},
		{"train -data train.npy -out result -grid 16384x16384", tell("train", `invalid value "16384x16384" for flag -grid: 268435456 points, expected at most 67108864`)},
		{"train -data train.npy -out result -film yes", more("train", "yes")},
		{"train -data train.npy -out result -film=yes", tell("train", `invalid boolean value "yes" for -film: expected true or false`)},
		{"train -data train.npy -out result -effort all", tell("train", `invalid value "all" for flag -effort: expected quick, normal, thorough or none`)},
		{"train -data train.npy -out result -limit 90", tell("train", `invalid value "90" for flag -limit: expected a positive time such as 90s, 10m or 1h30m`)},
		{"train -data train.npy -out result -limit 5s -effort none", "train: -limit 5s with the effort none, which searches nothing, expected one of the two"},
		{"train -data train.npy -out result -limit 5s -config steps3.json", "train: -limit 5s with the effort none, which searches nothing, expected one of the two"},
		{"train -data train.npy -out result -period 12", "train: -period without -times, -film or -sequences"},
		{"train -data train.npy -out result -points truth.npy -film", "train: -film with -points, expected pictures"},
		{"info -model model -write-config model", `info: -write-config "model" is the file of -model, expected another one`},
		{"train -data train.npy -out train.npy", `train: -out "train.npy" is the file of -data, expected another one`},

		{"train -data train.npy -out result -points truth.npy -grid 5x4", "train: -grid 5x4 with -points, expected one of the two"},

		{"impute", "impute: -model is missing, expected the model file"},
		{"impute -model model -data seen.npy -out result.npy -grid 4x5", "impute: -grid 4x5, expected 5x4, the model's"},
		{"impute -model model -data seen.npy -out seen.npy", `impute: -out "seen.npy" is the file of -data, expected another one`},
		{"impute -model model -data seen.npy -out hard.npy", `impute: -out "hard.npy" is the file of -data, expected another one`},
		{"impute -model model -data seen.npy -out soft.npy", `impute: -out "soft.npy" is the file of -data, expected another one`},
		{"impute -model model -data seen.npy -observed mask.npy -out mask.npy", `impute: -out "mask.npy" is the file of -observed, expected another one`},
		{"impute -model model -data seen.npy -truth truth.png -out result.npy -sheet truth.png", `impute: -sheet "truth.png" is the file of -truth, expected another one`},
		{"impute -model model -data seen.npy -out result.npy -variance result.npy", `impute: -variance "result.npy" is the file of -out, expected another one`},

		{"predict -model model -out result.npy -observed mask.npy", "predict: -observed without -data, expected both"},
		{"render -model model", "render: -out is missing, expected the folder for frame0000.png, frame0001.png, …, or the file for a film, .gif, .npy or .csv"},
		{"render -model model -out a.npy -variance a.npy", `render: -out "a.npy" is the file of -variance, expected another one`},
		{"render -model model -out result -white nan", tell("render", `invalid value "nan" for flag -white: expected a finite number`)},
		{"render -model model -out result -fps 51", tell("render", `invalid value "51" for flag -fps: expected a number from 0.01 to 50`)},
		{"render -model model -out result -white 3 -black 3", "render: -white 3 with -black 3, expected more"},
		{"render -model model -out result -examples 3-9", "render: -examples 3-9, expected numbers up to 8, the last of the model's"},
		{"sample -model model -out result.npy -latent result.npy", `sample: -latent "result.npy" is the file of -out, expected another one`},
		{"sample -model model -out result.npy -example 9", "sample: -example 9, expected at most 8, the last of the model's"},
		{"sample -model model -out result.npy -count 1000000 -grid 128x128", fmt.Sprintf("sample: 1000000 fields of 16384 values, expected at most %d values in all", engine.MostValues)},

		{"info", "info: -model is missing, expected the model file"},
		{"info model", more("info", "model")},

		{"demo|-out|", "demo: -out is missing, expected the folder to write to"},
		{"demo -grid 1024x1024 -frames 65 -out result", "demo: -frames 65 of -grid 1024x1024, expected at most 67108864 pixels in all"},
	} {
		if runtime.GOOS == "windows" && (strings.Contains(c.args, "hard") || strings.Contains(c.args, "soft")) {
			continue
		}
		separator := " "
		if strings.Contains(c.args, "|") {
			separator = "|"
		}
		args := strings.Split(c.args, separator)
		if c.args == "" {
			args = nil
		}
		mustFail(t, 2, c.line, args...)
	}
}

// A configuration that cannot be used is refused with its field, before anything is written.
func TestBadConfigs(t *testing.T) {
	workFolder(t)
	writeArray(t, "times.npy", npy.New([]float64{3, 1, 4, 1, 5, 9, 2, 6, 5.5}, testTraining))
	for _, c := range []struct{ text, line string }{
		{`{"effort": "none", "latent": 3}`, "latent: line 1: an unknown field, expected one of effort, period, fold, transform, lean, keepOutliers, factors, latentDims, inducing, latentKernel, latentTime, timeKernel, ownTimeKernels, motion, spatial, noise, noiseFloor, residual, infer, partly, partlyReach, jitter, seed, training"},
		{"{\n  \"training\": {\"iters\": 3}\n}", "training.iters: line 2: an unknown field, expected one of iterations, warmup, joint, holdSpace, coarsePoints, uncalibrated"},
		{`{"training": {"iterations": "many"}}`, `training.iterations: line 1: found "many", expected a whole number`},
		{`{"timeKernel": "rbff"}`, `timeKernel: line 1: expected one of [matern12 matern32 matern52 rbf white] and periodic at "rbff", in a kernel such as matern32 or 0.7*rbf(2)+0.3*rbf*periodic(12,1)`},
		{`{"effort": "none"`, "line 1: unexpected end of JSON input, expected a configuration as JSON"},
		{`{"effort": "none", "inducing": 10}`, "inducing: 10 latent inducing points, expected 1 to 9, the number of examples"},
		{`{"effort": "none", "latentKernel": "rbf + linear"}`, "latentKernel: expected rbf, linear, bias or time, or a sum of different ones, as rbf+linear"},
		{`{"effort": "none", "spatial": [{"kernel": "rbf(1,2)"}, {}]}`, "configuration: spatial factor 0: rbf kernel: 2 length scales for 1 dimensions, expected 1 or 1"},
		{`{"effort": "none", "residual": {"kernel": "rbf"}}`, "residual.kernel: rbf with 2 spatial factors, expected one: joint"},
		{`{"effort": "none", "infer": {"conditioning": "exact"}}`, `infer: Conditioning "exact", expected nothing, "paper" or "none"`},
	} {
		write(t, "c.json", []byte(c.text))
		mustFail(t, 1, "c.json: "+c.line, "train", "-data", "train.npy", "-config", "c.json", "-out", "result")
	}
	write(t, "c.json", []byte(`{"effort": "none", "timeKernel": "white"}`))
	mustFail(t, 1, "c.json: timeKernel: time kernel: white kernels have no place in time", "train", "-data", "train.npy", "-times", "times.npy", "-config", "c.json", "-out", "result")
	mustFail(t, 1, "absent: no such file or directory, expected a configuration, JSON", "train", "-data", "train.npy", "-config", "absent", "-out", "result")
	mustFail(t, 1, ".: found a folder, expected a configuration, JSON", "train", "-data", "train.npy", "-config", ".", "-out", "result")
}

// train has few flags, four of them for tables of text and two for tasks: what only experts set is in the file of -config.
func TestFewFlags(t *testing.T) {
	count := 0
	newTrainSettings(&cli.Environment{}).f.VisitAll(func(*flag.Flag) { count++ })
	if count > 30 {
		t.Errorf("train has %d flags, at most 30 are allowed", count)
	}
}

// Text of the user and of files is quoted in part where it is long.
func TestLongTexts(t *testing.T) {
	workFolder(t)
	long := strings.Repeat("long\x1b", 1<<16)
	write(t, "format", foreignModel(t, read(t, "model"), func(f *safetensors.File) { f.Metadata["format"] = long }))
	write(t, "seed", foreignModel(t, read(t, "model"), func(f *safetensors.File) { f.Metadata["seed"] = long }))
	write(t, "grid", foreignModel(t, read(t, "model"), func(f *safetensors.File) { f.Metadata["attribute.grid"] = long }))
	write(t, "note", foreignModel(t, read(t, "model"), func(f *safetensors.File) {
		f.Metadata["attribute.note"] = long
		f.Metadata["attribute."+long] = "note"
	}))
	write(t, "long.json", []byte(`{"`+strings.Repeat("long", 1<<15)+`": 1}`))
	write(t, "kernel.json", []byte(`{"effort": "none", "latentKernel": "`+strings.Repeat("long", 1<<15)+`"}`))
	for _, args := range [][]string{
		{"info", "-model", "format"}, {"info", "-model", "seed"}, {"info", "-model", "grid"}, {"info", "-model", "note"},
		{"render", "-model", "grid", "-out", "result"},
		{long}, {"info", long}, {"info", "-" + long}, {"info", "-model", long},
		{"train", "-seed", long}, {"train", "-grid", long}, {"train", "-limit", long}, {"train", "-effort", long}, {"train", "-data", "train.npy", "-out", "result", "-config", long},
		{"train", "-data", "train.npy", "-out", "result", "-config", "long.json"}, {"train", "-data", "train.npy", "-out", "result", "-config", "kernel.json"},
		{"render", "-model", "model", "-out", "result", "-examples", long},
		{"predict", "-model", "model", "-out", "result", "-points", long}, {"train", "-data", long, "-out", "result"}, {"demo", "-out", long},
	} {
		o := sgplvmRun(args...)
		if n := len(o.stdout) + len(o.stderr); n > 40000 || n < 20 {
			t.Errorf("%.40q: code %d, %d bytes on stdout, %d on stderr: %.100q", args, o.code, len(o.stdout), len(o.stderr), o.stderr)
		}
	}
}
