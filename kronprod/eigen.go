package kronprod

import (
	"github.com/seed-08962ecc/kronfield/eig"
)

// Spectrum is the eigendecomposition of a Kronecker product of symmetric
// matrices. Values are in the product's own order, not sorted: Values[(j₁, j₂,
// …)], the last index fastest, is the product of the factors' values, and the
// same column of Vectors the Kronecker product of their vectors.
type Spectrum struct {
	Values  []float64
	Vectors Operator
}

// Eigen computes the eigenvalues and eigenvectors of a Kronecker product of
// symmetric matrices, of which only the lower triangles are read. The error is
// a *FactorError around eig's.
func Eigen(o Operator) (Spectrum, error) {
	o.square("Eigen")
	var s Spectrum
	values := make([][]float64, len(o.Factors))
	for i, a := range o.Factors {
		e, err := eig.Sym(a)
		if err != nil {
			return Spectrum{}, &FactorError{Factor: i, Err: err}
		}
		values[i] = e.Values
		s.Vectors.Factors = append(s.Vectors.Factors, e.Vectors)
	}
	s.Values = Vectors(values...)
	return s, nil
}
