package dynamics

import (
	"math"
	"slices"
)

// A kalman filters and smooths pseudo-observations of precisions Λ. With the state's
// covariance P∞ + D, of which D ≤ 0 alone is kept, time i is
//
//	D⁻ = A_i·D·A_iᵀ,  c = b + D⁻·h,  p = hᵀ·c,  τ = 1 + λ_i·p,  κ = λ_i/τ,  D = D⁻ − κ·c·cᵀ
//
// and log|B| = Σ log τ. No covariance of the noise 1/λ_i is needed, so that λ_i = 0, a time of
// which nothing is known, is as good as any, and equal times have A_i = I. The derivatives of
// log|B|, by the adjoint recursion, are S_ii in λ_i: the smoother of Bryson and Frazier (Bierman 1973).
// Everything is done with duals, in which the adjoints of d log|B| = Σ w_n·S_nn come out with those of
// log|B|.
type kalman struct {
	d             []dual // D after each time, n×s²
	c             []dual // n×s
	p, tau, kappa []dual // n
	room          []dual
}

// forward filters and returns log|B|. The duals are derivatives in the direction w of Λ; nil: 0.
func (f *kalman) forward(m *system, lambda, w []float64) (logDet float64) {
	n, s := m.n, m.s
	f.d, f.c = grownDuals(f.d, n*s*s), grownDuals(f.c, n*s)
	f.p, f.tau, f.kappa = grownDuals(f.p, n), grownDuals(f.tau, n), grownDuals(f.kappa, n)
	f.room = grownDuals(f.room, 3*s*s+2*s)
	half, before := f.room[:s*s], f.room[s*s:2*s*s]
	clear(before)
	for i := range n {
		a, d, c := m.a[i*s*s:(i+1)*s*s], f.d[i*s*s:(i+1)*s*s], f.c[i*s:(i+1)*s]
		timesPlain(half, before, s, 1, a, 1, s, s)
		timesPlain(d, half, 1, s, a, 1, s, s)
		for r := range c {
			c[r] = dual{v: m.b[r]}
			for q, h := range m.h {
				c[r].add(d[r*s+q].scaled(h))
			}
		}
		var p dual
		for r, h := range m.h {
			p.add(c[r].scaled(h))
		}
		if !(p.v > 0) {
			p = dual{} // rounding
		}
		l := along(lambda, w, i)
		tau := l.times(p).plus(dual{v: 1})
		kappa := l.over(tau)
		for r := range s {
			for q := range s {
				d[r*s+q].add(kappa.times(c[r]).times(c[q]).scaled(-1))
			}
		}
		f.p[i], f.tau[i], f.kappa[i] = p, tau, kappa
		logDet += math.Log(tau.v)
		before = d
	}
	return logDet
}

// backward runs the adjoint recursion, after forward, and reports the derivative of log|B| in every
// λ_i. Unless slopes is nil it adds to them the derivatives of Σ_n w_n·S_nn − ½·log|B|.
func (f *kalman) backward(m *system, lambda, w []float64, slopes *systemSlopes, report func(i int, slope dual)) {
	n, s := m.n, m.s
	dD, half, dA := f.room[:s*s], f.room[s*s:2*s*s], f.room[2*s*s:3*s*s]
	x, dc := f.room[3*s*s:3*s*s+s], f.room[3*s*s+s:]
	clear(dD)
	for i := n - 1; i >= 0; i-- {
		a, c := m.a[i*s*s:(i+1)*s*s], f.c[i*s:(i+1)*s]
		p, tau, kappa := f.p[i], f.tau[i], f.kappa[i]
		for r := range x {
			x[r] = dots(dD[r*s:(r+1)*s], c)
			dc[r] = kappa.times(x[r]).scaled(-2)
		}
		dKappa := dots(c, x).scaled(-1)
		l := along(lambda, w, i)
		inverse := dual{v: 1}.over(tau)
		report(i, inverse.times(p.plus(dKappa.times(inverse))))
		dp := l.times(inverse).plus(dKappa.times(kappa.times(kappa)).scaled(-1))
		for r, h := range m.h {
			dc[r].add(dp.scaled(h))
		}
		for r := range s {
			for q := range s {
				dD[r*s+q].add(dc[r].scaled(0.5 * m.h[q]).plus(dc[q].scaled(0.5 * m.h[r])))
			}
		}
		timesPlain(half, dD, s, 1, a, s, 1, s)
		if slopes != nil {
			for r := range dc {
				slopes.b[r] += dc[r].e - 0.5*dc[r].v
			}
			if i > 0 {
				timesDual(dA, half, f.d[(i-1)*s*s:i*s*s], s)
				for j, g := range dA {
					slopes.a[i*s*s+j] += 2*g.e - g.v
				}
			}
		}
		timesPlain(dD, half, 1, s, a, s, 1, s)
	}
}

// along returns λ_i, which moves by w_i; nil: it does not.
func along(lambda, w []float64, i int) dual {
	if w == nil {
		return dual{v: lambda[i]}
	}
	return dual{lambda[i], w[i]}
}

func grownDuals(v []dual, n int) []dual { return slices.Grow(v[:0], n)[:n] }
