package main

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

// writeRuns writes fields of 30 runs of a function of a date, a pressure and a material, and the table of the inputs of these and of three new runs, columns in
// another order.
func writeRuns(t *testing.T) {
	field := func(day, pressure float64, material string, at float64) float64 {
		v := math.Sin(day/20+at/5) + pressure/1e5*at/12
		if material == "steel" {
			v += 0.5
		}
		return v
	}
	var values []float64
	var table strings.Builder
	table.WriteString("date;pressure;material\n")
	for i := range 30 {
		day, pressure, material := i*5%28, 1e5*math.Mod(float64(i)*0.618, 1), []string{"wood", "steel"}[i%2]
		fmt.Fprintf(&table, "2024-02-%02d;%.6g;%s\n", day+1, pressure, material)
		for s := range 12 {
			values = append(values, field(float64(day), pressure, material, float64(s)))
		}
	}
	writeArray(t, "fields.npy", npy.New(values, 30, 3, 4))
	writeText(t, "runs.csv", table.String())
	writeText(t, "inexact.csv", "material,pressure,pressure ±,date\nsteel,50000,,2024-02-05\nsteel,50000,30000,2024-02-05\nsteel,,,2024-02-05\n")
	writeText(t, "new.csv", "material,pressure,date\nsteel,50000,2024-02-05\nwood,20000,2024-02-20\nwood,20000,2031-02-20\n")
	var truth []float64
	for s := range 12 {
		truth = append(truth, field(4, 50000, "steel", float64(s)))
	}
	writeArray(t, "truth.npy", npy.New(truth, 12))
}

// An emulator is learned from a table of numbers, dates and labels, predicts fields of new runs whose columns stand in another order, warns of one that is far
// away, and of a number that was the same in all runs, draws fields, and describes itself.
func TestEmulator(t *testing.T) {
	workFolder(t)
	writeRuns(t)
	out := mustRun(t, "train", "-data", "fields.npy", "-inputs", "runs.csv", "-effort", "quick", "-out", "M", "-report", "R.html")
	if !strings.Contains(out, "learned from 30 runs") || !strings.Contains(out, "ridge") {
		t.Errorf("train: %s", out)
	}
	code, _, notes := tested.Run("predict", "-model", "M", "-inputs", "new.csv", "-out", "F.npy", "-variance", "V.npy")
	if code != 0 || !strings.Contains(notes, "1 of 3 inputs lie far from all runs, number 2") {
		t.Errorf("predict: %s", notes)
	}
	runs, err := os.ReadFile("runs.csv")
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, "sites.csv", strings.ReplaceAll(strings.ReplaceAll(string(runs), "\n", ";7\n"), "material;7", "material;site"))
	tested.Run("train", "-data", "fields.npy", "-inputs", "sites.csv", "-effort", "quick", "-out", "S") // notes that the site counts for nothing
	writeText(t, "moved.csv", "material,pressure,date,site\nsteel,50000,2024-02-05,7\nsteel,50000,2024-02-05,8\n")
	if _, _, notes := tested.Run("predict", "-model", "S", "-inputs", "moved.csv", "-out", "G.npy"); !strings.Contains(notes, "moved.csv, line 3, input \"site\": found 8, but all runs have 7") {
		t.Errorf("predict of another site: %s", notes)
	}
	f, v, truth := readArray(t, "F.npy"), readArray(t, "V.npy"), readArray(t, "truth.npy").Float64s()
	if fmt.Sprint(f.Shape, v.Shape) != "[3 3 4] [3 3 4]" {
		t.Fatalf("shapes %v, %v", f.Shape, v.Shape)
	}
	for s, want := range truth {
		if got, sd := f.Float64s()[s], math.Sqrt(v.Float64s()[s]); math.Abs(got-want) > 0.03+4*sd || sd > 0.3 {
			t.Errorf("value %d: %v ± %v, want %v", s, got, sd, want)
		}
	}
	mustRun(t, "predict", "-model", "M", "-inputs", "inexact.csv", "-out", "I.npy", "-variance", "J.npy", "-sheet", "I.png")
	if v := readArray(t, "J.npy").Float64s(); v[11] > 0.01 || v[23] < 0.04 || v[35] < v[23] {
		t.Errorf("variances %v, %v, %v of a known input, one with an error, and a missing one", v[11], v[23], v[35])
	}
	if c, err := png.DecodeConfig(bytes.NewReader(read(t, "I.png"))); err != nil || c.Width < 8 {
		t.Errorf("sheet: %v, %v", c, err)
	}
	succeed(t, "sample", "-model", "M", "-inputs", "new.csv", "-count", "5", "-out", "S.npy")
	if s := readArray(t, "S.npy"); fmt.Sprint(s.Shape) != "[3 5 3 4]" {
		t.Errorf("draws of shape %v", s.Shape)
	}
	succeed(t, "predict", "-model", "M", "-inputs", "new.csv", "-grid", "7x5", "-out", "G.npy")
	if g := readArray(t, "G.npy"); fmt.Sprint(g.Shape) != "[3 5 7]" || math.Abs(g.Float64s()[0]-f.Float64s()[0]) > 1e-3 || math.Abs(g.Float64s()[34]-f.Float64s()[11]) > 1e-3 {
		t.Errorf("on a finer grid: shape %v, values %v", g.Shape, g.Float64s()[:2])
	}
	mustRun(t, "report", "-model", "M", "-out", "S.html")
	if page := string(read(t, "R.html")); page != string(read(t, "S.html")) || !strings.Contains(page, `"name":"pressure"`) || !strings.Contains(page, `"levels":["steel","wood"]`) {
		t.Error("the page has no sliders")
	}
	info := mustRun(t, "info", "-model", "M", "-write-config", "C.json")
	for _, want := range []string{"30 runs", "input \"pressure\"", "2 categories", "kernel", "error"} {
		if !strings.Contains(info, strings.ReplaceAll(want, `"`, "")) {
			t.Errorf("info has no %s:\n%s", want, info)
		}
	}
	mustRun(t, "train", "-data", "fields.npy", "-inputs", "runs.csv", "-config", "C.json", "-out", "N")
	a, _ := os.ReadFile("M")
	if b, _ := os.ReadFile("N"); string(a) != string(b) {
		t.Error("the configuration of info makes another emulator")
	}
}

// Broken values are told by line and column, and left out; outputs of one number a run may be an array of one axis; a column that counts the runs is no input; further runs are added
// and predicted from then on.
func TestEmulatorUpdate(t *testing.T) {
	workFolder(t)
	table := func(from, to int) (inputs, outputs string, line []float64) {
		inputs, outputs = "run,a,b\n", "out,twice\n"
		for i := from; i < to; i++ {
			a, b := math.Mod(float64(i)*0.618, 1), math.Mod(float64(i)*0.414, 1)
			line = append(line, math.Sin(3*a)+b)
			inputs += fmt.Sprintf("%d,%g,%g\n", i-from+1, a, b)
			outputs += fmt.Sprintf("%g,%g\n", line[i-from], 2*line[i-from]+a)
		}
		return inputs, outputs, line
	}
	inputs, outputs, line := table(0, 30)
	writeText(t, "good.csv", inputs)
	writeArray(t, "line.npy", npy.New(line, 30))
	lines := strings.Split(outputs, "\n")
	lines[4] = "-9999" + lines[4][strings.Index(lines[4], ","):]
	writeText(t, "out.csv", strings.Join(lines, "\n"))
	lines = strings.Split(inputs, "\n")
	lines[6], lines[9] = "6,1e6,0.5", "9,,0.5"
	writeText(t, "in.csv", strings.Join(lines, "\n"))
	code, _, notes := tested.Run("train", "-data", "out.csv", "-inputs", "in.csv", "-out", "M", "-effort", "quick")
	for _, want := range []string{`column "run" counts the runs`, `out.csv: line 5, column "out"`, "-keep-outliers keeps such values", `in.csv, line 7, input "a": 1e+06 lies far outside`, `in.csv, line 10, input "a": NaN`} {
		if code != 0 || !strings.Contains(notes, want) {
			t.Errorf("train: code %d, no %s in %s", code, want, notes)
		}
	}
	succeed(t, "train", "-data", "line.npy", "-inputs", "good.csv", "-out", "N", "-effort", "quick")
	inputs, _, more := table(30, 40)
	writeText(t, "more.csv", inputs)
	writeArray(t, "more.npy", npy.New(more, 10))
	if out := mustRun(t, "update", "-model", "N", "-data", "more.npy", "-inputs", "more.csv", "-out", "N2"); !strings.Contains(out, "10 runs added to 30") {
		t.Errorf("update: %s", out)
	}
	if info := mustRun(t, "info", "-model", "N2"); !strings.Contains(info, "40 runs") {
		t.Errorf("info: %s", info)
	}
	mustRun(t, "predict", "-model", "N2", "-inputs", "more.csv", "-out", "P.npy")
	if p := readArray(t, "P.npy"); fmt.Sprint(p.Shape) != "[10 1]" || math.Abs(p.Float64s()[3]-more[3]) > 1e-3 {
		t.Errorf("predicted %v, %v, want %v", p.Shape, p.Float64s()[3], more[3])
	}
	mustFail(t, 1, `~good.csv: 30 runs, expected 10 as more.npy has`, "update", "-model", "N", "-data", "more.npy", "-inputs", "good.csv", "-out", "N3")
}

// What is wrong with inputs is one line that names the file and the place.
func TestEmulatorRefuses(t *testing.T) {
	workFolder(t)
	writeRuns(t)
	mustRun(t, "train", "-data", "fields.npy", "-inputs", "runs.csv", "-effort", "quick", "-out", "M")
	mustRun(t, "compile", "-model", "M", "-type", "f32", "-out", "M.edge")
	if c, err := edge.OpenEmulator(read(t, "M.edge")); err != nil || len(c.About().Inputs) < 3 {
		t.Errorf("a compiled emulator: %v", err)
	}
	mustFail(t, 2, "compile: -held with an emulator, expected none", "compile", "-model", "M", "-out", "M.edge", "-held", "fields.npy")
	writeText(t, "glass.csv", "material,pressure,date\nglass,50000,2024-02-05\n")
	writeText(t, "word.csv", "material,pressure,date\nsteel,1,2024-02-05\nsteel,2,2024-02-05\nsteel,x,2024-02-05\n")
	writeText(t, "less.csv", "material,date\nsteel,2024-02-05\n")
	writeText(t, "short.csv", "a\n1\n2\n3\n")
	predict := func(inputs string) []string {
		return []string{"predict", "-model", "M", "-inputs", inputs, "-out", "F.npy"}
	}
	for _, c := range []struct {
		line string
		args []string
	}{
		{`glass.csv, line 2, input "material": found "glass", expected a category that the runs have: "steel", "wood"`, predict("glass.csv")},
		{`~word.csv: line 4, column "pressure": .*"x".*expected a number.*`, predict("word.csv")},
		{`~less.csv: .*no column "pressure".*`, predict("less.csv")},
		{`~fields.npy: .*3 runs, expected 30.*`, []string{"train", "-data", "fields.npy", "-inputs", "short.csv", "-out", "X"}},
		{`M: an emulator, which these take: predict -inputs, sample -inputs, update, invert, sensitivity, design, info, report`, []string{"impute", "-model", "M", "-data", "fields.npy", "-out", "X.npy"}},
	} {
		mustFail(t, 1, c.line, c.args...)
	}
	mustFail(t, 2, `train: -film with -inputs, expected one of the two`, "train", "-data", "fields.npy", "-film", "-inputs", "runs.csv", "-out", "X")
}
