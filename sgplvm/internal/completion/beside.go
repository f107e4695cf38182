package completion

import (
	"context"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
)

// minRowsEach is how many examples there are for each column, at least, where columns are regressed on one another.
const minRowsEach = 4

// fillBesideOthers fills in each column by the linear regression on all others at the same time, and by what this leaves of the column at other times
// (docs/math.md, 22.11): columns that share more than a season say more of one another than of themselves, and what each has of its own lasts. Principal components
// fill in the others where they are missing. Values are n×p, wanted as dynamics.FillSeries has them. Errors: those of simple.Method.Fill and of chol.FactorizeJitter.
func fillBesideOthers(ctx context.Context, d simple.Data) (mean, variance mat.Matrix, err error) {
	z, _, err := simple.PrincipalComponents.Fill(ctx, d)
	if err != nil {
		return mean, variance, err
	}
	said, err := besideOthers(z)
	if err != nil {
		return mean, variance, err
	}
	mean, variance = mat.New(z.Rows, z.Cols), mat.New(z.Rows, z.Cols)
	mat.Add(z, z, -1, said)
	err = dynamics.FillSeries(ctx, mean, variance, z, d.Missing, d.Times, d.Sequences)
	mat.Add(mean, mean, 1, said)
	return mean, variance, err
}

// besideOthers returns what the other columns of y (n×p) say of each by linear regression, with a penalty of one observation of unit variance for columns in their standard deviations:
// with the inverse Ω of the covariance, m_j − Σ_k≠j Ω_jk·(y_k − m_k)/Ω_jj. Of a column without numbers nothing is said.
func besideOthers(y mat.Matrix) (mat.Matrix, error) {
	n, p := y.Rows, y.Cols
	centre, scale := Moments(y, &Mask{Size: p, Missing: make([]bool, n*p)}, p)
	z := mat.New(n, p)
	for i := range n {
		for j, v := range y.Row(i) {
			if v == v {
				z.Set(i, j, (v-centre[j])/scale[j])
			}
		}
	}
	gram := mat.New(p, p)
	mat.Mul(gram, 1, z.T(), z, 0)
	for j := range p {
		gram.Set(j, j, gram.At(j, j)+1)
	}
	f, _, err := chol.FactorizeJitter(gram, nil)
	if err != nil {
		return y, err
	}
	f.Inverse(gram)
	for j := range p {
		row := gram.Row(j)
		own := row[j]
		row[j] = 0
		for k := range row {
			row[k] *= -scale[j] / own
		}
	}
	said := mat.New(n, p)
	for i := range n {
		copy(said.Row(i), centre)
	}
	mat.Mul(said, 1, z, gram.T(), 1)
	return said, nil
}
