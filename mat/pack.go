package mat

import (
	"sync"

	"github.com/seed-08962ecc/kronfield/asm"
)

// packA copies the m×k block a into panels of as many rows as the register tile
// has, mr, column after column within a panel, the last panel filled up with
// zeros: dst[p*mr*k+l*mr+i] is a[p*mr+i, l].
func packA(dst []float64, a Matrix) {
	mr, _ := asm.Tile()
	packPanels(dst, a, mr)
}

// packB copies the k×n block b into panels of as many columns as the register
// tile has, nr, row after row within a panel, the last panel filled up with
// zeros: dst[p*nr*k+l*nr+j] is b[l, p*nr+j].
func packB(dst []float64, b Matrix) {
	_, nr := asm.Tile()
	packPanels(dst, b.T(), nr)
}

// packPanels copies a into panels of r rows, the last one padded with zeros.
func packPanels(dst []float64, a Matrix, r int) {
	for i0 := 0; i0 < a.Rows; i0 += r {
		panel := dst[:r*a.Cols]
		dst = dst[r*a.Cols:]
		rows := min(r, a.Rows-i0)
		for i := range rows {
			src := a.Data[(i0+i)*a.RowStride:]
			at := 0
			for l := i; l < len(panel); l += r {
				panel[l] = src[at]
				at += a.ColStride
			}
		}
		for i := rows; i < r; i++ {
			for l := i; l < len(panel); l += r {
				panel[l] = 0
			}
		}
	}
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// scratch lends buffers of float64 numbers with arbitrary contents.
var scratch = sync.Pool{New: func() any { return new([]float64) }}

func borrow(n int) *[]float64 {
	p := scratch.Get().(*[]float64)
	if cap(*p) < n {
		*p = make([]float64, n)
	}
	*p = (*p)[:n]
	return p
}

func giveBack(p *[]float64) { scratch.Put(p) }
