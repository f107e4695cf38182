package fuzz

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

var kroneckerFamilies = []row{
	{"Kronecker of factors", even, func(s *Source, n int) Case { return kronecker(SPD(s, 2), SPD(s, n/2)) }},
	{"Kronecker of spectra", even, func(s *Source, n int) Case { return kronecker(hadamard(integers(s, 2, 5)), completeGraph(n/2)) }},
	{"Kronecker of KMS", perfectSquare, fixed(func(n int) Case { return kronecker(kms(root(n), 0.5), kms(root(n), 0.25)) })},
	{"repeated blocks", even, func(s *Source, n int) Case { return blockRepeated(arrow(integers(s, n/2-1, 2)), 2) }},
}

// kronecker returns the Kronecker product of cases: eigenvalues, Cholesky factor, log-determinant, inverse and rank are those of
// the factors, multiplied (van Loan, J. Comput. Appl. Math. 123, 2000). What one factor does not know the product does not.
func kronecker(cases ...Case) Case {
	c := Case{Name: "Kronecker", A: mat.Identity(1), Sign: 1, Rank: 1, Eigenvalues: []float64{1}, Factor: mat.Identity(1), Inverse: mat.Identity(1)}
	p := KnownSpectrum | KnownFactor | KnownInverse | KnownLogDet | KnownRank | Semidefinite
	for _, f := range cases {
		p &= f.Properties()
		m, n := c.A.Rows, f.A.Rows
		c.Name += fmt.Sprintf(" (%s)", f.Name)
		c.A = NaiveKron(c.A, f.A)
		c.Factors = append(c.Factors, f.A)
		c.LogDet = float64(n)*c.LogDet + float64(m)*f.LogDet
		c.Sign = math.Pow(c.Sign, float64(n)) * math.Pow(f.Sign, float64(m))
		c.Rank *= f.Rank
		if before := mat.Vector(c.Eigenvalues); p.Has(KnownSpectrum) {
			w := mat.Vector(f.Eigenvalues)
			c.Eigenvalues = NaiveKron(before, w).Data
			c.Slack = c.Slack*(mat.NormMax(w)+f.Slack) + mat.NormMax(before)*f.Slack
		}
		if p.Has(KnownFactor) {
			c.Factor = NaiveKron(c.Factor, f.Factor)
		}
		if p.Has(KnownInverse) {
			c.Inverse = NaiveKron(c.Inverse, f.Inverse)
		}
	}
	c.Pivot = c.A.Rows
	if !p.Has(KnownFactor) {
		c.Factor, c.Pivot = mat.Matrix{}, Unknown
	}
	if !p.Has(KnownInverse) {
		c.Inverse = mat.Matrix{}
	}
	c.Eigenvalues = sorted(c.Eigenvalues)
	if !p.Has(KnownSpectrum) {
		c.Eigenvalues, c.Slack = nil, 0
	}
	return c.claiming(p & (KnownLogDet | KnownRank | Semidefinite))
}

// blockRepeated returns copies of a case along the diagonal, and nothing between them: each eigenvalue comes copies times,
// exactly.
func blockRepeated(block Case, copies int) Case {
	one := diagonal(values(copies, func(int) float64 { return 1 }))
	one.Inverse = one.A
	c := kronecker(one.factored(one.A.At).ranked(copies), block)
	c.Name = fmt.Sprintf("%d times %s", copies, block.Name)
	return c
}
