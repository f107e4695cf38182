package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

func converted[T uint8 | uint16 | float32](v []float64) []T {
	w := make([]T, len(v))
	for i, x := range v {
		w[i] = T(x)
	}
	return w
}

// The same values give the same model, byte for byte, in whatever type and layout they lie and at any
// number of processors; and but for rounding in parts of any size.
func TestSourceTypes(t *testing.T) {
	d := bumps(11, 4, 3, 1)
	for i, v := range d.Y.Data {
		d.Y.Data[i] = math.Round(v)
	}
	cfg := small().with(steps(6))
	plain, _ := fit(t, d, cfg)
	want := fileOf(t, plain)
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
		tr, _ := fit(t, c.on(d.Grid...), cfg)
		if !bytes.Equal(fileOf(t, tr), want) {
			t.Errorf("%s: another model", name)
		}
	}
	defer func(n int) { data.SlabNumbers = n }(data.SlabNumbers)
	for _, read := range []int{1, 12, 25, 1000} {
		data.SlabNumbers = read
		tr, _ := fit(t, d, cfg)
		m := modelOf(t, tr)
		compare.Near(t, fmt.Sprintf("μ with %d numbers at a time", read), tr.inner.Params().X.Mu.Data, plain.inner.Params().X.Mu.Data, 1e-9)
		compare.Near(t, fmt.Sprintf("α with %d numbers at a time", read), m.posterior.Alpha().Data, modelOf(t, plain).posterior.Alpha().Data, 1e-9)
	}
	data.SlabNumbers = 30
	var parts []byte
	compare.AtEveryWidth(func(procs int) {
		tr, _ := fit(t, d, cfg)
		if parts == nil {
			parts = fileOf(t, tr)
		}
		if !bytes.Equal(fileOf(t, tr), parts) {
			t.Errorf("%d processors: another model", procs)
		}
	})
}

// Sources made of others give the same values.
func TestSourcesOfOthers(t *testing.T) {
	y := []float64{0, 1, 2, 3, 4, 5, 6, 7}
	all := NewSource(y, 4, 2, 1)
	some, err := InMemory(context.Background(), SourceOf(all, []int{3, 1}))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 4)
	if n, points, channels := some.Dims(); n != 2 || points != 2 || channels != 1 || some.ReadExamples(got, 0, 2) != nil {
		t.Fatalf("%d examples of %d points and %d channels", n, points, channels)
	}
	compare.SameBits(t, "values", got, []float64{6, 7, 2, 3})
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := InMemory(ended, all); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
