package points

import (
	"slices"
	"strconv"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// A file is a header of four numbers, of 8 bytes each, the lowest byte first like all numbers: magic, version, length of
// the whole file in bytes, checksum of what follows. Then come the engine's name, the names of what a reader needs to know, and the fields of Contents in the order of Contents.visit: numbers,
// lists after their length and the shortest type that has them as they are, texts after their length, lists, texts and tables filled up to a multiple of 8 bytes.
// Optional sections are last, each a name, its length in bytes and its fields: a reader skips those it does not know.
const (
	magic       = 0x454744454e4f524b // "KRONEDGE"
	headerBytes = 32
)

// Version is that of compiled files, of which a program reads all, and engine the name of what computes from them.
const (
	Version = 9
	engine  = "kronfield/points"
)

// needPart is what a reader needs to know of a model with a part in time.
const needPart = "part in time"

// A FileError says why a file is no compiled model: it is of another version, where Version is not 0, needs what is not known here, where Need is something, or something else from an offset in bytes.
type FileError struct {
	Version uint64
	Need    string
	Offset  int
	Reason  string // what was found, and what was expected
}

func (e *FileError) Error() string { return e.Reason }

// checksum mixes words by the multiplications of FNV-1a; each word's upper half is folded down first. Every fourth word is of the same of four sums, which need not
// wait for one another, and then these are mixed.
func checksum(b []byte) uint64 {
	const start = 14695981039346656037
	var sums [4]uint64
	for k := range sums {
		sums[k] = start + uint64(k)
	}
	for ; len(b) >= 32; b = b[32:] {
		sums[0] = mixed(sums[0], le64(b))
		sums[1] = mixed(sums[1], le64(b[8:]))
		sums[2] = mixed(sums[2], le64(b[16:]))
		sums[3] = mixed(sums[3], le64(b[24:]))
	}
	h := uint64(start)
	for _, v := range sums {
		h = mixed(h, v)
	}
	for ; len(b) >= 8; b = b[8:] {
		h = mixed(h, le64(b))
	}
	return h
}

func mixed(h, v uint64) uint64 {
	h = (h ^ v ^ v>>32) * 1099511628211
	return h ^ h>>29
}

// Encode returns the file of a compiled model, with tables as they are. It panics if contents do not go together.
func Encode(c *Contents) []byte {
	if why := c.validate(); why != "" {
		panic("points: Encode: " + why)
	}
	w := &writer{b: make([]byte, headerBytes)}
	w.contents(c)
	return w.sealed(magic)
}

// sealed returns the file, which begins with room for its header.
func (w *writer) sealed(magic uint64) []byte {
	header := append64(append64(append64(append64(nil, magic), Version), uint64(len(w.b))), checksum(w.b[headerBytes:]))
	copy(w.b, header)
	return w.b
}

// contents writes all that follows the header.
func (w *writer) contents(c *Contents) {
	name, needs := engine, []string(nil)
	if c.Time.Variance > 0 {
		needs = append(needs, needPart)
	}
	w.label(&name)
	w.count(len(needs))
	for i := range needs {
		w.label(&needs[i])
	}
	c.visit(w)
	w.sections(c)
}

// A section is fields that a reader may skip.
type section struct {
	name  string
	visit func(*Contents, codec)
	empty func(*Contents) bool
}

var sections = [...]section{
	{"about", (*Contents).visitAbout, func(c *Contents) bool { return c.About == About{} }},
	{"calibration", (*Contents).visitCalibration, func(c *Contents) bool { return c.Calibration == nil }},
	{"partly", (*Contents).visitPartly, func(c *Contents) bool { return c.Partly == nil }},
	{"alarms", (*Contents).visitAlarms, func(c *Contents) bool { return len(c.Scores) == 0 && c.Innovations.rows == 0 }},
	{"learning", (*Contents).visitLearning, func(c *Contents) bool { return c.Learning.Sums.rows == 0 }},
}

func (w *writer) sections(c *Contents) {
	var all []section
	for _, s := range sections {
		if !s.empty(c) {
			all = append(all, s)
		}
	}
	w.count(len(all))
	for _, s := range all {
		w.label(&s.name)
		own := new(writer)
		s.visit(c, own)
		w.count(len(own.b))
		w.b = append(w.b, own.b...)
	}
}

type writer struct{ b []byte }

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
	kind := int(shortest(*v))
	w.integer(&kind)
	for _, x := range *v {
		w.b = appendNumber(w.b, Type(kind), x)
	}
	w.fill()
}

// shortest returns the type of the fewest bytes that has numbers as they are.
func shortest(v []float64) Type {
	for _, kind := range []Type{Float16, Float32} {
		exact := func(x float64) bool {
			t := Table{kind: kind, data: appendNumber(nil, kind, x)}
			return t.at(0) == x
		}
		if !slices.ContainsFunc(v, func(x float64) bool { return !exact(x) }) {
			return kind
		}
	}
	return Float64
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

func (w *writer) table(v *Table) {
	kind := int(v.kind)
	for _, n := range []*int{&v.rows, &v.cols, &kind} {
		w.integer(n)
	}
	w.flag(&v.lower)
	w.b = append(w.b, v.data[:v.numbers()*v.kind.bytes()]...)
	w.fill()
}

// newReader checks the header of a file.
func newReader(file []byte, magic uint64, reason string) (*reader, *FileError) {
	if len(file) < headerBytes || le64(file) != magic {
		return nil, &FileError{Reason: reason}
	}
	if v := le64(file[8:]); v != Version {
		return nil, &FileError{Version: max(v, 1)}
	}
	if n := le64(file[16:]); n != uint64(len(file)) || n%8 != 0 {
		return nil, &FileError{0, "", 16, text.Sprintf("a file of %d bytes, expected %d", len(file), n)}
	}
	if le64(file[24:]) != checksum(file[headerBytes:]) {
		return nil, &FileError{0, "", 24, "the checksum is not that of the file, which is damaged"}
	}
	return &reader{file: file, at: headerBytes}, nil
}

// Decode reads a file, of which the contents' tables are views. Nothing is allocated that is larger than the file.
func Decode(file []byte) (*Contents, *FileError) {
	r, err := newReader(file, magic, "expected the beginning of a compiled model")
	if err != nil {
		return nil, err
	}
	c := new(Contents)
	r.needs()
	c.visit(r)
	r.sections(c)
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
	err  *FileError
}

//go:noinline
func (r *reader) fail(reason string) {
	if r.err == nil {
		r.err = &FileError{0, "", r.at, reason}
	}
}

// needs reads the engine's name and what a reader needs to know.
func (r *reader) needs() {
	var name string
	r.label(&name)
	for range r.count(0) {
		if r.label(&name); name != needPart && r.err == nil {
			r.err = &FileError{Need: name, Offset: r.at, Reason: text.Sprintf("a reader that knows of %s", strconv.Quote(name[:min(len(name), 40)]))}
		}
	}
}

// sections reads those that are known.
func (r *reader) sections(c *Contents) {
	for range r.count(0) {
		var name string
		r.label(&name)
		n := r.few(1)
		from := r.at
		b := r.take(int64(n))
		for _, s := range sections {
			if s.name == name && b != nil {
				own := &reader{file: r.file[:from+n], at: from}
				if s.visit(c, own); own.err == nil && own.at != from+n {
					own.fail("a section that goes on")
				}
				r.err = own.err
			}
		}
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
func (r *reader) count(int) int { return r.few(8) }

// few reads how many things follow, each of some bytes at least.
func (r *reader) few(bytes int) int {
	var n int
	r.integer(&n)
	if n > (len(r.file)-r.at)/bytes {
		r.fail("the file ends too early")
		return 0
	}
	return n
}

func (r *reader) numbers(v *[]float64) {
	n := r.few(Float16.bytes())
	t := Table{rows: 1, cols: n}
	r.kind(&t)
	t.data = r.take(filled(int64(n), t.kind))
	if r.err == nil {
		*v = make([]float64, n)
		t.row(*v, 0, 0)
	}
}

// kind reads how the numbers of a table are stored.
func (r *reader) kind(t *Table) {
	var kind int
	r.integer(&kind)
	if kind > int(Float16) {
		r.fail("a table of an unknown kind")
		return
	}
	t.kind = Type(kind)
}

// filled returns how many bytes numbers take, filled up.
func filled(numbers int64, kind Type) int64 { return (numbers*int64(kind.bytes()) + 7) &^ 7 }

func (r *reader) label(v *string) {
	var n int
	r.integer(&n)
	if b := r.take((int64(n) + 7) &^ 7); b != nil {
		*v = string(b[:n])
	}
}

func (r *reader) table(v *Table) {
	r.integer(&v.rows)
	r.integer(&v.cols)
	r.kind(v)
	r.flag(&v.lower)
	if v.lower && v.rows != v.cols {
		r.fail("a triangle that is not square")
		return
	}
	numbers := int64(v.rows) * int64(v.cols)
	if v.lower {
		numbers = int64(v.rows) * (int64(v.rows) + 1) / 2
	}
	v.data = r.take(filled(numbers, v.kind))
}
