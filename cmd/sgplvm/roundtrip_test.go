package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// inColour gives every grey value three channels.
func inColour(grey []float64) []float64 {
	var v []float64
	for i, x := range grey {
		v = append(v, x, math.Round(0.8*x), 255-x+math.Mod(float64(i), 7))
	}
	return v
}

// writePNGs writes 8-bit frames of one or three channels to a new folder, under
// names that sort as numbers only.
func writePNGs(t *testing.T, dir string, values []float64, channels int) {
	t.Helper()
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	r := image.Rect(0, 0, testWidth, testHeight)
	for i := range len(values) / (testPoints * channels) {
		grey, colour := image.NewGray(r), image.NewNRGBA(r)
		for p := range testPoints {
			v := values[(i*testPoints+p)*channels:]
			if channels == 1 {
				grey.SetGray(p%testWidth, p/testWidth, color.Gray{Y: uint8(v[0])})
			} else {
				colour.SetNRGBA(p%testWidth, p/testWidth, color.NRGBA{uint8(v[0]), uint8(v[1]), uint8(v[2]), 255})
			}
		}
		var picture image.Image = grey
		if channels == 3 {
			picture = colour
		}
		write(t, fmt.Sprintf("%s/f%d.png", dir, i+8), encodePNG(t, picture))
	}
}

// The same pictures in any form give the same model, byte for byte, and the
// same values filled in, in the shape of the input.
func TestForms(t *testing.T) {
	for _, channels := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d channels", channels), func(t *testing.T) {
			t.Chdir(t.TempDir())
			steps(t, 8)
			known, unknown := trainingFaces(), newFaces()
			if channels == 3 {
				known, unknown = inColour(known), inColour(unknown)
			}
			mask := maskOf(holes(newFaces()))
			writeArray(t, "mask.npy", npy.New(mask, testNew, testPoints))
			size := testPoints * channels
			type form struct {
				name   string
				flags  string // to read the training pictures
				make   func(path string, v []float64)
				shape  []int // of the filled pictures
				folder bool
			}
			rows, cube := []int{size}, []int{testHeight, testWidth, channels}
			if channels == 1 {
				cube = cube[:2]
			}
			flags := fmt.Sprintf("-grid 5x4 -channels %d", channels)
			forms := []form{
				{name: "f8 cube", make: arrayOf[float64](t, cube...), shape: cube},
				{name: "f8 rows", make: arrayOf[float64](t, rows...), shape: rows, flags: flags},
				{name: "f4 rows", make: arrayOf[float32](t, rows...), shape: rows, flags: flags},
				{name: "u1 cube", make: arrayOf[uint8](t, cube...), shape: cube},
				{name: "i2 cube", make: arrayOf[int16](t, cube...), shape: cube, flags: "-grid 5x4"},
				{name: "i8 rows", make: arrayOf[int64](t, rows...), shape: rows, flags: flags},
				{name: "png", make: func(path string, v []float64) { writePNGs(t, path, v, channels) }, shape: []int{testHeight, testWidth, channels}, folder: true},
			}
			if channels == 3 {
				forms = []form{forms[0], forms[2], forms[6]}
			}
			var model []byte
			var filled, variance []float64
			for _, f := range forms {
				name := strings.ReplaceAll(f.name, " ", "_")
				f.make(name, known)
				f.make(name+".new", unknown)
				args := append([]string{"train", "-config", "steps8.json", "-data", name, "-out", name + ".model"}, strings.Fields(f.flags)...)
				out := mustRun(t, args...)
				if !strings.HasPrefix(out, "trained on 9 pictures in ") || !strings.Contains(out, ": 8 steps (") || strings.Count(out, "\n") != 1 {
					t.Errorf("%s: %s", f.name, out)
				}
				out = mustRun(t, "impute", "-model", name+".model", "-data", name+".new", "-observed", "mask.npy", "-out", name+".filled.npy", "-variance", name+".variance.npy")
				if !strings.HasPrefix(out, "values here and there: ") || strings.Count(out, "\n") != 1 {
					t.Errorf("%s: %s", f.name, out)
				}
				a, v := readArray(t, name+".filled.npy"), readArray(t, name+".variance.npy")
				shape := append([]int{testNew}, f.shape...)
				if f.folder && channels == 1 && len(a.Shape) == 3 {
					shape = shape[:3]
				}
				if !slices.Equal(a.Shape, shape) || !slices.Equal(v.Shape, shape) || a.Type != npy.Float64 || v.Type != npy.Float64 {
					t.Errorf("%s: filled %v %v, variance %v %v, want float64 %v", f.name, a.Type, a.Shape, v.Type, v.Shape, shape)
				}
				content := foreignModel(t, read(t, name+".model"), func(f *safetensors.File) {
					delete(f.Metadata, "attribute.type")
					delete(f.Metadata, "attribute.levels")
				})
				if model == nil {
					model, filled, variance = content, a.Float64s(), v.Float64s()
					checkFilled(t, name+".model", unknown, mask, filled, variance)
					continue
				}
				if !bytes.Equal(content, model) {
					t.Errorf("%s: another model", f.name)
				}
				sameBits(t, f.name+": filled", a.Float64s(), filled)
				sameBits(t, f.name+": variance", v.Float64s(), variance)
			}
		})
	}
}

// arrayOf returns what writes values as an array of a type, examples of some shape.
func arrayOf[N npy.Number](t *testing.T, shape ...int) func(path string, v []float64) {
	return func(path string, v []float64) {
		size, values := 1, make([]N, len(v))
		for _, n := range shape {
			size *= n
		}
		for i, x := range v {
			values[i] = N(x)
		}
		writeArray(t, path, npy.New(values, append([]int{len(v) / size}, shape...)...))
	}
}

// checkFilled compares filled pictures with what the library says. The mask has
// an entry for each point.
func checkFilled(t *testing.T, model string, values []float64, mask []uint8, filled, variance []float64) {
	t.Helper()
	m := loadTestModel(t, model)
	c := m.Channels()
	hidden := slices.Clone(values)
	for i := range hidden {
		if mask[i/c] == 0 {
			hidden[i] = math.NaN()
		}
	}
	size := testPoints * c
	for i := range testNew {
		frame := hidden[i*size : (i+1)*size]
		p, _, err := m.Impute(context.Background(), sgplvm.Observed{Values: mat.NewDense(testPoints, c, frame)}, sgplvm.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, fmt.Sprintf("picture %d: filled", i), filled[i*size:(i+1)*size], p.Mean.Data)
		sameBits(t, fmt.Sprintf("picture %d: variance", i), variance[i*size:(i+1)*size], p.Variance.Data)
	}
	for i, v := range values {
		seen := mask[i/c] == 1
		if seen && (math.Float64bits(filled[i]) != math.Float64bits(v) || math.Float64bits(variance[i]) != 0) {
			t.Errorf("observed value %d: %v ± %v, want %v ± 0", i, filled[i], variance[i], v)
		}
		if !seen && !(variance[i] > 0) {
			t.Errorf("missing value %d has variance %v", i, variance[i])
		}
	}
}

// NaN means missing; beside a mask it still does, and what a mask hides may be
// anything.
func TestMissing(t *testing.T) {
	workFolder(t)
	seen := holes(newFaces())
	impute := func(name string, v []float64, mask *npy.Array) (filled, variance []float64) {
		t.Helper()
		writeArray(t, name, npy.New(v, testNew, testHeight, testWidth))
		args := []string{"impute", "-model", "model", "-data", name, "-out", name + ".filled.npy", "-variance", name + ".variance.npy"}
		if mask != nil {
			writeArray(t, name+".mask", mask)
			args = append(args, "-observed", name+".mask")
		}
		mustRun(t, args...)
		return readArray(t, name+".filled.npy").Float64s(), readArray(t, name+".variance.npy").Float64s()
	}
	filled, variance := impute("nan", seen, nil)
	checkFilled(t, "model", newFaces(), maskOf(seen), filled, variance)
	for i, v := range seen {
		if v == v && math.Float64bits(v) != math.Float64bits(filled[i]) {
			t.Errorf("observed value %d: %v, want %v", i, filled[i], v)
		}
	}

	junk := newFaces()
	half := slices.Clone(seen)
	for i, v := range seen {
		if v == v {
			continue
		}
		junk[i] = []float64{math.Inf(1), math.Inf(-1), math.NaN(), 1e308, -7}[i%5]
		if i%2 == 0 {
			half[i] = 0.5 // hidden by the mask; the others by NaN
		}
	}
	some := maskOf(seen)
	for i := range some {
		if seen[i] != seen[i] && i%2 == 1 {
			some[i] = 1
		}
	}
	for _, c := range []struct {
		name string
		data []float64
		mask *npy.Array
	}{
		{"junk under the mask", junk, npy.New(maskOf(seen), testNew, testHeight, testWidth)},
		{"a mask of rows", junk, npy.New(maskOf(seen), testNew, testPoints)},
		{"nan and a mask", half, npy.New(some, testNew, testHeight, testWidth)},
		{"a mask of ones", seen, npy.New(slices.Repeat([]uint8{1}, testPoints), testHeight, testWidth)},
	} {
		f, v := impute(c.name, c.data, c.mask)
		sameBits(t, c.name+": filled", f, filled)
		sameBits(t, c.name+": variance", v, variance)
	}

	// Nothing missing: nothing to do, and −0 stays −0.
	whole := newFaces()
	whole[3] = math.Copysign(0, -1)
	f, v := impute("whole", whole, nil)
	sameBits(t, "whole: filled", f, whole)
	sameBits(t, "whole: variance", v, make([]float64, len(whole)))
}

// A picture of which nothing was observed gets the prior's prediction, and a
// line says so.
func TestNothingObserved(t *testing.T) {
	workFolder(t)
	v := holes(newFaces())
	for i := testPoints; i < 2*testPoints; i++ {
		v[i] = math.NaN()
	}
	writeArray(t, "blind.npy", npy.New(v, testNew, testHeight, testWidth))
	o := sgplvmRun("impute", "-model", "model", "-data", "blind.npy", "-out", "filled.npy", "-variance", "variance.npy")
	line := "sgplvm: blind.npy: picture 1: nothing observed: filled with the prediction of the prior\n"
	if o.code != 0 || o.stderr != line || !strings.HasSuffix(o.stdout, "\nwhole examples: 20 missing, filled in by the model\n") {
		t.Errorf("%+v", o)
	}
	m := loadTestModel(t, "model")
	p, err := m.Predict(m.PriorLatent(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]float64{"filled.npy": p.Mean.Data, "variance.npy": p.Variance.Data} {
		for i, got := range readArray(t, name).Float64s()[testPoints : 2*testPoints] {
			if math.Abs(got-want[i]) > 1e-10*math.Abs(want[i]) {
				t.Errorf("%s: number %d is %v, want %v", name, i, got, want[i])
			}
		}
	}
	checkFilled(t, "model", v, maskOf(v), readArray(t, "filled.npy").Float64s(), readArray(t, "variance.npy").Float64s())

	writeArray(t, "none.npy", npy.New(make([]uint8, testPoints), testHeight, testWidth))
	o = sgplvmRun("impute", "-model", "model", "-data", "truth.npy", "-observed", "none.npy", "-out", "filled.npy")
	var want strings.Builder
	for i := range testNew {
		fmt.Fprintf(&want, "sgplvm: truth.npy: picture %d: nothing observed: filled with the prediction of the prior\n", i)
	}
	if diff := cmp.Diff(outcome{0, "", want.String()}, o, cmp.AllowUnexported(outcome{})); diff != "" {
		t.Error(diff)
	}
}

// The flags and the configuration of train reach the model.
func TestTrainingFlags(t *testing.T) {
	workFolder(t)
	writeArray(t, "rows.npy", npy.New(trainingFaces(), testTraining, testPoints))
	writeArray(t, "times.npy", npy.New([]float64{3, 1, 4, 1, 5, 9, 2, 6, 5.5}, testTraining))
	writeArray(t, "sequences.npy", npy.New([]int64{1, 1, 2, 2, 2, 1, 1, 1, -7}, testTraining))
	run := func(flags, fields string) string {
		if fields != "" {
			fields = ", " + fields
		}
		write(t, "c.json", []byte(`{"effort": "none"`+fields+`}`))
		mustRun(t, append([]string{"train", "-config", "c.json", "-data", "train.npy", "-out", "result"}, strings.Fields(flags)...)...)
		return mustRun(t, "info", "-model", "result")
	}
	const (
		four   = `"training": {"iterations": 4}`
		joint  = `"factors": "joint", ` + four
		timed  = "-times times.npy"
		frames = "-film"
		still  = `, "motion": "off"`
	)
	run("", joint)
	plain := tensorsOf(t, "result")
	for _, c := range []struct {
		flags, fields, want string
		same                bool
	}{
		{"-seed 0", joint, `(?m)^training examples +9\nchannels +1\nspatial points +20\npicture +5x4\nblack and white +68 136\nspatial factor 0 +20 points of dimension 2, matern32, variance 1, length scale \S+, \S+, tied to the points\nlatent dimensions +8(, all in use: .*)?\nlatent inducing points +9\n`, true},
		{"", four, `spatial factor 0 +4 points of dimension 1, .*\nspatial factor 1 +5 points of dimension 1`, false},
		{"", joint + `, "latentDims": 3`, `latent dimensions +3(, .*)?\n`, false},
		{"", joint + `, "latentKernel": "rbf"`, `latent kernel +rbf, variance \S+\nrelevance +.*\nnoise`, true},
		{"", joint + `, "latentKernel": "rbf+linear+bias"`, `latent kernel +rbf, variance \S+ \+ linear, variances of \S+ in all \+ bias \S+\nrelevance +.*\nlinear relevance`, false},
		{"", joint + `, "inducing": 4`, `latent inducing points +4\n`, false},
		{"", joint + `, "spatial": [{"kernel": "matern12"}]`, `dimension 2, matern12, variance 1, length scale \S+, \S+, tied`, false},
		{"", four + `, "spatial": [{}, {"kernel": "matern52"}]`, `dimension 1, matern32, .*\nspatial factor 1 +5 points of dimension 1, matern52, variance 1, length scale \S+, tied`, false},
		{"", joint + `, "residual": {"kernel": "matern32", "rounds": 1}`, `residual +matern32, variance \S+, length scale \S+, \S+; at the training points a covariance learned freely\nnoise`, false},
		{"-seed 18446744073709551615", joint + `, "seed": 3`, `seed +18446744073709551615\n`, false},
		{"", joint + `, "seed": 18446744073709551615`, `seed +18446744073709551615\n`, false},
		{"-data rows.npy -grid 4x5", joint, `picture +4x5`, false},
		{"-data rows.npy -grid 5x2 -channels 2", joint, `channels +2\nspatial points +10\npicture +5x2`, false},
		{"", joint + `, "noise": 0.5`, `training examples +9`, false},
		{"", joint + `, "jitter": 1e-4`, `jitter +0\.0001 of`, false},
		{"-hide mask.npy", joint, `latent prior +independent\n`, true},
		{timed, joint, `latent prior +dynamic, one sequence at times from 1 to 9, kernel matern32\(\S+\)\n`, false},
		{"-sequences sequences.npy", joint, `latent prior +dynamic, 3 sequences at times from 0 to 8, kernel matern32\(\S+\)\n`, false},
		{frames + " " + timed, joint + still, `latent prior +dynamic, one sequence at times from 1 to 9, kernel matern32\(\S+\)\n`, false},
		{timed + " -sequences sequences.npy", joint + `, "timeKernel": "rbf*periodic(4)+matern12"`, `latent prior +dynamic, 3 sequences at times from 1 to 9, kernel 0\.\d+\*rbf\(\S+\)\*periodic\(\S+,\S+\)\+0\.\d+\*matern12\(\S+\)\n`, false},
		{timed, `"factors": "joint", "training": {"iterations": 4, "uncalibrated": true}`, `noise +.*\nsignal-to-noise`, false},
		{timed, joint, `calibration +variances at a time by \S+ in the geometric mean, to the power \S+\n`, false},
		{timed + " -period 4", joint, `latent prior +dynamic`, false},
		{timed, joint + `, "latentKernel": "rbf+time"`, `latent kernel +rbf, variance \S+ \+ time, variance \S+, matern32\(\S+\)\n`, false},
		{timed, joint + `, "latentKernel": "rbf+time", "latentTime": "matern12"`, `latent kernel +rbf, variance \S+ \+ time, variance \S+, matern12\(\S+\)\n`, false},
	} {
		info := run(c.flags, c.fields)
		if !regexp.MustCompile(c.want).MatchString(info) {
			t.Errorf("%s, %s: want %s\n%s", c.flags, c.fields, c.want, info)
		}
		if bytes.Equal(tensorsOf(t, "result"), plain) != c.same {
			t.Errorf("%s, %s: the same model as without: %v", c.flags, c.fields, !c.same)
		}
	}
}

// The configuration that info writes makes the same model from the same data, byte for byte.
func TestWriteConfig(t *testing.T) {
	workFolder(t)
	writeArray(t, "times.npy", npy.New([]float64{3, 1, 4, 1, 5, 9, 2, 6, 5.5}, testTraining))
	for _, c := range []struct{ flags, fields string }{
		{"", ``},
		{"-seed 5", `"factors": "joint", "latentDims": 3, "residual": {"kernel": "matern32", "rounds": 1, "local": "on"}`},
		{"-times times.npy -period 4", `"latentKernel": "rbf+time", "timeKernel": "0.25*rbf(2)+0.75*matern12", "latentTime": "matern52", "infer": {"degreesOfFreedom": 10}`},
	} {
		if c.fields != "" {
			c.fields = ", " + c.fields
		}
		flags := strings.Fields(c.flags)
		write(t, "c.json", []byte(`{"effort": "none", "training": {"iterations": 5}`+c.fields+`}`))
		mustRun(t, append([]string{"train", "-data", "train.npy", "-config", "c.json", "-out", "first"}, flags...)...)
		if out, want := mustRun(t, "info", "-model", "first", "-write-config", "d.json"), mustRun(t, "info", "-model", "first"); out != want {
			t.Errorf("info prints %s, and without -write-config %s", out, want)
		}
		var data []string
		if strings.Contains(c.flags, "times") {
			data = []string{"-times", "times.npy"}
		}
		mustRun(t, append([]string{"train", "-data", "train.npy", "-config", "d.json", "-out", "second"}, data...)...)
		if !bytes.Equal(read(t, "first"), read(t, "second")) {
			t.Errorf("%s %s: another model with\n%s", c.flags, c.fields, read(t, "d.json"))
		}
	}
	write(t, "bare", tensorsOf(t, "model"))
	mustFail(t, 1, "bare: a model whose file has no configuration", "info", "-model", "bare", "-write-config", "result")
}

// The same command gives the same bytes, in every run and with any number of
// processors; train, impute and demo.
func TestSameBytes(t *testing.T) {
	workFolder(t)
	writeArray(t, "train3.npy", npy.New(inColour(trainingFaces()), testTraining, testHeight, testWidth, 3))
	writeArray(t, "seen3.npy", npy.New(inColour(holes(newFaces())), testNew, testHeight, testWidth, 3))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range []struct{ data, seen, fields string }{
		{"train.npy", "seen.npy", `"factors": "joint"`},
		{"train3.npy", "seen3.npy", `"seed": 0`},
	} {
		steps(t, 6, c.fields)
		var first map[string]string
		for _, procs := range []int{1, 2, 4} {
			runtime.GOMAXPROCS(procs)
			mustRun(t, "train", "-config", "steps6.json", "-data", c.data, "-out", "r.model")
			mustRun(t, "impute", "-model", "r.model", "-data", c.seen, "-out", "r.filled.npy", "-variance", "r.variance.npy", "-sheet", "r.png")
			files := map[string]string{}
			for _, name := range []string{"r.model", "r.filled.npy", "r.variance.npy", "r.png"} {
				files[name] = string(read(t, name))
			}
			if first == nil {
				first = files
			}
			for name := range files {
				if files[name] != first[name] {
					t.Errorf("%s %s: %s with %d processors has other bytes", c.data, c.fields, name, procs)
				}
			}
		}
	}
}

// -truth prints the errors of what was filled in, and -sheet shows it.
func TestTruthAndSheet(t *testing.T) {
	workFolder(t)
	out := mustRun(t, "impute", "-model", "model", "-data", "seen.npy", "-out", "filled.npy", "-truth", "truth.npy", "-sheet", "sheet.png")
	lines := strings.Split(out, "\n")
	if strings.TrimSpace(lines[1]) != "filled in" || !regexp.MustCompile(`(?m)^pictures +3\nvalues +21\nRMSE +`).MatchString(out) {
		t.Error(out)
	}
	// The mean of each picture's root mean square error.
	filled, truth, seen := readArray(t, "filled.npy").Float64s(), newFaces(), holes(newFaces())
	var mean float64
	for i := range testNew {
		var sum, count float64
		for p := i * testPoints; p < (i+1)*testPoints; p++ {
			if seen[p] != seen[p] {
				sum += (filled[p] - truth[p]) * (filled[p] - truth[p])
				count++
			}
		}
		mean += math.Sqrt(sum/count) / testNew
	}
	if want := fmt.Sprintf("RMSE %.4g ", mean); !strings.Contains(regexp.MustCompile(` +`).ReplaceAllString(out, " "), want) {
		t.Errorf("want %s\n%s", want, out)
	}
	widths := map[string]int{"sheet.png": 3}
	mustRun(t, "impute", "-model", "model", "-data", "seen.npy", "-out", "filled.npy", "-sheet", "two.png")
	widths["two.png"] = 2
	for name, columns := range widths {
		picture, err := png.Decode(bytes.NewReader(read(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		if w := picture.Bounds().Dx(); w < columns*100 || w > (columns+1)*150 {
			t.Errorf("%s is %d pixels wide for %d columns", name, w, columns)
		}
	}
}

// Data that say little, or much, give a model that fills in numbers, or one
// line that says why not.
func TestDegenerateData(t *testing.T) {
	workFolder(t)
	steps(t, 8)
	faces := trainingFaces()
	scaled := func(f func(x float64) float64) []float64 {
		v := slices.Clone(faces)
		for i := range v {
			v[i] = f(v[i])
		}
		return v
	}
	const (
		train  = "data.npy: Data: channel 0: standard deviation "
		same   = "expected values that differ: every channel has the same value everywhere"
		impute = "missing.npy: picture 0: point 0, channel 0: predicted with variance "
	)
	for _, c := range []struct {
		name       string
		data       []float64
		n, h, w    int
		line       string // that train or impute ends with
		atTraining bool
	}{
		{name: "one picture", data: faces[:20], n: 1, h: 4, w: 5},
		{name: "one pixel", data: faces[:9], n: 9, h: 1, w: 1},
		{name: "one value", data: faces[:1], n: 1, h: 1, w: 1, line: "data.npy: example 0, point 0, channel 0: value 74, expected more than a single value of each channel", atTraining: true},
		{name: "the same picture", data: slices.Repeat(faces[:20], 5), n: 5, h: 4, w: 5,
			line: "data.npy: example 1, point 0, channel 0: value 74, expected examples that differ: all 5 are the same", atTraining: true},
		{name: "a constant", data: slices.Repeat([]float64{7}, 80), n: 4, h: 4, w: 5, line: "data.npy: example 0, point 0, channel 0: value 7, " + same, atTraining: true},
		{name: "land", data: scaled(func(x float64) float64 {
			if x > 100 {
				return 1e20
			}
			return x
		}), n: 9, h: 4, w: 5, atTraining: true,
			line: "data.npy: example 0, point 6, channel 0: value 1e+20, expected a value like the rest: 88 of 180 values are 1e+20, far outside the rest (68 … 100): land or missing? A fill value or a mask says so, or such points are left out of the data"},
		{name: "far from zero", data: scaled(func(x float64) float64 { return 1e12 + x }), n: 9, h: 4, w: 5},
		{name: "large", data: scaled(func(x float64) float64 { return 1e150 * x }), n: 9, h: 4, w: 5},
		{name: "larger", data: scaled(func(x float64) float64 { return 1e200 * x }), n: 9, h: 4, w: 5, line: impute + "+Inf, expected a positive number"},
		{name: "smallest", data: scaled(func(x float64) float64 { return math.Trunc(x/100) * 5e-324 }), n: 9, h: 4, w: 5,
			line: train + "5e-324 is outside the range of a float64", atTraining: true},
	} {
		os.Remove("result")
		writeArray(t, "data.npy", npy.New(c.data, c.n, c.h, c.w))
		args := []string{"train", "-data", "data.npy", "-out", "result", "-config", "steps8.json"}
		if c.atTraining {
			mustFail(t, 1, c.line, args...)
			continue
		}
		if o := sgplvmRun(args...); o.code != 0 {
			t.Errorf("%s: %+v", c.name, o)
			continue
		}
		missing := slices.Clone(c.data)
		missing[0] = math.NaN()
		writeArray(t, "missing.npy", npy.New(missing, c.n, c.h, c.w))
		args = []string{"impute", "-model", "result", "-data", "missing.npy", "-out", "filled.npy", "-variance", "variance.npy"}
		if c.line != "" {
			mustFail(t, 1, c.line, args...)
			continue
		}
		if o := sgplvmRun(args...); o.code != 0 {
			t.Errorf("%s: %+v", c.name, o)
			continue
		}
		f, v := readArray(t, "filled.npy").Float64s(), readArray(t, "variance.npy").Float64s()
		low, high := slices.Min(c.data), slices.Max(c.data)
		if spread := high - low; !(f[0] >= low-spread && f[0] <= high+spread) || !(v[0] > 0) || math.IsInf(v[0], 0) {
			t.Errorf("%s: filled with %v ± %v, the data are between %v and %v", c.name, f[0], v[0], low, high)
		}
		sameBits(t, c.name, f[1:], c.data[1:])
	}
}

// A model that takes everything for noise is written with a warning.
func TestWarning(t *testing.T) {
	workFolder(t)
	write(t, "c.json", []byte(`{"effort": "none", "noise": 0.9, "training": {"warmup": 1, "iterations": 1}}`))
	o := sgplvmRun("train", "-data", "train.npy", "-out", "result", "-config", "c.json")
	if o.code != 0 || !regexp.MustCompile(`^sgplvm: warning: [^\n]+signal-to-noise ratio 1\.11[^\n]+\n$`).MatchString(o.stderr) {
		t.Errorf("%+v", o)
	}
	mustRun(t, "info", "-model", "result")
}

// info tells every entry of a model file, control characters spelled out.
func TestInfo(t *testing.T) {
	workFolder(t)
	write(t, "noted", foreignModel(t, read(t, "model"), func(f *safetensors.File) {
		f.Metadata["attribute.note"] = "red\x1b[31m\nline"
		f.Metadata["attribute.author"] = "Ada"
		f.Metadata["attribute.grid"] = "5x4\r"
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: "latent.linear", Shape: []int{8}, Data: []float64{4, 1, 1e-9, 16, 1e-5, 1e-6, 1e-7, 1e-8}},
			safetensors.Tensor{Name: "latent.bias", Shape: []int{1}, Data: []float64{0.5}})
		f.Lookup("latent.variance").Data.([]float64)[0] = 2
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: "spatial.0.Xu", Shape: []int{20, 2}, Data: f.Lookup("spatial.0.X").Data})
		f.Lookup("beta").Data.([]float64)[0] = 25
		f.Lookup("scaler.scale").Data.([]float64)[0] = 10
		f.Lookup("scaler.mean").Data.([]float64)[0] = 3
		copy(f.Lookup("latent.lengthscale").Data.([]float64), []float64{4, 2, 1000, 8, 300, 2000, 4000, 8000})
	}))
	out := mustRun(t, "info", "-model", "noted")
	for _, want := range []string{
		"\npicture                5x4\\r\n",
		", 20 free inducing points\n",
		"\nrelevance              2: 100 %, 1: 50 %, 4: 25 %, and 5 dimensions below 1 %\n",
		"\nlatent kernel          rbf, variance 2 + linear, variances of 21 in all + bias 0.5\n",
		"\nlinear relevance       4: 100 %, 1: 50 %, 2: 25 %, and 5 dimensions below 1 %\n",
		"\nnoise                  2 (standard deviation, in the data's units)\n",
		"\nsignal-to-noise ratio  25\n",
		"\ndata mean              3\n",
		"\ndata deviation         10\n",
		"\nseed                   0\nattribute author       Ada\nattribute note         red\\x1b[31m\\nline\nconfiguration          joint factors\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q\n%s", want, out)
		}
	}
}
