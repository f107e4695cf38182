package mat

import (
	"math/bits"
	"sync/atomic"

	"github.com/seed-08962ecc/kronfield/asm"
)

// packA copies the m×k block a into panels of as many rows as the register tile
// has, mr, column after column within a panel: dst[p*mr*k+l*mr+i] is a[p*mr+i, l].
func packA(dst []float64, a Matrix) {
	mr, _ := asm.Tile()
	packPanels(dst, a, mr)
}

// packB copies the k×n block b into panels of as many columns as the register
// tile has, nr, row after row within a panel: dst[p*nr*k+l*nr+j] is b[l, p*nr+j].
func packB(dst []float64, b Matrix) {
	_, nr := asm.Tile()
	if b.ColStride != 1 || b.Cols < 4*nr {
		packPanels(dst, b.T(), nr)
		return
	}
	// Row by row, as the memory likes it.
	k, full := b.Rows, b.Cols/nr
	for l := range k {
		row := b.Data[l*b.RowStride:]
		asm.CopyRows(dst[l*nr:], nr*k, row, nr, full, nr, b.RowStride)
		if rest := b.Cols - full*nr; rest > 0 {
			asm.CopyRows(dst[full*nr*k+l*nr:], nr, row[full*nr:], nr, 1, rest, 0)
		}
	}
}

// packPanels copies a into panels of r rows. What the last one has no rows for
// stays as it is.
func packPanels(dst []float64, a Matrix, r int) {
	k := a.Cols
	if k == 0 {
		return
	}
	for i0 := 0; i0 < a.Rows; i0 += r {
		rows := min(r, a.Rows-i0)
		panel := dst[:(k-1)*r+rows]
		dst = dst[min(r*k, len(dst)):]
		src := a.Data[i0*a.RowStride:]
		switch {
		case a.ColStride == 1:
			asm.Transpose(panel, r, src, a.RowStride, rows, k)
		case a.RowStride == 1:
			asm.CopyRows(panel, r, src, a.ColStride, k, rows, r)
		default:
			for i := range rows {
				at := i * a.RowStride
				for l := i; l < len(panel); l += r {
					panel[l] = src[at]
					at += a.ColStride
				}
			}
		}
	}
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// scratch holds buffers of float64 numbers with arbitrary contents, by classes of
// sizes: a buffer that is found is large enough, whoever gave it back.
var scratch [4 * (bits.UintSize + 1)]Pool[[]float64]

// sizeClass returns the class of a buffer of n numbers and its capacity, which is a
// power of two times 4, 5, 6 or 7, at most a quarter more than n.
func sizeClass(n int) (class, capacity int) {
	shift := max(bits.Len(uint(n))-3, 0)
	capacity = roundUp(n, 1<<shift)
	shift = max(bits.Len(uint(capacity))-3, 0)
	return 4*shift + capacity>>shift&3, capacity
}

// maxKept is how many numbers the buffers that wait in scratch may have in all: 128 MiB.
// What is given back beyond that is left to the garbage collector.
const maxKept = 1 << 24

// kept is how many numbers the buffers have that wait in scratch.
var kept atomic.Int64

func init() {
	for i := range scratch {
		scratch[i].dropped = func(p any) { kept.Add(-int64(cap(*p.(*[]float64)))) }
	}
}

// maxLarger is how many classes a buffer may come from: up to about twice as large as what is asked for, which takes no new memory.
const maxLarger = 5

// Borrow returns n numbers of arbitrary value from a store that all callers share.
func Borrow(n int) *[]float64 {
	class, capacity := sizeClass(max(n, 4))
	for larger := class; larger < min(class+maxLarger, len(scratch)); larger++ {
		if p, found := scratch[larger].find().(*[]float64); found {
			kept.Add(-int64(cap(*p)))
			*p = (*p)[:n]
			return p
		}
	}
	buffer := make([]float64, n, capacity)
	return &buffer
}

// GiveBack returns a slice that Borrow lent, which the caller must not use any more,
// for another to borrow: steady state allocates nothing, unless more than 128 MiB are in use
// at once.
func GiveBack(p *[]float64) {
	size := int64(cap(*p))
	if kept.Add(size) > maxKept {
		kept.Add(-size)
		return
	}
	class, _ := sizeClass(max(cap(*p), 4))
	scratch[class].Give(p)
}
