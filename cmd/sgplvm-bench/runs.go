package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/experiment"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// runsSettings are the flags of runs.
type runsSettings struct {
	data, inputs, test, testInputs *string
	methods                        *string
	quick                          *bool
	seed                           *uint64
}

func runs(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "runs", `sgplvm-bench runs -data Y.npy -inputs X.csv -test Y2.npy -test-inputs X2.csv [flags]

Learns from runs of a simulator with known inputs and predicts others, by an emulator and by methods to compare with, and prints the mean
of the root mean squared errors of outputs, and the seconds; of the emulator also the mean negative log density and what 90 % intervals cover, of values that vary.`)
	s := runsSettings{
		data:       f.String("data", "", "the outputs of the runs: "+engine.DataUsage),
		inputs:     f.String("inputs", "", engine.InputsUsage),
		test:       f.String("test", "", "the outputs of other runs"),
		testInputs: f.String("test-inputs", "", "their inputs"),
		methods:    experiment.MethodsFlag(f, runMethods()),
		quick:      f.Toggle("quick", "a look: the emulator's kernels are shared by all components"),
		seed:       f.Seed("seed", 0, "the `number` that decides everything random"),
	}
	f.Everyday("data", "inputs", "test", "test-inputs", "methods")
	f.Examples("sgplvm-bench runs -data fields.npy -inputs runs.csv -test others.npy -test-inputs others.csv")
	if err := f.Read(args); err != nil {
		return err
	}
	if err := f.Require("data", "inputs", "test", "test-inputs"); err != nil {
		return err
	}
	return s.run(ctx, e)
}

func (s *runsSettings) run(ctx context.Context, e *cli.Environment) error {
	frames, y, err := outputs(*s.data)
	if err != nil {
		return err
	}
	defer frames.Close()
	others, truth, err := outputs(*s.test)
	if err != nil {
		return err
	}
	defer others.Close()
	in, err := dataset.LoadInputs(*s.inputs, "", nil)
	if err != nil {
		return err
	}
	defer in.Close()
	testIn, err := dataset.LoadInputs(*s.testInputs, "", nil)
	if err != nil {
		return err
	}
	defer testIn.Close()
	x, at, err := numbers(&in.Inputs, &testIn.Inputs, y.Rows, truth.Rows)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "%-14s %10s %8s %7s %8s\n", "method", "RMSE", "NLP", "cover", "seconds")
	for _, method := range runMethods() {
		if *s.methods != "all" && !slices.Contains(strings.Split(*s.methods, ","), method) {
			continue
		}
		begin := time.Now()
		if method == "sgplvm" {
			err = s.emulator(ctx, e, frames, in, testIn, truth, begin)
		} else {
			var p mat.Matrix
			if p, err = baseline.PredictRuns(ctx, method, baseline.Runs{X: x, Y: y}, at, *s.seed); err == nil {
				fmt.Fprintf(e.Stdout, "%-14s %10.4g %8s %7s %8.1f\n", method, meanError(p, truth), "", "", time.Since(begin).Seconds())
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// emulator prints the row of the emulator.
func (s *runsSettings) emulator(ctx context.Context, e *cli.Environment, frames *dataset.Training, in, testIn *dataset.Inputs, truth mat.Matrix, begin time.Time) error {
	d := sgplvm.Data{Source: frames, Inputs: &in.Inputs, Grid: frames.Grid}
	if d.Grid == nil {
		var err error
		if d.Grid, err = dataset.Grid(frames.Width, frames.Height, "product"); err != nil {
			return err
		}
	}
	cfg := sgplvm.Config{Seed: *s.seed}
	if *s.quick {
		cfg.Effort = sgplvm.EffortQuick
	}
	m, err := sgplvm.Emulate(ctx, d, cfg)
	if err != nil {
		return err
	}
	p, err := m.Predict(&testIn.Inputs)
	if err != nil {
		return err
	}
	took := time.Since(begin)
	mean, variance := mat.New(truth.Rows, truth.Cols), mat.New(truth.Rows, truth.Cols)
	nlp, within, count := 0., 0., 0.
	for i := range truth.Rows {
		p.MeanTo(mean.Row(i), i)
		p.VarianceTo(variance.Row(i), i)
		for k, v := range variance.Row(i) {
			if v > 0 {
				e2 := (mean.At(i, k) - truth.At(i, k)) * (mean.At(i, k) - truth.At(i, k)) / v
				nlp, count = nlp+0.5*(math.Log(2*math.Pi*v)+e2), count+1
				if e2 < 1.6448536269514722*1.6448536269514722 {
					within++
				}
			}
		}
	}
	fmt.Fprintf(e.Stdout, "%-14s %10.4g %8.3f %7.3f %8.1f\n", "sgplvm", meanError(mean, truth), nlp/count, within/count, took.Seconds())
	return nil
}

func runMethods() []string { return append([]string{"sgplvm"}, baseline.RunMethods()...) }

// outputs reads all outputs of a file, a run a row.
func outputs(path string) (*dataset.Training, mat.Matrix, error) {
	t, err := dataset.OpenWith(path, dataset.SetOptions{})
	if err != nil {
		return nil, mat.Matrix{}, err
	}
	y, err := all(t)
	return t, y, err
}

// all reads all values of a source, an example a row.
func all(s sgplvm.Source) (mat.Matrix, error) {
	n, points, channels := s.Dims()
	y := mat.New(n, points*channels)
	return y, s.ReadExamples(y.Data, 0, n)
}

// numbers returns inputs as numbers of mean 0 and deviation 1 over the runs: of fields the first principal components, at most 64 and half as many as there are
// runs, divided by the deviation of the first.
func numbers(in, test *sgplvm.Inputs, n, m int) (x, at mat.Matrix, err error) {
	x, at = mat.New(n, len(in.Columns)), mat.New(m, len(in.Columns))
	for q, c := range in.Columns {
		if c.Labels != nil || q >= len(test.Columns) || len(c.Numbers) != n || len(test.Columns[q].Numbers) != m {
			return x, at, fmt.Errorf("input %d, expected numbers for every run", q+1)
		}
		mean, square := 0., 0.
		for _, v := range c.Numbers {
			mean += v / float64(n)
		}
		for _, v := range c.Numbers {
			square += (v - mean) * (v - mean) / float64(n)
		}
		scale := math.Sqrt(square)
		if scale == 0 {
			scale = 1
		}
		for i, v := range c.Numbers {
			x.Set(i, q, (v-mean)/scale)
		}
		for i, v := range test.Columns[q].Numbers {
			at.Set(i, q, (v-mean)/scale)
		}
	}
	if in.Fields == nil || test.Fields == nil {
		return x, at, nil
	}
	a, err := all(in.Fields)
	if err != nil {
		return x, at, err
	}
	b, err := all(test.Fields)
	if err != nil {
		return x, at, err
	}
	xf, atf, err := components(a, b)
	return beside(x, xf), beside(at, atf), err
}

// components returns principal components of the rows of a, and those of b along them.
func components(a, b mat.Matrix) (x, at mat.Matrix, err error) {
	for k := range a.Cols {
		mean := 0.
		for i := range a.Rows {
			mean += a.At(i, k) / float64(a.Rows)
		}
		for _, y := range []mat.Matrix{a, b} {
			for i := range y.Rows {
				y.Set(i, k, y.At(i, k)-mean)
			}
		}
	}
	gram := mat.New(a.Rows, a.Rows)
	mat.Syrk(gram, 1, a, 0)
	s, err := eig.Sym(gram)
	if err != nil {
		return x, at, err
	}
	n, count := a.Rows, min(64, a.Rows/2)
	v := mat.New(a.Cols, count) // the components, times what makes the first one's deviation 1
	for j := range count {
		scale := math.Sqrt(float64(n) / (s.Values[n-1] * s.Values[n-1-j]))
		mat.Mul(v.Slice(0, a.Cols, j, j+1), scale, a.T(), s.Vectors.Slice(0, n, n-1-j, n-j), 0)
	}
	x, at = mat.New(n, count), mat.New(b.Rows, count)
	mat.Mul(x, 1, a, v, 0)
	mat.Mul(at, 1, b, v, 0)
	return x, at, nil
}

// beside returns the columns of a and then those of b.
func beside(a, b mat.Matrix) mat.Matrix {
	c := mat.New(b.Rows, a.Cols+b.Cols)
	mat.Copy(c.Slice(0, b.Rows, 0, a.Cols), a)
	mat.Copy(c.Slice(0, b.Rows, a.Cols, c.Cols), b)
	return c
}

// meanError returns the mean of the root mean squared errors of rows.
func meanError(p, truth mat.Matrix) float64 {
	sum := 0.
	for i := range p.Rows {
		square := 0.
		for k, v := range p.Row(i) {
			square += (v - truth.At(i, k)) * (v - truth.At(i, k))
		}
		sum += math.Sqrt(square/float64(p.Cols)) / float64(p.Rows)
	}
	return sum
}
