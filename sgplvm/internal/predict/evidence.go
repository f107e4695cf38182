package predict

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// evidence is L* as a function of the latent posterior: Atkinson and Zabaras
// (2018), equation of the test bound, with K_uu⁻¹Ū = α and the channel count
// where it belongs (docs/math.md, "A partly seen example"),
//
//	L* = constant + g0·ψ0 + g1·ψ1 + tr(G·Ψ2) − KL
//
// with g0 = −½β·d_y·tr K(X_O, X_O), g1 = β·r and G = −½β·R. The data enter through r
// (m_ξ) and the symmetric R (m_ξ×m_ξ) alone. Where the noise is structured all of it is
// whitened with the Cholesky factor of Σ_OO, and β = 1.
type evidence struct {
	constant float64   // without −½β·‖y‖²
	square   float64   // that, and what a known time contributes to the form
	count    float64   // observed values
	form     *psi.Form // g0·ψ0 + g1·ψ1 + tr(G·Ψ2)
	prior    *bound.Normal

	// What the precision of the noise counts for beside the data: as many values, with the precision of
	// training. +Inf: it is fixed.
	strength float64
}

// evidenceOf condenses an example's observations.
func (q *Posterior) evidenceOf(e *example, strength float64) (*evidence, error) {
	latent := q.factors[0]
	m, beta := latent.Size(), q.params.Noise.Precision()
	v := &evidence{prior: e.prior.normal, strength: strength}
	var g0 float64
	g1, bigR := make([]float64, m), mat.New(m, m)
	slack := make([]float64, m) // Σ_j g_j·(β⁻¹/d_ij − 1), over channels
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
			po, y := work.Gather(e.on.p[c], seen), e.series(c, seen)
			o.whiten(po)
			o.whiten(y)
			v.constant -= 0.5*o.logNoise + 0.5*float64(len(seen))*math.Log(2*math.Pi)
			v.square -= 0.5 * beta * mat.Dot(y, y)
			v.count += float64(len(seen))
			g0 -= 0.5 * beta * o.trace
			mat.Mul(mat.Vector(g1), beta, po.T(), y, 1)
			mat.Syrk(bigR, 1, po.T(), 1)
			mat.Mul(mat.Vector(slack), -1, q.taken()[q.version[c]], mat.Vector(o.norms), 1)
		}
	}
	scaled := mat.New(m, m)
	mat.ScaleCols(scaled, latent.Coord, slack)
	mat.MulSym(bigR, 1, scaled, latent.Coord.T(), 1)
	mat.MirrorLower(bigR)
	mat.Scale(bigR, -0.5*beta, bigR)
	v.form = q.psi.Form(g0, g1, bigR, e.prior.at)
	v.square += v.form.Constant
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
	o := &observation{logNoise: -float64(len(seen)) * math.Log(q.params.Noise.Beta), trace: float64(len(seen)) * q.params.SpatialVariance()}
	if on.structured == nil {
		mask := kronprod.NewTensor(on.grid.Dims()...)
		for _, i := range seen {
			mask.Data[i] = 1
		}
		if e.errors.Rows > 0 {
			o.trace = 0
			for _, i := range seen {
				count := 1 / (1 + q.params.Noise.Beta*e.square(i, c))
				mask.Data[i] = count
				o.roots = append(o.roots, math.Sqrt(count))
				o.logNoise -= math.Log(count)
				o.trace += count * q.params.SpatialVariance()
			}
		}
		o.norms = on.squared.T().MulTensor(make([]float64, q.components()), mask, nil).Data
		return o, nil
	}
	noise, k := mat.New(len(seen), len(seen)), mat.New(len(seen), len(seen))
	work.Submatrix(noise, on.structured(), seen, seen)
	work.Submatrix(k, on.kss[0](), seen, seen)
	for a, i := range seen {
		noise.Row(a)[a] += 1/q.params.Noise.Beta + e.square(i, c)
	}
	var err error
	if o.factor, err = chol.Factorize(noise); err != nil {
		return nil, err
	}
	o.logNoise = o.factor.LogDet()
	o.factor.Solve(k)
	o.trace = mat.Trace(k)
	phi := work.Gather(on.phi.Factors[0], seen)
	o.whiten(phi)
	o.norms = work.ColumnSquares(phi)
	return o, nil
}

// at returns L* at N(mu, diag s) and writes its derivatives to dmu and ds, unless
// these are nil. The example's noise variance may be a multiple of the training
// noise's, and multiple is the one with the highest bound. Only the expected squares of the
// whitened residuals, −2A, count for it: with τ in place of the precision 1 and a Gamma prior
// around 1 that weighs as much as strength ν values,
//
//	L* = constant + ½|O|·log τ + τ·A − KL + ½ν·(log τ − τ + 1),  τ = (|O| + ν)/(ν − 2A)
func (v *evidence) at(t *psi.Scratch, mu, s, dmu, ds []float64) (value, multiple float64) {
	d := len(mu)
	if dmu != nil {
		clear(dmu)
		clear(ds)
	}
	square := v.square + v.form.Value(t, mu, s, dmu, ds)
	value, tau := v.value(square)
	rowMu, rowS := mat.NewDense(1, d, mu), mat.NewDense(1, d, s)
	if dmu != nil {
		asm.Scale(dmu, tau, dmu)
		asm.Scale(ds, tau, ds)
		bound.SubtractKL(mat.NewDense(1, d, dmu), mat.NewDense(1, d, ds), rowMu, rowS, v.prior)
	}
	return value - bound.KL(rowMu, rowS, v.prior), 1 / tau
}

// value returns L* but for the divergence, and τ, given A.
func (v *evidence) value(square float64) (value, tau float64) {
	if math.IsInf(v.strength, 1) {
		return v.constant + square, 1
	}
	tau = (v.count + v.strength) / (v.strength - 2*square)
	return v.constant + 0.5*v.count*math.Log(tau) + tau*square + 0.5*v.strength*(math.Log(tau)-tau+1), tau
}
