package reference

import (
	"math"
	"reflect"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Dense is the model computed by definition: every n×m and m×m matrix written out entry by entry from
// the formulas of the Bayesian GP-LVM (Titsias and Lawrence, AISTATS 2010), with inverses and no
// Kronecker algebra. Its n are all points of all examples, its m all pairs of a latent and a spatial
// inducing point. Data are multiplied by Σ^(−1/2) where the noise is structured.
type Dense struct {
	P      *bound.Params // tests may put others here, for what is said of new examples
	Points []Rows        // of the training grid, a list of coordinates for each spatial factor
	Spots  []Rows        // spatial inducing points
	Y      Rows          // one list per channel, n numbers each

	Kuu, Psi2, KInverse, AInverse Rows // m×m; A = K_uu + βΨ2
	Psi1                          Rows // n×m
	Beta                          float64
	Alpha                         Rows // one list per channel: K_uu⁻¹Ū = βA⁻¹Ψ1ᵀy
	KL                            float64

	logK, logA float64
	psi0       float64
	logNoise   float64 // log|Σ| of one example where the noise is structured
}

// GridPoints lists all points of a grid, the last factor's index fastest.
func GridPoints(g field.Grid) []Rows {
	points := []Rows{nil}
	for _, x := range g {
		var next []Rows
		for _, p := range points {
			for i := range x.Rows {
				next = append(next, append(append(Rows(nil), p...), x.Row(i)))
			}
		}
		points = next
	}
	return points
}

// SpatialCovariance is Π_f k_f between two points of grids.
func SpatialCovariance(p *bound.Params, x, y Rows) float64 {
	v := 1.0
	for f, s := range p.Space {
		v *= Covariance(s.Kernel, x[f], y[f])
	}
	return v
}

// NewDense computes the model m.
func NewDense(m *Model) *Dense {
	p := m.Params
	var inducing field.Grid
	for f, x := range m.Space {
		if !p.Space[f].Tied() {
			x = p.Space[f].Xu
		}
		inducing = append(inducing, x)
	}
	d := &Dense{P: p, Points: GridPoints(m.Space), Spots: GridPoints(inducing), Beta: p.Noise.Beta}
	d.setKuu(m.Jitter)
	noise := Rows(nil) // the Cholesky factor of Σ
	if p.Noise.Structured() {
		d.Beta, noise = 1, Cholesky(d.Noise(d.Points))
		d.logNoise = LogDet(noise)
	}
	d.setPsi(noise)
	for i := range p.X.Mu.Rows {
		d.KL += klOf(p.X.Mu.Row(i), p.X.S.Row(i))
	}
	mm := len(d.Kuu)
	a := NewRows(mm, mm)
	for u := range mm {
		for v := range mm {
			a[u][v] = d.Kuu[u][v] + float64(d.Beta*d.Psi2[u][v])
		}
	}
	lk, la := Cholesky(d.Kuu), Cholesky(a)
	d.logK, d.logA = LogDet(lk), LogDet(la)
	d.KInverse, d.AInverse = Inverse(lk), Inverse(la)
	ns := len(d.Points)
	for c := range m.Channels() {
		column := make([]float64, len(d.Psi1))
		for i := range column {
			column[i] = m.Y.At(i, c)
		}
		for e := range p.X.Mu.Rows {
			copy(column[e*ns:(e+1)*ns], forward(noise, column[e*ns:(e+1)*ns]))
		}
		d.Y = append(d.Y, column)
		d.Alpha = append(d.Alpha, Solve(la, d.projected(column)))
	}
	return d
}

// setKuu sets K_uu, with the jitter on the latent factor and on free spatial ones.
func (d *Dense) setKuu(jitter float64) {
	p := d.P
	mx, ms := p.Z.Rows, len(d.Spots)
	k := partsOf(p.Latent)
	var diagonal float64 // the mean of the latent one
	for i := range mx {
		diagonal += (k.covariance(p.Z.Row(i), p.Z.Row(i)) + d.timeOf(d.timeAt(i), i)) / float64(mx)
	}
	d.Kuu = NewRows(mx*ms, mx*ms)
	for u := range d.Kuu {
		for v := range d.Kuu {
			latent := k.covariance(p.Z.Row(u/ms), p.Z.Row(v/ms)) + d.timeOf(d.timeAt(u/ms), v/ms)
			if u/ms == v/ms {
				latent += jitter * diagonal
			}
			space := 1.0
			for f, s := range p.Space {
				a, b := d.Spots[u%ms][f], d.Spots[v%ms][f]
				value := Covariance(s.Kernel, a, b)
				if !s.Tied() && &a[0] == &b[0] {
					value += jitter * s.Kernel.Variance
				}
				space *= value
			}
			d.Kuu[u][v] = latent * space
		}
	}
}

// setPsi sets ψ0, Ψ1 and Ψ2 of data multiplied by the inverse of the Cholesky factor of Σ; nil: as
// they are.
func (d *Dense) setPsi(noise Rows) {
	p := d.P
	nx, ns, ms := p.X.Mu.Rows, len(d.Points), len(d.Spots)
	mm := p.Z.Rows * ms
	columns := NewRows(ms, ns) // of K(X, X_u)
	for u := range ms {
		for i := range ns {
			columns[u][i] = SpatialCovariance(p, d.Points[i], d.Spots[u])
		}
		columns[u] = forward(noise, columns[u])
	}
	var trace float64 // of the covariance of f for a latent variance of 1
	for i := range ns {
		k := make([]float64, ns)
		for j := range ns {
			k[j] = SpatialCovariance(p, d.Points[j], d.Points[i])
		}
		if noise != nil {
			k = Solve(noise, k)
		}
		trace += k[i]
	}
	d.Psi1, d.Psi2 = NewRows(nx*ns, mm), NewRows(mm, mm)
	for e := range nx {
		mu, s, at := p.X.Mu.Row(e), p.X.S.Row(e), d.ExampleTime(e)
		for u := range mm {
			for i := range ns {
				d.Psi1[e*ns+i][u] = d.psi1At(at, mu, s, u/ms) * columns[u%ms][i]
			}
			for v := range mm {
				d.Psi2[u][v] += float64(d.psi2At(at, mu, s, u/ms, v/ms) * Inner(columns[u%ms], columns[v%ms]))
			}
		}
		d.psi0 += partsOf(p.Latent).psi0(mu, s) * trace
	}
}

// projected is βΨ1ᵀy.
func (d *Dense) projected(y []float64) []float64 {
	v := make([]float64, len(d.Kuu))
	for i, row := range d.Psi1 {
		for u, psi := range row {
			v[u] += float64(d.Beta * psi * y[i])
		}
	}
	return v
}

// ExampleTime is the time of a training example, nil where there are no times.
func (d *Dense) ExampleTime(i int) *data.Instant {
	if d.P.X.Paths == nil {
		return nil
	}
	prior := d.P.X.Paths.Prior
	at := &data.Instant{Time: prior.Times[i]}
	if prior.Sequences != nil {
		at.Sequence = prior.Sequences[i]
	}
	return at
}

// timeAt is the time of inducing point k.
func (d *Dense) timeAt(k int) *data.Instant {
	if d.P.ZExamples == nil {
		return nil
	}
	return d.ExampleTime(d.P.ZExamples[k])
}

// timeOf is the part of time between a time and inducing point k: 0 for no time, another sequence and
// without such a part.
func (d *Dense) timeOf(at *data.Instant, k int) float64 {
	part := partsOf(d.P.Latent).time
	if at == nil || part == nil || at.Sequence != d.timeAt(k).Sequence {
		return 0
	}
	return part.Variance * correlation(part.Kernel, []float64{at.Time}, []float64{d.timeAt(k).Time})
}

// psi1At and psi2At are the psi statistics of an example, the part of time included.
func (d *Dense) psi1At(at *data.Instant, mu, s []float64, k int) float64 {
	return partsOf(d.P.Latent).psi1(mu, s, d.P.Z.Row(k)) + d.timeOf(at, k)
}

func (d *Dense) psi2At(at *data.Instant, mu, s []float64, k, l int) float64 {
	z, w, parts := d.P.Z.Row(k), d.P.Z.Row(l), partsOf(d.P.Latent)
	a, b := d.timeOf(at, k), d.timeOf(at, l)
	return parts.psi2(mu, s, z, w) + a*parts.psi1(mu, s, w) + b*parts.psi1(mu, s, z) + a*b
}

// Noise is Σ at points: the learned one at the training points, where there is one.
func (d *Dense) Noise(points []Rows) Rows {
	noise, a := &d.P.Noise, NewRows(len(points), len(points))
	if noise.Learned() && reflect.DeepEqual(points, d.Points) {
		for i := range points {
			copy(a[i], noise.Covariance.Row(i))
		}
		return a
	}
	for i, x := range points {
		for j, y := range points {
			if noise.Structured() {
				a[i][j] = Covariance(noise.Residual, x[0], y[0])
			}
		}
		a[i][i] += 1 / noise.Beta
	}
	return a
}

// klOf is KL(N(mu, diag s) ‖ N(0, I)).
func klOf(mu, s []float64) float64 {
	var kl float64
	for q, m := range mu {
		kl += 0.5 * (m*m + s[q] - math.Log(s[q]) - 1)
	}
	return kl
}

// Bound is the collapsed bound in Titsias and Lawrence's form, with KL for independent examples.
func (d *Dense) Bound() float64 {
	n, beta := float64(len(d.Psi1)), d.Beta
	var l float64
	for c, y := range d.Y {
		l += n/2*math.Log(beta/(2*math.Pi)) - float64(d.P.X.Mu.Rows)/2*d.logNoise + d.logK/2 - d.logA/2 -
			beta/2*Inner(y, y) - beta*d.psi0/2 + beta/2*Trace(d.KInverse, d.Psi2)
		l += Inner(d.projected(y), d.Alpha[c]) / 2
	}
	return l - d.KL
}

// Uncollapsed is the bound before q(U) is eliminated, for q(u_c) = N(K_uu·α_c, K_uu·A⁻¹·K_uu) with the
// given α, one list per channel: expected log likelihood less both divergences.
func (d *Dense) Uncollapsed(alpha Rows) float64 {
	n, m, beta := float64(len(d.Psi1)), float64(len(d.Kuu)), d.Beta
	var l float64
	for c, y := range d.Y {
		fit := Inner(y, y) + Quadratic(alpha[c], d.Psi2, alpha[c]) + Trace(d.Psi2, d.AInverse) + d.psi0 - Trace(d.KInverse, d.Psi2)
		for i, row := range d.Psi1 {
			fit -= 2 * y[i] * Inner(row, alpha[c])
		}
		l += n/2*math.Log(beta/(2*math.Pi)) - float64(d.P.X.Mu.Rows)/2*d.logNoise - beta/2*fit
		l -= 0.5 * (Trace(d.Kuu, d.AInverse) + Quadratic(alpha[c], d.Kuu, alpha[c]) - m + d.logA - d.logK)
	}
	return l - d.KL
}

// LogEvidenceGiven is log p(Y | X) for latent points x (n_ξ×d_ξ), by the full covariance of all data;
// for white noise and a latent kernel without a part of time.
func LogEvidenceGiven(m *Model, x mat.Matrix) float64 {
	p, points, k := m.Params, GridPoints(m.Space), partsOf(m.Params.Latent)
	n, ns := x.Rows*len(points), len(points)
	cov := NewRows(n, n)
	for i := range n {
		for j := range n {
			cov[i][j] = k.covariance(x.Row(i/ns), x.Row(j/ns)) * SpatialCovariance(p, points[i%ns], points[j%ns])
		}
		cov[i][i] += 1 / p.Noise.Beta
	}
	l := Cholesky(cov)
	var sum float64
	for c := range m.Channels() {
		y := make([]float64, n)
		for i := range y {
			y[i] = m.Y.At(i, c)
		}
		sum -= 0.5 * (float64(n)*math.Log(2*math.Pi) + LogDet(l) + Inner(y, Solve(l, y)))
	}
	return sum
}
