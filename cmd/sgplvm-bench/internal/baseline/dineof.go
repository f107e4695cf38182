package baseline

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// lowRank is a completion of pictures by a matrix of low rank. Its variances are those of a
// statistical interpolation whose covariance has the same components (J.-M. Beckers, A. Barth and A. Alvera-Azcárate,
// Ocean Science 2, 2006, section 3): with L = V·diag(√λ) and an observation error μ²,
//
//	v_j = l_jᵀ(L_OᵀL_O/μ² + I)⁻¹l_j + μ²
//
// where μ² is the one under which values that cross-validation hides are likeliest.
type lowRank struct {
	filled mat.Matrix // n×p, the low-rank matrix, mean included
	errors *principalModel
}

func (m *lowRank) complete(mean, variance, y mat.Matrix) error {
	if err := fillGroups(m.errors, mean, variance, y); err != nil {
		return err
	}
	for i := range y.Rows {
		for j, v := range y.Row(i) {
			if math.IsNaN(v) {
				mean.Set(i, j, m.filled.At(i, j))
			}
		}
	}
	return nil
}

// newLowRank makes a completion of a low-rank matrix (without the mean) with components V (p×q, orthonormal
// columns) and eigenvalues λ of its covariance.
func newLowRank(y, filled mat.Matrix, mean []float64, directions mat.Matrix, values []float64) *lowRank {
	m := &lowRank{filled: mat.New(y.Rows, y.Cols)}
	for i := range y.Rows {
		row := m.filled.Row(i)
		for j := range row {
			row[j] = filled.At(i, j) + mean[j]
		}
	}
	w := mat.New(y.Cols, len(values))
	for j := range w.Rows {
		for k, v := range values {
			w.Set(j, k, math.Sqrt(v)*directions.At(j, k))
		}
	}
	m.errors = &principalModel{mean: mean, w: w, noise: startNoise * seenSpread(y, 1), degrees: math.Inf(1)}
	return m
}

// startNoise is μ² before it is chosen, as a part of the spread.
const startNoise = 0.01

func (m *lowRank) withNoise(v float64) holeModel {
	errors := *m.errors
	errors.noise = v
	return &lowRank{m.filled, &errors}
}

// filledIn returns y with missing values from a completion, or 0 (the mean) without one, less the mean.
func filledIn(y mat.Matrix, mean []float64, before *lowRank) mat.Matrix {
	x := mat.New(y.Rows, y.Cols)
	for i := range y.Rows {
		row := x.Row(i)
		for j, v := range y.Row(i) {
			switch {
			case !math.IsNaN(v):
				row[j] = v - mean[j]
			case before != nil:
				row[j] = before.filled.At(i, j) - mean[j]
			}
		}
	}
	return x
}

// refill puts a low-rank matrix where x is missing and returns the root of the mean squared change of those values.
func refill(x, low, y mat.Matrix) float64 {
	var change, count float64
	for i := range y.Rows {
		row := x.Row(i)
		for j, v := range y.Row(i) {
			if math.IsNaN(v) {
				change += square(row[j] - low.At(i, j))
				row[j] = low.At(i, j)
				count++
			}
		}
	}
	return math.Sqrt(change / max(count, 1))
}

// project sets low to x·V·diag(gain)·Vᵀ.
func project(low, x, v mat.Matrix, gain []float64) {
	scores := mat.New(x.Rows, v.Cols)
	mat.Mul(scores, 1, x, v, 0)
	mat.ScaleCols(scores, scores, gain)
	mat.Mul(low, 1, scores, v.T(), 0)
}

// Iterations of DINEOF and SoftImpute end where missing values change by less than this part of the spread, or
// after so many rounds.
const (
	fillTolerance = 2e-4
	fillRounds    = 60
)

// rankValues are numbers of components: all up to 16 and then in steps of about an eighth.
func rankValues(from, n, p int) (values []float64) {
	for q := from; q < min(n, p, 200); q += max(1, q/8) {
		values = append(values, float64(q))
	}
	return values
}

// dineofLadder is DINEOF (J.-M. Beckers and M. Rixen, Journal of Atmospheric and Oceanic Technology 20(12), 2003;
// A. Alvera-Azcárate et al., Ocean Modelling 9(4), 2005): the mean of all observed values is taken off, missing values are
// 0 at first and then those of the first q components of the completed matrix, until they do not change; each number of
// components starts from what the last one has filled in. Hidden values choose q.
func dineofLadder(y mat.Matrix) ladder {
	values := rankValues(1, y.Rows, y.Cols)
	if len(values) == 0 {
		values = []float64{0}
	}
	return ladder{name: "components", values: values, patience: 3, squares: true, fit: func(ctx context.Context, y mat.Matrix, value float64, before holeModel) (holeModel, error) {
		level, _ := seenMoments(y, 0, 1)
		mean := constant(y.Cols, level)
		last, _ := before.(*lowRank)
		x, low := filledIn(y, mean, last), mat.New(y.Rows, y.Cols)
		q, tolerance := int(value), fillTolerance*math.Sqrt(seenSpread(y, 1))
		var directions mat.Matrix
		var values []float64
		var follow leading
		for range fillRounds {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var err error
			if directions, values, err = follow.components(x, q); err != nil {
				return nil, err
			}
			directions, values = directions.Slice(0, y.Cols, 0, q), values[:q]
			project(low, x, directions, constant(q, 1))
			if refill(x, low, y) < tolerance {
				break
			}
		}
		return newLowRank(y, low, mean, directions, values), nil
	}}
}

// softLadder is SoftImpute (R. Mazumder, T. Hastie and R. Tibshirani, Journal of Machine Learning Research 11, 2010, algorithm 1):
// with the means of the columns taken off, singular values of the completed matrix are lowered by λ, those below are 0, and the
// result is put where values are missing, until nothing changes; λ falls from the largest singular value, each from what the last
// one has filled in. Hidden values choose λ.
func softLadder(y mat.Matrix) ladder {
	mean := columnMeans(y)
	_, values, err := components(filledIn(y, mean, nil))
	top := 1.0
	if err == nil && values[0] > 0 {
		top = math.Sqrt(values[0] * float64(y.Rows))
	}
	var lambdas []float64
	for v := 0.7 * top; v > 1e-4*top; v *= 0.75 {
		lambdas = append(lambdas, v)
	}
	return ladder{name: "threshold", values: lambdas, patience: 3, squares: true, fit: func(ctx context.Context, y mat.Matrix, lambda float64, before holeModel) (holeModel, error) {
		mean := columnMeans(y)
		last, _ := before.(*lowRank)
		x, low := filledIn(y, mean, last), mat.New(y.Rows, y.Cols)
		tolerance := fillTolerance * math.Sqrt(seenSpread(y, 1))
		var directions mat.Matrix
		var shrunk []float64
		var follow leading
		for range fillRounds {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			all, values, err := follow.components(x, len(shrunk))
			if err != nil {
				return nil, err
			}
			var gain []float64
			shrunk = shrunk[:0]
			for _, v := range values {
				d := math.Sqrt(v * float64(y.Rows))
				if d <= lambda {
					break
				}
				gain = append(gain, (d-lambda)/d)
				shrunk = append(shrunk, square(d-lambda)/float64(y.Rows))
			}
			directions = all.Slice(0, y.Cols, 0, len(gain))
			project(low, x, directions, gain)
			if refill(x, low, y) < tolerance {
				break
			}
		}
		return newLowRank(y, low, mean, directions, shrunk), nil
	}}
}

// columnMeans returns the mean of the observed values of each column; each has one.
func columnMeans(y mat.Matrix) []float64 {
	mean, count := make([]float64, y.Cols), make([]float64, y.Cols)
	for i := range y.Rows {
		for j, v := range y.Row(i) {
			if !math.IsNaN(v) {
				mean[j] += v
				count[j]++
			}
		}
	}
	for j := range mean {
		mean[j] /= count[j]
	}
	return mean
}
