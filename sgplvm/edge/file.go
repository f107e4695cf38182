package edge

import "github.com/seed-08962ecc/kronfield/internal/text"

// A file is a header of four numbers, of 8 bytes each, the lowest byte first like all numbers: magic, version, length of
// the whole file in bytes, checksum of what follows. Then come the fields of Contents in the order of Contents.visit: numbers,
// lists after their length, texts and tables filled up to a multiple of 8 bytes.
const (
	magic       = 0x454744454e4f524b // "KRONEDGE"
	version     = 5
	headerBytes = 32
)

// checksum mixes words by the multiplications of FNV-1a; each word's upper half is folded down first.
func checksum(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for ; len(b) >= 8; b = b[8:] {
		v := le64(b)
		h = (h ^ v ^ v>>32) * 1099511628211
		h ^= h >> 29
	}
	return h
}

// Encode returns the file of a compiled model with tables of a type. It panics if contents do not go together.
func Encode(c *Contents, kind Type) []byte {
	if why := c.validate(); why != "" {
		panic("edge: Encode: " + why)
	}
	w := &writer{kind: kind, b: make([]byte, headerBytes)}
	c.visit(w)
	header := append64(append64(append64(append64(nil, magic), version), uint64(len(w.b))), checksum(w.b[headerBytes:]))
	copy(w.b, header)
	return w.b
}

type writer struct {
	kind Type
	b    []byte
}

func (w *writer) integer(v *int) { w.b = append64(w.b, uint64(int64(*v))) }

func (w *writer) flag(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	w.integer(&n)
}

func (w *writer) number(v *float64) { w.b = appendNumber(w.b, Float64, *v) }

func (w *writer) count(n int) int {
	w.integer(&n)
	return n
}

func (w *writer) numbers(v *[]float64) {
	w.count(len(*v))
	for i := range *v {
		w.number(&(*v)[i])
	}
}

func (w *writer) label(v *string) {
	w.count(len(*v))
	w.b = append(w.b, *v...)
	w.fill()
}

func (w *writer) fill() {
	for len(w.b)%8 != 0 {
		w.b = append(w.b, 0)
	}
}

func (w *writer) table(v *Table, shortest Type) {
	kind := int(w.kind)
	if w.kind == Float16 {
		kind = int(shortest)
	}
	if v.kind.bytes() < Type(kind).bytes() {
		kind = int(v.kind) // it has no more
	}
	for _, n := range []*int{&v.rows, &v.cols, &kind} {
		w.integer(n)
	}
	w.flag(&v.lower)
	t := v.as(Type(kind))
	w.b = append(w.b, t.data...)
	w.fill()
}

// decode reads a file, of which the contents' tables are views. Nothing is allocated that is larger than the file.
// Errors: *VersionError, *FormatError.
func decode(file []byte) (*Contents, error) {
	if len(file) < headerBytes || le64(file) != magic {
		return nil, &FormatError{0, "expected the beginning of a compiled model"}
	}
	if v := le64(file[8:]); v != version {
		return nil, &VersionError{v, version}
	}
	if n := le64(file[16:]); n != uint64(len(file)) || n%8 != 0 {
		return nil, &FormatError{16, text.Sprintf("a file of %d bytes, expected %d", len(file), n)}
	}
	if le64(file[24:]) != checksum(file[headerBytes:]) {
		return nil, &FormatError{24, "the checksum is not that of the file, which is damaged"}
	}
	r, c := &reader{file: file, at: headerBytes}, new(Contents)
	c.visit(r)
	if r.err == nil && r.at != len(file) {
		r.fail(text.Sprintf("%d bytes too many", len(file)-r.at))
	}
	if r.err == nil {
		if why := c.validate(); why != "" {
			r.fail(why)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return c, nil
}

// A reader keeps its first error; what it gives then does not count.
type reader struct {
	file []byte
	at   int
	err  error
}

func (r *reader) fail(reason string) {
	if r.err == nil {
		r.err = &FormatError{r.at, reason}
	}
}

// take returns the next bytes, nil if there are not as many.
func (r *reader) take(n int64) []byte {
	if r.err != nil || n > int64(len(r.file)-r.at) {
		r.fail("the file ends too early")
		return nil
	}
	b := r.file[r.at : r.at+int(n) : r.at+int(n)]
	r.at += int(n)
	return b
}

func (r *reader) word() uint64 {
	b := r.take(8)
	if b == nil {
		return 0
	}
	return le64(b)
}

func (r *reader) integer(v *int) {
	w := r.word()
	if w > most {
		r.fail(text.Sprintf("the size %d, expected at most %d", w, most))
		w = 0
	}
	*v = int(w)
}

func (r *reader) flag(v *bool) {
	var n int
	r.integer(&n)
	if n > 1 {
		r.fail("expected 0 or 1")
	}
	*v = n == 1
}

func (r *reader) number(v *float64) {
	t := Table{data: r.take(8)}
	if t.data != nil {
		*v = t.at(0)
	}
}

// count reads how many things follow, each of 8 bytes at least.
func (r *reader) count(int) int {
	var n int
	r.integer(&n)
	if n > (len(r.file)-r.at)/8 {
		r.fail("the file ends too early")
		return 0
	}
	return n
}

func (r *reader) numbers(v *[]float64) {
	*v = make([]float64, r.count(0))
	t := Table{rows: 1, cols: len(*v), data: r.take(8 * int64(len(*v)))}
	if r.err == nil {
		t.row(*v, 0, 0)
	}
}

func (r *reader) label(v *string) {
	var n int
	r.integer(&n)
	if b := r.take((int64(n) + 7) &^ 7); b != nil {
		*v = string(b[:n])
	}
}

func (r *reader) table(v *Table, _ Type) {
	var kind int
	for _, n := range []*int{&v.rows, &v.cols, &kind} {
		r.integer(n)
	}
	r.flag(&v.lower)
	if kind > int(float24) || v.lower && v.rows != v.cols {
		r.fail("a table of an unknown kind")
		return
	}
	v.kind = Type(kind)
	numbers := int64(v.rows) * int64(v.cols)
	if v.lower {
		numbers = int64(v.rows) * (int64(v.rows) + 1) / 2
	}
	v.data = r.take((numbers*int64(v.kind.bytes()) + 7) &^ 7)
}
