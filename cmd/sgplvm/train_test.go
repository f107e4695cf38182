package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/mat/netcdf"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// settings reads a command line of train, which must be right.
func settings(t *testing.T, flags string) *trainSettings {
	t.Helper()
	s := newTrainSettings(&cli.Environment{})
	if err := s.f.Read(append([]string{"-data", "train.npy", "-out", "result"}, strings.Fields(flags)...)); err != nil {
		t.Fatal(err)
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	return s
}

// Flags win over the configuration where they are given, and only there.
func TestFlagsWin(t *testing.T) {
	workFolder(t)
	write(t, "c.json", []byte(`{"effort": "quick", "seed": 3, "period": 12, "latentDims": 4}`))
	for _, c := range []struct {
		flags string
		want  sgplvm.Config
	}{
		{"", sgplvm.Config{}},
		{"-effort thorough -seed 5 -period 2 -limit 90s", sgplvm.Config{Effort: sgplvm.EffortThorough, Seed: 5, Period: 2}},
		{"-config c.json", sgplvm.Config{Effort: sgplvm.EffortQuick, Seed: 3, Period: 12, LatentDims: 4}},
		{"-config c.json -limit 1m", sgplvm.Config{Effort: sgplvm.EffortQuick, Seed: 3, Period: 12, LatentDims: 4}},
		{"-config c.json -effort normal", sgplvm.Config{Seed: 3, Period: 12, LatentDims: 4}},
		{"-config c.json -effort none -seed 0 -period 2.5", sgplvm.Config{Effort: sgplvm.EffortNone, Period: 2.5, LatentDims: 4}},
	} {
		if got, err := settings(t, c.flags).choice.read(); err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
			t.Errorf("%s: %+v, error %v, expected %+v", c.flags, got, err, c.want)
		}
	}
}

// What the flags say of the data reaches them: a product grid, times, a film, and what will be missing.
func TestTrainingData(t *testing.T) {
	workFolder(t)
	writeArray(t, "times.npy", npy.New([]float64{3, 1, 4, 1, 5, 9, 2, 6, 5.5}, testTraining))
	writeArray(t, "labels.npy", npy.New([]int64{1, 1, 2, 2, 2, 1, 1, 1, -7}, testTraining))
	writeArray(t, "points.npy", npy.New(pixels(), testPoints, 2))
	writeArray(t, "rows.npy", npy.New(trainingFaces(), testTraining, testPoints))
	even := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}
	for _, c := range []struct {
		flags        string
		factors      int // 0: refused
		times        []float64
		film, labels bool
		hidden       int // pictures of which something is
	}{
		{flags: "", factors: 2},
		{flags: "-data rows.npy -points points.npy -hide mask.npy"}, // masks of pictures
		{flags: "-data rows.npy -points points.npy", factors: 1},
		{flags: "-film", factors: 2, times: even, film: true},
		{flags: "-film -times times.npy", factors: 2, times: []float64{3, 1, 4, 1, 5, 9, 2, 6, 5.5}, film: true},
		{flags: "-times times.npy -sequences labels.npy", factors: 2, times: []float64{3, 1, 4, 1, 5, 9, 2, 6, 5.5}, labels: true},
		{flags: "-sequences labels.npy", factors: 2, times: even, labels: true},
		{flags: "-hide mask.npy", factors: 2, hidden: testNew},
	} {
		frames, d, err := settings(t, c.flags).open()
		if (err != nil) != (c.factors == 0) {
			t.Fatalf("%s: %v", c.flags, err)
		}
		if err != nil {
			continue
		}
		if len(d.Grid) != c.factors || !slices.Equal(d.Times, c.times) || d.Film != c.film || (d.Sequences != nil) != c.labels || len(d.Hide) != c.hidden {
			t.Errorf("%s: %d factors, times %v, film %t, sequences %v, %d pictures with something hidden", c.flags, len(d.Grid), d.Times, d.Film, d.Sequences, len(d.Hide))
		}
		for i, hidden := range d.Hide {
			for j, missing := range hidden {
				if missing != ((i*testPoints+j+i)%3 == 0) {
					t.Errorf("%s: picture %d, value %d hidden: %t", c.flags, i, j, missing)
				}
			}
		}
		frames.Close()
	}
}

// writeNetCDF writes pictures as the variable v of a file, with the dimensions time, lat (downwards) and lon.
func writeNetCDF(t *testing.T, path string, pictures []float64, times ...float64) {
	t.Helper()
	n := len(pictures) / testPoints
	lat := make([]float64, testHeight)
	for i := range lat {
		lat[i] = 60 - 2.5*float64(i)
	}
	h := netcdf.Header{Version: netcdf.Classic, Dimensions: []netcdf.Dimension{{Name: "time", Length: n}, {Name: "lat", Length: testHeight}, {Name: "lon", Length: testWidth}},
		Variables: []netcdf.Variable{{Name: "v", Type: netcdf.Double, Dimensions: []int{0, 1, 2}}, {Name: "lat", Type: netcdf.Double, Dimensions: []int{1}}}}
	values := netcdf.Arrays{pictures, lat}
	if times != nil {
		h.Variables = append(h.Variables, netcdf.Variable{Name: "time", Type: netcdf.Double, Dimensions: []int{0}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("units", "days since 1990-01-01")}})
		values = append(values, times)
	}
	var w bytes.Buffer
	if err := netcdf.Write(&w, &h, values); err != nil {
		t.Fatal(err)
	}
	write(t, path, w.Bytes())
}

// NetCDF files are trained on at their coordinates and times, and filled in; so are archives of arrays.
func TestTrainFormats(t *testing.T) {
	workFolder(t)
	times := []float64{3, 1, 4, 1.5, 5, 9, 2, 6, 5.5}
	writeNetCDF(t, "train.nc", trainingFaces())
	writeNetCDF(t, "timed.nc", trainingFaces(), times...)
	seen := holes(newFaces())
	writeNetCDF(t, "seen.nc", seen)
	var w bytes.Buffer
	z := zip.NewWriter(&w)
	member, err := z.Create("faces.npy")
	if err == nil {
		err = npy.Write(member, npy.New(trainingFaces(), testTraining, testHeight, testWidth))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, "train.npz", w.Bytes())
	for _, c := range []struct {
		flags string
		times []float64
		first float64 // coordinate of the second row
		film  bool
	}{
		{"-data train.nc", nil, 57.5, false},
		{"-data timed.nc:v", times, 57.5, false},
		{"-data timed.nc -film", times, 1, true},
		{"-data train.npz:faces", nil, 1, false},
	} {
		frames, d, err := settings(t, c.flags).open()
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Grid) != 2 || d.Grid[0].At(1, 0) != c.first || !slices.Equal(d.Times, c.times) || d.Film != c.film {
			t.Errorf("%s: grid %v, times %v, film %t", c.flags, d.Grid, d.Times, d.Film)
		}
		frames.Close()
	}
	mustRun(t, "train", "-data", "train.nc", "-config", steps(t, 3), "-out", "m")
	mustRun(t, "impute", "-model", "m", "-data", "seen.nc", "-out", "out.npy")
	filled := readArray(t, "out.npy").Float64s()
	for i, v := range seen {
		if v == v && filled[i] != v || filled[i] != filled[i] {
			t.Fatalf("value %d: filled in as %v, was %v", i, filled[i], v)
		}
	}
	mustFail(t, 2, `train: -out "train.nc" is the file of -data, expected another one`, "train", "-data", "train.nc:v", "-out", "train.nc")
}

// What a search tells is a line each at a terminal, beside steps that never ask it to stop; elsewhere nobody watches.
func TestTell(t *testing.T) {
	var notes strings.Builder
	e := &cli.Environment{Stderr: &notes}
	e.Tell("matern32: 3.1 nats a value")
	if notes.Len() > 0 {
		t.Errorf("%q", notes.String())
	}
	e.Terminal = true
	e.Tell("matern32: 3.1 nats a value\x1b")
	if notes.String() != "sgplvm: matern32: 3.1 nats a value\\x1b\n" {
		t.Errorf("%q", notes.String())
	}
	var w sgplvm.Watcher = e
	step, stop := w.Training("trying: ")
	defer stop()
	if !step(sgplvm.Progress{}) {
		t.Error("a step of training asks to stop")
	}
}

// A search tells what it tried and chose, and so does info; the configuration that was chosen makes the same model again.
func TestTrainSearches(t *testing.T) {
	workFolder(t)
	writeArray(t, "times.npy", npy.New([]float64{3, 1, 4, 1, 5, 9, 2, 6, 5.5}, testTraining))
	write(t, "c.json", []byte(`{"latentDims": 3, "training": {"iterations": 5}}`))
	write(t, "lean.json", []byte(`{"lean": true, "latentDims": 3, "training": {"iterations": 5}}`))
	const keeps = `"lean": true in -config forbids it`
	for _, c := range []struct{ flags, task, keeps string }{
		{"-effort quick", "half of them at random, one side, a block and nine in ten in turn", keeps},
		{"-effort normal -config c.json -hide mask.npy", "values hidden of examples that were held out: as 3 masks say", ""},
		{"-effort thorough -config lean.json", "half of them at random", ""},
		{"-effort quick -times times.npy -config c.json", "examples that were held out, predicted at their times", ""},
	} {
		out := mustRun(t, append(strings.Fields("train -data train.npy -out first"), strings.Fields(c.flags)...)...)
		effort := strings.Fields(c.flags)[1]
		for _, want := range []string{"chosen with the effort " + effort + " by ", c.task, "\n* ", "nats a value", "\nchosen: ", "\ntrained on 9 ", c.keeps} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: train does not tell %q: %s", c.flags, want, out)
			}
		}
		if strings.Contains(out, "ended early") || c.keeps == "" && strings.Contains(c.flags, "lean") && strings.Contains(out, keeps) {
			t.Errorf("%s: %s", c.flags, out)
		}
		told := mustRun(t, "info", "-model", "first", "-write-config", "d.json")
		search, _, _ := strings.Cut(out, "chosen: ")
		if !strings.Contains(told, search) {
			t.Errorf("%s: info tells %s\nand train %s", c.flags, told, search)
		}
		again := strings.Fields("train -data train.npy -config d.json -out second")
		if strings.Contains(c.flags, "times") {
			again = append(again, "-times", "times.npy")
		}
		if out := mustRun(t, again...); strings.Contains(out, "chosen") {
			t.Errorf("%s: %s", c.flags, out)
		}
		if !bytes.Equal(tensorsOf(t, "first"), tensorsOf(t, "second")) {
			t.Errorf("%s: another model with %s", c.flags, read(t, "d.json"))
		}
	}
	o := sgplvmRun(strings.Fields("train -data train.npy -out third -limit 1ns -config c.json")...)
	if o.code != 0 || !strings.Contains(o.stdout, "the search ended early: the run had 1ns\n") ||
		!strings.HasPrefix(o.stderr, "sgplvm: warning: the limit of 1ns ended 1 training early\nsgplvm: -limit 1ns ended the search early: ") {
		t.Errorf("%+v", o)
	}
}
