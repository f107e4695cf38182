package predict

import (
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// evidenceOf condenses an example's observations.
func (q *Posterior) evidenceOf(e *example, strength float64) (*infer.Evidence, error) {
	latent := q.factors[0]
	m, beta := latent.Size(), q.params.Noise.Precision()
	v, form := lend[infer.Evidence](e.room, evidenceKind), lend[psi.Form](e.room, formKind)
	*v = infer.Evidence{Form: form, Prior: e.prior.normal, Strength: strength}
	var g0 float64
	g1, bigR := e.room.vector(m), e.room.matrix(m, m)
	slack := e.room.vector(m) // Σ_j g_j·(β⁻¹/d_ij − 1), over channels
	for c, seen := range e.seen {
		channels := e.alike(c)
		if len(seen) == 0 || channels == nil {
			continue
		}
		o, err := q.observation(e, c, seen)
		if err != nil {
			return nil, err
		}
		for _, c := range channels {
			po, y := e.room.gather(e.on.p[c], seen), e.series(c, seen)
			o.whiten(po)
			o.whiten(y)
			v.Constant -= 0.5*o.logNoise + 0.5*float64(len(seen))*math.Log(2*math.Pi)
			v.Square -= 0.5 * beta * mat.Dot(y, y)
			v.Count += float64(len(seen))
			g0 -= 0.5 * beta * o.trace
			mat.Mul(mat.Vector(g1), beta, po.T(), y, 1)
			mat.Syrk(bigR, 1, po.T(), 1)
			mat.Mul(mat.Vector(slack), -1, q.taken()[q.version[c]], mat.Vector(o.norms), 1)
		}
	}
	scaled := e.room.matrix(m, m)
	mat.ScaleCols(scaled, latent.Coord, slack)
	mat.MulSym(bigR, 1, scaled, latent.Coord.T(), 1)
	mat.MirrorLower(bigR)
	mat.Scale(bigR, -0.5*beta, bigR)
	q.psi.SetForm(form, g0, g1, bigR, e.prior.at)
	v.Square += v.Form.Constant
	return v, nil
}

// observation is what L* needs of a set of observed points of one channel.
type observation struct {
	factor   *chol.Factor // of Σ_OO where the noise is structured, else nil
	roots    []float64    // of what each value counts where these have errors of their own; else nil
	logNoise float64      // log|Σ_OO|
	trace    float64      // tr K(X_O, X_O), of whitened data tr Σ_OO⁻¹K(X_O, X_O)
	norms    []float64    // g_j, the sums of squares of the columns of Φ_O, whitened likewise
}

// whiten sets a, with a row for each observed point, to L⁻¹·a, or its rows to multiples of themselves where values have
// errors of their own.
func (o *observation) whiten(a mat.Matrix) {
	if o.roots != nil {
		mat.ScaleRows(a, o.roots, a)
	}
	if o.factor != nil {
		o.factor.SolveHalf(a)
	}
}

// observation prepares L* for observations of channel c at the given points of a grid. A value of standard error e has the
// noise variance β⁻¹ + e²: where the noise is white it counts 1/(1 + βe²) of one without.
func (q *Posterior) observation(e *example, c int, seen []int) (*observation, error) {
	on := e.on
	o := lend[observation](e.room, observationKind)
	*o = observation{logNoise: -float64(len(seen)) * math.Log(q.params.Noise.Beta), trace: float64(len(seen)) * q.params.SpatialVariance()}
	if on.structured == nil {
		mask := e.room.vector(on.grid.Len())
		for _, i := range seen {
			mask[i] = 1
		}
		if e.errors.Rows > 0 {
			o.trace, o.roots = 0, e.room.vector(len(seen))
			for k, i := range seen {
				count := 1 / (1 + q.params.Noise.Beta*e.square(i, c))
				mask[i] = count
				o.roots[k] = math.Sqrt(count)
				o.logNoise -= math.Log(count)
				o.trace += count * q.params.SpatialVariance()
			}
		}
		o.norms = e.room.times(on.features().transposed, mask)
		return o, nil
	}
	noise, k := e.room.result(len(seen), len(seen)), e.room.result(len(seen), len(seen))
	work.Submatrix(noise, on.structured(), seen, seen)
	work.Submatrix(k, on.kss[0](), seen, seen)
	for a, i := range seen {
		noise.Row(a)[a] += 1/q.params.Noise.Beta + e.square(i, c)
	}
	var err error
	if o.factor, err = e.room.factorize(noise); err != nil {
		return nil, err
	}
	o.logNoise = o.factor.LogDet()
	o.factor.Inverse(noise)
	o.trace = mat.Dot(noise, k)
	phi := e.room.gather(on.features().phi.Factors[0], seen)
	o.whiten(phi)
	o.norms = e.room.columnSquares(phi)
	return o, nil
}
