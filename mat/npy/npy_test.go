package npy_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// file lays out a file by hand: version, header text padded to 64 bytes, data.
func file(major byte, header string, data ...byte) []byte {
	prefix := 10
	if major > 1 {
		prefix = 12
	}
	for (prefix+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	b := append([]byte("\x93NUMPY"), major, 0, byte(len(header)), byte(len(header)>>8))
	if major > 1 {
		b = append(b, 0, 0)
	}
	return append(append(b, header...), data...)
}

// dict is the header's dictionary.
func dict(descr, fortran, shape string) string {
	return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }"
}

// kinds holds, for every element type of a file, four elements as big-endian
// bytes and what they must read as.
var kinds = []struct {
	code string
	size int
	be   string
	typ  npy.Type
	name string
	want any
}{
	{"b1", 1, "\x00\x01\x01\x00", npy.Uint8, "uint8", []uint8{0, 1, 1, 0}},
	{"u1", 1, "\x00\x01\x7f\xff", npy.Uint8, "uint8", []uint8{0, 1, 127, 255}},
	{"i1", 1, "\x00\x7f\x80\xff", npy.Int8, "int8", []int8{0, 127, -128, -1}},
	{"u2", 2, "\x00\x00\x01\x02\x80\x00\xff\xff", npy.Uint16, "uint16", []uint16{0, 258, 32768, 65535}},
	{"i2", 2, "\x00\x00\x01\x02\x80\x00\xff\xff", npy.Int16, "int16", []int16{0, 258, -32768, -1}},
	{"u4", 4, "\x00\x00\x00\x00\x01\x02\x03\x04\x80\x00\x00\x00\xff\xff\xff\xff", npy.Uint32, "uint32",
		[]uint32{0, 16909060, 1 << 31, math.MaxUint32}},
	{"i4", 4, "\x00\x00\x00\x00\x01\x02\x03\x04\x80\x00\x00\x00\xff\xff\xff\xff", npy.Int32, "int32",
		[]int32{0, 16909060, math.MinInt32, -1}},
	{"u8", 8, "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08\x80\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff",
		npy.Uint64, "uint64", []uint64{0, 72623859790382856, 1 << 63, math.MaxUint64}},
	{"i8", 8, "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08\x80\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff",
		npy.Int64, "int64", []int64{0, 72623859790382856, math.MinInt64, -1}},
	{"f2", 2, "\x80\x00\x3c\x00\xc1\x00\x00\x01", npy.Float32, "float32", []float32{float32(math.Copysign(0, -1)), 1, -2.5, 0x1p-24}},
	{"f4", 4, "\x80\x00\x00\x00\x3f\x80\x00\x00\x7f\x80\x00\x00\x7f\xa0\x00\x01", npy.Float32, "float32",
		[]float32{float32(math.Copysign(0, -1)), 1, float32(math.Inf(1)), math.Float32frombits(0x7fa00001)}},
	{"f8", 8, "\x80\x00\x00\x00\x00\x00\x00\x00\x3f\xf0\x00\x00\x00\x00\x00\x00\xff\xf0\x00\x00\x00\x00\x00\x00\x7f\xf4\x00\x00\xde\xad\xbe\xef",
		npy.Float64, "float64", []float64{math.Copysign(0, -1), 1, math.Inf(-1), math.Float64frombits(0x7ff40000deadbeef)}},
}

// ordered returns big-endian elements in the given byte order.
func ordered(be string, size int, order byte) []byte {
	b := []byte(be)
	if order == '>' {
		return b
	}
	for i := 0; i < len(b); i += size {
		for l, r := i, i+size-1; l < r; l, r = l+1, r-1 {
			b[l], b[r] = b[r], b[l]
		}
	}
	return b
}

// raw returns the bits of the elements: equal bits are equal bytes, NaN or not.
func raw(t *testing.T, data any) string {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.BigEndian, data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// same reports how a differs from b in shape, type or any bit; "" if not at all.
func same(t *testing.T, a, b *npy.Array) string {
	t.Helper()
	type bits struct {
		Shape []int
		Type  npy.Type
		Go    string // the type of Data
		Bytes string
	}
	of := func(a *npy.Array) bits { return bits{a.Shape, a.Type, fmt.Sprintf("%T", a.Data), raw(t, a.Data)} }
	return cmp.Diff(of(b), of(a))
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestReadEveryType(t *testing.T) {
	for _, k := range kinds {
		orders := "<>="
		if k.size == 1 {
			orders = "|<>="
		}
		for _, order := range []byte(orders) {
			for major := byte(1); major <= 3; major++ {
				for _, fortran := range []string{"False", "True"} {
					descr := string(order) + k.code
					in := file(major, dict(descr, fortran, "(4,)"), ordered(k.be, k.size, order)...)
					a, err := npy.Read(bytes.NewReader(in))
					if err != nil {
						t.Fatalf("%s v%d: %v", descr, major, err)
					}
					if diff := same(t, a, &npy.Array{Shape: []int{4}, Type: k.typ, Data: k.want}); diff != "" {
						t.Errorf("%s v%d fortran_order %s: %s", descr, major, fortran, diff)
					}
					if a.Type.String() != k.name || a.Len() != 4 {
						t.Errorf("%s: name %v, Len %d", descr, a.Type, a.Len())
					}
					r := bytes.NewReader(in)
					h, err := npy.ReadHeader(r)
					want := npy.Header{Shape: []int{4}, Type: k.typ, Descr: descr, FortranOrder: fortran == "True"}
					if diff := cmp.Diff(want, h); err != nil || diff != "" {
						t.Errorf("%s v%d: %v, header (-want +got):\n%s", descr, major, err, diff)
					}
					if r.Len() != 4*k.size {
						t.Errorf("%s v%d: %d bytes left behind the header, want %d", descr, major, r.Len(), 4*k.size)
					}
				}
			}
		}
	}
}

// The first 128 bytes that numpy 2 writes, typed by hand.
func TestWriteAsNumpy(t *testing.T) {
	const head = "\x93NUMPY\x01\x00\x76\x00"
	ones := func(n int) []int {
		s := make([]int, n)
		for i := range s {
			s[i] = 1
		}
		return s
	}
	wide := ones(14)
	wide[3], wide[5] = 10, 10
	for _, c := range []struct {
		a    *npy.Array
		want string // up to the padding
		size int    // of the header, with its prefix
	}{
		{npy.New(make([]float64, 12), 3, 4), head + "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", 128},
		{npy.New(make([]float32, 24), 2, 3, 4), head + "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }", 128},
		{npy.New([]uint8{1, 2}, 2), head + "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", 128},
		{npy.New([]int8{-1}), head + "{'descr': '|i1', 'fortran_order': False, 'shape': (), }", 128},
		{npy.New([]uint16{}, 0), head + "{'descr': '<u2', 'fortran_order': False, 'shape': (0,), }", 128},
		{npy.New([]int16{}, 0, 7), head + "{'descr': '<i2', 'fortran_order': False, 'shape': (0, 7), }", 128},
		{npy.New([]uint32{7}, 1), head + "{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }", 128},
		{npy.New([]int32{7}, 1), head + "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", 128},
		{npy.New([]uint64{7}, 1), head + "{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }", 128},
		{npy.New([]int64{7}, 1), head + "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }", 128},
		// 14 axes of 1 end at column 128 with one to spare; the room to grow
		// pushes 15 over it, and a full line gets 64 spaces more.
		{npy.New([]uint8{7}, ones(14)...), head + "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), }", 128},
		{npy.New([]uint8{7}, ones(15)...), "\x93NUMPY\x01\x00\xb6\x00" +
			"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), }", 192},
		{npy.New(make([]uint8, 100), wide...), "\x93NUMPY\x01\x00\xb6\x00" +
			"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1, 10, 1, 10, 1, 1, 1, 1, 1, 1, 1, 1), }", 192},
	} {
		var b bytes.Buffer
		if err := npy.Write(&b, c.a); err != nil {
			t.Fatal(err)
		}
		want := c.want + strings.Repeat(" ", c.size-1-len(c.want)) + "\n"
		if got := b.Bytes()[:min(b.Len(), c.size)]; string(got) != want {
			t.Errorf("header\n%q, want\n%q", got, want)
		}
		back, err := npy.Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := same(t, back, c.a); diff != "" {
			t.Errorf("read back: %s", diff)
		}
	}
}

// What other programs write too: other quotes, other order of the keys, other
// blanks, the long integers of Python 2, no newline, no padding.
func TestReadOtherSpellings(t *testing.T) {
	for _, header := range []string{
		dict("|u1", "False", "(2, 3)"),
		`{"descr": "|u1", "fortran_order": False, "shape": (2, 3)}`,
		`{'shape':(2,3,),'descr':'|u1','fortran_order':False}`,
		" {\t'shape' : ( 2 , 3 ) , 'fortran_order' : False , 'descr' : '|u1' , } ",
		"{'descr': '|u1',\n 'fortran_order': False,\n 'shape': (2, 3)}",
		"{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 3L), }",
	} {
		unpadded := "\x93NUMPY\x01\x00" + string(rune(len(header))) + "\x00" + header + "abcdef"
		for _, in := range []string{string(file(1, header, []byte("abcdef")...)), unpadded} {
			a, err := npy.Read(strings.NewReader(in))
			if err != nil {
				t.Errorf("%q: %v", header, err)
			} else if diff := same(t, a, npy.New([]uint8("abcdef"), 2, 3)); diff != "" {
				t.Errorf("%q: %s", header, diff)
			}
		}
	}
}

// Element (i, j, k, …) of a Fortran file stands at i + n₀(j + n₁(k + …)).
func TestFortranOrder(t *testing.T) {
	for _, shape := range [][]int{{}, {5}, {1, 5}, {5, 1}, {2, 3}, {3, 2}, {0, 3}, {3, 0}, {2, 3, 4}, {1, 1, 3}, {3, 1, 2}, {2, 1, 1, 3, 2},
		{300, 401}, {7, 11, 13, 17}, {1, 70001}, {70001, 1}, {1023, 129}, {1024, 128}, {1025, 3}} {
		n, index := 1, strings.Builder{}
		for _, d := range shape {
			n *= d
			fmt.Fprintf(&index, "%d, ", d)
		}
		data := make([]byte, 4*n) // element f of the file is f
		for f := range n {
			binary.BigEndian.PutUint32(data[4*f:], uint32(f))
		}
		want := make([]int32, n)
		for c := range want { // element c in C order
			f, rest, step := 0, c, n
			fstep := make([]int, len(shape))
			for k, s := 0, 1; k < len(shape); k++ {
				fstep[k], s = s, s*shape[k]
			}
			for k, d := range shape {
				step /= d
				f += rest / step * fstep[k]
				rest %= step
			}
			want[c] = int32(f)
		}
		in := file(1, dict(">i4", "True", "("+index.String()+")"), data...)
		a, err := npy.Read(bytes.NewReader(in))
		if len(shape) == 0 {
			a, err = npy.Read(bytes.NewReader(file(1, dict(">i4", "True", "()"), data...)))
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := same(t, a, npy.New(want, shape...)); diff != "" {
			t.Errorf("shape %v: %.200s", shape, diff)
		}
	}
}

// Long arrays go through several chunks and blocks.
func TestLongArrays(t *testing.T) {
	for _, n := range []int{8191, 8192, 8193, 16384, 65535, 65536, 65537, 200000} {
		u, f := make([]uint8, n), make([]float64, n)
		for i := range n {
			u[i], f[i] = uint8(i*i), float64(i)
		}
		for _, a := range []*npy.Array{npy.New(u, n), npy.New(f, n)} {
			var b bytes.Buffer
			if err := npy.Write(&b, a); err != nil {
				t.Fatal(err)
			}
			back, err := npy.Read(&b)
			if err != nil {
				t.Fatal(err)
			}
			if diff := same(t, back, a); diff != "" {
				t.Errorf("%d elements of %v: %.200s", n, a.Type, diff)
			}
		}
	}
}

// Every half-precision number against its definition, in arbitrary precision.
func TestHalf(t *testing.T) {
	data := make([]byte, 2<<16)
	for h := range 1 << 16 {
		binary.LittleEndian.PutUint16(data[2*h:], uint16(h))
	}
	a, err := npy.Read(bytes.NewReader(file(1, dict("<f2", "False", "(65536,)"), data...)))
	if err != nil {
		t.Fatal(err)
	}
	for h, got := range a.Data.([]float32) {
		negative, exponent, fraction := h>>15 == 1, h>>10&31, h&1023
		var want float64
		switch {
		case exponent == 31 && fraction != 0:
			if !math.IsNaN(float64(got)) || math.Signbit(float64(got)) != negative {
				t.Errorf("half %#04x is %v, want NaN", h, got)
			}
			continue
		case exponent == 31:
			want = math.Inf(1)
		case exponent == 0:
			want, _ = new(big.Float).SetMantExp(big.NewFloat(float64(fraction)), -24).Float64()
		default:
			want, _ = new(big.Float).SetMantExp(big.NewFloat(float64(1024+fraction)), exponent-25).Float64()
		}
		if negative {
			want = -want
		}
		if math.Float64bits(float64(got)) != math.Float64bits(math.Copysign(want, float64(1-2*(h>>15)))) {
			t.Errorf("half %#04x is %v, want %v", h, got, want)
		}
	}
}

func TestFloat64s(t *testing.T) {
	for _, c := range []struct {
		a    *npy.Array
		want []float64
	}{
		{npy.New([]uint8{0, 255}, 2), []float64{0, 255}},
		{npy.New([]int8{-128, 127}, 2), []float64{-128, 127}},
		{npy.New([]uint16{1, 65535}, 2), []float64{1, 65535}},
		{npy.New([]int16{-32768, 32767}, 2), []float64{-32768, 32767}},
		{npy.New([]uint32{1, math.MaxUint32}, 2), []float64{1, 4294967295}},
		{npy.New([]int32{math.MinInt32, 1}, 2), []float64{-2147483648, 1}},
		{npy.New([]uint64{1<<53 + 1, math.MaxUint64}, 2), []float64{1 << 53, 1 << 64}},
		{npy.New([]int64{1<<53 - 1, -1<<53 - 1, math.MinInt64}, 3), []float64{1<<53 - 1, -1 << 53, -1 << 63}},
		{npy.New([]float32{0.1, float32(math.Inf(1))}, 2), []float64{float64(float32(0.1)), math.Inf(1)}},
		{npy.New([]float64{0.1, math.Inf(-1)}, 2), []float64{0.1, math.Inf(-1)}},
	} {
		if got := c.a.Float64s(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.a.Type, got, c.want)
		}
	}
	data := []float64{1, 2}
	if got := npy.New(data, 2).Float64s(); &got[0] != &data[0] {
		t.Error("float64 data were copied")
	}
}

func TestHostile(t *testing.T) {
	good := dict("<f8", "False", "(2, 3)")
	v1 := func(header string) []byte { return file(1, header, make([]byte, 48)...) }
	set := func(at int, b ...byte) []byte {
		in := v1(good)
		copy(in[at:], b)
		return in
	}
	for _, c := range []struct {
		name string
		in   []byte
		want string // the whole message
	}{
		{"empty", nil, `npy: magic: found 0 bytes, expected 8 (the file is truncated)`},
		{"PNG", []byte("\x89PNG\r\n\x1a\n and more"), `npy: magic: found "\x89PNG\r\n", expected "\x93NUMPY"`},
		{"version 0", set(6, 0), `npy: version: found 0.0, expected 1.0, 2.0 or 3.0`},
		{"version 4", set(6, 4), `npy: version: found 4.0, expected 1.0, 2.0 or 3.0`},
		{"version 1.1", set(7, 1), `npy: version: found 1.1, expected 1.0, 2.0 or 3.0`},
		{"no length", v1(good)[:9], `npy: header length: found 1 bytes, expected 2 (the file is truncated)`},
		{"no length, version 2", file(2, good)[:11], `npy: header length: found 3 bytes, expected 4 (the file is truncated)`},
		{"header cut", v1(good)[:20], `npy: header: found 10 bytes, expected 118 (the file is truncated)`},
		{"header of 4 GB", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"), `npy: header length: found 4294967295 bytes, expected at most 65536`},
		{"empty header", []byte("\x93NUMPY\x01\x00\x00\x00"), `npy: byte 10: found the end of the header, expected '{'`},
		{"short header length", set(8, 50), `npy: byte 60: found the end of the header, expected '('`},
		{"long header length", set(8, 119), `npy: byte 128: found "\x00", expected nothing but blanks after the dictionary`},
		{"no dictionary", v1("[1, 2]"), `npy: byte 10: found "[1, 2]                  ", expected '{'`},
		{"empty dictionary", v1("{}"), `npy: header: found no key 'descr', expected 'descr', 'fortran_order' and 'shape'`},
		{"a lone comma", v1("{,}"), `npy: byte 11: found ",}                      ", expected a quoted key`},
		{"two commas", v1("{'descr': '<f8',, 'fortran_order': False, 'shape': (2, 3)}"), `npy: byte 26: found ", 'fortran_order': False", expected a quoted key`},
		{"no comma", v1("{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3)}"), `npy: byte 26: found "'fortran_order': False, ", expected ',' or '}'`},
		{"no colon", v1("{'descr' '<f8'}"), `npy: byte 19: found "'<f8'}                  ", expected ':'`},
		{"no shape", v1("{'descr': '<f8', 'fortran_order': False}"), `npy: header: found no key 'shape', expected 'descr', 'fortran_order' and 'shape'`},
		{"no order", v1("{'descr': '<f8', 'shape': (2, 3)}"), `npy: header: found no key 'fortran_order', expected 'descr', 'fortran_order' and 'shape'`},
		{"key twice", v1("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}"),
			`npy: byte 27: found "'descr': '<f8', 'fortran", expected each key once`},
		{"shape twice", v1("{'shape': (6,), 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}"),
			`npy: byte 66: found "'shape': (2, 3)}        ", expected each key once`},
		{"unknown key", v1("{'descr': '<f8', 'order': 'C'}"), `npy: byte 27: found "'order': 'C'}           ", expected one of the keys 'descr', 'fortran_order', 'shape'`},
		{"junk behind", v1(good + " + 1"), `npy: byte 70: found "+ 1                     ", expected nothing but blanks after the dictionary`},
		{"zero byte behind", v1(good + "\x00"), `npy: byte 69: found "\x00                       ", expected nothing but blanks after the dictionary`},
		{"open string", v1("{'descr"), `npy: byte 11: found "'descr                  ", expected a quoted key`},
		{"escape", v1(`{'d\x65scr': '<f8'}`), `npy: byte 11: found "'d\\x65scr': '<f8'}      ", expected a quoted key`},
		{"complex", v1(dict("<c16", "False", "(2, 3)")), `npy: descr: found "<c16", expected a byte order (< > | =) and one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8`},
		{"objects", v1(dict("|O", "False", "(2, 3)")), `npy: descr: found "|O", expected a byte order (< > | =) and one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8`},
		{"text", v1(dict("<U8", "False", "(2, 3)")), `npy: descr: found "<U8", expected a byte order (< > | =) and one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8`},
		{"float of 3 bytes", v1(dict("<f3", "False", "(2, 3)")), `npy: descr: found "<f3", expected a byte order (< > | =) and one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8`},
		{"no type", v1(dict("", "False", "(2, 3)")), `npy: descr: found "", expected a byte order (< > | =) and one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8`},
		{"no byte order", v1(dict("f8", "False", "(2, 3)")), `npy: descr: found "f8", expected a byte order (< > | =) and one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8`},
		{"byte order not applicable", v1(dict("|f8", "False", "(2, 3)")), `npy: descr: found "|f8", expected a byte order, < or >`},
		{"newline in type", v1(dict("<f8\n", "False", "(2, 3)")), `npy: byte 20: found "'<f8\n', 'fortran_order':", expected a quoted type such as '<f8' (records are not supported)`},
		{"records", v1("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (6,), }"),
			`npy: byte 20: found "[('x', '<f8')], 'fortran", expected a quoted type such as '<f8' (records are not supported)`},
		{"order as a number", v1(dict("<f8", "0", "(2, 3)")), `npy: byte 44: found "0, 'shape': (2, 3), }   ", expected True or False`},
		{"order in lower case", v1(dict("<f8", "false", "(2, 3)")), `npy: byte 44: found "false, 'shape': (2, 3), ", expected True or False`},
		{"order with a tail", v1(dict("<f8", "Falsehood", "(2, 3)")), `npy: byte 49: found "hood, 'shape': (2, 3), }", expected ',' or '}'`},
		{"shape a number", v1(dict("<f8", "False", "6")), `npy: byte 60: found "6, }                    ", expected '('`},
		{"shape a number in brackets", v1(dict("<f8", "False", "(6)")), `npy: shape: found the number (6), expected a tuple such as (6,)`},
		{"shape a list", v1(dict("<f8", "False", "[6]")), `npy: byte 60: found "[6], }                  ", expected '('`},
		{"negative axis", v1(dict("<f8", "False", "(-2, -3)")), `npy: byte 61: found "-2, -3), }              ", expected the length of an axis`},
		{"fraction", v1(dict("<f8", "False", "(2.0, 3)")), `npy: byte 62: found ".0, 3), }               ", expected ',' or ')'`},
		{"leading zero", v1(dict("<f8", "False", "(02, 3)")), `npy: byte 61: found "02, 3), }               ", expected the length of an axis`},
		{"hexadecimal", v1(dict("<f8", "False", "(0x2, 3)")), `npy: byte 62: found "x2, 3), }               ", expected ',' or ')'`},
		{"underscore", v1(dict("<f8", "False", "(1_0, 3)")), `npy: byte 62: found "_0, 3), }               ", expected ',' or ')'`},
		{"long integer in version 3", file(3, dict("<f8", "False", "(2L, 3)"), make([]byte, 48)...), `npy: byte 64: found "L, 3), }                ", expected ',' or ')'`},
		{"two commas in shape", v1(dict("<f8", "False", "(2,, 3)")), `npy: byte 63: found ", 3), }                 ", expected the length of an axis`},
		{"comma alone in shape", v1(dict("<f8", "False", "(,)")), `npy: byte 61: found ",), }                   ", expected the length of an axis`},
		{"65 axes", v1(dict("<f8", "False", "("+strings.Repeat("1, ", 65)+")")), `npy: byte 253: found "1, ), }                 ", expected at most 64 axes`},
		{"axis of 2^64", v1(dict("<f8", "False", "(18446744073709551616,)")), fmt.Sprintf(`npy: byte 61: found "18446744073709551616,), ", expected an axis of at most %d`, math.MaxInt)},
		{"product overflows", v1(dict("<f8", "False", "(2147483647, 2147483647, 2147483647)")),
			fmt.Sprintf(`npy: shape: found "(2147483647, 2147483647, 2147483647)", expected at most %d bytes`, math.MaxInt)},
		{"bytes overflow", v1(dict("<f8", "False", fmt.Sprintf("(%d,)", math.MaxInt/4))), fmt.Sprintf(`npy: shape: found "(%d,)", expected at most %d bytes`, math.MaxInt/4, math.MaxInt)},
		{"product overflows to 0", v1(dict("|u1", "False", "("+strings.Repeat("65536, ", 4)+")")),
			fmt.Sprintf(`npy: shape: found "(65536, 65536, 65536, 65536)", expected at most %d bytes`, math.MaxInt)},
		{"product overflows beside 0", v1(dict("|u1", "False", "(0, "+strings.Repeat("65536, ", 4)+")")),
			fmt.Sprintf(`npy: shape: found "(0, 65536, 65536, 65536, 65536)", expected at most %d bytes`, math.MaxInt)},
		{"2 GB claimed", v1(dict("|u1", "False", "(2147483647,)")), `npy: data: found 48 bytes, expected 2147483647 (the file is truncated)`},
		{"one row too many claimed", v1(dict("<f8", "False", "(3, 3)")), `npy: data: found 48 bytes, expected 72 (the file is truncated)`},
		{"one row too few claimed", v1(dict("<f8", "False", "(1, 3)")), `npy: data: found more bytes, expected the end of the file after 24`},
		{"no data", v1(good)[:128], `npy: data: found 0 bytes, expected 48 (the file is truncated)`},
		{"one byte short", v1(good)[:175], `npy: data: found 47 bytes, expected 48 (the file is truncated)`},
		{"one byte over", append(v1(good), 0), `npy: data: found more bytes, expected the end of the file after 48`},
		{"two arrays", append(v1(good), v1(good)...), `npy: data: found more bytes, expected the end of the file after 48`},
		{"empty array with data", v1(dict("<f8", "False", "(0, 3)")), `npy: data: found more bytes, expected the end of the file after 0`},
		{"truth value 2", file(1, dict("|b1", "False", "(2, 2)"), 0, 1, 0, 2), `npy: truth value 3: found 2, expected 0 or 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a *npy.Array
			var err error
			bytesUsed := allocated(func() { a, err = npy.Read(bytes.NewReader(c.in)) })
			if _, ok := errors.AsType[*npy.FormatError](err); !ok || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if a != nil {
				t.Error("an array beside the error")
			}
			if limit := uint64(4*len(c.in) + 1<<20); bytesUsed > limit {
				t.Errorf("allocated %d bytes, limit %d", bytesUsed, limit)
			}
		})
	}
}

// samples are small files of every version, several types and both orders.
func samples() [][]byte {
	return [][]byte{
		file(1, dict("<f8", "False", "(2, 3)"), []byte(strings.Repeat("\x00\x01\x02\x03\x04\x05\xf0\x3f", 6))...),
		file(2, dict(">i4", "True", "(2, 1, 2)"), []byte("abcdefghijklmnop")...),
		file(3, dict("|u1", "False", "(5,)"), 1, 2, 3, 4, 5),
		file(1, dict("|b1", "True", "(2, 2)"), 0, 1, 1, 0),
		file(1, dict("<f2", "True", "(3, 2)"), []byte("0123456789ab")...),
		file(1, dict(">u2", "False", "()"), 7, 8),
	}
}

// checkRead reads any input: no panic, no memory beyond the input's worth, an
// array or a FormatError, and what reads must write and read back to the same.
func checkRead(t *testing.T, in []byte) error {
	t.Helper()
	var a *npy.Array
	var err error
	if used, limit := allocated(func() { a, err = npy.Read(bytes.NewReader(in)) }), uint64(4*len(in)+1<<20); used > limit {
		t.Errorf("allocated %d bytes, limit %d: %q", used, limit, in)
	}
	checkFile(t, in, a, err)
	if err != nil {
		if _, ok := errors.AsType[*npy.FormatError](err); !ok || a != nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v (%T) with %v: %q", err, err, a, in)
		}
		return err
	}
	var b bytes.Buffer
	if err := npy.Write(&b, a); err != nil {
		t.Fatal(err)
	}
	back, err := npy.Read(&b)
	if err != nil {
		t.Fatalf("read back: %v: %q", err, in)
	}
	if diff := same(t, a, back); diff != "" {
		t.Errorf("read back: %s: %q", diff, in)
	}
	return nil
}

// checkFile reads any input as a file of which parts are asked for: the numbers of the
// array a, or the error, if that is what Read gave.
func checkFile(t *testing.T, in []byte, a *npy.Array, want error) {
	t.Helper()
	f, err := npy.NewFile(bytes.NewReader(in), int64(len(in)))
	var got []float64
	if err == nil {
		elements := 1
		for _, d := range f.Shape {
			elements *= d
		}
		got = make([]float64, elements)
		err = f.CopyFloat64s(got, 0)
	}
	switch {
	case (err == nil) != (want == nil) || err != nil && err.Error() != want.Error():
		t.Errorf("as a file: error %v, expected %v: %q", err, want, in)
	case err == nil && !equalBits(got, a.Float64s()):
		t.Errorf("as a file: %v, expected %v: %q", got, a.Float64s(), in)
	}
}

// No flipped bit, missing end or byte too many causes a panic, and what must be noticed is; in short runs at one byte in seven.
func TestMutations(t *testing.T) {
	stride := map[bool]int{false: 1, true: 7}[testing.Short()]
	for s, sample := range samples() {
		if err := checkRead(t, sample); err != nil {
			t.Fatalf("sample %d: %v", s, err)
		}
		for at := 0; at < len(sample); at += stride {
			in := bytes.Clone(sample)
			for bit := range 8 {
				in[at] = sample[at] ^ 1<<bit
				checkRead(t, in)
			}
			in[at] = 0
			checkRead(t, in)
			in[at] = 0xff
			checkRead(t, in)
			if err := checkRead(t, sample[:at]); err == nil {
				t.Errorf("sample %d: the first %d of %d bytes were read", s, at, len(sample))
			}
		}
		for at := 0; at <= len(sample); at += stride {
			for _, v := range []byte{0, ' ', '1', 0xff} {
				in := append(append(bytes.Clone(sample[:at]), v), sample[at:]...)
				if err := checkRead(t, in); err == nil && at > 8 {
					t.Errorf("sample %d: a byte %#x inserted at %d went unnoticed", s, v, at)
				}
			}
		}
	}
}

// Memory follows the bytes that are there, not the header.
func TestAllocation(t *testing.T) {
	const present = 3 << 20
	for _, c := range []struct {
		descr, order, shape string
		factor              float64 // bytes allocated per byte present
	}{
		{"|u1", "False", "(3, 1048576)", 2},
		{"<f8", "False", "(3, 131072)", 2},
		{">f8", "True", "(3, 131072)", 2},
		{"<f2", "True", "(3, 524288)", 3},
		{"|u1", "False", "(2147483647,)", 2},
		{"<f8", "True", "(4, 65536, 1000)", 2},
		{"<f2", "False", "(1073741823,)", 2},
	} {
		in := file(1, dict(c.descr, c.order, c.shape), make([]byte, present)...)
		used := allocated(func() { npy.Read(bytes.NewReader(in)) })
		// 256 KiB: the first chunk, the block of a Fortran file, size classes.
		if limit := uint64(c.factor*present) + 1<<18; used > limit {
			t.Errorf("%s %s fortran_order %s: allocated %d bytes, limit %d", c.descr, c.shape, c.order, used, limit)
		}
	}
}

func TestReaders(t *testing.T) {
	broken := errors.New("the disk is gone")
	for s, sample := range samples() {
		want, err := npy.Read(bytes.NewReader(sample))
		if err != nil {
			t.Fatal(err)
		}
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "data with EOF": iotest.DataErrReader,
		} {
			got, err := npy.Read(wrap(bytes.NewReader(sample)))
			if err != nil {
				t.Errorf("sample %d, %s: %v", s, name, err)
			} else if diff := same(t, got, want); diff != "" {
				t.Errorf("sample %d, %s: %s", s, name, diff)
			}
		}
		for n := range len(sample) + 1 {
			a, err := npy.Read(io.MultiReader(bytes.NewReader(sample[:n]), iotest.ErrReader(broken)))
			if a != nil || !errors.Is(err, broken) {
				t.Errorf("sample %d, error after %d bytes: %v, %v", s, n, a, err)
			}
		}
	}
}

// limitWriter takes n bytes and then fails.
type limitWriter struct{ n int }

var errFull = errors.New("no space left")

func (w *limitWriter) Write(b []byte) (int, error) {
	if len(b) > w.n {
		return w.n, errFull
	}
	w.n -= len(b)
	return len(b), nil
}

func TestWriteErrors(t *testing.T) {
	for _, a := range []*npy.Array{npy.New(make([]float64, 20000), 20000), npy.New(make([]uint8, 20000), 20000), npy.New(make([]int16, 3), 3)} {
		var b bytes.Buffer
		if err := npy.Write(&b, a); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 127, 128, b.Len() / 2, b.Len() - 1} {
			if err := npy.Write(&limitWriter{n}, a); !errors.Is(err, errFull) {
				t.Errorf("%v, room for %d bytes: %v", a.Type, n, err)
			}
		}
		if err := npy.Write(&limitWriter{b.Len()}, a); err != nil {
			t.Error(err)
		}
	}
}

func TestPanics(t *testing.T) {
	write := func(a npy.Array) func() {
		return func() { npy.Write(io.Discard, &a) }
	}
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"npy.New: shape [2 2] does not hold the 3 elements of Data", func() { npy.New([]int8{1, 2, 3}, 2, 2) }},
		{"npy.New: negative axis in shape [-1 -3]", func() { npy.New([]int8{1, 2, 3}, -1, -3) }},
		{"npy.New: 65 axes, at most 64 are allowed", func() { npy.New([]int8{}, make([]int, 65)...) }},
		{"npy.Write: shape [2] does not hold the 1 elements of Data", write(npy.Array{Shape: []int{2}, Type: npy.Float64, Data: []float64{1}})},
		{"npy.Write: Type is float32 and Data is []float64", write(npy.Array{Shape: []int{1}, Type: npy.Float32, Data: []float64{1}})},
		{"npy.Write: Type is Type(0) and Data is []float64", write(npy.Array{Shape: []int{1}, Data: []float64{1}})},
		{"npy.Write: Type is Type(0) and Data is []string", write(npy.Array{Shape: []int{1}, Data: []string{""}})},
		{"npy.Array.Float64s: Type is float64 and Data is <nil>", func() { (&npy.Array{Type: npy.Float64}).Float64s() }},
	} {
		tier.Panics(t, c.want, c.f)
	}
}

// Long text does not make a message long.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("ä", 30000)
	for name, header := range map[string]string{
		"type":  dict(long, "False", "(2, 3)"),
		"order": dict("<f8", long, "(2, 3)"),
		"shape": dict("<f8", "False", "("+strings.Repeat("9223372036854775807, ", 64)+")"),
		"key":   "{'" + long + "': 1}",
		"all":   long,
	} {
		if _, err := npy.Read(bytes.NewReader(file(3, header))); err == nil || len(err.Error()) > 400 {
			t.Errorf("%s: %.500v", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, sample := range samples() {
		f.Add(sample)
	}
	f.Fuzz(func(t *testing.T, in []byte) { checkRead(t, in) })
}

// An array written in parts is the one written at once; what does not belong to it panics, and
// what is missing is an error.
func TestWriter(t *testing.T) {
	var whole, parts bytes.Buffer
	data := []int16{1, -2, 3, -4, 5, -6}
	if err := npy.Write(&whole, npy.New(data, 2, 3)); err != nil {
		t.Fatal(err)
	}
	w, err := npy.NewWriter(&parts, npy.Int16, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][]int16{data[:1], {}, data[1:5]} {
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err == nil || err.Error() != "npy: 1 elements of int16 were not written" {
		t.Errorf("error %v", err)
	}
	for _, wrong := range []any{data[:2], []uint16{1}, 7} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T %v was written", wrong, wrong)
				}
			}()
			w.Write(wrong)
		}()
	}
	if err := errors.Join(w.Write(data[5:]), w.Close()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(parts.Bytes(), whole.Bytes()) {
		t.Error("other bytes in parts")
	}
	for _, shape := range [][]int{{-1}, {math.MaxInt, 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("shape %v was taken", shape)
				}
			}()
			npy.NewWriter(&parts, npy.Uint8, shape...)
		}()
	}
}
