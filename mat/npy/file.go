package npy

import (
	"fmt"
	"io"
	"sync"

	"github.com/seed-08962ecc/kronfield/mat/internal/raw"
)

// File is an array that stays in its file: elements are read when they are asked
// for, in any order and by any number of goroutines at once.
//
// They are read through the operating system's cache of the file, as those of a
// mapped file would be, but with ReadAt: a file that is cut short or fails
// while it is open is an error of the read, where a mapping would end the
// process with a signal, and a copy of 256 KiB at a time into the processor's cache
// costs no more than the page faults of a mapping do (measured: 400 MB of
// float32 become float64 in 0.09 s one way and in 0.11 to 0.14 s the other).
type File struct {
	Header
	elements io.ReaderAt // of the file, from the first element on
	whole    *Array      // instead, for an array in Fortran order
	closer   io.Closer
	buffers  sync.Pool // of slices of the type
}

// Open opens a .npy file. The header is held to the same rules as by [Read], and
// the length of the file must be that which the header asks for. An array of several
// axes in Fortran order, whose examples lie scattered over the file, is read as
// a whole into memory, in its own type. Errors: [*FormatError], and those of the
// file system.
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

// NewFile is [Open] for size bytes that r gives, which may be a mapping or an
// archive's member. r must allow for reads by several goroutines at once.
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	s := io.NewSectionReader(r, 0, size)
	h, err := ReadHeader(s)
	if err != nil {
		return nil, err
	}
	start, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	want, _ := raw.Size(h.Shape, h.itemSize())
	switch have := size - start; {
	case have < int64(want):
		return nil, truncated("data", int(have), want, io.EOF)
	case have > int64(want):
		return nil, tooLong(want)
	}
	f := &File{Header: h, elements: io.NewSectionReader(r, start, int64(want))}
	f.buffers.New = func() any { return raw.Make(types[h.Type].kind, copyBytes/h.itemSize()) }
	if h.FortranOrder && len(h.Shape) > 1 {
		if f.whole, err = Read(io.NewSectionReader(r, 0, size)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Close closes the file, if it was opened by [Open].
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// CopyFloat64s sets dst to the elements from, from+1, … in C order, converted as by
// [Array.Float64s]. It panics if there are fewer. Errors: [*FormatError] for a file
// that has become shorter and for a truth value other than 0 and 1; others of the
// file are wrapped.
func (f *File) CopyFloat64s(dst []float64, from int) error {
	if f.whole != nil {
		f.whole.CopyFloat64s(dst, from)
		return nil
	}
	size := f.itemSize()
	if total, _ := raw.Size(f.Shape, 1); from < 0 || len(dst) > total-from {
		panic(fmt.Sprintf("npy.File.CopyFloat64s: %d elements from %d of %d", len(dst), from, total))
	}
	buffer := f.buffers.Get()
	defer f.buffers.Put(buffer)
	for len(dst) > 0 {
		k := min(len(dst), copyBytes/size)
		b := f.place(buffer, k)
		at := int64(from) * int64(size)
		if n, err := f.elements.ReadAt(b, at); n < len(b) {
			total, _ := raw.Size(f.Shape, size)
			return truncated("data", int(at)+n, total, err)
		}
		if err := f.settle(buffer, k, from); err != nil {
			return err
		}
		raw.Float64s(dst[:k], buffer, 0)
		dst, from = dst[k:], from+k
	}
	return nil
}

// copyBytes is how much is read at a time, a multiple of every element size.
const copyBytes = 1 << 18
