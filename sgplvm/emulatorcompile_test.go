package sgplvm_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

// A compiled emulator of a table with a category, of one whose logarithms count, of input fields, and of outputs whose logarithm and logit count predicts what the emulator does, and allocates nothing; every byte that is changed
// is noticed.
func TestCompiledEmulator(t *testing.T) {
	for _, inputs := range []string{"table", "logarithms", "fields", "transforms"} {
		d, fields, logs := simulated(40), inputs == "fields", inputs == "logarithms"
		if logs {
			for i, v := range d.Inputs.Columns[0].Numbers {
				d.Inputs.Columns[0].Numbers[i] = math.Exp(8 * v)
			}
		}
		if fields {
			field := mat.New(40*7, 1)
			for i := range 40 {
				for s := range 7 {
					field.Data[7*i+s] = 3 + 2*math.Cos(float64(i)*0.37+float64(s)) + math.Sin(float64(i*s)*0.11)
				}
			}
			d.Inputs.Fields = sgplvm.NewSource(field.Data, 40, 7, 1)
		}
		if inputs == "transforms" {
			for i := range d.Y.Rows {
				row := d.Y.Row(i)
				row[0], row[1] = 1/(1+math.Exp(-3*row[0])), math.Exp(6*row[0])
			}
		}
		m := emulated(t, d)
		if t1 := strings.Join(m.Transforms(), " "); t1 != map[string]string{"transforms": "logit log"}[inputs] {
			t.Fatalf("%s: values count by %s", inputs, t1)
		}
		if columns, _, _ := m.Inputs(); columns[0].Log != logs {
			t.Fatalf("%s: logarithms count: %v", inputs, columns[0].Log)
		}
		want, err := m.Predict(d.Inputs)
		if err != nil {
			t.Fatal(err)
		}
		for kind, tolerance := range map[edge.Type]float64{edge.Float64: 1e-6, edge.Float32: 1e-4} {
			file := m.Compile(kind, "5x4")
			c, err := edge.OpenEmulator(file)
			if err != nil {
				t.Fatal(err)
			}
			about := c.About()
			if strings.Join(about.Inputs, " ") != "a b kind=p kind=q" || about.Label != "5x4" || about.Points != 20 || about.Channels != 2 || about.Field > 0 != fields {
				t.Errorf("it tells %v", about)
			}
			w, mean, deviation := c.NewWorkspace(), make([]float64, 40), make([]float64, 40)
			wantMean, wantVariance := make([]float64, 40), make([]float64, 40)
			for i := range 40 {
				input := []float64{d.Inputs.Columns[0].Numbers[i], d.Inputs.Columns[1].Numbers[i], float64(1 - i%2), float64(i % 2)}
				if fields {
					row := make([]float64, 7)
					if err := d.Inputs.Fields.ReadExamples(row, i, i+1); err != nil {
						t.Fatal(err)
					}
					input = append(input, row...)
				}
				if err := w.Predict(mean, deviation, input); err != nil {
					t.Fatal(err)
				}
				want.MeanTo(wantMean, i)
				want.VarianceTo(wantVariance, i)
				for k, v := range wantMean {
					scale := m.Deviations()[k%2]
					if m.Transforms() != nil { // of t
						scale *= []float64{v * (1 - v), v}[k%2]
					}
					if math.Abs(mean[k]-v) > tolerance*scale || math.Abs(deviation[k]*deviation[k]-wantVariance[k]) > 1e-5*wantVariance[k]+tolerance*0.05*scale*scale {
						t.Fatalf("%v, run %d, value %d: %v ± %v, expected %v ± %v", kind, i, k, mean[k], deviation[k], v, math.Sqrt(wantVariance[k]))
					}
				}
				if n := testing.AllocsPerRun(2, func() { _ = w.Predict(mean, deviation, input) }); n > 0 {
					t.Fatalf("a prediction allocates %v times", n)
				}
				var value *edge.ValueError
				if input[0] = -1; logs {
					if err := w.Predict(mean, deviation, input); !errors.As(err, &value) || value.Index != 0 {
						t.Fatalf("-1 where logarithms count: %v", err)
					}
				}
				input[0], input[1] = 1, math.NaN()
				if err := w.Predict(mean, deviation, input); !errors.As(err, &value) || value.Index != 1 {
					t.Fatalf("NaN as an input: %v", err)
				}
			}
			for at := 0; at < len(file); at += 1 + len(file)/500 {
				file[at] ^= 4
				if _, err := edge.OpenEmulator(file); err == nil {
					t.Fatalf("byte %d was changed, and nobody noticed", at)
				}
				file[at] ^= 4
			}
		}
	}
}
