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

// raceRows announces the m×n elements c[i*ldc+j], read or written.
func raceRows(announce func([]float64), c []float64, ldc, m, n int) {
	for i := range m {
		announce(c[i*ldc : i*ldc+n])
	}
}
