package dynamics

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A column of values over time by itself is y = μ + f(t) + e: a Gaussian process of a Matérn kernel, and white noise. Its kernel and the share of the
// noise are those of a grid with the highest density, the mean and the variance follow from them in closed form. Everything
// is done by a Kalman filter, in time linear in the number of examples.

// What is tried for a series.
var (
	seriesKinds  = []kernel.Kind{kernel.Matern12, kernel.Matern32, kernel.Matern52}
	seriesNoises = []float64{0.001, 0.01, 0.05, 0.15, 0.4, 0.8} // shares of the variance
)

const (
	seriesScales  = 10    // length scales are 2⁰ to 2⁹ median spacings
	seriesWork    = 30000 // times of all columns that the kernels are found from, about
	seriesLeast   = 120   // times of a column
	seriesColumns = 64    // more columns have one kernel
)

// FillSeries fills in the missing values of each column of y (n×p) by what the column says at other times: it sets their means and variances, noise
// included, and leaves the others as they are. missing has n·p elements. A column of fewer than three values gets their mean and
// an infinite variance. Errors: ctx.Err().
func FillSeries(ctx context.Context, mean, variance, y mat.Matrix, missing []bool, times []float64, labels []int) error {
	all := data.Sequences(times, labels)
	spacing := medianGap(all)
	columns := make([]*series, y.Cols)
	for c := range columns {
		columns[c] = newSeries(all, y, missing, c)
	}
	looked := max(seriesLeast, seriesWork/y.Cols)
	if y.Cols <= seriesColumns {
		mat.Parallel(y.Cols, func(c int) {
			if ctx.Err() == nil {
				setKernels(columns[c:c+1], columns[c:c+1], spacing, looked)
			}
		})
	} else {
		var some []*series
		for c := 0; c < y.Cols; c += (y.Cols + seriesColumns - 1) / seriesColumns {
			some = append(some, columns[c])
		}
		setKernels(columns, some, spacing, looked)
	}
	mat.Parallel(y.Cols, func(c int) {
		if ctx.Err() == nil {
			columns[c].fill(mean, variance, c)
		}
	})
	return ctx.Err()
}

// A series is a column: its values in order of time, sequence by sequence.
type series struct {
	sequences []data.Sequence
	values    [][]float64 // 0 where missing
	observed  [][]float64 // 1 where it is not
	count     float64     // of observed values
	seriesLaw
}

// A seriesLaw is a kernel of unit variance, and what share of the variance is noise.
type seriesLaw struct {
	kernel kernel.Kernel
	noise  float64
}

func newSeries(all []data.Sequence, y mat.Matrix, missing []bool, c int) *series {
	s := &series{sequences: all}
	for _, q := range all {
		v, o := make([]float64, len(q.Examples)), make([]float64, len(q.Examples))
		for k, i := range q.Examples {
			if !missing[i*y.Cols+c] {
				v[k], o[k] = y.At(i, c), 1
				s.count++
			}
		}
		s.values, s.observed = append(s.values, v), append(s.observed, o)
	}
	return s
}

// first returns a series of the first times, about so many.
func (s *series) first(most int) *series {
	f := &series{}
	for k, q := range s.sequences {
		n := min(len(q.Times), most)
		if most -= n; n == 0 {
			break
		}
		f.sequences = append(f.sequences, data.Sequence{Times: q.Times[:n], Examples: q.Examples[:n]})
		f.values, f.observed = append(f.values, s.values[k][:n]), append(f.observed, s.observed[k][:n])
		for _, o := range s.observed[k][:n] {
			f.count += o
		}
	}
	return f
}

// setKernels gives series the law under which some of them have the highest density at their first times.
func setKernels(of, some []*series, spacing float64, looked int) {
	var short []*series
	for _, s := range some {
		if f := s.first(looked); f.count > 2 {
			short = append(short, f)
		} else if s.count > 2 {
			short = append(short, s)
		}
	}
	var best seriesLaw
	most := math.Inf(-1)
	for _, kind := range seriesKinds {
		for scale := range seriesScales {
			k := kernel.Kernel{Kind: kind, LengthScale: []float64{spacing * float64(int(1)<<scale)}}
			for _, noise := range seriesNoises {
				law, evidence := seriesLaw{k, noise}, 0.0
				for _, s := range short {
					evidence += s.evidence(law)
				}
				if evidence > most {
					most, best = evidence, law
				}
			}
		}
	}
	for _, s := range of {
		s.seriesLaw = best
	}
}

// fit returns for each sequence what (K + Λ⁻¹)⁻¹ makes of its values less the best mean, that mean, and Σ log|B|. Λ are the precisions of what was
// observed under a law in which K has unit variance.
func (s *series) fit(law seriesLaw) (solved [][]float64, systems []*system, mean, square, logDet float64) {
	lambda := (1 - law.noise) / law.noise
	var ones [][]float64
	var up, down float64
	for k, q := range s.sequences {
		m := new(system)
		m.set(law.kernel, q.Times)
		precisions := make([]float64, len(q.Times))
		asm.Scale(precisions, lambda, s.observed[k])
		var f kalman
		logDet += f.forward(m, precisions, nil)
		g := gainsOf(m, &f)
		a, b := append([]float64(nil), s.values[k]...), append([]float64(nil), s.observed[k]...)
		g.solve(m, a)
		g.solve(m, b)
		up, down = up+asm.Dot(s.observed[k], a), down+asm.Dot(s.observed[k], b)
		square += asm.Dot(s.values[k], a)
		solved, ones, systems = append(solved, a), append(ones, b), append(systems, m)
	}
	mean = up / down
	square -= mean * up
	for k := range solved {
		asm.Axpy(-mean, ones[k], solved[k])
	}
	return solved, systems, mean, square, logDet
}

// evidence returns the log density of a series under a law with the best mean and variance, but for a constant.
func (s *series) evidence(law seriesLaw) float64 {
	_, _, _, square, logDet := s.fit(law)
	return -0.5 * (s.count*math.Log(max(square/(1-law.noise), math.SmallestNonzeroFloat64)) + logDet + s.count*math.Log(law.noise))
}

// fill sets the moments of the missing values of a column.
func (s *series) fill(mean, variance mat.Matrix, c int) {
	if s.count < 3 {
		var sum float64
		for k := range s.values {
			sum += asm.Dot(s.values[k], s.observed[k])
		}
		s.each(func(_, _, i int) {
			mean.Set(i, c, sum/max(1, s.count))
			variance.Set(i, c, math.Inf(1))
		})
		return
	}
	solved, systems, mu, square, _ := s.fit(s.seriesLaw)
	lambda := (1 - s.noise) / s.noise
	total := square / (s.count - 1) // the variance that K's unit stands for
	for k, m := range systems {
		n := len(solved[k])
		f, within, precisions := kalman{}, make([]float64, n), make([]float64, n)
		asm.Scale(precisions, lambda, s.observed[k])
		f.forward(m, precisions, nil)
		f.backward(m, precisions, nil, nil, func(i int, slope dual) { within[i] = slope.v })
		smooth := make([]float64, n)
		m.mul(smooth, solved[k], nil)
		for j, i := range s.sequences[k].Examples {
			if s.observed[k][j] == 0 {
				mean.Set(i, c, mu+smooth[j])
				variance.Set(i, c, total*(within[j]+1/lambda))
			}
		}
	}
}

// each calls body for every missing value: its sequence, its place there and its example.
func (s *series) each(body func(k, j, i int)) {
	for k, q := range s.sequences {
		for j, i := range q.Examples {
			if s.observed[k][j] == 0 {
				body(k, j, i)
			}
		}
	}
}
