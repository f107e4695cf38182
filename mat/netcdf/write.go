package netcdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Source gives the values of variables to be written.
type Source interface {
	// ReadBytes sets dst to the big-endian bytes of whole values of variable v from number from on, in C order.
	ReadBytes(dst []byte, v, from int) error
}

// Arrays are the values of all variables in memory: each the slice of its type, or a string of characters.
type Arrays []any

// ReadBytes is that of [Source]. It panics where there are not as many values.
func (a Arrays) ReadBytes(dst []byte, v, from int) error {
	t, n := inspect(a[v])
	if t == 0 || from+len(dst)/t.Size() > n {
		panic(fmt.Sprintf("netcdf: Arrays: variable %d: %d bytes from value %d of %d values of %T", v, len(dst), from, n, a[v]))
	}
	appendValues(dst[:0], a[v], from, from+len(dst)/t.Size())
	return nil
}

// Write writes a file with the values of a source, the variables in the header's order. A header
// that no file has is an error: a name or a list that reading would refuse, a type that the version lacks, or more bytes than
// it can count (4 GiB for a variable that is not the last, and places beyond 2 GiB in Classic). Errors of
// w and of the source are passed on.
func Write(w io.Writer, h *Header, values Source) error {
	l, err := h.plan()
	if err != nil {
		return err
	}
	if _, err := w.Write(h.encode(&l)); err != nil {
		return err
	}
	p := &writer{w: w, h: h, l: &l, values: values}
	for i := range h.Variables {
		if !h.isRecord(&h.Variables[i]) {
			if err := p.slab(i, 0); err != nil {
				return err
			}
		}
	}
	if l.step == 0 {
		return nil // however many records there are, none has a byte
	}
	for record := range l.records {
		for i := range h.Variables {
			if h.isRecord(&h.Variables[i]) {
				if err := p.slab(i, record); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

type writer struct {
	w      io.Writer
	h      *Header
	l      *layout
	values Source
	buffer []byte
}

// slab writes a variable, or a record of it, and its padding.
func (p *writer) slab(v, record int) error {
	x := &p.h.Variables[v]
	size := int64(x.Type.Size())
	if p.buffer == nil {
		p.buffer = make([]byte, copyBytes)
	}
	from := int64(record) * (p.l.slab[v] / size)
	for at := int64(0); at < p.l.slab[v]; {
		b := p.buffer[:min(copyBytes, p.l.slab[v]-at)]
		if err := p.values.ReadBytes(b, v, int(from+at/size)); err != nil {
			return err
		}
		if _, err := p.w.Write(b); err != nil {
			return err
		}
		at += int64(len(b))
	}
	if p.h.isRecord(x) && p.l.step == p.l.slab[v] {
		return nil
	}
	_, err := p.w.Write(padding(x, p.l.slab[v]))
	return err
}

// padding is what follows n bytes of a variable: its fill value.
func padding(x *Variable, n int64) []byte {
	fill := types[x.Type].fill
	if a, ok := x.Attribute("_FillValue"); ok && a.Type == x.Type && a.Len() == 1 {
		fill = a.raw
	}
	return bytes.Repeat([]byte(fill), int(padded(n)-n)/len(fill))
}

// plan checks the header and finds the places of all values.
func (h *Header) plan() (layout, error) {
	fail := func(place, format string, args ...any) (layout, error) {
		return layout{}, fmt.Errorf("netcdf: cannot write %s: %s", place, fmt.Sprintf(format, args...))
	}
	if h.Version != Classic && h.Version != Offset64 && h.Version != Data64 {
		return fail("the file", "%v", h.Version)
	}
	if err := h.checkLists(); err != nil {
		return layout{}, err
	}
	l, bad := newLayout(h)
	if bad >= 0 {
		return fail(variablePlace(bad, h.Variables[bad].Name), "more than %d bytes", math.MaxInt)
	}
	at := int64(len(h.encode(&l)))
	for _, record := range []bool{false, true} {
		for i := range h.Variables {
			if v := &h.Variables[i]; h.isRecord(v) == record {
				if l.begin[i] = at; h.Version == Classic && at > math.MaxInt32 {
					return fail(variablePlace(i, v.Name), "values from byte %d on are too far for a classic file, 64-bit offset has room", at)
				}
				if at += padded(l.slab[i]); at < 0 {
					return fail(variablePlace(i, v.Name), "more than %d bytes", int64(math.MaxInt64))
				}
			}
		}
	}
	return l, nil
}

// checkLists refuses what reading would refuse.
func (h *Header) checkLists() error {
	records := 0
	err := h.checkNames("dimension", len(h.Dimensions), func(i int) string { return h.Dimensions[i].Name })
	for _, d := range h.Dimensions {
		if err == nil && (d.Length < 0 || d.Length == 0 && !d.Record || h.Version != Data64 && d.Length > math.MaxInt32) {
			err = fmt.Errorf("netcdf: cannot write dimension %s: a length of %d", d.Name, d.Length)
		}
		if d.Record {
			records++
		}
	}
	if err == nil && records > 1 {
		err = fmt.Errorf("netcdf: cannot write %d record dimensions, expected at most one", records)
	}
	if err == nil {
		err = h.checkAttributes("the file", h.Attributes)
	}
	if err == nil {
		err = h.checkNames("variable", len(h.Variables), func(i int) string { return h.Variables[i].Name })
	}
	for i := range h.Variables {
		v := &h.Variables[i]
		if err == nil && (!v.Type.valid(h.Version) || len(v.Dimensions) > maxDimensions) {
			err = fmt.Errorf("netcdf: cannot write variable %s of type %v and %d dimensions in a %v file", v.Name, v.Type, len(v.Dimensions), h.Version)
		}
		for k, d := range v.Dimensions {
			if err == nil && (d < 0 || d >= len(h.Dimensions) || k > 0 && h.Dimensions[d].Record) {
				err = fmt.Errorf("netcdf: cannot write variable %s: dimension %d as its number %d", v.Name, d, k)
			}
		}
		if err == nil {
			err = h.checkAttributes("variable "+v.Name, v.Attributes)
		}
	}
	return err
}

func (h *Header) checkNames(what string, n int, name func(i int) string) error {
	if n > maxList {
		return fmt.Errorf("netcdf: cannot write %d %ss, expected at most %d", n, what, maxList)
	}
	for i := range n {
		if err := checkName(name(i)); err != nil {
			return fmt.Errorf("netcdf: cannot write %s %d: %q, expected %w", what, i, name(i), err)
		}
	}
	return unique(n, what, name)
}

func (h *Header) checkAttributes(of string, all []Attribute) error {
	for _, a := range all {
		if !a.Type.valid(h.Version) || h.Version != Data64 && a.Len() > math.MaxInt32 {
			return fmt.Errorf("netcdf: cannot write attribute %s of %s: %d values of %v in a %v file", a.Name, of, a.Len(), a.Type, h.Version)
		}
	}
	return h.checkNames("attribute of "+of, len(all), func(i int) string { return all[i].Name })
}

// An encoder makes the bytes of a header.
type encoder struct {
	b       []byte
	version Version
}

func (e *encoder) tag(n int) { e.b = binary.BigEndian.AppendUint32(e.b, uint32(n)) }

func (e *encoder) count(n int64) {
	if e.version == Data64 {
		e.b = binary.BigEndian.AppendUint64(e.b, uint64(n))
		return
	}
	e.b = binary.BigEndian.AppendUint32(e.b, uint32(n))
}

func (e *encoder) text(s string) {
	e.b = append(e.b, s...)
	e.b = append(e.b, make([]byte, padded(int64(len(s)))-int64(len(s)))...)
}

func (e *encoder) name(s string) {
	e.count(int64(len(s)))
	e.text(s)
}

func (e *encoder) list(tag, n int) {
	if n == 0 {
		tag = 0
	}
	e.tag(tag)
	e.count(int64(n))
}

func (e *encoder) attributes(all []Attribute) {
	e.list(tagAttributes, len(all))
	for _, a := range all {
		e.name(a.Name)
		e.tag(int(a.Type))
		e.count(int64(a.Len()))
		e.text(a.raw)
	}
}

// encode returns the bytes of the header, with values at the places of l.
func (h *Header) encode(l *layout) []byte {
	e := &encoder{b: append([]byte(magic), byte(h.Version)), version: h.Version}
	e.count(int64(l.records))
	e.list(tagDimensions, len(h.Dimensions))
	for _, d := range h.Dimensions {
		e.name(d.Name)
		if d.Record {
			e.count(0)
		} else {
			e.count(int64(d.Length))
		}
	}
	e.attributes(h.Attributes)
	e.list(tagVariables, len(h.Variables))
	for i := range h.Variables {
		v := &h.Variables[i]
		e.name(v.Name)
		e.count(int64(len(v.Dimensions)))
		for _, d := range v.Dimensions {
			e.count(int64(d))
		}
		e.attributes(v.Attributes)
		e.tag(int(v.Type))
		size := padded(l.slab[i])
		if h.Version != Data64 {
			size = min(size, math.MaxUint32) // which says: dimensions and type tell
		}
		e.count(size)
		if h.Version == Classic {
			e.tag(int(l.begin[i]))
		} else {
			e.b = binary.BigEndian.AppendUint64(e.b, uint64(l.begin[i]))
		}
	}
	return e.b
}
