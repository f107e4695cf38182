package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// sharded writes 60 faces to three files, and a model of 20 of them.
func sharded(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	all := picture.Faces(60, 8, 10, 1).Float64s()
	for k := range 3 {
		writeArray(t, fmt.Sprintf("f%d.npy", k+1), npy.New(all[k*20*80:(k+1)*20*80], 20, 10, 8))
	}
	writeText(t, "c.json", `{"effort": "none", "latentDims": 4, "inducing": 12, "training": {"iterations": 20}}`)
	mustRun(t, "train", "-data", "f*.npy", "-sample", "20", "-config", "c.json", "-out", "m0")
}

// Parts of several files make a model, one better than the sample's in the second round too, with the bits of a single part; a file of a part that is missing, damaged or twice there is named.
func TestShardAndReduce(t *testing.T) {
	sharded(t)
	for i := range 3 {
		part := fmt.Sprint(i+1, "/3")
		if out := mustRun(t, "shard", "-model", "m0", "-data", "f*.npy", "-part", part, "-out", "s"); !strings.Contains(out, fmt.Sprintf("s.part%dof3 has ", i+1)) || !strings.Contains(out, "of 60") {
			t.Errorf("shard: %s", out)
		}
	}
	if out := mustRun(t, "reduce", "s.part2of3", "s.part1of3", "s.part3of3", "-model", "m0", "-out", "m1"); !strings.Contains(out, "round 1 of 60 examples") || !strings.Contains(out, "another round") {
		t.Errorf("reduce: %s", out)
	}
	mustRun(t, "shard", "-model", "m0", "-data", "f*.npy", "-out", "p")
	mustRun(t, "reduce", "p", "-model", "m0", "-out", "one")
	if !bytes.Equal(read(t, "one"), read(t, "m1")) {
		t.Error("one part gives other bits than three")
	}
	mustRun(t, "shard", "-model", "m1", "-data", "f*.npy", "-out", "q")
	if out := mustRun(t, "reduce", "q", "-model", "m1", "-out", "m2", "-enough", "1000", "-json"); !strings.Contains(out, `"rounds": 2`) || !strings.Contains(out, `"again": false`) {
		t.Errorf("reduce: %s", out)
	}
	mustFail(t, 1, "~.*part 2 of 3 is missing.*", "reduce", "s.part1of3", "s.part3of3", "-model", "m0", "-out", "m3")
	mustFail(t, 1, "~.*part 1 of 3 is there twice.*", "reduce", "s.part1of3", "s.part2of3", "s.part1of3", "s.part3of3", "-model", "m0", "-out", "m3")
	mustFail(t, 1, "~.*made with another model.*", "reduce", "q", "-model", "m0", "-out", "m3")
	damaged := read(t, "s.part2of3")
	damaged[len(damaged)/2] ^= 4
	write(t, "s.part2of3", damaged)
	mustFail(t, 1, "~.*s.part2of3: wrong checksum.*", "reduce", "s.part1of3", "s.part2of3", "s.part3of3", "-model", "m0", "-out", "m3")
	mustFail(t, 2, "~.*no part.*", "reduce", "-model", "m0", "-out", "m3")
	mustFail(t, 2, "~.*expected auto.*", "shard", "-model", "m0", "-data", "f1.npy", "-part", "4/3", "-out", "p")
	writeArray(t, "nan.npy", npy.New(slices.Repeat([]float64{math.NaN()}, 80), 1, 10, 8))
	mustFail(t, 1, "nan.npy: example 0, point 0, channel 0: value NaN, expected at least one value that was observed", "shard", "-model", "m0", "-data", "nan.npy", "-out", "p")
	if _, err := os.Stat("m3"); err == nil {
		t.Error("a model was written")
	}
}

// A model of pictures takes in others, whole or with holes; an emulator's flags are refused, and those of a model by an emulator.
func TestUpdateModel(t *testing.T) {
	sharded(t)
	out := mustRun(t, "update", "-model", "m0", "-data", "f1.npy", "-forget", "0.95", "-out", "u")
	if !strings.Contains(out, "20 examples added, ") {
		t.Errorf("update: %s", out)
	}
	if info := mustRun(t, "info", "-model", "u"); !strings.Contains(info, "training examples      40") || !strings.Contains(info, "examples counted") {
		t.Errorf("info: %s", info)
	}
	whole := readArray(t, "f2.npy")
	mask := make([]uint8, 20*80)
	for i := range mask {
		mask[i] = 1
		if i%8 < 4 && i/80 < 10 {
			mask[i] = 0
		}
	}
	writeArray(t, "mask.npy", npy.New(mask, whole.Shape...))
	mustRun(t, "update", "-model", "u", "-data", "f2.npy", "-observed", "mask.npy", "-out", "u2")
	mustRun(t, "impute", "-model", "u2", "-data", "f2.npy", "-observed", "mask.npy", "-out", "filled.npy", "-truth", "f2.npy")
	mustFail(t, 2, "~.*-inputs without an emulator.*", "update", "-model", "m0", "-data", "f1.npy", "-inputs", "c.json", "-out", "u3")
	mustRun(t, "train", "-data", "f1.npy", "-film", "-config", "c.json", "-out", "film")
	mustFail(t, 1, "~.*film with motion.*", "update", "-model", "film", "-data", "f2.npy", "-out", "u3")
}

// A model in time takes in frames between its own: at their times it then predicts what they show nearer to their truth; -times of another number are refused.
func TestUpdateTimes(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name string, first float64) (values, times []float64) {
		for k := range 16 {
			at := first + 2*float64(k)
			times = append(times, at)
			for i := range 48 {
				values = append(values, math.Sin(float64(i%8)/2+at/1.6)+math.Cos(float64(i/8)-at/2.3))
			}
		}
		writeArray(t, name+".npy", npy.New(values, 16, 6, 8))
		writeArray(t, name+"_times.npy", npy.New(times, 16))
		return values, times
	}
	write("own", 0)
	truth, _ := write("between", 1)
	writeText(t, "c.json", `{"effort": "none", "latentDims": 4, "inducing": 12, "training": {"iterations": 60}}`)
	mustRun(t, "train", "-data", "own.npy", "-times", "own_times.npy", "-config", "c.json", "-out", "m")
	if out := mustRun(t, "update", "-model", "m", "-data", "between.npy", "-times", "between_times.npy", "-out", "u"); !strings.Contains(out, "16 examples added, 32 in all") {
		t.Errorf("update: %s", out)
	}
	var far [2]float64
	for k, m := range []string{"m", "u"} {
		mustRun(t, "predict", "-model", m, "-times", "between_times.npy", "-out", "p.npy")
		for i, v := range readArray(t, "p.npy").Float64s() {
			far[k] += (v - truth[i]) * (v - truth[i]) / float64(len(truth))
		}
	}
	if !(far[1] < far[0]/2) {
		t.Errorf("mean squares %v after the update, %v before", far[1], far[0])
	}
	writeArray(t, "few.npy", npy.New([]float64{1, 2}, 2))
	mustFail(t, 1, "few.npy: shape 2: found 2 values, expected 16 times, one for each frame", "update", "-model", "m", "-data", "between.npy", "-times", "few.npy", "-out", "u3")
}
