package main

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

// A compiled file fills in what the model does, within the digits of its type, and the command tells what it costs.
func TestCompile(t *testing.T) {
	workFolder(t)
	m := loadTestModel(t, "model")
	seen := holes(newFaces())
	for kind, bound := range map[string]float64{"f64": 1e-8, "f32": 1e-4, "f16": 0.05} {
		out := mustRun(t, "compile", "-model", "model", "-type", kind, "-out", kind+".edge")
		for _, want := range []string{kind, "half", "a tenth", "multiplications"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the output lacks %q:\n%s", kind, want, out)
			}
		}
		if strings.Contains(out, "loss of accuracy") != (kind != "f64") {
			t.Errorf("%s: the loss of accuracy, or none:\n%s", kind, out)
		}
		mean, variance := filledByEdge(t, kind+".edge", testPoints, seen)
		for i := range testNew {
			values := seen[i*testPoints : (i+1)*testPoints]
			want, _, err := m.Impute(t.Context(), sgplvm.Observed{Values: mat.NewDense(testPoints, 1, values)}, sgplvm.InferOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range want.Variance.Data {
				if at := i*testPoints + k; math.Abs(mean[at]-want.Mean.Data[k]) > bound*math.Sqrt(v) || math.Abs(variance[at]-v) > bound*v {
					t.Fatalf("%s: picture %d, point %d: %v and %v, expected %v and %v", kind, i, k, mean[at], variance[at], want.Mean.Data[k], v)
				}
			}
		}
	}
	mustRun(t, "compile", "-model", "model", "-grid", "3x4", "-out", "small.edge")
	if c, err := edge.Open(read(t, "small.edge")); err != nil || c.Points() != 12 || c.About().Label != "3x4" || c.About().Height != 4 {
		t.Errorf("a grid of 3×4: %v", err)
	}
	mustFail(t, 1, "~.*Held: edge: the model's examples have no times.*", "compile", "-model", "model", "-held", "truth.npy", "-out", "held.edge")
	writeArray(t, "times.npy", npy.New([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}[:testTraining], testTraining))
	mustRun(t, "train", "-data", "train.npy", "-times", "times.npy", "-config", steps(t, 3), "-out", "timed")
	if out := mustRun(t, "compile", "-model", "timed", "-held", "truth.npy", "-units", "grey", "-out", "held.edge"); !strings.Contains(out, "alarms             false ones at rates from ") {
		t.Errorf("nothing is said of alarms:\n%s", out)
	}
	if out := mustRun(t, "compile", "-model", "timed", "-learn", "-out", "learn.edge"); !strings.Contains(out, "learning           ") {
		t.Errorf("nothing is said of learning:\n%s", out)
	}
	mustFail(t, 1, "~.*Learn: a model of examples without times.*", "compile", "-model", "model", "-learn", "-out", "learn.edge")
	if c, err := edge.Open(read(t, "held.edge")); err != nil || c.About().Units != "grey" || c.About().Spacing != 1 {
		t.Errorf("what a file with alarms tells: %v", err)
	}
	if _, err := os.Stat("none.edge"); err == nil {
		t.Error("a file of nothing")
	}
	mustFail(t, 2, `compile: invalid value "f8" for flag -type: expected f64, f32 or f16 (sgplvm compile -h explains the flags)`, "compile", "-model", "model", "-out", "a", "-type", "f8")
}
