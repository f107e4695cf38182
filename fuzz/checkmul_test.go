package fuzz_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Right products pass whatever sign their zeros have: those of package mat, the definition,
// and the definition with every zero turned; a turned sign of any other number does not.
func TestCheckMulZeros(t *testing.T) {
	draws := uint64(3000)
	if testing.Short() {
		draws = 600
	}
	turned := func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		naiveMul(dst, alpha, a, b, beta)
		for i := range dst.Rows {
			for j := range dst.Cols {
				if dst.At(i, j) == 0 {
					dst.Set(i, j, -dst.At(i, j))
				}
			}
		}
	}
	wrong := func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		naiveMul(dst, alpha, a, b, beta)
		if dst.Rows > 0 && dst.Cols > 0 {
			dst.Set(0, 0, -dst.At(0, 0))
		}
	}
	refused := 0
	for seed := range draws {
		for name, f := range map[string]func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64){"mat": mat.Mul, "naive": naiveMul, "zeros turned": turned} {
			if broken := (fuzz.Library{Mul: f}).Try(fuzz.New(seed)); broken != nil {
				t.Errorf("%s: seed %d: %v", name, seed, broken)
			}
		}
		if (fuzz.Library{Mul: wrong}).Try(fuzz.New(seed)) != nil {
			refused++
		}
	}
	if refused < int(draws)/3 {
		t.Errorf("a turned sign is refused for %d of %d seeds", refused, draws)
	}
}
