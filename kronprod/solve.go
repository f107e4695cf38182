package kronprod

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Factor is the Cholesky factorisation of a Kronecker product of symmetric
// positive definite matrices: A₁ ⊗ A₂ ⊗ … = (L₁ ⊗ L₂ ⊗ …)(L₁ ⊗ L₂ ⊗ …)ᵀ.
type Factor struct{ factors []*chol.Factor }

// FactorError says which factor of a product could not be used.
type FactorError struct {
	Factor int // counted from 0
	Err    error
}

func (e *FactorError) Error() string {
	return fmt.Sprintf("kronprod: factor %d: %v", e.Factor, e.Err)
}

func (e *FactorError) Unwrap() error { return e.Err }

// Factorize computes the Cholesky factors of the operator's factors, of which
// only the lower triangles are read. The error is a *FactorError around chol's.
func Factorize(o Operator) (*Factor, error) {
	o.square("Factorize")
	f := &Factor{factors: make([]*chol.Factor, len(o.Factors))}
	for i, a := range o.Factors {
		c, err := chol.Factorize(a)
		if err != nil {
			return nil, &FactorError{Factor: i, Err: err}
		}
		f.factors[i] = c
	}
	return f, nil
}

// Solve overwrites b, with as many rows as the operator, with A⁻¹·b.
func (f *Factor) Solve(b mat.Matrix) { f.each("Solve", b, (*chol.Factor).Solve) }

// SolveHalf overwrites b, with as many rows as the operator, with L⁻¹·b, where
// L = L₁ ⊗ L₂ ⊗ … is the operator's Cholesky factor.
func (f *Factor) SolveHalf(b mat.Matrix) { f.each("SolveHalf", b, (*chol.Factor).SolveHalf) }

// each applies a factor-wise solver in place along every mode.
func (f *Factor) each(op string, b mat.Matrix, solve func(*chol.Factor, mat.Matrix)) {
	n := 1
	for _, c := range f.factors {
		n *= c.Size()
	}
	if b.Rows != n {
		panic(fmt.Sprintf("kronprod: %s: b %d×%d for an operator of order %d", op, b.Rows, b.Cols, n))
	}
	mat.CheckDestination("kronprod: "+op, "b", b)
	x := b
	if !b.IsContiguous() {
		x = b.Clone()
	}
	t := Tensor{Dims: make([]int, len(f.factors)+1), Data: x.Data[:x.Rows*x.Cols]}
	for i, c := range f.factors {
		t.Dims[i] = c.Size()
	}
	t.Dims[len(f.factors)] = b.Cols
	for i, c := range f.factors {
		u := t.unfold(i)
		mat.Parallel(u.count, func(p int) { solve(c, u.view(p)) })
	}
	if !b.IsContiguous() {
		mat.Copy(b, x)
	}
}

// LogDet returns the natural logarithm of the operator's determinant,
// Σ_f (n/n_f)·log|A_f| with n the order of the whole.
func (f *Factor) LogDet() float64 {
	n := 1
	for _, c := range f.factors {
		n *= c.Size()
	}
	var s float64
	for _, c := range f.factors {
		if c.Size() > 0 {
			s += float64(n/c.Size()) * c.LogDet()
		}
	}
	return s
}
