package main

import (
	"context"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/clitest"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

var writeFormats = flag.Bool("write-formats", false, "make the files of testdata/formats that are not there")

// formatRuns make the results of the files of testdata/formats.
var formatRuns = []struct{ file, make, result string }{
	{"table.model", "train -data table.npy -config steps.json -out table.model", "impute -model table.model -data seen.npy -out RESULT"},
	{"table.edge", "compile -model table.model -out table.edge", ""},
	{"runs.emulator", "train -data fields.npy -inputs runs.csv -effort quick -out runs.emulator", "predict -model runs.emulator -inputs new.csv -out RESULT"},
	{"later.checkpoint", "train -data table.npy -config steps.json -out later", "impute -model later -data seen.npy -out RESULT"},
}

// Files of all formats of version 1, which testdata/formats keeps, are read by later versions and give what that version said with them: a model of a table, the same
// compiled, an emulator, and a checkpoint, from which training goes on.
func TestFormats(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	kept, err := filepath.Abs("testdata/formats")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	writeRuns(t)
	writeText(t, "new.csv", "material,pressure,date\nsteel,50000,2024-02-05\nwood,20000,2024-02-20\n")
	writeArray(t, "table.npy", npy.New(measured(30, 1), 30, 5))
	seen := measured(4, 2)
	for i := 1; i < len(seen); i += 3 {
		seen[i] = math.NaN()
	}
	writeArray(t, "seen.npy", npy.New(seen, 4, 5))
	write(t, "steps.json", []byte(`{"effort": "none", "training": {"iterations": 60}}`))
	if *writeFormats {
		makeFormats(t, kept)
	}
	for _, r := range formatRuns {
		write(t, r.file, read(t, filepath.Join(kept, r.file)))
	}
	if o := sgplvmRun(strings.Fields(formatRuns[3].make + " -resume")...); o.code != 0 { // with a warning where the instruction set is another one
		t.Fatal(o)
	}
	for _, r := range formatRuns {
		want := readArray(t, filepath.Join(kept, strings.Replace(r.file, "edge", "model", 1)+".npy")).Float64s()
		var got []float64
		if r.result == "" {
			got, _ = filledByEdge(t, r.file, 5, seen)
		} else {
			mustRun(t, strings.Fields(strings.Replace(r.result, "RESULT", "result.npy", 1))...)
			got = readArray(t, "result.npy").Float64s()
		}
		for i, v := range want {
			if !(math.Abs(got[i]-v) <= 1e-4*(1+math.Abs(v))) { // instruction sets differ in the last bits, which training magnifies
				t.Errorf("%s: value %d is %v, was %v", r.file, i, got[i], v)
				break
			}
		}
	}
}

// filledByEdge fills in examples of n values by a compiled file.
func filledByEdge(t *testing.T, name string, n int, seen []float64) (mean, variance []float64) {
	t.Helper()
	c, err := edge.Open(read(t, name))
	if err != nil {
		t.Fatal(err)
	}
	w, mask := c.NewWorkspace(0), make([]bool, n)
	mean, variance = make([]float64, len(seen)), make([]float64, len(seen))
	for i := 0; i < len(seen); i += n {
		for k, v := range seen[i : i+n] {
			mask[k] = v == v
		}
		if err := w.Fill(mean[i:i+n], variance[i:i+n], seen[i:i+n], mask); err != nil {
			t.Fatal(err)
		}
	}
	return mean, variance
}

// makeFormats makes the files that are not there, and their results.
func makeFormats(t *testing.T, kept string) {
	for _, r := range formatRuns {
		if r.file == "later.checkpoint" {
			ctx, cancel := context.WithCancel(context.Background())
			if code, _ := terminalRun(ctx, &clitest.Canceller{Word: "warm-up", Cancel: cancel}, strings.Fields(r.make)...); code != 130 {
				t.Fatalf("code %d", code)
			}
			cancel()
		} else {
			mustRun(t, strings.Fields(r.make)...)
		}
		if _, err := os.Stat(filepath.Join(kept, r.file)); err == nil {
			continue
		}
		write(t, filepath.Join(kept, r.file), read(t, r.file))
		if r.file == "later.checkpoint" {
			mustRun(t, strings.Fields(r.make+" -resume")...)
		}
		if r.result != "" {
			mustRun(t, strings.Fields(strings.Replace(r.result, "RESULT", filepath.Join(kept, r.file+".npy"), 1))...)
		}
	}
}
