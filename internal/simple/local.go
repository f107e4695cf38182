package simple

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

const (
	localRounds   = 3       // of filling in the examples that neighbours are looked for among, each from what the last one filled in
	minNeighbours = 8       // of the smallest neighbourhood that is tried; each further one has twice as many
	maxNeighbours = 256     // of the largest neighbourhood; of at most twice as many examples all are tried too
	maxReferences = 2000    // examples among which neighbours are looked for
	maxLocalWork  = 1 << 31 // differences between all of these, which bound their number too
	judgedLocally = 100     // examples at most whose hidden values choose a neighbourhood
)

// ridges are the penalties that are tried, in mean squares of an observed value.
var ridges = []float64{0.003, 0.03, 0.3}

// A local fills in an example by linear regression of its missing values on its observed ones, learned from the examples nearest to it, weighed by how near they
// are (W. S. Cleveland, Journal of the American Statistical Association 74, 1979), with a ridge penalty.
type local struct {
	z          mat.Matrix // completed examples, less the means of the columns, in standard deviations
	neighbours int        // as many as there are other examples: all of these, weighed alike
	ridge      float64
	squares    float64 // mean square of the errors of hidden values
	scale      float64 // by what factor these exceed the variances told
}

// An incomplete example has values in observed columns, and others that are wanted.
type incomplete struct {
	y              []float64 // as those of local
	self           int       // its number among the examples of local; -1: it is none of these
	observed, want []int
	truth          []float64 // wanted values, where they are known
}

// fillLocal is local regression. Principal components fill in the examples first. Hidden values choose the neighbourhood and the penalty in each round.
func (s *Start) fillLocal(ctx context.Context, d Data, mean, variance mat.Matrix) error {
	some := d.some(max(minNeighbours, min(maxReferences, int(math.Sqrt(maxLocalWork/float64(d.Y.Cols))))))
	step := (d.Y.Rows + some.Y.Rows - 1) / some.Y.Rows
	some.Wanted = nil // all of these are filled in
	left, hidden := some.hide()
	e, err := s.of(ctx, d, left)
	if err != nil {
		return err
	}
	if err := e.climb(ctx, lastRounds, lastTolerance); err != nil {
		return err
	}
	begin := left.Y.Clone()
	if err := e.fill(ctx, begin, mat.New(begin.Rows, begin.Cols), 1); err != nil {
		return err
	}
	m, sd := e.m, e.sd
	y, z := m.standardised(d.Y, sd), m.standardised(begin, sd)
	truth := make([]float64, len(hidden))
	for k, at := range hidden {
		truth[k] = y.At(at/y.Cols*step, at%y.Cols)
	}
	best := local{squares: math.Inf(1)}
	for round := range localRounds {
		l := local{z: z}
		if err := l.choose(ctx, left, hidden, truth); err != nil {
			return err
		}
		if !(l.squares < best.squares) {
			break
		}
		if best, z = l, z.Clone(); round == localRounds-1 {
			break
		}
		if err := best.fill(ctx, left, best.z, 1, func(i, j int, mean, _ float64) { z.Set(i, j, mean) }); err != nil {
			return err
		}
	}
	if math.IsInf(best.squares, 1) { // nothing could be hidden
		return s.fillComponents(ctx, d, mean, variance)
	}
	for k, at := range hidden {
		best.z.Data[at] = truth[k]
	}
	return best.fill(ctx, d, y, step, func(i, j int, mu, v float64) {
		if m.count[j] > 0 {
			mean.Set(i, j, m.mean[j]+sd[j]*mu)
			variance.Set(i, j, square(sd[j])*best.scale*v)
		}
	})
}

// standardised returns values less the means of the columns, in standard deviations; 0 for no number.
func (m *moments) standardised(y mat.Matrix, sd []float64) mat.Matrix {
	z := mat.New(y.Rows, y.Cols)
	for i := range y.Rows {
		for j, v := range y.Row(i) {
			if v = (v - m.mean[j]) / sd[j]; !math.IsNaN(v) {
				z.Set(i, j, v)
			}
		}
	}
	return z
}

// choose sets the neighbourhood and the penalty by values that are hidden in left, at these places in its mask.
func (l *local) choose(ctx context.Context, left Data, hidden []int, truth []float64) error {
	p := left.Y.Cols
	var list []incomplete
	for k := 0; k < len(hidden); {
		e := incomplete{self: hidden[k] / p, y: l.z.Row(hidden[k] / p)}
		for ; k < len(hidden) && hidden[k]/p == e.self; k++ {
			e.want, e.truth = append(e.want, hidden[k]%p), append(e.truth, truth[k])
		}
		if e.observed = columns(left.missing(e.self), false); len(e.observed) > 0 {
			list = append(list, e)
		}
	}
	for k := range min(len(list), judgedLocally) { // evenly
		list[k] = list[k*len(list)/min(len(list), judgedLocally)]
	}
	list = list[:min(len(list), judgedLocally)]
	var tried []int
	all := l.z.Rows - 1
	for k := minNeighbours; 2*k <= all && k <= maxNeighbours; k *= 2 {
		tried = append(tried, k)
	}
	if all <= 2*maxNeighbours { // linear regression by more is what principal components do
		tried = append(tried, all)
	}
	type sums struct{ squares, chi, count float64 }
	each, failures := make([][]sums, len(list)), make([]error, len(list))
	mat.Parallel(len(list), func(n int) {
		if failures[n] = ctx.Err(); failures[n] != nil {
			return
		}
		e := list[n]
		each[n] = make([]sums, len(tried)*len(ridges))
		near := l.nearest(e)
		for t, k := range tried {
			failures[n] = cmp.Or(failures[n], l.regress(e, near, k, ridges, func(r int, mean, variance []float64) {
				s := &each[n][t*len(ridges)+r]
				for k, y := range e.truth {
					r := square(y - mean[k])
					s.squares += r
					s.chi += r / variance[k]
					s.count++
				}
			}))
		}
	})
	if err := cmp.Or(failures...); err != nil {
		return err
	}
	l.squares = math.Inf(1)
	for c := range len(tried) * len(ridges) {
		var total sums
		for _, s := range each {
			total.squares, total.chi, total.count = total.squares+s[c].squares, total.chi+s[c].chi, total.count+s[c].count
		}
		if total.squares/total.count < l.squares {
			l.neighbours, l.ridge = tried[c/len(ridges)], ridges[c%len(ridges)]
			l.squares, l.scale = total.squares/total.count, total.chi/total.count
		}
	}
	return nil
}

// fill calls set with mean and variance of each value that is missing in the examples of d of which values are wanted. y has their values, and every step-th is one of local's.
func (l *local) fill(ctx context.Context, d Data, y mat.Matrix, step int, set func(i, j int, mean, variance float64)) error {
	failures := make([]error, d.Y.Rows)
	mat.Parallel(d.Y.Rows, func(i int) {
		if d.Wanted != nil && !slices.Contains(d.Wanted[i*d.Y.Cols:(i+1)*d.Y.Cols], true) {
			return
		}
		e := incomplete{y: y.Row(i), self: -1, observed: columns(d.missing(i), false), want: columns(d.missing(i), true)}
		if i%step == 0 {
			e.self = i / step
		}
		if failures[i] = ctx.Err(); failures[i] == nil && len(e.want) > 0 {
			failures[i] = l.regress(e, l.nearest(e), l.neighbours, []float64{l.ridge}, func(_ int, mean, variance []float64) {
				for k, j := range e.want {
					set(i, j, mean[k], variance[k])
				}
			})
		}
	})
	for i, err := range failures {
		if err != nil {
			return fmt.Errorf("simple: regression for example %d: %w", i, err)
		}
	}
	return nil
}

// columns returns where marks are as wanted.
func columns(marks []bool, wanted bool) (list []int) {
	for j, m := range marks {
		if m == wanted {
			list = append(list, j)
		}
	}
	return list
}

// A neighbour is an example of local, and the squared distance to it.
type neighbour struct {
	i        int
	distance float64
}

// nearest returns the other examples, those that are nearest in the observed columns first.
func (l *local) nearest(e incomplete) []neighbour {
	list := make([]neighbour, 0, l.z.Rows)
	for i := range l.z.Rows {
		if i != e.self {
			n, row := neighbour{i: i}, l.z.Row(i)
			for _, j := range e.observed {
				n.distance += square(row[j] - e.y[j])
			}
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b neighbour) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.i, b.i)) })
	return list
}

// regress calls use with what k neighbours say of the wanted columns, for each penalty. Weights fall from 1 at no distance to 0 at that of the next neighbour.
// A variance is the mean square of how far each neighbour is from what the others say.
func (l *local) regress(e incomplete, near []neighbour, k int, ridges []float64, use func(r int, mean, variance []float64)) error {
	weights, radius := make([]float64, k), math.Inf(1)
	if k < len(near) && near[k].distance > 0 {
		radius = near[k].distance
	}
	var sum, squares float64
	for n := range weights {
		weights[n] = max(1-near[n].distance/radius, minVariance)
		sum += weights[n]
	}
	all := append(slices.Clone(e.observed), e.want...)
	x, centre, o := mat.New(k, len(all)), make([]float64, len(all)), len(e.observed)
	for n := range weights {
		weights[n] /= sum
		squares += square(weights[n])
		row, z := x.Row(n), l.z.Row(near[n].i)
		for c, j := range all {
			row[c] = z[j]
			centre[c] += weights[n] * row[c]
		}
	}
	for n, w := range weights { // rows are scaled so that sums of squares are weighed
		row, root := x.Row(n), math.Sqrt(w)
		for c, v := range row {
			row[c] = root * (v - centre[c])
		}
	}
	away := mat.New(1, o)
	for c, j := range e.observed {
		away.Set(0, c, e.y[j]-centre[c])
	}
	from, to := x.Slice(0, k, 0, o), x.Slice(0, k, o, len(all))
	variance, gram := make([]float64, len(e.want)), fewerProducts(from)
	for r, ridge := range ridges {
		said, rest, leverage, err := ridgeRegression(gram, from, to, away, max(ridge*float64(o), minVariance))
		if err != nil {
			return err
		}
		clear(variance)
		pooled := 0.
		for n := range k {
			without := 1 / max(1-leverage[n]-weights[n], minVariance)
			for c := range variance {
				r := square(rest.At(n, c) * without)
				variance[c] += r
				pooled += r / float64(len(variance))
			}
		}
		mean := said.Row(0)
		for c := range mean {
			mean[c] += centre[o+c]
			variance[c] = (variance[c] + noiseWeight*squares*max(pooled, minVariance)) / (1 + noiseWeight*squares) * (1 + squares) // few neighbours hardly tell that of one column
		}
		use(r, mean, variance)
	}
	return nil
}

// fewerProducts returns the lower triangle of the products of all columns of x, or of all rows if these are not more.
func fewerProducts(x mat.Matrix) mat.Matrix {
	n := min(x.Rows, x.Cols)
	gram := mat.New(n, n)
	if x.Cols < x.Rows {
		x = x.T()
	}
	mat.Syrk(gram, 1, x, 0)
	return gram
}

// ridgeRegression returns what slopes B of y on x say at other places, a row of x each, what they leave of y, and the diagonal of the matrix that takes y to xB. B minimises
// ‖y − xB‖² + penalty·‖B‖²; gram are the fewer products of x.
func ridgeRegression(gram, x, y, at mat.Matrix, penalty float64) (said, rest mat.Matrix, leverage []float64, err error) {
	said, rest, leverage = mat.New(at.Rows, y.Cols), y.Clone(), make([]float64, x.Rows)
	var factor chol.Factor
	if err = factor.RefactorizeShifted(gram, penalty); err != nil {
		return said, rest, leverage, err
	}
	if x.Cols < x.Rows {
		slopes, half := mat.New(x.Cols, y.Cols), x.T().Clone()
		mat.Mul(slopes, 1, x.T(), y, 0)
		factor.Solve(slopes)
		factor.SolveHalf(half)
		for i := range half.Rows {
			for k, v := range half.Row(i) {
				leverage[k] += v * v
			}
		}
		mat.Mul(said, 1, at, slopes, 0)
		mat.Mul(rest, -1, x, slopes, 1)
		return said, rest, leverage, nil
	}
	factor.InverseDiagonal(leverage) // B = xᵀA with (xxᵀ + penalty)A = y
	for k, v := range leverage {
		leverage[k] = 1 - penalty*v
	}
	factor.Solve(rest)
	products := mat.New(at.Rows, x.Rows)
	mat.Mul(products, 1, at, x.T(), 0)
	mat.Mul(said, 1, products, rest, 0)
	mat.Scale(rest, penalty, rest)
	return said, rest, leverage, nil
}
