package sgplvm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/modelfile"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// fileShape is the model of most tests here: two factors, one of them with free inducing points, two
// channels.
var fileShape = reference.Shape{Examples: 3, Inducing: 2, Latent: 2, Channels: 2, Jitter: 1e-4, Seed: 5, Space: []reference.Factor{
	{Points: 3, Dims: 2, Inducing: 2, Kind: kernel.Matern52, ARD: true},
	{Points: 2, Dims: 1, Kind: kernel.RBF},
}}

// timeShape has all that a dynamical prior adds to a file.
var timeShape = reference.Shape{Examples: 4, Inducing: 2, Latent: 2, Channels: 1, Jitter: 1e-4, Seed: 5, Time: "0.4*matern52+0.6*periodic*rbf", Sequences: 2,
	TimePart: "matern12", Parts: reference.Time | reference.RBF, Space: []reference.Factor{{Points: 3, Dims: 1, Kind: kernel.Matern32}}}

// residualShape has structured noise.
var residualShape = reference.Shape{Examples: 4, Inducing: 3, Latent: 1, Channels: 1, Jitter: 1e-6, Seed: 5, Residual: kernel.Matern32, Space: []reference.Factor{{Points: 4, Dims: 1, Kind: kernel.Matern52}}}

// knowing returns a model with all that a file can hold beside parameters: a covariance of the noise that was
// learned, residuals and taper, or a calibration.
func knowing(t testing.TB, s reference.Shape) *Model {
	t.Helper()
	if s.Residual == "" {
		tr := trainedOf(t, s.Model(t))
		if err := tr.Calibrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		return modelOf(t, tr)
	}
	m := s.Model(t)
	m.Params.Noise.Taper = []float64{2}
	if err := m.Evaluator().LearnNoise(t.Context(), m.Params, 4, mat.Matrix{}); err != nil {
		t.Fatal(err)
	}
	tr := trainedOf(t, m)
	q, err := tr.inner.Posterior()
	if err != nil {
		t.Fatal(err)
	}
	o := q.Options()
	if o.Residuals, err = q.Residuals(t.Context(), m.Evaluator().Data()); err != nil {
		t.Fatal(err)
	}
	variance := mat.New(o.Residuals.Rows, o.Residuals.Cols)
	for k := range variance.Data {
		variance.Data[k] = float64(k % 3)
	}
	o.Filled = predict.NewFilled(variance, m.Params.Noise.Covariance)
	if q, err = q.With(o); err != nil {
		t.Fatal(err)
	}
	known := modelOf(t, tr)
	known.posterior = q
	return known
}

// trainedOf returns a trainer of a random model with its data, in the model's units.
func trainedOf(t testing.TB, m *reference.Model) *Trainer {
	t.Helper()
	n := m.Examples()
	y := &data.Scaled{Source: field.MatrixSource(m.Y, n), Examples: n, Points: m.Y.Rows / n, Channels: m.Y.Cols, Scaler: reference.Unscaled(m.Y.Cols)}
	cfg, err := Config{}.open().Complete(n, m.Space, 1)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Jitter = m.Jitter
	d := training.Data{Source: y.Source, Grid: m.Space}
	if p := m.Params.X.Paths; p != nil {
		d.Times, d.Sequences = p.Prior.Times, p.Prior.Sequences
	}
	inner, err := training.At(y, d, cfg, "Start", m.Params)
	if err != nil {
		t.Fatal(err)
	}
	return &Trainer{inner: inner}
}

// A loaded model is the one that was saved: all its parts, and every bit of what it infers and predicts.
func TestModelFileRoundTrip(t *testing.T) {
	var models []*Model
	shapes := []reference.Shape{fileShape, timeShape, residualShape}
	for seed := range uint64(compare.Sizes(10)) {
		shapes = append(shapes, reference.RandomShape(seed), reference.ResidualShape(seed), reference.TimeShape(seed))
	}
	for _, s := range shapes {
		m := referenceModel(t, s)
		m.attributes = map[string]string{"grid": "5x4", "": "empty", "名": "line\nbreak \x00 \"quoted\""}
		m.seed = math.MaxUint64 - s.Seed
		models = append(models, m)
	}
	still := timeShape
	still.TimePart, still.Parts = "", reference.RBF
	models = append(models, knowing(t, still), knowing(t, residualShape))
	for i, m := range models {
		file := saved(t, m)
		l := loaded(t, file)
		what := fmt.Sprintf("model %d: %+v", i, m.Summary())
		checkSameModel(t, what, l, m)
		if !bytes.Equal(saved(t, l), file) {
			t.Errorf("%s: saved again, the file differs", what)
		}
		if d := diff(answers(t, questions(l)), answers(t, questions(m))); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		if !bytes.Equal(saved(t, m), file) || !bytes.Equal(saved(t, l), file) {
			t.Errorf("%s: after predictions the file differs", what)
		}
	}
}

func checkSameModel(t *testing.T, what string, got, want *Model) {
	t.Helper()
	type parts struct {
		Params, Grid, Scaler, Alpha, Jitter, Options, Seed, Attributes, Attached any
	}
	of := func(m *Model) parts {
		q := m.posterior
		return parts{q.Params(), q.Grid(), q.Scaler(), q.Alpha(), q.Jitter(), q.Options(), m.seed, len(m.attributes), m.attached}
	}
	if d := diff(of(got), of(want)); d != "" {
		t.Errorf("%s: %s", what, d)
	}
	if !maps.Equal(got.Attributes(), want.Attributes()) {
		t.Errorf("%s: attributes %q, expected %q", what, got.Attributes(), want.Attributes())
	}
	if d := diff(got.Summary(), want.Summary()); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

// What is attached to a model is in its file, to the byte, and goes when it is taken away; the model that
// it was attached to stays as it was.
func TestModelFileAttached(t *testing.T) {
	m := referenceModel(t, fileShape)
	bare := saved(t, m)
	content := map[string][]byte{"film": {0, 255, 10, 7}, "": {1}, "nothing": {}}
	with := m.With(content)
	delete(content, "")
	file := saved(t, with)
	l := loaded(t, file)
	for name, v := range map[string][]byte{"film": {0, 255, 10, 7}, "": {1}, "nothing": {}} {
		for _, m := range []*Model{with, l} {
			if got := m.Attached(name); got == nil || !bytes.Equal(got, v) {
				t.Errorf("attached %q as %v, read %v", name, v, got)
			}
		}
	}
	if l.Attached("other") != nil || m.Attached("film") != nil {
		t.Error("something attached that was not")
	}
	if !bytes.Equal(saved(t, l), file) {
		t.Error("the file changes when it is read and written")
	}
	if again := l.With(map[string][]byte{"film": nil, "other": nil}).With(map[string][]byte{"": nil, "nothing": nil}); !bytes.Equal(saved(t, again), bare) {
		t.Error("what was taken away is in the file")
	}
	if !bytes.Equal(saved(t, m), bare) || !bytes.Equal(saved(t, l), file) {
		t.Error("With has changed its model")
	}
	bad := resealed(t, file, func(f *safetensors.File) { tensor(f, "attached.film").Data = []int32{1, 2, 3, 4} })
	if err := mustRefuse(t, "numbers attached", bytes.NewReader(bad)); err != nil && !strings.Contains(err.Error(), `tensor "attached.film"`) {
		t.Errorf("numbers attached: error %v", err)
	}
}

// mustRefuse returns why a file was refused: a *FileError in one short line.
func mustRefuse(t testing.TB, what string, r io.Reader) error {
	t.Helper()
	m, err := Load(r)
	var file *FileError
	if m != nil || !errors.As(err, &file) || file.Err == nil || strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 500 {
		t.Errorf("%.100s: model %v, error %.600v", what, m != nil, err)
		return nil
	}
	return err
}

// A damaged file, one cut short, one without a checksum and one of zeros are refused, as package safetensors has it; a reader that fails gives its own error.
func TestModelFileDamaged(t *testing.T) {
	file := saved(t, referenceModel(t, fileShape))
	for i := 0; i < len(file); i += 37 {
		damaged := bytes.Clone(file)
		damaged[i] ^= 1 << (i % 8)
		mustRefuse(t, fmt.Sprintf("byte %d", i), bytes.NewReader(damaged))
		mustRefuse(t, fmt.Sprintf("the first %d bytes", i), bytes.NewReader(file[:i]))
		broken := errors.New("the disk is gone")
		if err := mustRefuse(t, "a broken reader", io.MultiReader(bytes.NewReader(file[:i]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
			t.Errorf("error after %d bytes: %v", i, err)
		}
	}
	bare := unsealed(file)
	if f, err := safetensors.Read(bytes.NewReader(bare)); err != nil || f.Metadata["format"] != modelfile.Format {
		t.Fatalf("without a checksum: %v", err)
	}
	mustRefuse(t, "without a checksum", bytes.NewReader(bare))
	mustRefuse(t, "a byte more", bytes.NewReader(append(bytes.Clone(file), 0)))
	mustRefuse(t, "zeros", bytes.NewReader(make([]byte, len(file))))
	if l, err := Load(iotest.OneByteReader(bytes.NewReader(file))); err != nil || !bytes.Equal(saved(t, l), file) {
		t.Errorf("byte by byte: %v", err)
	}
}

// What a writer has no room for is its error, and an attribute that is no text is refused before anything is written.
func TestModelFileWriters(t *testing.T) {
	m := referenceModel(t, fileShape)
	size := len(saved(t, m))
	for n := 0; n < size; n += 23 {
		if err := m.Save(&shortWriter{n}); !errors.Is(err, errNoSpace) {
			t.Errorf("room for %d of %d bytes: %v", n, size, err)
		}
	}
	if err := m.Save(&shortWriter{size}); err != nil {
		t.Error(err)
	}
	m.attributes = map[string]string{"name": "\xff"}
	w := &shortWriter{size}
	if err := m.Save(w); err == nil || w.left != size {
		t.Errorf("an attribute that is no text: %v, %d bytes written", err, size-w.left)
	}
}
