// Package raw is numbers as the bytes that stand for them in files: what the formats npy, netcdf and safetensors have in common.
package raw

import (
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"os"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// types are the types of numbers.
var types = map[reflect.Kind]reflect.Type{
	reflect.Uint8: reflect.TypeFor[uint8](), reflect.Int8: reflect.TypeFor[int8](), reflect.Uint16: reflect.TypeFor[uint16](), reflect.Int16: reflect.TypeFor[int16](),
	reflect.Uint32: reflect.TypeFor[uint32](), reflect.Int32: reflect.TypeFor[int32](), reflect.Uint64: reflect.TypeFor[uint64](), reflect.Int64: reflect.TypeFor[int64](),
	reflect.Float32: reflect.TypeFor[float32](), reflect.Float64: reflect.TypeFor[float64](),
}

// Inspect returns the kind of the elements of a slice of numbers, and how many there are; the kind is Invalid for anything else.
func Inspect(data any) (reflect.Kind, int) {
	v := reflect.ValueOf(data)
	if v.Kind() != reflect.Slice {
		return reflect.Invalid, 0
	}
	kind := v.Type().Elem().Kind()
	if t, known := types[kind]; !known || v.Type() != reflect.SliceOf(t) {
		return reflect.Invalid, 0
	}
	return kind, v.Len()
}

// Make returns a slice of n numbers of a kind.
func Make(kind reflect.Kind, n int) any {
	return reflect.MakeSlice(reflect.SliceOf(types[kind]), n, n).Interface()
}

// Bytes returns the memory of a slice of numbers. Its bytes are in the machine's order.
func Bytes(data any) []byte {
	v := reflect.ValueOf(data)
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*ElemSize(data))
}

// ElemSize returns the bytes of an element of a slice.
func ElemSize(data any) int { return int(reflect.TypeOf(data).Elem().Size()) }

// Order brings elements of some bytes each from an order of bytes to that of the machine, and back.
func Order(b []byte, size int, order binary.ByteOrder) {
	if order.Uint16([]byte{0, 1}) == binary.NativeEndian.Uint16([]byte{0, 1}) {
		return
	}
	switch size {
	case 2:
		for ; len(b) > 0; b = b[2:] {
			b[0], b[1] = b[1], b[0]
		}
	case 4:
		for ; len(b) > 0; b = b[4:] {
			binary.LittleEndian.PutUint32(b, binary.BigEndian.Uint32(b))
		}
	case 8:
		for ; len(b) > 0; b = b[8:] {
			binary.LittleEndian.PutUint64(b, binary.BigEndian.Uint64(b))
		}
	}
}

// block is how many bytes are written at a time, a multiple of the size of every number.
const block = 1 << 16

// Write writes a slice of numbers in an order of bytes.
func Write(w io.Writer, data any, order binary.ByteOrder) error {
	size := ElemSize(data)
	part := make([]byte, 0, block)
	for b := range slices.Chunk(Bytes(data), block) {
		part = append(part[:0], b...)
		Order(part, size, order)
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// Float64s sets dst to numbers of a slice from one on. Integers beyond 2^53 are rounded to the nearest float64.
func Float64s(dst []float64, data any, from int) {
	switch d := data.(type) {
	case []uint8:
		convert(dst, d[from:])
	case []int8:
		convert(dst, d[from:])
	case []uint16:
		convert(dst, d[from:])
	case []int16:
		convert(dst, d[from:])
	case []uint32:
		convert(dst, d[from:])
	case []int32:
		convert(dst, d[from:])
	case []uint64:
		convert(dst, d[from:])
	case []int64:
		convert(dst, d[from:])
	case []float32:
		convert(dst, d[from:])
	case []float64:
		copy(dst, d[from:])
	}
}

func convert[T uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64 | float32](dst []float64, src []T) {
	for i := range dst {
		dst[i] = float64(src[i])
	}
}

// Widen puts a float32 in the place of each number of 16 bits in the upper half of b; together they fill b.
func Widen(b []byte, one func(h uint16) float32) {
	for i := range len(b) / 4 {
		binary.NativeEndian.PutUint32(b[4*i:], math.Float32bits(one(binary.NativeEndian.Uint16(b[len(b)/2+2*i:]))))
	}
}

// Half is a number of IEEE 754 binary16: sign, 5 bits of exponent biased by 15, 10 bits of fraction. The result is exact; a NaN keeps its payload.
func Half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 0: // fraction·2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// Size returns the product of the axes and the element size, and whether an int can count it, empty axes left aside: (0, 2^62, 2^62) is refused too.
func Size(shape []int, elem int) (size int, ok bool) {
	product, empty := uint64(elem), false
	for _, d := range shape {
		if d == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(product, uint64(d))
		if hi != 0 || lo > math.MaxInt {
			return 0, false
		}
		product = lo
	}
	if empty {
		return 0, true
	}
	return int(product), true
}

const (
	firstChunk = 1 << 16 // bytes, a multiple of every element size
	lastChunk  = 1 << 24
)

// ReadChunks reads size bytes, and returns how many came. Each chunk is about as long as all before it, so
// that a size that is a lie costs no more than the truth and a first chunk.
func ReadChunks(r io.Reader, size int) (chunks [][]byte, have int, err error) {
	for next := firstChunk; have < size; next = min(2*next, lastChunk) {
		chunk := make([]byte, min(next, size-have))
		n, err := io.ReadFull(r, chunk)
		if have += n; err != nil {
			return nil, have, err
		}
		chunks = append(chunks, chunk)
	}
	return chunks, have, nil
}

// Gather puts chunks together, which it uses up.
func Gather(dst []byte, chunks [][]byte) {
	for i, c := range chunks {
		dst = dst[copy(dst, c):]
		chunks[i] = nil
	}
}

// Open opens a file and tells its size.
func Open(path string) (*os.File, int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// A Scanner goes through the text of a header.
type Scanner struct {
	Text string
	At   int // the next byte of it
}

// Space skips blanks.
func (s *Scanner) Space() {
	for s.At < len(s.Text) && strings.IndexByte(" \t\r\n", s.Text[s.At]) >= 0 {
		s.At++
	}
}

// Take skips blanks and then c, if it stands there.
func (s *Scanner) Take(c byte) bool {
	s.Space()
	if s.At < len(s.Text) && s.Text[s.At] == c {
		s.At++
		return true
	}
	return false
}

// Found tells in a message what stands at the next byte.
func (s *Scanner) Found() string {
	if s.At >= len(s.Text) {
		return "the end of the header"
	}
	return quote.Text(s.Text[s.At:min(s.At+24, len(s.Text))])
}
