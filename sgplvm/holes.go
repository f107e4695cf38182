package sgplvm

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Training on data with holes (docs/math.md, "Data with holes").

// Principal components of data with holes are those of data that are filled in by fillRounds singular-value
// decompositions of at most fillRank components.
const (
	fillRounds = 6
	fillRank   = 10
)

// gramOf returns the Gram matrix of the scaled examples, n_ξ×n_ξ, of filled ones where values are missing.
func gramOf(y *data.Scaled, d int) (mat.Matrix, error) {
	if y.Missing == 0 {
		return y.Gram()
	}
	z, err := filledIn(y, min(d, fillRank))
	if err != nil {
		return mat.Matrix{}, err
	}
	gram := mat.New(y.Examples, y.Examples)
	mat.Syrk(gram, 1, z, 0)
	mat.MirrorLower(gram)
	return gram, nil
}

// filledIn returns the scaled examples, n_ξ×(n_s·d_y), with what is missing filled in: at first by the mean of what was seen
// there of other examples, then, fillRounds times, by the leading components of the whole as they are. Components are
// shrunk by the share of the first one left out in their variance, as probabilistic principal components are.
// Values that no example has stay 0, the mean of all.
func filledIn(y *data.Scaled, rank int) (mat.Matrix, error) {
	n, size := y.Examples, y.Size()
	z, missing := mat.New(n, size), make([]bool, n*size)
	if err := y.Read(z.Data, 0, n); err != nil {
		return z, err
	}
	mean, count := make([]float64, size), make([]float64, size)
	for i := range n {
		for j, v := range z.Row(i) {
			if v != v {
				missing[i*size+j] = true
				continue
			}
			mean[j] += v
			count[j]++
		}
	}
	for j := range mean {
		mean[j] /= max(1, count[j])
	}
	for k, m := range missing {
		if m {
			z.Data[k] = mean[k%size]
		}
	}
	centred, gram, low := mat.New(n, size), mat.New(n, n), mat.New(n, size)
	for range fillRounds {
		columnMeans(mean, z)
		for i := range n {
			for j, v := range z.Row(i) {
				centred.Row(i)[j] = v - mean[j]
			}
		}
		mat.Syrk(gram, 1, centred, 0)
		mat.MirrorLower(gram)
		s, err := eig.Sym(gram)
		if err != nil {
			return z, &FactorizationError{Factor: 0, Err: err}
		}
		r := min(rank, n-1)
		if r == 0 {
			break
		}
		u, shrunk := s.Vectors.Slice(0, n, n-r, n), make([]float64, r)
		for j := range shrunk {
			if v := s.Values[n-r+j]; v > 0 {
				shrunk[j] = max(0, 1-max(0, s.Values[n-r-1])/v)
			}
		}
		scores := mat.New(r, size)
		mat.Mul(scores, 1, u.T(), centred, 0)
		mat.ScaleRows(scores, shrunk, scores)
		mat.Mul(low, 1, u, scores, 0)
		for k, m := range missing {
			if m {
				z.Data[k] = mean[k%size] + low.Data[k]
			}
		}
	}
	return z, nil
}

// columnMeans sets mean to those of z's columns.
func columnMeans(mean []float64, z mat.Matrix) {
	clear(mean)
	for i := range z.Rows {
		for j, v := range z.Row(i) {
			mean[j] += v / float64(z.Rows)
		}
	}
}

// aboutHoles is contradiction about what cannot be done with values that are missing or have errors of their own.
func (c Config) aboutHoles(d Data) error {
	refuse := func(field, what string) error {
		return &ConfigError{Field: field, Err: fmt.Errorf("%s for data with missing values or errors of their own, expected none", what)}
	}
	switch {
	case c.Residual.Kernel.Kind != "" && c.Residual.Kernel.Kind != "white":
		return refuse("Residual.Kernel", "a structured residual")
	case c.Training.Truncate > 0:
		return refuse("Training.Truncate", "truncation")
	case d.registered != nil, c.Motion == On:
		return refuse("Motion", "motion of a film")
	}
	return nil
}

// checkErrors checks the standard errors of values, and returns whether some are not 0. Errors: *ConfigError,
// *ValueError, *ReadError.
func checkErrors(source, values Source) (some bool, err error) {
	if source == nil {
		return false, nil
	}
	n, points, channels := source.Dims()
	if a, b, c := values.Dims(); n != a || points != b || channels != c {
		return false, &ConfigError{Field: "Errors", Err: fmt.Errorf("standard errors of %d examples, %d points and %d channels, expected %d, %d and %d", n, points, channels, a, b, c)}
	}
	y, e := &data.Scaled{Source: values, Examples: n, Points: points, Channels: channels}, &data.Scaled{Source: source, Examples: n, Points: points, Channels: channels}
	return some, y.EachSlab(func(slab []float64, from int) error {
		own := make([]float64, len(slab))
		if err := e.ReadRaw(own, from, from+len(slab)/y.Size()); err != nil {
			return err
		}
		for i, v := range own {
			if slab[i] != slab[i] {
				continue
			}
			if !(v >= 0) || math.IsInf(v, 0) {
				at := from*y.Size() + i
				return &ValueError{Example: at / y.Size(), Point: at % y.Size() / channels, Channel: at % channels, Value: v, Want: "a standard error, 0 or more, of a value that was observed"}
			}
			some = some || v > 0
		}
		return nil
	})
}

// incomplete returns q(U) where data have holes; α is set beside it.
func (t *Trainer) incomplete(ctx context.Context) (*bound.Incomplete, error) {
	q, alpha, err := t.evaluator.Incomplete(ctx, t.params)
	if err != nil {
		return nil, err
	}
	t.alpha = &alpha
	return q, nil
}
