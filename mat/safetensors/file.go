package safetensors

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/internal/raw"
)

// Element lists the types of elements, named F64, F32, I64, I32 and U8 in the
// file.
type Element interface {
	float64 | float32 | int64 | int32 | uint8
}

// Tensor is a named dense array in C order: the last axis runs fastest.
type Tensor struct {
	Name  string
	Shape []int // length of each axis; empty for a single number
	Data  any   // the elements: []float64, []float32 (of F32, F16 and BF16), []int64, []int32 or []uint8
}

// File is the content of a safetensors file.
type File struct {
	Metadata map[string]string // without the checksum; may be nil
	Tensors  []Tensor          // in the order of the data, when read; names are unique
}

// FormatError reports a file that is not the safetensors file it should be, or
// content that the format cannot hold.
type FormatError struct {
	Place string // where: "header length", "byte 17", `tensor "w"`, "data", ...
	Found string // what stands there
	Want  string // what was expected
}

// Error returns one line that names the place, what stands there and what was
// expected.
func (e *FormatError) Error() string {
	return "safetensors: " + e.Place + ": found " + e.Found + ", expected " + e.Want
}

// Lookup returns the tensor of that name, or nil if there is none.
func (f *File) Lookup(name string) *Tensor {
	for i := range f.Tensors {
		if f.Tensors[i].Name == name {
			return &f.Tensors[i]
		}
	}
	return nil
}

// Values returns the elements of the tensor of that name, which must have the
// element type T and the given shape; -1 stands for an axis of any length. It
// shares the tensor's slice. A missing tensor, another type and another shape
// are each a [*FormatError].
func Values[T Element](f *File, name string, shape ...int) ([]T, error) {
	t := f.Lookup(name)
	if t == nil {
		return nil, &FormatError{"tensor " + quote.Text(name), "none", "one"}
	}
	data, ok := t.Data.([]T)
	if !ok {
		have, _ := inspect(t.Data)
		want, _ := inspect([]T(nil))
		return nil, &FormatError{"tensor " + quote.Text(name), "type " + have.String(), want.String()}
	}
	fits := func(have, want int) bool { return have == want || want == -1 }
	if !slices.EqualFunc(t.Shape, shape, fits) {
		return nil, &FormatError{"tensor " + quote.Text(name), "shape " + quote.Line(list(t.Shape)),
			strings.ReplaceAll(quote.Line(list(shape)), "-1", "any")}
	}
	return data, nil
}

// dtype is the type of a tensor's elements, in the order of their tensors in a
// file: that of the reference implementation, large elements first.
type dtype uint8

const (
	i64 dtype = iota + 1
	f64
	f32
	i32
	u8
	f16  // read as float32
	bf16 // read as float32
)

var dtypes = [...]struct {
	name string
	size int          // bytes
	kind reflect.Kind // of the numbers in memory
}{{"none", 0, 0}, i64: {"I64", 8, reflect.Int64}, f64: {"F64", 8, reflect.Float64}, f32: {"F32", 4, reflect.Float32}, i32: {"I32", 4, reflect.Int32}, u8: {"U8", 1, reflect.Uint8},
	f16: {"F16", 2, reflect.Float32}, bf16: {"BF16", 2, reflect.Float32}}

func (t dtype) String() string { return dtypes[t].name }

func (t dtype) size() int { return dtypes[t].size }

// typeNamed returns the type of that name, zero if there is none.
func typeNamed(name string) dtype {
	for t := i64; t <= bf16; t++ {
		if name == t.String() {
			return t
		}
	}
	return 0
}

// inspect returns the type and the length of a slice of elements, and a zero
// dtype for anything else.
func inspect(data any) (dtype, int) {
	kind, n := raw.Inspect(data)
	for t := i64; t <= u8; t++ {
		if dtypes[t].kind == kind {
			return t, n
		}
	}
	return 0, 0
}

// list spells integers as JSON does: [2,3].
func list(v []int) string {
	return strings.ReplaceAll(fmt.Sprint(v), " ", ",")
}
