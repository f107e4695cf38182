package baseline

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// principalHoles is probabilistic principal component analysis fitted to pictures with holes.
type principalHoles struct{ principalModel }

func (m *principalHoles) complete(mean, variance, y mat.Matrix) error {
	return fillGroups(&m.principalModel, mean, variance, y)
}

// The EM algorithm of PPCA ends after so many rounds, or where the noise and the mean squared fit change by less
// than this part.
const (
	principalRounds    = 80
	principalTolerance = 1e-4
)

// ppcaLadder is probabilistic principal component analysis by the EM algorithm with missing values (M. E. Tipping and
// C. M. Bishop, Journal of the Royal Statistical Society B 61(3), 1999; S. Roweis, Advances in Neural Information
// Processing Systems 10, 1998): y_i ~ N(μ, W·Wᵀ + σ²·I) on what is observed. Hidden values choose the number of components.
// Each starts from the principal components of the pictures as the last one completes them.
func ppcaLadder(y mat.Matrix) ladder {
	return ladder{name: "components", values: rankValues(0, y.Rows, y.Cols), patience: 3, fit: func(ctx context.Context, y mat.Matrix, value float64, before holeModel) (holeModel, error) {
		last, _ := before.(*principalHoles)
		e, err := newPrincipalEM(y, int(value), last)
		if err != nil {
			return nil, err
		}
		for range principalRounds {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			old := e.m.noise
			if err := e.round(); err != nil {
				return nil, err
			}
			if math.Abs(e.m.noise-old) < principalTolerance*old {
				break
			}
		}
		return e.m, nil
	}}
}

// principalEM is the room of the EM algorithm. Its weights are those of a regression of each column on z̃ = (z, 1).
type principalEM struct {
	y      mat.Matrix // n×p, NaN where missing
	zeroed mat.Matrix // y, 0 where missing
	seen   mat.Matrix // n×p, 1 where observed
	groups []group
	count  float64 // of observed values
	floor  float64 // of the noise

	m *principalHoles

	z       mat.Matrix // n×(q+1): E[z̃]
	moments mat.Matrix // n×(q+1)²: E[z̃·z̃ᵀ]
}

// newPrincipalEM starts with the principal components of the pictures completed by an earlier fit, or by the means of columns.
func newPrincipalEM(y mat.Matrix, q int, last *principalHoles) (*principalEM, error) {
	e := &principalEM{y: y, zeroed: mat.New(y.Rows, y.Cols), seen: mat.New(y.Rows, y.Cols), groups: byPattern(y, y.Rows),
		floor: least * seenSpread(y, 1), z: mat.New(y.Rows, q+1), moments: mat.New(y.Rows, (q+1)*(q+1))}
	for i := range y.Rows {
		for j, v := range y.Row(i) {
			if !math.IsNaN(v) {
				e.zeroed.Set(i, j, v)
				e.seen.Set(i, j, 1)
				e.count++
			}
		}
	}
	filled := y.Clone()
	if last == nil {
		mu := columnMeans(y)
		for i := range y.Rows {
			for j, v := range y.Row(i) {
				if math.IsNaN(v) {
					filled.Set(i, j, mu[j])
				}
			}
		}
	} else if err := last.complete(filled, mat.New(y.Rows, y.Cols), y); err != nil {
		return nil, err
	}
	fitted, err := fitPrincipal(filled)
	if err != nil {
		return nil, err
	}
	start, err := fitted([]float64{float64(q), math.Inf(1)})
	if err != nil {
		return nil, err
	}
	e.m = &principalHoles{*start.(*principalModel)}
	return e, nil
}

// round is an expectation of the components given what is seen and a maximisation over W, μ and σ².
func (e *principalEM) round() error {
	failures := make([]error, len(e.groups))
	mat.Parallel(len(e.groups), func(g int) { failures[g] = e.expect(e.groups[g]) })
	if err := firstError(context.Background(), failures); err != nil {
		return err
	}
	return e.maximise()
}

// expect sets the moments of z̃ of the pictures of a group: N(M⁻¹W_Oᵀ(y_O − μ_O), σ²·M⁻¹) with M = W_OᵀW_O + σ²·I.
func (e *principalEM) expect(g group) error {
	q, m := e.m.w.Cols, e.m
	wo := rows(m.w, g.pattern.seen)
	a, inverse := mat.New(q, q), mat.New(q, q)
	mat.Syrk(a, 1, wo.T(), 0)
	factor := new(chol.Factor)
	if err := factor.RefactorizeShifted(a, m.noise); err != nil {
		return fmt.Errorf("baseline: posterior of the components: %w", err)
	}
	factor.Inverse(inverse)
	mat.MirrorLower(inverse)
	residual := centre(columns(rows(e.y, g.pictures), g.pattern.seen), m.mean, g.pattern.seen)
	scores := mat.New(len(g.pictures), q)
	mat.Mul(scores, 1, residual, wo, 0)
	for k, i := range g.pictures {
		z := e.z.Row(i)
		mat.Mul(mat.Vector(z[:q]), 1, inverse, mat.Vector(scores.Row(k)), 0)
		z[q] = 1
		full := e.moments.Row(i)
		for r, v := range z {
			row := full[r*(q+1):][:q+1]
			asm.Scale(row, v, z)
			if r < q {
				asm.Axpy(m.noise, inverse.Row(r), row[:q])
			}
		}
	}
	return nil
}

// together is how many columns are maximised over at a time; their moments are matrices of q² numbers.
const together = 128

// maximise regresses each column on z̃: with S = Σ E[z̃z̃ᵀ] and b = Σ y·E[z̃] over the pictures in which it is seen,
// (w, μ) = S⁻¹b, and σ² is the mean over all observed values of E[(y − wᵀz − μ)²] = y² − (w, μ)ᵀb.
func (e *principalEM) maximise() error {
	q, p := e.m.w.Cols, e.y.Cols
	b := mat.New(p, q+1)
	mat.Mul(b, 1, e.zeroed.T(), e.z, 0)
	next := principalModel{mean: make([]float64, p), w: mat.New(p, q), degrees: math.Inf(1)}
	rest := make([]float64, p)
	failures := make([]error, p)
	for from := 0; from < p; from += together {
		to := min(from+together, p)
		sums := mat.New(to-from, (q+1)*(q+1))
		mat.Mul(sums, 1, e.seen.Slice(0, e.seen.Rows, from, to).T(), e.moments, 0)
		mat.Parallel(to-from, func(k int) {
			j := from + k
			s := mat.NewDense(q+1, q+1, sums.Row(k))
			factor, _, err := chol.FactorizeJitter(s, []float64{0, 1e-12, 1e-10, 1e-8})
			if err != nil {
				failures[j] = fmt.Errorf("baseline: moments of the components for value %d: %w", j, err)
				return
			}
			weights := append([]float64(nil), b.Row(j)...)
			factor.Solve(mat.Vector(weights))
			copy(next.w.Row(j), weights[:q])
			next.mean[j] = weights[q]
			for i := range e.y.Rows {
				rest[j] += square(e.zeroed.At(i, j))
			}
			for r, v := range weights {
				rest[j] -= v * b.At(j, r)
			}
		})
	}
	if err := firstError(context.Background(), failures); err != nil {
		return err
	}
	for _, v := range rest {
		next.noise += v / e.count
	}
	next.noise = max(next.noise, e.floor)
	e.m = &principalHoles{next}
	return nil
}
