package main

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// impute knows the times of what it fills in: with nothing seen of
// a picture that is what render says.
func TestImputeTimes(t *testing.T) {
	t.Chdir(t.TempDir())
	const width, height, size = 6, 4, 6 * 4 * 3
	times := []int64{0, 2, 3, 5, 7, 9, 11}
	var learned []float64
	for _, i := range times {
		for j := range size {
			r, c, k := j/(3*width), j/3%width, j%3
			learned = append(learned, 100+40*math.Sin(0.5*float64(i)+0.8*float64(r)+float64(k))+20*math.Cos(0.6*float64(c))+float64((7*int(i)+3*r*r+5*c*k)%11))
		}
	}
	writeArray(t, "learned.npy", npy.New(learned, len(times), height, width, 3))
	writeArray(t, "times.npy", npy.New(times, len(times)))
	steps(t, 5)
	steps(t, 20, `"timeKernel": "rbf*periodic(12)+matern12"`)
	mustRun(t, strings.Fields("train -data learned.npy -times times.npy -period 12 -config steps20.json -out film.model")...)
	mustRun(t, strings.Fields("train -data learned.npy -config steps5.json -out still.model")...)

	blind := make([]float64, 2*size)
	for i := range blind {
		blind[i] = math.NaN()
	}
	writeArray(t, "blind.npy", npy.New(blind, 2, height, width, 3))
	writeArray(t, "at.npy", npy.New([]float64{4, 9.5}, 2))
	writeArray(t, "one.npy", npy.New([]float64{4}, 1))
	succeed(t, strings.Fields("impute -model film.model -data blind.npy -times at.npy -out filled.npy -variance variance.npy")...)
	mustRun(t, strings.Fields("render -model film.model -times at.npy -out drawn.npy -variance drawnvariance.npy")...)
	for _, pair := range [][2]string{{"filled.npy", "drawn.npy"}, {"variance.npy", "drawnvariance.npy"}} {
		got, want := shaped(t, pair[0], 2, height, width, 3), shaped(t, pair[1], 2, height, width, 3)
		for i := range got {
			if !(math.Abs(got[i]-want[i]) <= 1e-6*math.Abs(want[i])) {
				t.Fatalf("%s: value %d is %v, %s has %v", pair[0], i, got[i], pair[1], want[i])
			}
		}
		if slices.Equal(got[:size], got[size:]) {
			t.Errorf("%s: the same at both times", pair[0])
		}
	}
	os.Remove("filled.npy")
	const fill = "impute -data blind.npy -out filled.npy"
	mustFail(t, 2, "impute: -times with a model that was trained without any, expected none", strings.Fields(fill+" -model still.model -times at.npy")...)
	mustFail(t, 2, "impute: -sequence 3, expected one that the model was trained on", strings.Fields(fill+" -model film.model -times at.npy -sequence 3")...)
	mustFail(t, 2, "impute: -sequence without -times", strings.Fields(fill+" -model film.model -sequence 3")...)
	mustFail(t, 1, "one.npy: shape 1: found 1 value, expected 2 times, one for each frame", strings.Fields(fill+" -model film.model -times one.npy")...)
	mustFail(t, 2, "train: -period without -times, -film or -sequences", strings.Fields("train -data learned.npy -period 12 -out m")...)
}
