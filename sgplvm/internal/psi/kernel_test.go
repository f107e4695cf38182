package psi

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/internal/record"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Names{
		"rbf": {"rbf"}, "linear": {"linear"}, "bias": {"bias"}, "time": {"time"}, "rbf+linear": {"rbf", "linear"},
		"bias+rbf": {"rbf", "bias"}, "time+bias+linear+rbf": {"rbf", "linear", "bias", "time"},
	} {
		got, err := Parse(text)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %v, error %v", text, got, err)
		}
	}
	for _, text := range []string{"", "+", "rbf+", "+rbf", "rbf++bias", "rbf+rbf", "bias+linear+bias", "RBF", " rbf", "rbf, linear", "rbf linear", "matern32", "rbf*linear", "0", "1"} {
		got, err := Parse(text)
		if err == nil || got != nil || err.Error() != "expected rbf, linear, bias or time, or a sum of different ones, as rbf+linear" {
			t.Errorf("%q: %v, error %v", text, got, err)
		}
	}
	for _, names := range everySum() {
		if got, err := Parse(names.String()); err != nil || !cmp.Equal(got, names) {
			t.Errorf("%v read again: %v, error %v", names, got, err)
		}
	}
}

// The table's names are the parts' own, and each part says what it contributes to Ψ1.
func TestTable(t *testing.T) {
	for _, row := range table {
		p := row.empty()
		if p.Name() != row.name {
			t.Errorf("%s calls itself %s", row.name, p.Name())
		}
		_, a := p.(sloped)
		_, b := p.(constant)
		_, c := p.(timed)
		_, d := p.(nonlinear)
		if affine := a || b || c; affine == d {
			t.Errorf("%s: affine %v, nonlinear %v, expected one of them", row.name, affine, d)
		}
	}
}

// store is a model file in memory.
type store struct {
	numbers map[string][]float64
	text    map[string]string
	err     error
}

func (s *store) Numbers(name string, v []float64) { s.numbers[name] = v }
func (s *store) Text(name, value string)          { s.text[name] = value }

type storeReader struct{ *store }

func (s storeReader) Has(name string) bool          { return s.numbers[name] != nil }
func (s storeReader) Numbers(name string) []float64 { return s.numbers[name] }
func (s storeReader) Text(name string) string       { return s.text[name] }
func (s storeReader) Fail(err error)                { s.err = err }
func (s storeReader) Number(name string) float64 {
	if len(s.numbers[name]) != 1 {
		s.Fail(fmt.Errorf("%s: %d numbers", name, len(s.numbers[name])))
		return 0
	}
	return s.numbers[name][0]
}

func init() { record.Register(Parts()...) }

// A kernel comes back from a file, from package record and from Clone as it was.
func TestKernelCopies(t *testing.T) {
	for i, names := range everySum() {
		k := randomProblem(rand.New(rand.NewPCG(60, uint64(i))), names, 1, 1, 3, 1).k
		same := func(how string, got Kernel) {
			t.Helper()
			if d := cmp.Diff(k, got); d != "" || !cmp.Equal(got.Names(), names) {
				t.Errorf("%v, %s (−want +got):\n%s", names, how, d)
			}
		}
		file := &store{map[string][]float64{}, map[string]string{}, nil}
		k.Save(file)
		same("saved and loaded", Load(storeReader{file}))
		if file.err != nil {
			t.Error(file.err)
		}
		var b bytes.Buffer
		var decoded Kernel
		if err := record.Write(&b, k); err != nil {
			t.Fatal(err)
		}
		if err := record.Read(&b, &decoded); err != nil {
			t.Fatal(err)
		}
		same("by record", decoded)
		clone := k.Clone()
		same("cloned", clone)
		clone.Zero()
		if cmp.Equal(k, clone) || !cmp.Equal(clone.Names(), names) {
			t.Errorf("%v: a clone of zeros is %v", names, clone)
		}
	}
}

// The names in files do not change.
func TestFileNames(t *testing.T) {
	k := Kernel{[]Part{&RBF{2, []float64{3, 4}}, &Linear{[]float64{5, 6}}, &Bias{7}, &Time{8, kernel.Kernel{Kind: kernel.Matern32, LengthScale: one(1.5)}}}}
	got := &store{map[string][]float64{}, map[string]string{}, nil}
	k.Save(got)
	want := &store{map[string][]float64{"latent.variance": {2}, "latent.lengthscale": {3, 4}, "latent.linear": {5, 6}, "latent.bias": {7}, "latent.time.variance": {8}},
		map[string]string{"latent.time.kernel": "matern32(1.5)"}, nil}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(store{})); d != "" {
		t.Errorf("−want +got:\n%s", d)
	}
	got.text["latent.time.kernel"] = "matern32("
	if Load(storeReader{got}); got.err == nil || !strings.HasPrefix(got.err.Error(), "metadata entry latent.time.kernel: ") {
		t.Errorf("a kernel that cannot be read: error %v", got.err)
	}
}

func TestValidate(t *testing.T) {
	good := func() Kernel {
		return Kernel{[]Part{&RBF{1, []float64{1, 1}}, &Linear{[]float64{1, 1}}, &Bias{1}, &Time{1, kernel.Kernel{Kind: kernel.RBF, LengthScale: one(1)}}}}
	}
	if err := good().Validate(2, true); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		want  string
		spoil func(k *Kernel)
	}{
		{"kernel has no part, expected one of rbf, linear, bias or time", func(k *Kernel) { k.Parts = nil }},
		{"kernel of the parts [linear rbf], expected different ones of [rbf linear bias time] in this order", func(k *Kernel) { k.Parts = []Part{k.Parts[1], k.Parts[0]} }},
		{"kernel of the parts [bias bias], expected different ones", func(k *Kernel) { k.Parts = []Part{k.Parts[2], k.Parts[2]} }},
		{"kernel has 1 length scales, expected 2", func(k *Kernel) { k.Parts[0].(*RBF).LengthScale = one(1) }},
		{"rbf kernel: variance -1", func(k *Kernel) { k.Parts[0].(*RBF).Variance = -1 }},
		{"rbf kernel: length scale NaN of dimension 0", func(k *Kernel) { k.Parts[0].(*RBF).LengthScale[0] = math.NaN() }},
		{"kernel has 0 linear variances, expected 2", func(k *Kernel) { k.Parts[1] = &Linear{} }},
		{"linear variance 0 of dimension 1, expected a positive number", func(k *Kernel) { k.Parts[1].(*Linear).Variance[1] = 0 }},
		{"bias +Inf, expected a positive number", func(k *Kernel) { k.Parts[2] = &Bias{math.Inf(1)} }},
		{"bias 0, expected a positive number", func(k *Kernel) { k.Parts[2] = &Bias{} }},
		{"time part: variance 0, expected a positive number", func(k *Kernel) { k.Parts[3].(*Time).Variance = 0 }},
		{"time kernel", func(k *Kernel) { k.Parts[3].(*Time).Kernel.Kind = "nothing" }},
	} {
		k := good()
		c.spoil(&k)
		if err := k.Validate(2, true); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, expected %q", err, c.want)
		}
	}
	if err := good().Validate(2, false); err == nil || err.Error() != "kernel has a time part, but the examples have no times" {
		t.Errorf("without times: error %v", err)
	}
}

// The parts start with the variances that principal components and the mean of the examples
// have, over that of the spatial kernels.
func TestStart(t *testing.T) {
	s := Setting{Fractions: []float64{0.64, 0.25, 0}, Common: 0.2, Spatial: 4, Time: kernel.Kernel{Kind: kernel.Matern32, LengthScale: one(2)}}
	got, err := Start(Names{"rbf", "linear", "bias", "time"}, s)
	if err != nil {
		t.Fatal(err)
	}
	want := Kernel{[]Part{&RBF{1, []float64{1.25, 2, 1 / math.Sqrt(1e-3)}}, &Linear{[]float64{0.8 * 0.64 / 4, 0.8 * 0.25 / 4, 1e-3 / 4}}, &Bias{0.05}, &Time{0.1 / 4, s.Time}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("−want +got:\n%s", d)
	}
	if got, err := Start(nil, s); err != nil || got.Names().String() != "rbf" {
		t.Errorf("by default %v, error %v", got.Names(), err)
	}
	s.Time = kernel.Kernel{}
	if _, err := Start(Names{"time"}, s); err == nil || err.Error() != "a time part, but the examples have no times" {
		t.Errorf("without times: error %v", err)
	}
}

// Each part has its place among the variables, and one that an optimiser drives towards
// nothing is still there.
func TestVisit(t *testing.T) {
	k := Kernel{[]Part{&RBF{2, []float64{3, 4}}, &Linear{[]float64{5, 6}}, &Bias{7}, &Time{8, kernel.Kernel{Kind: kernel.Matern32, LengthScale: one(9)}}}}
	if d := cmp.Diff([]float64{2, 3, 4, 5, 6, 7, 8, 9}, parameters(k)); d != "" {
		t.Errorf("−want +got:\n%s", d)
	}
	k.Visit(k, func(_, _ []float64, positive bool) {
		if !positive {
			t.Error("a parameter that need not be positive")
		}
	})
	setParameters(k, make([]float64, 8))
	if d := cmp.Diff(make([]float64, 8), parameters(k)); d != "" {
		t.Errorf("−want +got:\n%s", d)
	}
}

func TestDescribe(t *testing.T) {
	k := Kernel{[]Part{&RBF{2, []float64{4, 0.5}}, &Linear{[]float64{0.25, 1}}, &Bias{1. / 3}, &Time{0.1, kernel.Kernel{Kind: kernel.Matern32, LengthScale: one(1.23456)}}}}
	if got, want := k.Describe(), "rbf, variance 2 + linear, variances of 1.25 in all + bias 0.3333 + time, variance 0.1, matern32(1.235)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	total := k.FlatVariance() + 2
	if d := cmp.Diff([]Relevance{{"relevance", []float64{0.25, 2}, 2 / total}, {"linear relevance", []float64{0.5, 1}, 1.25 / total}}, k.Relevances()); d != "" {
		t.Errorf("−want +got:\n%s", d)
	}
	compare.Near(t, "flat variance", one(k.FlatVariance()), one(0.1+1./3+1.25), 1e-15)
	for name, want := range map[string]float64{"rbf": 2, "linear": 1.25, "bias": 1. / 3, "time": 0.1, "matern": 0} {
		compare.Near(t, name, one(k.Variance(name)), one(want), 1e-15)
	}
	if k.Part("linear") != k.Parts[1] || k.Part("none") != nil || !k.Timed() || (Kernel{k.Parts[:3]}).Timed() {
		t.Errorf("parts by name: %v, %v; timed %v", k.Part("linear"), k.Part("none"), k.Timed())
	}
}
