package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
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
// Values that no example has stay 0, the mean of all. This is only where latent variables start: the completion of lowrank.go, whose
// values are learned from, chooses its threshold and takes ten times as long.
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
