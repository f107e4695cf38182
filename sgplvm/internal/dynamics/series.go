package dynamics

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
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

// regressors sets h(t): for each harmonic cosine and sine and these times the trend; 1 and the trend.
func (a axis) regressors(h []float64, t, period float64) {
	n := len(h) - 2
	h[n], h[n+1] = 1, (t-a.middle)/a.half
	for j := 0; j < n; j += 4 {
		h[j+1], h[j] = math.Sincos(2 * math.Pi * float64(1+j/4) * (t - a.middle) / period)
		h[j+2], h[j+3] = h[n+1]*h[j], h[n+1]*h[j+1]
	}
}

// deviations returns the standard deviations of n coefficients, in units of f; the mean, whose prior is flat, has 1. Those of harmonic j are 1/j of the first.
func (l *seriesLaw) deviations(n int) []float64 {
	d := make([]float64, n)
	d[n-2], d[n-1] = 1, math.Sqrt(l.trend/(1-l.noise))
	for j := range n - 2 {
		if d[j] = math.Sqrt(l.season/(1-l.noise)) / float64(1+j/4); j%4 > 1 {
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
		for _, left := range []seriesLaw{best, smoothLaw(short[0].half)} {
			if period, _, tried := findPeriod(short, left, math.Inf(1)); period > 0 {
				law, evidence := bestLaw(ctx, short, period)
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

// bestLaw returns the law with a period under which series have the highest density, and its logarithm but for a constant: of every second length scale and noise, then of those beside the best.
func bestLaw(ctx context.Context, all []*series, period float64) (best seriesLaw, most float64) {
	most = math.Inf(-1)
	seasons := seriesSeasons
	if period == 0 {
		seasons = []float64{0}
	}
	grams, trends, rows := make([]gram, len(all)), make([]trendOnly, len(all)), make([][]mat.Matrix, len(all))
	for k, s := range all {
		rows[k] = s.rows(period)
	}
	var r innovations
	var bestScale, bestNoise int
	try := func(kind kernel.Kind, scale, noise int) {
		law := seriesLaw{noise: seriesNoises[noise], period: period}
		for k, s := range all {
			law.kernel = kernel.Kernel{Kind: kind, LengthScale: []float64{s.spacing * float64(int(1)<<scale)}}
			grams[k] = s.gram(law, rows[k], &r)
		}
		for _, law.season = range seasons {
			for k, s := range all {
				trends[k] = s.trendOnly(law, &grams[k])
			}
			for _, law.trend = range seriesTrends {
				var evidence float64
				for k := range trends {
					evidence += trends[k].evidence(law)
				}
				if evidence > most {
					most, best, bestScale, bestNoise = evidence, law, scale, noise
				}
			}
		}
	}
	for step := 2; step > 0; step-- {
		aboutScale, aboutNoise := bestScale, bestNoise
		for _, kind := range seriesKinds {
			for scale := range seriesScales {
				if ctx.Err() != nil {
					return best, most
				}
				for noise := range seriesNoises {
					coarse := scale%2 == 0 && noise%2 == 0
					if near := max(scale-aboutScale, aboutScale-scale, noise-aboutNoise, aboutNoise-noise) < 2; coarse && step == 2 || near && !coarse && step == 1 {
						try(kind, scale, noise)
					}
				}
			}
		}
	}
	return best, most
}

// rows returns for each sequence regressors and values, a row for each time.
func (s *series) rows(period float64) (rows []mat.Matrix) {
	n := 4*s.harmonics(period) + 2
	for k, q := range s.sequences {
		m := mat.New(len(q.Times), n+1)
		for i, t := range q.Times {
			s.regressors(m.Row(i)[:n], t, period)
			m.Set(i, n, s.values[k][i])
		}
		rows = append(rows, m)
	}
	return rows
}

// whitened returns R⁻¹ of the rows of a sequence, where R·Rᵀ = K + Λ⁻¹ with K of unit variance and Λ the precisions of what was observed under a law. It sets r to R.
func (s *series) whitened(r *innovations, k int, law seriesLaw, rows mat.Matrix) mat.Matrix {
	precisions, white := work.Grown(r.precisions, rows.Rows), rows.Clone()
	asm.Scale(precisions, (1-law.noise)/law.noise, s.observed[k])
	r.set(law.kernel, s.sequences[k].Times, precisions)
	r.SolveHalf(white)
	return white
}

// A gram has for the regressors and, in the last row, the values, their inner products in (K + Λ⁻¹)⁻¹, and log|K + Λ⁻¹| of what was observed.
type gram struct {
	products mat.Matrix
	logDet   float64
}

func (s *series) gram(law seriesLaw, rows []mat.Matrix, r *innovations) gram {
	n := rows[0].Cols
	g := gram{mat.New(n, n), s.count * math.Log(law.noise/(1-law.noise))}
	for k := range rows {
		mat.Syrk(g.products, 1, s.whitened(r, k, law, rows[k]).T(), 1)
		g.logDet += r.logDet
	}
	mat.MirrorLower(g.products)
	return g
}

// A trendOnly is what is left of a gram, for the trend and the values, after the mean and the season under its prior have been eliminated.
type trendOnly struct{ count, trend, both, values, logDet float64 }

func (s *series) trendOnly(law seriesLaw, g *gram) trendOnly {
	a, logDet := g.products.Clone(), g.logDet
	n := a.Rows - 1
	for j, d := range law.deviations(n)[:n-1] {
		if j < n-2 {
			a.Set(j, j, a.At(j, j)+1/(d*d))
		}
		pivot := a.At(j, j)
		logDet += math.Log(d * d * pivot)
		for i := j + 1; i <= n; i++ {
			asm.Axpy(-a.At(j, i)/pivot, a.Row(j)[i:], a.Row(i)[i:])
		}
	}
	return trendOnly{s.count, a.At(n-1, n-1), a.At(n-1, n), a.At(n, n), logDet}
}

// evidence returns the log density of a series under a law with the best variance, but for a constant; the mean has a flat prior.
func (t *trendOnly) evidence(law seriesLaw) float64 {
	v := law.trend / (1 - law.noise)
	grown := 1 + v*t.trend
	return -0.5 * ((t.count-1)*math.Log(max(t.values-v*t.both*t.both/grown, math.SmallestNonzeroFloat64)) + t.logDet + math.Log(grown))
}

// solved returns the factor of D·G·D + diag(1, …, 0, 1), G the products of the regressors and D the deviations of the coefficients, these, β, and the square of what is left of the values.
func (g *gram) solved(law seriesLaw) (m *chol.Factor, deviations, beta []float64, square float64, err error) {
	n := g.products.Rows - 1
	m, deviations = new(chol.Factor), law.deviations(n)
	a, b := mat.New(n, n), mat.New(n, 1)
	for i, d := range deviations {
		for j, e := range deviations {
			a.Set(i, j, d*e*g.products.At(i, j))
		}
		if i != n-2 {
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

// fill sets the moments of the missing values of a column.
func (s *series) fill(mean, variance mat.Matrix, c int) {
	if s.count <= 2 {
		s.fillFew(mean, variance, c)
		return
	}
	rows := s.rows(s.period)
	g := s.gram(s.seriesLaw, rows, new(innovations))
	m, deviations, beta, square, err := g.solved(s.seriesLaw)
	if err != nil {
		s.fillFew(mean, variance, c)
		return
	}
	lambda, total := (1-s.noise)/s.noise, max(square, 0)/(s.count-1) // the variance that K's unit stands for
	n := len(beta)
	for k, q := range s.sequences {
		r := new(innovations)
		smooth := s.whitened(r, k, s.seriesLaw, rows[k])
		r.SolveHalfT(smooth)
		smooth = smooth.T().Clone() // K·(K + Λ⁻¹)⁻¹ of regressors and values
		for j := range n + 1 {
			r.system.mul(smooth.Row(j), slices.Clone(smooth.Row(j)), nil)
		}
		within := make([]float64, len(q.Times)) // prior variances given what was observed
		r.filter.backward(&r.system, r.precisions, nil, nil, func(i int, slope dual) { within[i] = slope.v })
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
			variance.Set(i, c, total*(within[at]+1/lambda+asm.Dot(g.Data, g.Data)))
		}
	}
}

// fillFew sets the missing values to the mean of the others, of which nothing is claimed.
func (s *series) fillFew(mean, variance mat.Matrix, c int) {
	var sum float64
	for k := range s.values {
		sum += work.Sum(s.values[k])
	}
	for k, q := range s.sequences {
		for j, i := range q.Examples {
			if s.observed[k][j] == 0 {
				mean.Set(i, c, sum/max(1, s.count))
				variance.Set(i, c, math.Inf(1))
			}
		}
	}
}
