package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// pixels are the coordinates (row, column) of the pictures' pixels.
func pixels() []float64 {
	var x []float64
	for i := range testPoints {
		x = append(x, float64(i/testWidth), float64(i%testWidth))
	}
	return x
}

func shaped(t *testing.T, path string, shape ...int) []float64 {
	t.Helper()
	a := readArray(t, path)
	if !slices.Equal(a.Shape, shape) {
		t.Fatalf("%s: shape %v, want %v", path, a.Shape, shape)
	}
	return a.Float64s()
}

// fieldsOf returns the means and variances that the library predicts for latent posteriors together, one
// after the other.
func fieldsOf(t *testing.T, m *sgplvm.Model, latents []sgplvm.Latent, g sgplvm.Grid) (mean, variance []float64) {
	t.Helper()
	n := m.Grid().Len() * m.Channels()
	if g != nil {
		n = g.Len() * m.Channels()
	}
	mean, variance = make([]float64, n*len(latents)), make([]float64, n*len(latents))
	err := m.PredictSlabs(t.Context(), latents, g, sgplvm.SlabOptions{}, func(s sgplvm.Slab) error {
		for i := range latents {
			at := i*n + s.First*m.Channels()
			size := s.Mean[i].Rows * m.Channels()
			mat.Copy(mat.NewDense(s.Mean[i].Rows, m.Channels(), mean[at:at+size]), s.Mean[i])
			mat.Copy(mat.NewDense(s.Mean[i].Rows, m.Channels(), variance[at:at+size]), s.Variance[i])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return mean, variance
}

// The command predicts what the library does: training examples and inferred ones, on
// the training grid, in another resolution, and at points.
func TestPredict(t *testing.T) {
	workFolder(t)
	writeArray(t, "points.npy", npy.New([]float64{0.5, 1, 3, 4}, 2, 2))
	m := loadTestModel(t, "model")
	fine, err := dataset.Cover(m.Grid(), 7, 9)
	if err != nil {
		t.Fatal(err)
	}
	two := sgplvm.Grid{mat.NewDense(2, 2, []float64{0.5, 1, 3, 4})}
	var training, inferred []sgplvm.Latent
	for i := range testTraining {
		training = append(training, m.TrainingLatent(i))
	}
	seen := holes(newFaces())
	for i := range testNew {
		values := mat.NewDense(testPoints, 1, seen[i*testPoints:(i+1)*testPoints])
		l, err := m.Infer(t.Context(), sgplvm.Observed{Values: values}, sgplvm.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		inferred = append(inferred, l)
	}
	for _, c := range []struct {
		args    string
		latents []sgplvm.Latent
		grid    sgplvm.Grid
		shape   []int
	}{
		{"", training, nil, []int{9, 4, 5}},
		{"-grid 5x4", training, nil, []int{9, 4, 5}},
		{"-grid 7x9 -sheet sheet.png", training, fine, []int{9, 9, 7}},
		{"-points points.npy", training, two, []int{9, 2}},
		{"-data seen.npy -sheet sheet.png", inferred, nil, []int{3, 4, 5}},
		{"-data truth.npy -observed mask.npy -grid 7x9", inferred, fine, []int{3, 9, 7}},
	} {
		args := append([]string{"predict", "-model", "model", "-out", "mean.npy", "-variance", "variance.npy"}, strings.Fields(c.args)...)
		if out := mustRun(t, args...); out != "" {
			t.Errorf("%s: printed %q", c.args, out)
		}
		mean, variance := fieldsOf(t, m, c.latents, c.grid)
		sameBits(t, c.args+": mean", shaped(t, "mean.npy", c.shape...), mean)
		sameBits(t, c.args+": variance", shaped(t, "variance.npy", c.shape...), variance)
		if strings.Contains(c.args, "-sheet") && len(read(t, "sheet.png")) == 0 {
			t.Errorf("%s: no sheet", c.args)
		}
	}
}

// The command draws what the library does.
func TestSample(t *testing.T) {
	workFolder(t)
	writeArray(t, "points.npy", npy.New([]float64{0.5, 1, 3, 4}, 2, 2))
	m := loadTestModel(t, "model")
	two := sgplvm.Grid{mat.NewDense(2, 2, []float64{0.5, 1, 3, 4})}
	for _, c := range []struct {
		args   string
		latent sgplvm.Latent
		grid   sgplvm.Grid
		o      sgplvm.SampleOptions
		shape  []int
	}{
		{"", m.PriorLatent(), nil, sgplvm.SampleOptions{Count: 16}, []int{16, 4, 5}},
		{"-count 3 -seed 7 -noise -sheet sheet.png", m.PriorLatent(), nil, sgplvm.SampleOptions{Count: 3, Seed: 7, Noise: true}, []int{3, 4, 5}},
		{"-count 2 -example 8 -points points.npy", m.TrainingLatent(8), two, sgplvm.SampleOptions{Count: 2}, []int{2, 2}},
	} {
		mustRun(t, append([]string{"sample", "-model", "model", "-out", "fields.npy", "-latent", "latent.npy"}, strings.Fields(c.args)...)...)
		want, err := m.Sample(t.Context(), c.latent, c.grid, c.o)
		if err != nil {
			t.Fatal(err)
		}
		var fields []float64
		for _, y := range want.Y {
			fields = append(fields, y.Data...)
		}
		sameBits(t, c.args, shaped(t, "fields.npy", c.shape...), fields)
		sameBits(t, c.args+": latent points", shaped(t, "latent.npy", c.shape[0], want.X.Cols), want.X.Data)
	}
}

// Scattered points that are a picture's pixels make the same model, except for what it
// says of itself, with the same results.
func TestScattered(t *testing.T) {
	workFolder(t)
	writeArray(t, "points.npy", npy.New(pixels(), testPoints, 2))
	writeArray(t, "rows.npy", npy.New(trainingFaces(), testTraining, testPoints))
	seen := holes(newFaces())
	writeArray(t, "seenrows.npy", npy.New(seen, testNew, testPoints))
	writeArray(t, "truthrows.npy", npy.New(newFaces(), testNew, testPoints))
	writeArray(t, "maskrows.npy", npy.New(maskOf(seen), testNew, testPoints))
	mustRun(t, "train", "-data", "rows.npy", "-points", "points.npy", "-out", "scattered", "-config", steps(t, 12))
	if text := mustRun(t, "info", "-model", "scattered"); !strings.Contains(text, "attribute points") || strings.Contains(text, "\npicture ") {
		t.Errorf("info: %s", text)
	}
	for _, c := range []struct{ picture, scattered string }{
		{"impute -data seen.npy", "impute -data seenrows.npy"},
		{"impute -data truth.npy -observed mask.npy -truth truth.npy", "impute -data truthrows.npy -observed maskrows.npy -truth truthrows.npy"},
		{"predict", "predict"},
		{"predict -grid 6x3", "predict -grid 6x3"},
		{"predict -data seen.npy", "predict -data seenrows.npy -points points.npy"},
		{"sample -grid 6x3 -sheet a.png", "sample -grid 6x3 -sheet b.png"},
	} {
		want := mustRun(t, append(strings.Fields(c.picture), "-model", "model", "-out", "picture.npy")...)
		got := mustRun(t, append(strings.Fields(c.scattered), "-model", "scattered", "-out", "scattered.npy")...)
		if got != want {
			t.Errorf("%s: printed %q, want %q", c.scattered, got, want)
		}
		sameBits(t, c.scattered, readArray(t, "scattered.npy").Float64s(), readArray(t, "picture.npy").Float64s())
	}
}

// Values observed at points that are not those of training are filled in, and tell of the
// rest, as the library has it; at the training points in another order or form nothing
// changes.
func TestObservedAtPoints(t *testing.T) {
	workFolder(t)
	x := []float64{0.5, 1, 3, 4, 1.5, 1.5, 2, 0.25, 2.5, 3}
	nan := math.NaN()
	values := []float64{90, nan, 120, nan, 60, nan, 80, 100, 110, nan}
	writeArray(t, "points.npy", npy.New(x, 5, 2))
	writeArray(t, "values.npy", npy.New(values, 2, 5))
	writeArray(t, "mask.npy", npy.New(maskOf(values), 2, 5))
	whole := slices.Clone(values)
	for i, v := range whole {
		if v != v {
			whole[i] = 70
		}
	}
	writeArray(t, "whole.npy", npy.New(whole, 2, 5))
	writeArray(t, "pixels.npy", npy.New(pixels(), testPoints, 2))
	writeArray(t, "seenrows.npy", npy.New(holes(newFaces()), testNew, testPoints))
	m := loadTestModel(t, "model")
	grid := sgplvm.Grid{mat.NewDense(5, 2, x)}
	var mean, variance []float64
	var latents []sgplvm.Latent
	for i := range 2 {
		obs := sgplvm.Observed{Grid: grid, Values: mat.NewDense(5, 1, values[i*5:i*5+5])}
		p, l, err := m.Impute(t.Context(), obs, sgplvm.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		mean, variance = append(mean, p.Mean.Data...), append(variance, p.Variance.Data...)
		latents = append(latents, l)
	}
	predicted, _ := fieldsOf(t, m, latents, nil)
	for _, data := range []string{"-data values.npy", "-data whole.npy -observed mask.npy"} {
		mustRun(t, append(strings.Fields("impute -model model -points points.npy -out filled.npy -variance variance.npy"), strings.Fields(data)...)...)
		sameBits(t, data+": filled", shaped(t, "filled.npy", 2, 5), mean)
		sameBits(t, data+": variance", shaped(t, "variance.npy", 2, 5), variance)
		mustRun(t, append(strings.Fields("predict -model model -data-points points.npy -out predicted.npy -variance spread.npy"), strings.Fields(data)...)...)
		sameBits(t, data+": predicted", shaped(t, "predicted.npy", 2, 4, 5), predicted)
	}
	if text := mustRun(t, strings.Fields("impute -model model -points points.npy -data values.npy -truth whole.npy -out filled.npy")...); !strings.Contains(text, "RMSE") {
		t.Errorf("no errors beside the truth: %s", text)
	}
	for _, command := range []string{"impute -points pixels.npy", "predict -data-points pixels.npy"} {
		mustRun(t, append(strings.Fields(command), "-model", "model", "-data", "seenrows.npy", "-out", "rows.npy")...)
		mustRun(t, strings.Fields(command)[0], "-model", "model", "-data", "seen.npy", "-out", "pictures.npy")
		sameBits(t, command, readArray(t, "rows.npy").Float64s(), readArray(t, "pictures.npy").Float64s())
	}
}

// Points and models that do not fit are refused in one line, and nothing is written.
func TestPlacesErrors(t *testing.T) {
	workFolder(t)
	array := func(path string, v []float64, shape ...int) { writeArray(t, path, npy.New(v, shape...)) }
	array("points.npy", pixels(), testPoints, 2)
	array("triples.npy", make([]float64, 6), 2, 3)
	array("nan.npy", []float64{0, 1, 2, math.NaN()}, 2, 2)
	array("rows.npy", trainingFaces(), testTraining, testPoints)
	array("short.npy", trainingFaces(), 2*testTraining, testPoints/2)
	array("line.npy", pixels()[:testPoints], testPoints)
	mustRun(t, "train", "-data", "train.npy", "-out", "product", "-config", steps(t, 2))
	mustRun(t, "train", "-data", "rows.npy", "-points", "line.npy", "-out", "line", "-config", "steps2.json")
	mustRun(t, "train", "-data", "rows.npy", "-points", "points.npy", "-out", "scattered", "-config", "steps2.json")
	for _, c := range []struct {
		code       int
		args, line string
	}{
		{1, "train -data rows.npy -points absent.npy -out result", "absent.npy: no such file or directory"},
		{1, "train -data rows.npy -points nan.npy -out result", "nan.npy: point 1, dimension 1: found NaN, expected a finite coordinate"},
		{1, "train -data short.npy -points points.npy -out result", "short.npy: shape 18×10: found 10 points, expected 20"},
		{1, "predict -model model -points triples.npy -out result.npy", "triples.npy: points of dimension 3, expected 2, the model's"},
		{2, "predict -model product -points points.npy -out result.npy", "predict: -points with a model of 2 spatial factors, expected one: trained with joint factors or with -points"},
		{2, "predict -model line -grid 4x4 -out result.npy", "predict: -grid 4x4: a space of 1 dimension, expected 2 for a grid"},
		{2, "predict -model model -points points.npy -out result.npy -sheet sheet.png", "predict: -sheet of scattered points, expected pictures: -grid WIDTHxHEIGHT"},
		{2, "impute -model scattered -data rows.npy -out result.npy -grid 5x4", "impute: -grid 5x4 with a model of scattered points, expected none"},
		{2, "impute -model scattered -data rows.npy -out result.npy -sheet sheet.png", "impute: -sheet of scattered points, expected pictures"},
		{1, "impute -model model -points triples.npy -data rows.npy -out result.npy", "triples.npy: points of dimension 3, expected 2, the model's"},
		{1, "impute -model model -points points.npy -data short.npy -out result.npy", "short.npy: shape 18×10: found 10 points, expected 20"},
		{2, "impute -model model -points points.npy -grid 5x4 -data rows.npy -out result.npy", "impute: -grid 5x4 with -points, expected one of the two"},
		{2, "impute -model model -points points.npy -data rows.npy -out points.npy", `impute: -out "points.npy" is the file of -points, expected another one`},
		{2, "predict -model product -data-points points.npy -data rows.npy -out result.npy", "predict: -data-points with a model of 2 spatial factors, expected one: trained with joint factors or with -points"},
		{2, "predict -model model -data-points points.npy -out result.npy", "predict: -data-points without -data, expected both"},
	} {
		mustFail(t, c.code, c.line, strings.Fields(c.args)...)
	}
}
