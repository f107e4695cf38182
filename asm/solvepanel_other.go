//go:build purego || !(amd64 || arm64)

package asm

func solvePanel(tiles int, l, x []float64) { solvePanelGeneric(tiles, l, x) }
