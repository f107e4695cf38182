package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat/internal/raw"
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
	n, ok := raw.Size(shape, 1)
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
	if err := raw.Write(p.w, elements, binary.LittleEndian); err != nil {
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
