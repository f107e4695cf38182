package fuzz

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// canaryBits is the bit pattern of the NaN that fills gaps: no arithmetic makes it, so that a NaN written by mistake is told from
// it.
const canaryBits = 0x7ff8deadbeef0001

// Canary returns the NaN of bit pattern [canaryBits].
func Canary() float64 { return math.Float64frombits(canaryBits) }

// Layout says how a matrix lies in storage. The zero value is row after row without gaps.
type Layout struct {
	Offset     int  // canaries before the first element and after the last
	Gap        int  // canaries between the end of a row and the next row
	Spread     int  // canaries between neighbours in a row
	Transposed bool // whether columns play the part of rows
}

// Layouts lists one layout of each kind: plain, transposed, with a leading dimension larger than needed, misaligned, and with no
// two elements adjacent.
var Layouts = []Layout{
	{},
	{Transposed: true},
	{Offset: 1, Gap: 1},
	{Offset: 3, Gap: 7, Transposed: true},
	{Offset: 2, Gap: 2, Spread: 1},
	{Offset: 5, Gap: 1, Spread: 2, Transposed: true},
}

// Layout draws a layout; gaps are small.
func (s *Source) Layout() Layout {
	l := Layout{Offset: s.IntN(8), Gap: s.IntN(8), Spread: s.IntN(3), Transposed: s.Bool()}
	if s.plain {
		return Layout{}
	}
	return l
}

// Guarded is a matrix with canaries in the gaps of its storage and around it.
type Guarded struct {
	mat.Matrix
	storage []float64
	offset  int
}

// Guard returns a copy of a in the given layout. The copy's Data ends with its last element.
func Guard(a mat.Matrix, l Layout) Guarded {
	r, c := a.Rows, a.Cols
	if l.Transposed {
		r, c = c, r
	}
	m := mat.Matrix{Rows: r, Cols: c, ColStride: 1 + l.Spread}
	m.RowStride = c*m.ColStride + l.Gap
	var span int
	if r > 0 && c > 0 {
		span = (r-1)*m.RowStride + (c-1)*m.ColStride + 1
	}
	storage := make([]float64, l.Offset+span+l.Offset)
	for i := range storage {
		storage[i] = Canary()
	}
	m.Data = storage[l.Offset : l.Offset+span : l.Offset+span]
	if l.Transposed {
		m = m.T()
	}
	mat.Copy(m, a)
	return Guarded{Matrix: m, storage: storage, offset: l.Offset}
}

// Check returns an error that names the first overwritten canary, if there is one.
func (g Guarded) Check() error {
	element := make([]bool, len(g.storage))
	for i := range g.Rows {
		for j := range g.Cols {
			element[g.offset+i*g.RowStride+j*g.ColStride] = true
		}
	}
	for at, v := range g.storage {
		if bits := math.Float64bits(v); !element[at] && bits != canaryBits {
			return fmt.Errorf("a %d×%d matrix with strides %d, %d: the gap at Data[%d] was overwritten with %g (%#x)",
				g.Rows, g.Cols, g.RowStride, g.ColStride, at-g.offset, v, bits)
		}
	}
	return nil
}

// PoisonUpper fills the strict upper triangle of a with canaries, for a routine that must read the lower triangle only.
func PoisonUpper(a mat.Matrix) {
	for i := range a.Rows {
		for j := i + 1; j < a.Cols; j++ {
			a.Set(i, j, Canary())
		}
	}
}

// CheckUpper returns an error that names the first element of the strict upper triangle that is no canary any more, if there is
// one.
func CheckUpper(a mat.Matrix) error {
	for i := range a.Rows {
		for j := i + 1; j < a.Cols; j++ {
			if v := a.At(i, j); math.Float64bits(v) != canaryBits {
				return fmt.Errorf("element (%d, %d) above the diagonal was overwritten with %g", i, j, v)
			}
		}
	}
	return nil
}

// Lower returns a copy of the lower triangle of a square matrix, zeros above.
func Lower(a mat.Matrix) mat.Matrix {
	return fill(a.Rows, a.Cols, func(i, j int) float64 { return side(i, j, a.At(i, j), a.At(i, j), 0) })
}

// SameBits returns an error that names the first element, row by row, in which got and want differ in any bit, if there is one or
// the shapes differ.
func SameBits(got, want mat.Matrix) error {
	if got.Rows != want.Rows || got.Cols != want.Cols {
		return fmt.Errorf("got a %d×%d matrix, want %d×%d", got.Rows, got.Cols, want.Rows, want.Cols)
	}
	for i := range got.Rows {
		for j := range got.Cols {
			if g, w := got.At(i, j), want.At(i, j); math.Float64bits(g) != math.Float64bits(w) {
				read := ""
				if math.Float64bits(g) == canaryBits {
					read = ", the canary of what is not to be read"
				}
				return fmt.Errorf("element (%d, %d) of a %d×%d matrix is %v (%#x%s), want %v (%#x)",
					i, j, got.Rows, got.Cols, g, math.Float64bits(g), read, w, math.Float64bits(w))
			}
		}
	}
	return nil
}

// Digest returns the SHA-256 of the matrices' shapes and elements, row by row: equal digests are equal bits.
func Digest(ms ...mat.Matrix) [sha256.Size]byte {
	h := sha256.New()
	var b [8]byte
	put := func(v uint64) {
		binary.LittleEndian.PutUint64(b[:], v)
		h.Write(b[:])
	}
	for _, m := range ms {
		put(uint64(m.Rows))
		put(uint64(m.Cols))
		for i := range m.Rows {
			for j := range m.Cols {
				put(math.Float64bits(m.At(i, j)))
			}
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}
