package safetensors_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
)

// file lays out a file by hand, its header as it is given.
func file(header, data string) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

// seal fills in the checksum of a file whose digits are zeros.
func seal(b []byte) []byte {
	sum := sha256.Sum256(b)
	return bytes.Replace(b, []byte(strings.Repeat("0", 64)), []byte(hex.EncodeToString(sum[:])), 1)
}

// raw returns the bits of the elements: equal bits are equal bytes, NaN or not.
func raw(t *testing.T, data any) string {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// same reports how two files differ; "" if not at all. The order of the tensors
// does not count.
func same(t *testing.T, got, want *safetensors.File) string {
	t.Helper()
	type tensor struct {
		Shape []int
		Go    string // the type of Data
		Bytes string
	}
	of := func(f *safetensors.File) map[string]tensor {
		tensors := make(map[string]tensor)
		for _, one := range f.Tensors {
			tensors[one.Name] = tensor{one.Shape, fmt.Sprintf("%T", one.Data), raw(t, one.Data)}
		}
		return tensors
	}
	return cmp.Diff(want.Metadata, got.Metadata, cmpopts.EquateEmpty()) + cmp.Diff(of(want), of(got), cmpopts.EquateEmpty())
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// everything is a small file with every type, a single number, an empty tensor,
// negative zero, infinities and the payload of a signalling NaN.
func everything() *safetensors.File {
	return &safetensors.File{
		Metadata: map[string]string{"name": "Grüße \"<&>\"\n", "": "empty key", "a": "", "zebra": "last"},
		Tensors: []safetensors.Tensor{
			{Name: "bytes", Shape: []int{3}, Data: []uint8{0, 128, 255}},
			{Name: "ints", Shape: []int{1, 2}, Data: []int32{math.MinInt32, 258}},
			{Name: "singles", Shape: []int{2}, Data: []float32{float32(math.Copysign(0, -1)), math.Float32frombits(0x7fa00001)}},
			{Name: "doubles", Shape: []int{2, 1, 2}, Data: []float64{1, math.Inf(-1), math.Float64frombits(0x7ff40000deadbeef), 5e-324}},
			{Name: "a double", Shape: []int{}, Data: []float64{0.1}},
			{Name: "longs", Shape: []int{1}, Data: []int64{math.MinInt64}},
			{Name: "nothing\\here", Shape: []int{4, 0}, Data: []float32{}},
		},
	}
}

// What the reference library writes: compact JSON, no checksum, large elements
// first, spaces up to a multiple of 8.
func TestReadReferenceFiles(t *testing.T) {
	for _, c := range []struct {
		name, header, data string
		want               safetensors.File
	}{
		{"one tensor", `{"test":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}}    `,
			"\x01\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x80",
			safetensors.File{Tensors: []safetensors.Tensor{{Name: "test", Shape: []int{2, 2}, Data: []int32{1, 2, -1, math.MinInt32}}}}},
		{"metadata and every type", `{"__metadata__":{"format":"pt"},"l":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},` +
			`"d":{"dtype":"F64","shape":[1,1],"data_offsets":[8,16]},"f":{"dtype":"F32","shape":[2],"data_offsets":[16,24]},` +
			`"i":{"dtype":"I32","shape":[],"data_offsets":[24,28]},"u":{"dtype":"U8","shape":[3],"data_offsets":[28,31]}}`,
			"\x08\x07\x06\x05\x04\x03\x02\x01" + "\x00\x00\x00\x00\x00\x00\x04\xc0" + "\x00\x00\x80\x3f\x00\x00\x80\xff" + "\xfe\xff\xff\xff" + "\x00\x7f\xff",
			safetensors.File{Metadata: map[string]string{"format": "pt"}, Tensors: []safetensors.Tensor{
				{Name: "l", Shape: []int{1}, Data: []int64{0x0102030405060708}},
				{Name: "d", Shape: []int{1, 1}, Data: []float64{-2.5}},
				{Name: "f", Shape: []int{2}, Data: []float32{1, float32(math.Inf(-1))}},
				{Name: "i", Shape: []int{}, Data: []int32{-2}},
				{Name: "u", Shape: []int{3}, Data: []uint8{0, 127, 255}}}}},
		{"nothing", `{}      `, "", safetensors.File{}},
		{"metadata alone", `{"__metadata__":{}}`, "", safetensors.File{}},
		{"empty tensors share a place", `{"b":{"dtype":"F64","shape":[0],"data_offsets":[1,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},` +
			`"c":{"dtype":"F32","shape":[5,0,7],"data_offsets":[1,1]},"d":{"dtype":"I64","shape":[0],"data_offsets":[0,0]}}`, "x",
			safetensors.File{Tensors: []safetensors.Tensor{
				{Name: "d", Shape: []int{0}, Data: []int64{}}, {Name: "a", Shape: []int{1}, Data: []uint8{'x'}},
				{Name: "b", Shape: []int{0}, Data: []float64{}}, {Name: "c", Shape: []int{5, 0, 7}, Data: []float32{}}}}},
		{"header in another order than the data, blanks, escapes",
			"{ \"\\u00e9\\n\" :\t{ \"shape\" : [ 2 ] ,\n\"data_offsets\":[ 1 , 3 ], \"dtype\":\"U8\" } , " +
				"\"\U0001F600\":{\"dtype\":\"\\u0055\\u0038\",\"data_offsets\":[0,1],\"shape\":[1]},\"__metadata__\":{\"\\ud83d\\ude00\":\"\\/\"}}\r\n", "abc",
			safetensors.File{Metadata: map[string]string{"\U0001F600": "/"}, Tensors: []safetensors.Tensor{
				{Name: "\U0001F600", Shape: []int{1}, Data: []uint8{'a'}}, {Name: "é\n", Shape: []int{2}, Data: []uint8("bc")}}}},
	} {
		in := file(c.header, c.data)
		f, err := safetensors.Read(bytes.NewReader(in))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := same(t, f, &c.want); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		for i := range f.Tensors { // the order of the data
			if f.Tensors[i].Name != c.want.Tensors[i].Name {
				t.Errorf("%s: tensor %d is %q, want %q", c.name, i, f.Tensors[i].Name, c.want.Tensors[i].Name)
			}
		}
		if f.Metadata == nil {
			t.Errorf("%s: nil metadata", c.name)
		}
		if _, err := safetensors.ReadSealed(bytes.NewReader(in)); err == nil ||
			err.Error() != `safetensors: __metadata__: found no checksum, expected the key "kronfield.sha256"` {
			t.Errorf("%s: ReadSealed: %v", c.name, err)
		}
	}
}

// A file typed by hand; the digits are those of sha256sum.
func TestWriteGolden(t *testing.T) {
	f := &safetensors.File{
		Metadata: map[string]string{"z": "<1>", "a": "\"\\\x01"},
		Tensors: []safetensors.Tensor{
			{Name: "u", Shape: []int{3}, Data: []uint8("xyz")},
			{Name: "f", Shape: []int{2, 1}, Data: []float64{1, -2}},
			{Name: "b", Shape: nil, Data: []float64{3}},
			{Name: "a", Shape: []int{1}, Data: []int32{1}},
		},
	}
	want := file(`{"__metadata__":{"a":"\"\\\u0001","kronfield.sha256":"`+goldenSum+`","z":"\u003c1\u003e"},`+
		`"b":{"dtype":"F64","shape":[],"data_offsets":[0,8]},"f":{"dtype":"F64","shape":[2,1],"data_offsets":[8,24]},`+
		`"a":{"dtype":"I32","shape":[1],"data_offsets":[24,28]},"u":{"dtype":"U8","shape":[3],"data_offsets":[28,31]}}  `,
		"\x00\x00\x00\x00\x00\x00\x08\x40"+"\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\xc0"+"\x01\x00\x00\x00"+"xyz")
	var b bytes.Buffer
	if err := safetensors.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("wrote\n%q, want\n%q", b.Bytes(), want)
	}
}

const goldenSum = "8138a7b99fee328441ede6f03128a2fa9dc0ced208cc544f0eef06749a9dfc0c"

func TestRoundTrip(t *testing.T) {
	f := everything()
	var first bytes.Buffer
	if err := safetensors.Write(&first, f); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func(io.Reader) (*safetensors.File, error){safetensors.Read, safetensors.ReadSealed} {
		back, err := read(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if diff := same(t, back, f); diff != "" {
			t.Error(diff)
		}
	}
	// The same content in any order gives the same bytes.
	for i := range f.Tensors {
		f.Tensors = append(f.Tensors[1:], f.Tensors[0])
		order := slices.Clone(f.Tensors)
		var b bytes.Buffer
		if err := safetensors.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), first.Bytes()) {
			t.Errorf("rotation %d changes the file", i)
		}
		for k := range order {
			if f.Tensors[k].Name != order[k].Name {
				t.Errorf("Write moved the caller's tensors")
			}
		}
	}
	// The data are aligned whatever the length of the header.
	for n := range 8 {
		var b bytes.Buffer
		if err := safetensors.Write(&b, &safetensors.File{Metadata: map[string]string{"k": strings.Repeat("v", n)}}); err != nil {
			t.Fatal(err)
		}
		if length := binary.LittleEndian.Uint64(b.Bytes()); length%8 != 0 || b.Len() != int(8+length) {
			t.Errorf("a header of %d bytes in a file of %d", length, b.Len())
		}
	}
	// The checksum, from its definition.
	digits := bytes.Index(first.Bytes(), []byte(safetensors.ChecksumKey)) + len(safetensors.ChecksumKey) + 3
	zeroed := bytes.Clone(first.Bytes())
	copy(zeroed[digits:], strings.Repeat("0", 64))
	sum := sha256.Sum256(zeroed)
	if got := string(first.Bytes()[digits : digits+64]); got != hex.EncodeToString(sum[:]) {
		t.Errorf("checksum %s, want %x", got, sum)
	}
}

// Long tensors go through several chunks and blocks.
func TestLongTensors(t *testing.T) {
	for _, n := range []int{8191, 8192, 8193, 16383, 16384, 16385, 65535, 65536, 65537, 200000} {
		u, f := make([]uint8, n), make([]float64, n)
		for i := range n {
			u[i], f[i] = uint8(i*i), float64(i)
		}
		want := &safetensors.File{Tensors: []safetensors.Tensor{{Name: "u", Shape: []int{n}, Data: u}, {Name: "f", Shape: []int{n, 1}, Data: f}}}
		var b bytes.Buffer
		if err := safetensors.Write(&b, want); err != nil {
			t.Fatal(err)
		}
		back, err := safetensors.ReadSealed(&b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := same(t, back, want); diff != "" {
			t.Errorf("%d elements: %s", n, diff)
		}
	}
}

func TestHostile(t *testing.T) {
	tensor := func(name, rest string) string { return `"` + name + `":{` + rest + `}` }
	one := func(rest string) string { return "{" + tensor("w", rest) + "}" }
	const u8 = `"dtype":"U8","shape":[4],"data_offsets":[0,4]`
	const sum = `"kronfield.sha256":"` + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" + `"`
	const keys = `dtype, shape and data_offsets, once each`
	anInt := fmt.Sprintf("an integer from 0 to %d", math.MaxInt)
	tooMuch := fmt.Sprintf("at most %d bytes", math.MaxInt)
	for _, c := range []struct {
		name string
		in   []byte
		want string // the message behind "safetensors: "
	}{
		{"empty", nil, `header length: found 0 bytes, expected 8 (the file is truncated)`},
		{"7 bytes", make([]byte, 7), `header length: found 7 bytes, expected 8 (the file is truncated)`},
		{"header of 2^64", []byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"), `header length: found 18446744073709551615 bytes, expected at most 10000000`},
		{"header of 10 MB and a byte", []byte("\x81\x96\x98\x00\x00\x00\x00\x00{}"), `header length: found 10000001 bytes, expected at most 10000000`},
		{"header of 10 MB, absent", []byte("\x80\x96\x98\x00\x00\x00\x00\x00{}"), `header: found 2 bytes, expected 10000000 (the file is truncated)`},
		{"no header", file("", ""), `byte 8: found the end of the header, expected '{'`},
		{"npy", []byte("\x93NUMPY\x01\x00v\x00{'descr': "), `header length: found 379676406402707 bytes, expected at most 10000000`},
		{"not UTF-8", file("{\"\xff\":1}", ""), `header: found a byte sequence that is not UTF-8, expected JSON in UTF-8`},
		{"array", file(`[]`, ""), `byte 8: found "[]", expected '{'`},
		{"blank first", file(` {}`, ""), `byte 8: found " {}", expected '{'`},
		{"no end", file(`{`, ""), `byte 9: found the end of the header, expected a quoted key`},
		{"junk behind", file(`{} x`, ""), `byte 11: found "x", expected nothing but blanks after the object`},
		{"zero byte behind", file("{}\x00", ""), `byte 10: found "\x00", expected nothing but blanks after the object`},
		{"two objects", file(`{}{}`, ""), `byte 10: found "{}", expected nothing but blanks after the object`},
		{"comma at the end", file(`{"__metadata__":{},}`, ""), `byte 27: found "}", expected a quoted key`},
		{"no comma", file(`{"__metadata__":{}"w":{}}`, ""), `byte 26: found "\"w\":{}}", expected ',' or '}'`},
		{"no colon", file(`{"w"{}}`, ""), `byte 12: found "{}}", expected ':'`},
		{"open string", file(`{"w`, ""), `byte 9: found "\"w", expected a string with an end`},
		{"open escape", file(`{"w\`, ""), `byte 9: found "\"w\\", expected a string with an end`},
		{"escaped end", file(`{"w\"`, ""), `byte 9: found "\"w\\\"", expected a string with an end`},
		{"unknown escape", file(`{"\x":{}}`, ""), `byte 9: found "\"\\x\":{}}", expected a string without control characters and unknown escapes`},
		{"half a surrogate pair", file(`{"\ud83d":{}}`, ""), `byte 9: found "\"\\ud83d\":{}}", expected a string whose surrogates are pairs`},
		{"the other half", file(`{"__metadata__":{"k":"a\uDE00"}}`, ""), `byte 29: found "\"a\\uDE00\"}}", expected a string whose surrogates are pairs`},
		{"two first halves", file(`{"\ud83d\ud83d\ude00":{}}`, ""), `byte 9: found "\"\\ud83d\\ud83d\\ude00\":{}}", expected a string whose surrogates are pairs`},
		{"half a pair and an escaped backslash", file(`{"\ud83d\\ude00":{}}`, ""), `byte 9: found "\"\\ud83d\\\\ude00\":{}}", expected a string whose surrogates are pairs`},
		{"control character", file("{\"a\nb\":{}}", ""), `byte 9: found "\"a\nb\":{}}", expected a string without control characters and unknown escapes`},
		{"single quotes", file(`{'w':{}}`, ""), `byte 9: found "'w':{}}", expected a quoted key`},
		{"tensor a number", file(`{"w":1}`, ""), `byte 13: found "1}", expected '{'`},
		{"tensor null", file(`{"w":null}`, ""), `byte 13: found "null}", expected '{'`},
		{"no keys", file(`{"w":{}}`, ""), `tensor "w": found a key missing, expected ` + keys},
		{"no type", file(one(`"shape":[4],"data_offsets":[0,4]`), "abcd"), `tensor "w": found a key missing, expected ` + keys},
		{"no shape", file(one(`"dtype":"U8","data_offsets":[0,4]`), "abcd"), `tensor "w": found a key missing, expected ` + keys},
		{"no offsets", file(one(`"dtype":"U8","shape":[4]`), "abcd"), `tensor "w": found a key missing, expected ` + keys},
		{"type twice", file(one(u8+`,"dtype":"U8"`), "abcd"), `tensor "w": found key "dtype", expected ` + keys},
		{"shape twice", file(one(u8+`,"shape":[4]`), "abcd"), `tensor "w": found key "shape", expected ` + keys},
		{"empty shape twice", file(one(`"shape":[],"shape":[],"dtype":"U8","data_offsets":[0,1]`), "a"), `tensor "w": found key "shape", expected ` + keys},
		{"offsets twice", file(one(u8+`,"data_offsets":[0,4]`), "abcd"), `tensor "w": found key "data_offsets", expected ` + keys},
		{"unknown key", file(one(u8+`,"order":"F"`), "abcd"), `tensor "w": found key "order", expected ` + keys},
		{"eighth precision", file(one(`"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]`), "abcd"), `tensor "w": found type "F8_E4M3", expected F64, F32, F16, BF16, I64, I32 or U8`},
		{"truth values", file(one(`"dtype":"BOOL","shape":[4],"data_offsets":[0,4]`), "abcd"), `tensor "w": found type "BOOL", expected F64, F32, F16, BF16, I64, I32 or U8`},
		{"the zero type", file(one(`"dtype":"none","shape":[4],"data_offsets":[0,4]`), "abcd"), `tensor "w": found type "none", expected F64, F32, F16, BF16, I64, I32 or U8`},
		{"type in lower case", file(one(`"dtype":"u8","shape":[4],"data_offsets":[0,4]`), "abcd"), `tensor "w": found type "u8", expected F64, F32, F16, BF16, I64, I32 or U8`},
		{"type a number", file(one(`"dtype":8,"shape":[4],"data_offsets":[0,4]`), "abcd"), `byte 22: found "8,\"shape\":[4],\"data_offs", expected the name of a type`},
		{"shape a number", file(one(`"shape":4`), "abcd"), `byte 22: found "4}}", expected '['`},
		{"shape open", file(`{"w":{"shape":[4`, "abcd"), `byte 24: found the end of the header, expected ',' or ']'`},
		{"shape with a comma at the end", file(one(`"shape":[4,]`), "abcd"), `byte 25: found "]}}", expected ` + anInt},
		{"negative axes", file(one(`"shape":[-2,-2]`), "abcd"), `byte 23: found "-2,-2]}}", expected ` + anInt},
		{"fraction", file(one(`"shape":[4.0]`), "abcd"), `byte 24: found ".0]}}", expected ',' or ']'`},
		{"exponent", file(one(`"shape":[4e0]`), "abcd"), `byte 24: found "e0]}}", expected ',' or ']'`},
		{"leading zero", file(one(`"shape":[04]`), "abcd"), `byte 23: found "04]}}", expected ` + anInt},
		{"axis of 2^64", file(one(`"shape":[18446744073709551616]`), "abcd"), `byte 23: found "18446744073709551616]}}", expected ` + anInt},
		{"65 axes", file(one(`"shape":[`+strings.Repeat("1,", 64)+`1]`), "a"), `byte 151: found "1]}}", expected at most 64 axes`},
		{"product overflows to 0", file(one(`"dtype":"U8","shape":[65536,65536,65536,65536],"data_offsets":[0,0]`), ""),
			`tensor "w": found shape [65536,65536,65536,65536] of U8, expected ` + tooMuch},
		{"bytes overflow", file(one(fmt.Sprintf(`"dtype":"F64","shape":[%d],"data_offsets":[0,0]`, math.MaxInt/4)), ""),
			fmt.Sprintf(`tensor "w": found shape [%d] of F64, expected %s`, math.MaxInt/4, tooMuch)},
		{"product overflows beside 0", file(one(`"dtype":"U8","shape":[0,65536,65536,65536,65536],"data_offsets":[0,0]`), ""),
			`tensor "w": found shape [0,65536,65536,65536,65536] of U8, expected ` + tooMuch},
		{"one offset", file(one(`"data_offsets":[0]`), "abcd"), `tensor "w": found data_offsets [0], expected [begin,end] with begin ≤ end`},
		{"three offsets", file(one(`"data_offsets":[0,4,8]`), "abcd"), `tensor "w": found data_offsets [0,4,8], expected [begin,end] with begin ≤ end`},
		{"offsets reversed", file(one(`"dtype":"U8","shape":[4],"data_offsets":[4,0]`), "abcd"), `tensor "w": found data_offsets [4,0], expected [begin,end] with begin ≤ end`},
		{"negative offset", file(one(`"data_offsets":[-4,0]`), "abcd"), `byte 30: found "-4,0]}}", expected ` + anInt},
		{"shape smaller than data", file(one(`"dtype":"U8","shape":[3],"data_offsets":[0,4]`), "abcd"), `tensor "w": found 4 bytes of data, expected 3 for shape [3] of U8`},
		{"shape larger than data", file(one(`"dtype":"F64","shape":[4],"data_offsets":[0,4]`), "abcd"), `tensor "w": found 4 bytes of data, expected 32 for shape [4] of F64`},
		{"no elements with data", file(one(`"dtype":"U8","shape":[4,0],"data_offsets":[0,4]`), "abcd"), `tensor "w": found 4 bytes of data, expected 0 for shape [4,0] of U8`},
		{"gap first", file(one(`"dtype":"U8","shape":[3],"data_offsets":[1,4]`), "abcd"), `tensor "w": found data from byte 1, expected 0 (tensors neither overlap nor leave gaps)`},
		{"gap between", file(`{`+tensor("a", `"dtype":"U8","shape":[1],"data_offsets":[0,1]`)+`,`+tensor("b", `"dtype":"U8","shape":[2],"data_offsets":[2,4]`)+`}`, "abcd"),
			`tensor "b": found data from byte 2, expected 1 (tensors neither overlap nor leave gaps)`},
		{"overlap", file(`{`+tensor("b", `"dtype":"U8","shape":[3],"data_offsets":[1,4]`)+`,`+tensor("a", `"dtype":"U8","shape":[2],"data_offsets":[0,2]`)+`}`, "abcd"),
			`tensor "b": found data from byte 1, expected 2 (tensors neither overlap nor leave gaps)`},
		{"same place", file(`{`+tensor("a", u8)+`,`+tensor("b", u8)+`}`, "abcd"), `tensor "b": found data from byte 0, expected 4 (tensors neither overlap nor leave gaps)`},
		{"name twice", file(`{`+tensor("w", u8)+`,`+tensor("w", `"dtype":"U8","shape":[1],"data_offsets":[4,5]`)+`}`, "abcde"), `header: found tensor "w" twice, expected each name once`},
		{"name twice, another between", file(`{`+tensor("w", u8)+`,`+tensor("a", `"dtype":"U8","shape":[0],"data_offsets":[4,4]`)+`,`+
			tensor("w", `"dtype":"U8","shape":[1],"data_offsets":[4,5]`)+`}`, "abcde"), `header: found tensor "w" twice, expected each name once`},
		{"name twice, once in disguise", file(`{`+tensor("w", u8)+`,`+tensor(`\u0077`, `"dtype":"U8","shape":[1],"data_offsets":[4,5]`)+`}`, "abcde"), `header: found tensor "w" twice, expected each name once`},
		{"metadata twice", file(`{"__metadata__":{},"__metadata__":{}}`, ""), `header: found "__metadata__" twice, expected one`},
		{"metadata key twice", file(`{"__metadata__":{"a":"1","a":"1"}}`, ""), `__metadata__: found key "a" twice, expected each key once`},
		{"metadata null", file(`{"__metadata__":null}`, ""), `byte 24: found "null}", expected '{'`},
		{"metadata of numbers", file(`{"__metadata__":{"a":1}}`, ""), `byte 29: found "1}}", expected a string`},
		{"metadata nested", file(`{"__metadata__":{"a":{}}}`, ""), `byte 29: found "{}}}", expected a string`},
		{"depth", file(strings.Repeat(`{"w":`, 100000), ""), `tensor "w": found key "w", expected ` + keys},
		{"checksum wrong", file(`{"__metadata__":{`+sum+`}}`, ""), `checksum: found`},
		{"checksum twice", file(`{"__metadata__":{`+sum+`,`+sum+`}}`, ""), `__metadata__: found key "kronfield.sha256" twice, expected each key once`},
		{"checksum short", file(`{"__metadata__":{"kronfield.sha256":"12ab"}}`, ""), `__metadata__ "kronfield.sha256": found "12ab", expected 64 hexadecimal digits in lower case`},
		{"checksum digits in upper case", file(`{"__metadata__":{"kronfield.sha256":"`+strings.Repeat("A", 64)+`"}}`, ""),
			`__metadata__ "kronfield.sha256": found "` + strings.Repeat("A", 60) + `"…, expected 64 hexadecimal digits in lower case`},
		{"checksum escaped", file(`{"__metadata__":{"kronfield.sha256":"`+strings.Repeat("0", 63)+`\u0030"}}`, ""),
			`__metadata__ "kronfield.sha256": found "` + strings.Repeat("0", 60) + `"…, expected 64 hexadecimal digits in lower case`},
		{"data cut", file(one(u8), "abc"), `tensor "w": found 3 bytes, expected 4 (the file is truncated)`},
		{"no data", file(one(u8), ""), `tensor "w": found 0 bytes, expected 4 (the file is truncated)`},
		{"2 GB claimed", file(one(`"dtype":"U8","shape":[2147483647],"data_offsets":[0,2147483647]`), "abcd"), `tensor "w": found 4 bytes, expected 2147483647 (the file is truncated)`},
		{"one byte over", file(one(u8), "abcde"), `data: found more bytes, expected the end of the file after the last tensor`},
		{"no tensors, data", file(`{}`, "a"), `data: found more bytes, expected the end of the file after the last tensor`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f *safetensors.File
			var err error
			used := allocated(func() { f, err = safetensors.Read(bytes.NewReader(c.in)) })
			if _, ok := errors.AsType[*safetensors.FormatError](err); !ok || !strings.HasPrefix(err.Error(), "safetensors: "+c.want) {
				t.Errorf("got  %v\nwant safetensors: %s", err, c.want)
			}
			if f != nil {
				t.Error("a file beside the error")
			}
			if limit := uint64(4*len(c.in) + 1<<20); used > limit {
				t.Errorf("allocated %d bytes, limit %d", used, limit)
			}
		})
	}
}

// The longest headers take no more memory than is promised, whatever they are full of:
// tensors of no elements, many axes, or escapes.
func TestLongHeaders(t *testing.T) {
	size := 10_000_000
	if testing.Short() {
		size /= 10
	}
	for _, c := range []struct{ name, member string }{
		{"tensors", `"%x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`},
		{"axes", `"%x":{"dtype":"U8","shape":[0` + strings.Repeat(",1", 63) + `],"data_offsets":[0,0]}`},
		{"escapes", `"\u0041%x":{"dtype":"\u0055\u0038","shape":[0],"data_offsets":[0,0]}`},
		{"long names", `"` + strings.Repeat("a", 9000) + `%x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`},
	} {
		header := []byte{'{'}
		tensors := 0
		for ; len(header) < size-10_000; tensors++ {
			header = append(fmt.Appendf(header, c.member, tensors), ',')
		}
		header[len(header)-1] = '}'
		in := file(string(header), "")
		var f *safetensors.File
		var err error
		used := allocated(func() { f, err = safetensors.Read(bytes.NewReader(in)) })
		if err != nil || len(f.Tensors) != tensors {
			t.Errorf("%s: %v", c.name, err)
		}
		if used > uint64(12*len(in)+1<<20) {
			t.Errorf("%s: a header of %d bytes allocates %d", c.name, len(in), used)
		}
	}
}

// checkRead reads any input: no panic, no memory beyond the input's worth, a
// file or a FormatError, and what reads must write and read back to the same.
func checkRead(t *testing.T, in []byte) error {
	t.Helper()
	var f *safetensors.File
	var err error
	if used, limit := allocated(func() { f, err = safetensors.Read(bytes.NewReader(in)) }), uint64(4*len(in)+1<<20); used > limit {
		t.Errorf("allocated %d bytes, limit %d: %q", used, limit, in)
	}
	if err != nil {
		if _, ok := errors.AsType[*safetensors.FormatError](err); !ok || f != nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v (%T) with %v: %q", err, err, f, in)
		}
		return err
	}
	var first, second bytes.Buffer
	if err := safetensors.Write(&first, f); err != nil {
		t.Fatalf("%v: %q", err, in)
	}
	back, err := safetensors.ReadSealed(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatalf("read back: %v: %q", err, in)
	}
	if diff := same(t, back, f); diff != "" {
		t.Errorf("read back: %s: %q", diff, in)
	}
	if err := safetensors.Write(&second, back); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("written again: %v\n%q, first\n%q", err, second.Bytes(), first.Bytes())
	}
	return nil
}

// samples are small files, with and without a checksum.
func samples(t testing.TB) [][]byte {
	var all bytes.Buffer
	if err := safetensors.Write(&all, everything()); err != nil {
		t.Fatal(err)
	}
	return [][]byte{
		all.Bytes(),
		file(`{"__metadata__":{"format":"np"},"d":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},"f":{"dtype":"F32","shape":[1,1],"data_offsets":[16,20]}}`,
			"0123456789abcdefghij"),
		file(`{"l":{"dtype":"I64","shape":[],"data_offsets":[1,9]},"\n":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}  `, "012345678"),
		file(`{"a":{"dtype":"I32","shape":[0,3],"data_offsets":[0,0]}}`, ""),
		seal(file(`{"__metadata__":{"kronfield.sha256":"`+strings.Repeat("0", 64)+`"}}`, "")),
	}
}

func TestMutations(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	for s, sample := range samples(t) {
		if err := checkRead(t, sample); err != nil {
			t.Fatalf("sample %d: %v", s, err)
		}
		for at := range sample {
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
		for at := range len(sample) + 1 {
			for _, v := range []byte{0, ' ', '1', 0xff} {
				checkRead(t, append(append(bytes.Clone(sample[:at]), v), sample[at:]...))
			}
		}
	}
}

// No change of a sealed file passes: a flipped bit, any other byte, a byte
// missing, a byte more; in short runs at one byte in seven.
func TestSealed(t *testing.T) {
	stride := map[bool]int{false: 1, true: 7}[testing.Short()]
	every := make([]byte, 256)
	for v := range every {
		every[v] = byte(v)
	}
	for _, c := range []struct {
		f      *safetensors.File
		values []byte // written over and between the others
	}{
		{everything(), []byte("\x00 01a\"{}[],:\\\x7f\x80\xff")},
		{&safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{2}, Data: []float64{1, 2}}}}, every},
	} {
		var b bytes.Buffer
		if err := safetensors.Write(&b, c.f); err != nil {
			t.Fatal(err)
		}
		sample := b.Bytes()
		if _, err := safetensors.ReadSealed(bytes.NewReader(sample)); err != nil {
			t.Fatal(err)
		}
		refuse := func(in []byte, what string, at int) {
			f, err := safetensors.ReadSealed(bytes.NewReader(in))
			var format *safetensors.FormatError
			if f != nil || !errors.As(err, &format) {
				t.Errorf("%s at %d of %d: %v", what, at, len(sample), err)
			}
		}
		for at := 0; at < len(sample); at += stride {
			in := bytes.Clone(sample)
			for bit := range 8 {
				in[at] = sample[at] ^ 1<<bit
				refuse(in, "flipped bit", at)
			}
			for _, v := range c.values {
				if in[at] = v; v != sample[at] {
					refuse(in, "another byte", at)
				}
			}
			refuse(sample[:at], "truncation", at)
			refuse(append(bytes.Clone(sample[:at]), sample[at+1:]...), "missing byte", at)
		}
		for at := 0; at <= len(sample); at += stride {
			for _, v := range c.values {
				refuse(append(append(bytes.Clone(sample[:at]), v), sample[at:]...), "inserted byte", at)
			}
		}
	}
}

// Memory follows the bytes that are there, not the header.
func TestAllocation(t *testing.T) {
	const present = 3 << 20
	var names, keys strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&names, `"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},`, i)
		fmt.Fprintf(&keys, `"%d":"%d",`, i, i)
	}
	for _, c := range []struct {
		name, header string
		data         int
		perHeader    float64 // bytes allocated per byte of the header; 2 per byte of the data
	}{
		{"F64", `{"w":{"dtype":"F64","shape":[3,131072],"data_offsets":[0,3145728]}}`, present, 8},
		{"U8", `{"w":{"dtype":"U8","shape":[3145728],"data_offsets":[0,3145728]}}`, present, 8},
		{"2 GB claimed", `{"w":{"dtype":"U8","shape":[2147483647],"data_offsets":[0,2147483647]}}`, present, 8},
		{"many names", "{" + strings.TrimSuffix(names.String(), ",") + "}", 0, 8},
		{"many keys", `{"__metadata__":{` + strings.TrimSuffix(keys.String(), ",") + "}}", 0, 16},
		{"axes without end", `{"w":{"shape":[` + strings.Repeat("1,", 500000), 0, 8},
		{"only one word", strings.Repeat(`"data_offsets"`, 50000), 0, 8},
		{"only one word, in an object", "{" + strings.Repeat(`"data_offsets"`, 50000), 0, 8},
	} {
		in := file(c.header, strings.Repeat("\x00", c.data))
		used := allocated(func() { safetensors.Read(bytes.NewReader(in)) })
		t.Logf("%s: %.1f bytes per byte of the file", c.name, float64(used)/float64(len(in)))
		// 128 KiB: the first chunk and size classes.
		if limit := uint64(c.perHeader*float64(len(c.header))) + uint64(2*c.data) + 1<<17; used > limit {
			t.Errorf("%s: allocated %d bytes, limit %d", c.name, used, limit)
		}
	}
}

// What a file holds is read into the room of its values alone, and a file that ends too soon is told from its header by its bytes.
func TestFiles(t *testing.T) {
	const present = 3 << 20
	header := fmt.Sprintf(`{"w":{"dtype":"F64","shape":[%d],"data_offsets":[0,%d]}}`, present/8, present)
	whole := file(header, strings.Repeat("\x01", present))
	for _, missing := range []int{0, 1, present - 1, present} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, whole[:len(whole)-missing], 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var got, want *safetensors.File
		var wantErr error
		used := allocated(func() { got, err = safetensors.Read(r) })
		want, wantErr = safetensors.Read(struct{ io.Reader }{bytes.NewReader(whole[:len(whole)-missing])})
		r.Close()
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || (err == nil) != (missing == 0) {
			t.Errorf("%d bytes missing: %v, want %v", missing, err, wantErr)
		}
		if err == nil {
			if diff := same(t, got, want); diff != "" {
				t.Errorf("%s", diff)
			}
			if limit := uint64(present + 1<<17 + 8*len(header)); used > limit {
				t.Errorf("allocated %d bytes, limit %d", used, limit)
			}
		}
	}
}

func TestReaders(t *testing.T) {
	broken := errors.New("the disk is gone")
	for s, sample := range samples(t) {
		want, err := safetensors.Read(bytes.NewReader(sample))
		if err != nil {
			t.Fatal(err)
		}
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "data with EOF": iotest.DataErrReader,
		} {
			got, err := safetensors.Read(wrap(bytes.NewReader(sample)))
			if err != nil {
				t.Errorf("sample %d, %s: %v", s, name, err)
			} else if diff := same(t, got, want); diff != "" {
				t.Errorf("sample %d, %s: %s", s, name, diff)
			}
		}
		for n := range len(sample) + 1 {
			f, err := safetensors.Read(io.MultiReader(bytes.NewReader(sample[:n]), iotest.ErrReader(broken)))
			if f != nil || !errors.Is(err, broken) {
				t.Errorf("sample %d, error after %d bytes: %v, %v", s, n, f, err)
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
	var b bytes.Buffer
	if err := safetensors.Write(&b, everything()); err != nil {
		t.Fatal(err)
	}
	for n := range b.Len() {
		if err := safetensors.Write(&limitWriter{n}, everything()); !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: %v", n, b.Len(), err)
		}
	}
	if err := safetensors.Write(&limitWriter{b.Len()}, everything()); err != nil {
		t.Error(err)
	}

	defer safetensors.SetMaxHeader(999)()
	if err := safetensors.Write(io.Discard, &safetensors.File{Metadata: map[string]string{"k": strings.Repeat("v", 880)}}); err != nil {
		t.Error(err)
	}
	tensors := func(names ...string) *safetensors.File {
		f := &safetensors.File{}
		for i, name := range names {
			t := safetensors.Tensor{Name: name, Shape: []int{1}, Data: []uint8{1}}
			if i%2 == 1 {
				t.Data = []float64{1}
			}
			f.Tensors = append(f.Tensors, t)
		}
		return f
	}
	metadata := func(key, value string) *safetensors.File {
		return &safetensors.File{Metadata: map[string]string{key: value}}
	}
	for _, c := range []struct {
		f    *safetensors.File
		want string
	}{
		{tensors("a", "b", "a"), `tensor "a": found this name, expected a name in UTF-8, used once and not __metadata__`},
		{tensors("a", "a"), `tensor "a": found this name, expected a name in UTF-8, used once and not __metadata__`},
		{tensors("__metadata__"), `tensor "__metadata__": found this name, expected a name in UTF-8, used once and not __metadata__`},
		{tensors("\xff"), `tensor "\xff": found this name, expected a name in UTF-8, used once and not __metadata__`},
		{metadata("k", "\xff"), `__metadata__: found "k": "\xff", expected strings in UTF-8`},
		{metadata("\xff", "v"), `__metadata__: found "\xff": "v", expected strings in UTF-8`},
		{metadata("kronfield.sha256", "00"), `__metadata__: found key "kronfield.sha256", expected no such key: it is added in writing`},
		{metadata("k", strings.Repeat("v", 888)), `header: found 1000 bytes, expected at most 999`},
	} {
		var b bytes.Buffer
		err := safetensors.Write(&b, c.f)
		if _, ok := errors.AsType[*safetensors.FormatError](err); !ok || err.Error() != "safetensors: "+c.want || b.Len() > 0 {
			t.Errorf("wrote %d bytes, %v\nwant safetensors: %s", b.Len(), err, c.want)
		}
	}
}

func TestPanics(t *testing.T) {
	for _, c := range []struct {
		tensor safetensors.Tensor
		want   string
	}{
		{safetensors.Tensor{Name: "w", Shape: []int{2, 2}, Data: []float64{1, 2, 3}}, `safetensors.Write: tensor "w" of shape [2 2] has 3 elements`},
		{safetensors.Tensor{Name: "w", Shape: []int{-1, -3}, Data: []float64{1, 2, 3}}, `safetensors.Write: tensor "w" has a negative axis in shape [-1 -3]`},
		{safetensors.Tensor{Name: "w", Shape: []int{math.MaxInt, 4}, Data: []float64{}}, fmt.Sprintf(`safetensors.Write: tensor "w" of shape [%d 4] has 0 elements`, math.MaxInt)},
		{safetensors.Tensor{Name: "w", Shape: make([]int, 65), Data: []float64{}}, `safetensors.Write: tensor "w" has 65 axes, at most 64 are allowed`},
		{safetensors.Tensor{Name: "w", Shape: []int{1}, Data: []int{1}}, `safetensors.Write: tensor "w" has data of type []int`},
		{safetensors.Tensor{Name: "w"}, `safetensors.Write: tensor "w" has data of type <nil>`},
	} {
		tier.Panics(t, c.want, func() { safetensors.Write(io.Discard, &safetensors.File{Tensors: []safetensors.Tensor{c.tensor}}) })
	}
}

func TestValues(t *testing.T) {
	f := everything()
	for _, shape := range [][]int{{2, 1, 2}, {-1, 1, 2}, {-1, -1, -1}} {
		v, err := safetensors.Values[float64](f, "doubles", shape...)
		if err != nil || &v[0] != &f.Lookup("doubles").Data.([]float64)[0] {
			t.Errorf("shape %v: %v, %v", shape, v, err)
		}
	}
	if v, err := safetensors.Values[float64](f, "a double"); err != nil || !slices.Equal(v, []float64{0.1}) {
		t.Errorf("a single number: %v, %v", v, err)
	}
	if f.Lookup("no such") != nil {
		t.Error("Lookup found a tensor that is not there")
	}
	double := func(name string, shape ...int) error {
		_, err := safetensors.Values[float64](f, name, shape...)
		return err
	}
	_, bytesErr := safetensors.Values[uint8](f, "longs", 1)
	for _, c := range []struct {
		err  error
		want string
	}{
		{double("no such", 2), `safetensors: tensor "no such": found none, expected one`},
		{double("singles", 2), `safetensors: tensor "singles": found type F32, expected F64`},
		{bytesErr, `safetensors: tensor "longs": found type I64, expected U8`},
		{double("doubles", 2, 2), `safetensors: tensor "doubles": found shape [2,1,2], expected [2,2]`},
		{double("doubles"), `safetensors: tensor "doubles": found shape [2,1,2], expected []`},
		{double("doubles", -1, 2, 2), `safetensors: tensor "doubles": found shape [2,1,2], expected [any,2,2]`},
	} {
		if _, ok := errors.AsType[*safetensors.FormatError](c.err); !ok || c.err.Error() != c.want {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, sample := range samples(f) {
		f.Add(sample)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		checkRead(t, in)
		// The same header, sealed: whatever reads now must not survive a flip.
		if file, err := safetensors.ReadSealed(bytes.NewReader(in)); err == nil && len(in) > 0 {
			at := int(in[len(in)-1]) % len(in)
			in = bytes.Clone(in)
			in[at] ^= 1 << (len(in) % 8)
			if _, err := safetensors.ReadSealed(bytes.NewReader(in)); err == nil {
				t.Errorf("a flip at %d of %v went unnoticed", at, file)
			}
		}
	})
}

// Long text, of a file or of a caller, does not make a message long.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("ä", 1<<20)
	u8 := `"dtype":"U8","shape":[1],"data_offsets":[0,1]`
	axes := "[" + strings.Repeat("9223372036854775807,", 63) + "2]"
	for name, in := range map[string][]byte{
		"name":             file(`{"`+long+`":{}}`, ""),
		"same name":        file(`{"`+long+`":{`+u8+`},"`+long+`":{`+u8+`}}`, "a"),
		"name, gap":        file(`{"`+long+`":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, "ab"),
		"name, truncated":  file(`{"`+long+`":{`+u8+`}}`, ""),
		"type":             file(`{"w":{"dtype":"`+long+`"}}`, ""),
		"key":              file(`{"w":{"`+long+`":1}}`, ""),
		"metadata key":     file(`{"__metadata__":{"`+long+`":"","`+long+`":""}}`, ""),
		"metadata":         file(`{"__metadata__":{"kronfield.sha256":"`+long+`"}}`, ""),
		"shape":            file(`{"w":{"dtype":"F64","data_offsets":[0,1],"shape":`+axes+`}}`, ""),
		"offsets":          file(`{"w":{"data_offsets":`+axes+`}}`, ""),
		"not JSON":         file(long, ""),
		"something behind": file(`{} `+long, ""),
	} {
		if _, err := safetensors.Read(bytes.NewReader(in)); err == nil || len(err.Error()) > 900 {
			t.Errorf("%s: %.1000v", name, err)
		}
	}
	for name, f := range map[string]*safetensors.File{
		"name":     {Tensors: []safetensors.Tensor{{Name: long + "\xff", Data: []uint8{1}}}},
		"metadata": {Metadata: map[string]string{long: "\xff" + long}},
	} {
		if err := safetensors.Write(io.Discard, f); err == nil || len(err.Error()) > 900 {
			t.Errorf("writing a long %s: %.1000v", name, err)
		}
	}
	defer func() {
		if text, ok := recover().(string); !ok || len(text) > 900 {
			t.Errorf("panic %.1000v", text)
		}
	}()
	safetensors.Write(io.Discard, &safetensors.File{Tensors: []safetensors.Tensor{{Name: long}}})
}

// All numbers of 16 bits become the float32 numbers of the same value: by the definition of binary16 with its exponents and fractions, and of BF16 as the upper half
// of a float32.
func TestHalfPrecision(t *testing.T) {
	data := make([]byte, 2<<16)
	for b := range 1 << 16 {
		binary.LittleEndian.PutUint16(data[2*b:], uint16(b))
	}
	for _, typ := range []string{"F16", "BF16"} {
		f, err := safetensors.Read(bytes.NewReader([]byte(file(fmt.Sprintf(`{"w":{"dtype":"%s","shape":[65536],"data_offsets":[0,131072]}}`, typ), string(data)))))
		if err != nil {
			t.Fatal(err)
		}
		got, err := safetensors.Values[float32](f, "w", 1<<16)
		if err != nil {
			t.Fatal(err)
		}
		bits, bias := 10, 15
		if typ == "BF16" {
			bits, bias = 7, 127
		}
		for b, v := range got {
			exponent, fraction := b>>bits&(2*bias+1), float64(b&(1<<bits-1))/float64(int(1)<<bits)
			want := math.Ldexp(1+fraction, exponent-bias)
			switch {
			case exponent == 0:
				want = math.Ldexp(fraction, 1-bias)
			case exponent == 2*bias+1 && fraction == 0:
				want = math.Inf(1)
			case exponent == 2*bias+1:
				want = math.NaN()
			}
			if b>>15 == 1 {
				want = -want
			}
			if float64(v) != want && !(v != v && want != want) || math.Signbit(float64(v)) != (b>>15 == 1) {
				t.Fatalf("%s %#04x: %v, want %v", typ, b, v, want)
			}
		}
	}
}
