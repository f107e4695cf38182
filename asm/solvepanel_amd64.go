//go:build !purego

package asm

// solvePanelAVX512 is solvePanelGeneric with a tile of 8×24, products that are not
// rounded, and at least one tile.
//
//go:noescape
func solvePanelAVX512(tiles int, l, x []float64)

// solvePanelAVX2 is solvePanelAVX512 with a tile of 4×12.
//
//go:noescape
func solvePanelAVX2(tiles int, l, x []float64)

func solvePanel(tiles int, l, x []float64) {
	switch active {
	case avx512:
		solvePanelAVX512(tiles, l, x)
	case avx2:
		solvePanelAVX2(tiles, l, x)
	default:
		solvePanelGeneric(tiles, l, x)
	}
}
