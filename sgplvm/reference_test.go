package sgplvm

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// referenceCase is a model with its inputs and what a dense evaluation at 50
// digits gives.
type referenceCase struct {
	Name     string
	Beta     float64
	Latent   LatentKernel
	Mu, S, Z [][]float64
	T        []float64 // times, of a dynamical case
	MuBar    [][]float64
	Lam      [][]float64
	TKern    struct {
		Kind        KernelKind
		LengthScale []float64
	}
	Spatial []struct {
		Kern struct {
			Kind        KernelKind
			Variance    float64
			LengthScale []float64
		}
		X, Xu [][]float64
		Tied  bool
	}
	Y        [][]float64
	Expected struct {
		Bound, KL      float64
		Grad           map[string]json.RawMessage
		LatentMean     [][]float64 `json:"latent_mean"`
		LatentVariance [][]float64 `json:"latent_variance"`
		Forward        []struct {
			Mu, S []float64
			X     [][][]float64
			Mean  [][]float64
			Cov   [][][]float64
		}
		Test *struct {
			Mu, S    []float64
			Observed []int
			Y        [][]float64
			Bound    float64
		}
	}
}

func matrixOf(t *testing.T, rows [][]float64) mat.Matrix {
	t.Helper()
	if len(rows) == 0 {
		t.Fatal("empty matrix in a reference file")
	}
	m := mat.New(len(rows), len(rows[0]))
	for i, r := range rows {
		if len(r) != m.Cols {
			t.Fatalf("row %d has %d entries, row 0 has %d", i, len(r), m.Cols)
		}
		copy(m.Row(i), r)
	}
	return m
}

// model returns the case as a model in its own units, without jitter.
func (c *referenceCase) model(t *testing.T) *Model {
	t.Helper()
	p := &Params{Beta: c.Beta, Latent: c.Latent, Z: matrixOf(t, c.Z)}
	if c.T == nil {
		p.Mu, p.S = matrixOf(t, c.Mu), matrixOf(t, c.S)
	} else {
		p.Dynamics = Dynamics{Times: c.T, Kernel: TimeKernel{Kind: c.TKern.Kind, LengthScale: c.TKern.LengthScale[0]}}
		p.MuBar, p.Lambda = matrixOf(t, c.MuBar), matrixOf(t, c.Lam)
		p.Mu, p.S = mat.New(len(c.T), p.MuBar.Cols), mat.New(len(c.T), p.MuBar.Cols)
		if err := newTimePrior(p.Dynamics).set(p); err != nil {
			t.Fatal(err)
		}
	}
	y := matrixOf(t, c.Y)
	m := &Model{channels: y.Cols, params: p, scaler: Scaler{Mean: make([]float64, y.Cols), Scale: ones(y.Cols)}}
	for _, s := range c.Spatial {
		k := Kernel{s.Kern.Kind, s.Kern.Variance, s.Kern.LengthScale}
		if k.Kind == White {
			k.LengthScale = nil
		}
		xu := mat.Matrix{}
		if !s.Tied {
			xu = matrixOf(t, s.Xu)
		}
		m.space = append(m.space, matrixOf(t, s.X))
		p.Spatial = append(p.Spatial, k)
		p.Xu = append(p.Xu, xu)
	}
	if err := p.validate(m.space); err != nil {
		t.Fatal(err)
	}
	m.problem = problemOf(y, p.Mu.Rows, m.space, 0)
	return m
}

// agree fails unless max|got − want| ≤ 1e-10·max(1, max|want|).
func agree(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, expected %d", what, len(got), len(want))
		return
	}
	if err := disagreement(got, want); !(err <= 1e-10) {
		t.Errorf("%s: relative difference %.3g\n got %v\nwant %v", what, err, got, want)
	}
}

func disagreement(got, want []float64) float64 {
	scale, worst := 1.0, 0.0
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i, v := range want {
		worst = max(worst, math.Abs(got[i]-v)) // NaN stays NaN
	}
	return worst / scale
}

// flatten reads a number, a list or a list of lists.
func flatten(t *testing.T, raw json.RawMessage) []float64 {
	t.Helper()
	var one float64
	if json.Unmarshal(raw, &one) == nil {
		return []float64{one}
	}
	var list []float64
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	var rows [][]float64
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(rows...)
}

func TestReference(t *testing.T) {
	folders := []string{filepath.Join("testdata", "reference")}
	if dir := os.Getenv("KRONFIELD_REFERENCE"); dir != "" {
		folders = append(folders, dir)
	}
	for _, dir := range folders {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no reference files (%v)", dir, err)
		}
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) { checkReference(t, file) })
		}
	}
}

func readReference(t *testing.T, file string) *referenceCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := new(referenceCase)
	if err := json.Unmarshal(text, c); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return c
}

func checkReference(t *testing.T, file string) {
	c := readReference(t, file)
	m := c.model(t)
	p := m.params
	bound, err := m.problem.bound(p)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "bound", []float64{bound}, []float64{c.Expected.Bound})
	agree(t, "kl", []float64{m.problem.divergence(p)}, []float64{c.Expected.KL})
	agree(t, "latent mean", p.Mu.Data, slices.Concat(c.Expected.LatentMean...))
	agree(t, "latent variance", p.S.Data, slices.Concat(c.Expected.LatentVariance...))

	grad := p.clone()
	m.problem.gradientOf(grad, p, groupAll)
	got := map[string][]float64{
		"beta": {grad.Beta}, "Z": grad.Z.Data,
	}
	if p.dynamic() {
		got["mubar"], got["lam"], got["tkern.lengthscale"] = grad.MuBar.Data, grad.Lambda.Data, one(grad.Dynamics.Kernel.LengthScale)
	} else {
		got["mu"], got["S"] = grad.Mu.Data, grad.S.Data
	}
	if p.Latent.LengthScale != nil {
		got["latent.variance"], got["latent.lengthscale"] = one(grad.Latent.Variance), grad.Latent.LengthScale
	}
	if p.Latent.Linear != nil {
		got["latent.linear"] = grad.Latent.Linear
	}
	if p.Latent.Bias != 0 {
		got["latent.bias"] = one(grad.Latent.Bias)
	}
	for f, k := range grad.Spatial {
		got[fmt.Sprintf("spatial.%d.variance", f)] = []float64{k.Variance}
		if k.Kind != White {
			got[fmt.Sprintf("spatial.%d.lengthscale", f)] = k.LengthScale
		}
		if grad.Xu[f].Rows > 0 {
			got[fmt.Sprintf("spatial.%d.Xu", f)] = grad.Xu[f].Data
		}
	}
	for name, raw := range c.Expected.Grad {
		if got[name] == nil {
			t.Errorf("no gradient for %s", name)
			continue
		}
		agree(t, "gradient of "+name, got[name], flatten(t, raw))
		delete(got, name)
	}
	for name := range got {
		t.Errorf("the file has no gradient for %s", name)
	}

	if len(c.Expected.Forward) == 0 || c.Expected.Test == nil {
		t.Error("the file has no predictions or no test bound")
	}
	for i, f := range c.Expected.Forward {
		var g Grid
		for _, x := range f.X {
			g = append(g, matrixOf(t, x))
		}
		mean, cov, err := m.PredictCovariance(Latent{Mu: f.Mu, S: f.S}, g)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, fmt.Sprintf("forward %d mean", i), mean.Data, slices.Concat(f.Mean...))
		for channel := range cov {
			agree(t, fmt.Sprintf("forward %d covariance of channel %d", i, channel), cov[channel].Data, slices.Concat(f.Cov[channel]...))
		}
		marginal, err := m.Predict(Latent{Mu: f.Mu, S: f.S}, g)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, fmt.Sprintf("forward %d marginal mean", i), marginal.Mean.Data, slices.Concat(f.Mean...))
		for channel := range cov {
			for j := range marginal.Mean.Rows {
				agree(t, fmt.Sprintf("forward %d marginal variance", i),
					[]float64{marginal.Variance.At(j, channel) - 1/p.Beta}, []float64{f.Cov[channel][j][j]})
			}
		}
	}

	if test := c.Expected.Test; test != nil {
		values := mat.New(m.space.Len(), m.channels)
		values.Fill(math.NaN())
		for k, i := range test.Observed {
			copy(values.Row(i), test.Y[k])
		}
		q, err := m.ready()
		if err != nil {
			t.Fatal(err)
		}
		e, err := m.observe(q, Observed{Values: values})
		if err != nil {
			t.Fatal(err)
		}
		v := q.mustEvidence(e)
		got := v.bound(q.psi, q.psi.newScratch(), test.Mu, test.S, nil, nil)
		agree(t, "test bound", []float64{got}, []float64{test.Bound})
	}
}
