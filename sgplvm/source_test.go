package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// converted returns the values in another type.
func converted[T uint8 | uint16 | float32 | float64](values []float64) []T {
	v := make([]T, len(values))
	for i, x := range values {
		v[i] = T(x)
	}
	return v
}

// fitted trains a little and returns the model and its file.
func fitted(t *testing.T, d Data, cfg Config) (*Model, []byte) {
	t.Helper()
	m, err := New(d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), FitOptions{Iterations: 6}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return m, b.Bytes()
}

// The same values give the same model, byte for byte, in whatever type and layout
// they lie and at any number of processors; and but for rounding in parts of any size.
func TestSourceTypes(t *testing.T) {
	d := bumps(11, 4, 3, 1)
	for i, v := range d.Y.Data {
		d.Y.Data[i] = math.Round(v)
	}
	cfg := bumpConfig(4, 3)
	model, want := fitted(t, d, cfg)
	wide := mat.New(2*d.Y.Rows, 3)
	view := mat.Matrix{Rows: d.Y.Rows, Cols: 1, RowStride: 6, ColStride: 1, Data: wide.Data[1:]}
	mat.Copy(view, d.Y)
	for name, c := range map[string]Data{
		"uint8":   {Source: NewSource(converted[uint8](d.Y.Data), 11, 12, 1)},
		"uint16":  {Source: NewSource(converted[uint16](d.Y.Data), 11, 12, 1)},
		"float32": {Source: NewSource(converted[float32](d.Y.Data), 11, 12, 1)},
		"float64": {Source: NewSource(d.Y.Data, 11, 12, 1)},
		"a view":  {Examples: 11, Y: view},
	} {
		if _, got := fitted(t, c, cfg); !bytes.Equal(got, want) {
			t.Errorf("%s: another model", name)
		}
	}
	for _, read := range []int{1, 12, 25, 1000} {
		withSlabs(t, read, 1000)
		got, _ := fitted(t, d, cfg)
		near(t, fmt.Sprintf("μ with %d numbers at a time", read), got.params.Mu.Data, model.params.Mu.Data, 1e-9)
		near(t, fmt.Sprintf("α with %d numbers at a time", read), got.alpha.Data, model.alpha.Data, 1e-9)
	}
	withSlabs(t, 30, 30)
	_, want = fitted(t, d, cfg)
	atEveryWidth(func(procs int) {
		if _, got := fitted(t, d, cfg); !bytes.Equal(got, want) {
			t.Errorf("%d processors: another model", procs)
		}
	})
}

// countingSource counts the examples read, and fails in call number failAt, counted
// from 1.
type countingSource struct {
	Source
	mu                 sync.Mutex
	calls, total, most int
	failAt             int
}

var errSource = errors.New("the disk is gone")

func (s *countingSource) ReadExamples(dst []float64, from, to int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	s.total += to - from
	s.most = max(s.most, to-from)
	if s.calls == s.failAt {
		return errSource
	}
	return s.Source.ReadExamples(dst, from, to)
}

// Whichever read of New fails, the caller is told.
func TestNewReadErrors(t *testing.T) {
	d := bumps(5, 4, 3, 1)
	withSlabs(t, 24, 24)
	for failAt := 1; ; failAt++ {
		source := &countingSource{Source: &matrixSource{d.Y, 5}, failAt: failAt}
		m, err := New(Data{Source: source}, bumpConfigOf(5, 4, 3))
		if source.calls < failAt {
			if failAt < 10 || err != nil {
				t.Errorf("%d reads; error %v", source.calls, err)
			}
			break
		}
		var read *ReadError
		if m != nil || !errors.As(err, &read) || !errors.Is(err, errSource) || read.From < 0 || read.To > 5 || read.From >= read.To {
			t.Errorf("read %d fails: error %v", failAt, err)
		}
		if want := fmt.Sprintf("sgplvm: reading examples %d to %d: the disk is gone", read.From, read.To-1); err.Error() != want {
			t.Errorf("message %q, expected %q", err, want)
		}
	}
}

// Whichever read of training or of saving fails, the caller is told, and what was
// learnt before is kept: when the source has recovered, the model goes on.
func TestFitReadErrors(t *testing.T) {
	d := bumps(5, 4, 3, 1)
	withSlabs(t, 24, 1000)
	for _, cfg := range []Config{bumpConfigOf(5, 4, 3), {Space: []SpatialFactor{{X: line(4), Xu: mat.NewDense(2, 1, []float64{1, 2})}, {X: line(3)}}, LatentDims: 2}} {
		after := 0
		for failAt := 1; ; failAt += 1 + failAt/4 {
			source := &countingSource{Source: &matrixSource{d.Y, 5}}
			m, err := New(Data{Source: source}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			source.failAt = source.calls + failAt
			var last float64
			r, err := m.Fit(context.Background(), FitOptions{Iterations: 12, Warmup: 4, Schedule: Joint, Progress: func(p Progress) bool {
				last = p.Bound
				return true
			}})
			if err == nil {
				err = m.Save(io.Discard)
			}
			if source.calls < source.failAt {
				if after < 3 || err != nil {
					t.Errorf("%d failures after steps; error %v", after, err)
				}
				break
			}
			var read *ReadError
			if !errors.As(err, &read) || !errors.Is(err, errSource) {
				t.Fatalf("read %d fails: error %v", failAt, err)
			}
			if source.calls > source.failAt {
				t.Errorf("read %d failed, and %d more were tried", failAt, source.calls-source.failAt)
			}
			if r.Iterations > 0 {
				after++
				near(t, "bound of the model that is left", one(m.mustBound(t)), one(last), 1e-9)
			}
			if _, err := m.Fit(context.Background(), FitOptions{Iterations: 1}); err != nil {
				t.Errorf("read %d failed, and then training: %v", failAt, err)
			}
			if err := m.Save(io.Discard); err != nil {
				t.Errorf("read %d failed, and then Save: %v", failAt, err)
			}
		}
	}
}

// bumpConfigOf is bumpConfig for few examples.
func bumpConfigOf(examples, height, width int) Config {
	cfg := bumpConfig(height, width)
	cfg.Inducing = min(cfg.Inducing, examples)
	return cfg
}

// A value that is not finite is named wherever the slabs begin.
func TestSourceRefusesNonFinite(t *testing.T) {
	withSlabs(t, 24, 24)
	for at := range 60 {
		y := make([]float32, 60)
		y[at], y[59] = float32(math.Inf(-1)), float32(math.NaN())
		if at == 59 {
			y[at] = float32(math.Inf(-1))
		}
		_, err := New(Data{Source: NewSource(y, 5, 6, 2)}, Config{Space: []SpatialFactor{{X: line(6)}}})
		var value *ValueError
		if !errors.As(err, &value) || value.Example != at/12 || value.Point != at/2%6 || value.Channel != at%2 || !math.IsInf(value.Value, -1) {
			t.Errorf("value %d: error %v", at, err)
		}
	}
}

// sized claims to be of any size.
type sized [3]int

func (s sized) Dims() (examples, points, channels int)         { return s[0], s[1], s[2] }
func (s sized) ReadExamples(dst []float64, from, to int) error { return nil }

func TestSourceSizes(t *testing.T) {
	for _, c := range []struct {
		data Data
		want string
	}{
		{Data{Source: sized{0, 4, 1}}, "the source has 0 examples of 4 points and 1 channels"},
		{Data{Source: sized{3, 5, 1}}, "expected at least one example, 4 points"},
		{Data{Source: sized{3, 4, 0}}, "4 points and 0 channels"},
		{Data{Source: sized{math.MaxInt / 8, 4, 1}}, "expected at most"},
		{Data{Source: sized{3, 4, 1}, Examples: 3}, "beside a source"},
		{Data{Source: sized{3, 4, 1}, Y: mat.New(12, 1)}, "beside a source"},
		{Data{}, "values are 0×0"},
	} {
		_, err := New(c.data, Config{Space: []SpatialFactor{{X: line(4)}}})
		var config *ConfigError
		if !errors.As(err, &config) || config.Field != "Data" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, expected %q", err, c.want)
		}
	}
	defer func() {
		const want = "sgplvm: NewSource: 11 values for 2 examples × 3 points × 2 channels"
		if got := fmt.Sprint(recover()); got != want {
			t.Errorf("panic %q, expected %q", got, want)
		}
	}()
	NewSource(make([]uint8, 11), 2, 3, 2)
}
