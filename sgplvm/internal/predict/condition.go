package predict

import (
	"context"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// conditional returns the distribution of f at every point given the moments of the latent posterior
// and the example's observed values, in the model's units (docs/math.md, "Given the latent
// variables").
//
// q(x) has already seen the observations, so they must not be used again to
// learn about x. Given x, y is Gaussian with covariance C = the predictive
// covariance without its last term, plus noise; with G = C_MO·C_OO⁻¹ the missing
// values have
//
//	mean = mean_M + G·(y_O − mean_O)
//	cov  = C_MM − G·C_OM + (P_M − G·P_O)·(Ψ2 − ψ1ψ1ᵀ)·(P_M − G·P_O)ᵀ
//
// which is exact for a linear map. (Atkinson and Zabaras condition the
// moment-matched Gaussian instead and so count the data twice: ConditionMoments.) Errors: ctx.Err().
func (q *Posterior) conditional(ctx context.Context, e *example, t moments, how Conditioning) (Prediction, error) {
	return q.conditionalWithin(ctx, e, t, nil, how)
}

// conditionalWithin is conditional at the points of an ascending list; others are left as they are without
// observed values. nil: all points.
func (q *Posterior) conditionalWithin(ctx context.Context, e *example, t moments, within []int, how Conditioning) (Prediction, error) {
	p := q.marginal(e.on, t)
	condition := q.condition
	switch how {
	case ConditionNone:
		return p, nil
	case ConditionMoments:
		condition = q.conditionMoments
	}
	t.setTerms(e.on)
	n := e.on.grid.Len()
	for c, seen := range e.seen {
		if len(seen) == 0 || len(seen) == n {
			continue
		}
		channels := e.alike(c)
		if channels == nil {
			continue
		}
		missing := addComplement(e.room.list(n-len(seen)), seen, n)
		if within != nil {
			missing = slices.DeleteFunc(missing, func(i int) bool { _, found := slices.BinarySearch(within, i); return !found })
		}
		if len(missing) == 0 {
			continue
		}
		prior := q.unexplained(e, t, c)
		if len(seen) <= conditioning.exact {
			p.Conditioning = "exact"
			if err := condition(p, e, t, channels, prior, missing, seen); err != nil {
				return p, err
			}
			continue
		}
		size := float64(conditioning.group + conditioning.neighbours)
		if size*float64(len(missing))/float64(conditioning.group)*size*float64(q.components()) > conditioning.work {
			continue
		}
		p.Conditioning = "local"
		ends := e.on.neighbourhoods(missing, 0, e.room.list(len(missing)))
		for k, to := range ends {
			if err := ctx.Err(); err != nil {
				return p, err
			}
			group, lent := missing[partFrom(ends, k):to], e.room.mark()
			if err := condition(p, e, t, channels, prior, group, e.nearest(group, seen)); err != nil {
				return p, err
			}
			e.room.release(lent)
		}
	}
	return p, nil
}

// observedCovariance returns C_OO, the covariance of the observed values of channel c given x.
func (q *Posterior) observedCovariance(e *example, t moments, c int, seen []int) mat.Matrix {
	coo := q.dataCovariance(e.on, t, q.version[c], seen, seen)
	for i, p := range seen {
		coo.Data[i*coo.RowStride+i] += t.noise/q.params.Noise.Beta + e.square(p, c)
	}
	return coo
}

// observedFactor returns the Cholesky factor of C_OO in channel c.
func (q *Posterior) observedFactor(e *example, t moments, c int, seen []int) (*chol.Factor, error) {
	if t.factors != nil && work.SameList(seen, e.seen[c]) {
		return t.factors[c], nil
	}
	return e.room.factorize(q.observedCovariance(e, t, c, seen))
}

// condition overwrites mean and variance of the missing points given the
// observed ones, in the given channels, where prior is the variance at every point as unexplained returns it.
func (q *Posterior) condition(p Prediction, e *example, t moments, channels []int, prior []float64, missing, seen []int) error {
	l, err := q.observedFactor(e, t, channels[0], seen)
	if err != nil {
		return err
	}
	x := q.dataCovariance(e.on, t, q.version[channels[0]], seen, missing)
	l.SolveHalf(x) // L⁻¹C_OM, so that G = xᵀL⁻¹
	// A direct prediction has no factors, and is of a part.
	if e.given != nil && t.factors != nil {
		e.given.whitened[channels[0]] = x
	}
	explained := e.room.columnSquares(x)
	var precision []float64
	var weights mat.Matrix
	telling := 1.0
	if t.degreesOfFreedom > 0 {
		telling = q.telling(e, t, prior, missing, seen)
		precision, weights = e.room.vector(len(seen)), nearby(e.room, e.on, seen, missing)
		l.InverseDiagonal(precision)
	}
	for _, c := range channels {
		residual := e.residual(p, c, seen)
		l.SolveHalf(residual)
		var nearby []float64
		if t.degreesOfFreedom > 0 {
			solved := e.room.clone(residual)
			l.SolveHalfT(solved)
			nearby = nearbyScale(e.room, weights, precision, solved.Data)
		} else {
			nearby = e.room.vector(len(missing))
			for k := range nearby {
				nearby[k] = 1
			}
		}
		scale := infer.StudentScale(t.degreesOfFreedom, mat.Dot(residual, residual), len(seen), telling)
		shift := e.room.matrix(len(missing), 1)
		mat.Mul(shift, 1, x.T(), residual, 0)

		byLatent := q.leftByLatent(e, t, c, l, x, missing, seen)
		for k, i := range missing {
			p.Mean.Set(i, c, p.Mean.At(i, c)+shift.Data[k])
			v := max(0, prior[i]+q.structuredVariance(e.on, t, i)-explained[k]+byLatent[k])
			white := t.noise / q.params.Noise.Beta // is in the scaled variance and not in p's
			p.Variance.Set(i, c, v+(infer.Follow(scale, nearby[k], t.damping)-1)*(v+white))
		}
	}
	return nil
}

// telling is infer.Telling of the observed and the missing points given x, with noise, where prior is the variance at every point as
// unexplained returns it.
func (q *Posterior) telling(e *example, t moments, prior []float64, missing, seen []int) float64 {
	mean := func(points []int) float64 {
		v := t.noise / q.params.Noise.Beta
		for _, i := range points {
			v += (prior[i] + q.structuredVariance(e.on, t, i)) / float64(len(points))
		}
		return v
	}
	return infer.Telling(mean(seen), mean(missing))
}

// unexplained returns the prior variance at every point less what the inducing points take off it.
func (q *Posterior) unexplained(e *example, t moments, c int) []float64 {
	v := e.room.vector(e.on.grid.Len())
	if t.noiseAlone() {
		return v
	}
	prior := t.psi0 * q.params.SpatialVariance()
	for i, by := range q.explained(e.on, t)[q.version[c]] {
		v[i] = prior - by
	}
	return v
}

// leftByLatent returns the variance of missing points that the latent variables leave, the diagonal of (P_M − G·P_O)·spread·(P_M − G·P_O)ᵀ,
// given x = L⁻¹C_OM.
func (q *Posterior) leftByLatent(e *example, t moments, c int, l *chol.Factor, x mat.Matrix, missing, seen []int) []float64 {
	v := e.room.vector(len(missing))
	if t.noiseAlone() {
		return v
	}
	po := e.room.gather(e.on.p[c], seen)
	l.SolveHalf(po)
	left := e.room.gather(e.on.p[c], missing)
	mat.Mul(left, -1, x.T(), po, 1) // P_M − G·P_O
	spread := e.room.matrix(left.Rows, left.Cols)
	mat.Mul(spread, 1, left, t.spread, 0)
	for k := range v {
		v[k] = asm.Dot(spread.Row(k), left.Row(k))
	}
	return v
}

// residual returns what a prediction leaves of the observed values of a channel, |O|×1.
func (e *example) residual(p Prediction, c int, seen []int) mat.Matrix {
	r := e.room.matrix(len(seen), 1)
	for k, i := range seen {
		r.Data[k] = e.values.At(i, c) - p.Mean.At(i, c)
	}
	return r
}

// conditionMoments is condition in the way of the paper: with the term of the latent
// uncertainty in the covariance, which makes it a matter of each channel,
//
//	mean = mean_M + G·(y_O − mean_O),   cov = C_MM − G·C_OM,
//	C = ψ0·K − Φ·diag(h)·Φᵀ + P·(Ψ2 − ψ1ψ1ᵀ)·Pᵀ + Σ
func (q *Posterior) conditionMoments(p Prediction, e *example, t moments, channels []int, _ []float64, missing, seen []int) error {
	observed := q.observedCovariance(e, t, channels[0], seen)
	between := q.dataCovariance(e.on, t, q.version[channels[0]], seen, missing)
	for _, c := range channels {
		po, pm := e.room.gather(e.on.p[c], seen), e.room.gather(e.on.p[c], missing)
		spread := e.room.matrix(po.Rows, po.Cols)
		mat.Mul(spread, 1, po, t.spread, 0)
		coo, x := e.room.clone(observed), e.room.clone(between)
		mat.MulSym(coo, 1, spread, po.T(), 1)
		mat.Mul(x, 1, spread, pm.T(), 1)
		l, err := e.room.factorize(coo)
		if err != nil {
			return err
		}
		residual := e.residual(p, c, seen)
		l.SolveHalf(residual)
		l.SolveHalf(x)
		shift := e.room.matrix(len(missing), 1)
		mat.Mul(shift, 1, x.T(), residual, 0)
		explained := e.room.columnSquares(x)
		for k, i := range missing {
			p.Mean.Set(i, c, p.Mean.At(i, c)+shift.Data[k])
			p.Variance.Set(i, c, max(0, p.Variance.At(i, c)-explained[k]))
		}
	}
	return nil
}
