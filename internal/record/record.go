// Package record writes values as bytes and reads them back: numbers, text, lists, maps, pointers, and structures of these by their exported fields. What was
// written of a type that has changed since is refused.
package record

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/mat"
)

// registered are the types that values of interfaces may have, by name.
var registered = map[string]reflect.Type{}

// Register makes the types of values known, which must be before an interface that holds one is read.
func Register[T any](values ...T) {
	for _, v := range values {
		registered[reflect.TypeOf(v).String()] = reflect.TypeOf(v)
	}
}

// Write writes a value, or the one that v points to. It panics if the value has a part of a kind that cannot be written, such as a function. Errors: those of w.
func Write(w io.Writer, v any) error {
	value := reflect.Indirect(reflect.ValueOf(v))
	b := make([]byte, 12)
	binary.LittleEndian.PutUint32(b[8:], version(value.Type()))
	b = add(b, value)
	binary.LittleEndian.PutUint64(b, uint64(len(b)-12))
	_, err := w.Write(b)
	return err
}

// Read reads what Write wrote, and no further, into the value that v points to. Errors: those of r; what was read is of another type, or damaged.
func Read(r io.Reader, v any) error {
	value := reflect.ValueOf(v).Elem()
	begin := make([]byte, 12)
	if _, err := io.ReadFull(r, begin); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(begin[8:]) != version(value.Type()) {
		return errors.New("written by another version of the program")
	}
	size := int64(min(binary.LittleEndian.Uint64(begin), math.MaxInt64))
	var b bytes.Buffer // grows with what there is
	if _, err := io.CopyN(&b, r, size); err != nil {
		return cmp.Or(map[error]error{io.EOF: io.ErrUnexpectedEOF}[err], err)
	}
	d := decoder{b: b.Bytes()}
	d.read(value)
	if d.err == nil && len(d.b) > 0 {
		d.fail()
	}
	return d.err
}

// version is a checksum of what a type consists of.
func version(t reflect.Type) uint32 {
	var s strings.Builder
	describe(&s, t, nil)
	return crc32.ChecksumIEEE([]byte(s.String()))
}

func describe(s *strings.Builder, t reflect.Type, within []reflect.Type) {
	s.WriteString(t.Kind().String())
	if slices.Contains(within, t) {
		return
	}
	switch within = append(within, t); t.Kind() {
	case reflect.Map:
		describe(s, t.Key(), within)
		describe(s, t.Elem(), within)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		describe(s, t.Elem(), within)
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if f.IsExported() && len(f.Index) == 1 {
				s.WriteString(f.Name)
				describe(s, f.Type, within)
			}
		}
	}
}

// add appends a value. Lengths are greater by one, as 0 stands for nil.
func add(b []byte, v reflect.Value) []byte {
	if kind := v.Kind(); (kind == reflect.Slice || kind == reflect.Map || kind == reflect.Pointer || kind == reflect.Interface) && v.IsNil() {
		return append(b, 0)
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(b, v.Uint())
	case reflect.Float32, reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())+1), v.String()...)
	case reflect.Slice, reflect.Array:
		b = binary.AppendUvarint(b, uint64(v.Len())+1)
		if all := numbers(v); all != nil {
			b, _ = binary.Append(b, binary.LittleEndian, all)
			return b
		}
		for i := range v.Len() {
			b = add(b, v.Index(i))
		}
		return b
	case reflect.Map:
		var all [][]byte
		for _, key := range v.MapKeys() {
			all = append(all, add(add(nil, key), v.MapIndex(key)))
		}
		slices.SortFunc(all, bytes.Compare)
		return append(binary.AppendUvarint(b, uint64(len(all))+1), slices.Concat(all...)...)
	case reflect.Pointer:
		return add(append(b, 1), v.Elem())
	case reflect.Interface:
		t := v.Elem().Type()
		b = add(b, reflect.ValueOf(t.String()))
		return add(binary.AppendUvarint(b, uint64(version(t))), v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				b = add(b, v.Field(i))
			}
		}
		return b
	}
	panic("record: " + v.Type().String() + " cannot be written")
}

// numbers returns v if package binary has a fast way for it.
func numbers(v reflect.Value) any {
	switch all := v.Interface().(type) {
	case []byte, []float64:
		return all
	}
	return nil
}

// A decoder reads from b until it fails.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail() { d.b, d.err = nil, errors.New("damaged") }

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

// length reads that of a list, of which each element has at least one byte; −1 stands for nil.
func (d *decoder) length() int {
	n := d.uint()
	if n > uint64(len(d.b))+1 {
		d.fail()
		return -1
	}
	return int(n) - 1
}

// next takes n bytes, if there are so many.
func (d *decoder) next(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.fail()
		return make([]byte, max(n, 0))
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

// read sets v, which is zero.
func (d *decoder) read(v reflect.Value) {
	if d.err != nil {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.uint() != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		u := d.uint() // zigzag, as AppendVarint writes it
		n := int64(u>>1) ^ -int64(u&1)
		if v.OverflowInt(n) {
			d.fail()
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := d.uint()
		if v.OverflowUint(n) {
			d.fail()
		}
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(d.next(8))))
	case reflect.String:
		v.SetString(string(d.next(d.length())))
	case reflect.Slice, reflect.Array:
		n := d.length()
		if v.Kind() == reflect.Array && n != v.Len() {
			d.fail()
		}
		if n < 0 || d.err != nil {
			return
		}
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		if all := numbers(v); all != nil {
			binary.Decode(d.next(binary.Size(all)), binary.LittleEndian, all)
			return
		}
		for i := range n {
			d.read(v.Index(i))
		}
	case reflect.Map:
		if n := d.length(); n >= 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				d.read(key)
				d.read(value)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Pointer:
		if d.uint() != 0 {
			v.Set(reflect.New(v.Type().Elem()))
			d.read(v.Elem())
		}
	case reflect.Interface:
		if n := d.length(); n >= 0 {
			t := registered[string(d.next(n))]
			if t == nil || !t.Implements(v.Type()) || d.uint() != uint64(version(t)) {
				d.fail()
				return
			}
			value := reflect.New(t).Elem()
			d.read(value)
			v.Set(value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				d.read(v.Field(i))
			}
		}
		if m, ok := v.Interface().(mat.Matrix); ok && !whole(m) {
			d.fail()
		}
	}
}

// whole reports whether a matrix is a view of its numbers by rows, as every one is that is written.
func whole(m mat.Matrix) bool {
	empty := m.Rows == 0 || m.Cols == 0
	n := uint64(len(m.Data))
	return min(m.Rows, m.Cols, m.RowStride, m.ColStride) >= 0 && (empty || m.ColStride == 1 && m.RowStride >= m.Cols && uint64(m.Cols) <= n &&
		uint64(m.Rows-1) <= (n-uint64(m.Cols))/uint64(m.RowStride))
}
