package predict

import (
	"errors"
	"fmt"
	"sync"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A featureBasis is the basis in which q(U) is diagonal, and what it leaves of the prior variance there.
type featureBasis struct {
	factors    []*bound.Factor   // of which T and Λ are there
	version    []int             // that of each channel
	incomplete *bound.Incomplete // where the training data had holes; else nil
	spectra    []eig.Spectrum    // of complete data: those of the factors

	// For each version of the mask of the training data, of which complete data have one: the share of the
	// prior variance that q(U) leaves, w, and what it takes, (1 − w) in the scale of Φ; m_ξ × Π m_f each. As large as α,
	// they are made when first asked for.
	left, taken func() []mat.Matrix
}

// decompose solves the eigenproblems of a model of complete data.
func decompose(p *bound.Params, grid field.Grid, jitter float64) ([]eig.Spectrum, error) {
	ofAll := new(psi.Statistics) // let go afterwards, with its room for all examples
	ofAll.Set(p.Latent, p.Inducing())
	factors, err := bound.Factors(ofAll, p, grid, jitter)
	if err != nil {
		return nil, err
	}
	var solved []eig.Spectrum
	for _, f := range factors {
		solved = append(solved, f.Spectrum())
	}
	return solved, nil
}

// setSpectra takes over the eigenproblems' solutions of a model of complete data. Errors: what does not fit the parameters.
func (b *featureBasis) setSpectra(solved []eig.Spectrum, p *bound.Params, inducing []mat.Matrix, channels int) error {
	orders := []int{p.Z.Rows}
	for _, x := range inducing {
		orders = append(orders, x.Rows)
	}
	if len(solved) != len(orders) {
		return fmt.Errorf("eigenproblems of %d factors, expected %d", len(solved), len(orders))
	}
	for f, s := range solved {
		tied, m := f > 0 && p.Space[f-1].Tied(), orders[f]
		whole := s.Vectors.Rows == m && s.Vectors.Cols == m
		identity := tied && s.Vectors.Rows == 0 && s.Vectors.Cols == 0
		if len(s.Values) != m || !whole && !identity {
			return fmt.Errorf("eigenproblem of factor %d has %d values and vectors %d×%d, expected order %d", f, len(s.Values), s.Vectors.Rows, s.Vectors.Cols, m)
		}
		for i, v := range s.Values {
			if !(v >= 0) {
				return fmt.Errorf("eigenproblem of factor %d: value %d is %v, expected none below 0", f, i, v)
			}
		}
		b.factors = append(b.factors, &bound.Factor{Tied: tied, Coord: s.Vectors, Lambda: s.Values})
	}
	b.spectra, b.version = solved, make([]int, channels)
	b.setTables(p.Noise.Precision())
	return nil
}

// setTables says what q(U) of complete data takes off the prior variance in the scale of Φ, κ_j·λ0_i/d_ij with κ = 1 where
// a factor is tied, and what it leaves.
func (b *featureBasis) setTables(beta float64) {
	var kappa, spatial [][]float64
	for _, s := range b.factors[1:] {
		spatial = append(spatial, s.Lambda)
		if s.Tied {
			kappa = append(kappa, work.Ones(s.Size()))
		} else {
			kappa = append(kappa, s.Lambda)
		}
	}
	lambda, weight := kronprod.Vectors(spatial...), kronprod.Vectors(kappa...)
	latent := b.factors[0].Lambda
	table := func(of func(l0 float64, j int) float64) func() []mat.Matrix {
		return sync.OnceValue(func() []mat.Matrix {
			t := mat.New(len(latent), len(lambda))
			for i, l0 := range latent {
				for j, row := 0, t.Row(i); j < len(row); j++ {
					row[j] = of(l0, j)
				}
			}
			return []mat.Matrix{t}
		})
	}
	b.taken = table(func(l0 float64, j int) float64 { return l0 * weight[j] / (1/beta + l0*lambda[j]) })
	b.left = table(func(l0 float64, j int) float64 { return 1 / (1 + beta*l0*lambda[j]) })
}

// setIncomplete takes over q(U) of a model that learned from data with holes. Errors: what does not fit the parameters.
func (b *featureBasis) setIncomplete(u *bound.Incomplete, p *bound.Params, inducing []mat.Matrix, channels int) error {
	m, size := p.Z.Rows, 1
	if p.Noise.Structured() {
		return errors.New("q(U) of data with holes beside a structured residual, expected white noise")
	}
	if u.Latent.Rows != m || u.Latent.Cols != m || len(u.Space) != len(inducing) || len(u.Version) != channels || len(u.Tables) < 1 {
		return fmt.Errorf("a basis of %d×%d and %d spatial factors and tables of %d channels, expected %d×%d, %d and %d", u.Latent.Rows, u.Latent.Cols, len(u.Space), len(u.Version), m, m, len(inducing), channels)
	}
	b.factors = []*bound.Factor{{Coord: u.Latent, Lambda: make([]float64, m)}}
	for f, t := range u.Space {
		if t.Rows != inducing[f].Rows || t.Cols < 1 || t.Cols > t.Rows {
			return fmt.Errorf("a basis of spatial factor %d of %d×%d, expected %d rows and at most as many columns", f, t.Rows, t.Cols, inducing[f].Rows)
		}
		b.factors = append(b.factors, &bound.Factor{Coord: t, Lambda: make([]float64, t.Cols)})
		size *= t.Cols
	}
	for v, w := range u.Tables {
		if w.Rows != m || w.Cols != size {
			return fmt.Errorf("table %d of %d×%d, expected %d×%d", v, w.Rows, w.Cols, m, size)
		}
		for i := range w.Rows {
			for j, x := range w.Row(i) {
				if !(x > 0 && x <= 1) {
					return fmt.Errorf("table %d: element (%d, %d) is %v, expected more than 0 and at most 1", v, i, j, x)
				}
			}
		}
	}
	b.left = func() []mat.Matrix { return u.Tables }
	b.taken = sync.OnceValue(func() (all []mat.Matrix) {
		for v := range u.Tables {
			all = append(all, u.Taken(v))
		}
		return all
	})
	for c, v := range u.Version {
		if v < 0 || v >= len(u.Tables) {
			return fmt.Errorf("channel %d has table %d, of %d", c, v, len(u.Tables))
		}
	}
	b.version, b.incomplete = u.Version, u
	return nil
}
