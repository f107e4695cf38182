package main

import (
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
func TestVideoSeen(t *testing.T) {
	clipFolder(t)
	seenMasks(t, "masks.npy", 5)
	const same = "video -frames low.npy -truth low.npy -train train.npy -iters 30"
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
