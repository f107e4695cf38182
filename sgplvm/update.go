package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/learn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/sums"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// UpdateReport tells how new examples fit a model. Errors are root mean squares of what a model leaves of their observed values, given their
// latent variables, in standard deviations of the channels.
type UpdateReport struct {
	Examples      int     // new ones
	Count         float64 // how many examples the model now counts, forgotten ones in part
	Before, After float64 // errors of the model as it was and as it is now
	Noise         float64 // the error that the noise of the model as it was makes

	// Unexplained is the share of the variance of the new examples that neither the model as it is now nor that noise explains: what lies
	// beyond its inducing points and kernels, which training with these examples would move.
	Unexplained float64

	// Outliers are values far outside what the model can explain, which counted as missing.
	Outliers []Outlier
}

// Update returns the model with more examples, without training again (docs/math.md, "Sums over examples"). Kernels and inducing points stay. The latent
// variables of the new examples are inferred, and fields, noise and, where the model keeps residuals, the examples that it compares others with are then those of
// all examples. Each new example makes all earlier ones count forget times as much, 0 < forget ≤ 1. Missing values are filled in first, and so are those far outside what the model can explain. Models whose examples have
// times, and those of data with missing values or known errors, are refused. Errors: *ConfigError, *ValueError, *ReadError, *FactorizationError,
// ctx.Err().
func (m *Model) Update(ctx context.Context, examples Source, forget float64) (*Model, UpdateReport, error) {
	r := UpdateReport{}
	if !(forget > 0 && forget <= 1) {
		return nil, r, &ConfigError{Field: "Forget", Err: fmt.Errorf("%v, expected a number above 0, at most 1", forget)}
	}
	b, err := m.sumsOf(examples.Dims())
	if err != nil {
		return nil, r, err
	}
	n, _, _ := examples.Dims()
	added, err := m.inferAll(ctx, examples, 0, n)
	if err != nil {
		return nil, r, err
	}
	all, fresh := b.Recover(m.solution(), m.posterior.Options().Totals), b.New()
	weight := 1.
	if forget == 1 {
		added.addTo(fresh, b, 0, n)
	} else {
		for i := range n {
			weight *= forget
			fresh.Scale(forget)
			added.addTo(fresh, b, i, i+1)
		}
	}
	all.Scale(weight)
	before := learnedNoise{m.posterior.Params().Noise.Covariance, all.Totals[sums.Count] + m.noiseStrength()}
	all.Add(fresh)
	next, _, err := m.withSums(ctx, b, all, fresh, before, m.kept().plus(added))
	if err != nil {
		return nil, r, err
	}
	r = UpdateReport{Examples: n, Count: next.posterior.Options().Totals[sums.Count], Noise: math.Sqrt(m.noiseVariance())}
	var square float64
	r.Before, _ = added.misfit(m.posterior)
	r.After, square = added.misfit(next.posterior)
	r.Unexplained, r.Outliers = learn.Unexplained(r.After*r.After, r.Noise*r.Noise, square), added.outliers
	return next, r, nil
}

// sumsOf returns what sums of n examples are taken with, or why the model takes in none, or not these. Errors: *ConfigError.
func (m *Model) sumsOf(n, points, channels int) (*sums.Basis, error) {
	q := m.posterior
	o := q.Options()
	refuse := func(format string, args ...any) (*sums.Basis, error) {
		return nil, &ConfigError{Field: "Update", Err: fmt.Errorf(format, args...)}
	}
	switch {
	case m.Times() != nil:
		return refuse("a model of examples with times, which depend on each other, expected one without: train again with all")
	case o.Incomplete != nil:
		return refuse("a model of data with missing values or known errors, of which each example has sums of its own, expected one of complete data: train again with all")
	case o.Totals == nil:
		return refuse("a model of which the file has no totals of its examples: train it again")
	case n < 1 || points != m.Grid().Len() || channels != m.Channels():
		return refuse("%d examples of %d points and %d channels, expected at least one of %d and %d", n, points, channels, m.Grid().Len(), m.Channels())
	}
	return sums.NewBasis(q.Params(), q.Grid(), q.Jitter(), m.Channels()), nil
}

// solution returns q(U).
func (m *Model) solution() sums.Solution {
	return sums.Solution{Alpha: m.posterior.Alpha(), Spectra: m.posterior.Options().Spectra}
}

// inferred are examples with their latent posteriors.
type inferred struct {
	y, variance mat.Matrix // in the model's units, n×(n_s·d_y), and the variances of what was filled in, 0 elsewhere; 0×0: nothing was
	q           psi.Q
	outliers    []Outlier // which were filled in
}

// kept returns the examples that others are compared with; their values too where the model keeps residuals.
func (m *Model) kept() *inferred {
	f := &inferred{y: m.posterior.Kept(), q: m.posterior.Params().Q()}
	if o := m.posterior.Options(); o.Filled != nil {
		f.variance = o.Filled.Variance
	}
	return f
}

// whole reports whether all values of an example were observed.
func (f *inferred) whole(i int) bool {
	return f.variance.Rows == 0 || work.Sum(f.variance.Row(i)) == 0
}

// plus returns the examples and those of others that were seen as a whole.
func (f *inferred) plus(others *inferred) *inferred {
	var whole []int
	for i := range others.y.Rows {
		if others.whole(i) {
			whole = append(whole, i)
		}
	}
	both := &inferred{y: f.y, q: psi.Q{Mu: stacked(f.q.Mu, work.Gather(others.q.Mu, whole)), S: stacked(f.q.S, work.Gather(others.q.S, whole))}}
	if f.y.Rows > 0 {
		both.y = stacked(f.y, work.Gather(others.y, whole))
	}
	if f.variance.Rows > 0 {
		both.variance = stacked(f.variance, mat.New(len(whole), f.variance.Cols))
	}
	return both
}

// addTo adds the examples from ≤ i < to to sums.
func (f *inferred) addTo(s *sums.Sums, b *sums.Basis, from, to int) {
	rows := func(a mat.Matrix) mat.Matrix {
		if a.Rows == 0 {
			return a
		}
		return a.Slice(from, to, 0, a.Cols)
	}
	b.AddExamples(s, psi.Q{Mu: rows(f.q.Mu), S: rows(f.q.S)}, rows(f.y), rows(f.variance))
}

// misfit returns the root mean square of what a posterior leaves of observed values, and the mean square of these.
func (f *inferred) misfit(q *predict.Posterior) (rms, square float64) {
	count := 0.
	for i, v := range q.ResidualsOf(f.y, f.q).Data {
		if f.variance.Rows == 0 || f.variance.Data[i] == 0 {
			rms, square, count = rms+v*v, square+f.y.Data[i]*f.y.Data[i], count+1
		}
	}
	return math.Sqrt(rms / count), square / count
}

// inferAll infers the latent variables of the examples from ≤ i < to, and fills in what is missing of them. Errors: *ValueError, *ReadError, ctx.Err().
func (m *Model) inferAll(ctx context.Context, examples Source, from, to int) (*inferred, error) {
	n, points, channels := to-from, m.Grid().Len(), m.Channels()
	f := &inferred{y: mat.New(n, points*channels)}
	f.q.Mu, f.q.S = mat.New(n, m.posterior.Params().X.Mu.Cols), mat.New(n, m.posterior.Params().X.Mu.Cols)
	if err := examples.ReadExamples(f.y.Data, from, to); err != nil {
		return nil, &ReadError{From: from, To: to, Err: err}
	}
	filled := make([]bool, n)
	for i := range filled {
		row := f.y.Row(i)
		if filled[i] = missing(row) > 0 || m.posterior.Beyond(row); filled[i] && f.variance.Rows == 0 {
			f.variance = mat.New(n, f.y.Cols)
		}
	}
	failures, outliers := make([]error, n), make([][]Outlier, n)
	one := func(i int) {
		if failures[i] = ctx.Err(); failures[i] == nil {
			outliers[i], failures[i] = m.inferOne(ctx, f, i, filled[i])
		}
	}
	one(0) // alone: what all have in common is made then
	mat.Parallel(n-1, func(i int) { one(i + 1) })
	for i, err := range failures {
		if value := (*ValueError)(nil); errors.As(err, &value) {
			value.Example = from + i
		}
		if err != nil {
			return nil, err
		}
	}
	for i, list := range outliers {
		for _, v := range list {
			v.Example = from + i
			f.outliers = append(f.outliers, v)
		}
	}
	m.posterior.Scaler().ApplyTo(f.y)
	return f, nil
}

// missing counts missing values.
func missing(values []float64) (n int) {
	for _, v := range values {
		if v != v {
			n++
		}
	}
	return n
}

// inferOne infers example i, of which values are filled in or not.
func (m *Model) inferOne(ctx context.Context, f *inferred, i int, filled bool) (outliers []Outlier, err error) {
	row, scale := f.y.Row(i), m.posterior.Scaler().Scale
	obs := Observed{Values: mat.NewDense(m.Grid().Len(), m.Channels(), row)}
	var l Latent
	switch {
	case !filled:
		l, err = m.posterior.Infer(ctx, obs, InferOptions{Candidates: 1, Iterations: 200, KeepOutliers: true})
	case missing(row) == len(row):
		err = &ValueError{Value: math.NaN(), Want: "at least one value that was observed"}
	default:
		var p Prediction
		if p, l, err = m.Impute(ctx, obs, InferOptions{}); err == nil {
			outliers = p.Outliers
			copy(row, p.Mean.Data)
			for k, v := range p.Variance.Data {
				f.variance.Row(i)[k] = v / (scale[k%len(scale)] * scale[k%len(scale)])
			}
		}
	}
	if err == nil {
		copy(f.q.Mu.Row(i), l.Mu)
		copy(f.q.S.Row(i), l.S)
	}
	return outliers, err
}

// noiseStrength returns the weight of the prior of learned noise, in examples.
func (m *Model) noiseStrength() float64 {
	if m.config != nil && m.config.Residual.Strength > 0 {
		return m.config.Residual.Strength
	}
	return training.ResidualStrength
}

// noiseVariance returns the mean variance of the noise, in the model's units.
func (m *Model) noiseVariance() (v float64) {
	n := &m.posterior.Params().Noise
	if !n.Structured() {
		return 1 / n.Beta
	}
	sigma := mat.New(m.Grid().Len(), m.Grid().Len())
	n.Matrix(sigma, m.Grid()[0])
	return mat.Trace(sigma) / float64(sigma.Rows)
}

// learnedNoise is what is known of a learned covariance before examples are seen: its mean, and as how many of them it counts.
type learnedNoise struct {
	mean   mat.Matrix
	weight float64
}

// withSums returns the model with q(U) of all sums, and its noise: white noise at its maximum, a learned covariance by what q(U) of m leaves of the examples of seen; and
// the bound at the end. kept are the examples that others are compared with. Errors: *FactorizationError, ctx.Err().
func (m *Model) withSums(ctx context.Context, b *sums.Basis, all, seen *sums.Sums, noise learnedNoise, kept *inferred) (*Model, float64, error) {
	old := m.posterior
	p, spatial := old.Params().Clone(), m.solution().Spectra[1:]
	if p.Noise.Learned() {
		for i := range p.Noise.Taper {
			p.Noise.Taper[i] *= bound.DefaultTaper(all.Totals[sums.Count]) / bound.DefaultTaper(old.Options().Totals[sums.Count])
		}
		cov := b.Residual(seen, m.solution())
		p.Noise.Shrink(cov, noise.mean, old.Grid()[0], seen.Totals[sums.Count], noise.weight)
		p.Noise.Covariance, spatial = cov, nil
	}
	p.X.Mu, p.X.S = kept.q.Mu, kept.q.S
	b = sums.NewBasis(p, old.Grid(), old.Jitter(), m.Channels())
	q, err := b.Solve(all, spatial)
	if err == nil && !p.Noise.Structured() {
		if p.Noise.Beta, err = b.White(ctx, all, q); err == nil {
			q, err = b.Solve(all, spatial)
		}
	}
	if err != nil {
		return nil, 0, err
	}
	value, err := b.Bound(all, q)
	if err != nil {
		return nil, 0, err
	}
	next, err := predict.New(p, old.Grid(), old.Scaler(), q.Alpha, old.Jitter(), predict.Options{Spectra: q.Spectra, Totals: slices.Clone(all.Totals)})
	if err != nil {
		return nil, 0, err
	}
	c := *m
	c.joined = new(atomic.Pointer[joinedGrid])
	if c.posterior = next; kept.y.Rows > 0 {
		o := next.Options()
		o.Residuals = next.ResidualsOf(kept.y, p.Q())
		if kept.variance.Rows > 0 {
			o.Filled = &predict.Filled{Variance: kept.variance, Alike: old.Options().Filled.Alike}
		}
		if c.posterior, err = next.With(o); err != nil {
			return nil, 0, err
		}
	}
	return &c, value, nil
}

// stacked returns the rows of two matrices.
func stacked(a, b mat.Matrix) mat.Matrix {
	c := mat.New(a.Rows+b.Rows, a.Cols)
	mat.Copy(c.Slice(0, a.Rows, 0, a.Cols), a)
	mat.Copy(c.Slice(a.Rows, c.Rows, 0, a.Cols), b)
	return c
}
