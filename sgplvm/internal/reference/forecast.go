package reference

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A Forecast is the distribution of f at the n points of a grid for a latent variable N(μ, diag s) at a
// time, in the model's units.
type Forecast struct {
	Mean   Rows   // per channel
	Shared Rows   // n×n: covariance but for the term of the latent uncertainty
	Cov    []Rows // per channel, n×n

	p      []Rows // per channel, n×m_ξ: mean as a function of ψ1
	spread Rows   // Ψ2 − ψ1ψ1ᵀ
}

// Forecast predicts f; at may be nil.
func (d *Dense) Forecast(mu, s []float64, at *data.Instant, g field.Grid) Forecast {
	points := GridPoints(g)
	n, mx, ms := len(points), d.P.Z.Rows, len(d.Spots)
	ks := NewRows(n, ms)
	for a, x := range points {
		for j, u := range d.Spots {
			ks[a][j] = SpatialCovariance(d.P, x, u)
		}
	}
	psi1, psi2 := make([]float64, mx), NewRows(mx, mx)
	t := Forecast{Shared: NewRows(n, n), spread: NewRows(mx, mx)}
	for i := range mx {
		psi1[i] = d.psi1At(at, mu, s, i)
	}
	for i := range mx {
		for k := range mx {
			psi2[i][k] = d.psi2At(at, mu, s, i, k)
			t.spread[i][k] = psi2[i][k] - float64(psi1[i]*psi1[k])
		}
	}
	second := func(a, b int, w func(u, v int) float64) float64 { // Σ w_uv·E k(a, u)·k(b, v)
		var sum float64
		for u := range mx * ms {
			for v := range mx * ms {
				sum += float64(w(u, v) * psi2[u/ms][v/ms] * ks[a][u%ms] * ks[b][v%ms])
			}
		}
		return sum
	}
	psi0 := partsOf(d.P.Latent).psi0(mu, s)
	for a := range n {
		for b := range n {
			t.Shared[a][b] = psi0*SpatialCovariance(d.P, points[a], points[b]) -
				second(a, b, func(u, v int) float64 { return d.KInverse[u][v] - d.AInverse[u][v] })
		}
	}
	for _, alpha := range d.Alpha {
		mean, cov, p := make([]float64, n), NewRows(n, n), NewRows(n, mx)
		for a := range n {
			for u, v := range alpha {
				p[a][u/ms] += float64(v * ks[a][u%ms])
			}
			mean[a] = Inner(p[a], psi1)
		}
		for a := range n {
			for b := range n {
				cov[a][b] = t.Shared[a][b] + second(a, b, func(u, v int) float64 { return alpha[u] * alpha[v] }) - mean[a]*mean[b]
			}
		}
		t.Mean, t.Cov, t.p = append(t.Mean, mean), append(t.Cov, cov), append(t.p, p)
	}
	return t
}

// TestBound is L* with a standard normal prior: the expected log likelihood of the observed values
// (n×d_y, NaN where missing) under q(x) and q(U), less the divergence of q(x).
func (d *Dense) TestBound(mu, s []float64, at *data.Instant, g field.Grid, values mat.Matrix) float64 {
	t := d.Forecast(mu, s, at, g)
	bound := -klOf(mu, s)
	noise := d.Noise(GridPoints(g))
	for c := range values.Cols {
		seen, _ := seenOf(values, c)
		if len(seen) == 0 {
			continue
		}
		sigma, square := NewRows(len(seen), len(seen)), NewRows(len(seen), len(seen)) // Σ_OO and E (y − f)·(y − f)ᵀ
		for a, i := range seen {
			for b, j := range seen {
				sigma[a][b] = noise[i][j]
				square[a][b] = t.Cov[c][i][j] + (values.At(i, c)-t.Mean[c][i])*(values.At(j, c)-t.Mean[c][j])
			}
		}
		l := Cholesky(sigma)
		bound -= 0.5 * (float64(len(seen))*math.Log(2*math.Pi) + LogDet(l) + Trace(Inverse(l), square))
	}
	return bound
}

// seenOf lists which values of channel c are there and which are not.
func seenOf(values mat.Matrix, c int) (seen, missing []int) {
	for i := range values.Rows {
		if y := values.At(i, c); y == y {
			seen = append(seen, i)
		} else {
			missing = append(missing, i)
		}
	}
	return seen, missing
}

// Conditional returns mean and variance (n×d_y) of the data without the white noise at the missing
// points given the observed ones, and without these at the observed ones.
func (d *Dense) Conditional(mu, s []float64, at *data.Instant, g field.Grid, values mat.Matrix) (mean, variance mat.Matrix) {
	t := d.Forecast(mu, s, at, g)
	noise := d.Noise(GridPoints(g))
	white := 1 / d.P.Noise.Beta
	mean, variance = mat.New(values.Rows, values.Cols), mat.New(values.Rows, values.Cols)
	for c := range values.Cols {
		for i := range values.Rows {
			mean.Set(i, c, t.Mean[c][i])
			variance.Set(i, c, t.Cov[c][i][i]+noise[i][i]-white)
		}
		seen, missing := seenOf(values, c)
		coo, residual := NewRows(len(seen), len(seen)), make([]float64, len(seen))
		for k, i := range seen {
			residual[k] = values.At(i, c) - t.Mean[c][i]
			for h, j := range seen {
				coo[k][h] = t.Shared[i][j] + noise[i][j]
			}
		}
		factor := Cholesky(coo)
		for _, i := range missing {
			com := make([]float64, len(seen))
			for k, j := range seen {
				com[k] = t.Shared[j][i] + noise[j][i]
			}
			gain := Solve(factor, com) // row of C_MO·C_OO⁻¹
			left := append([]float64(nil), t.p[c][i]...)
			for k, j := range seen {
				for z := range left {
					left[z] -= float64(gain[k] * t.p[c][j][z])
				}
			}
			mean.Set(i, c, t.Mean[c][i]+Inner(gain, residual))
			variance.Set(i, c, t.Shared[i][i]+noise[i][i]-white-Inner(gain, com)+Quadratic(left, t.spread, left))
		}
	}
	return mean, variance
}

// Masked returns values (points×channels) drawn at random with a share of them missing (NaN), by
// whole points or channel by channel.
func Masked(rng *rand.Rand, points, channels int, share float64, byPoint bool) mat.Matrix {
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
