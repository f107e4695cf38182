package training

import (
	"errors"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/pca"
)

// Principal components of data with holes are those of data that are filled in by fillRounds singular-value
// decompositions of at most fillRank components.
const (
	fillRounds = 6
	fillRank   = 10
)

// filledIn returns the scaled examples, n_ξ×(n_s·d_y), with what is missing filled in: at first by the mean of what was seen
// there of other examples, then, fillRounds times, by the leading components of the whole as they are. Components are
// shrunk by the share of the first one left out in their variance, as probabilistic principal components are.
// Values that no example has stay 0, the mean of all. This is only where latent variables start: the completion of lowrank.go, whose
// values are learned from, chooses its threshold and takes ten times as long.
func filledIn(y *data.Scaled, rank int, rng *rand.Rand) (pca.Dense, error) {
	n, size := y.Examples, y.Size()
	z, missing := mat.New(n, size), make([]bool, n*size)
	if err := y.Read(z.Data, 0, n); err != nil {
		return pca.Dense(z), err
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
	for range fillRounds {
		c, err := pca.Leading(pca.Dense(z), rank+1, rng)
		if err != nil {
			return pca.Dense(z), notDecomposed(err)
		}
		r := min(rank, len(c.Values))
		u, scores, shrunk := c.Scores.Slice(0, n, 0, r), mat.New(r, size), make([]float64, r)
		for j := range shrunk {
			shrunk[j] = 1
			if r < len(c.Values) {
				shrunk[j] -= c.Values[r] / c.Values[j]
			}
		}
		mat.Mul(scores, 1, u.T(), z, 0)
		mat.ScaleRows(scores, shrunk, scores)
		columnMeans(mean, z)
		for i := range n {
			row := z.Row(i)
			for j, m := range missing[i*size : (i+1)*size] {
				if !m {
					continue
				}
				row[j] = mean[j]
				for q, w := range u.Row(i) {
					row[j] += w * scores.Row(q)[j]
				}
			}
		}
	}
	return pca.Dense(z), nil
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

// notDecomposed is an error of principal components: that of reading, or of the factor of the examples.
func notDecomposed(err error) error {
	if read := (*field.ReadError)(nil); errors.As(err, &read) {
		return err
	}
	return &field.FactorizationError{Factor: 0, Err: err}
}
