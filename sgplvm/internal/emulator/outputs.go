package emulator

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Memory returns about how many bytes Fit takes for n runs of so many values without missing ones: for components and slabs, and for kernels. Measured peaks of 60 runs of 200,000
// values, 200 of 20,000 and 3000 of 20 were .8 to 1 times as much.
func Memory(n, size int) (slabs, kernels float64) {
	all := float64(n)
	n = min(n, exactRuns)
	modes, slab := float64(modes(n)), float64(min(n*size, slabNumbers))
	return 12*float64(size)*modes + 8*slab*(4+2*modes/float64(n)), 8 * (float64(n*n)*float64(nearModes(n)+6) + all*modes)
}

// A calibration adds up how errors of runs held out compare with their variances, over the values that vary.
type calibration struct {
	predictions []prediction
	sum, count  float64
	logs        float64   // of the variances, summed
	squares     float64   // of errors, summed
	variances   float64   // and their variances
	ratios      []float64 // of some: e²/variance
}

// collect takes in all values of outputs, of which a validator has some runs, by what a choice predicts of those held out; left hears of the variances that components leave
// out, from a value on, and told of every value that varies, and what was predicted. Either may be nil.
func (s *calibration) collect(ctx context.Context, y *data.Scaled, j *Validator, v *Scored, runs []int, left func(from int, of []float64), told func(k int, t, mean, variance float64)) error {
	folds, err := j.at(ctx, v.Components)
	if err != nil {
		return err
	}
	for _, f := range folds {
		p, err := f.predict(ctx, v.Choice) // again, if an earlier run did
		if err != nil {
			return err
		}
		s.predictions = append(s.predictions, p)
	}
	return eachSlab(y, func(slab mat.Matrix, from int) error {
		of := s.slab(rows(slab, runs), folds, from, told)
		if left != nil {
			left(from, of)
		}
		return nil
	})
}

// slab takes in some values of the validator's runs, and returns the variance of each that components leave out.
func (s *calibration) slab(y mat.Matrix, folds []*fold, from int, told func(k int, t, mean, variance float64)) []float64 {
	n, width := 0, y.Cols
	for _, f := range folds {
		n += len(f.held)
	}
	errors, variances, values, left := mat.New(n, width), mat.New(n, width), mat.New(n, width), make([]float64, width)
	at := 0
	for t, f := range folds {
		v, mean := f.basis.expand(y)
		held := rows(y, f.held)
		mat.Copy(values.Slice(at, at+held.Rows, 0, width), held)
		mat.Parallel(held.Rows, func(i int) {
			row := held.Row(i)
			for k := range row {
				row[k] -= mean[k]
			}
		})
		scaled, squares := mat.New(v.Rows, v.Cols), mat.New(v.Rows, v.Cols)
		mat.ScaleCols(scaled, v, f.basis.Deviations)
		mat.MulElem(squares, scaled, scaled)
		inside, e, var1 := mat.New(held.Rows, width), held.Clone(), mat.New(held.Rows, width)
		mat.Mul(inside, 1, f.pHeld, scaled.T(), 0)
		mat.Mul(e, -1, s.predictions[t].mean, scaled.T(), 1)
		mat.Mul(var1, 1, s.predictions[t].variance, squares.T(), 0)
		for i := range f.held {
			for k, x := range held.Row(i) {
				out := x - inside.At(i, k)
				left[k] += out * out / float64(n)
			}
			copy(errors.Row(at), e.Row(i))
			copy(variances.Row(at), var1.Row(i))
			at++
		}
	}
	mean := 0.
	for _, v := range left {
		mean += v / float64(width)
	}
	varies := variation(y)
	for k, v := range varies {
		if v == 0 {
			left[k] = 0
			continue
		}
		left[k] = (float64(n)*left[k] + mean) / float64(n+1)
		for i := range n {
			e, v := errors.At(i, k), variances.At(i, k)+left[k]
			if v > 0 {
				s.logs += math.Log(v)
				if told != nil {
					told(from+k, values.At(i, k), values.At(i, k)-e, v)
				}
				s.sum += e * e / v
				s.count++
				s.squares += e * e
				s.variances += v
				if (i+k)%max(1, n*width/100_000) == 0 {
					s.ratios = append(s.ratios, e*e/v)
				}
			}
		}
	}
	return left
}

// foretold returns the root mean squared error of new outputs, whose inputs are distributed as those of the runs but between them: that of held-out outputs, times what the
// model's deviations at such inputs are of those in the folds.
func (s *calibration) foretold(m *Model) float64 {
	if s.variances == 0 {
		return m.Errors.Mean
	}
	const draws = 500
	size, sum := float64(m.V.Rows), 0.
	for _, v := range m.Left {
		sum += draws * v
	}
	_, variance := m.Predict(m.NewPrior(FromRuns).Spread(draws, 0))
	for i := range variance.Rows {
		for j, d := range m.Deviations {
			sum += d * d * variance.At(i, j)
		}
	}
	return math.Sqrt(sum / size / draws * s.squares / s.variances)
}

// factor returns that of variances: the geometric mean of the one under which errors are likeliest, which the largest errors decide, and of the one with which
// 90 % intervals hold 90 % of the values.
func (s *calibration) factor() float64 {
	if s.count == 0 || s.sum == 0 {
		return 1
	}
	sorted := slices.Sorted(slices.Values(s.ratios))
	quantile := sorted[min(len(sorted)-1, len(sorted)*9/10)] / (within90 * within90)
	if quantile == 0 {
		return s.sum / s.count
	}
	return math.Sqrt(s.sum / s.count * quantile)
}

// within90 is how many deviations on either side hold 90 % of a normal distribution.
const within90 = 1.6448536269514722

// covered returns the share of values within 90 % intervals whose variances are multiplied by a factor.
func (s *calibration) covered(factor float64) float64 {
	within := 0.
	for _, r := range s.ratios {
		if r <= factor*within90*within90 {
			within++
		}
	}
	return within / max(1, float64(len(s.ratios)))
}

// variation returns the largest difference from the first row of each column, 0 where that is rounding.
func variation(y mat.Matrix) []float64 {
	most := make([]float64, y.Cols)
	first := y.Row(0)
	for i := range y.Rows {
		for k, v := range y.Row(i) {
			most[k] = max(most[k], math.Abs(v-first[k]))
		}
	}
	for k := range most {
		if most[k] <= 1e-12*math.Abs(first[k]) {
			most[k] = 0
		}
	}
	return most
}
