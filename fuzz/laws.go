package fuzz

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Sizes that the laws draw, unless [Source.Orders] or [Source.Most] say
// otherwise or a shorter input of bytes forbids.
const (
	maxMul = 40
	maxEig = 24
)

// scalars are multiples that keep integers exact.
var scalars = []float64{1, 0, -1, 2, -0.5}

// Laws lists every law. Those that a [Library] lacks something for do not apply
// to it.
func Laws() []Law {
	return slices.Concat(productLaws, triangularLaws, choleskyLaws, eigenLaws, generalLaws, kroneckerLaws, robustLaws, functionLaws)
}

// LawNamed returns the law of that name; it panics if there is none.
func LawNamed(name string) Law {
	for _, l := range Laws() {
		if l.Name == name {
			return l
		}
	}
	panic("fuzz: no law is named " + name)
}

// drawn tries one law of a list, which s draws.
func drawn(s *Source, x Library, laws []Law) error {
	applying := slices.DeleteFunc(slices.Clone(laws), func(l Law) bool { return !l.Applies(x) })
	if f := applying[s.IntN(len(applying))].Run(x, s); f != nil {
		return f
	}
	return nil
}

// CheckMul tries a law about products, drawn from s, on mul, which must act as
// [mat.Mul]: it returns the *[Failure], or nil.
func CheckMul(s *Source, mul func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64)) error {
	return drawn(s, Library{Mul: mul}, productLaws)
}

// CheckSolveLower is [CheckMul] for lower triangular systems and
// [mat.SolveLower].
func CheckSolveLower(s *Source, solve func(l, b mat.Matrix)) error {
	return drawn(s, Library{SolveLower: solve}, triangularLaws)
}

// CheckSolveUpper is [CheckMul] for upper triangular systems and
// [mat.SolveUpper].
func CheckSolveUpper(s *Source, solve func(u, b mat.Matrix)) error {
	return drawn(s, Library{SolveUpper: solve}, triangularLaws)
}

// CheckCholesky is [CheckMul] for Cholesky's factorisation; see Library.Cholesky.
func CheckCholesky(s *Source, factor func(a mat.Matrix) (l mat.Matrix, failed int)) error {
	return drawn(s, Library{Cholesky: factor}, choleskyLaws)
}

// CheckEig is [CheckMul] for symmetric eigenvalues and vectors; see Library.Eig.
func CheckEig(s *Source, eig func(a mat.Matrix) (w []float64, v mat.Matrix, err error)) error {
	return drawn(s, Library{Eig: eig}, eigenLaws)
}
