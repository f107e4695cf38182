//go:build purego || !(amd64 || arm64)

package asm

func cholUpdate(d int, a, b, c []float64) {
	cholUpdateGeneric(d, a, b, c)
}

func cholSolve(d int, a, b, inv []float64) {
	cholSolveGeneric(d, a, b, inv)
}

func cholFactor(d int, b, inv []float64) (good int, pivot float64) {
	return cholFactorGeneric(d, b, inv)
}
