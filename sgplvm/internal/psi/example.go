package psi

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A Scratch is what one goroutine needs for one example's statistics at a time. The zero
// value is ready; it may serve different Statistics one after the other, and nothing is
// allocated while these have one shape.
type Scratch struct {
	e    mat.Matrix // Ψ2, m×m
	room []float64  // of the nonlinear part
	x    cross
}

// psi2Example sets t.e to one example's Ψ2 without κ.
func (st *Statistics) psi2Example(t *Scratch, mu, s []float64) {
	st.nonlinear2(t, mu, s)
	if st.affine {
		rowMu, rowS := mat.NewDense(1, len(mu), mu), mat.NewDense(1, len(s), s)
		st.nonlinear1(t, rowMu, rowS)
		st.addAffine2(&t.x, t.e, rowMu, rowS)
	}
}

// nonlinear2 sets t.e to the nonlinear part's Ψ2.
func (st *Statistics) nonlinear2(t *Scratch, mu, s []float64) {
	m := st.in.Z.Rows
	work.Resize(&t.e, m, m)
	if st.nonlinear == nil {
		t.e.Fill(0)
		return
	}
	t.room = work.Grown(t.room, st.nonlinear.exampleRoom())
	st.nonlinear.psi2Example(t.e, t.room, mu, s)
}

// nonlinear1 sets t.x.psi1 (1×m) to the nonlinear part's Ψ1.
func (st *Statistics) nonlinear1(t *Scratch, mu, s mat.Matrix) {
	work.Resize(&t.x.psi1, 1, st.in.Z.Rows)
	if st.nonlinear == nil {
		t.x.psi1.Fill(0)
		return
	}
	st.nonlinear.psi1(t.x.psi1, mu, s)
}

// Moments are the statistics of one example with what a prediction makes of them.
type Moments struct {
	Psi0   float64
	Psi1   mat.Matrix // m×1
	Psi2   mat.Matrix // m×m; in the scratch, until that is used again
	Spread mat.Matrix // Ψ2 − ψ1·ψ1ᵀ, m×m: what the uncertainty of x adds
}

// SetMoments sets those of q, which holds one example, in the storage of earlier ones. A known time moves ψ1 and leaves the
// spread as it is.
func (st *Statistics) SetMoments(r *Moments, t *Scratch, q Q) {
	m := st.in.Z.Rows
	r.Psi0 = st.Psi0(q)
	work.Resize(&r.Psi1, m, 1)
	work.Resize(&r.Spread, m, m)
	st.psi1(r.Psi1.T(), q.Mu, q.S)
	st.psi2Example(t, q.Mu.Row(0), q.S.Row(0))
	r.Psi2 = t.e
	mat.Copy(r.Spread, t.e)
	mat.Mul(r.Spread, -1, r.Psi1, r.Psi1.T(), 1)
	if st.hasTimes(q) {
		buffer := mat.Borrow(m)
		st.Kappa(mat.NewDense(1, m, *buffer), q.At)
		asm.Axpy(1, *buffer, r.Psi1.Data)
		mat.GiveBack(buffer)
		mat.Copy(r.Psi2, r.Spread)
		mat.Mul(r.Psi2, 1, r.Psi1, r.Psi1.T(), 1)
	}
}

// A Form is the function
//
//	constant + g0·ψ0 + g1·ψ1 + tr(G·Ψ2)
//
// of one example's q(x), at a known time or none. It does not change, and may be used by
// several goroutines.
type Form struct {
	// Constant is what a known time alone contributes: g1·κ + κᵀ·G·κ.
	Constant float64

	st    *Statistics
	g0    float64
	g1    []float64 // of ψ1 without κ
	slope slope2
	at    [1]kernel.Instant
}

// SetForm sets the form to that with g0, g1 (m) and the symmetric g (m×m, kept), of an example whose
// time may be unknown (nil). With κ, a number where the time is known, in the place of ψ1 and
// Ψ2 stand those of the other parts,
//
//	g1·(ψ1 + κ) + tr(G·(Ψ2 + ψ1κᵀ + κψ1ᵀ + κκᵀ)) = (g1 + 2Gκ)·ψ1 + tr(G·Ψ2) + Constant
func (st *Statistics) SetForm(f *Form, g0 float64, g1 []float64, g mat.Matrix, at *kernel.Instant) {
	f.st, f.g0, f.g1, f.Constant = st, g0, append(f.g1[:0], g1...), 0
	if st.timed && at != nil {
		m := st.in.Z.Rows
		buffer := mat.Borrow(2 * m)
		kappa, byKappa := (*buffer)[:m], (*buffer)[m:]
		f.at[0] = *at
		st.Kappa(mat.NewDense(1, m, kappa), f.at[:])
		mat.Mul(mat.Vector(byKappa), 1, g, mat.Vector(kappa), 0)
		f.Constant = asm.Dot(f.g1, kappa) + asm.Dot(byKappa, kappa)
		asm.Axpy(2, byKappa, f.g1)
		mat.GiveBack(buffer)
	}
	st.setSlope2(&f.slope, g)
}

// Linear returns what ψ1 without κ counts: g1 + 2Gκ.
func (f *Form) Linear() []float64 { return f.g1 }

// Value returns the form without its constant at q(x) = N(mu, diag s) and adds its
// derivatives to dmu and ds, unless these are nil; all have d numbers.
func (f *Form) Value(t *Scratch, mu, s, dmu, ds []float64) float64 {
	st, w, d, m := f.st, &f.slope, len(mu), len(f.g1)
	rowMu, rowS := mat.NewDense(1, d, mu), mat.NewDense(1, d, s)
	st.nonlinear1(t, rowMu, rowS)
	psi1 := t.x.psi1
	var value float64
	if st.nonlinear != nil {
		st.nonlinear2(t, mu, s)
		value = traceLower(w.g, t.e)
	}
	if st.affine {
		if st.nonlinear != nil {
			st.weights(&t.x, rowMu, rowS)
			st.setSlope1(&t.x, w, 1)
			value += mat.Dot(t.x.t, psi1)
		}
		for q, v := range mu {
			value += v*asm.Dot(w.aa.Row(q), mu) + w.aa.At(q, q)*s[q] + 2*st.b*v*w.aOne[q]
		}
		for _, g := range w.one {
			value += st.b * st.b * g
		}
	}
	if dmu != nil {
		to, g1 := Gradient{Mu: mat.NewDense(1, d, dmu), S: mat.NewDense(1, d, ds)}, mat.NewDense(1, m, f.g1)
		switch {
		case st.affine:
			st.crossBackward(to, g1, w, &t.x, rowMu, rowS)
		case st.nonlinear != nil:
			st.nonlinear.psi1Backward(false, to.Mu, to.S, g1, psi1, rowMu, rowS)
		}
		if st.nonlinear != nil {
			st.nonlinear.psi2ExampleBackward(t.e, t.room, dmu, ds, w.g, mu, s)
		}
		st.psi0Backward(to, f.g0, rowMu, rowS)
	}
	st.addAffine1(psi1, rowMu)
	return f.g0*st.psi0(rowMu, rowS) + asm.Dot(f.g1, psi1.Row(0)) + value
}

// traceLower returns tr(a·b) of two symmetric matrices; only the lower triangle
// of b is read.
func traceLower(a, b mat.Matrix) float64 {
	var s float64
	for i := range a.Rows {
		s += 2*asm.Dot(a.Row(i)[:i], b.Row(i)[:i]) + a.At(i, i)*b.At(i, i)
	}
	return s
}

// A Catalogue holds the statistics of many q(x) so that a form of all of them is two
// products.
type Catalogue struct {
	psi0 []float64
	psi1 mat.Matrix // rows ψ1, without κ: a form has the time
	psi2 mat.Matrix // rows of Ψ2's lower triangle with the off-diagonal doubled
}

// catalogueBlocks is into how many blocks of examples the work is cut.
const catalogueBlocks = 16

// Catalogue returns that of the given examples of q. It holds about ½m² numbers each.
func (st *Statistics) Catalogue(q Q, examples []int) *Catalogue {
	m, count := st.in.Z.Rows, len(examples)
	c := &Catalogue{psi0: make([]float64, count), psi1: mat.New(count, m), psi2: mat.New(count, m*(m+1)/2)}
	blocks := min(catalogueBlocks, count)
	mat.Parallel(blocks, func(b int) {
		var t Scratch
		from, to := work.Block(b, blocks, count)
		for k := from; k < to; k++ {
			i := examples[k]
			mu, s := q.Mu.Slice(i, i+1, 0, q.Mu.Cols), q.S.Slice(i, i+1, 0, q.S.Cols)
			c.psi0[k] = st.psi0(mu, s)
			st.psi1(c.psi1.Slice(k, k+1, 0, m), mu, s)
			st.psi2Example(&t, mu.Row(0), s.Row(0))
			packLower(c.psi2.Row(k), t.e, 2)
		}
	})
	return c
}

// ValuesAt sets dst[k] to the form, with sum in place of its constant, at entry entries[k]. The form is
// of the same Statistics.
func (c *Catalogue) ValuesAt(dst []float64, entries []int, f *Form, sum float64) {
	room := mat.Borrow(c.psi2.Cols)
	packLower(*room, f.slope.g, 1)
	for k, i := range entries {
		dst[k] = sum + f.g0*c.psi0[i] + asm.Dot(c.psi1.Row(i), f.g1) + asm.Dot(c.psi2.Row(i), *room)
	}
	mat.GiveBack(room)
}

// packLower writes the lower triangle of a row by row, with the elements below
// the diagonal multiplied by off.
func packLower(dst []float64, a mat.Matrix, off float64) {
	for i := range a.Rows {
		row := a.Row(i)
		asm.Scale(dst, off, row[:i])
		dst[i] = row[i]
		dst = dst[i+1:]
	}
}
