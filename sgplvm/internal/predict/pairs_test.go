package predict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// What is explained between lists of grid points is Φ_a·diag(h)·Φ_bᵀ, however many factors there are.
func TestSubtractExplained(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 61))
	for _, dims := range [][]int{{7}, {5, 3}, {3, 5}, {1, 4}, {3, 4, 2}, {2, 3, 4}, {4, 3, 2}, {2, 3, 2, 2}} {
		all, whole := new(features), mat.NewDense(1, 1, []float64{1})
		on := &projection{dims: dims, features: func() *features { return all }}
		for _, n := range dims {
			on.grid = append(on.grid, mat.New(n, 1))
			phi := normal(rng, n, n+rng.IntN(3))
			all.phi.Factors = append(all.phi.Factors, phi)
			whole = reference.Kronecker(whole, phi)
		}
		h := normal(rng, 1, whole.Cols).Data
		for range 10 {
			of := moments{h: [][]float64{h}, psi0: 1}
			of.setTerms(on)
			a, b := somePlaces(rng, whole.Rows), somePlaces(rng, whole.Rows)
			for _, b := range [][]int{a, b} {
				cov := mat.New(len(a), len(b))
				of.subtractExplained(on, cov, 0, a, b)
				for i, k := range a {
					for j, l := range b {
						want := 0.0
						for q, w := range h {
							want -= float64(whole.At(k, q) * w * whole.At(l, q))
						}
						compare.NearOne(t, fmt.Sprintf("factors of %v, points %d and %d", dims, k, l), cov.At(i, j), want, 1e-12)
					}
				}
			}
		}
	}
}

// normal returns a matrix of standard normal numbers.
func normal(rng *rand.Rand, r, c int) mat.Matrix {
	m := mat.New(r, c)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}

// somePlaces returns some of n places in ascending order, at times none.
func somePlaces(rng *rand.Rand, n int) []int {
	list := rng.Perm(n)[:rng.IntN(n+1)]
	slices.Sort(list)
	return list
}
