//go:build race

package asm

import (
	"runtime"
	"unsafe"
)

// raceRead and raceWrite tell the race detector, which does not see into
// assembly, what a kernel reads and writes.
func raceRead(x []float64) {
	if len(x) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(x)), 8*len(x))
	}
}

func raceWrite(x []float64) {
	if len(x) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(x)), 8*len(x))
	}
}

// raceBytes is raceRead of bytes.
func raceBytes(x []byte) {
	if len(x) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(x)), len(x))
	}
}

// raceRows announces the m×n elements c[i*ldc+j], read or written, and no others: what
// is between the rows may be at work elsewhere.
func raceRows(announce func([]float64), c []float64, ldc, m, n int) {
	if ldc == n {
		announce(c[:m*n])
		return
	}
	for i := range m {
		announce(c[i*ldc : i*ldc+n])
	}
}

// raceTiles announces the m×k elements of the left operand of GemmPanel, read.
func raceTiles(a []float64, rsa, csa, stepa, m, k int) {
	mr, _ := Tile()
	for i := 0; i < m && k > 0; i += mr {
		tile, rows := a[i/mr*stepa:], min(mr, m-i)
		switch {
		case rsa == 1:
			raceRows(raceRead, tile, csa, k, rows)
		case csa == 1:
			raceRows(raceRead, tile, rsa, rows, k)
		default:
			for r := range rows {
				raceRows(raceRead, tile[r*rsa:], csa, k, 1)
			}
		}
	}
}
