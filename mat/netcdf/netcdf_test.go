package netcdf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/netcdf"
)

// go test -run TestMutated -mutations 100000 ./mat/netcdf
var mutations = flag.Int("mutations", 3000, "mutated files that TestMutated reads")

var float32s = func(v ...float32) []float32 { return v }

// golden is what ncgen was told to write; the files in testdata were made from the .cdl files by
//
//	ncgen -k classic -o NAME-1.nc NAME.cdl      (-2: -k '64-bit offset', -5: -k cdf5)
//
// of the reference library, version 4.9.0, which makes int of int64 in this way; therefore wide-5.nc by
//
//	ncgen -k nc4 -o FILE4.nc wide.cdl && nccopy -k cdf5 FILE4.nc wide-5.nc
//
// which leaves zeros as padding of values where ncgen has fill values.
var golden = []struct {
	name     string
	versions []netcdf.Version
	header   netcdf.Header
	values   netcdf.Arrays
}{
	{"types", []netcdf.Version{1, 2, 5}, netcdf.Header{
		Dimensions: []netcdf.Dimension{{Name: "x", Length: 3}, {Name: "y", Length: 2}, {Name: "letters", Length: 5}, {Name: "größe", Length: 1}},
		Attributes: []netcdf.Attribute{
			netcdf.NewAttribute("title", "every type"),
			netcdf.NewAttribute("bytes", []int8{-1, 2, -3}),
			netcdf.NewAttribute("ints", []int32{1, math.MinInt32}),
			netcdf.NewAttribute("floats", float32s(1.5, float32(math.Copysign(0, -1)))),
			netcdf.NewAttribute("doubles", []float64{math.Pi}),
			netcdf.NewAttribute("shorts", []int16{-32768, 32767, 0}),
		},
		Variables: []netcdf.Variable{
			{Name: "b", Type: netcdf.Byte, Dimensions: []int{0}, Attributes: []netcdf.Attribute{
				netcdf.NewAttribute("_FillValue", []int8{7}), netcdf.NewAttribute("valid_range", []int8{-5, 5})}},
			{Name: "name", Type: netcdf.Char, Dimensions: []int{1, 2}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("long_name", "\x00")}},
			{Name: "s", Type: netcdf.Short, Dimensions: []int{1, 0}, Attributes: []netcdf.Attribute{
				netcdf.NewAttribute("add_offset", []float64{0.5}), netcdf.NewAttribute("flags", []int16{1, -2, 3})}},
			{Name: "i", Type: netcdf.Int, Dimensions: []int{}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("units", "1")}},
			{Name: "f", Type: netcdf.Float, Dimensions: []int{0}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("missing_value", float32s(1e20))}},
			{Name: "Ünïcode 名", Type: netcdf.Double, Dimensions: []int{3}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("größe", "Größe in µm\n")}},
			{Name: "odd", Type: netcdf.Short, Dimensions: []int{0}},
		},
	}, netcdf.Arrays{[]int8{-128, 0, 127}, "ab\x00\x00\x00cdefg", []int16{1, 2, 3, -4, -5, 32767}, []int32{-123456789},
		float32s(1.25, float32(math.NaN()), float32(math.Inf(-1))), []float64{1e-300}, []int16{9, 8, 7}}},
	{"records", []netcdf.Version{1, 2, 5}, netcdf.Header{
		Dimensions: []netcdf.Dimension{{Name: "time", Length: 3, Record: true}, {Name: "x", Length: 3}},
		Variables: []netcdf.Variable{
			{Name: "flag", Type: netcdf.Byte, Dimensions: []int{0}},
			{Name: "time", Type: netcdf.Double, Dimensions: []int{0}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("units", "days since 2000-01-01")}},
			{Name: "fixed", Type: netcdf.Int, Dimensions: []int{1}},
			{Name: "packed", Type: netcdf.Short, Dimensions: []int{0, 1}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("_FillValue", []int16{-99})}},
			{Name: "letter", Type: netcdf.Char, Dimensions: []int{0, 1}},
		},
	}, netcdf.Arrays{[]int8{1, 2, 3}, []float64{0.5, 1.5, 2.5}, []int32{10, 20, 30}, []int16{1, 2, 3, 4, -99, 6, 7, 8, 9}, "abcde\x00f\x00\x00"}},
	{"single", []netcdf.Version{1, 2, 5}, netcdf.Header{
		Dimensions: []netcdf.Dimension{{Name: "time", Length: 3, Record: true}, {Name: "x", Length: 3}},
		Variables: []netcdf.Variable{
			{Name: "packed", Type: netcdf.Short, Dimensions: []int{0, 1}},
			{Name: "after", Type: netcdf.Byte, Dimensions: []int{1}},
		},
	}, netcdf.Arrays{[]int16{1, 2, 3, 4, 5, 6, 7, 8, 9}, []int8{1, 2, 3}}},
	{"empty", []netcdf.Version{1, 2, 5}, netcdf.Header{
		Dimensions: []netcdf.Dimension{{Name: "time", Record: true}, {Name: "x", Length: 3}},
		Variables: []netcdf.Variable{
			{Name: "time", Type: netcdf.Double, Dimensions: []int{0}},
			{Name: "sst", Type: netcdf.Float, Dimensions: []int{0, 1}},
			{Name: "fixed", Type: netcdf.Int, Dimensions: []int{1}},
		},
	}, netcdf.Arrays{[]float64{}, []float32{}, []int32{1, 2, 3}}},
	{"wide", []netcdf.Version{5}, netcdf.Header{
		Dimensions: []netcdf.Dimension{{Name: "time", Length: 2, Record: true}, {Name: "x", Length: 3}},
		Variables: []netcdf.Variable{
			{Name: "ub", Type: netcdf.UByte, Dimensions: []int{1}},
			{Name: "us", Type: netcdf.UShort, Dimensions: []int{0, 1}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("limits", []uint16{0, 65535})}},
			{Name: "ui", Type: netcdf.UInt, Dimensions: []int{1}},
			{Name: "signed", Type: netcdf.Int64, Dimensions: []int{0}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("range", []int64{-math.MaxInt64, math.MaxInt64})}},
			{Name: "unsigned", Type: netcdf.UInt64, Dimensions: []int{1}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("most", []uint64{math.MaxUint64})}},
			{Name: "s", Type: netcdf.Short, Dimensions: []int{0}},
		},
	}, netcdf.Arrays{[]uint8{0, 128, 255}, []uint16{1, 2, 65535, 4, 5, 6}, []uint32{0, 1 << 31, math.MaxUint32},
		[]int64{-9007199254740993, 9007199254740993}, []uint64{1, 1 << 63, math.MaxUint64}, []int16{-1, 1}}},
}

func readGolden(t testing.TB, name string, v netcdf.Version) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("%s-%d.nc", name, v)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(t testing.TB, b []byte) *netcdf.File {
	t.Helper()
	f, err := netcdf.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// same reports whether two lists of values have the same type and the same bits.
func same(a, b any) bool {
	x, y := netcdf.NewAttribute("", a), netcdf.NewAttribute("", b)
	return x == y
}

// checkFile compares a file with what it should hold.
func checkFile(t *testing.T, what string, f *netcdf.File, h *netcdf.Header, values netcdf.Arrays) {
	t.Helper()
	if f.Version != h.Version || !slices.Equal(f.Dimensions, h.Dimensions) || !slices.Equal(f.Attributes, h.Attributes) || len(f.Variables) != len(h.Variables) {
		t.Fatalf("%s: header\n%+v\nwant\n%+v", what, f.Header, *h)
	}
	for i, want := range h.Variables {
		got := f.Variables[i]
		if got.Name != want.Name || got.Type != want.Type || !slices.Equal(got.Dimensions, want.Dimensions) || !slices.Equal(got.Attributes, want.Attributes) {
			t.Errorf("%s: variable %d is %+v, want %+v", what, i, got, want)
		}
		v, err := f.Values(i)
		if err != nil || !same(v, values[i]) {
			t.Errorf("%s: %s holds %v, want %v (%v)", what, want.Name, v, values[i], err)
		}
	}
}

// What the reference library wrote is read exactly and written again byte by byte.
func TestGolden(t *testing.T) {
	for _, g := range golden {
		for _, v := range g.versions {
			what := fmt.Sprintf("%s-%d", g.name, v)
			b := readGolden(t, g.name, v)
			f := open(t, b)
			h := g.header
			h.Version = v
			checkFile(t, what, f, &h, g.values)
			for from, source := range map[string]netcdf.Source{"file": f, "memory": g.values} {
				var w bytes.Buffer
				if err := netcdf.Write(&w, &h, source); err != nil || (g.name == "wide" && w.Len() != len(b) || g.name != "wide" && !bytes.Equal(w.Bytes(), b)) {
					t.Errorf("%s: written from %s: %d bytes that differ from the %d of the reference library (%v)", what, from, w.Len(), len(b), err)
				}
			}
		}
	}
}

func TestFill(t *testing.T) {
	for typ, want := range map[netcdf.Type]float64{netcdf.Byte: -127, netcdf.Char: 0, netcdf.Short: -32767, netcdf.Int: -2147483647,
		netcdf.Float: 9.9692099683868690e+36, netcdf.Double: 9.9692099683868690e+36, netcdf.UByte: 255, netcdf.UShort: 65535,
		netcdf.UInt: 4294967295, netcdf.Int64: -9223372036854775806, netcdf.UInt64: 18446744073709551614} {
		if got := typ.Fill(); got != want {
			t.Errorf("%v: fill value %v, want %v", typ, got, want)
		}
	}
}

// random returns a header and its values.
func random(r *rand.Rand, v netcdf.Version) (netcdf.Header, netcdf.Arrays) {
	types := 6
	if v == netcdf.Data64 {
		types = 11
	}
	values := func(t netcdf.Type, n int) any {
		b := make([]byte, n*t.Size())
		for i := range b {
			b[i] = byte(r.Uint32())
			if t == netcdf.Char {
				b[i] = 'a' + b[i]%26
			}
		}
		return decode(t, b)
	}
	attributes := func() (all []netcdf.Attribute) {
		for i := range r.IntN(4) {
			all = append(all, netcdf.NewAttribute(fmt.Sprintf("a%d", i), values(netcdf.Type(1+r.IntN(types)), 1+r.IntN(5))))
		}
		return all
	}
	h := netcdf.Header{Version: v, Attributes: attributes()}
	for i := range r.IntN(5) {
		h.Dimensions = append(h.Dimensions, netcdf.Dimension{Name: fmt.Sprintf("dim%d", i), Length: 1 + r.IntN(4)})
	}
	if len(h.Dimensions) > 0 && r.IntN(3) > 0 {
		h.Dimensions[r.IntN(len(h.Dimensions))] = netcdf.Dimension{Name: "records", Length: r.IntN(4), Record: true}
	}
	var all netcdf.Arrays
	for i := range r.IntN(6) {
		x := netcdf.Variable{Name: fmt.Sprintf("var%d", i), Type: netcdf.Type(1 + r.IntN(types)), Dimensions: []int{}, Attributes: attributes()}
		n := 1
		for k := range r.IntN(4) {
			if len(h.Dimensions) == 0 {
				break
			}
			d := r.IntN(len(h.Dimensions))
			if k > 0 && h.Dimensions[d].Record {
				continue
			}
			x.Dimensions = append(x.Dimensions, d)
			n *= h.Dimensions[d].Length
		}
		h.Variables = append(h.Variables, x)
		all = append(all, values(x.Type, n))
	}
	return h, all
}

// decode turns big-endian bytes into values by package binary, apart from the code under test.
func decode(t netcdf.Type, b []byte) any {
	n := len(b) / t.Size()
	if t == netcdf.Char {
		return string(b)
	}
	of := map[netcdf.Type]any{netcdf.Byte: []int8{}, netcdf.Short: []int16{}, netcdf.Int: []int32{}, netcdf.Float: []float32{}, netcdf.Double: []float64{},
		netcdf.UByte: []uint8{}, netcdf.UShort: []uint16{}, netcdf.UInt: []uint32{}, netcdf.Int64: []int64{}, netcdf.UInt64: []uint64{}}[t]
	v := reflect.MakeSlice(reflect.TypeOf(of), n, n).Interface()
	if _, err := binary.Decode(b, binary.BigEndian, v); err != nil {
		panic(err)
	}
	return v
}

// What is written is read as it was, in parts too.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for k := range 600 {
		h, values := random(r, []netcdf.Version{1, 2, 5}[k%3])
		var w bytes.Buffer
		if err := netcdf.Write(&w, &h, values); err != nil {
			t.Fatal(err)
		}
		f := open(t, w.Bytes())
		checkFile(t, fmt.Sprint("file ", k), f, &h, values)
		for v := range h.Variables {
			n, typ := f.Len(v), h.Variables[v].Type
			b := make([]byte, n*typ.Size())
			if err := f.ReadBytes(b, v, 0); err != nil {
				t.Fatal(err)
			}
			want := reflect.ValueOf(decode(typ, b))
			from := r.IntN(n + 1)
			part := make([]float64, r.IntN(n-from+1))
			if err := f.ReadFloat64s(part, v, from); err != nil {
				t.Fatal(err)
			}
			for i, got := range part {
				x := want.Index(from + i).Convert(reflect.TypeFor[float64]()).Float()
				if got != x && !(math.IsNaN(got) && math.IsNaN(x)) {
					t.Errorf("file %d: value %d of variable %d is %v, want %v", k, from+i, v, got, x)
				}
			}
		}
	}
}

// What is written is read by the reference library: ncdump prints it and ncgen makes the same bytes of the print.
// Debian's package netcdf-bin has both.
func TestNcdump(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a hundred programs")
	}
	for _, program := range []string{"ncdump", "ncgen", "nccopy"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("no ", program, " here, which is in Debian's package netcdf-bin: not compared with the reference library")
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	kinds := map[netcdf.Version]string{1: "classic", 2: "64-bit offset", 5: "cdf5"}
	folder := t.TempDir()
	compared := 0
	for k := range 24 {
		version := []netcdf.Version{1, 2, 5}[k%3]
		h, values := random(r, version)
		if !slices.ContainsFunc(h.Variables, func(v netcdf.Variable) bool { return len(v.Dimensions) > 0 && h.Dimensions[v.Dimensions[0]].Record }) {
			for i := range h.Dimensions { // the library counts the records that variables have
				if h.Dimensions[i].Record {
					h.Dimensions[i].Length = 0
				}
			}
		}
		for i, v := range values { // NaN payloads do not survive text
			switch v := v.(type) {
			case []float32:
				for k := range v {
					v[k] = float32(r.NormFloat64())
				}
			case []float64:
				for k := range v {
					v[k] = r.NormFloat64()
				}
			}
			for k, a := range h.Variables[i].Attributes {
				h.Variables[i].Attributes[k] = plain(a)
			}
		}
		for k, a := range h.Attributes {
			h.Attributes[k] = plain(a)
		}
		path := filepath.Join(folder, "file.nc")
		var w bytes.Buffer
		if err := errors.Join(netcdf.Write(&w, &h, values), os.WriteFile(path, w.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
		kind, err := exec.Command("ncdump", "-k", path).Output()
		if got := strings.TrimSpace(string(kind)); err != nil || got != kinds[version] {
			t.Errorf("ncdump -k: %q, want %q (%v)", got, kinds[version], err)
		}
		text, err := exec.Command("ncdump", "-p", "9,17", path).Output()
		if err != nil {
			t.Fatalf("file %d: ncdump: %v", k, err)
		}
		again := filepath.Join(folder, "again.nc")
		var out []byte
		if version == netcdf.Data64 { // ncgen -k cdf5 makes int of int64
			four := filepath.Join(folder, "four.nc")
			if out, err = run(text, "ncgen", "-k", "nc4", "-o", four); err == nil {
				out, err = run(nil, "nccopy", "-k", "cdf5", four, again)
			}
		} else {
			out, err = run(text, "ncgen", "-k", kinds[version], "-o", again)
		}
		if err != nil {
			t.Fatalf("file %d: %v\n%s\n%s", k, err, out, text)
		}
		b, err := os.ReadFile(again)
		if err != nil {
			t.Fatal(err)
		}
		checkFile(t, fmt.Sprintf("file %d, made again by the reference library", k), open(t, b), &h, values)
		if version != netcdf.Data64 && !bytes.Equal(b, w.Bytes()) { // nccopy pads with zeros
			t.Errorf("file %d: the reference library makes other bytes of\n%s", k, text)
		}
		compared++
	}
	t.Logf("%d files compared", compared)
}

// run runs a program on some input.
func run(input []byte, name string, args ...string) ([]byte, error) {
	c := exec.Command(name, args...)
	c.Stdin = bytes.NewReader(input)
	return c.CombinedOutput()
}

// plain replaces the values of attributes that text does not carry.
func plain(a netcdf.Attribute) netcdf.Attribute {
	switch a.Type {
	case netcdf.Float:
		return netcdf.NewAttribute(a.Name, []float32{0.1, -1e30})
	case netcdf.Double:
		return netcdf.NewAttribute(a.Name, []float64{0.1, -1e300})
	}
	return a
}

// edit returns a copy of a file with other bytes from at on.
func edit(b []byte, at int, with string) []byte {
	b = slices.Clone(b)
	copy(b[at:], with)
	return b
}

func TestRefused(t *testing.T) {
	whole := readGolden(t, "records", 1)
	at := func(text string) int { return bytes.Index(whole, []byte(text)) }
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, `signature: found "", expected "CDF\x01", "CDF\x02" or "CDF\x05"`},
		{"text", []byte("a,b\n1,2\n"), `signature: found "a,b\n", expected "CDF\x01", "CDF\x02" or "CDF\x05"`},
		{"version 3", edit(whole, 3, "\x03"), `signature: found "CDF\x03", expected "CDF\x01", "CDF\x02" or "CDF\x05"`},
		{"HDF5", []byte("\x89HDF\r\n\x1a\nmore"), "signature: found that of NetCDF-4 (HDF5), expected a classic file, as nccopy -k cdf5 FILE NEW.nc makes it"},
		{"HDF5 behind a block", append(make([]byte, 512), "\x89HDF\r\n\x1a\n"...), "signature: found that of NetCDF-4 (HDF5), expected a classic file, as nccopy -k cdf5 FILE NEW.nc makes it"},
		{"cut in the header", whole[:50], "byte 50: found the end of the file, expected more of the header (the file is truncated)"},
		{"cut in the values", whole[:len(whole)-4], "variable 4 (letter): found 3 records of 24 bytes from byte 360 on in a file of 408, expected all of them (the file is truncated)"},
		{"records below zero", edit(whole, 4, "\xff\xff\xff\xfe"), "byte 4: found -2 records, expected 0 to 2147483647"},
		{"more records", edit(whole, 4, "\x00\x00\x00\x04"), "variable 0 (flag): found 4 records of 24 bytes from byte 340 on in a file of 412, expected all of them (the file is truncated)"},
		{"a wrong tag", edit(whole, 8, "\x00\x00\x00\x0b"), "byte 8: found the tag 11, expected 10, of dimensions, or 0"},
		{"many dimensions", edit(whole, 12, "\x00\x00\x10\x00"), "byte 12: found 4096 dimensions in the last 396 bytes, expected at least 12 bytes for each (the file is truncated)"},
		{"too many dimensions", edit(whole, 12, "\x7f\x00\x00\x00"), "byte 12: found 2130706432 dimensions, expected 0 to 8192"},
		{"a long name", edit(whole, 16, "\x00\x01\x00\x00"), "dimension 0: byte 16: found 65536 bytes of a name, expected 0 to 256"},
		{"no name", edit(whole, at("time")-4, "\x00\x00\x00\x00"), `dimension 0: byte 20: found "", expected a name of 1 to 256 bytes`},
		{"a slash", edit(whole, at("time"), "ti/e"), `dimension 0: byte 20: found "ti/e", expected a name without control characters, slashes and blanks at its ends`},
		{"a line", edit(whole, at("time"), "ti\ne"), `dimension 0: byte 20: found "ti\ne", expected a name without control characters, slashes and blanks at its ends`},
		{"no UTF-8", edit(whole, at("time"), "ti\xff\xfe"), `dimension 0: byte 20: found "ti\xff\xfe", expected a name in UTF-8`},
		{"two record dimensions", edit(whole, at("x\x00\x00\x00")+4, "\x00\x00\x00\x00"), "dimension 1 (x): found a second dimension of length 0, expected one, that of the records"},
		{"a length below zero", edit(whole, at("x\x00\x00\x00")+4, "\x80\x00\x00\x00"), "dimension 1: byte 36: found -2147483648 as the length of a dimension, expected 0 to 2147483647"},
		{"a dimension that is not there", edit(whole, at("fixed")+12, "\x00\x00\x00\x02"), "variable 2 (fixed): byte 188: found 2 as the number of a dimension, expected 0 to 1"},
		{"records inside", edit(whole, at("letter")+16, "\x00\x00\x00\x00"), "variable 4 (letter): byte 304: found the record dimension as number 1, expected it as the first"},
		{"type 0", edit(whole, at("fixed")+24, "\x00\x00\x00\x00"), "variable 2 (fixed): byte 200: found the type 0, expected 1 to 6 in a classic file"},
		{"a type of CDF-5", edit(whole, at("fixed")+24, "\x00\x00\x00\x07"), "variable 2 (fixed): byte 200: found the type 7, expected 1 to 6 in a classic file"},
		{"names twice", edit(whole, at("flag"), "time"), `variable 1: found the name "time" of variable 0, expected each name once`},
		{"an attribute without end", edit(whole, at("units")+12, "\x7f\xff\xff\xff"), "variable 1 (time): attribute 0: byte 132: found 2147483647 values of char in the last 276 bytes, expected as many as there are (the file is truncated)"},
		{"values in the header", edit(whole, at("fixed")+32, "\x00\x00\x00\x08"), "variable 2 (fixed): found values from byte 8 on, expected byte 328 or later, after the header"},
		{"values behind the file", edit(whole, at("fixed")+32, "\x00\x10\x00\x00"), "variable 2 (fixed): found 12 bytes from byte 1048576 on in a file of 412, expected all values (the file is truncated)"},
		{"values before the file", edit(whole, at("fixed")+32, "\xff\xff\xff\xff"), "variable 2 (fixed): byte 208: found values from byte -1 on, expected a place in the file"},
		{"values among records", edit(whole, at("fixed")+32, "\x00\x00\x01\x60"), "variable 2 (fixed): found values from byte 352 on, expected a place before the records, which begin at byte 340"},
		{"records on top of each other", edit(whole, at("packed")+64, "\x00\x00\x01\x5a"), "variable 3 (packed): found values from byte 346 on, expected byte 352 or later, after the values of time"},
		{"a record inside the next", append(edit(whole, at("letter")+36, "\x00\x00\x01\x6a"), 0, 0, 0, 0), "variable 4 (letter): found a record up to byte 365, expected its end before byte 364, where the next begins"},
		{"a record among fixed values", edit(whole, at("flag")+28, "\x00\x00\x01\x50"), "variable 0 (flag): found values from byte 336 on, expected byte 340 or later, after the values of fixed"},
	} {
		_, err := netcdf.NewFile(bytes.NewReader(c.file), int64(len(c.file)))
		if _, ok := errors.AsType[*netcdf.FormatError](err); !ok || err.Error() != "netcdf: "+c.want {
			t.Errorf("%s: error\n\t%v\nwant\n\tnetcdf: %s", c.name, err, c.want)
		}
		if is := strings.HasPrefix(c.name, "HDF5"); errors.Is(err, netcdf.ErrNetCDF4) != is {
			t.Errorf("%s: ErrNetCDF4 is %v", c.name, !is)
		}
	}
}

// Padding of names and attributes is any bytes, as for the reference library: SciPy up to 1.0 wrote the digit 0.
func TestPadding(t *testing.T) {
	h := netcdf.Header{Version: netcdf.Classic, Dimensions: []netcdf.Dimension{{Name: "x", Length: 2}}, Variables: []netcdf.Variable{
		{Name: "v", Type: netcdf.Double, Dimensions: []int{0}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("units", "K"), netcdf.NewAttribute("odd", []int16{7})}}}}
	var w bytes.Buffer
	if err := netcdf.Write(&w, &h, netcdf.Arrays{[]float64{1.5, -2}}); err != nil {
		t.Fatal(err)
	}
	padded := w.Bytes()
	for _, text := range []string{"x\x00\x00\x00", "v\x00\x00\x00", "units\x00\x00\x00", "K\x00\x00\x00", "odd\x00", "\x00\x07\x00\x00"} {
		at := bytes.Index(padded, []byte(text))
		if at < 0 {
			t.Fatalf("%q is not in the file", text)
		}
		for k := at + len(strings.TrimRight(text, "\x00")); k < at+len(text); k++ {
			padded[k] = '0'
		}
	}
	checkFile(t, "padding of digits", open(t, padded), &h, []any{[]float64{1.5, -2}})
}

// Every header that is cut short, and every file without its last values, is refused; without its last padding it is read.
func TestTruncated(t *testing.T) {
	for _, g := range golden {
		whole := readGolden(t, g.name, g.versions[0])
		for n := range whole {
			_, err := netcdf.NewFile(bytes.NewReader(whole[:n]), int64(n))
			if missing := len(whole) - n; missing > 3 && err == nil && g.name != "empty" {
				t.Errorf("%s: read without its last %d bytes", g.name, missing)
			}
		}
	}
	whole := readGolden(t, "types", 1) // its last variable has 6 bytes and 2 of padding
	checkFile(t, "types without padding", open(t, whole[:len(whole)-2]), func() *netcdf.Header { h := golden[0].header; h.Version = 1; return &h }(), golden[0].values)
	if _, err := netcdf.NewFile(bytes.NewReader(whole[:len(whole)-3]), int64(len(whole)-3)); err == nil {
		t.Error("read without a byte of its last value")
	}
}

// A stream does not know its records: those that are whole count.
func TestStreaming(t *testing.T) {
	whole := edit(readGolden(t, "records", 1), 4, "\xff\xff\xff\xff")
	for cut, want := range map[int]int{0: 3, 1: 2, 24: 2, 25: 1, 72: 0} {
		b := whole[:len(whole)-cut]
		f, err := netcdf.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Errorf("without %d bytes: %v", cut, err)
			continue
		}
		if got := f.Dimensions[0].Length; got != want {
			t.Errorf("without %d bytes: %d records, want %d", cut, got, want)
		}
	}
}

// Bytes between header and values, and after the last value, are no matter.
func TestRoom(t *testing.T) {
	h := golden[1].header
	h.Version = netcdf.Offset64
	b := append(readGolden(t, "records", 2), "tail"...)
	checkFile(t, "with a tail", open(t, b), &h, golden[1].values)
}

// far is a file with room between its header and its values.
type far struct {
	header []byte
	gap    int64
	values []byte
}

func (f far) ReadAt(b []byte, at int64) (int, error) {
	for i := range b {
		switch k := at + int64(i); {
		case k < int64(len(f.header)):
			b[i] = f.header[k]
		case k < int64(len(f.header))+f.gap:
			b[i] = 0
		case k < int64(len(f.header))+f.gap+int64(len(f.values)):
			b[i] = f.values[k-int64(len(f.header))-f.gap]
		default:
			return i, io.EOF
		}
	}
	return len(b), nil
}

// Values may lie beyond 4 GiB in a file with 64-bit places.
func TestFarValues(t *testing.T) {
	h := netcdf.Header{Version: netcdf.Offset64, Dimensions: []netcdf.Dimension{{Name: "x", Length: 3}}, Variables: []netcdf.Variable{{Name: "v", Type: netcdf.Int, Dimensions: []int{0}}}}
	var w bytes.Buffer
	if err := netcdf.Write(&w, &h, netcdf.Arrays{[]int32{1, -2, 3}}); err != nil {
		t.Fatal(err)
	}
	b := w.Bytes()
	header, values := b[:len(b)-12], b[len(b)-12:]
	const gap = int64(5) << 30
	binary.BigEndian.PutUint64(header[len(header)-8:], uint64(len(header))+uint64(gap))
	f, err := netcdf.NewFile(far{header, gap, values}, int64(len(b))+gap)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := f.Values(0); err != nil || !same(v, []int32{1, -2, 3}) {
		t.Errorf("values %v, %v", v, err)
	}
}

// A header that no file has is not written.
func TestWriteRefused(t *testing.T) {
	x := []netcdf.Dimension{{Name: "x", Length: 2}}
	attribute := func(v any) []netcdf.Attribute { return []netcdf.Attribute{netcdf.NewAttribute("a", v)} }
	for _, c := range []struct {
		h    netcdf.Header
		want string
	}{
		{netcdf.Header{}, "netcdf: cannot write the file: Version(0)"},
		{netcdf.Header{Version: 1, Dimensions: []netcdf.Dimension{{Name: "a/b", Length: 1}}}, `netcdf: cannot write dimension 0: "a/b", expected a name without control characters, slashes and blanks at its ends`},
		{netcdf.Header{Version: 1, Dimensions: []netcdf.Dimension{{Name: "x"}}}, "netcdf: cannot write dimension x: a length of 0"},
		{netcdf.Header{Version: 1, Dimensions: append(x, x...)}, `dimension 1: found the name "x" of dimension 0`},
		{netcdf.Header{Version: 1, Dimensions: []netcdf.Dimension{{Name: "s", Record: true}, {Name: "t", Record: true}}}, "cannot write 2 record dimensions"},
		{netcdf.Header{Version: 2, Variables: []netcdf.Variable{{Name: "v", Type: netcdf.UInt}}}, "cannot write variable v of type uint and 0 dimensions in a 64-bit offset file"},
		{netcdf.Header{Version: 1, Variables: []netcdf.Variable{{Name: "v", Type: netcdf.Int, Dimensions: []int{1}}}, Dimensions: x}, "cannot write variable v: dimension 1 as its number 0"},
		{netcdf.Header{Version: 1, Variables: []netcdf.Variable{{Name: "v", Type: netcdf.Int}, {Name: "v", Type: netcdf.Int}}}, `variable 1: found the name "v" of variable 0`},
		{netcdf.Header{Version: 1, Attributes: attribute([]uint64{1})}, "cannot write attribute a of the file: 1 values of uint64 in a classic file"},
	} {
		var w bytes.Buffer
		err := netcdf.Write(&w, &c.h, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || w.Len() > 0 {
			t.Errorf("error %v with %d bytes written, want %q", err, w.Len(), c.want)
		}
	}
	big := netcdf.Header{Version: 1, Dimensions: []netcdf.Dimension{{Name: "x", Length: 1 << 20}}, Variables: []netcdf.Variable{{Name: "v", Type: netcdf.Double, Dimensions: []int{0}}}}
	stop := errors.New("enough")
	if err := netcdf.Write(io.Discard, &big, failing{stop}); !errors.Is(err, stop) {
		t.Errorf("error %v, want that of the source", err)
	}
}

type failing struct{ err error }

func (f failing) ReadBytes([]byte, int, int) error { return f.err }

// mutate changes a file: bytes, words, its length, pieces moved.
func mutate(r *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + r.IntN(4) {
		if len(b) == 0 {
			return b
		}
		at := r.IntN(len(b))
		switch r.IntN(6) {
		case 0:
			b[at] = byte(r.Uint32())
		case 1:
			b[at] ^= 1 << r.IntN(8)
		case 2: // a word that means much
			word := []uint32{0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 10, 11, 12, uint32(len(b)), 1 << 16, 1 << 28}[r.IntN(11)]
			if at &^= 3; at+4 <= len(b) {
				binary.BigEndian.PutUint32(b[at:], word)
			}
		case 3:
			b = b[:at]
		case 4:
			b = append(b, b[at:]...)
		case 5:
			copy(b[at:], b[r.IntN(len(b)):])
		}
	}
	return b
}

// read reads all there is, and writes it again.
func read(b []byte) error {
	f, err := netcdf.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	for v := range f.Variables {
		if _, err := f.Values(v); err != nil {
			return err
		}
	}
	return nil
}

// Mutated files: no panic, no more memory than four times the file and 1 MiB, and errors of one line.
func TestMutated(t *testing.T) {
	var seeds [][]byte
	for _, g := range golden {
		for _, v := range g.versions {
			seeds = append(seeds, readGolden(t, g.name, v))
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	var before, after runtime.MemStats
	good := 0
	for k := range *mutations {
		b := mutate(r, seeds[k%len(seeds)])
		runtime.ReadMemStats(&before)
		err := read(b)
		runtime.ReadMemStats(&after)
		if used, most := after.TotalAlloc-before.TotalAlloc, uint64(4*len(b)+1<<20); used > most {
			t.Fatalf("%d bytes taken for a file of %d: %q", used, len(b), b)
		}
		if err == nil {
			good++
			continue
		}
		if _, ok := errors.AsType[*netcdf.FormatError](err); !ok || strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 2000 {
			t.Fatalf("error %q of %q", err, b)
		}
	}
	t.Logf("%d of %d mutated files are good ones", good, *mutations)
}

// A long header of the smallest items takes no more than four times its bytes and 1 MiB.
func TestLongHeaders(t *testing.T) {
	attributes := func(n int) (all []netcdf.Attribute) {
		for i := range n {
			all = append(all, netcdf.NewAttribute(fmt.Sprintf("%04x", i), ""))
		}
		return all
	}
	many := netcdf.Header{Version: 1, Attributes: attributes(8192)}
	for i := range 8192 {
		many.Variables = append(many.Variables, netcdf.Variable{Name: fmt.Sprintf("%04x", i), Type: netcdf.Byte})
	}
	for i := range 40 {
		many.Variables[i].Attributes = attributes(8192)
	}
	values := make(netcdf.Arrays, 8192)
	for i := range values {
		values[i] = []int8{1}
	}
	var w bytes.Buffer
	if err := netcdf.Write(&w, &many, values); err != nil {
		t.Fatal(err)
	}
	b := w.Bytes()
	lie := slices.Clone(b[:1<<20]) // cut short
	for name, b := range map[string][]byte{"whole": b, "cut": lie} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := netcdf.NewFile(bytes.NewReader(b), int64(len(b)))
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		if t.Logf("%s: %.2f times its %d bytes, %v", name, float64(used)/float64(len(b)), len(b), err); used > uint64(4*len(b)+1<<20) {
			t.Errorf("%s: %d bytes taken for %d", name, used, len(b))
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, g := range golden {
		for _, v := range g.versions {
			f.Add(readGolden(f, g.name, v))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := netcdf.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		var w bytes.Buffer
		if err := netcdf.Write(&w, &file.Header, file); err != nil {
			if strings.Contains(err.Error(), "a length of") { // beyond 31 bits, as only others write it
				return
			}
			t.Fatal(err)
		}
		again := open(t, w.Bytes())
		if !slices.Equal(again.Dimensions, file.Dimensions) || !slices.Equal(again.Attributes, file.Attributes) {
			t.Fatalf("written again: %+v, was %+v", again.Header, file.Header)
		}
		for v := range file.Variables {
			x, errX := file.Values(v)
			y, errY := again.Values(v)
			if errX != nil || errY != nil || !same(x, y) {
				t.Fatalf("variable %d: %v, was %v (%v, %v)", v, y, x, errY, errX)
			}
		}
	})
}

// What is open is read by many at once, and a file that is cut short meanwhile is an error.
func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.nc")
	whole := readGolden(t, "types", 2)
	if err := os.WriteFile(path, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := netcdf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if v, err := f.Values(f.Find("s")); err != nil || !same(v, []int16{1, 2, 3, -4, -5, 32767}) {
		t.Errorf("s is %v, %v", v, err)
	}
	if a, ok := f.Variables[2].Attribute("flags"); !ok || !slices.Equal(a.Float64s(), []float64{1, -2, 3}) || a.Text() != "" || a.Len() != 3 {
		t.Errorf("flags are %v", a.Values())
	}
	if a, ok := f.Attribute("title"); !ok || a.Text() != "every type" || a.Float64s() != nil {
		t.Errorf("title is %v", a.Values())
	}
	if f.Find("nothing") != -1 || !slices.Equal(f.Shape(2), []int{2, 3}) {
		t.Errorf("shape %v", f.Shape(2))
	}
	if err := os.Truncate(path, int64(len(whole)-20)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Values(6); err == nil || !strings.Contains(err.Error(), "variable 6 (odd): found the end of the file") {
		t.Errorf("error %v of a file cut short", err)
	}
	if _, err := netcdf.Open(filepath.Join(t.TempDir(), "gone.nc")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v of a file that is not there", err)
	}
}

// Records without a byte are not counted one by one, which for so many would never end.
func TestWriteRecordsWithoutBytes(t *testing.T) {
	h := netcdf.Header{Version: netcdf.Data64, Dimensions: []netcdf.Dimension{{Name: "time", Length: math.MaxInt, Record: true}, {Name: "x", Length: 1}},
		Variables: []netcdf.Variable{{Name: "x", Type: netcdf.Double, Dimensions: []int{1}}}}
	var w bytes.Buffer
	if err := netcdf.Write(&w, &h, netcdf.Arrays{[]float64{3}}); err != nil {
		t.Fatal(err)
	}
	if again := open(t, w.Bytes()); !slices.Equal(again.Dimensions, h.Dimensions) {
		t.Errorf("dimensions %v, written %v", again.Dimensions, h.Dimensions)
	}
}
