package npy

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/seed-08962ecc/kronfield/mat/internal/raw"
)

// Type is the type of an array's elements.
type Type uint8

// The element types, each with the slice that holds it in [Array].Data.
const (
	Uint8   Type = iota + 1 // []uint8
	Int8                    // []int8
	Uint16                  // []uint16
	Int16                   // []int16
	Uint32                  // []uint32
	Int32                   // []int32
	Uint64                  // []uint64
	Int64                   // []int64
	Float32                 // []float32
	Float64                 // []float64
)

// types holds numpy's name and type code of each Type.
var types = [...]struct {
	name, code string
	kind       reflect.Kind
}{
	Uint8:   {"uint8", "u1", reflect.Uint8},
	Int8:    {"int8", "i1", reflect.Int8},
	Uint16:  {"uint16", "u2", reflect.Uint16},
	Int16:   {"int16", "i2", reflect.Int16},
	Uint32:  {"uint32", "u4", reflect.Uint32},
	Int32:   {"int32", "i4", reflect.Int32},
	Uint64:  {"uint64", "u8", reflect.Uint64},
	Int64:   {"int64", "i8", reflect.Int64},
	Float32: {"float32", "f4", reflect.Float32},
	Float64: {"float64", "f8", reflect.Float64},
}

// String returns numpy's name of the type, such as "uint8" or "float32".
func (t Type) String() string {
	if t < Uint8 || t > Float64 {
		return "Type(" + strconv.Itoa(int(t)) + ")"
	}
	return types[t].name
}

// Number lists the element types of an [Array].
type Number interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64 | float32 | float64
}

// Array is a dense array of numbers in C order: the last axis runs fastest.
type Array struct {
	Shape []int // length of each axis; empty for a single number
	Type  Type  // type of the elements
	Data  any   // the elements: the slice of Type, such as []float32 for Float32
}

// New returns the array of the given shape that shares data. It panics if the
// shape does not hold exactly len(data) elements.
func New[T Number](data []T, shape ...int) *Array {
	a := &Array{Shape: append([]int{}, shape...), Data: data}
	a.Type, _ = inspect(data)
	a.check("npy.New")
	return a
}

// Len returns the number of elements: the product of the shape, 1 for a single
// number.
func (a *Array) Len() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Float64s returns the elements as float64 numbers in C order. For a Float64
// array that is Data itself, for the others a new slice. Every type but two
// converts exactly; Int64 and Uint64 elements beyond 2^53 in magnitude are
// rounded to the nearest float64.
func (a *Array) Float64s() []float64 {
	a.check("npy.Array.Float64s")
	if d, ok := a.Data.([]float64); ok {
		return d
	}
	dst := make([]float64, a.Len())
	a.CopyFloat64s(dst, 0)
	return dst
}

// CopyFloat64s sets dst to the elements from, from+1, … in C order, converted as by
// [Array.Float64s]. It panics if there are fewer.
func (a *Array) CopyFloat64s(dst []float64, from int) {
	if _, n := inspect(a.Data); from < 0 || len(dst) > n-from {
		panic(fmt.Sprintf("npy.Array.CopyFloat64s: %d elements from %d of %d", len(dst), from, n))
	}
	raw.Float64s(dst, a.Data, from)
}

// inspect returns the type and the length of a slice of numbers, and a zero
// Type for anything else.
func inspect(data any) (Type, int) {
	kind, n := raw.Inspect(data)
	for t := Uint8; t <= Float64; t++ {
		if types[t].kind == kind {
			return t, n
		}
	}
	return 0, 0
}

// check panics in the name of op unless Shape, Type and Data belong together.
func (a *Array) check(op string) {
	t, n := inspect(a.Data)
	if t == 0 || t != a.Type {
		panic(fmt.Sprintf("%s: Type is %v and Data is %T", op, a.Type, a.Data))
	}
	if len(a.Shape) > maxAxes {
		panic(fmt.Sprintf("%s: %d axes, at most %d are allowed", op, len(a.Shape), maxAxes))
	}
	for _, d := range a.Shape {
		if d < 0 {
			panic(fmt.Sprintf("%s: negative axis in shape %v", op, a.Shape))
		}
	}
	if size, ok := raw.Size(a.Shape, 1); !ok || size != n {
		panic(fmt.Sprintf("%s: shape %v does not hold the %d elements of Data", op, a.Shape, n))
	}
}
