//go:build !purego

package asm

// solvePanelNEON is solvePanelGeneric with a tile of 6×8, products that are not
// rounded, and at least one tile.
//
//go:noescape
func solvePanelNEON(tiles int, l, x []float64)

func solvePanel(tiles int, l, x []float64) {
	switch active {
	case neon:
		solvePanelNEON(tiles, l, x)
	default:
		solvePanelGeneric(tiles, l, x)
	}
}
