package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// Write writes the array as numpy.save does: version 1.0, little-endian, C
// order. Every bit of the elements is kept, NaN payloads included. Errors of w
// are wrapped. It panics if Shape, Type and Data do not belong together.
func Write(w io.Writer, a *Array) error {
	a.check("npy.Write")
	p, err := NewWriter(w, a.Type, a.Shape...)
	if err != nil {
		return err
	}
	if err := p.Write(a.Data); err != nil {
		return err
	}
	return p.Close()
}

// Writer writes an array some elements at a time.
type Writer struct {
	w    io.Writer
	typ  Type
	left int // elements
}

// NewWriter writes the header of an array as [Write] does. Errors of w are wrapped. It
// panics for what is no type, and for a shape that no array has.
func NewWriter(w io.Writer, t Type, shape ...int) (*Writer, error) {
	n, ok := sizeOf(shape, 1)
	if t < Uint8 || t > Float64 || !ok || len(shape) > maxAxes || slices.ContainsFunc(shape, func(d int) bool { return d < 0 }) {
		panic(fmt.Sprintf("npy.NewWriter: an array of %v with shape %v", t, shape))
	}
	if _, err := w.Write(encodeHeader(t, shape)); err != nil {
		return nil, fmt.Errorf("npy: writing the header: %w", err)
	}
	return &Writer{w: w, typ: t, left: n}, nil
}

// Write writes the next elements, in C order: the slice of the array's type. Errors of the
// underlying writer are wrapped. It panics for a slice of another type, or if the shape
// holds fewer elements.
func (p *Writer) Write(elements any) error {
	t, n := inspect(elements)
	if t != p.typ || n > p.left {
		panic(fmt.Sprintf("npy.Writer.Write: %d elements of %T where %d of %v are left", n, elements, p.left, p.typ))
	}
	p.left -= n
	if err := encode(p.w, elements); err != nil {
		return fmt.Errorf("npy: writing the data: %w", err)
	}
	return nil
}

// Close ends the array; an error says that elements are missing. It does not close the
// underlying writer.
func (p *Writer) Close() error {
	if p.left > 0 {
		return fmt.Errorf("npy: %d elements of %v were not written", p.left, p.typ)
	}
	return nil
}

// encode writes the elements of a slice of numbers in little-endian order.
func encode(w io.Writer, data any) error {
	switch d := data.(type) {
	case []uint8:
		return blocks(w, d, func(b []byte, s []uint8) []byte { return append(b, s...) })
	case []int8:
		return blocks(w, d, func(b []byte, s []int8) []byte {
			for _, v := range s {
				b = append(b, uint8(v))
			}
			return b
		})
	case []uint16:
		return blocks(w, d, append16[uint16])
	case []int16:
		return blocks(w, d, append16[int16])
	case []uint32:
		return blocks(w, d, append32[uint32])
	case []int32:
		return blocks(w, d, append32[int32])
	case []uint64:
		return blocks(w, d, append64[uint64])
	case []int64:
		return blocks(w, d, append64[int64])
	case []float32:
		return blocks(w, d, func(b []byte, s []float32) []byte {
			for _, v := range s {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
			}
			return b
		})
	}
	return blocks(w, data.([]float64), func(b []byte, s []float64) []byte {
		for _, v := range s {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	})
}

// blocks writes src through a buffer of 8192 elements, which put appends to it.
func blocks[T Number](w io.Writer, src []T, put func(b []byte, s []T) []byte) error {
	buf := make([]byte, 0, 8*min(len(src), 8192))
	for len(src) > 0 {
		k := min(len(src), 8192)
		if _, err := w.Write(put(buf, src[:k])); err != nil {
			return err
		}
		src = src[k:]
	}
	return nil
}

func append16[T uint16 | int16](b []byte, s []T) []byte {
	for _, v := range s {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}

func append32[T uint32 | int32](b []byte, s []T) []byte {
	for _, v := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func append64[T uint64 | int64](b []byte, s []T) []byte {
	for _, v := range s {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}
