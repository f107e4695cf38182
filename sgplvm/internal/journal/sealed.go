package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"hash"
	"io"
	"reflect"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Seal writes a line that names a format, a value as package gob encodes it, and the SHA-256 checksum of both.
func Seal(w io.Writer, format string, v any) error {
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	if _, err := io.WriteString(both, format); err != nil {
		return err
	}
	if err := gob.NewEncoder(both).Encode(v); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// Unseal reads what seal wrote, and no further, into the value that v points to.
func Unseal(r *bufio.Reader, format string, v any) error {
	s := &summingReader{r, sha256.New()}
	found := make([]byte, len(format))
	if _, err := io.ReadFull(s, found); err != nil {
		return err
	}
	if string(found) != format {
		return fmt.Errorf("expected a file that begins with %q", format)
	}
	if err := gob.NewDecoder(s).Decode(v); err != nil {
		return errors.New(quote.Line(err.Error())) // which may have names from the file and whole types in it
	}
	want := s.sum.Sum(nil)
	sum := make([]byte, sha256.Size)
	if _, err := io.ReadFull(r, sum); err != nil {
		return err
	}
	if !bytes.Equal(sum, want) {
		return errors.New("wrong checksum")
	}
	return checkViews(reflect.ValueOf(v))
}

// AtEnd returns an error unless everything was read.
func AtEnd(r *bufio.Reader) error {
	if _, err := r.ReadByte(); err != io.EOF {
		return errors.New("found more after the end")
	}
	return nil
}

// A summingReader adds what is read to a checksum.
type summingReader struct {
	r   *bufio.Reader
	sum hash.Hash
}

func (s *summingReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.sum.Write(p[:n])
	return n, err
}

// ReadByte keeps gob from reading on into the checksum.
func (s *summingReader) ReadByte() (byte, error) {
	b, err := s.r.ReadByte()
	if err == nil {
		s.sum.Write([]byte{b})
	}
	return b, err
}

// checkViews returns an error if a matrix in v is no view of its numbers by rows, as every one is that a
// checkpoint was written with.
func checkViews(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return checkViews(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if k := v.Type().Elem().Kind(); k != reflect.Struct && k != reflect.Pointer && k != reflect.Slice && k != reflect.Interface {
				return nil
			}
			if err := checkViews(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if err := checkViews(v.MapIndex(key)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if m, ok := v.Interface().(mat.Matrix); ok {
			return checkView(m)
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if err := checkViews(v.Field(i)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func checkView(m mat.Matrix) error {
	empty := m.Rows == 0 || m.Cols == 0
	n := uint64(len(m.Data))
	fits := min(m.Rows, m.Cols, m.RowStride, m.ColStride) >= 0 && (empty || m.ColStride == 1 && m.RowStride >= m.Cols && uint64(m.Cols) <= n &&
		uint64(m.Rows-1) <= (n-uint64(m.Cols))/uint64(m.RowStride))
	if !fits {
		return fmt.Errorf("found a %d×%d matrix with strides %d, %d in %d numbers", m.Rows, m.Cols, m.RowStride, m.ColStride, n)
	}
	return nil
}
