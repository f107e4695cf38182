package main

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// writeFlow writes runs of a simulator whose inputs are fields, and what is seen of two more outputs; and of the simulator of writeRuns what is seen of two outputs,
// of which the second is none of its own.
func writeFlow(t *testing.T) {
	t.Helper()
	var inputs, outputs []float64
	for i := range 32 {
		a, b := math.Sin(float64(i)*1.7), math.Cos(float64(i)*0.9+1)
		sum := 0.
		for s := range 12 {
			v := a*math.Sin(float64(s)/3) + b*math.Cos(float64(s)/5) + 0.01*math.Sin(float64(i*s))
			inputs = append(inputs, v)
			sum += math.Exp(v / 3)
			outputs = append(outputs, sum)
		}
	}
	writeArray(t, "conductivities30.npy", npy.New(inputs[:30*12], 30, 3, 4))
	writeArray(t, "flows.npy", npy.New(outputs[:30*12], 30, 3, 4))
	for i, v := range outputs[30*12:] {
		if outputs[30*12+i] = v + 0.002*math.Sin(float64(7*i)); i%3 == 1 {
			outputs[30*12+i] = math.NaN()
		}
	}
	writeArray(t, "pressures.npy", npy.New(outputs[30*12:], 2, 3, 4))
	writeArray(t, "flow_truth.npy", npy.New(inputs[30*12:], 2, 3, 4))
	seen := slices.Clone(readArray(t, "truth.npy").Float64s())
	strange := make([]float64, 12)
	for s := range seen {
		strange[s] = 40 * float64(s%2)
		if s%4 == 2 {
			seen[s] = math.NaN()
		}
	}
	writeArray(t, "measured.npy", npy.New(append(seen, strange...), 2, 3, 4))
}

// invert finds the date, the pressure and the material behind a field that was seen in part, in a table that predict takes, and says of a field of another kind that no
// input explains it; fields come back as fields; sensitivity and design tell of the same inputs.
func TestInvert(t *testing.T) {
	workFolder(t)
	writeRuns(t)
	writeFlow(t)
	mustRun(t, "train", "-data", "fields.npy", "-inputs", "runs.csv", "-effort", "quick", "-out", "M")
	mustRun(t, "train", "-data", "flows.npy", "-inputs", "conductivities30.npy", "-effort", "quick", "-out", "F")
	code, _, notes := tested.Run("invert", "-model", "M", "-data", "measured.npy", "-errors", "0.01", "-out", "I.csv", "-samples", "S.csv", "-count", "100")
	if code != 0 || !strings.Contains(notes, "1 output of 2 (number 1, from 0, first) no input explains") {
		t.Errorf("invert: %s", notes)
	}
	table := readTable(t, "I.csv")
	at := func(name string) string { return table[1][slices.Index(table[0], name)] }
	if at("material") != "steel" {
		t.Errorf("material %s", at("material"))
	}
	for name, want := range map[string]float64{"date": 19723 + 35, "pressure": 50000} { // 2024-02-05 in days since 1970
		got, _ := strconv.ParseFloat(at(name), 64)
		deviation, _ := strconv.ParseFloat(at(name+"_deviation"), 64)
		if !(math.Abs(got-want) < 5*deviation && deviation < 0.1*want) {
			t.Errorf("%s: %v ± %v, want %v", name, got, deviation, want)
		}
	}
	if s := readTable(t, "S.csv"); len(s) != 201 || strings.Join(s[0], " ") != "example draw date pressure material" {
		t.Errorf("%d draws of %v", len(s)-1, s[0])
	}
	mustRun(t, "predict", "-model", "M", "-inputs", "I.csv", "-out", "P.npy")
	for k, want := range readArray(t, "truth.npy").Float64s() {
		if got := readArray(t, "P.npy").Float64s()[k]; math.Abs(got-want) > 0.1 {
			t.Errorf("value %d: %v, want %v", k, got, want)
		}
	}
	mustRun(t, "invert", "-model", "F", "-data", "pressures.npy", "-errors", "0.002", "-effort", "quick", "-out", "K.npy", "-variance", "V.npy", "-samples", "D.npy")
	k, v, truth := readArray(t, "K.npy"), readArray(t, "V.npy").Float64s(), readArray(t, "flow_truth.npy").Float64s()
	if len(k.Shape) != 3 || readArray(t, "D.npy").Shape[1] != 100 {
		t.Errorf("shape %v, draws %v", k.Shape, readArray(t, "D.npy").Shape)
	}
	for i, want := range truth {
		if got := k.Float64s()[i]; math.Abs(got-want) > 0.02+5*math.Sqrt(v[i]) || v[i] > 0.1 {
			t.Errorf("input %d: %v ± %v, want %v", i, got, math.Sqrt(v[i]), want)
		}
	}
	mustRun(t, "sensitivity", "-model", "M", "-out", "T.csv", "-first", "A.npy", "-sheet", "S.png", "-points", "512")
	if a := readArray(t, "A.npy"); readTable(t, "T.csv")[3][0] != "material" || a.Shape[0] != 3 {
		t.Errorf("table %v, maps %v", readTable(t, "T.csv"), a.Shape)
	}
	mustRun(t, "design", "-model", "M", "-count", "2", "-out", "N.csv")
	mustRun(t, "predict", "-model", "M", "-inputs", "N.csv", "-out", "P.npy")
	mustRun(t, "design", "-model", "F", "-candidates", "flow_truth.npy", "-count", "2", "-out", "N.csv")
	if n := readTable(t, "N.csv"); len(n) != 3 || n[1][0] == n[2][0] {
		t.Errorf("runs %v", n)
	}
}

func readTable(t *testing.T, name string) [][]string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// What is wrong is one line that names the file or the flag.
func TestInvertRefuses(t *testing.T) {
	workFolder(t)
	writeRuns(t)
	writeFlow(t)
	mustRun(t, "train", "-data", "fields.npy", "-inputs", "runs.csv", "-effort", "quick", "-out", "M")
	mustRun(t, "train", "-data", "flows.npy", "-inputs", "conductivities30.npy", "-effort", "quick", "-out", "F")
	bad := readArray(t, "pressures.npy").Float64s()
	for i := range bad {
		bad[i] = -1
	}
	writeArray(t, "negative.npy", npy.New(bad, 2, 3, 4))
	writeArray(t, "small.npy", npy.New(bad[:6], 1, 2, 3))
	invert := func(model string, more ...string) []string {
		return append([]string{"invert", "-model", model, "-data", "pressures.npy"}, more...)
	}
	for _, c := range []struct {
		code int
		line string
		args []string
	}{
		{2, `~.*-out "I.npy" of inputs in a table, expected a name that ends in .csv.*`, invert("M", "-out", "I.npy")},
		{2, `~.*-fields with inputs that are a table, expected none.*`, invert("M", "-out", "I.csv", "-fields", "G.npy")},
		{2, `~.*-errors -1, expected a number of 0 or more, or a file.*`, invert("M", "-out", "I.csv", "-errors", "-1")},
		{1, `~.*none.npy.*`, invert("M", "-out", "I.csv", "-errors", "none.npy")},
		{1, `~pressures.npy: example 0, point 0, channel 0: value -1, expected a standard error of 0 or more`, invert("M", "-out", "I.csv", "-errors", "negative.npy")},
		{1, `~small.npy: .*`, []string{"invert", "-model", "M", "-data", "small.npy", "-out", "I.csv"}},
		{2, `~.*-model fields.npy, which is no emulator: train -inputs makes one.*`, invert("fields.npy", "-out", "I.csv")},
		{2, `~.*-out "S.npy", expected a name that ends in .csv.*`, []string{"sensitivity", "-model", "M", "-out", "S.npy"}},
		{1, `~F: .*none for inputs that are fields, expected some`, []string{"design", "-model", "F", "-out", "N.csv"}},
		{1, `~flow_truth.npy: .*3 of 2 candidates, expected 1 to 2`, []string{"design", "-model", "F", "-candidates", "flow_truth.npy", "-count", "3", "-out", "N.csv"}},
	} {
		mustFail(t, c.code, c.line, c.args...)
	}
}
