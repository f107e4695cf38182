package predict

import (
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// SetInnovations gives contents the second moments of what a stream's examples were off by what was predicted, rows of c.Judged values in standard deviations (NaN where missing):
// what was found, shrunk to what the model expects of the step behind its training examples (docs/math.md, section 23). Errors: *chol.NotPositiveDefiniteError, *chol.NonFiniteError.
func SetInnovations(c *points.Contents, off mat.Matrix) error {
	if c.Points > c.Options.Exact {
		return nil // a stream has no scores of so many values
	}
	n, m := c.Judged(), points.New(c)
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
	table := points.NewLowerTable(found)
	c.Innovations, c.Counted = table.As(points.Float32), share
	return nil
}

// completions is how often what is missing of rows is given what is there, by the moments found so far (expectation maximisation).
const completions = 4

// secondMoments returns second moments of rows (NaN where missing) of which the prior has those expected, and what one row counts of them. With the prior L·Lᵀ and rows z = L⁻¹·x of the mean moments M they are
// L·((1 − w)·M + w·(tr M/n)·I)·Lᵀ, w the part that is expected to be nearest to the truth (Ledoit and Wolf 2004).
func secondMoments(rows, prior mat.Matrix) (found mat.Matrix, share float64, err error) {
	var whole chol.Factor
	if err := whole.Refactorize(prior); err != nil {
		return found, 0, err
	}
	_, _, missing := mat.NonFinite(rows)
	found = prior
	for range completions {
		all, unsure := rows.T().Clone(), mat.New(rows.Cols, rows.Cols)
		for i := range rows.Rows {
			if err := conditioned(all.Slice(0, all.Rows, i, i+1), unsure, found); err != nil {
				return found, 0, err
			}
		}
		found, share = shrunk(&whole, all, unsure)
		if !missing {
			break
		}
	}
	return found, share, nil
}

// shrunk returns the moments of columns, and of what is unsure of them in all, given the factor of the prior.
func shrunk(prior *chol.Factor, all, unsure mat.Matrix) (found mat.Matrix, share float64) {
	n, count := all.Rows, float64(all.Cols)
	prior.SolveHalf(all)
	prior.SolveHalf(unsure)
	prior.SolveHalf(unsure.T())
	found = mat.New(n, n)
	mat.Syrk(found, 1/count, all, 0)
	mat.MirrorLower(found)
	mat.Add(found, found, 1/count, unsure)
	level, product := mat.Trace(found)/float64(n), mat.New(n, all.Cols)
	mat.Mul(product, 1, found, all, 0)
	var chance float64 // squared error of the mean moments
	for i := range all.Cols {
		z := all.Slice(0, n, i, i+1)
		square := mat.Dot(z, z)
		chance += square*square - 2*mat.Dot(z, product.Slice(0, n, i, i+1))
	}
	squares := mat.Dot(mat.Vector(found.Data), mat.Vector(found.Data))
	chance = (chance/count + squares) / count
	w := min(1, chance/max(squares-level*level*float64(n), math.SmallestNonzeroFloat64))
	mat.Scale(found, 1-w, found)
	for k := range n {
		found.Row(k)[k] += w * level
	}
	prior.MulHalf(found)
	prior.MulHalf(found.T())
	return found, (1 - w) / count
}

// conditioned gives x what is missing of it (NaN) given what is there, and adds the covariance of that.
func conditioned(x, unsure, covariance mat.Matrix) error {
	var there, missing []int
	for k := range x.Rows {
		if v := x.At(k, 0); v == v {
			there = append(there, k)
		} else {
			missing = append(missing, k)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	of := func(a, b []int) mat.Matrix {
		m := mat.New(len(a), len(b))
		work.Submatrix(m, covariance, a, b)
		return m
	}
	half, cross, rest := mat.New(len(there), 1), of(there, missing), of(missing, missing)
	var f chol.Factor
	if err := f.Refactorize(of(there, there)); err != nil {
		return err
	}
	for k, i := range there {
		half.Data[k] = x.At(i, 0)
	}
	f.SolveHalf(half)
	f.SolveHalf(cross)
	mean := mat.New(len(missing), 1)
	mat.Mul(mean, 1, cross.T(), half, 0)
	mat.Syrk(rest, -1, cross.T(), 1)
	mat.MirrorLower(rest)
	for k, i := range missing {
		x.Set(i, 0, mean.Data[k])
		for l, j := range missing {
			unsure.Set(i, j, unsure.At(i, j)+rest.At(k, l))
		}
	}
	return nil
}

// Calibrate sets Contents.Calibration to a, p and b under which squared errors of examples, means of many, are likeliest of variances a·f^p + b·β⁻¹, given variances f + β⁻¹.
func Calibrate(c *points.Contents, squares, variances []float64) {
	white := 1 / c.Beta
	c.Calibration = likeliest(squares, white, 0.5, 2, func(k int, power float64) float64 { return math.Pow(max(0, variances[k]-white), power) })
}

// CalibratePartly sets Contents.Partly to a, p and b under which squared errors are likeliest of variances a·d^p·f + b·β⁻¹, given variances f + β⁻¹ and distances d.
func CalibratePartly(c *points.Contents, squares, variances, distances []float64) {
	white := 1 / c.Beta
	c.Partly = likeliest(squares, white, 0, 6, func(k int, power float64) float64 { return math.Pow(distances[k], power) * max(0, variances[k]-white) })
}

// likeliest returns a, p between low and high, and b of variances a·part(k, p) + b·white.
func likeliest(squares []float64, white, low, high float64, part func(k int, power float64) float64) []float64 {
	f := make([]float64, len(squares))
	of := func(power float64) (a, b, loss float64) {
		for k := range f {
			f[k] = part(k, power)
		}
		return components(squares, f, white)
	}
	for range 20 {
		third := (high - low) / 3
		_, _, left := of(low + third)
		if _, _, right := of(high - third); left < right {
			high -= third
		} else {
			low += third
		}
	}
	power := (low + high) / 2
	a, b, _ := of(power)
	return []float64{a, power, b}
}

// components returns a and b ≥ 0 of the lowest mean of log v + e²/v, v = a·f + b·white, and that, by steps that lower it (Févotte and Idier 2011, Itakura and Saito's divergence).
func components(squares, f []float64, white float64) (a, b, loss float64) {
	a, b = 1, 1
	for range 100 {
		var more, most [2]float64
		loss = 0
		for k, e := range squares {
			v := a*f[k] + b*white
			more[0], most[0] = more[0]+f[k]*e/(v*v), most[0]+f[k]/v
			more[1], most[1] = more[1]+white*e/(v*v), most[1]+white/v
			loss += (math.Log(v) + e/v) / float64(len(squares))
		}
		a, b = a*math.Sqrt(more[0]/max(most[0], math.SmallestNonzeroFloat64)), b*math.Sqrt(more[1]/most[1])
	}
	return a, b, loss
}
