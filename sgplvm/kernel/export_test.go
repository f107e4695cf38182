package kernel

import "github.com/seed-08962ecc/kronfield/mat"

// SetBlockWork changes the work of a block of rows, so that small matrices have several
// blocks, and returns the value before.
func SetBlockWork(work int) int {
	before := blockWork
	blockWork = work
	return before
}

// MaternSystem gives the closed form of exp(F·σ) and what exponential makes of F.
func MaternSystem(size int, sigma float64) (closed, general mat.Matrix) {
	_, f, _ := matern(size).System()
	closed, general = mat.New(size, size), mat.New(size, size)
	matern(size).transition(closed, sigma)
	exponential(general, mat.NewDense(size, size, f), sigma)
	return closed, general
}
