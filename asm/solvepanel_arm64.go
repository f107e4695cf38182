//go:build !purego

package asm

// solveLowerNEON is solveLowerGeneric with a tile of 6×8, products that are not
// rounded, and at least one tile.
//
//go:noescape
func solveLowerNEON(tiles int, t, x []float64)

// solveUpperNEON is solveUpperGeneric with a tile of 6×8, products that are not
// rounded, and at least one tile.
//
//go:noescape
func solveUpperNEON(tiles int, t, x []float64)

func solveLower(tiles int, t, x []float64) {
	switch active {
	case neon:
		solveLowerNEON(tiles, t, x)
	default:
		solveLowerGeneric(tiles, t, x)
	}
}

func solveUpper(tiles int, t, x []float64) {
	switch active {
	case neon:
		solveUpperNEON(tiles, t, x)
	default:
		solveUpperGeneric(tiles, t, x)
	}
}
