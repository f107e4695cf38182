package record_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/internal/record"
	"github.com/seed-08962ecc/kronfield/mat"
)

type shape interface{ area() float64 }

type square struct{ Side float64 }

func (s *square) area() float64 { return s.Side * s.Side }

type all struct {
	Yes     bool
	Small   int8
	Big     uint64
	Bytes   []byte
	Numbers []float64
	Single  [2]float32
	Names   map[string][]int
	Shapes  []shape
	Inner   *all
	Matrix  mat.Matrix
	hidden  int
}

func full() *all {
	return &all{Yes: true, Small: -128, Big: math.MaxUint64, Bytes: []byte("ä\x00"), Numbers: []float64{0.1, math.Inf(-1), math.Copysign(0, -1)}, Single: [2]float32{0.1, 3},
		Names: map[string][]int{"b": {1, -1 << 40}, "": nil, "a": {}}, Shapes: []shape{&square{2}, nil}, Inner: &all{Matrix: mat.New(2, 3)}, Matrix: mat.Identity(2), hidden: 0}
}

func written(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := record.Write(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Values come back as they were, one after another, nil and empty lists apart; the same value has the same bytes.
func TestRoundTrip(t *testing.T) {
	record.Register[shape](&square{})
	b := written(t, full())
	r := bytes.NewReader(append(b, b...))
	for range 2 {
		var got all
		if err := record.Read(r, &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(full(), &got, cmp.AllowUnexported(all{})); d != "" {
			t.Errorf("(−want +got):\n%s", d)
		}
	}
	if !bytes.Equal(b, written(t, full())) {
		t.Error("other bytes the second time")
	}
}

// What is cut short, of another type, of a type that is not registered, or a matrix that is no view of its numbers is refused; no damaged byte causes a panic.
func TestRefused(t *testing.T) {
	record.Register[shape](&square{})
	b := written(t, full())
	for n := range b {
		if err := record.Read(bytes.NewReader(b[:n]), new(all)); err == nil {
			t.Errorf("%d of %d bytes are read", n, len(b))
		}
		for _, flip := range []byte{1, 0x80, 0xff} {
			damaged := bytes.Clone(b)
			damaged[n] ^= flip
			record.Read(bytes.NewReader(damaged), new(all))
		}
	}
	type odd struct{ Side float64 }
	type other struct{ Size float64 }
	if record.Read(bytes.NewReader(written(t, odd{3})), new(other)) == nil {
		t.Error("a field of another name is read")
	}
	for _, v := range []struct{ S any }{{odd{}}, {3.0}} {
		if record.Read(bytes.NewReader(written(t, v)), new(struct{ S any })) == nil {
			t.Errorf("%T is read without being registered", v.S)
		}
	}
	for _, m := range []mat.Matrix{{Rows: 3, Cols: 2, RowStride: 2, ColStride: 1, Data: make([]float64, 5)}, {Rows: 2, Cols: -1}, mat.New(2, 3).T()} {
		if record.Read(bytes.NewReader(written(t, m)), new(mat.Matrix)) == nil {
			t.Errorf("a %d×%d matrix of %d numbers is read", m.Rows, m.Cols, len(m.Data))
		}
	}
}
