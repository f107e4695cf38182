package netcdf

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// Limits of a header, those of the reference library or more.
const (
	maxName       = 256  // bytes
	maxList       = 8192 // dimensions, variables, attributes of one of them
	maxDimensions = 1024 // of a variable
)

// ErrNetCDF4 is the Err of the [*FormatError] about a NetCDF-4 file, which is an HDF5 file.
var ErrNetCDF4 = errors.New("a NetCDF-4 (HDF5) file")

// FormatError reports a file that is not the classic NetCDF file it should be.
type FormatError struct {
	Place string // where: "variable 2 (sst): byte 340", ...
	Found string // what stands there
	Want  string // what was expected
	Err   error  // ErrNetCDF4, or nil
}

// Error returns one line that names the place, what stands there and what was expected.
func (e *FormatError) Error() string {
	return "netcdf: " + e.Place + ": found " + e.Found + ", expected " + e.Want
}

// Unwrap returns Err.
func (e *FormatError) Unwrap() error { return e.Err }

// in names the place of an error more widely.
func in(err error, format string, args ...any) error {
	if f, ok := errors.AsType[*FormatError](err); ok {
		f.Place = fmt.Sprintf(format, args...) + ": " + f.Place
	}
	return err
}

// A parser reads a header.
type parser struct {
	r       *bufio.Reader
	at      int64 // of the next byte
	size    int64 // of the file
	version Version
	scratch [maxName + 4]byte
}

// Signatures of files. HDF5 may have others in front of it, of 512 bytes, 1024, 2048, …
const (
	magic     = "CDF"
	magicHDF5 = "\x89HDF\r\n\x1a\n"
)

// IsFile tells whether a file begins as a NetCDF file does, of a version that is read or NetCDF-4.
func IsFile(start []byte) bool {
	s := string(start)
	return strings.HasPrefix(s, magicHDF5) || len(s) > 3 && strings.HasPrefix(s, magic) && strings.Contains("\x01\x02\x05", s[3:4])
}

// readHeader reads the header and the places of the values as they stand there.
func readHeader(r io.ReaderAt, size int64) (*Header, layout, error) {
	p := &parser{r: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<15), size: size}
	h := new(Header)
	records, err := p.start(r, h)
	if err != nil {
		return nil, layout{}, err
	}
	if h.Dimensions, err = p.dimensions(); err != nil {
		return nil, layout{}, err
	}
	if h.Attributes, err = p.attributes(); err != nil {
		return nil, layout{}, err
	}
	begin, err := p.variables(h)
	if err != nil {
		return nil, layout{}, err
	}
	p.setRecords(h, records, begin)
	l, bad := newLayout(h)
	if bad >= 0 {
		return nil, layout{}, p.fail(variablePlace(bad, h.Variables[bad].Name), "dimensions of "+quote.Shape(h.Shape(bad)), fmt.Sprintf("at most %d bytes", math.MaxInt))
	}
	l.begin = begin
	return h, l, l.check(h, p.at, size)
}

func variablePlace(v int, name string) string {
	return fmt.Sprintf("variable %d (%s)", v, quote.Line(name))
}

func (p *parser) fail(place, found, want string) error {
	return &FormatError{Place: place, Found: found, Want: want}
}

// here names the byte that lies n before the next.
func (p *parser) here(n int) string { return "byte " + strconv.FormatInt(p.at-int64(n), 10) }

// read sets b to the next bytes.
func (p *parser) read(b []byte) error {
	n, err := io.ReadFull(p.r, b)
	p.at += int64(n)
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return p.fail("byte "+strconv.FormatInt(p.at, 10), "the end of the file", "more of the header (the file is truncated)")
	case err != nil:
		return fmt.Errorf("netcdf: reading the header: %w", err)
	}
	return nil
}

// streaming is a number of records that is not told.
const streaming = -1

// start reads up to the number of records.
func (p *parser) start(r io.ReaderAt, h *Header) (records int64, err error) {
	b := p.scratch[:4]
	if n, _ := io.ReadFull(p.r, b); n < 4 || string(b[:3]) != magic || !strings.Contains("\x01\x02\x05", string(b[3:])) {
		var other [len(magicHDF5)]byte
		for at := int64(0); at < min(p.size, 1<<20); at = max(2*at, 512) {
			if n, _ := r.ReadAt(other[:], at); string(other[:n]) == magicHDF5 {
				return 0, &FormatError{Place: "signature", Found: "that of NetCDF-4 (HDF5)", Want: "a classic file, as nccopy -k cdf5 FILE NEW.nc makes it", Err: ErrNetCDF4}
			}
		}
		return 0, p.fail("signature", quote.Text(string(b[:n])), `"CDF\x01", "CDF\x02" or "CDF\x05"`)
	}
	p.at, p.version = 4, Version(b[3])
	h.Version = p.version
	wide := p.wide()
	if err := p.read(p.scratch[:wide]); err != nil {
		return 0, err
	}
	if records = p.number(wide); records == streaming {
		return streaming, nil
	}
	return p.checked(records, wide, "records", p.most())
}

// wide returns the bytes of a count.
func (p *parser) wide() int {
	if p.version == Data64 {
		return 8
	}
	return 4
}

// most is the largest count.
func (p *parser) most() int64 {
	if p.version == Data64 {
		return math.MaxInt
	}
	return math.MaxInt32
}

// number is the signed number in the scratch.
func (p *parser) number(bytes int) int64 {
	if bytes == 8 {
		return int64(binary.BigEndian.Uint64(p.scratch[:]))
	}
	return int64(int32(binary.BigEndian.Uint32(p.scratch[:])))
}

// count reads a number from 0 to most.
func (p *parser) count(what string, most int64) (int, error) {
	wide := p.wide()
	if err := p.read(p.scratch[:wide]); err != nil {
		return 0, err
	}
	n, err := p.checked(p.number(wide), wide, what, most)
	return int(n), err
}

func (p *parser) checked(n int64, wide int, what string, most int64) (int64, error) {
	if n < 0 || n > most {
		return 0, p.fail(p.here(wide), fmt.Sprintf("%d %s", n, what), fmt.Sprintf("0 to %d", most))
	}
	return n, nil
}

// The tags of lists.
const (
	tagDimensions = 10
	tagVariables  = 11
	tagAttributes = 12
)

// list reads the tag and the length of a list, whose items have least bytes or more each.
func (p *parser) list(tag int64, what string, least int64) (int, error) {
	if err := p.read(p.scratch[:4]); err != nil {
		return 0, err
	}
	found := p.number(4)
	if found != tag && found != 0 {
		return 0, p.fail(p.here(4), fmt.Sprintf("the tag %d", found), fmt.Sprintf("%d, of %s, or 0", tag, what))
	}
	n, err := p.count(what, maxList)
	switch {
	case err != nil:
		return 0, err
	case found == 0 && n > 0:
		return 0, p.fail(p.here(p.wide()), fmt.Sprintf("%d %s without their tag", n, what), fmt.Sprintf("the tag %d", tag))
	case int64(n) > (p.size-p.at)/least:
		return 0, p.fail(p.here(p.wide()), fmt.Sprintf("%d %s in the last %d bytes", n, what, p.size-p.at), fmt.Sprintf("at least %d bytes for each (the file is truncated)", least))
	}
	return n, nil
}

// name reads a name.
func (p *parser) name() (string, error) {
	n, err := p.count("bytes of a name", maxName)
	if err != nil {
		return "", err
	}
	all := int(padded(int64(n)))
	if err := p.read(p.scratch[:all]); err != nil {
		return "", err
	}
	if err := checkName(string(p.scratch[:n])); err != nil {
		return "", p.fail(p.here(all), quote.Text(string(p.scratch[:n])), err.Error())
	}
	return string(p.scratch[:n]), nil
}

// checkName says what is wrong with a name.
func checkName(name string) error {
	switch {
	case name == "" || len(name) > maxName:
		return fmt.Errorf("a name of 1 to %d bytes", maxName)
	case !utf8.ValidString(name):
		return errors.New("a name in UTF-8")
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '/' || r == 0x7f }) || name[0] == ' ' || name[len(name)-1] == ' ':
		return errors.New("a name without control characters, slashes and blanks at its ends")
	}
	return nil
}

func (p *parser) dimensions() ([]Dimension, error) {
	n, err := p.list(tagDimensions, "dimensions", 12)
	if err != nil {
		return nil, err
	}
	all := make([]Dimension, n)
	records := false
	for i := range all {
		if err := p.dimension(&all[i]); err != nil {
			return nil, in(err, "dimension %d", i)
		}
		if all[i].Record && records {
			return nil, p.fail(fmt.Sprintf("dimension %d (%s)", i, quote.Line(all[i].Name)), "a second dimension of length 0", "one, that of the records")
		}
		records = records || all[i].Record
	}
	return all, unique(len(all), "dimension", func(i int) string { return all[i].Name })
}

func (p *parser) dimension(d *Dimension) (err error) {
	if d.Name, err = p.name(); err != nil {
		return err
	}
	wide := p.wide()
	if err := p.read(p.scratch[:wide]); err != nil {
		return err
	}
	n, most := p.number(wide), p.most()
	if p.version == Offset64 {
		n, most = int64(uint32(n)), min(math.MaxUint32-3, math.MaxInt)
	}
	n, err = p.checked(n, wide, "as the length of a dimension", most)
	d.Length, d.Record = int(n), n == 0
	return err
}

func (p *parser) attributes() ([]Attribute, error) {
	n, err := p.list(tagAttributes, "attributes", 16)
	if err != nil || n == 0 {
		return nil, err
	}
	all := make([]Attribute, n)
	for i := range all {
		if err := p.attribute(&all[i]); err != nil {
			return nil, in(err, "attribute %d", i)
		}
	}
	return all, unique(len(all), "attribute", func(i int) string { return all[i].Name })
}

func (p *parser) attribute(a *Attribute) (err error) {
	if a.Name, err = p.name(); err != nil {
		return err
	}
	if a.Type, err = p.typ(); err != nil {
		return err
	}
	size := a.Type.Size()
	n, err := p.count("values", p.most())
	if err != nil {
		return err
	}
	if int64(n) > (p.size-p.at)/int64(size) {
		return p.fail(p.here(p.wide()), fmt.Sprintf("%d values of %v in the last %d bytes", n, a.Type, p.size-p.at), "as many as there are (the file is truncated)")
	}
	var s strings.Builder
	s.Grow(n * size)
	for left := n * size; left > 0; {
		b := p.scratch[:min(left, len(p.scratch))]
		if err := p.read(b); err != nil {
			return err
		}
		s.Write(b)
		left -= len(b)
	}
	a.raw = s.String()
	return p.read(p.scratch[:padded(int64(n*size))-int64(n*size)])
}

// typ reads a type.
func (p *parser) typ() (Type, error) {
	if err := p.read(p.scratch[:4]); err != nil {
		return 0, err
	}
	n := p.number(4)
	if n < 0 || n > 255 || !Type(n).valid(p.version) {
		last := 6
		if p.version == Data64 {
			last = 11
		}
		return 0, p.fail(p.here(4), fmt.Sprintf("the type %d", n), fmt.Sprintf("1 to %d in a %v file", last, p.version))
	}
	return Type(n), nil
}

// variables reads the variables and the places of their values.
func (p *parser) variables(h *Header) (begin []int64, err error) {
	n, err := p.list(tagVariables, "variables", 32)
	if err != nil {
		return nil, err
	}
	h.Variables, begin = make([]Variable, n), make([]int64, n)
	for i := range h.Variables {
		if begin[i], err = p.variable(h, &h.Variables[i]); err != nil {
			if name := h.Variables[i].Name; name != "" {
				return nil, in(err, "%s", variablePlace(i, name))
			}
			return nil, in(err, "variable %d", i)
		}
	}
	return begin, unique(n, "variable", func(i int) string { return h.Variables[i].Name })
}

func (p *parser) variable(h *Header, v *Variable) (begin int64, err error) {
	if v.Name, err = p.name(); err != nil {
		return 0, err
	}
	n, err := p.count("dimensions", maxDimensions)
	if err != nil {
		return 0, err
	}
	if int64(n) > (p.size-p.at)/int64(p.wide()) {
		return 0, p.fail(p.here(p.wide()), fmt.Sprintf("%d dimensions in the last %d bytes", n, p.size-p.at), "as many as there are (the file is truncated)")
	}
	v.Dimensions = make([]int, n)
	for k := range v.Dimensions {
		if v.Dimensions[k], err = p.count("as the number of a dimension", int64(len(h.Dimensions))-1); err != nil {
			return 0, err
		}
		if k > 0 && h.Dimensions[v.Dimensions[k]].Record {
			return 0, p.fail(p.here(p.wide()), fmt.Sprintf("the record dimension as number %d", k), "it as the first")
		}
	}
	if v.Attributes, err = p.attributes(); err != nil {
		return 0, err
	}
	if v.Type, err = p.typ(); err != nil {
		return 0, err
	}
	if err := p.read(p.scratch[:p.wide()]); err != nil { // the size, which dimensions and type tell
		return 0, err
	}
	places := 8
	if p.version == Classic {
		places = 4
	}
	if err := p.read(p.scratch[:places]); err != nil {
		return 0, err
	}
	begin = p.number(places)
	if begin < 0 {
		return 0, p.fail(p.here(places), fmt.Sprintf("values from byte %d on", begin), "a place in the file")
	}
	return begin, nil
}

// unique refuses two equal names.
func unique(n int, what string, name func(i int) string) error {
	order := make([]uint16, n) // at most maxList
	for i := range order {
		order[i] = uint16(i)
	}
	slices.SortStableFunc(order, func(i, j uint16) int { return strings.Compare(name(int(i)), name(int(j))) })
	for k := 1; k < n; k++ {
		if i, j := int(order[k-1]), int(order[k]); name(i) == name(j) {
			return &FormatError{Place: fmt.Sprintf("%s %d", what, j), Found: fmt.Sprintf("the name %s of %s %d", quote.Text(name(j)), what, i), Want: "each name once"}
		}
	}
	return nil
}

// setRecords sets the number of records: as the header tells or, of a stream, as many as are whole in the file.
func (p *parser) setRecords(h *Header, records int64, begin []int64) {
	if records == streaming {
		l, bad := newLayout(h) // with no record
		first := p.size
		for i := range h.Variables {
			if h.isRecord(&h.Variables[i]) {
				first = min(first, begin[i])
			}
		}
		if records = 0; bad < 0 && l.step > 0 {
			records = (p.size - first) / l.step
		}
	}
	for i := range h.Dimensions {
		if h.Dimensions[i].Record {
			h.Dimensions[i].Length = int(records)
		}
	}
}

// check refuses values that are outside the file, inside the header, or inside others.
func (l *layout) check(h *Header, header, size int64) error {
	order := make([]uint16, 0, len(h.Variables))
	first := int64(math.MaxInt64) // of all records
	for i := range h.Variables {
		if !h.isRecord(&h.Variables[i]) {
			order = append(order, uint16(i))
		} else if l.records > 0 {
			order = append(order, uint16(i))
			first = min(first, l.begin[i])
		}
	}
	slices.SortStableFunc(order, func(i, j uint16) int { return cmp.Compare(l.begin[i], l.begin[j]) })
	end, before := header, "the header"
	for _, i := range order {
		v := &h.Variables[i]
		fail := func(found, want string) error {
			return &FormatError{Place: variablePlace(int(i), v.Name), Found: found, Want: want}
		}
		last := l.begin[i] + l.slab[i] // both are at most MaxInt64/2 in files that exist
		if l.begin[i] < end {
			return fail(fmt.Sprintf("values from byte %d on", l.begin[i]), fmt.Sprintf("byte %d or later, after %s", end, before))
		}
		if last < 0 || last > size {
			return fail(fmt.Sprintf("%d bytes from byte %d on in a file of %d", l.slab[i], l.begin[i], size), "all values (the file is truncated)")
		}
		if h.isRecord(v) {
			if room := size - last; l.records > 1 && int64(l.records-1) > room/max(l.step, 1) {
				return fail(fmt.Sprintf("%d records of %d bytes from byte %d on in a file of %d", l.records, l.step, l.begin[i], size), "all of them (the file is truncated)")
			}
			if last > first+l.step {
				return fail(fmt.Sprintf("a record up to byte %d", last), fmt.Sprintf("its end before byte %d, where the next begins", first+l.step))
			}
		} else if l.begin[i] > first {
			return fail(fmt.Sprintf("values from byte %d on", l.begin[i]), fmt.Sprintf("a place before the records, which begin at byte %d", first))
		}
		end, before = last, "the values of "+quote.Line(v.Name)
	}
	return nil
}
