package reference

import (
	"embed"
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A Case is a model with its inputs and what a dense evaluation with 50 digits gives, without jitter, in
// the model's units. testdata/latent_kernels.py says more of its keys.
type Case struct {
	Name   string
	Beta   float64
	Latent struct {
		Variance    float64
		LengthScale []float64 // nil: no RBF part
		Linear      []float64 // nil: no linear part
		Bias        float64   // 0: no bias
	}
	Mu, S, Z Rows
	T        []float64 // times, of a dynamical case
	MuBar    Rows
	Lam      Rows
	TKern    Kern
	Spatial  []struct {
		Kern  Kern
		X, Xu Rows
		Tied  bool
	}
	Y        Rows
	Expected Expected
}

// Kern is a kernel of a Case.
type Kern struct {
	Kind        kernel.Kind
	Variance    float64
	LengthScale []float64
}

// Expected is what a Case must give.
type Expected struct {
	Bound, KL      float64
	Grad           map[string]json.RawMessage // see Slopes
	LatentMean     Rows                       `json:"latent_mean"`
	LatentVariance Rows                       `json:"latent_variance"`
	Forward        []struct {                 // predictions of f for a latent variable N(Mu, diag S)
		Mu, S []float64
		X     []Rows // points of each spatial factor
		Mean  Rows   // n_s*×d_y
		Cov   []Rows // for each channel n_s*×n_s*
	}
	Test struct { // L* of an example seen at some points of the training grid
		Mu, S    []float64
		Observed []int
		Y        Rows // a row for each of Observed
		Bound    float64
	}
}

// Digits is to what the model must agree with a Case, relative to the largest number and to 1. Of the 16
// digits of a float64 it leaves 6 to the condition of the cases' kernel matrices.
const Digits = 1e-10

//go:embed testdata/*.json testdata/holes/*.json testdata/views/*.json
var files embed.FS

// Cases reads the cases of testdata and those of the folder that KRONFIELD_REFERENCE names.
func Cases(t testing.TB) []*Case {
	t.Helper()
	inside, err := fs.Sub(files, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	folders := []fs.FS{inside}
	if more := os.Getenv("KRONFIELD_REFERENCE"); more != "" {
		folders = append(folders, os.DirFS(more))
	}
	var all []*Case
	for _, folder := range folders {
		names, err := fs.Glob(folder, "*.json")
		if err != nil || len(names) == 0 {
			t.Fatalf("no reference files (%v)", err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(folder, name)
			if err != nil {
				t.Fatal(err)
			}
			c := new(Case)
			if err := json.Unmarshal(text, c); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(c.Expected.Forward) == 0 || len(c.Expected.Test.Observed) == 0 {
				t.Errorf("%s: no predictions or no test bound", name)
			}
			all = append(all, c)
		}
	}
	return all
}

// Model returns the model of the case, without jitter and scaler.
func (c *Case) Model(t testing.TB) *Model {
	t.Helper()
	p := &bound.Params{Noise: bound.Noise{Beta: c.Beta}, Z: Matrix(t, c.Z)}
	if c.Latent.LengthScale != nil {
		p.Latent.Parts = append(p.Latent.Parts, &psi.RBF{Variance: c.Latent.Variance, LengthScale: c.Latent.LengthScale})
	}
	if c.Latent.Linear != nil {
		p.Latent.Parts = append(p.Latent.Parts, &psi.Linear{Variance: c.Latent.Linear})
	}
	if c.Latent.Bias != 0 {
		p.Latent.Parts = append(p.Latent.Parts, &psi.Bias{Variance: c.Latent.Bias})
	}
	if c.T == nil {
		p.X = bound.Latents{Mu: Matrix(t, c.Mu), S: Matrix(t, c.S)}
	} else {
		prior := dynamics.Prior{Times: c.T, Kernel: kernel.Kernel{Kind: c.TKern.Kind, LengthScale: c.TKern.LengthScale}}
		paths := &dynamics.Params{Prior: prior, MuBar: Matrix(t, c.MuBar), Lambda: Matrix(t, c.Lam)}
		p.X = bound.Latents{Mu: mat.New(len(c.T), paths.MuBar.Cols), S: mat.New(len(c.T), paths.MuBar.Cols), Paths: paths}
		SetMarginals(t, p)
	}
	m := &Model{Params: p, Y: Matrix(t, c.Y)}
	m.Scaler = Unscaled(m.Y.Cols)
	for _, s := range c.Spatial {
		own := bound.Spatial{Kernel: kernel.Kernel{Kind: s.Kern.Kind, Variance: s.Kern.Variance}}
		if own.Kernel.Kind != kernel.White {
			own.Kernel.LengthScale = s.Kern.LengthScale
		}
		if !s.Tied {
			own.Xu = Matrix(t, s.Xu)
		}
		m.Space = append(m.Space, Matrix(t, s.X))
		p.Space = append(p.Space, own)
	}
	if err := p.Validate(m.Space); err != nil {
		t.Fatal(err)
	}
	return m
}

// Slopes returns the expected derivatives by the names of the parameters: lists, matrices row by row.
func (c *Case) Slopes(t testing.TB) map[string][]float64 {
	t.Helper()
	all := map[string][]float64{}
	for name, raw := range c.Expected.Grad {
		var (
			number float64
			list   []float64
			rows   Rows
		)
		switch {
		case json.Unmarshal(raw, &number) == nil:
			all[name] = []float64{number}
		case json.Unmarshal(raw, &list) == nil:
			all[name] = list
		case json.Unmarshal(raw, &rows) == nil:
			all[name] = slices.Concat(rows...)
		default:
			t.Fatalf("%s: the derivative in %s is no number, list or matrix", c.Name, name)
		}
	}
	return all
}

// Matrix returns rows of equal lengths as a matrix.
func Matrix(t testing.TB, rows Rows) mat.Matrix {
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

// Grid returns the points of prediction number i.
func (c *Case) Grid(t testing.TB, i int) field.Grid {
	t.Helper()
	var g field.Grid
	for _, x := range c.Expected.Forward[i].X {
		g = append(g, Matrix(t, x))
	}
	return g
}
