package sgplvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// conditionLimits say when and how missing values are conditioned on the
// observed ones directly.
type conditionLimits struct {
	exact      int     // observed points up to which all of them are used at once
	group      int     // missing points predicted together beyond that
	neighbours int     // observed points nearest to such a group that are used
	work       float64 // multiplications beyond which local conditioning is left out
}

var conditioning = conditionLimits{exact: 2048, group: 256, neighbours: 512, work: 2e13}

// Conditioning is how the observed values of an example enter the prediction of its
// missing ones beside q(x), which came from them.
type Conditioning string

// The ways of conditioning.
const (
	// Missing and observed values are jointly Gaussian given x, and x is averaged over:
	// the observed values say nothing more about x.
	ConditionGivenLatent Conditioning = ""

	// The Gaussian with the exact moments of missing and observed values under q(x) is
	// conditioned, which uses the observed values twice: Atkinson and Zabaras (2018).
	ConditionMoments Conditioning = "paper"

	// The missing values are predicted from q(x) alone.
	ConditionNone Conditioning = "none"
)

func (c Conditioning) validate() error {
	if c != ConditionGivenLatent && c != ConditionMoments && c != ConditionNone {
		return fmt.Errorf("Conditioning %q, expected nothing, %q or %q", string(c), ConditionMoments, ConditionNone)
	}
	return nil
}

// conditional returns the distribution of f at every point given the latent
// posterior l and the example's observed values, in the model's units.
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
// moment-matched Gaussian instead and so count the data twice.)
func (q *posterior) conditional(e *example, l Latent) (Prediction, error) {
	return q.conditionalOn(e, q.momentsOf(l), ConditionGivenLatent)
}

// conditionalOn is conditional for given moments of the latent posterior and in any
// way.
func (q *posterior) conditionalOn(e *example, t moments, how Conditioning) (Prediction, error) {
	p := q.marginal(e.on, t)
	p.Conditioning = "none"
	if how == ConditionNone {
		return p, nil
	}
	condition := q.condition
	if how == ConditionMoments {
		condition = q.conditionMoments
	}
	n := e.on.grid.Len()
	for c, seen := range e.seen {
		if len(seen) == 0 || len(seen) == n {
			continue
		}
		channels := e.alike(c)
		if channels == nil {
			continue
		}
		missing := complement(seen, n)
		if len(seen) <= conditioning.exact {
			p.Conditioning = "exact"
			if err := condition(p, e, t, channels, missing, seen); err != nil {
				return p, err
			}
			continue
		}
		size := float64(conditioning.group + conditioning.neighbours)
		if size*float64(len(missing))/float64(conditioning.group)*size*float64(len(t.h)) > conditioning.work {
			continue
		}
		p.Conditioning = "local"
		for _, group := range q.neighbourhoods(e.on, missing) {
			if err := condition(p, e, t, channels, group, q.nearest(e.on, group, seen)); err != nil {
				return p, err
			}
		}
	}
	return p, nil
}

// alike returns the channels from c on that miss the same points as c, nil if an
// earlier channel does.
func (e *example) alike(c int) []int {
	for earlier := range c {
		if slices.Equal(e.seen[earlier], e.seen[c]) {
			return nil
		}
	}
	channels := []int{c}
	for later := c + 1; later < len(e.seen); later++ {
		if slices.Equal(e.seen[later], e.seen[c]) {
			channels = append(channels, later)
		}
	}
	return channels
}

// complement returns the numbers below n that are not in the ascending list.
func complement(list []int, n int) []int {
	rest := make([]int, 0, n-len(list))
	for i := range n {
		if len(list) > 0 && list[0] == i {
			list = list[1:]
			continue
		}
		rest = append(rest, i)
	}
	return rest
}

// observedFactor returns the Cholesky factor of C_OO, the covariance of the
// observed values given x, in channel c.
func (q *posterior) observedFactor(e *example, t moments, c int, seen []int) (*chol.Factor, error) {
	if t.factors != nil && sameList(seen, e.seen[c]) {
		return t.factors[c], nil
	}
	coo := q.dataCovariance(e.on, t, seen, seen)
	for i := range seen {
		coo.Data[i*coo.RowStride+i] += t.noise / q.params.Beta
	}
	return chol.Factorize(coo)
}

// refine returns the moments of the latent posterior that the observed values
// have under the predictive covariance C itself, to first order around q(x).
//
// L* judges q(x) as if all that the inducing variables leave unexplained were
// white. Given x, however, the residuals of neighbouring points are correlated
// by C, and generalised least squares makes better use of them: with the
// prediction linear in x around μ, y_O ≈ P_O·(ψ1 + J·(x − μ)) + N(0, C_OO), and
// the prior N(m, V), which is N(0, I) unless the example has its own, the posterior is
// Gaussian with
//
//	precision A = V⁻¹ + Σ_c (P_O·J)ᵀ·C_OO⁻¹·(P_O·J)
//	mean      μ + A⁻¹·[Σ_c (P_O·J)ᵀ·C_OO⁻¹·(y_O − P_O·ψ1) − V⁻¹·(μ − m)]
//
// so the data count once. It replaces ψ1 by its value at the new mean and
// Ψ2 − ψ1ψ1ᵀ by J·A⁻¹·Jᵀ. Where C is white and the map linear, that is q(x) with
// its full covariance. Examples whose observed points are too many for one
// C_OO keep their moments, and so do those with nothing observed.
func (q *posterior) refine(e *example, l Latent, t moments) (moments, error) {
	if !e.observed() {
		return t, nil
	}
	d, m := len(l.Mu), q.factors[0].size()
	jacobian := mat.New(m, d)
	q.psi.psi1Jacobian(jacobian, l.Mu, l.S)
	precision := mat.New(d, d)
	shift := mat.New(d, 1)
	factors := make([]*chol.Factor, len(e.seen))
	least := math.Inf(1)
	for k, v := range l.Mu {
		mean, variance := e.prior.at(k)
		precision.Set(k, k, 1/variance)
		shift.Data[k] = (mean - v) / variance
		least = min(least, 1/variance)
	}
	for c, seen := range e.seen {
		if len(seen) > conditioning.exact {
			return t, nil
		}
		channels := e.alike(c)
		if len(seen) == 0 || channels == nil {
			continue
		}
		factor, err := q.observedFactor(e, t, c, seen)
		if err != nil {
			return t, err
		}
		factors[c] = factor
		for _, c := range channels {
			po := gather(e.on.p[c], seen)
			slope, residual := mat.New(len(seen), d), mat.New(len(seen), 1)
			mat.Mul(slope, 1, po, jacobian, 0)
			mat.Mul(residual, -1, po, t.psi1, 0)
			for k, i := range seen {
				residual.Data[k] += e.values.At(i, c)
				if t.local != nil {
					residual.Data[k] -= t.local.mean.At(i, c)
				}
			}
			factor.SolveHalf(slope)
			factor.SolveHalf(residual)
			mat.Syrk(precision, 1, slope.T(), 1)
			mat.Mul(shift, 1, slope.T(), residual, 1)
		}
	}
	a, err := eig.Sym(precision)
	if err != nil {
		return t, err
	}
	for k, v := range a.Values {
		// A ⪰ V⁻¹, and rounding must not say otherwise where the data are sharp.
		a.Values[k] = 1 / math.Sqrt(max(v, least))
	}
	mat.ScaleCols(a.Vectors, a.Vectors, a.Values) // A⁻¹ = V·Vᵀ
	rotated, step := mat.New(d, 1), mat.New(d, 1)
	mat.Mul(rotated, 1, a.Vectors.T(), shift, 0)
	mat.Mul(step, 1, a.Vectors, rotated, 0)
	mean := make([]float64, d)
	for k, v := range l.Mu {
		mean[k] = v + step.Data[k]
	}
	refined := moments{local: t.local, freedom: t.freedom, noise: t.noise, factors: factors, psi0: t.psi0, psi1: mat.New(m, 1), spread: mat.New(m, m), h: t.h}
	q.psi.psi1(refined.psi1.T(), mat.NewDense(1, d, mean), mat.NewDense(1, d, l.S))
	q.params.addKappa(refined.psi1.T(), l.At)
	q.psi.psi1Jacobian(jacobian, mean, l.S)
	half := mat.New(m, d)
	mat.Mul(half, 1, jacobian, a.Vectors, 0)
	mat.Syrk(refined.spread, 1, half, 0)
	mat.MirrorLower(refined.spread)
	return refined, nil
}

// scale returns what all variances of an example are multiplied by whose |O| observed
// values have the squared Mahalanobis distance χ from their mean: (ν + χ)/(ν + |O|), as under
// a multivariate Student distribution with ν degrees of freedom (Kotz and Nadarajah,
// "Multivariate t Distributions and Their Applications", section 1.11).
func (t moments) scale(chi float64, observed int) float64 {
	if t.freedom == 0 {
		return 1
	}
	return (t.freedom + chi) / (t.freedom + float64(observed))
}

// nearbyStrength is the weight of an example's mean square, in values, beside those observed
// near a missing one.
const nearbyStrength = 5

// nearby returns, in columns, the weights that squares observed at some points have in
// judging what is missing at others: Gaussian, of two mean spacings. It is |O|×|M|.
func nearby(on *projection, seen, missing []int) mat.Matrix {
	weights, factor := mat.New(len(seen), len(missing)), mat.New(len(seen), len(missing))
	weights.Fill(1)
	dims := gridDims(on.grid)
	from, to := splitAll(seen, dims), splitAll(missing, dims)
	for f, x := range on.grid {
		k := Kernel{Kind: RBF, Variance: 1, LengthScale: twoSpacings(x)}
		k.Matrix(factor, gather(x, from[f]), gather(x, to[f]))
		mat.MulElem(weights, weights, factor)
	}
	return weights
}

// nearbyScale returns what the variances of the missing points are multiplied by beside scale:
// errors are larger in some parts of a picture. It is the mean square of the observed values'
// leave-one-out residuals near a point over that of all, both in units of what was expected,
//
//	(n₀·z̄ + Σ_i w_i·z_i)/((n₀ + Σ_i w_i)·z̄),   z_i = (C_OO⁻¹r)_i²/(C_OO⁻¹)_ii
//
// with the weights w (|O|×|M|), given L⁻¹ of C_OO = LLᵀ and L⁻¹r (|O|×1): Rasmussen and
// Williams, "Gaussian Processes for Machine Learning", section 5.4.2.
func nearbyScale(weights, inverse, residual mat.Matrix) []float64 {
	n := weights.Rows
	solved, precision := mat.New(n, 1), columnSquares(inverse)
	mat.Mul(solved, 1, inverse.T(), residual, 0)
	z, mean := solved.Data, 0.0
	for i, v := range z {
		z[i] = v * v / precision[i]
		mean += z[i] / float64(n)
	}
	scale, total := make([]float64, weights.Cols), make([]float64, weights.Cols)
	for i, v := range z {
		asm.Axpy(v, weights.Row(i), scale)
		asm.Axpy(1, weights.Row(i), total)
	}
	for k, w := range total {
		if mean > 0 {
			scale[k] = (nearbyStrength*mean + scale[k]) / ((nearbyStrength + w) * mean)
		} else {
			scale[k] = 1
		}
	}
	return scale
}

// condition overwrites mean and variance of the missing points given the
// observed ones, in the given channels.
func (q *posterior) condition(p Prediction, e *example, t moments, channels, missing, seen []int) error {
	l, err := q.observedFactor(e, t, channels[0], seen)
	if err != nil {
		return err
	}
	x := q.dataCovariance(e.on, t, seen, missing)
	l.SolveHalf(x) // L⁻¹C_OM, so that G = xᵀL⁻¹
	explained := columnSquares(x)
	byInducing := q.explained(e.on, t)
	prior := t.psi0 * q.spatialVariance()
	var inverse, weights mat.Matrix
	if t.freedom > 0 {
		inverse, weights = mat.Identity(len(seen)), nearby(e.on, seen, missing)
		l.SolveHalf(inverse)
	}
	for _, c := range channels {
		residual := mat.New(len(seen), 1)
		for k, i := range seen {
			residual.Data[k] = e.values.At(i, c) - p.Mean.At(i, c)
		}
		l.SolveHalf(residual)
		nearby := ones(len(missing))
		if t.freedom > 0 {
			nearby = nearbyScale(weights, inverse, residual)
		}
		scale := t.scale(mat.Dot(residual, residual), len(seen))
		shift := mat.New(len(missing), 1)
		mat.Mul(shift, 1, x.T(), residual, 0)

		po := gather(e.on.p[c], seen)
		l.SolveHalf(po)
		left := gather(e.on.p[c], missing)
		mat.Mul(left, -1, x.T(), po, 1) // P_M − G·P_O
		spread := mat.New(left.Rows, left.Cols)
		mat.Mul(spread, 1, left, t.spread, 0)
		for k, i := range missing {
			p.Mean.Set(i, c, p.Mean.At(i, c)+shift.Data[k])
			v := max(0, prior+q.residualVariance(e.on, t, i)-byInducing[i]-explained[k]+asm.Dot(spread.Row(k), left.Row(k)))
			white := t.noise / q.params.Beta // is in the scaled variance and not in p's
			p.Variance.Set(i, c, v+(scale*nearby[k]-1)*(v+white))
		}
	}
	return nil
}

// conditionMoments is condition in the way of the paper: with the term of the latent
// uncertainty in the covariance, which makes it a matter of each channel,
//
//	mean = mean_M + G·(y_O − mean_O),   cov = C_MM − G·C_OM,
//	C = ψ0·K − Φ·diag(h)·Φᵀ + P·(Ψ2 − ψ1ψ1ᵀ)·Pᵀ + Σ
func (q *posterior) conditionMoments(p Prediction, e *example, t moments, channels, missing, seen []int) error {
	observed := q.dataCovariance(e.on, t, seen, seen)
	for i := range seen {
		observed.Row(i)[i] += t.noise / q.params.Beta
	}
	between := q.dataCovariance(e.on, t, seen, missing)
	for _, c := range channels {
		po, pm := gather(e.on.p[c], seen), gather(e.on.p[c], missing)
		spread := mat.New(po.Rows, po.Cols)
		mat.Mul(spread, 1, po, t.spread, 0)
		coo, x := observed.Clone(), between.Clone()
		mat.MulSym(coo, 1, spread, po.T(), 1)
		mat.Mul(x, 1, spread, pm.T(), 1)
		l, err := chol.Factorize(coo)
		if err != nil {
			return err
		}
		residual := mat.New(len(seen), 1)
		for k, i := range seen {
			residual.Data[k] = e.values.At(i, c) - p.Mean.At(i, c)
		}
		l.SolveHalf(residual)
		l.SolveHalf(x)
		shift := mat.New(len(missing), 1)
		mat.Mul(shift, 1, x.T(), residual, 0)
		explained := columnSquares(x)
		for k, i := range missing {
			p.Mean.Set(i, c, p.Mean.At(i, c)+shift.Data[k])
			p.Variance.Set(i, c, max(0, p.Variance.At(i, c)-explained[k]))
		}
	}
	return nil
}

// columnSquares returns the sum of squares of every column.
func columnSquares(a mat.Matrix) []float64 {
	sums := make([]float64, a.Cols)
	for k := range a.Rows {
		for i, v := range a.Row(k) {
			sums[i] += v * v
		}
	}
	return sums
}

// scaledCoordinates returns the coordinates (over all factors) of a grid
// point in units of the kernel's length scale.
func (q *posterior) scaledCoordinates(on *projection, point int) []float64 {
	dims := gridDims(on.grid)
	index := make([]int, len(dims))
	split(index, point, dims)
	var x []float64
	for f, k := range q.params.Spatial {
		for d, v := range on.grid[f].Row(index[f]) {
			if len(k.LengthScale) > 0 {
				v /= k.LengthScale[min(d, len(k.LengthScale)-1)]
			}
			x = append(x, v)
		}
	}
	return x
}

// neighbourhoods divides points into groups of neighbours by halving along the
// longest side, again and again.
func (q *posterior) neighbourhoods(on *projection, points []int) [][]int {
	if len(points) <= conditioning.group {
		return [][]int{points}
	}
	x := make(map[int][]float64, len(points))
	for _, p := range points {
		x[p] = q.scaledCoordinates(on, p)
	}
	longest, length := 0, -1.0
	for d := range x[points[0]] {
		low, high := x[points[0]][d], x[points[0]][d]
		for _, p := range points {
			low, high = min(low, x[p][d]), max(high, x[p][d])
		}
		if high-low > length {
			longest, length = d, high-low
		}
	}
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b int) int {
		return cmp.Or(cmp.Compare(x[a][longest], x[b][longest]), cmp.Compare(a, b))
	})
	h := len(points) / 2
	return append(q.neighbourhoods(on, points[:h]), q.neighbourhoods(on, points[h:])...)
}

// nearest returns the observed points nearest to a group's centre, ascending.
func (q *posterior) nearest(on *projection, group, seen []int) []int {
	var centre []float64
	for _, p := range group {
		x := q.scaledCoordinates(on, p)
		if centre == nil {
			centre = make([]float64, len(x))
		}
		asm.Axpy(1/float64(len(group)), x, centre)
	}
	type candidate struct {
		point    int
		distance float64
	}
	c := make([]candidate, len(seen))
	for k, p := range seen {
		c[k].point = p
		for d, v := range q.scaledCoordinates(on, p) {
			c[k].distance += (v - centre[d]) * (v - centre[d])
		}
	}
	slices.SortFunc(c, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.point, b.point))
	})
	near := make([]int, min(conditioning.neighbours, len(c)))
	for k := range near {
		near[k] = c[k].point
	}
	slices.Sort(near)
	return near
}
