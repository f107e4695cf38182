package update

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/learn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/sums"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A Model is what takes in examples.
type Model struct {
	Posterior *predict.Posterior
	Seed      uint64
	Strength  float64                // the weight of the prior of learned noise, in examples
	Digest    func() (string, error) // a checksum of the model's file
	Impute    func(ctx context.Context, obs field.Observed) (field.Prediction, field.Latent, error)
}

// Update returns the posterior with more examples, of a model in time at their instants (else nil): sgplvm.Model.Update and UpdateAt.
func (m *Model) Update(ctx context.Context, examples field.Source, at []field.Instant, forget float64) (*predict.Posterior, field.UpdateReport, error) {
	r := field.UpdateReport{}
	if !(forget > 0 && forget <= 1) {
		return nil, r, &field.ConfigError{Field: "Forget", Err: fmt.Errorf("%v, expected a number above 0, at most 1", forget)}
	}
	n, points, channels := examples.Dims()
	b, err := m.sumsOf(at != nil, n, points, channels)
	if err != nil {
		return nil, r, err
	}
	var added *inferred
	if at == nil {
		added, err = m.inferAll(ctx, examples, 0, n, nil)
	} else {
		added, err = m.inferAlong(ctx, examples, at)
	}
	if err != nil {
		return nil, r, err
	}
	all, fresh := b.Recover(m.solution(), m.Posterior.Options().Totals), b.New()
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
	if at != nil {
		fresh.Totals[learn.KL] = added.divergence
	}
	before := learnedNoise{m.Posterior.Params().Noise.Covariance, all.Totals[sums.Count] + m.Strength}
	all.Add(fresh)
	next, _, err := m.withSums(ctx, b, all, fresh, before, m.kept().plus(added))
	if err != nil {
		return nil, r, err
	}
	r = field.UpdateReport{Examples: n, Count: next.Options().Totals[sums.Count], Noise: math.Sqrt(m.noiseVariance())}
	var square float64
	r.Before, _ = added.misfit(m.Posterior)
	r.After, square = added.misfit(next)
	r.Unexplained, r.Outliers = learn.Unexplained(r.After*r.After, r.Noise*r.Noise, square), added.outliers
	return next, r, nil
}

// channels returns d_y.
func (m *Model) channels() int { return len(m.Posterior.Scaler().Mean) }

// sumsOf returns what sums of n examples are taken with, or why the model takes in none, or not these. Errors: *ConfigError.
func (m *Model) sumsOf(timed bool, n, points, channels int) (*sums.Basis, error) {
	q := m.Posterior
	o := q.Options()
	refuse := func(format string, args ...any) (*sums.Basis, error) {
		return nil, &field.ConfigError{Field: "Update", Err: fmt.Errorf(format, args...)}
	}
	switch {
	case q.Params().X.At() != nil && !timed:
		return refuse("a model of examples with times, which depend on each other, expected one without: train again with all")
	case timed && q.Params().X.At() == nil:
		return refuse("times with a model of examples without, expected none")
	case q.Params().Latent.Variance("time") > 0:
		return refuse("a part of time in the latent kernel, which tells nothing of examples at other times: train again with all")
	case o.Incomplete != nil:
		return refuse("a model of data with missing values or known errors, of which each example has sums of its own, expected one of complete data: train again with all")
	case o.Totals == nil:
		return refuse("a model of which the file has no totals of its examples: train it again")
	case n < 1 || points != m.Posterior.Grid().Len() || channels != m.channels():
		return refuse("%d examples of %d points and %d channels, expected at least one of %d and %d", n, points, channels, m.Posterior.Grid().Len(), m.channels())
	}
	return sums.NewBasis(q.Params(), q.Grid(), q.Jitter(), m.channels()), nil
}

// solution returns q(U).
func (m *Model) solution() sums.Solution {
	return sums.Solution{Alpha: m.Posterior.Alpha(), Spectra: m.Posterior.Options().Spectra}
}

// inferred are examples with their latent posteriors.
type inferred struct {
	y, variance mat.Matrix // in the model's units, n×(n_s·d_y), and the variances of what was filled in, 0 elsewhere; 0×0: nothing was
	q           psi.Q
	outliers    []field.Outlier // which were filled in

	along      *bound.Latents // of a model in time, q(X) of all examples, these behind the others
	divergence float64        // and what these add to KL(q(X) ‖ p(X))
}

// kept returns the examples that others are compared with; their values too where the model keeps residuals.
func (m *Model) kept() *inferred {
	f := &inferred{y: m.Posterior.Kept(), q: m.Posterior.Params().Q()}
	if o := m.Posterior.Options(); o.Filled != nil {
		f.variance = o.Filled.Variance
	}
	return f
}

// whole reports whether all values of an example were observed.
func (f *inferred) whole(i int) bool {
	return f.variance.Rows == 0 || work.Sum(f.variance.Row(i)) == 0
}

// plus returns the examples and those of others that were seen as a whole; of a model in time all.
func (f *inferred) plus(others *inferred) *inferred {
	var whole []int
	for i := range others.y.Rows {
		if others.along != nil || others.whole(i) {
			whole = append(whole, i)
		}
	}
	both := &inferred{y: f.y, q: psi.Q{Mu: work.Stacked(f.q.Mu, work.Gather(others.q.Mu, whole)), S: work.Stacked(f.q.S, work.Gather(others.q.S, whole))}}
	if f.y.Rows > 0 {
		both.y = work.Stacked(f.y, work.Gather(others.y, whole))
	}
	if both.along = others.along; both.along != nil {
		both.q = psi.Q{Mu: both.along.Mu, S: both.along.S}
	}
	if unsure := both.along != nil && others.variance.Rows > 0; f.variance.Rows > 0 || unsure && f.y.Rows > 0 {
		before, after := f.variance, mat.New(len(whole), others.y.Cols)
		if before.Rows == 0 {
			before = mat.New(f.y.Rows, f.y.Cols)
		}
		if unsure {
			after = others.variance
		}
		both.variance = work.Stacked(before, after)
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

// inferAll infers the latent variables of the examples from ≤ i < to, and fills in what is missing of them, given priors (nil: none is known). Errors: *field.ValueError, *field.ReadError, ctx.Err().
func (m *Model) inferAll(ctx context.Context, examples field.Source, from, to int, priors []field.Latent) (*inferred, error) {
	n, points, channels := to-from, m.Posterior.Grid().Len(), m.channels()
	f := &inferred{y: mat.New(n, points*channels)}
	f.q.Mu, f.q.S = mat.New(n, m.Posterior.Params().X.Mu.Cols), mat.New(n, m.Posterior.Params().X.Mu.Cols)
	if err := examples.ReadExamples(f.y.Data, from, to); err != nil {
		return nil, &field.ReadError{From: from, To: to, Err: err}
	}
	filled := make([]bool, n)
	for i := range filled {
		row := f.y.Row(i)
		if filled[i] = missing(row) > 0 || m.Posterior.Beyond(row); filled[i] && f.variance.Rows == 0 {
			f.variance = mat.New(n, f.y.Cols)
		}
	}
	failures, outliers := make([]error, n), make([][]field.Outlier, n)
	one := func(i int) {
		if failures[i] = ctx.Err(); failures[i] == nil {
			var prior *field.Latent
			if priors != nil {
				prior = &priors[i]
			}
			outliers[i], failures[i] = m.inferOne(ctx, f, i, filled[i], prior)
		}
	}
	one(0) // alone: what all have in common is made then
	mat.Parallel(n-1, func(i int) { one(i + 1) })
	for i, err := range failures {
		if value := (*field.ValueError)(nil); errors.As(err, &value) {
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
	m.Posterior.Scaler().ApplyTo(f.y)
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
func (m *Model) inferOne(ctx context.Context, f *inferred, i int, filled bool, prior *field.Latent) (outliers []field.Outlier, err error) {
	row, scale := f.y.Row(i), m.Posterior.Scaler().Scale
	obs := field.Observed{Values: mat.NewDense(m.Posterior.Grid().Len(), m.channels(), row), Prior: prior}
	var l field.Latent
	switch {
	case !filled:
		l, err = m.Posterior.Infer(ctx, obs, field.InferOptions{Candidates: 1, Iterations: 200, KeepOutliers: true})
	case missing(row) == len(row):
		err = &field.ValueError{Value: math.NaN(), Want: "at least one value that was observed"}
	default:
		var p field.Prediction
		if p, l, err = m.Impute(ctx, obs); err == nil {
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

// noiseVariance returns the mean variance of the noise, in the model's units.
func (m *Model) noiseVariance() (v float64) {
	n := &m.Posterior.Params().Noise
	if !n.Structured() {
		return 1 / n.Beta
	}
	sigma := mat.New(m.Posterior.Grid().Len(), m.Posterior.Grid().Len())
	n.Matrix(sigma, m.Posterior.Grid()[0])
	return mat.Trace(sigma) / float64(sigma.Rows)
}

// learnedNoise is what is known of a learned covariance before examples are seen: its mean, and as how many of them it counts.
type learnedNoise struct {
	mean   mat.Matrix
	weight float64
}

// withSums returns the posterior with q(U) of all sums, and its noise: white noise at its maximum, a learned covariance by what q(U) of m leaves of the examples of seen; and
// the bound at the end. kept are the examples that others are compared with. Errors: *FactorizationError, ctx.Err().
func (m *Model) withSums(ctx context.Context, b *sums.Basis, all, seen *sums.Sums, noise learnedNoise, kept *inferred) (*predict.Posterior, float64, error) {
	old := m.Posterior
	p, spatial := old.Params().Clone(), m.solution().Spectra[1:]
	if p.Noise.Learned() {
		for i := range p.Noise.Taper {
			p.Noise.Taper[i] *= bound.DefaultTaper(all.Totals[sums.Count]) / bound.DefaultTaper(old.Options().Totals[sums.Count])
		}
		cov := b.Residual(seen, m.solution())
		p.Noise.Shrink(cov, noise.mean, old.Grid()[0], seen.Totals[sums.Count], noise.weight)
		p.Noise.Covariance, spatial = cov, nil
	}
	if p.X.Mu, p.X.S = kept.q.Mu, kept.q.S; kept.along != nil {
		p.X = *kept.along
	}
	b = sums.NewBasis(p, old.Grid(), old.Jitter(), m.channels())
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
	o, before := next.Options(), old.Options()
	if o.Calibration = before.Calibration; o.Calibration != nil {
		o.Calibration = o.Calibration.More(p.X.Mu.Rows)
	}
	if kept.y.Rows > 0 {
		o.Residuals = next.ResidualsOf(kept.y, p.Q())
		switch {
		case kept.variance.Rows > 0 && before.Filled != nil:
			o.Filled = &predict.Filled{Variance: kept.variance, Alike: before.Filled.Alike}
		case kept.variance.Rows > 0:
			o.Filled = predict.NewFilled(kept.variance, p.Noise.Covariance)
		}
	}
	next, err = next.With(o)
	return next, value, err
}
