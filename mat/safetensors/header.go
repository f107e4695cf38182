package safetensors

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/internal/raw"
)

// ChecksumKey is the metadata key of the checksum. It belongs to this package:
// [Read] takes the entry out of the metadata and [Write] refuses metadata that
// has it.
const ChecksumKey = "kronfield.sha256"

const (
	metadataKey = "__metadata__"
	maxAxes     = 64 // as in numpy
	digits      = 64 // of a checksum
)

// maxHeader is the length of the longest header, in bytes: room for 100,000 tensors,
// which takes half a second and at most 120 MB to read. (The reference implementation
// allows ten times as much; files of large language models have some 100 KB.) Tests set it.
var maxHeader = 10_000_000

// header is the parsed header.
type header struct {
	metadata map[string]string
	entries  []entry
	sum      string // the checksum's digits; "" if there is none
	sumAt    int    // where they stand in the header
}

// entry is a tensor as the header describes it.
type entry struct {
	name       string
	shape      []int
	begin, end int // bytes of the data
	typ        dtype
}

// parseHeader parses the header and checks that its tensors fill the data from
// the first byte without gap or overlap. The entries are in the order of the
// data.
func parseHeader(text string) (*header, error) {
	p := parser{raw.Scanner{Text: text}}
	if !utf8.ValidString(text) {
		return nil, &FormatError{"header", "a byte sequence that is not UTF-8", "JSON in UTF-8"}
	}
	if text == "" || text[0] != '{' {
		return nil, p.fail("'{'")
	}
	// Each tensor takes one member "data_offsets", so this is enough.
	h := &header{entries: make([]entry, 0, strings.Count(text, `"data_offsets"`))}
	if err := p.object(func(key string) error {
		if key == metadataKey {
			return p.metadata(h)
		}
		e, err := p.entry(key)
		h.entries = append(h.entries, e)
		return err
	}); err != nil {
		return nil, err
	}
	if p.Space(); p.At < len(text) {
		return nil, p.fail("nothing but blanks after the object")
	}
	if err := h.unique(); err != nil {
		return nil, err
	}
	return h, h.contiguous()
}

// unique refuses a name that occurs twice.
func (h *header) unique() error {
	names := make([]string, len(h.entries))
	for i, e := range h.entries {
		names[i] = e.name
	}
	slices.Sort(names)
	for i := 1; i < len(names); i++ {
		if names[i] == names[i-1] {
			return &FormatError{"header", "tensor " + quote.Text(names[i]) + " twice", "each name once"}
		}
	}
	return nil
}

// contiguous puts the entries in the order of their data and refuses gaps and
// overlaps.
func (h *header) contiguous() error {
	sort.SliceStable(h.entries, func(i, j int) bool {
		a, b := &h.entries[i], &h.entries[j]
		return a.begin < b.begin || a.begin == b.begin && a.end < b.end
	})
	at := 0
	for _, e := range h.entries {
		if e.begin != at {
			return &FormatError{"tensor " + quote.Text(e.name), "data from byte " + strconv.Itoa(e.begin),
				strconv.Itoa(at) + " (tensors neither overlap nor leave gaps)"}
		}
		at = e.end
	}
	return nil
}

// A parser reads the header: the JSON of this format and nothing more.
type parser struct{ raw.Scanner }

// metadata parses the dictionary of strings.
func (p *parser) metadata(h *header) error {
	if h.metadata != nil {
		return &FormatError{"header", quote.Text(metadataKey) + " twice", "one"}
	}
	h.metadata = map[string]string{}
	return p.object(func(key string) error {
		p.Space()
		start := p.At + 1
		value, err := p.str("a string")
		if err != nil {
			return err
		}
		if _, ok := h.metadata[key]; ok || key == ChecksumKey && h.sum != "" {
			return &FormatError{metadataKey, "key " + quote.Text(key) + " twice", "each key once"}
		}
		if key != ChecksumKey {
			h.metadata[key] = value
			return nil
		}
		// Escapes would make the raw text longer than the digits.
		if len(value) != digits || strings.Trim(value, "0123456789abcdef") != "" || p.At-1-start != digits {
			return &FormatError{metadataKey + " " + quote.Text(key), quote.Text(value),
				strconv.Itoa(digits) + " hexadecimal digits in lower case"}
		}
		h.sum, h.sumAt = value, start
		return nil
	})
}

// entry parses the description of a tensor.
func (p *parser) entry(name string) (entry, error) {
	e := entry{name: name, begin: -1}
	fail := func(found, want string) error {
		return &FormatError{"tensor " + quote.Text(name), found, want}
	}
	err := p.object(func(key string) (err error) {
		switch {
		case key == "dtype" && e.typ == 0:
			var typ string
			if typ, err = p.str("the name of a type"); err != nil {
				return err
			}
			if e.typ = typeNamed(typ); e.typ == 0 {
				return fail("type "+quote.Text(typ), "F64, F32, F16, BF16, I64, I32 or U8")
			}
			return nil
		case key == "shape" && e.shape == nil:
			e.shape, err = p.ints()
			return err
		case key == "data_offsets" && e.begin < 0:
			v, err := p.ints()
			if err != nil {
				return err
			}
			if len(v) != 2 || v[0] > v[1] {
				return fail("data_offsets "+quote.Line(list(v)), "[begin,end] with begin ≤ end")
			}
			e.begin, e.end = v[0], v[1]
			return nil
		}
		return fail("key "+quote.Text(key), "dtype, shape and data_offsets, once each")
	})
	if err != nil {
		return e, err
	}
	if e.typ == 0 || e.shape == nil || e.begin < 0 {
		return e, fail("a key missing", "dtype, shape and data_offsets, once each")
	}
	size, ok := raw.Size(e.shape, e.typ.size())
	if !ok {
		return e, fail(fmt.Sprintf("shape %s of %v", quote.Line(list(e.shape)), e.typ), fmt.Sprintf("at most %d bytes", math.MaxInt))
	}
	if size != e.end-e.begin {
		return e, fail(strconv.Itoa(e.end-e.begin)+" bytes of data", fmt.Sprintf("%d for shape %s of %v", size, quote.Line(list(e.shape)), e.typ))
	}
	return e, nil
}

// object parses an object; member parses the value of each key.
func (p *parser) object(member func(key string) error) error {
	if !p.Take('{') {
		return p.fail("'{'")
	}
	if p.Take('}') {
		return nil
	}
	for {
		key, err := p.str("a quoted key")
		if err != nil {
			return err
		}
		if !p.Take(':') {
			return p.fail("':'")
		}
		if err := member(key); err != nil {
			return err
		}
		if p.Take('}') {
			return nil
		}
		if !p.Take(',') {
			return p.fail("',' or '}'")
		}
	}
}

// ints parses an array of non-negative integers, no more than a shape has axes.
func (p *parser) ints() ([]int, error) {
	v := []int{}
	if !p.Take('[') {
		return nil, p.fail("'['")
	}
	if p.Take(']') {
		return v, nil
	}
	for {
		if len(v) == maxAxes {
			return nil, p.fail(fmt.Sprintf("at most %d axes", maxAxes))
		}
		d, err := p.integer()
		if err != nil {
			return nil, err
		}
		v = append(v, d)
		if p.Take(']') {
			return v, nil
		}
		if !p.Take(',') {
			return nil, p.fail("',' or ']'")
		}
	}
}

// integer parses a non-negative integer.
func (p *parser) integer() (int, error) {
	p.Space()
	start, end := p.At, p.At
	for end < len(p.Text) && '0' <= p.Text[end] && p.Text[end] <= '9' {
		end++
	}
	d, err := strconv.Atoi(p.Text[start:end])
	if err != nil || p.Text[start] == '0' && end > start+1 {
		return 0, p.fail(fmt.Sprintf("an integer from 0 to %d", math.MaxInt))
	}
	p.At = end
	return d, nil
}

// str parses a string.
func (p *parser) str(want string) (string, error) {
	p.Space()
	start := p.At
	if !p.Take('"') {
		return "", p.fail(want)
	}
	escaped := false
	for p.At < len(p.Text) && p.Text[p.At] != '"' {
		if p.Text[p.At] == '\\' {
			escaped = true
			p.At++
		}
		p.At++
	}
	if p.At >= len(p.Text) {
		p.At = start
		return "", p.fail("a string with an end")
	}
	p.At++
	raw := p.Text[start:p.At]
	if !escaped && strings.IndexFunc(raw, func(r rune) bool { return r < ' ' }) < 0 {
		return raw[1 : len(raw)-1], nil
	}
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		p.At = start
		return "", p.fail("a string without control characters and unknown escapes")
	}
	if loneSurrogate(raw) {
		p.At = start
		return "", p.fail("a string whose surrogates are pairs")
	}
	return s, nil
}

// loneSurrogate reports whether a valid JSON string has an escape that is half of a
// pair of UTF-16 without the other half: no text has it, and decoders take it for the
// same character as any other.
func loneSurrogate(raw string) bool {
	// unit returns the code of the escape \uXXXX at i, 0 if there is none.
	unit := func(i int) rune {
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
			return 0
		}
		v, _ := strconv.ParseUint(raw[i+2:i+6], 16, 16)
		return rune(v)
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if r := unit(i); utf16.IsSurrogate(r) {
			if utf16.DecodeRune(r, unit(i+6)) == unicode.ReplacementChar {
				return true
			}
			i += 6
		}
		i++ // what is escaped
	}
	return false
}

// fail reports what stands at the current byte, counted from the start
// of the file.
func (p *parser) fail(want string) error {
	return &FormatError{"byte " + strconv.Itoa(8+p.At), p.Found(), want}
}
