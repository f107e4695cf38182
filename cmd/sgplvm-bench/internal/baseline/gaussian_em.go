package baseline

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// gaussianHoles is a Gaussian of all values of a picture fitted to pictures with holes.
type gaussianHoles struct{ gaussian }

func (m *gaussianHoles) complete(mean, variance, y mat.Matrix) error {
	return fillGroups(&m.gaussian, mean, variance, y)
}

// The EM algorithm of the Gaussian ends after so many rounds, or where the root of the mean squared change of missing
// values is below this part of the spread.
const (
	gaussianRounds    = 15
	gaussianTolerance = 2e-3
)

// targetLength and targetNugget describe the correlations of the target of shrinkage, in mean spacings.
const (
	targetLength = 4
	targetNugget = 0.02
)

// gaussianLadder is a Gaussian by the EM algorithm with missing values (R. J. A. Little and D. B. Rubin, "Statistical Analysis with
// Missing Data", section 11.2), regularised in each round as T. Schneider does (Journal of Climate 14(5), 2001), but by
// shrinkage: Σ = (1−ρ)·S + ρ·T with the expected covariance S and the target T of the Gaussian of
// complete pictures. Hidden values choose ρ.
func gaussianLadder(y mat.Matrix, points mat.Matrix, channels int) ladder {
	values := []float64{0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002}
	return ladder{name: "shrinkage", values: values, patience: 2, fit: func(ctx context.Context, y mat.Matrix, shrinkage float64, before holeModel) (holeModel, error) {
		last, _ := before.(*gaussianHoles)
		e, err := newGaussianEM(y, points, channels, shrinkage, last)
		if err != nil {
			return nil, err
		}
		tolerance := gaussianTolerance * math.Sqrt(seenSpread(y, 1))
		for range gaussianRounds {
			change, err := e.round(ctx)
			if err != nil {
				return nil, err
			}
			if change < tolerance {
				break
			}
		}
		return &gaussianHoles{gaussian{e.mean, e.covariance, math.Inf(1)}}, nil
	}}
}

// gaussianEM is the room of the EM algorithm.
type gaussianEM struct {
	y          mat.Matrix // n×p, NaN where missing
	filled     mat.Matrix // n×p, missing values as expected
	points     mat.Matrix // in mean spacings
	channels   int
	shrinkage  float64
	groups     []group
	mean       []float64
	covariance mat.Matrix // Σ, both triangles
	precision  mat.Matrix // Σ⁻¹, both triangles
	uncertain  mat.Matrix // Σ of conditional covariances of what is missing, p×p
}

// newGaussianEM starts from an earlier fit, or from the target about the means of the columns.
func newGaussianEM(y, points mat.Matrix, channels int, shrinkage float64, last *gaussianHoles) (*gaussianEM, error) {
	p := y.Cols
	e := &gaussianEM{y: y, filled: y.Clone(), points: points, channels: channels, shrinkage: shrinkage, groups: byPattern(y, y.Rows),
		precision: mat.New(p, p), uncertain: mat.New(p, p)}
	if last != nil {
		e.mean, e.covariance = last.mean, last.covariance.Clone()
		return e, nil
	}
	e.mean, e.covariance = columnMeans(y), mat.New(p, p)
	for i := range y.Rows {
		for j, v := range y.Row(i) {
			if math.IsNaN(v) {
				e.filled.Set(i, j, e.mean[j])
			}
		}
	}
	_, c := moments(e.filled)
	newTarget(c, points, channels).add(e.covariance, 1, targetLength, targetNugget)
	return e, nil
}

// An expectation is what a group of pictures with one pattern adds in a round.
type expectation struct {
	covariance mat.Matrix // of what is missing given what is seen, |M|×|M|, lower triangle
	place      []int      // of each value among the missing ones, or −1
	err        error
}

// atOnce is how many groups wait with their covariances until these are added.
const atOnce = 8

// round is an expectation and a maximisation. It returns the root of the mean squared change of missing values.
func (e *gaussianEM) round(ctx context.Context) (float64, error) {
	factor, _, err := chol.FactorizeJitter(e.covariance, nil)
	if err != nil {
		return 0, fmt.Errorf("baseline: covariance of all values: %w", err)
	}
	factor.Inverse(e.precision)
	mat.MirrorLower(e.precision)
	e.uncertain.Fill(0)
	before := e.filled.Clone()
	for from := 0; from < len(e.groups); from += atOnce {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		some := e.groups[from:min(from+atOnce, len(e.groups))]
		parts := make([]expectation, len(some))
		mat.Parallel(len(some), func(g int) { parts[g] = e.expect(some[g]) })
		for _, x := range parts {
			if x.err != nil {
				return 0, x.err
			}
		}
		mat.Parallel(e.y.Cols, func(j int) {
			row := e.uncertain.Row(j)
			for g, x := range parts {
				k := x.place[j]
				if k < 0 {
					continue
				}
				count, from := float64(len(some[g].pictures)), x.covariance.Row(k)
				for l, other := range some[g].pattern.missing[:k+1] {
					row[other] += count * from[l]
				}
			}
		})
	}
	e.maximise()
	var change, count float64
	for i := range e.y.Rows {
		for j, v := range e.y.Row(i) {
			if math.IsNaN(v) {
				change += square(e.filled.At(i, j) - before.At(i, j))
				count++
			}
		}
	}
	if math.IsNaN(change) { // nothing was filled in before
		return math.Inf(1), nil
	}
	return math.Sqrt(change / max(count, 1)), nil
}

// expect fills in the missing values of a group and returns their conditional covariance. Where less is missing than seen it comes from
// the precision, (Λ_MM)⁻¹ with the mean μ_M − Λ_MM⁻¹Λ_MO(y_O − μ_O), else from the covariance.
func (e *gaussianEM) expect(g group) (x expectation) {
	x.place = make([]int, e.y.Cols)
	for j := range x.place {
		x.place[j] = -1
	}
	for k, j := range g.pattern.missing {
		x.place[j] = k
	}
	seen, missing := g.pattern.seen, g.pattern.missing
	residual := centre(columns(rows(e.y, g.pictures), seen), e.mean, seen)
	fill := mat.New(len(g.pictures), len(missing))
	if len(missing) <= len(seen) {
		x.covariance = mat.New(len(missing), len(missing))
		factor, _, err := chol.FactorizeJitter(block(e.precision, missing, missing), nil)
		if err != nil {
			x.err = fmt.Errorf("baseline: precision of the missing values: %w", err)
			return x
		}
		factor.Inverse(x.covariance)
		mat.Mul(fill, -1, residual, block(e.precision, seen, missing), 0)
		factor.Solve(fill.T())
	} else {
		x.covariance = block(e.covariance, missing, missing)
		om := block(e.covariance, seen, missing)
		factor, _, err := chol.FactorizeJitter(block(e.covariance, seen, seen), nil)
		if err != nil {
			x.err = fmt.Errorf("baseline: covariance of the observed values: %w", err)
			return x
		}
		factor.SolveHalf(om)
		factor.SolveHalf(residual.T())
		mat.Mul(fill, 1, residual, om, 0)
		mat.Syrk(x.covariance, -1, om.T(), 1)
	}
	for k, i := range g.pictures {
		row := e.filled.Row(i)
		for l, j := range missing {
			row[j] = e.mean[j] + fill.At(k, l)
		}
	}
	return x
}

// maximise sets the mean and the shrunk covariance of what was expected.
func (e *gaussianEM) maximise() {
	n := float64(e.y.Rows)
	mean, c := moments(e.filled)
	t := newTarget(c, e.points, e.channels)
	mat.Copy(e.covariance, e.uncertain)
	mat.Syrk(e.covariance, 1/n, c.T(), 1/n)
	floor := least * seenSpread(e.y, 1)
	for j := range t.deviation {
		v := max(e.covariance.At(j, j), floor)
		e.covariance.Set(j, j, v)
		t.deviation[j] = math.Sqrt(v)
	}
	mat.MirrorLower(e.covariance)
	mat.Scale(e.covariance, 1-e.shrinkage, e.covariance)
	t.add(e.covariance, e.shrinkage, targetLength, targetNugget)
	e.mean = mean
}
