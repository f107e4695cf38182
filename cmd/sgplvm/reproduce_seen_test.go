package main

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// seenMasks writes masks for the test frames of clipFolder: all that the checkerboard leaves is hidden.
func seenMasks(t *testing.T, name string, frames int) {
	t.Helper()
	masks := make([]uint8, frames*clipWidth*clipHeight)
	for i := range masks {
		masks[i] = uint8((i%clipWidth + i/clipWidth) % 2)
	}
	writeArray(t, name, npy.New(masks, frames, clipHeight, clipWidth))
}

// Frames of which half is seen are filled in better than interpolated, and only what was hidden counts.
func TestReproduceVideoSeen(t *testing.T) {
	clipFolder(t)
	seenMasks(t, "masks.npy", 5)
	const same = "reproduce video -frames low.npy -truth low.npy -train train.npy -iters 30"
	mustRun(t, strings.Fields(same+" -methods sgplvm,interpolation -observed masks.npy -out seen")...)
	rows := readTable(t, "seen/table.csv")
	rmse := func(title string) float64 {
		v, err := strconv.ParseFloat(rows[title]["rmse"], 64)
		if err != nil || rows[title]["values"] != strconv.Itoa(5*clipWidth*clipHeight*3/2) {
			t.Errorf("%s: %v %v", title, rows[title], err)
		}
		return v
	}
	interpolated := rmse("linear interpolation in time")
	for _, title := range []string{"dynamical SGPLVM", "linear interpolation, GP of the rest"} {
		if v := rmse(title); !(v < 0.8*interpolated) {
			t.Errorf("%s: RMSE %v, interpolation %v", title, v, interpolated)
		}
	}
	if text := string(read(t, "seen/table.txt")); !strings.Contains(text, "each of these seen in part") {
		t.Errorf("table.txt is %s", text)
	}

	// Frames of one time are two frames all the same.
	writeArray(t, "times.npy", npy.New([]int64{0, 1, 2, 3, 1, 5, 6, 7, 8, 9, 10, 11}, clipCount))
	mustRun(t, strings.Fields(same+" -methods sgplvm,interpolation -observed masks.npy -times times.npy -out twice")...)
	rows = readTable(t, "twice/table.csv")
	if v := rmse("dynamical SGPLVM"); !(v < 1.5*rmse("linear interpolation in time")) {
		t.Errorf("RMSE %v where two frames have one time", v)
	}

	seenMasks(t, "few.npy", 4)
	all := make([]uint8, 5*clipWidth*clipHeight)
	for i := range all {
		all[i] = 1
	}
	writeArray(t, "all.npy", npy.New(all, 5, clipHeight, clipWidth))
	for _, c := range []struct{ args, line string }{
		{same + " -observed few.npy", "few.npy: found masks of 4 frames, expected 5, one for each frame that is not learned from"},
		{same + " -observed all.npy", "all.npy: row 0: found a frame seen as a whole, expected something to predict"},
		{smallVideo + " -observed masks.npy", "hd.npy: found frames of 12x8, expected 6x4 beside -observed, as those learned from"},
	} {
		mustFail(t, 1, c.line, strings.Fields(c.args)...)
	}
}

// impute knows the times of what it fills in: with nothing seen of
// a picture that is what render says.
func TestImputeTimes(t *testing.T) {
	low := clipFolder(t)
	const size = clipWidth * clipHeight * 3
	training := []int{0, 2, 3, 5, 7, 9, 11}
	var learned []float64
	times := make([]int64, len(training))
	for k, i := range training {
		learned = append(learned, low[i*size:(i+1)*size]...)
		times[k] = int64(i)
	}
	writeArray(t, "learned.npy", npy.New(learned, len(training), clipHeight, clipWidth, 3))
	writeArray(t, "times.npy", npy.New(times, len(times)))
	steps(t, 5)
	steps(t, 20, `"timeKernel": "rbf*periodic(12)+matern12"`)
	mustRun(t, strings.Fields("train -data learned.npy -times times.npy -period 12 -config steps20.json -out film.model")...)
	mustRun(t, strings.Fields("train -data learned.npy -config steps5.json -out still.model")...)

	blind := make([]float64, 2*size)
	for i := range blind {
		blind[i] = math.NaN()
	}
	writeArray(t, "blind.npy", npy.New(blind, 2, clipHeight, clipWidth, 3))
	writeArray(t, "at.npy", npy.New([]float64{4, 9.5}, 2))
	writeArray(t, "one.npy", npy.New([]float64{4}, 1))
	if o := sgplvmRun(strings.Fields("impute -model film.model -data blind.npy -times at.npy -out filled.npy -variance variance.npy")...); o.code != 0 {
		t.Fatal(o.stderr)
	}
	mustRun(t, strings.Fields("render -model film.model -times at.npy -out drawn.npy -variance drawnvariance.npy")...)
	for _, pair := range [][2]string{{"filled.npy", "drawn.npy"}, {"variance.npy", "drawnvariance.npy"}} {
		got, want := shaped(t, pair[0], 2, clipHeight, clipWidth, 3), shaped(t, pair[1], 2, clipHeight, clipWidth, 3)
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
