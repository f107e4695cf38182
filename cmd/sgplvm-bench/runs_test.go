package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/clitest"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// writeRuns writes n runs of a smooth function of two inputs: outputs and a table.
func writeRuns(t *testing.T, outputs, inputs string, n int, start float64) {
	t.Helper()
	var y []float64
	table := "a,b\n"
	for i := range n {
		a, b := math.Mod(start+0.618*float64(i), 1), math.Mod(start+0.4142*float64(i), 1)
		table += fmt.Sprintf("%v,%v\n", a, b)
		for s := range 15 {
			y = append(y, math.Sin(5*a+float64(s)/5)+b*b*float64(s)/10)
		}
	}
	clitest.WriteArray(t, outputs, npy.New(y, n, 15))
	clitest.Write(t, inputs, []byte(table))
}

// Of a smooth function of two inputs every method but the mean predicts runs better than the mean, and processes better than ridge regression and the nearest run.
func TestRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRuns(t, "y.npy", "x.csv", 40, 0)
	writeRuns(t, "y2.npy", "x2.csv", 20, 0.37)
	code, out, notes := tested.Run("runs", "-data", "y.npy", "-inputs", "x.csv", "-test", "y2.npy", "-test-inputs", "x2.csv", "-quick")
	if code != 0 {
		t.Fatal(notes)
	}
	errors := map[string]float64{}
	for _, line := range strings.Split(out, "\n")[1:] {
		var name string
		var e float64
		if n, _ := fmt.Sscan(line, &name, &e); n == 2 {
			errors[name] = e
		}
	}
	for _, name := range []string{"sgplvm", "rbf", "components-gp", "pp-gasp"} {
		if e := errors[name]; !(e > 0 && e < errors["ridge"]/3 && e < errors["nearest"]/3 && errors["ridge"] < errors["mean"]) {
			t.Errorf("errors %v", errors)
		}
	}
}
