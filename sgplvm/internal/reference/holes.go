package reference

import (
	"encoding/json"
	"io/fs"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A HolesCase is a model of data with holes; testdata/holes.py says what its keys are.
type HolesCase struct {
	Case
	Seen     [][]bool
	Errors   Rows
	Basis    json.RawMessage // parameters in the place of those of the case
	Expected struct {
		Bound, Gap float64
		Grad       map[string]json.RawMessage
		Fresh      struct{ Bound, Gap float64 }
	}
}

// HolesCases reads the cases of testdata/holes.
func HolesCases(t testing.TB) []*HolesCase {
	t.Helper()
	names, err := fs.Glob(files, "testdata/holes/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no reference files (%v)", err)
	}
	var all []*HolesCase
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		c := new(HolesCase)
		if err := json.Unmarshal(text, c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		c.Case.Expected.Grad = c.Expected.Grad
		all = append(all, c)
	}
	return all
}

// Model returns the model of the case with NaN for what is missing.
func (c *HolesCase) Model(t testing.TB) *Model {
	t.Helper()
	m := c.Case.Model(t)
	for i, row := range c.Seen {
		for k, seen := range row {
			if !seen {
				m.Y.Set(i, k, math.NaN())
			}
		}
	}
	if c.Errors != nil {
		m.Errors = Matrix(t, c.Errors)
	}
	return m
}

// BasisModel returns the model with the parameters to which T belongs.
func (c *HolesCase) BasisModel(t testing.TB) *Model {
	t.Helper()
	b := *c
	b.Spatial, b.Mu, b.S, b.MuBar, b.Lam, b.Z = nil, nil, nil, nil, nil, nil
	b.Latent.LengthScale, b.Latent.Linear = nil, nil
	if err := json.Unmarshal(c.Basis, &b.Case); err != nil {
		t.Fatal(err)
	}
	return b.Model(t)
}

// Hide returns which values of a random model are missing: a share of them, and, where there are several, an
// example and a point. It does not hide everything.
func (m *Model) Hide(missing func(example, point, channel int) bool) {
	points := m.Space.Len()
	whole := m.Y.Clone()
	seen := 0
	for i := range m.Y.Rows {
		for c := range m.Y.Cols {
			if missing(i/points, i%points, c) {
				m.Y.Set(i, c, math.NaN())
			} else {
				seen++
			}
		}
	}
	if seen == 0 {
		mat.Copy(m.Y.Slice(0, 1, 0, m.Y.Cols), whole.Slice(0, 1, 0, m.Y.Cols))
	}
}
