//go:build !purego

package asm

// solveLowerAVX512 is solveLowerGeneric with a tile of 8×24, products that are not
// rounded, and at least one tile.
//
//go:noescape
func solveLowerAVX512(tiles int, t, x []float64)

// solveUpperAVX512 is solveUpperGeneric with a tile of 8×24, products that are not
// rounded, and at least one tile.
//
//go:noescape
func solveUpperAVX512(tiles int, t, x []float64)

// solveLowerAVX2 is solveLowerAVX512 with a tile of 4×12.
//
//go:noescape
func solveLowerAVX2(tiles int, t, x []float64)

// solveUpperAVX2 is solveUpperAVX512 with a tile of 4×12.
//
//go:noescape
func solveUpperAVX2(tiles int, t, x []float64)

func solveLower(tiles int, t, x []float64) {
	switch active {
	case avx512:
		solveLowerAVX512(tiles, t, x)
	case avx2:
		solveLowerAVX2(tiles, t, x)
	default:
		solveLowerGeneric(tiles, t, x)
	}
}

func solveUpper(tiles int, t, x []float64) {
	switch active {
	case avx512:
		solveUpperAVX512(tiles, t, x)
	case avx2:
		solveUpperAVX2(tiles, t, x)
	default:
		solveUpperGeneric(tiles, t, x)
	}
}
