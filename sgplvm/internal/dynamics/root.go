package dynamics

import (
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Root returns a factor R, R·Rᵀ = a + nugget·I, of a symmetric matrix: its Cholesky factor,
// or V·diag(w)^½ of a = V·diag(w)·Vᵀ, without the nugget, where rounding has left it
// indefinite. Cholesky is some 50 times as fast.
func Root(a mat.Matrix, nugget float64) (mat.Matrix, error) {
	var l chol.Factor
	if l.RefactorizeShifted(a, nugget) == nil {
		return l.L(), nil
	}
	spectrum, err := eig.Sym(a)
	if err != nil {
		return mat.Matrix{}, err
	}
	for j, w := range spectrum.Values {
		spectrum.Values[j] = math.Sqrt(max(w, 0))
	}
	mat.ScaleCols(spectrum.Vectors, spectrum.Vectors, spectrum.Values)
	return spectrum.Vectors, nil
}
