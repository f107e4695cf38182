package netcdf

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/seed-08962ecc/kronfield/mat/internal/raw"
)

// Version is the version of the format.
type Version uint8

// The versions of the format.
const (
	Classic  Version = 1 // CDF-1
	Offset64 Version = 2 // CDF-2, "64-bit offset"
	Data64   Version = 5 // CDF-5, "64-bit data"
)

// String returns the name by which the reference library knows the version.
func (v Version) String() string {
	switch v {
	case Classic:
		return "classic"
	case Offset64:
		return "64-bit offset"
	case Data64:
		return "cdf5"
	}
	return fmt.Sprintf("Version(%d)", uint8(v))
}

// Type is the type of numbers or characters.
type Type uint8

// The types, each with the Go type that holds it. Those from UByte on are of [Data64] only.
const (
	Byte   Type = iota + 1 // []int8
	Char                   // string
	Short                  // []int16
	Int                    // []int32
	Float                  // []float32
	Double                 // []float64
	UByte                  // []uint8
	UShort                 // []uint16
	UInt                   // []uint32
	Int64                  // []int64
	UInt64                 // []uint64
)

// types holds the name of each type in CDL, the kind of its numbers (String of characters), its bytes, and the bytes that stand where nothing was written.
var types = [...]struct {
	name string
	kind reflect.Kind
	size int
	fill string
}{
	Byte:   {"byte", reflect.Int8, 1, "\x81"},
	Char:   {"char", reflect.String, 1, "\x00"},
	Short:  {"short", reflect.Int16, 2, "\x80\x01"},
	Int:    {"int", reflect.Int32, 4, "\x80\x00\x00\x01"},
	Float:  {"float", reflect.Float32, 4, "\x7c\xf0\x00\x00"},
	Double: {"double", reflect.Float64, 8, "\x47\x9e\x00\x00\x00\x00\x00\x00"},
	UByte:  {"ubyte", reflect.Uint8, 1, "\xff"},
	UShort: {"ushort", reflect.Uint16, 2, "\xff\xff"},
	UInt:   {"uint", reflect.Uint32, 4, "\xff\xff\xff\xff"},
	Int64:  {"int64", reflect.Int64, 8, "\x80\x00\x00\x00\x00\x00\x00\x02"},
	UInt64: {"uint64", reflect.Uint64, 8, "\xff\xff\xff\xff\xff\xff\xff\xfe"},
}

// valid tells whether a version has the type.
func (t Type) valid(v Version) bool { return t >= Byte && (t <= Double || t <= UInt64 && v == Data64) }

// String returns the name of the type in CDL, such as "short".
func (t Type) String() string {
	if !t.valid(Data64) {
		return fmt.Sprintf("Type(%d)", uint8(t))
	}
	return types[t].name
}

// Size returns the number of bytes of a value.
func (t Type) Size() int { return types[t].size }

// Fill returns the number that the reference library leaves where nothing was written (NC_FILL_…). The two of 64 bits are
// rounded to the nearest float64.
func (t Type) Fill() float64 {
	var v [1]float64
	toFloat64s(v[:], []byte(types[t].fill), t)
	return v[0]
}

// Dimension is a named axis. Length is that of the axis, of the record dimension the number of records.
type Dimension struct {
	Name   string
	Length int
	Record bool // the record ("unlimited") dimension, of which a file has at most one
}

// Attribute is a named list of numbers, or a text. Attributes are equal where all their bits are.
type Attribute struct {
	Name string
	Type Type
	raw  string // big-endian
}

// NewAttribute returns an attribute of one of the types: its values are a string or a slice of numbers as
// listed with [Type]. It panics for anything else.
func NewAttribute(name string, values any) Attribute {
	t, n := inspect(values)
	if t == 0 {
		panic(fmt.Sprintf("netcdf: NewAttribute: values of %T, expected a string or a slice of numbers", values))
	}
	return Attribute{name, t, string(appendValues(nil, values, 0, n))}
}

// Len returns the number of values, of a text that of its bytes.
func (a Attribute) Len() int { return len(a.raw) / a.Type.Size() }

// Text returns the text of an attribute of type Char, without zeros at its end, and "" for any other type.
func (a Attribute) Text() string {
	if a.Type != Char {
		return ""
	}
	return strings.TrimRight(a.raw, "\x00")
}

// Float64s returns the numbers, those of 64-bit integers rounded to the nearest float64, and nil for a text.
func (a Attribute) Float64s() []float64 {
	if a.Type == Char {
		return nil
	}
	v := make([]float64, a.Len())
	toFloat64s(v, []byte(a.raw), a.Type)
	return v
}

// Values returns the string or the slice of numbers of the attribute's type.
func (a Attribute) Values() any { return fromBytes([]byte(a.raw), a.Type) }

// Variable is a named array. Dimensions are numbers of the header's, the slowest first; none: a single value.
type Variable struct {
	Name       string
	Type       Type
	Dimensions []int
	Attributes []Attribute
}

// Attribute returns the attribute of a name.
func (v *Variable) Attribute(name string) (a Attribute, ok bool) { return find(v.Attributes, name) }

func find(all []Attribute, name string) (a Attribute, ok bool) {
	for _, a := range all {
		if a.Name == name {
			return a, true
		}
	}
	return Attribute{}, false
}

// Header describes a file without its values.
type Header struct {
	Version    Version
	Dimensions []Dimension
	Attributes []Attribute // of the file as a whole
	Variables  []Variable
}

// Attribute returns the file's own attribute of a name.
func (h *Header) Attribute(name string) (a Attribute, ok bool) { return find(h.Attributes, name) }

// Find returns the number of the variable of a name, or −1.
func (h *Header) Find(name string) int {
	for i := range h.Variables {
		if h.Variables[i].Name == name {
			return i
		}
	}
	return -1
}

// Shape returns the lengths of the dimensions of variable v.
func (h *Header) Shape(v int) []int {
	shape := []int{}
	for _, d := range h.Variables[v].Dimensions {
		shape = append(shape, h.Dimensions[d].Length)
	}
	return shape
}

// Len returns the number of values of variable v.
func (h *Header) Len(v int) int {
	n := 1
	for _, d := range h.Variables[v].Dimensions {
		n *= h.Dimensions[d].Length
	}
	return n
}

// records returns the number of records and whether there is a record dimension.
func (h *Header) records() (n int, ok bool) {
	for _, d := range h.Dimensions {
		if d.Record {
			return d.Length, true
		}
	}
	return 0, false
}

// isRecord tells whether a variable has values in every record.
func (h *Header) isRecord(v *Variable) bool {
	return len(v.Dimensions) > 0 && h.Dimensions[v.Dimensions[0]].Record
}

// slabOf returns the bytes of a variable, or of one record of it, without padding; ok tells that all its values
// can be counted.
func (h *Header) slabOf(v *Variable) (bytes int64, ok bool) {
	bytes, records := int64(v.Type.Size()), int64(1)
	for k, d := range v.Dimensions {
		n := int64(h.Dimensions[d].Length)
		if k == 0 && h.Dimensions[d].Record {
			records = max(n, 1)
			continue
		}
		if n > 0 && bytes > math.MaxInt/n {
			return 0, false
		}
		bytes *= n
	}
	return bytes, bytes <= math.MaxInt/records
}

// padded is n, rounded up to a multiple of 4.
func padded(n int64) int64 { return (n + 3) &^ 3 }

// A layout tells where the values are.
type layout struct {
	begin   []int64 // of each variable, or of its first record
	slab    []int64 // bytes of each variable, or of one of its records, without padding
	step    int64   // bytes of a record of all variables
	records int
}

// newLayout finds sizes; begin is set by others. bad is the number of a variable that is too large, or −1.
func newLayout(h *Header) (l layout, bad int) {
	n := len(h.Variables)
	l = layout{begin: make([]int64, n), slab: make([]int64, n)}
	l.records, _ = h.records()
	single, last := 0, int64(0)
	for i := range h.Variables {
		v := &h.Variables[i]
		var ok bool
		if l.slab[i], ok = h.slabOf(v); !ok || padded(l.slab[i]) > math.MaxInt64-l.step {
			return l, i
		}
		if h.isRecord(v) {
			single, last = single+1, l.slab[i]
			l.step += padded(l.slab[i])
		}
	}
	if single == 1 {
		l.step = last
	}
	return l, -1
}

// inspect returns the type and the length of a list of values, and no type for anything else.
func inspect(values any) (Type, int) {
	if s, ok := values.(string); ok {
		return Char, len(s)
	}
	kind, n := raw.Inspect(values)
	for t := Byte; t <= UInt64; t++ {
		if types[t].kind == kind {
			return t, n
		}
	}
	return 0, 0
}

// appendValues appends the big-endian bytes of the values from ≤ i < to.
func appendValues(b []byte, values any, from, to int) []byte {
	if s, ok := values.(string); ok {
		return append(b, s[from:to]...)
	}
	size, at := raw.ElemSize(values), len(b)
	b = append(b, raw.Bytes(values)[from*size:to*size]...)
	raw.Order(b[at:], size, binary.BigEndian)
	return b
}

// fromBytes returns the values that big-endian bytes stand for.
func fromBytes(b []byte, t Type) any {
	if t == Char {
		return string(b)
	}
	values := raw.Make(types[t].kind, len(b)/t.Size())
	raw.Gather(raw.Bytes(values), [][]byte{b})
	raw.Order(raw.Bytes(values), t.Size(), binary.BigEndian)
	return values
}

// toFloat64s sets dst to the numbers that big-endian bytes stand for, characters as their codes.
func toFloat64s(dst []float64, b []byte, t Type) {
	if t == Char {
		t = UByte
	}
	raw.Float64s(dst, fromBytes(b, t), 0)
}
