package emulator

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A surface has what the moments at single points need, for any number of points.
type surface struct {
	m       *Model
	columns mat.Matrix   // of the runs' ξ, d×n
	inverse []mat.Matrix // of each group: 1/(λ_i + r_j), n×modes
}

func newSurface(m *Model) *surface {
	s := &surface{m: m, columns: columns(m.process.x)}
	for k := range m.process.groups {
		s.inverse = append(s.inverse, m.process.groups[k].inverse())
	}
	return s
}

// A point has the moments of the outputs' coordinates at one ξ, and takes derivatives in them back to ξ. It is for one goroutine.
type point struct {
	*surface
	x              []float64
	mean, variance []float64 // as those of Model.Predict
	groups         []groupPoint
	gk, t, s       []float64 // room, n
	gm, gv         []float64 // room, modes
}

type groupPoint struct{ k, form, weight, ku []float64 }

func (s *surface) point() *point {
	n, modes := s.columns.Cols, s.m.P.Cols
	p := &point{surface: s, mean: make([]float64, modes), variance: make([]float64, modes),
		gk: make([]float64, n), t: make([]float64, n), s: make([]float64, n), gm: make([]float64, modes), gv: make([]float64, modes)}
	for range s.inverse {
		p.groups = append(p.groups, groupPoint{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)})
	}
	return p
}

// at sets the moments at x, which is kept.
func (p *point) at(x []float64) {
	p.x = x
	for t := range p.groups {
		g, at := &p.m.process.groups[t], &p.groups[t]
		own := g.kernel.at(at, x, p.columns)
		mat.Mul(mat.Vector(p.gm[:len(g.modes)]), 1, g.alpha.T(), mat.Vector(at.k), 0)
		mat.Mul(mat.Vector(at.ku), 1, g.u.T(), mat.Vector(at.k), 0)
		asm.MulTo(p.t, at.ku, at.ku)
		mat.Mul(mat.Vector(p.gv[:len(g.modes)]), 1, p.inverse[t].T(), mat.Vector(p.t), 0)
		for i, j := range g.modes {
			p.mean[j] = p.gm[i]
			p.variance[j] = p.m.Factor * g.a[i] * (max(0, own-p.gv[i]) + g.r[i])
		}
	}
}

// pull adds to dst, of d numbers, the derivatives in ξ of a function whose derivatives in the mean and in the variance are dm and dv.
func (p *point) pull(dst, dm, dv []float64) {
	for t := range p.groups {
		g, at := &p.m.process.groups[t], &p.groups[t]
		count, own := len(g.modes), 0.
		for i, j := range g.modes {
			p.gm[i] = dm[j]
			p.gv[i] = p.m.Factor * dv[j] * g.a[i]
			own += p.gv[i]
		}
		mat.Mul(mat.Vector(p.t), 1, p.inverse[t], mat.Vector(p.gv[:count]), 0)
		asm.MulTo(p.t, p.t, at.ku)
		mat.Mul(mat.Vector(p.gk), 1, g.alpha, mat.Vector(p.gm[:count]), 0)
		mat.Mul(mat.Vector(p.gk), -2, g.u, mat.Vector(p.t), 1)
		g.kernel.pull(dst, p, at)
		for q, u := range g.kernel.Linear {
			dst[q] += 2 * own * (1 - g.kernel.Share) * u * p.x[q]
		}
	}
}

// at sets k between x and the runs, whose columns are given, with what values leaves in form and weight, and returns K(x, x).
func (k *Kernel) at(p *groupPoint, x []float64, columns mat.Matrix) float64 {
	linear := 0.
	clear(p.k)
	if k.Form == Product {
		for i := range p.form {
			p.form[i] = 1
		}
	} else {
		clear(p.form)
	}
	for q, v := range x {
		column := columns.Row(q)
		if k.Form == Product {
			k.factor(p.weight, v, column, q)
			s := k.Parts[q]
			for i, e := range p.weight {
				p.form[i] *= 1 - s + float64(s*e)
			}
		} else {
			inverse := 1 / k.Scales[q]
			for i, z := range column {
				d := (v - z) * inverse
				p.form[i] += float64(d * d)
			}
		}
		asm.Axpy((1-k.Share)*k.Linear[q]*v, column, p.k)
		linear += k.Linear[q] * v * v
	}
	if k.Form != Product {
		k.Form.decay(p.form, p.weight)
	}
	asm.Axpy(k.Share, p.form, p.k)
	return k.Share + (1-k.Share)*linear
}

// pull adds Σ_i gk_i·∂K(x, ξ_i)/∂x to dst.
func (k *Kernel) pull(dst []float64, p *point, at *groupPoint) {
	sum := 0.
	if k.Form != Product {
		asm.MulTo(p.s, p.gk, at.weight)
		for _, v := range p.s {
			sum += v
		}
	}
	for q, x := range p.x {
		column, l := p.columns.Row(q), k.Scales[q]
		if k.Form == Product {
			k.factor(p.t, x, column, q)
			s, slope := k.Parts[q], 0.
			for i, e := range p.t {
				slope -= p.gk[i] * at.form[i] * s * e * (x - column[i]) / (1 - s + float64(s*e))
			}
			dst[q] += k.Share * slope / (l * l)
		} else {
			dst[q] -= k.Share * (x*sum - asm.Dot(p.s, column)) / (l * l)
		}
		dst[q] += (1 - k.Share) * k.Linear[q] * asm.Dot(p.gk, column)
	}
}

// normalQuantile is that of a standard normal variable.
func normalQuantile(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*u-1) }

// normalShare is the reverse of normalQuantile.
func normalShare(t float64) float64 { return 0.5 * math.Erfc(-t/math.Sqrt2) }
