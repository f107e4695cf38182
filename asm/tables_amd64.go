//go:build !purego

package asm

//lint:file-ignore U1000 only the assembly reads the tables

// laneMask selects the first n of four lanes by its elements from 4 − n, and
// laneSign the signs of the others.
var (
	laneMask = [8]int64{-1, -1, -1, -1}
	laneSign = [8]uint64{4: 1 << 63, 1 << 63, 1 << 63, 1 << 63}
)
