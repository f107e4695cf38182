package baseline

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// principalAxes are the parameters of fitPrincipal for n training pictures of p values:
// numbers of components, all up to 16 and then in steps of about an eighth, and
// degrees of freedom.
func principalAxes(n, p int) []axis {
	a := axis{name: "components"}
	for q := 0; q < min(n, p); q += max(1, q/8) {
		a.values = append(a.values, float64(q))
	}
	a.start = len(a.values) / 2
	return []axis{a, {"degrees of freedom", degreesOfFreedom, 3}}
}

// principalModel is probabilistic principal component analysis: y ~ N(mean, W·Wᵀ + σ²·I)
// (Tipping and Bishop, "Probabilistic principal component analysis", Journal of
// the Royal Statistical Society B 61(3), 1999).
type principalModel struct {
	mean  []float64  // p
	w     mat.Matrix // W, p×q
	noise float64    // σ²

	degrees float64 // ν, as in condition; ∞ is Tipping and Bishop's model
}

// fitPrincipal is a fitter of the maximum likelihood solution for q components.
func fitPrincipal(y mat.Matrix) (func(parameters []float64) (conditional, error), error) {
	mean, c := moments(y)
	floor := least * spread(y)
	directions, values, err := components(c)
	if err != nil {
		return nil, err
	}
	return func(parameters []float64) (conditional, error) {
		q, p := int(parameters[0]), y.Cols
		if q < 0 || q >= min(p, y.Rows) {
			return nil, fmt.Errorf("baseline: %d components, expected at most %d", q, min(p, y.Rows)-1)
		}
		// Tipping and Bishop, equations 14 and 15.
		var rest float64
		for _, v := range values[q:] {
			rest += v
		}
		m := &principalModel{mean: mean, w: mat.New(p, q), noise: max(rest/float64(p-q), floor), degrees: parameters[1]}
		for k := range q {
			scale := math.Sqrt(max(0, values[k]-m.noise))
			for j := range p {
				m.w.Set(j, k, scale*directions.At(j, k))
			}
		}
		return m, nil
	}, nil
}

// components returns the eigenvectors (p×r, orthonormal columns) and eigenvalues
// (r, falling) of the covariance cᵀc/n of centred pictures c (n×p), r = min(n, p);
// the other eigenvalues are 0. It decomposes the smaller of cᵀc and ccᵀ.
func components(c mat.Matrix) (directions mat.Matrix, values []float64, err error) {
	n, p := c.Rows, c.Cols
	a := c
	if n > p {
		a = c.T()
	}
	r := a.Rows
	gram := mat.New(r, r)
	mat.Syrk(gram, 1/float64(n), a, 0)
	s, err := eig.Sym(gram)
	if err != nil {
		return mat.Matrix{}, nil, fmt.Errorf("baseline: principal components: %w", err)
	}
	values = make([]float64, r)
	falling := mat.New(r, r)
	for k := range r {
		values[k] = max(0, s.Values[r-1-k])
		mat.Copy(falling.Slice(0, r, k, k+1), s.Vectors.Slice(0, r, r-1-k, r-k))
	}
	if n > p {
		return falling, values, nil
	}
	directions = mat.New(p, r)
	mat.Mul(directions, 1, c.T(), falling, 0)
	for k, v := range values {
		column := directions.Slice(0, p, k, k+1)
		if v > 0 {
			mat.Scale(column, 1/math.Sqrt(v*float64(n)), column)
		}
	}
	return directions, values, nil
}

// fill conditions through the posterior of the q components: with M = σ²·I + W_OᵀW_O
// they are N(M⁻¹W_Oᵀ(y_O − mean_O), σ²·M⁻¹).
func (m *principalModel) fill(mean, variance, seen mat.Matrix, p pattern) error {
	q := m.w.Cols
	wo, wm := rows(m.w, p.seen), rows(m.w, p.missing)
	a := mat.New(q, q)
	mat.Syrk(a, 1, wo.T(), 0)
	factor := new(chol.Factor)
	if err := factor.RefactorizeShifted(a, m.noise); err != nil {
		return fmt.Errorf("baseline: posterior of the components: %w", err)
	}
	factor.SolveHalf(wo.T())
	factor.SolveHalf(wm.T()) // rows L⁻¹w_j
	residual := centre(seen, m.mean, p.seen)
	scores := mat.New(seen.Rows, q)
	mat.Mul(scores, 1, residual, wo, 0)
	mat.Mul(mean, 1, scores, wm.T(), 0)
	mu := gather(m.mean, p.missing)
	for i := range mean.Rows {
		asm.Axpy(1, mu, mean.Row(i))
		// rᵀ(W_O·W_Oᵀ + σ²·I)⁻¹r = (‖r‖² − ‖L⁻¹W_Oᵀr‖²)/σ²
		chi := max(0, asm.SumSquares(residual.Row(i))-asm.SumSquares(scores.Row(i))) / m.noise
		scale := m.noise * studentFactor(m.degrees, chi, len(p.seen))
		for k, v := 0, variance.Row(i); k < len(v); k++ {
			v[k] = scale * (1 + asm.SumSquares(wm.Row(k)))
		}
	}
	return nil
}
