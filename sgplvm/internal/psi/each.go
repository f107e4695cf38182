package psi

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// An Each has the psi statistics of every example by itself, as the bound of data with holes asks for
// them: Ψ2 of example n is E k(x_n, z_k)·k(x_n, z_k′), not summed. The zero value is ready for Set. It is
// used by one goroutine at a time, and calls its bodies from several.
//
// Examples are divided into chunks by their number. A chunk has Statistics and room of its own, and what it
// adds to the derivatives in parameters is added up in the order of the chunks.
type Each struct {
	chunks []eachChunk
	n      int
}

// eachChunks is how many chunks there are at most.
const eachChunks = 16

type eachChunk struct {
	st      Statistics
	scratch Scratch
	slope   slope2
	to      Gradient
	g       mat.Matrix // ∂L/∂Ψ2 of an example, m×m
	kappa   mat.Matrix // κ of an example, 1×m
	dKappa  mat.Matrix // ∂L/∂κ, rows of the chunk
	psi1    mat.Matrix // Ψ1 without κ, rows of the chunk
}

// Set takes over the kernel and the inducing points for n examples.
func (e *Each) Set(k Kernel, in Inducing, n int) {
	e.n = n
	if count := min(eachChunks, n); len(e.chunks) != count {
		e.chunks = make([]eachChunk, count)
	}
	for c := range e.chunks {
		e.chunks[c].st.Set(k, in)
	}
}

// Chunks returns how many chunks there are; bodies get a number below it.
func (e *Each) Chunks() int { return len(e.chunks) }

func (e *Each) chunk(c int) (from, to int) { return work.Block(c, len(e.chunks), e.n) }

// rows returns the examples from ≤ i < to.
func (q Q) rows(from, to int) Q {
	r := Q{Mu: q.Mu.Slice(from, to, 0, q.Mu.Cols), S: q.S.Slice(from, to, 0, q.S.Cols)}
	if q.At != nil {
		r.At = q.At[from:to]
	}
	return r
}

// Forward sets psi0[n] = E k(x_n, x_n) and row n of psi1 (n×m) to E k(x_n, z_k), and calls body with every example's
// number and its Ψ2 (m×m, symmetric), which body may overwrite and must not keep.
func (e *Each) Forward(psi0 []float64, psi1 mat.Matrix, q Q, body func(chunk, example int, psi2 mat.Matrix)) {
	mat.Parallel(len(e.chunks), func(c int) {
		w := &e.chunks[c]
		st, t := &w.st, &w.scratch
		from, to := e.chunk(c)
		own := q.rows(from, to)
		rows := psi1.Slice(from, to, 0, psi1.Cols)
		st.psi1(rows, own.Mu, own.S)
		for i := range own.Mu.Rows {
			one := own.rows(i, i+1)
			psi0[from+i] = st.psi0(one.Mu, one.S)
			st.psi2Example(t, one.Mu.Row(0), one.S.Row(0))
			if st.hasTimes(one) {
				st.kappaOf(&w.kappa, one.At)
				row, kappa := rows.Row(i), w.kappa.Row(0)
				asm.Axpy(0.5, kappa, row) // (ψ1 + ½κ)·κᵀ and its transpose are ψ1κᵀ + κψ1ᵀ + κκᵀ
				for k := range row {
					asm.Axpy(row[k], kappa, t.e.Row(k))
					asm.Axpy(kappa[k], row, t.e.Row(k))
				}
				asm.Axpy(0.5, kappa, row)
			}
			body(c, from+i, t.e)
		}
	})
}

// kappaOf sets dst (1×m) to κ at one time.
func (st *Statistics) kappaOf(dst *mat.Matrix, at []kernel.Instant) {
	work.Resize(dst, 1, st.in.Z.Rows)
	st.Kappa(*dst, at)
}

// Backward adds the derivatives of L to the gradient, given g0[n] = ∂L/∂ψ0_n, g1 = ∂L/∂Ψ1 (n×m, overwritten), psi1 of
// Forward, and slope, which sets g (m×m) to the symmetric ∂L/∂Ψ2 of an example.
func (e *Each) Backward(to Gradient, g0 []float64, g1, psi1 mat.Matrix, q Q, slope func(chunk, example int, g mat.Matrix)) {
	mat.Parallel(len(e.chunks), func(c int) {
		w := &e.chunks[c]
		from, last := e.chunk(c)
		w.begin(to)
		w.backward(to, g0[from:last], g1.Slice(from, last, 0, g1.Cols), psi1.Slice(from, last, 0, g1.Cols), q.rows(from, last), from, func(example int, g mat.Matrix) { slope(c, example, g) })
	})
	for c := range e.chunks {
		w := &e.chunks[c]
		w.to.addDiagonals(to)
		mat.Add(to.Z, to.Z, 1, w.to.Z)
		if w.st.nonlinear != nil {
			w.st.nonlinear.endGradient(to.Kernel.Parts[w.st.place], to.Z)
		}
		from, last := e.chunk(c)
		if st, own := &w.st, q.rows(from, last); st.hasTimes(own) {
			for i, p := range st.kernel.Parts {
				if p, is := p.(timed); is {
					p.valuesBackward(to.Kernel.Parts[i], w.dKappa, own.At, st.in.At)
				}
			}
		}
	}
}

// begin makes room for the derivatives of a chunk, in a kernel of the same parts. Of its parameters only those of
// Part.diagonal are derived there.
func (w *eachChunk) begin(to Gradient) {
	w.to.Kernel = to.Kernel.Clone()
	w.to.Kernel.Zero()
	work.Resize(&w.to.Z, to.Z.Rows, to.Z.Cols)
	w.to.Z.Fill(0)
}

// addDiagonals adds the derivatives in the parameters of Part.diagonal.
func (g *Gradient) addDiagonals(to Gradient) {
	for i, p := range g.Kernel.Parts {
		c, v := p.diagonal()
		allC, allV := to.Kernel.Parts[i].diagonal()
		if c != nil {
			*allC += *c
		}
		if v != nil {
			asm.Axpy(1, v, allV)
		}
	}
}

// backward adds up the derivatives of the chunk's examples, which begin with number from.
func (w *eachChunk) backward(to Gradient, g0 []float64, g1, psi1 mat.Matrix, q Q, from int, slope func(example int, g mat.Matrix)) {
	st, t, m := &w.st, &w.scratch, psi1.Cols
	work.Resize(&w.g, m, m)
	if st.nonlinear != nil {
		st.nonlinear.beginGradient()
	}
	timed := st.hasTimes(q)
	if timed {
		work.Resize(&w.dKappa, psi1.Rows, m)
	}
	work.Resize(&w.psi1, psi1.Rows, m)
	mat.Copy(w.psi1, psi1)
	for i := range psi1.Rows {
		one := q.rows(i, i+1)
		own := Gradient{Kernel: w.to.Kernel, Z: w.to.Z, Mu: to.Mu.Slice(from+i, from+i+1, 0, to.Mu.Cols), S: to.S.Slice(from+i, from+i+1, 0, to.S.Cols)}
		st.psi0Backward(own, g0[i], one.Mu, one.S)
		slope(from+i, w.g)
		row := g1.Slice(i, i+1, 0, m)
		if timed {
			w.timeBackward(w.dKappa.Slice(i, i+1, 0, m), row, psi1.Slice(i, i+1, 0, m), one.At)
			asm.Axpy(-1, w.kappa.Row(0), w.psi1.Row(i))
		}
		if st.affine {
			st.nonlinear1(t, one.Mu, one.S)
			st.sums(&t.x, one.Mu, one.S)
			st.setSlope2(&w.slope, w.g)
			if st.nonlinear != nil {
				st.setSlope1(&t.x, &w.slope, 1)
			}
			st.crossBackward(own, row, &w.slope, &t.x, one.Mu, one.S)
			st.parametersBackward(own, row, &w.slope, &t.x, one.Mu)
		}
		if st.nonlinear != nil {
			st.nonlinear2(t, one.Mu.Row(0), one.S.Row(0))
			st.nonlinear.psi2ExampleCollect(t.e, t.room, own.Mu.Row(0), own.S.Row(0), w.g, one.Mu.Row(0), one.S.Row(0))
		}
	}
	if st.nonlinear != nil && !st.affine {
		n := psi1.Rows
		st.nonlinear.psi1Backward(true, to.Mu.Slice(from, from+n, 0, to.Mu.Cols), to.S.Slice(from, from+n, 0, to.S.Cols), g1, w.psi1, q.Mu, q.S)
	}
}

// timeBackward sets dKappa (1×m) to the derivative of one example in κ and makes g1 that in the Ψ1 of the other
// parts; see Statistics.timesBackward.
func (w *eachChunk) timeBackward(dKappa, g1, psi1 mat.Matrix, at []kernel.Instant) {
	w.st.kappaOf(&w.kappa, at)
	mat.Copy(dKappa, g1)
	mat.Mul(dKappa, 2, psi1, w.g, 1)
	mat.Mul(g1, 2, w.kappa, w.g, 1)
}
