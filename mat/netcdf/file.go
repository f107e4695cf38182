package netcdf

import (
	"fmt"
	"io"

	"github.com/seed-08962ecc/kronfield/mat/internal/raw"
)

// File is a file whose values are read when they are asked for, in any order and by any number of goroutines
// at once.
type File struct {
	Header
	layout
	r      io.ReaderAt
	closer io.Closer
}

// Open opens a regular file. Errors: [*FormatError], and those of the file system.
func Open(path string) (*File, error) {
	file, size, err := raw.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := NewFile(file, size)
	if err != nil {
		file.Close()
		return nil, err
	}
	f.closer = file
	return f, nil
}

// NewFile is [Open] for size bytes that r gives. Errors: [*FormatError], and those of r, wrapped.
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	h, l, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	return &File{Header: *h, layout: l, r: r}, nil
}

// Close closes a file that Open has opened.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// ReadBytes sets dst to the big-endian bytes of the values of variable v from number from on, in C order. It panics where there
// are not as many, or for a part of a value. Errors of the file are wrapped.
func (f *File) ReadBytes(dst []byte, v, from int) error {
	x := &f.Variables[v]
	size := x.Type.Size()
	if n := len(dst) / size; from < 0 || len(dst)%size != 0 || n > f.Len(v)-from {
		panic(fmt.Sprintf("netcdf: ReadBytes: %d bytes from value %d of the %d of %s", len(dst), from, f.Len(v), x.Name))
	}
	at := int64(from) * int64(size) // in the variable's own bytes
	for len(dst) > 0 {
		place, run := f.begin[v]+at, int64(len(dst))
		if f.isRecord(x) {
			record, inside := at/f.slab[v], at%f.slab[v]
			place, run = f.begin[v]+record*f.step+inside, min(run, f.slab[v]-inside)
			if f.step == f.slab[v] {
				run = int64(len(dst)) // records follow each other
			}
		}
		if n, err := f.r.ReadAt(dst[:run], place); int64(n) < run {
			if err == io.EOF {
				return &FormatError{Place: variablePlace(v, x.Name), Found: fmt.Sprintf("the end of the file at byte %d", place+int64(n)), Want: "all values (the file was cut short)"}
			}
			return fmt.Errorf("netcdf: reading %s: %w", variablePlace(v, x.Name), err)
		}
		dst, at = dst[run:], at+run
	}
	return nil
}

// copyBytes is how much is read at a time, a multiple of all sizes of values.
const copyBytes = 1 << 16

// each reads values of variable v in parts and gives their bytes to use, in order.
func (f *File) each(v, from, n int, use func(b []byte, at int)) error {
	size := f.Variables[v].Type.Size()
	buffer := make([]byte, min(copyBytes, n*size))
	for at := 0; at < n; {
		k := min(n-at, len(buffer)/size)
		if err := f.ReadBytes(buffer[:k*size], v, from+at); err != nil {
			return err
		}
		use(buffer[:k*size], at)
		at += k
	}
	return nil
}

// ReadFloat64s sets dst to the values of variable v from number from on, in C order. 64-bit integers
// are rounded to the nearest float64, characters are their codes. It panics where there are not as many. Errors of the
// file are wrapped.
func (f *File) ReadFloat64s(dst []float64, v, from int) error {
	t := f.Variables[v].Type
	return f.each(v, from, len(dst), func(b []byte, at int) {
		toFloat64s(dst[at:at+len(b)/t.Size()], b, t)
	})
}

// Values returns all values of variable v in C order, as the slice of its type (see [Type]) or, of characters,
// as a string. Errors of the file are wrapped.
func (f *File) Values(v int) (any, error) {
	b := make([]byte, f.Len(v)*f.Variables[v].Type.Size())
	if err := f.ReadBytes(b, v, 0); err != nil {
		return nil, err
	}
	return fromBytes(b, f.Variables[v].Type), nil
}
