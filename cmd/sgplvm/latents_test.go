package main

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// The table has what the model says: of training examples, at times and of examples seen in part; as an array and as text.
func TestLatents(t *testing.T) {
	workFolder(t)
	writeArray(t, "times.npy", npy.New([]float64{0, 1, 2, 4, 5, 6, 8, 9, 10}, testTraining))
	writeArray(t, "at.npy", npy.New([]float64{0.5, 3, 11}, testNew))
	steps(t, 8)
	mustRun(t, "train", "-config", "steps8.json", "-data", "train.npy", "-times", "times.npy", "-out", "timed")
	seen := readArray(t, "seen.npy").Float64s()
	at := func(m *sgplvm.Model) func(i int) sgplvm.Latent {
		return func(i int) sgplvm.Latent {
			l, err := m.LatentAt(0, []float64{0.5, 3, 11})
			if err != nil {
				t.Fatal(err)
			}
			return l[i]
		}
	}
	observed := func(m *sgplvm.Model, prior func(i int) sgplvm.Latent) func(i int) sgplvm.Latent {
		return func(i int) sgplvm.Latent {
			obs := sgplvm.Observed{Values: mat.NewDense(testPoints, 1, seen[i*testPoints:(i+1)*testPoints])}
			if prior != nil {
				l := prior(i)
				obs.Prior = &l
			}
			l, err := m.Infer(context.Background(), obs, sgplvm.InferOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
	}
	plain, timed := loadTestModel(t, "model"), loadTestModel(t, "timed")
	for _, c := range []struct {
		args  string
		model *sgplvm.Model
		rows  int
		of    func(i int) sgplvm.Latent
	}{
		{"-model model", plain, testTraining, plain.TrainingLatent},
		{"-model timed", timed, testTraining, timed.TrainingLatent},
		{"-model timed -times at.npy", timed, testNew, at(timed)},
		{"-model model -data seen.npy", plain, testNew, observed(plain, nil)},
		{"-model timed -data seen.npy -times at.npy", timed, testNew, observed(timed, at(timed))},
		{"-model timed -data seen.npy", timed, testNew, observed(timed, nil)},
	} {
		for _, out := range []string{"table.npy", "table.csv"} {
			mustRun(t, append(strings.Fields("latents "+c.args), "-out", out)...)
		}
		table := readArray(t, "table.npy")
		d := len(c.of(0).Mu)
		columns := 2 * d
		if c.model == timed {
			columns += 2
		}
		if len(table.Shape) != 2 || table.Shape[0] != c.rows || table.Shape[1] != columns {
			t.Fatalf("%s: shape %v, expected %d×%d", c.args, table.Shape, c.rows, columns)
		}
		var want []float64
		for i := range c.rows {
			l := c.of(i)
			want = append(want, l.Mu...)
			for _, s := range l.S {
				want = append(want, math.Sqrt(s))
			}
			if c.model == timed && l.At != nil {
				want = append(want, l.At.Time, 0)
			} else if c.model == timed {
				want = append(want, math.NaN(), math.NaN())
			}
		}
		sameBits(t, c.args, table.Float64s(), want)
		lines := strings.Split(strings.TrimSpace(string(read(t, "table.csv"))), "\n")
		if len(lines) != 1+c.rows || !strings.HasPrefix(lines[0], "mean1,") || strings.Count(lines[0], ",") != columns-1 || strings.HasSuffix(lines[0], ",time,sequence") != (c.model == timed) {
			t.Errorf("%s: %d lines, the first %s", c.args, len(lines), lines[0])
		}
		sameBits(t, c.args+", as text", tableValues(t, "table.csv", columns), want)
	}
	mustFail(t, 2, "latents: -out is missing, expected the file for the table, .npy or .csv", "latents", "-model", "model")
	mustFail(t, 2, `latents: -out "folder", expected a name that ends in .npy, .csv, .tsv, .tab, .txt, .dat, .cnv`, "latents", "-model", "model", "-out", "folder")
	mustFail(t, 2, `latents: -out "l.md", expected a name that ends in .npy, .csv, .tsv, .tab, .txt, .dat, .cnv`, "latents", "-model", "model", "-out", "l.md")
	mustFail(t, 2, "latents: -observed without -data, expected both", "latents", "-model", "model", "-observed", "mask.npy", "-out", "l.csv")
	mustFail(t, 2, "latents: -times with a model that was trained without any, expected none", "latents", "-model", "model", "-times", "at.npy", "-out", "l.csv")
}
