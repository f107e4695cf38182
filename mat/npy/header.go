package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/internal/raw"
)

const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 16 // bytes; numpy's longest header of these types is under 2 KiB
	maxAxes   = 64      // numpy's own limit since version 2
	alignment = 64      // bytes; the elements start at a multiple of it
	growth    = 21      // columns that numpy keeps for the first axis to grow in place
)

// Header describes an array without its elements.
type Header struct {
	Shape        []int  // length of each axis; empty for a single number
	Type         Type   // type of the elements as [Read] delivers them
	Descr        string // type of the elements in the file, such as "<f8", ">i4" or "|b1"
	FortranOrder bool   // in the file the first axis runs fastest
}

// FormatError reports a file that is not the .npy file it should be.
type FormatError struct {
	Place string // where: "magic", "descr", "byte 17", "data", ...
	Found string // what stands there
	Want  string // what was expected
}

// Error returns one line that names the place, what stands there and what was
// expected.
func (e *FormatError) Error() string {
	return "npy: " + e.Place + ": found " + e.Found + ", expected " + e.Want
}

// ReadHeader reads the header alone, up to the first byte of the elements. A
// malformed or unsupported header is a [*FormatError]; errors of r are wrapped.
func ReadHeader(r io.Reader) (Header, error) {
	var prefix [8]byte
	if n, err := io.ReadFull(r, prefix[:]); err != nil {
		return Header{}, truncated("magic", n, len(prefix), err)
	}
	if string(prefix[:6]) != magic {
		return Header{}, &FormatError{"magic", quote.Text(string(prefix[:6])), strconv.Quote(magic)}
	}
	major, minor := prefix[6], prefix[7]
	if major < 1 || major > 3 || minor != 0 {
		return Header{}, &FormatError{"version", fmt.Sprintf("%d.%d", major, minor), "1.0, 2.0 or 3.0"}
	}
	var field [4]byte
	width := 4
	if major == 1 {
		width = 2
	}
	if n, err := io.ReadFull(r, field[:width]); err != nil {
		return Header{}, truncated("header length", n, width, err)
	}
	length := binary.LittleEndian.Uint32(field[:])
	if length > maxHeader {
		return Header{}, &FormatError{"header length", strconv.FormatUint(uint64(length), 10) + " bytes",
			"at most " + strconv.Itoa(maxHeader)}
	}
	text := make([]byte, length)
	if n, err := io.ReadFull(r, text); err != nil {
		return Header{}, truncated("header", n, len(text), err)
	}
	p := parser{Scanner: raw.Scanner{Text: string(text)}, base: len(prefix) + width, python2: major < 3}
	return p.header()
}

// truncated turns the end of the input into a FormatError; any other error of
// the reader is passed on.
func truncated(place string, found, want int, err error) error {
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return fmt.Errorf("npy: reading the %s: %w", place, err)
	}
	return &FormatError{place, strconv.Itoa(found) + " bytes", strconv.Itoa(want) + " (the file is truncated)"}
}

// code returns the type code of the elements in the file: descr without its
// byte order.
func (h *Header) code() string { return h.Descr[1:] }

// itemSize returns the number of bytes of an element in the file.
func (h *Header) itemSize() int { return int(h.Descr[2] - '0') }

// order returns the order of an element's bytes in the file.
func (h *Header) order() binary.ByteOrder {
	if h.Descr[0] == '>' {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// setDescr understands an element type as the file spells it.
func (h *Header) setDescr(descr string) error {
	fail := &FormatError{"descr", quote.Text(descr),
		"a byte order (< > | =) and one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8"}
	if len(descr) != 3 || !strings.Contains("<>|=", descr[:1]) {
		return fail
	}
	h.Descr = descr
	switch code := descr[1:]; code {
	case "b1":
		h.Type = Uint8
	case "f2":
		h.Type = Float32
	default:
		for t := range types {
			if types[t].code == code {
				h.Type = Type(t)
			}
		}
	}
	if h.Type == 0 {
		return fail
	}
	if descr[0] == '|' && h.itemSize() > 1 {
		return &FormatError{"descr", quote.Text(descr), "a byte order, < or >"}
	}
	return nil
}

// A parser reads the header's dictionary. It knows the grammar of this one
// Python literal and nothing more.
type parser struct {
	raw.Scanner
	base    int  // offset of the text in the file
	python2 bool // long integers of Python 2 (3L) may occur
}

// header parses the whole text.
func (p *parser) header() (Header, error) {
	var h Header
	var seen []string
	_, err := p.list('{', '}', func() error {
		start := p.At
		key, err := p.quoted("a quoted key")
		if err != nil {
			return err
		}
		if slices.Contains(seen, key) {
			p.At = start
			return p.fail("each key once")
		}
		seen = append(seen, key)
		if !p.Take(':') {
			return p.fail("':'")
		}
		switch key {
		case "descr":
			descr, err := p.quoted("a quoted type such as '<f8' (records are not supported)")
			if err != nil {
				return err
			}
			return h.setDescr(descr)
		case "fortran_order":
			h.FortranOrder, err = p.boolean()
			return err
		case "shape":
			h.Shape, err = p.shape()
			return err
		}
		p.At = start
		return p.fail("one of the keys 'descr', 'fortran_order', 'shape'")
	})
	if err != nil {
		return Header{}, err
	}
	if p.Space(); p.At < len(p.Text) {
		return Header{}, p.fail("nothing but blanks after the dictionary")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !slices.Contains(seen, key) {
			return Header{}, &FormatError{"header", "no key '" + key + "'", "'descr', 'fortran_order' and 'shape'"}
		}
	}
	if _, ok := raw.Size(h.Shape, h.itemSize()); !ok {
		return Header{}, &FormatError{"shape", quote.Text(tuple(h.Shape)), fmt.Sprintf("at most %d bytes", math.MaxInt)}
	}
	return h, nil
}

// list parses items between brackets and counts the commas; one may follow the
// last item.
func (p *parser) list(open, close byte, item func() error) (commas int, err error) {
	if !p.Take(open) {
		return 0, p.fail(strconv.QuoteRune(rune(open)))
	}
	for !p.Take(close) {
		if err := item(); err != nil {
			return commas, err
		}
		if p.Take(',') {
			commas++
			continue
		}
		if !p.Take(close) {
			return commas, p.fail(fmt.Sprintf("',' or %q", close))
		}
		break
	}
	return commas, nil
}

// shape parses a tuple of lengths. A tuple of one has a comma: (3) is a number.
func (p *parser) shape() ([]int, error) {
	shape := []int{}
	commas, err := p.list('(', ')', func() error {
		if len(shape) == maxAxes {
			return p.fail(fmt.Sprintf("at most %d axes", maxAxes))
		}
		d, err := p.length()
		shape = append(shape, d)
		return err
	})
	if err == nil && len(shape) == 1 && commas == 0 {
		err = &FormatError{"shape", fmt.Sprintf("the number (%d)", shape[0]), fmt.Sprintf("a tuple such as (%d,)", shape[0])}
	}
	return shape, err
}

// length parses the length of an axis.
func (p *parser) length() (int, error) {
	p.Space()
	start := p.At
	for p.At < len(p.Text) && '0' <= p.Text[p.At] && p.Text[p.At] <= '9' {
		p.At++
	}
	digits := p.Text[start:p.At]
	if digits == "" || len(digits) > 1 && digits[0] == '0' {
		p.At = start
		return 0, p.fail("the length of an axis")
	}
	if p.python2 && strings.HasPrefix(p.Text[p.At:], "L") {
		p.At++
	}
	d, err := strconv.Atoi(digits)
	if err != nil {
		p.At = start
		return 0, p.fail(fmt.Sprintf("an axis of at most %d", math.MaxInt))
	}
	return d, nil
}

// quoted parses a string in single or double quotes, without escapes.
func (p *parser) quoted(want string) (string, error) {
	p.Space()
	rest := p.Text[p.At:]
	if rest == "" || rest[0] != '\'' && rest[0] != '"' {
		return "", p.fail(want)
	}
	end := strings.IndexByte(rest[1:], rest[0])
	if end < 0 || strings.ContainsAny(rest[1:1+end], "\\\n") {
		return "", p.fail(want)
	}
	p.At += end + 2
	return rest[1 : 1+end], nil
}

// boolean parses True or False.
func (p *parser) boolean() (bool, error) {
	p.Space()
	for _, word := range []string{"True", "False"} {
		if strings.HasPrefix(p.Text[p.At:], word) {
			p.At += len(word)
			return word == "True", nil
		}
	}
	return false, p.fail("True or False")
}

// fail reports what stands at the current byte.
func (p *parser) fail(want string) error {
	return &FormatError{"byte " + strconv.Itoa(p.base+p.At), p.Found(), want}
}

// tuple spells a shape as Python does: (), (3,), (3, 4).
func tuple(shape []int) string {
	items := make([]string, len(shape))
	for i, d := range shape {
		items[i] = strconv.Itoa(d)
	}
	if len(items) == 1 {
		return "(" + items[0] + ",)"
	}
	return "(" + strings.Join(items, ", ") + ")"
}

// encodeHeader returns the start of a version 1.0 file, up to the elements, as
// numpy pads it: room for the first axis to grow to 21 digits, then 1 to 64
// spaces up to the alignment, then a newline.
func encodeHeader(t Type, shape []int) []byte {
	order := "<"
	if types[t].code[1] == '1' {
		order = "|"
	}
	text := "{'descr': '" + order + types[t].code + "', 'fortran_order': False, 'shape': " + tuple(shape) + ", }"
	if len(shape) > 0 {
		text += strings.Repeat(" ", growth-len(strconv.Itoa(shape[0])))
	}
	const prefix = len(magic) + 4
	text += strings.Repeat(" ", alignment-(prefix+len(text)+1)%alignment) + "\n"
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}
