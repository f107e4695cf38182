package points

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Type is how a compiled file stores its large tables. Everything is computed in float64, whatever the type.
type Type int

// The types.
const (
	Float64 Type = iota
	Float32
	Float16
)

// String returns f64, f32 or f16.
func (t Type) String() string {
	if t < Float64 || t > Float16 {
		return "unknown type"
	}
	return [...]string{"f64", "f32", "f16"}[t]
}

func (t Type) bytes() int { return bytesOf[t] }

var bytesOf = [...]int{8, 4, 2}

// A Table is a matrix as a file stores it, a view of the file's bytes of which rows are converted when they are asked for; or a view of a matrix of float64.
type Table struct {
	rows, cols int
	kind       Type
	lower      bool // of a symmetric matrix: row i has i+1 numbers
	data       []byte
	whole      []float64 // the matrix, row by row, in place of data
}

// View returns a matrix without gaps as a table, for models that have no file.
func View(a mat.Matrix) Table {
	return Table{rows: a.Rows, cols: a.Cols, whole: a.Data[:a.Rows*a.Cols]}
}

// NewTable returns a table with the elements of a matrix.
func NewTable(a mat.Matrix) Table {
	t := Table{rows: a.Rows, cols: a.Cols, data: make([]byte, 0, 8*a.Rows*a.Cols)}
	for i := range a.Rows {
		for j := range a.Cols {
			t.data = appendNumber(t.data, Float64, a.At(i, j))
		}
	}
	return t
}

// NewLowerTable returns a table with the lower triangle of a symmetric matrix.
func NewLowerTable(a mat.Matrix) Table {
	t := Table{rows: a.Rows, cols: a.Rows, lower: true, data: make([]byte, 0, 4*a.Rows*(a.Rows+1))}
	for i := range a.Rows {
		for j := range i + 1 {
			t.data = appendNumber(t.data, Float64, a.At(i, j))
		}
	}
	return t
}

// numbers returns how many a table of that shape has.
func (t *Table) numbers() int {
	if t.lower {
		return t.rows * (t.rows + 1) / 2
	}
	return t.rows * t.cols
}

// shorter returns the table in a type of fewer bytes, or as it is where it has no more, or nothing.
func (t *Table) shorter(kind Type) Table {
	if t.rows == 0 || t.kind.bytes() <= kind.bytes() {
		return *t
	}
	return t.As(kind)
}

// As returns the table in another type.
func (t *Table) As(kind Type) Table {
	c := Table{rows: t.rows, cols: t.cols, kind: kind, lower: t.lower, data: make([]byte, 0, t.numbers()*kind.bytes())}
	for k := range t.numbers() {
		c.data = appendNumber(c.data, kind, t.at(k))
	}
	return c
}

// at returns number k in the order of rows.
func (t *Table) at(k int) float64 {
	if t.whole != nil {
		return t.whole[k]
	}
	switch t.kind {
	case Float64:
		return math.Float64frombits(le64(t.data[8*k:]))
	case Float32:
		return float64(math.Float32frombits(le32(t.data[4*k:])))
	}
	return asm.Half(le16(t.data[2*k:]))
}

// begin returns the number of the first element of row i.
func (t *Table) begin(i int) int {
	if t.lower {
		return i * (i + 1) / 2
	}
	return i * t.cols
}

// row sets dst to the numbers of row i from column j on.
func (t *Table) row(dst []float64, i, j int) {
	from := t.begin(i) + j
	if t.whole != nil {
		copy(dst, t.whole[from:])
		return
	}
	switch t.kind {
	case Float64:
		asm.FromDouble(dst, t.data[8*from:])
	case Float32:
		asm.FromSingle(dst, t.data[4*from:])
	default:
		asm.FromHalf(dst, t.data[2*from:])
	}
}

// view returns row i, in room where it is converted.
func (t *Table) view(room []float64, i int) []float64 {
	if t.whole != nil {
		return t.whole[i*t.cols:][:t.cols]
	}
	t.row(room[:t.cols], i, 0)
	return room[:t.cols]
}

// pick sets dst to some numbers of row i, those of the columns, an ascending list.
func (t *Table) pick(dst []float64, i int, columns []int) {
	if n := len(columns); n > 0 && columns[n-1]-columns[0] == n-1 {
		t.row(dst, i, columns[0])
		return
	}
	from := t.begin(i)
	if t.whole != nil {
		pickFrom(dst, t.whole[from:], columns)
		return
	}
	switch t.kind {
	case Float64:
		b := t.data[8*from:]
		for k, j := range columns {
			dst[k] = math.Float64frombits(le64(b[8*j:]))
		}
	case Float32:
		b := t.data[4*from:]
		for k, j := range columns {
			dst[k] = float64(math.Float32frombits(le32(b[4*j:])))
		}
	default:
		b := t.data[2*from:]
		for k, j := range columns {
			dst[k] = asm.Half(le16(b[2*j:]))
		}
	}
}

// pair returns element (i, j) of a symmetric table.
func (t *Table) pair(i, j int) float64 {
	if t.lower && i < j {
		i, j = j, i
	}
	return t.at(t.begin(i) + j)
}

// blank returns a table to be set row by row.
func blank(rows, cols int, lower bool, kind Type) Table {
	t := Table{rows: rows, cols: cols, lower: lower, kind: kind}
	t.data = make([]byte, t.numbers()*kind.bytes())
	return t
}

// made returns the type of numbers that are made of those of a type: in 32 bits where these have fewer.
func (t Type) made() Type {
	if t.bytes() < Float32.bytes() {
		return Float32
	}
	return Float64
}

// setRow sets row i of a table of Float64, Float32 or Float16.
func (t *Table) setRow(i int, row []float64) {
	if t.whole != nil {
		copy(t.whole[t.begin(i):], row)
		return
	}
	to := t.data[t.begin(i)*t.kind.bytes():]
	if t.kind == Float16 {
		for k, v := range row {
			u := toHalf(v)
			to[2*k], to[2*k+1] = byte(u), byte(u>>8)
		}
		return
	}
	if t.kind == Float32 {
		for _, v := range row {
			put32(to, math.Float32bits(float32(v)))
			to = to[4:]
		}
		return
	}
	for _, v := range row {
		put64(to, math.Float64bits(v))
		to = to[8:]
	}
}

// pickPairs sets dst to elements of row i of a symmetric table, those of the columns, an ascending list where the table is a triangle.
func (t *Table) pickPairs(dst []float64, i int, columns []int) {
	if !t.lower {
		t.pick(dst, i, columns)
		return
	}
	before, _ := slices.BinarySearch(columns, i+1)
	t.pick(dst[:before], i, columns[:before])
	if t.kind == Float16 {
		for k, j := range columns[before:] {
			dst[before+k] = asm.Half(le16(t.data[j*(j+1)+2*i:]))
		}
		return
	}
	for k, j := range columns[before:] {
		dst[before+k] = t.at(j*(j+1)/2 + i)
	}
}

// matrix returns all of a table.
func (t *Table) matrix() mat.Matrix {
	if t.whole != nil {
		return mat.NewDense(t.rows, t.cols, t.whole)
	}
	a := mat.New(t.rows, t.cols)
	t.rowsTo(a, 0)
	return a
}

// symmetric returns all of a lower triangle's matrix.
func (t *Table) symmetric() mat.Matrix {
	a := mat.New(t.rows, t.rows)
	for i := range t.rows {
		t.row(a.Row(i)[:i+1], i, 0)
	}
	mat.MirrorLower(a)
	return a
}

// rowsTo sets a to rows from one on.
func (t *Table) rowsTo(a mat.Matrix, from int) {
	for i := range a.Rows {
		t.row(a.Row(i), from+i, 0)
	}
}

// view returns the first r rows and c columns of room that was made for more, as a matrix without gaps.
//
//go:noinline
func view(room []float64, r, c int) mat.Matrix { return mat.NewDense(r, c, room[:r*c]) }

func le16(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 }
func le32(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
func le64(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func put32(b []byte, v uint32) {
	_ = b[3]
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

func put64(b []byte, v uint64) {
	put32(b, uint32(v))
	put32(b[4:], uint32(v>>32))
}

func append64(b []byte, v uint64) []byte {
	for range 8 {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}

func append32(b []byte, v float64) []byte {
	u := math.Float32bits(float32(v))
	return append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
}

func appendNumber(b []byte, kind Type, v float64) []byte {
	switch kind {
	case Float64:
		return append64(b, math.Float64bits(v))
	case Float32:
		return append32(b, v)
	}
	u := toHalf(v)
	return append(b, byte(u), byte(u>>8))
}

// toHalf rounds to the nearest number of binary16, of two equally near ones to the even one; beyond the largest it is infinite.
func toHalf(v float64) uint16 {
	u := math.Float64bits(v * 0x1p-1008) // with the exponent of binary16, and its fraction's first ten bits
	sign := uint16(u >> 48 & 0x8000)
	u &^= 1 << 63
	switch {
	case v != v:
		return 0x7e00
	case u >= 0x7bff<<42|1<<41:
		return sign | 0x7c00
	}
	return sign | uint16((u+1<<41-1+u>>42&1)>>42)
}

// pickFrom sets dst to the elements of a row at some places.
//
//go:noinline
func pickFrom(dst, row []float64, at []int) {
	for k, i := range at[:len(dst)] {
		dst[k] = row[i]
	}
}

// addFrom adds the elements of a row at some places to dst.
//
//go:noinline
func addFrom(dst, row []float64, at []int) {
	for k, i := range at[:len(dst)] {
		dst[k] += row[i]
	}
}

// upTo returns the columns that count of row k: of a lower triangle those up to its diagonal.
func upTo(b []int, k int, triangle bool) []int {
	if triangle {
		return b[:k+1]
	}
	return b
}
