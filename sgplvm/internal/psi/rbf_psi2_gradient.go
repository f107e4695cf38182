package psi

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

func (ps *rbfPsi) psi2Backward(dmu, ds, g, mu, s mat.Matrix) {
	p, grad := &ps.sum, &ps.gradient
	n, m, d := mu.Rows, ps.z.Rows, ps.z.Cols
	p.g, p.mu, p.s, p.dmu, p.ds = g, mu, s, dmu, ds
	p.du = work.Zeros(p.du, p.groups*n*m)
	p.cross = work.Zeros(p.cross, p.groups*n*d)
	p.dz = work.Zeros(p.dz, p.chunks*p.groups*m*(d+2))
	mat.Run(p.chunks*p.groups, (*sumBackward)(p))
	for len(p.finals) < p.chunks {
		p.finals = append(p.finals, newRBFGradient(m, d))
	}
	mat.Run(p.chunks, (*sumFinish)(p))
	dz := p.dz[:m*(d+2)]
	for rest := p.dz[len(dz):]; len(rest) > 0; rest = rest[len(dz):] {
		asm.Axpy(1, rest[:len(dz)], dz)
	}
	for k := range m {
		asm.Axpy(1, dz[k*(d+2):][:d], grad.z.Row(k))
	}
	for _, f := range p.finals[:p.chunks] {
		grad.variance += f.variance
		asm.Axpy(1, f.square, grad.square)
		asm.Axpy(1, f.z.Data, grad.z.Data)
	}
}

type sumBackward rbfSum

// Do adds up the derivatives of task i.
func (p *sumBackward) Do(i int) {
	s := (*rbfSum)(p)
	n, m, d := s.mu.Rows, s.ps.z.Rows, s.ps.z.Cols
	chunk, group := i/s.groups, i%s.groups
	from, to := s.chunk(chunk)
	first, last := s.group(group)
	du, cross := s.du[group*n*m:(group+1)*n*m], s.cross[group*n*d:(group+1)*n*d]
	dz := s.dz[i*m*(d+2) : (i+1)*m*(d+2)]
	var w sumTask
	w.begin(s, from, to, true)
	w.transpose(s, from, to)
	for at := first; at < last; at++ {
		t := tileAt(at, m)
		pairs := t.pairs()
		w.setTile(s, t)
		left, sum := mat.NewDense(pairs, d+2, w.left[:pairs*(d+2)]), mat.NewDense(pairs, d+2, w.sum[:pairs*(d+2)])
		g := w.weights(s.g, t)
		for n0 := from; n0 < to; n0 += blockExamples {
			n1 := min(n0+blockExamples, to)
			nb := n1 - n0
			e := w.room(s, at, from, to, n0, n1)
			if at >= s.waiting {
				w.exponentials(e, s, t, from, n0, n1)
			}
			weighted := mat.NewDense(pairs, nb, w.e[:pairs*nb])
			for r, v := range g {
				asm.Scale(weighted.Data[r*nb:], v, e.Data[r*nb:(r+1)*nb])
			}
			beta := 1.0
			if n0 == from {
				beta = 0
			}
			mat.Mul(sum.Slice(0, pairs, 0, d), 1, weighted, mat.NewDense(nb, d, w.ct[(n0-from)*d:(n1-from)*d]), beta)
			product := mat.NewDense(d+2, nb, w.cross[:(d+2)*nb])
			mat.Mul(product, 1, left.T(), weighted, 0)
			asm.Axpy(1, product.Data[:d*nb], cross[n0*d:n1*d])

			block := mat.NewDense(m, nb, du[n0*m:n1*m])
			split := (t.long + 1) * nb
			asm.Axpy(1, weighted.Data[:split], block.Data)
			asm.Axpy(1, weighted.Data[split:], block.Data)
			asm.Axpy(1, product.Row(d), block.Row(t.long))
			if t.short >= 0 {
				asm.Axpy(1, product.Row(d+1), block.Row(t.short))
			}
		}
		w.addPoints(s, t, sum, dz)
	}
	w.giveBack()
}

// addPoints adds sum∘z_k to the rows j of dz and sum∘z_j to the rows k.
func (w *sumTask) addPoints(p *rbfSum, t tile, sum mat.Matrix, dz []float64) {
	zs := p.ps.zs
	part := mat.NewDense(sum.Rows, sum.Cols, w.part[:len(sum.Data)])
	ones, split := p.ps.zt.Row(zs.Cols-2), (t.long+1)*zs.Cols
	asm.MulTo(part.Data, sum.Data, w.own)
	asm.Axpy(1, part.Data[:split], dz)
	asm.Axpy(1, part.Data[split:], dz)
	asm.MulTo(part.Data, sum.Data[:split], zs.Data)
	asm.MulTo(part.Data[split:], sum.Data[split:], zs.Data)
	asm.AxpyRows(ones[:t.long+1], part.Data, zs.Cols, dz[t.long*zs.Cols:][:zs.Cols])
	if t.short >= 0 {
		asm.AxpyRows(ones[:t.short+1], part.Data[split:], zs.Cols, dz[t.short*zs.Cols:][:zs.Cols])
	}
}

// transpose makes the transposed blocks of C.
func (w *sumTask) transpose(p *rbfSum, from, to int) {
	d := p.ps.z.Cols
	for n0 := from; n0 < to; n0 += blockExamples {
		n1 := min(n0+blockExamples, to)
		mat.Copy(mat.NewDense(n1-n0, d, w.ct[(n0-from)*d:(n1-from)*d]), mat.NewDense(d, n1-n0, p.c[n0*d:n1*d]).T())
	}
}

// weights fills and returns g.
func (w *sumTask) weights(g mat.Matrix, t tile) []float64 {
	weights := w.g[:t.pairs()]
	asm.Scale(weights[:t.long+1], 2, g.Row(t.long)[:t.long+1])
	weights[t.long] /= 2
	if t.short >= 0 {
		asm.Scale(weights[t.long+1:], 2, g.Row(t.short)[:t.short+1])
		weights[t.long+1+t.short] /= 2
	}
	return weights
}

type sumFinish rbfSum

// Do chains the derivatives in u and C of chunk i into μ, S, Z and ℓ².
func (p *sumFinish) Do(i int) {
	s := (*rbfSum)(p)
	ps := s.ps
	n, m, d := s.mu.Rows, ps.z.Rows, ps.z.Cols
	from, to := s.chunk(i)
	for g := 1; g < s.groups; g++ {
		asm.Axpy(1, s.du[(g*n+from)*m:(g*n+to)*m], s.du[from*m:to*m])
		asm.Axpy(1, s.cross[(g*n+from)*d:(g*n+to)*d], s.cross[from*d:to*d])
	}
	final := s.finals[i]
	final.zero()
	buffer := mat.Borrow((4*d+1)*blockExamples + 2*d*m)
	perZ := mat.NewDense(m, 2*d, (*buffer)[:2*d*m]) // Σ_n of ∂u_nk/∂z_k: the factor of z, and the rest
	perZ.Fill(0)
	for n0 := from; n0 < to; n0 += blockExamples {
		n1 := min(n0+blockExamples, to)
		nb := n1 - n0
		room := (*buffer)[2*d*m:]
		moments, factors := mat.NewDense(2*d+1, nb, room[:(2*d+1)*nb]), mat.NewDense(2*d, nb, room[(2*d+1)*nb:(4*d+1)*nb])
		du := mat.NewDense(m, nb, s.du[n0*m:n1*m])
		mat.Mul(moments, 0.5, ps.features.T(), du, 0) // with w = Σ_j g·E, u's derivative is 2w: Σ w·z², Σ w·z, Σ w
		totals := moments.Row(2 * d)
		for q, l2 := range ps.square {
			s2, s1, cross := moments.Row(q), moments.Row(d+q), s.cross[n0*d+q*nb:]
			perSquare, rest := factors.Row(q), factors.Row(d+q)
			at := n0*d + q
			var square float64
			for j, s0 := range totals {
				a := 1 / (2*s.s.Data[at] + l2)
				x := s.mu.Data[at] - ps.shift[q]
				da := -(0.5*(s2[j]+cross[j]) - 2*x*s1[j] + x*x*s0)
				s.dmu.Data[at] += 2 * a * (s1[j] - x*s0)
				s.ds.Data[at] += -2*a*a*da - a*s0
				square += -a*a*da - 0.5*a*s0 + 0.5*s0/l2 + 0.5*(s2[j]-cross[j])/(l2*l2)
				perSquare[j], rest[j] = -0.5*(a+1/l2), a*x
				at += d
			}
			final.square[q] += square
		}
		for _, s0 := range totals {
			final.variance += 2 * s0 / ps.variance
		}
		mat.Mul(perZ, 1, du, factors.T(), 1)
	}
	for k := range m {
		dz, z, row := final.z.Row(k), ps.z.Row(k), perZ.Row(k)
		for q := range d {
			dz[q] += z[q]*row[q] + row[d+q]
		}
	}
	mat.GiveBack(buffer)
}
