package table

import (
	"bufio"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// An encoding is that of a file.
type encoding int

const (
	plain encoding = iota // UTF-8, or another one in which ASCII is ASCII
	littleEndian
	bigEndian
)

const mark = "\uFEFF"

// decode returns a file's text as UTF-8. What is not UTF-16 stays as it is.
func decode(file string) (text string, e encoding, err error) {
	if e = encodingOf(file); e == plain {
		if strings.IndexByte(file, 0) >= 0 {
			return "", e, &Error{Found: "a byte 0", Want: "a table of text"}
		}
		return file, e, nil
	}
	if len(file)%2 != 0 {
		return "", e, &Error{Found: "UTF-16 of an odd number of bytes", Want: "a whole file"}
	}
	var b strings.Builder
	b.Grow(len(file) / 2)
	for i := 0; i < len(file); i += 2 {
		r := rune(e.unit(file[i:]))
		if utf16.IsSurrogate(r) {
			low := utf8.RuneError
			if i+4 <= len(file) {
				low = rune(e.unit(file[i+2:]))
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return "", e, &Error{Found: "UTF-16 with half a character", Want: "a table of text"}
			}
			i += 2
		}
		b.WriteRune(r)
	}
	return b.String(), e, nil
}

// unit is the first UTF-16 code unit of s.
func (e encoding) unit(s string) uint16 {
	if e == bigEndian {
		return uint16(s[0])<<8 | uint16(s[1])
	}
	return uint16(s[1])<<8 | uint16(s[0])
}

// encodingOf tells UTF-16 by its mark, or by the zeros in every other byte.
func encodingOf(file string) encoding {
	switch start := file[:min(len(file), 256)&^1]; {
	case strings.HasPrefix(start, "\xff\xfe"):
		return littleEndian
	case strings.HasPrefix(start, "\xfe\xff"):
		return bigEndian
	default:
		var zeros [2]int
		for i := range start {
			if start[i] == 0 {
				zeros[i%2]++
			}
		}
		if 5*zeros[1] > 2*len(start) && zeros[0] == 0 {
			return littleEndian
		}
		if 5*zeros[0] > 2*len(start) && zeros[1] == 0 {
			return bigEndian
		}
		return plain
	}
}

// A writer encodes text.
type writer struct {
	*bufio.Writer
	encoding
}

func newWriter(w io.Writer, e encoding) *writer { return &writer{bufio.NewWriterSize(w, 1<<16), e} }

// text writes UTF-8 in the file's encoding. An error is that of Flush, too.
func (w *writer) text(s string) {
	if w.encoding == plain {
		w.WriteString(s)
		return
	}
	for _, r := range s {
		units := [2]rune{r, -1}
		if r > 0xffff {
			units[0], units[1] = utf16.EncodeRune(r)
		}
		for _, u := range units {
			switch {
			case u < 0:
			case w.encoding == littleEndian:
				w.WriteByte(byte(u))
				w.WriteByte(byte(u >> 8))
			default:
				w.WriteByte(byte(u >> 8))
				w.WriteByte(byte(u))
			}
		}
	}
}

// end returns where the last row of a text ends: rows of nothing at the end are none.
func (d dialect) end(text string) int {
	n := len(strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == rune(d.separator) && r != 0 }))
	if rest := strings.IndexAny(text[n:], "\r\n"); rest >= 0 {
		return n + rest
	}
	return len(text)
}
