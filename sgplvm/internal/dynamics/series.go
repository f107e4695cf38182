package dynamics

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A column of values over time by itself is y = h(t)ᵀβ + f(t) + e: a mean, a trend and a season with normal coefficients, a Gaussian process of a Matérn kernel, and white noise. The kernel,
// the share of the noise and the variances of the coefficients are those of a grid with the highest density; coefficients and the variance follow in closed form. Everything is done
// by a Kalman filter, in time linear in the number of examples (docs/math.md, 22.11).

// What is tried for a series. Variances are over that of f and e together.
var (
	seriesKinds   = []kernel.Kind{kernel.Matern12, kernel.Matern32, kernel.Matern52}
	seriesNoises  = []float64{0.001, 0.01, 0.05, 0.15, 0.4, 0.8} // shares of the variance
	seriesTrends  = []float64{0, 1, 100, 10000}                  // variances of the rise from the middle to the end
	seriesSeasons = []float64{0.1, 1, 10, 100}                   // variances of the coefficients of the first harmonic
)

const (
	seriesScales    = 10   // length scales are 2⁰ to 2⁹ median spacings
	seriesWork      = 6000 // times of all columns that the kernels are found from, about
	seriesLeast     = 120  // times of a column, at least
	seriesMost      = 1000 // and at most
	seriesColumns   = 64   // more columns have one kernel
	seriesHarmonics = 6    // of a season, at most
	seriesSure      = 3    // log of how much likelier a season has to be than none, strong evidence by Kass and Raftery (1995)
	seriesDrift     = 0.3  // deviation of a season's change from the middle to the end, over that of the season
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
		columns[c].axis = axisOf(all, spacing)
	}
	looked := min(max(seriesLeast, seriesWork/y.Cols), seriesMost)
	if y.Cols <= seriesColumns {
		mat.Parallel(y.Cols, func(c int) {
			if ctx.Err() == nil {
				setLaws(ctx, columns[c:c+1], columns[c:c+1], looked)
			}
		})
	} else {
		var some []*series
		for c := 0; c < y.Cols; c += (y.Cols + seriesColumns - 1) / seriesColumns {
			some = append(some, columns[c])
		}
		setLaws(ctx, columns, some, looked)
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
	axis
	seriesLaw
}

// An axis is what regressors know of all times: the middle, half of the length, and the median spacing.
type axis struct{ middle, half, spacing float64 }

func axisOf(all []data.Sequence, spacing float64) axis {
	first, last := math.Inf(1), math.Inf(-1)
	for _, q := range all {
		first, last = min(first, q.Times[0]), max(last, q.Times[len(q.Times)-1])
	}
	return axis{(first + last) / 2, max((last-first)/2, spacing), spacing}
}

// A seriesLaw is a kernel of unit variance, what share of the variance is noise, the period of the season (0: there is none), and the variances of the coefficients.
type seriesLaw struct {
	kernel        kernel.Kernel
	noise, period float64
	trend, season float64
}

// harmonics returns how many harmonics of a period the spacing shows.
func (a axis) harmonics(period float64) int {
	if period == 0 {
		return 0
	}
	return max(1, min(seriesHarmonics, int(period/(2*a.spacing)+0.01)))
}

// regressors sets h(t): 1, the trend, and for each harmonic cosine and sine and these times the trend.
func (a axis) regressors(h []float64, t, period float64) {
	h[0], h[1] = 1, (t-a.middle)/a.half
	for j := 2; j < len(h); j += 4 {
		h[j+1], h[j] = math.Sincos(2 * math.Pi * float64(1+j/4) * (t - a.middle) / period)
		h[j+2], h[j+3] = h[1]*h[j], h[1]*h[j+1]
	}
}

// deviations returns the standard deviations of the coefficients, in units of f; the mean, whose prior is flat, has 1. Those of harmonic j are 1/j of the first.
func (l *seriesLaw) deviations(n int) []float64 {
	d := make([]float64, n)
	d[0], d[1] = 1, math.Sqrt(l.trend/(1-l.noise))
	for j := 2; j < n; j++ {
		if d[j] = math.Sqrt(l.season/(1-l.noise)) / float64((j+2)/4); j%4 < 2 {
			d[j] *= seriesDrift
		}
	}
	return d
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
	f := &series{axis: s.axis}
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

// setLaws gives series the law under which some of them have the highest density at their first times. A period is sought by the best law without a season, and by a smooth
// one, and has to be more likely than none by as many as were tried.
func setLaws(ctx context.Context, of, some []*series, looked int) {
	var short []*series
	for _, s := range some {
		if f := s.first(looked); f.count > 2 {
			short = append(short, f)
		} else if s.count > 2 {
			short = append(short, s)
		}
	}
	best, most := bestLaw(ctx, short, 0)
	if len(short) > 0 && ctx.Err() == nil {
		smooth := seriesLaw{kernel: kernel.Kernel{Kind: kernel.Matern52, LengthScale: []float64{short[0].half / 2}}, noise: 0.4, trend: 100} // under which nothing else explains a season
		for _, left := range []seriesLaw{best, smooth} {
			if period, tried := findPeriod(short, left); period > 0 {
				law, _ := bestLaw(ctx, short, period)
				law, evidence := refined(short, law)
				if evidence -= math.Log(tried) + seriesSure; evidence > most {
					best, most = law, evidence
				}
			}
		}
	}
	for _, s := range of {
		s.seriesLaw = best
	}
}

// bestLaw returns the law with a period under which series have the highest density, and its logarithm but for a constant.
func bestLaw(ctx context.Context, all []*series, period float64) (best seriesLaw, most float64) {
	most = math.Inf(-1)
	seasons := seriesSeasons
	if period == 0 {
		seasons = []float64{0}
	}
	grams := make([]gram, len(all))
	for _, kind := range seriesKinds {
		for scale := range seriesScales {
			if ctx.Err() != nil {
				return best, most
			}
			for _, noise := range seriesNoises {
				law := seriesLaw{noise: noise, period: period}
				for k, s := range all {
					law.kernel = kernel.Kernel{Kind: kind, LengthScale: []float64{s.spacing * float64(int(1)<<scale)}}
					grams[k] = s.gram(law, nil)
				}
				for _, law.trend = range seriesTrends {
					for _, law.season = range seasons {
						var evidence float64
						for k, s := range all {
							evidence += s.evidence(law, &grams[k])
						}
						if evidence > most {
							most, best = evidence, law
						}
					}
				}
			}
		}
	}
	return best, most
}

// A gram has for the regressors and, in the last row, the values, their inner products in (K + Λ⁻¹)⁻¹, and log|B|. Λ are the precisions of what was observed under a law in which K has unit variance.
type gram struct {
	products mat.Matrix
	logDet   float64
}

// gram makes the products under a law. keep, unless nil, is given for each sequence its system and what (K + Λ⁻¹)⁻¹ makes of the regressors and values, one a row.
func (s *series) gram(law seriesLaw, keep func(m *system, f *kalman, precisions []float64, solved mat.Matrix)) (g gram) {
	lambda, n := (1-law.noise)/law.noise, 2+4*s.harmonics(law.period)
	g.products = mat.New(n+1, n+1)
	h := make([]float64, n)
	for k, q := range s.sequences {
		m := new(system)
		m.set(law.kernel, q.Times)
		precisions := make([]float64, len(q.Times))
		asm.Scale(precisions, lambda, s.observed[k])
		var f kalman
		g.logDet += f.forward(m, precisions, nil)
		gains := gainsOf(m, &f)
		rows := mat.New(n+1, len(q.Times))
		for i, t := range q.Times {
			s.regressors(h, t, law.period)
			for j, v := range h {
				rows.Set(j, i, v*s.observed[k][i])
			}
		}
		copy(rows.Row(n), s.values[k])
		solved := rows.Clone()
		for j := range n + 1 {
			gains.solve(m, solved.Row(j))
		}
		mat.Mul(g.products, 1, solved, rows.T(), 1)
		if keep != nil {
			keep(m, &f, precisions, solved)
		}
	}
	return g
}

// coefficients returns the factor of D·G·D + diag(0, 1, …), G the products of the regressors and D the deviations of the coefficients, these, β, and the square of what is left of the values.
func (s *series) coefficients(law seriesLaw, g *gram) (m *chol.Factor, deviations, beta []float64, square float64, err error) {
	n := g.products.Rows - 1
	m, deviations = new(chol.Factor), law.deviations(n)
	a, b := mat.New(n, n), mat.New(n, 1)
	for i, d := range deviations {
		for j, e := range deviations {
			a.Set(i, j, d*e*g.products.At(i, j))
		}
		if i > 0 {
			a.Set(i, i, a.At(i, i)+1)
		}
		b.Set(i, 0, d*g.products.At(i, n))
	}
	if err = m.Refactorize(a); err != nil {
		return m, nil, nil, 0, err
	}
	m.SolveHalf(b)
	square = g.products.At(n, n) - asm.Dot(b.Data, b.Data)
	m.SolveHalfT(b)
	for i, d := range deviations {
		b.Data[i] *= d
	}
	return m, deviations, b.Data, square, nil
}

// evidence returns the log density of a series under a law with the best variance, but for a constant; the mean has a flat prior.
func (s *series) evidence(law seriesLaw, g *gram) float64 {
	m, _, _, square, err := s.coefficients(law, g)
	if err != nil {
		return math.Inf(-1)
	}
	return -0.5 * ((s.count-1)*math.Log(max(square, math.SmallestNonzeroFloat64)) + g.logDet + s.count*math.Log(law.noise/(1-law.noise)) + m.LogDet())
}

// findPeriod returns the period whose harmonics explain most of what a law leaves of the first times of series, by the Bayesian information criterion, and among how many it is; 0: none does. Its
// frequencies are a quarter of one over the length apart, so that a quarter of them are independent.
func findPeriod(all []*series, law seriesLaw) (period, tried float64) {
	length := 2 * all[0].half
	count := min(int(2*length/all[0].spacing), 2*seriesMost)
	if count < 8 {
		return 0, 0
	}
	explained, values := make([]float64, count+1), 0.
	for _, s := range all {
		g := s.gram(law, nil)
		_, _, beta, square, err := s.coefficients(law, &g)
		if err != nil || !(square > 0) {
			continue
		}
		values += s.count
		lambda, h := (1-law.noise)/law.noise, make([]float64, 2)
		for k, q := range s.sequences {
			m := new(system)
			m.set(law.kernel, q.Times)
			precisions, left := make([]float64, len(q.Times)), make([]float64, len(q.Times))
			asm.Scale(precisions, lambda, s.observed[k])
			gains := newGains(m, precisions)
			for i, t := range q.Times {
				s.regressors(h, t, 0)
				left[i] = s.observed[k][i] * (s.values[k][i] - asm.Dot(h, beta))
			}
			gains.solve(m, left)
			mat.Parallel(count-7, func(at int) {
				at += 8
				wave := mat.New(2, len(q.Times))
				for i, t := range q.Times {
					sin, cos := math.Sincos(2 * math.Pi * float64(at) / 4 / length * t)
					wave.Set(0, i, cos*s.observed[k][i])
					wave.Set(1, i, sin*s.observed[k][i])
				}
				c, d := asm.Dot(wave.Row(0), left), asm.Dot(wave.Row(1), left)
				solved := wave.Clone()
				gains.solve(m, solved.Row(0))
				gains.solve(m, solved.Row(1))
				cc, cd, dd := asm.Dot(wave.Row(0), solved.Row(0)), asm.Dot(wave.Row(0), solved.Row(1)), asm.Dot(wave.Row(1), solved.Row(1))
				if det := cc*dd - cd*cd; det > 1e-9*cc*dd {
					explained[at] += (c*c*dd - 2*c*d*cd + d*d*cc) / det / square
				} else { // both are one wave
					explained[at] += max(c*c/max(cc, 1e-300), d*d/max(dd, 1e-300)) / square
				}
			})
		}
	}
	scores := make([]float64, count+1)
	for at := 8; at <= count; at++ {
		var of float64
		pairs := all[0].harmonics(4 * length / float64(at))
		for j := 1; j <= pairs && j*at <= count; j++ {
			of += explained[j*at] / float64(len(all))
		}
		scores[at] = -0.5*values*math.Log(max(1-of, 1e-9)) - float64(pairs*len(all))*math.Log(values/float64(len(all)))
	}
	best := 8
	for at := 8; at <= count; at++ {
		if scores[at] > scores[best] {
			best = at
		}
	}
	if !(scores[best] > 0) {
		return 0, 0
	}
	law.period, law.season = 4*length/float64(best), 1
	law, _ = refined(all, law)
	return law.period, float64(count) / 4
}

// refined returns a law with the period near its own, by half a step of findPeriod in frequency at most, under which series have the highest density, and its logarithm but for a constant.
func refined(all []*series, law seriesLaw) (best seriesLaw, most float64) {
	most = math.Inf(-1)
	about := 1 / law.period
	for k := -8; k <= 8; k++ {
		law.period = 1 / (about + float64(k)/(128*all[0].half))
		var evidence float64
		for _, s := range all {
			g := s.gram(law, nil)
			evidence += s.evidence(law, &g)
		}
		if evidence > most {
			most, best = evidence, law
		}
	}
	return best, most
}

// fill sets the moments of the missing values of a column.
func (s *series) fill(mean, variance mat.Matrix, c int) {
	var m *chol.Factor
	var systems []*system
	var within [][]float64 // prior variances given what was observed
	var solved []mat.Matrix
	var deviations, beta []float64
	var square float64
	known := s.count > 2
	if known {
		g := s.gram(s.seriesLaw, func(m *system, f *kalman, precisions []float64, of mat.Matrix) {
			v := make([]float64, len(precisions))
			f.backward(m, precisions, nil, nil, func(i int, slope dual) { v[i] = slope.v })
			systems, within, solved = append(systems, m), append(within, v), append(solved, of)
		})
		var err error
		m, deviations, beta, square, err = s.coefficients(s.seriesLaw, &g)
		known = err == nil
	}
	if !known {
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
	lambda, total := (1-s.noise)/s.noise, max(square, 0)/(s.count-1) // the variance that K's unit stands for
	n := len(beta)
	for k, q := range s.sequences {
		smooth := mat.New(n+1, len(q.Times)) // K of what was solved for
		for j := range n + 1 {
			systems[k].mul(smooth.Row(j), solved[k].Row(j), nil)
		}
		h, g := make([]float64, n), mat.New(n, 1)
		for at, i := range q.Examples {
			if s.observed[k][at] > 0 {
				continue
			}
			s.regressors(h, q.Times[at], s.period)
			mu := smooth.At(n, at)
			for j, d := range deviations {
				left := h[j] - smooth.At(j, at)
				mu += left * beta[j]
				g.Set(j, 0, d*left)
			}
			m.SolveHalf(g)
			mean.Set(i, c, mu)
			variance.Set(i, c, total*(within[k][at]+1/lambda+asm.Dot(g.Data, g.Data)))
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
