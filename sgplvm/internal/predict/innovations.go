package predict

import (
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// SetInnovations gives contents the second moments of what a stream's examples were off by what was predicted, N×n in standard deviations (NaN where missing):
// what was found, shrunk to what the model expects of the step behind its training examples (docs/math.md, section 23). Errors: *chol.NotPositiveDefiniteError, *chol.NonFiniteError.
func SetInnovations(c *points.Contents, off mat.Matrix) error {
	n, m := c.Points, points.New(c)
	w := m.NewWorkspace(0)
	prior, mean, variance := mat.New(n, n), make([]float64, c.Latents), make([]float64, c.Latents)
	state := infer.NewState(c.Time.Systems, c.Latents)
	end := c.Time.Ends[len(c.Time.Ends)-1]
	copy(state.Get(), end.State)
	state.Ahead(mean, variance, c.Time.Spacing)
	nothing, all := make([]float64, m.Features()), make([]float64, m.Features())
	for j := range all {
		all[j] = 1
	}
	w.SetField(&kernel.Instant{Sequence: end.Sequence, Time: end.Time + c.Time.Spacing}, nothing, all)
	w.Foreseen(prior, mean, variance)
	found, share, err := secondMoments(off, prior)
	if err != nil {
		return err
	}
	c.Innovations, c.Counted = points.NewLowerTable(found), share
	return nil
}

// secondMoments returns second moments of rows (NaN where missing) of which the prior has those expected, and what one row counts of them. What is missing of a row is given what is there, by the
// prior: one step of expectation maximisation. With the prior L·Lᵀ and rows z = L⁻¹·x of the mean moments M they are L·((1 − w)·M + w·(tr M/n)·I)·Lᵀ, w the part that is expected to be nearest to the truth (Ledoit and Wolf 2004).
func secondMoments(rows, prior mat.Matrix) (found mat.Matrix, share float64, err error) {
	n, count := rows.Cols, float64(rows.Rows)
	var whole, seen chol.Factor
	if err := whole.Refactorize(prior); err != nil {
		return found, 0, err
	}
	found = mat.New(n, n)
	all := mat.New(n, rows.Rows)
	unsure := mat.New(n, n)
	for i := range rows.Rows {
		row := rows.Row(i)
		var there, missing []int
		for k, v := range row {
			if v == v {
				there = append(there, k)
			} else {
				missing = append(missing, k)
			}
		}
		x := mat.New(n, 1)
		for _, k := range there {
			x.Data[k] = row[k]
		}
		if len(missing) > 0 {
			if err := conditioned(x, unsure, prior, there, missing, &seen); err != nil {
				return found, 0, err
			}
		}
		mat.Copy(all.Slice(0, n, i, i+1), x)
	}
	whole.SolveHalf(all)
	whole.SolveHalf(unsure)
	whole.SolveHalf(unsure.T())
	mat.Syrk(found, 1/count, all, 0)
	mat.MirrorLower(found)
	mat.Add(found, found, 1/count, unsure)
	level := mat.Trace(found) / float64(n)
	var chance float64 // squared error of the mean moments
	product := mat.New(n, 1)
	for i := range rows.Rows {
		z := all.Slice(0, n, i, i+1)
		mat.Mul(product, 1, found, z, 0)
		square := mat.Dot(z, z)
		chance += square*square - 2*mat.Dot(z, product)
	}
	squares := mat.Dot(mat.Vector(found.Data), mat.Vector(found.Data))
	chance = (chance/count + squares) / count
	w := min(1, chance/max(squares-level*level*float64(n), 1e-300))
	mat.Scale(found, 1-w, found)
	for k := range n {
		found.Row(k)[k] += w * level
	}
	l := whole.L()
	half := mat.New(n, n)
	mat.Mul(half, 1, l, found, 0)
	mat.Mul(found, 1, half, l.T(), 0)
	return found, (1 - w) / count, nil
}

// conditioned gives x what is missing of it given what is there, and adds the covariance of that.
func conditioned(x, unsure, prior mat.Matrix, there, missing []int, f *chol.Factor) error {
	of := func(a, b []int) mat.Matrix {
		m := mat.New(len(a), len(b))
		work.Submatrix(m, prior, a, b)
		return m
	}
	half, cross := mat.New(len(there), 1), of(there, missing)
	if err := f.Refactorize(of(there, there)); err != nil {
		return err
	}
	for k, i := range there {
		half.Data[k] = x.Data[i]
	}
	f.SolveHalf(half)
	f.SolveHalf(cross)
	mean, covariance := mat.New(len(missing), 1), of(missing, missing)
	mat.Mul(mean, 1, cross.T(), half, 0)
	mat.Syrk(covariance, -1, cross.T(), 1)
	for k, i := range missing {
		x.Data[i] = mean.Data[k]
		for l, j := range missing[:k+1] {
			unsure.Set(i, j, unsure.At(i, j)+covariance.At(k, l))
			if l < k {
				unsure.Set(j, i, unsure.At(j, i)+covariance.At(k, l))
			}
		}
	}
	return nil
}
