package main

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// patchy returns the training pictures with a value missing here and there, and a point that no picture has.
func patchy() []float64 {
	v := trainingFaces()
	for i := range v {
		if i*7%11 == 3 || i%testPoints == 6 {
			v[i] = math.NaN()
		}
	}
	return v
}

// values reads a set of numbers as fill does.
func values(t *testing.T, path string) []float64 {
	t.Helper()
	set, err := dataset.LoadSet(path, dataset.SetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return set.Values
}

// Missing values are filled in, with their variances; what was observed stays, and points that nobody has stay without a value, in
// every form of results.
func TestFill(t *testing.T) {
	workFolder(t)
	v := patchy()
	writeArray(t, "patchy.npy", npy.New(v, testTraining, testHeight, testWidth))
	steps(t, 20)
	o := sgplvmRun(strings.Fields("fill -data patchy.npy -config steps20.json -out filled.npy -variance variance.npy -save learned")...)
	if o.code != 0 || !strings.Contains(o.stderr, "1 point of 20 has no value in any example") {
		t.Fatalf("code %d, %s", o.code, o.stderr)
	}
	for _, want := range []string{"values were missing", "1 of 20 points are outside the model", "hidden for a test", "standard errors of what was filled in", "surest in example", "completed in"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("printed no %q:\n%s", want, o.stdout)
		}
	}
	filled, variance := values(t, "filled.npy"), values(t, "variance.npy")
	for i, y := range v {
		switch {
		case i%testPoints == 6:
			if !math.IsNaN(filled[i]) {
				t.Fatalf("value %d of a point that nobody has: %v", i, filled[i])
			}
		case y == y:
			if filled[i] != y || variance[i] != 0 {
				t.Fatalf("value %d: %v with variance %v, expected %v as observed", i, filled[i], variance[i], y)
			}
		case !(math.Abs(filled[i]) < 1e4) || !(variance[i] > 0):
			t.Fatalf("value %d: filled in %v with variance %v", i, filled[i], variance[i])
		}
	}
	// A model that was learned does the same work at once, in any form, and may smooth.
	for _, name := range []string{"again.csv", "again.npy"} {
		succeed(t, "fill", "-data", "patchy.npy", "-model", "learned", "-out", name)
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	succeed(t, strings.Fields("fill -data patchy.npy -model learned -smooth -out smooth.npy")...)
	again, smooth := values(t, "again.npy"), values(t, "smooth.npy")
	moved := 0
	for i, y := range v {
		if y == y && again[i] != y {
			t.Fatalf("value %d changed from %v to %v", i, y, again[i])
		}
		if y == y && smooth[i] != y {
			moved++
		}
	}
	if moved < 100 {
		t.Errorf("-smooth has changed %d observed values only", moved)
	}
}

// Where nothing is missing the data are written as they are, unless a model is needed.
func TestFillNothing(t *testing.T) {
	workFolder(t)
	steps(t, 3)
	v := trainingFaces()
	writeArray(t, "whole.npy", npy.New(v, testTraining, testHeight, testWidth))
	const line = "nothing is missing: the data are written as they are\n"
	for args, alone := range map[string]bool{"": true, "-variance variance.npy": true, "-json": false, "-save learned": false, "-smooth": false} {
		o := sgplvmRun(strings.Fields("fill -data whole.npy -config steps3.json -out filled.npy " + args)...)
		if o.code != 0 || (o.stdout == line) != alone {
			t.Errorf("%s: code %d, printed %s%s", args, o.code, o.stdout, o.stderr)
		}
		if filled := values(t, "filled.npy"); args != "-smooth" && !slices.Equal(filled, v) {
			t.Errorf("%s: other values", args)
		}
	}
	if o := sgplvmRun(strings.Fields("fill -data whole.npy -json -out filled.npy")...); !strings.Contains(o.stdout, `"missing": 0`) || strings.Contains(o.stdout, "selection") {
		t.Errorf("printed %s", o.stdout)
	}
	if variance := values(t, "variance.npy"); slices.Max(variance) != 0 {
		t.Error("variances of what was observed")
	}
	if o := sgplvmRun(strings.Fields("fill -data whole.npy -config none.json -out filled.npy")...); o.code == 0 {
		t.Error("a configuration that does not exist was taken")
	}
	if _, err := os.Stat("learned"); err != nil {
		t.Error(err)
	}
}

// Values with known errors are learned from, each with its own weight.
func TestFillErrors(t *testing.T) {
	workFolder(t)
	v := patchy()
	errors := make([]float64, len(v))
	for i := range errors {
		if errors[i] = 0.01; i%testPoints == 9 {
			errors[i] = 30
		}
	}
	writeArray(t, "patchy.npy", npy.New(v, testTraining, testHeight, testWidth))
	writeArray(t, "errors.npy", npy.New(errors, testTraining, testHeight, testWidth))
	steps(t, 20)
	for _, args := range []string{"-out with.npy -errors errors.npy", "-out without.npy"} {
		succeed(t, strings.Fields("fill -data patchy.npy -config steps20.json "+args)...)
	}
	with, without := values(t, "with.npy"), values(t, "without.npy")
	differ := false
	for i, y := range v {
		if i%testPoints == 6 {
			continue
		}
		if differ = differ || with[i] != without[i]; y == y && with[i] != y || with[i] != with[i] {
			t.Fatalf("value %d: %v, observed %v", i, with[i], y)
		}
	}
	if !differ {
		t.Error("errors change nothing")
	}
}

// What cannot be filled in is refused, and nothing is written.
func TestBadFill(t *testing.T) {
	workFolder(t)
	writeArray(t, "patchy.npy", npy.New(patchy(), testTraining, testHeight, testWidth))
	nothing := make([]float64, testTraining*testPoints)
	for i := range nothing {
		nothing[i] = math.NaN()
	}
	writeArray(t, "nothing.npy", npy.New(nothing, testTraining, testHeight, testWidth))
	writeArray(t, "mask.npy", npy.New(make([]float64, 7), 7))
	writeArray(t, "twice.npy", npy.New([]float64{0, 1, 2, 3, 4, 4, 6, 7, 8}, testTraining))
	for _, c := range []struct {
		code       int
		args, line string
	}{
		{2, "", "~fill: -data is missing, expected the examples.*"},
		{2, "-data patchy.npy", "~fill: -out is missing, .*"},
		{2, "-data patchy.npy -out x.mp4", `fill: -out "x.mp4" is a video, expected a folder of pictures, from which ffmpeg makes it: -out frames, then ffmpeg -framerate 25 -i frames/frame%04d.png x.mp4`},
		{2, "-data patchy.npy -out x.tif", `fill: -out "x.tif", expected a name that ends in .npy, .csv, .png, .gif, .npz, .nc, .cdf, .nc3, .netcdf, or one of a folder for pictures`},
		{1, "-data patchy.npy -out x.nc", `x.nc: found the ending ".nc", expected a name that ends in .npy, .csv, .tsv or .txt, or in .nc or .npz where the data are such a file`},
		{2, "-data patchy.npy -out x.npy -model model -save m", "fill: -save with -model, which is learned already, expected one of the two"},
		{2, "-data patchy.npy -out x.npy -model model -film", "fill: -film with -model, which is learned already, expected one of the two"},
		{2, "-data patchy.npy -out x.npy -points patchy.npy -film", "fill: -film with -points, expected one of the two: a film has pixels"},
		{2, "-data patchy.npy -out x.npy -period 12", "fill: -period without times, expected -times or data that have them"},
		{2, "-data patchy.npy -out patchy.npy", `fill: -out "patchy.npy" is the file of -data, expected another one`},
		{1, "-data absent.npy -out x.npy", "~absent.npy: no such file.*"},
		{1, "-data nothing.npy -out x.npy", "~nothing.npy: .*"},
		{1, "-data patchy.npy -exists mask.npy -out x.npy", "~mask.npy: .*"},
		{1, "-data patchy.npy -times twice.npy -out x.npy", "~twice.npy: .*"},
	} {
		mustFail(t, c.code, c.line, append([]string{"fill"}, strings.Fields(c.args)...)...)
	}
}
