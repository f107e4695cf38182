package sgplvm

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// The model computed the dumb way: every n×m and m×m matrix written out entry by
// entry from the textbook formulas of the Bayesian GP-LVM (Titsias and Lawrence,
// AISTATS 2010), with inverses and no Kronecker algebra.

type rows = [][]float64

func newRows(n, m int) rows {
	a := make(rows, n)
	for i := range a {
		a[i] = make([]float64, m)
	}
	return a
}

// choleskyOf returns the lower factor of a positive definite matrix.
func choleskyOf(a rows) rows {
	l := newRows(len(a), len(a))
	for i := range a {
		for j := range i + 1 {
			v := a[i][j]
			for k := range j {
				v -= float64(l[i][k] * l[j][k])
			}
			if i == j {
				l[i][i] = math.Sqrt(v) // NaN where a is not definite
			} else {
				l[i][j] = v / l[j][j]
			}
		}
	}
	return l
}

func logDetOf(l rows) float64 {
	var s float64
	for i := range l {
		s += 2 * math.Log(l[i][i])
	}
	return s
}

// solveWith returns a⁻¹b for the lower factor l of a.
func solveWith(l rows, b []float64) []float64 {
	x := append([]float64(nil), b...)
	for i := range x {
		for k := range i {
			x[i] -= float64(l[i][k] * x[k])
		}
		x[i] /= l[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for k := i + 1; k < len(x); k++ {
			x[i] -= float64(l[k][i] * x[k])
		}
		x[i] /= l[i][i]
	}
	return x
}

func inverseOf(l rows) rows {
	inverse := newRows(len(l), len(l))
	for j := range l {
		e := make([]float64, len(l))
		e[j] = 1
		for i, v := range solveWith(l, e) {
			inverse[i][j] = v
		}
	}
	return inverse
}

func inner(a, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += float64(v * b[i])
	}
	return s
}

// quadraticForm is aᵀ·m·b.
func quadraticForm(a []float64, m rows, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += float64(v * inner(m[i], b))
	}
	return s
}

// traceOf is tr(a·b) for symmetric matrices.
func traceOf(a, b rows) float64 {
	var s float64
	for i := range a {
		s += inner(a[i], b[i])
	}
	return s
}

// covarianceOf is a kernel's value at two points, from its definition.
func covarianceOf(k Kernel, x, y []float64) float64 {
	var square float64
	for q := range x {
		scale := 1.0
		switch len(k.LengthScale) {
		case 0:
		case 1:
			scale = k.LengthScale[0]
		default:
			scale = k.LengthScale[q]
		}
		square += math.Pow((x[q]-y[q])/scale, 2)
	}
	r := math.Sqrt(square)
	switch k.Kind {
	case Matern12:
		return k.Variance * math.Exp(-r)
	case Matern32:
		return k.Variance * (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r)
	case Matern52:
		return k.Variance * (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r)
	case RBF:
		return k.Variance * math.Exp(-r*r/2)
	case White:
		if r == 0 {
			return k.Variance
		}
		return 0
	}
	return math.NaN()
}

// psi1Of is E k(x, z) under N(mu, diag s), psi2Of is E k(x, z)·k(x, w).
func psi1Of(k Kernel, mu, s, z []float64) float64 {
	v := k.Variance
	for q, l := range k.LengthScale {
		v *= math.Exp(-math.Pow(mu[q]-z[q], 2)/(2*(s[q]+l*l))) / math.Sqrt(1+s[q]/(l*l))
	}
	return v
}

func psi2Of(k Kernel, mu, s, z, w []float64) float64 {
	v := k.Variance * k.Variance
	for q, l := range k.LengthScale {
		middle := (z[q] + w[q]) / 2
		v *= math.Exp(-math.Pow(z[q]-w[q], 2)/(4*l*l)-math.Pow(mu[q]-middle, 2)/(2*s[q]+l*l)) / math.Sqrt(1+2*s[q]/(l*l))
	}
	return v
}

// latentCovarianceOf is a latent kernel's value at two points.
func latentCovarianceOf(k LatentKernel, x, y []float64) float64 {
	sum := k.Bias
	if k.LengthScale != nil {
		sum += covarianceOf(k.rbf(), x, y)
	}
	for q, v := range k.Linear {
		sum += float64(v * x[q] * y[q])
	}
	return sum
}

// latentPsi1Of is E k(x, z) under N(mu, diag s), latentPsi2Of is
// E k(x, z)·k(x, w), latentPsi0Of is E k(x, x). The product of an RBF part with a
// coordinate is E k·x_q = μ_q·E k + S_q·∂(E k)/∂μ_q (Stein).
func latentPsi1Of(k LatentKernel, mu, s, z []float64) float64 {
	linear, _ := linearPsi(k, mu, s, z, z)
	if k.LengthScale != nil {
		linear += psi1Of(k.rbf(), mu, s, z)
	}
	return linear + k.Bias
}

func latentPsi2Of(k LatentKernel, mu, s, z, w []float64) float64 {
	linearZ, sum := linearPsi(k, mu, s, z, w)
	linearW, _ := linearPsi(k, mu, s, w, z)
	sum += k.Bias * (linearZ + linearW + k.Bias)
	if k.LengthScale == nil {
		return sum
	}
	rbf := k.rbf()
	rbfZ, rbfW := psi1Of(rbf, mu, s, z), psi1Of(rbf, mu, s, w)
	sum += psi2Of(rbf, mu, s, z, w) + k.Bias*(rbfZ+rbfW)
	for q, v := range k.Linear {
		width := s[q] + k.LengthScale[q]*k.LengthScale[q]
		sum += float64(v * w[q] * rbfZ * (mu[q] - s[q]*(mu[q]-z[q])/width))
		sum += float64(v * z[q] * rbfW * (mu[q] - s[q]*(mu[q]-w[q])/width))
	}
	return sum
}

func latentPsi0Of(k LatentKernel, mu, s []float64) float64 {
	sum := k.Variance + k.Bias + k.Time.Variance
	for q, v := range k.Linear {
		sum += v * (mu[q]*mu[q] + s[q])
	}
	return sum
}

// linearPsi is E f(z) and E f(z)·f(w) for the linear part f(z) = Σ v_q·x_q·z_q.
func linearPsi(k LatentKernel, mu, s, z, w []float64) (mean, product float64) {
	var other float64
	for q, v := range k.Linear {
		mean += float64(v * mu[q] * z[q])
		other += float64(v * mu[q] * w[q])
		product += float64(v * v * z[q] * w[q] * s[q])
	}
	return mean, product + mean*other
}

// gridPoints lists all points of a grid, the last factor's index fastest.
func gridPoints(g Grid) []rows {
	points := []rows{nil}
	for _, x := range g {
		var next []rows
		for _, p := range points {
			for i := range x.Rows {
				next = append(next, append(append(rows(nil), p...), x.Row(i)))
			}
		}
		points = next
	}
	return points
}

// dense holds the full matrices of a model.
type dense struct {
	p      *Params
	points []rows // of the training grid
	spots  []rows // spatial inducing points
	y      rows   // one list per channel, n numbers each

	kuu, psi2, kInverse, aInverse rows // m×m; A = K_uu + βΨ2
	psi1                          rows // n×m
	logK, logA                    float64
	at                            *Instant // of the examples that a test predicts
	psi0, kl                      float64
	beta, logNoise                float64 // of the whitened data: 1, and log|Σ| of one example
	alpha                         rows    // one list per channel: K_uu⁻¹Ū = βA⁻¹Ψ1ᵀy
}

// spatialCovariance is Π_f k_f between two points of grids.
func spatialCovariance(p *Params, x, y rows) float64 {
	v := 1.0
	for f, k := range p.Spatial {
		v *= covarianceOf(k, x[f], y[f])
	}
	return v
}

func newDense(m *Model) *dense {
	p, y := m.params, m.problem.observations()
	var inducing Grid
	for f, x := range m.space {
		if p.Xu[f].Rows > 0 {
			x = p.Xu[f]
		}
		inducing = append(inducing, x)
	}
	d := &dense{p: p, points: gridPoints(m.space), spots: gridPoints(inducing)}
	nx, ns, mx, ms := p.Mu.Rows, len(d.points), p.Z.Rows, len(d.spots)
	n, mm := nx*ns, mx*ms

	// K_uu, with the jitter on the latent factor and on free spatial ones.
	var latentDiagonal float64 // its mean
	for k := range mx {
		latentDiagonal += (latentCovarianceOf(p.Latent, p.Z.Row(k), p.Z.Row(k)) + d.timeOf(d.timeAt(k), k)) / float64(mx)
	}
	d.kuu = newRows(mm, mm)
	for u := range mm {
		for v := range mm {
			latent := latentCovarianceOf(p.Latent, p.Z.Row(u/ms), p.Z.Row(v/ms)) + d.timeOf(d.timeAt(u/ms), v/ms)
			if u/ms == v/ms {
				latent += m.jitter * latentDiagonal
			}
			space := 1.0
			for f, k := range p.Spatial {
				a, b := d.spots[u%ms][f], d.spots[v%ms][f]
				value := covarianceOf(k, a, b)
				if p.Xu[f].Rows > 0 && &a[0] == &b[0] {
					value += m.jitter * k.Variance
				}
				space *= value
			}
			d.kuu[u][v] = latent * space
		}
	}
	d.beta = p.Beta
	noise := rows(nil) // the Cholesky factor of Σ where the noise is structured
	if p.structured() {
		d.beta, noise = 1, choleskyOf(d.noiseAt(d.points))
		d.logNoise = logDetOf(noise)
	}
	whiten := func(v []float64) []float64 { return forward(noise, v) }
	columns := newRows(ms, ns) // of K(X, X_u), whitened
	for u := range ms {
		for i := range ns {
			columns[u][i] = spatialCovariance(p, d.points[i], d.spots[u])
		}
		columns[u] = whiten(columns[u])
	}
	var trace float64 // of the covariance of the whitened f for a latent variance of 1
	for i := range ns {
		k := make([]float64, ns)
		for j := range ns {
			k[j] = spatialCovariance(p, d.points[j], d.points[i])
		}
		if noise != nil {
			k = solveWith(noise, k)
		}
		trace += k[i]
	}
	d.psi1, d.psi2 = newRows(n, mm), newRows(mm, mm)
	for e := range nx {
		mu, s := p.Mu.Row(e), p.S.Row(e)
		for u := range mm {
			for i := range ns {
				d.psi1[e*ns+i][u] = d.psi1At(d.exampleTime(e), mu, s, u/ms) * columns[u%ms][i]
			}
			for v := range mm {
				d.psi2[u][v] += float64(d.psi2At(d.exampleTime(e), mu, s, u/ms, v/ms) * inner(columns[u%ms], columns[v%ms]))
			}
		}
		d.psi0 += latentPsi0Of(p.Latent, mu, s) * trace
	}
	for i := range p.Mu.Rows {
		d.kl += klOf(p.Mu.Row(i), p.S.Row(i))
	}
	a := newRows(mm, mm)
	for u := range mm {
		for v := range mm {
			a[u][v] = d.kuu[u][v] + float64(d.beta*d.psi2[u][v])
		}
	}
	lk, la := choleskyOf(d.kuu), choleskyOf(a)
	d.logK, d.logA = logDetOf(lk), logDetOf(la)
	d.kInverse, d.aInverse = inverseOf(lk), inverseOf(la)
	for c := range m.channels {
		column, projected := make([]float64, n), make([]float64, mm)
		for i := range n {
			column[i] = y.Data[i*m.channels+c]
		}
		for e := range nx {
			copy(column[e*ns:(e+1)*ns], whiten(column[e*ns:(e+1)*ns]))
		}
		for i := range n {
			for u := range mm {
				projected[u] += float64(d.beta * d.psi1[i][u] * column[i])
			}
		}
		d.y = append(d.y, column)
		d.alpha = append(d.alpha, solveWith(la, projected))
	}
	return d
}

// noiseAt is Σ at points.
func (d *dense) noiseAt(points []rows) rows {
	a := newRows(len(points), len(points))
	if d.p.Covariance.Rows > 0 && reflect.DeepEqual(points, d.points) {
		for i := range points {
			copy(a[i], d.p.Covariance.Row(i))
		}
		return a
	}
	for i, x := range points {
		for j, y := range points {
			if d.p.structured() {
				a[i][j] = covarianceOf(d.p.Residual, x[0], y[0])
			}
		}
		a[i][i] += 1 / d.p.Beta
	}
	return a
}

// forward returns l⁻¹·b of a Cholesky factor; b itself without one.
func forward(l rows, b []float64) []float64 {
	x := append([]float64(nil), b...)
	for i, row := range l {
		for j := range i {
			x[i] -= float64(row[j] * x[j])
		}
		x[i] /= row[i]
	}
	return x
}

func klOf(mu, s []float64) float64 {
	var kl float64
	for q, m := range mu {
		kl += 0.5 * (m*m + s[q] - math.Log(s[q]) - 1)
	}
	return kl
}

// bound is the collapsed bound in Titsias and Lawrence's form.
func (d *dense) bound() float64 {
	n, beta := float64(len(d.psi1)), d.beta
	var l float64
	for c, y := range d.y {
		l += n/2*math.Log(beta/(2*math.Pi)) - float64(d.p.Mu.Rows)/2*d.logNoise + d.logK/2 - d.logA/2 - beta/2*inner(y, y) - beta*d.psi0/2 + beta/2*traceOf(d.kInverse, d.psi2)
		projected := make([]float64, len(d.kuu)) // βΨ1ᵀy
		for i, row := range d.psi1 {
			for u, v := range row {
				projected[u] += float64(beta * v * y[i])
			}
		}
		l += inner(projected, d.alpha[c]) / 2
	}
	return l - d.kl
}

// uncollapsed is the bound before q(U) is eliminated, for q(u_c) = N(K_uu·α_c,
// K_uu·A⁻¹·K_uu) with the given α: expected log likelihood less both divergences.
func (d *dense) uncollapsed(alpha rows) float64 {
	n, m, beta := float64(len(d.psi1)), float64(len(d.kuu)), d.beta
	var l float64
	for c, y := range d.y {
		fit := inner(y, y) + quadraticForm(alpha[c], d.psi2, alpha[c]) + traceOf(d.psi2, d.aInverse) + d.psi0 - traceOf(d.kInverse, d.psi2)
		for i, row := range d.psi1 {
			fit -= 2 * y[i] * inner(row, alpha[c])
		}
		l += n/2*math.Log(beta/(2*math.Pi)) - float64(d.p.Mu.Rows)/2*d.logNoise - beta/2*fit
		l -= 0.5 * (traceOf(d.kuu, d.aInverse) + quadraticForm(alpha[c], d.kuu, alpha[c]) - m + d.logA - d.logK)
	}
	return l - d.kl
}

// A forecast is the distribution of f at the points of a grid for an uncertain
// latent variable, in the model's units.
type forecast struct {
	mean   rows   // per channel
	shared rows   // covariance but for the term of the latent uncertainty
	cov    []rows // per channel
	p      []rows // per channel, n_s*×m_ξ: mean as a function of ψ1
	spread rows   // Ψ2 − ψ1ψ1ᵀ
}

func (d *dense) forecast(l Latent, g Grid) forecast {
	points := gridPoints(g)
	n, mx, ms := len(points), d.p.Z.Rows, len(d.spots)
	ks := newRows(n, ms)
	for a, x := range points {
		for j, u := range d.spots {
			ks[a][j] = spatialCovariance(d.p, x, u)
		}
	}
	psi1, psi2 := make([]float64, mx), newRows(mx, mx)
	t := forecast{shared: newRows(n, n), spread: newRows(mx, mx)}
	for i := range mx {
		psi1[i] = d.psi1At(l.At, l.Mu, l.S, i)
	}
	for i := range mx {
		for k := range mx {
			psi2[i][k] = d.psi2At(l.At, l.Mu, l.S, i, k)
			t.spread[i][k] = psi2[i][k] - float64(psi1[i]*psi1[k])
		}
	}
	second := func(a, b int, w func(u, v int) float64) float64 { // Σ w_uv·E k(a, u)·k(b, v)
		var s float64
		for u := range mx * ms {
			for v := range mx * ms {
				s += float64(w(u, v) * psi2[u/ms][v/ms] * ks[a][u%ms] * ks[b][v%ms])
			}
		}
		return s
	}
	for a := range n {
		for b := range n {
			t.shared[a][b] = latentPsi0Of(d.p.Latent, l.Mu, l.S)*spatialCovariance(d.p, points[a], points[b]) -
				second(a, b, func(u, v int) float64 { return d.kInverse[u][v] - d.aInverse[u][v] })
		}
	}
	for _, alpha := range d.alpha {
		mean, cov, p := make([]float64, n), newRows(n, n), newRows(n, mx)
		for a := range n {
			for u, v := range alpha {
				p[a][u/ms] += float64(v * ks[a][u%ms])
			}
			mean[a] = inner(p[a], psi1)
		}
		for a := range n {
			for b := range n {
				cov[a][b] = t.shared[a][b] + second(a, b, func(u, v int) float64 { return alpha[u] * alpha[v] }) - mean[a]*mean[b]
			}
		}
		t.mean, t.cov, t.p = append(t.mean, mean), append(t.cov, cov), append(t.p, p)
	}
	return t
}

// testBound is L*: the expected log likelihood of the observed values under
// q(x) and q(U), less the divergence of q(x).
func (d *dense) testBound(l Latent, g Grid, values mat.Matrix) float64 {
	t := d.forecast(l, g)
	bound := -klOf(l.Mu, l.S)
	noise := d.noiseAt(gridPoints(g))
	for c := range values.Cols {
		var seen []int
		for i := range values.Rows {
			if y := values.At(i, c); y == y {
				seen = append(seen, i)
			}
		}
		if len(seen) == 0 {
			continue
		}
		sigma, square := newRows(len(seen), len(seen)), newRows(len(seen), len(seen)) // Σ_OO and E (y − f)·(y − f)ᵀ
		for a, i := range seen {
			for b, j := range seen {
				sigma[a][b] = noise[i][j]
				square[a][b] = t.cov[c][i][j] + (values.At(i, c)-t.mean[c][i])*(values.At(j, c)-t.mean[c][j])
			}
		}
		l := choleskyOf(sigma)
		bound -= 0.5 * (float64(len(seen))*math.Log(2*math.Pi) + logDetOf(l) + traceOf(inverseOf(l), square))
	}
	return bound
}

// conditional returns mean and variance of the data without the white noise at the
// missing points given the observed ones, and without these at the observed ones.
func (d *dense) conditional(l Latent, g Grid, values mat.Matrix) (mean, variance mat.Matrix) {
	t := d.forecast(l, g)
	noise := d.noiseAt(gridPoints(g))
	white := 1 / d.p.Beta
	mean, variance = mat.New(values.Rows, values.Cols), mat.New(values.Rows, values.Cols)
	for c := range values.Cols {
		var seen, missing []int
		for i := range values.Rows {
			mean.Set(i, c, t.mean[c][i])
			variance.Set(i, c, t.cov[c][i][i]+noise[i][i]-white)
			if y := values.At(i, c); y == y {
				seen = append(seen, i)
			} else {
				missing = append(missing, i)
			}
		}
		coo, residual := newRows(len(seen), len(seen)), make([]float64, len(seen))
		for k, i := range seen {
			residual[k] = values.At(i, c) - t.mean[c][i]
			for h, j := range seen {
				coo[k][h] = t.shared[i][j] + noise[i][j]
			}
		}
		factor := choleskyOf(coo)
		for _, i := range missing {
			com := make([]float64, len(seen))
			for k, j := range seen {
				com[k] = t.shared[j][i] + noise[j][i]
			}
			g := solveWith(factor, com) // row of G = C_MO·C_OO⁻¹
			left := append([]float64(nil), t.p[c][i]...)
			for k, j := range seen {
				for z := range left {
					left[z] -= float64(g[k] * t.p[c][j][z])
				}
			}
			mean.Set(i, c, t.mean[c][i]+inner(g, residual))
			variance.Set(i, c, t.shared[i][i]+noise[i][i]-white-inner(g, com)+quadraticForm(left, t.spread, left))
		}
	}
	return mean, variance
}

// masked returns values drawn at random with a share of them missing, by whole
// points or channel by channel.
func masked(rng *rand.Rand, points, channels int, share float64, byPoint bool) mat.Matrix {
	v := mat.New(points, channels)
	for i := range points {
		gone := rng.Float64() < share
		for c := range channels {
			v.Set(i, c, rng.NormFloat64())
			if byPoint && gone || !byPoint && rng.Float64() < share {
				v.Set(i, c, math.NaN())
			}
		}
	}
	return v
}

// unscaled returns values of the model's units in the user's.
func (s Scaler) unscaled(v mat.Matrix) mat.Matrix {
	u := mat.New(v.Rows, v.Cols)
	for i := range v.Rows {
		for c := range v.Cols {
			u.Set(i, c, s.Mean[c]+s.Scale[c]*v.At(i, c))
		}
	}
	return u
}

// The Kronecker path against the dense one. Kernel matrices have a condition
// number below 10⁶ and the dense formulas use their inverses: 1e-9 leaves one
// digit.
func TestDense(t *testing.T) {
	for seed := range uint64(sizes(300)) {
		shape := randomShape(seed)
		if seed%3 == 2 {
			shape = residualShape(seed)
		}
		t.Run(shape.String(), func(t *testing.T) {
			m := shape.model(t)
			d := newDense(m)
			rng := rand.New(rand.NewPCG(seed, 3))
			near(t, "bound", one(m.mustBound(t)), one(d.bound()), 1e-9)

			for i, g := range []Grid{nil, randomGrid(rng, m)} {
				l := randomLatent(rng, shape.latent)
				if rng.IntN(3) == 0 {
					clear(l.S)
				}
				checkForecast(t, m, d, l, g)
				if i == 0 {
					g = m.space
				}
				checkExample(t, m, d, rng, g)
			}
		})
	}
}

func checkForecast(t *testing.T, m *Model, d *dense, l Latent, g Grid) {
	t.Helper()
	l.At = d.at
	mean, cov, err := m.PredictCovariance(l, g)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(l, g)
	if err != nil {
		t.Fatal(err)
	}
	if g == nil {
		g = m.space
	}
	want, noise := d.forecast(l, g), d.noiseAt(gridPoints(g))
	for c, scale := range m.scaler.Scale {
		for a := range mean.Rows {
			y := m.scaler.Mean[c] + scale*want.mean[c][a]
			near(t, "mean", one(mean.At(a, c)), one(y), 1e-9)
			near(t, "marginal mean", one(p.Mean.At(a, c)), one(y), 1e-9)
			near(t, "marginal variance", one(p.Variance.At(a, c)/(scale*scale)), one(want.cov[c][a][a]+noise[a][a]), 1e-9)
			for b := range mean.Rows {
				near(t, "covariance", one(cov[c].At(a, b)/(scale*scale)), one(want.cov[c][a][b]), 1e-9)
			}
		}
	}
}

func checkExample(t *testing.T, m *Model, d *dense, rng *rand.Rand, g Grid) {
	t.Helper()
	values := masked(rng, g.Len(), m.channels, 0.4, rng.IntN(2) == 0)
	q := m.mustReady(t)
	obs := Observed{Grid: g, Values: m.scaler.unscaled(values)}
	if d.at != nil { // the standard normal prior at a time
		obs.Prior = &Latent{Mu: make([]float64, m.params.Mu.Cols), S: ones(m.params.Mu.Cols), At: d.at}
	}
	e, err := m.observe(q, obs)
	if err != nil {
		t.Fatal(err)
	}
	l := randomLatent(rng, m.params.Mu.Cols)
	l.At = d.at
	got := q.mustEvidence(e).bound(q.psi, q.psi.newScratch(), l.Mu, l.S, nil, nil)
	near(t, "test bound", one(got), one(d.testBound(l, g, values)), 1e-9)

	p, err := q.conditional(e, l)
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := d.conditional(l, g, values)
	near(t, "conditional mean", p.Mean.Data, mean.Data, 1e-9)
	near(t, "conditional variance", p.Variance.Data, variance.Data, 1e-9)
}
