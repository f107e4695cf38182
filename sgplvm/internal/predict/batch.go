package predict

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A batch is many predictions on one grid under way (docs/math.md, "Prediction", slabs).
type batch struct {
	q     *Posterior
	grid  field.Grid
	count int // latent posteriors
	width int // points of the grid for each of its first factor's

	prior      []float64 // of each posterior: ψ0·K_ss
	structured []float64 // variance of structured noise at every point; nil where there is none

	// Sums of ψ1 of the posteriors, count×m_ξ, and coefficients are means: those of α, or, where ψ1 is 0×0, these sums.
	psi1         mat.Matrix
	coefficients kronprod.Tensor // …×m_1×m_2×…×channels
	cross        []mat.Matrix    // K_f(X*, X_u) of the spatial factors, of which the first has the rows of a slab

	spreads []stack
	tau     mat.Matrix   // diag T_0ᵀΨ2T_0, count×m_ξ; 0×0 for means alone
	squared []mat.Matrix // Φ_f∘Φ_f, likewise

	// Of a slab: count×points for each channel, and once.
	means, variances, certain []float64
	partial, field            []float64
	ones                      []float64
	work                      kronprod.Workspace
}

// A stack holds factors L of some posteriors' spreads Ψ2 − ψ1ψ1ᵀ = L·Lᵀ, side by side. Where there are fewer values than inducing points,
// which L does not pay for, it holds the spreads.
type stack struct {
	from, to int        // posteriors
	ranks    []int      // columns of each
	rows     mat.Matrix // Lᵀ, or spreads, one under the other, Σ ranks×m_ξ
}

// stackRows is about how many rows a stack has, and spreadColumns how many values are
// computed together: a stack's product with them stays in a cache. Tests lower both.
var stackRows, spreadColumns = 128, 512

func (q *Posterior) newBatch(latents []field.Latent, g field.Grid, meanOnly bool) (*batch, error) {
	n, m := len(latents), q.factors[0].Size()
	b := &batch{q: q, grid: g, count: n, width: g.Len() / g[0].Rows, prior: make([]float64, n), ones: work.Ones(m)}
	b.psi1, b.coefficients, b.cross = mat.New(n, m), q.alpha, make([]mat.Matrix, len(g))
	if !meanOnly {
		b.tau, b.squared = mat.New(n, m), make([]mat.Matrix, len(g))
	}
	roots, failures := make([]mat.Matrix, n), make([]error, n)
	mat.Parallel(n, func(i int) {
		l := latents[i]
		if meanOnly {
			q.psi1(b.psi1.Row(i), l)
			return
		}
		t, diagonal := q.latentMoments(new(room), l)
		copy(b.psi1.Row(i), t.psi1.Data)
		copy(b.tau.Row(i), diagonal.Data)
		b.prior[i] = t.psi0 * q.params.SpatialVariance()
		roots[i], failures[i] = t.spreadRoot(b.whole())
	})
	uncertain := false
	for i, r := range roots {
		if failures[i] != nil {
			return nil, failures[i]
		}
		uncertain = uncertain || r.Rows > 0
	}
	if !uncertain && n < m {
		mixed := kronprod.NewTensor(append([]int{n}, q.alpha.Dims[1:]...)...)
		size := len(q.alpha.Data) / m
		mat.Mul(mat.NewDense(n, size, mixed.Data), 1, b.psi1, mat.NewDense(m, size, q.alpha.Data), 0)
		b.psi1, b.coefficients = mat.Matrix{}, mixed
	}
	for f := range g[1:] {
		b.setFactor(1+f, g[1+f])
	}
	if !meanOnly {
		b.stackSpreads(roots)
		b.setStructured()
	}
	return b, nil
}

// setFactor evaluates spatial factor f, counted from 0, at points x (n×d_f).
func (b *batch) setFactor(f int, x mat.Matrix) {
	b.cross[f] = b.q.cross(f, x)
	if b.squared != nil {
		phi := b.q.spatialFeatures(f, b.cross[f])
		mat.MulElem(phi, phi, phi)
		b.squared[f] = phi
	}
}

// setTaken sets dst (count×points) to what q(U) takes off the prior variance, Σ_ij τ_i·(1 − w_ij)·Π_f squared_f, for rows τ (count×m_ξ) and a
// version of the mask, at points with such Φ_f∘Φ_f.
func (q *Posterior) setTaken(dst, tau mat.Matrix, squared []mat.Matrix, version int) {
	taken := q.taken()[version]
	o := kronprod.Operator{Factors: append([]mat.Matrix{{}}, squared...)}
	at := func(dst, of mat.Matrix) {
		o.MulTensor(dst.Data, kronprod.Shaped(of.Data, append([]int{of.Rows}, q.spatialDims()...)...), nil)
	}
	if tau.Rows < tau.Cols {
		mixed := mat.New(tau.Rows, taken.Cols)
		mat.Mul(mixed, 1, tau, taken, 0)
		at(dst, mixed)
		return
	}
	all := mat.New(tau.Cols, dst.Cols)
	at(all, taken)
	mat.Mul(dst, 1, tau, all, 0)
}

// setStructured evaluates the variance of the noise's structured part at every point.
func (b *batch) setStructured() {
	noise := &b.q.params.Noise
	if !noise.Structured() {
		return
	}
	b.structured = make([]float64, b.grid.Len())
	for i := range b.structured {
		b.structured[i] = noise.Residual.Variance
	}
	for i, k := range noise.LearnedAt(b.grid[0], b.q.inducing[0]) {
		b.structured[i] = noise.Covariance.At(k, k) - 1/noise.Beta
	}
}

// whole reports whether stacks hold spreads.
func (b *batch) whole() bool { return b.grid.Len()*b.q.channels() < b.q.factors[0].Size() }

// spreadRoot returns Lᵀ (r×m_ξ) with L·Lᵀ = Ψ2 − ψ1ψ1ᵀ, or that itself if it is to be whole. Eigenvalues of no more than
// m_ξ·ε·tr Ψ2 are left out: they are the rounding of Ψ2 itself.
func (t moments) spreadRoot(whole bool) (mat.Matrix, error) {
	m := t.spread.Rows
	least := float64(m) * 0x1p-52 * (mat.Trace(t.spread) + asm.SumSquares(t.psi1.Data))
	if whole {
		if mat.NormMax(t.spread) <= least {
			return mat.New(0, m), nil
		}
		return t.spread, nil
	}
	s, err := eig.Sym(t.spread)
	if err != nil {
		return mat.Matrix{}, err
	}
	first := slices.IndexFunc(s.Values, func(v float64) bool { return v > least })
	if first < 0 {
		return mat.New(0, m), nil
	}
	root := mat.New(m-first, m)
	for k := range root.Rows {
		mat.Scale(root.Slice(k, k+1, 0, m), math.Sqrt(s.Values[first+k]), s.Vectors.Slice(0, m, first+k, first+k+1).T())
	}
	return root, nil
}

// stackSpreads gathers the posteriors' roots.
func (b *batch) stackSpreads(roots []mat.Matrix) {
	for from := 0; from < len(roots); {
		s := stack{from: from, to: from}
		rows := 0
		for s.to < len(roots) && (s.to == from || rows+roots[s.to].Rows <= stackRows) {
			s.ranks = append(s.ranks, roots[s.to].Rows)
			rows += roots[s.to].Rows
			s.to++
		}
		s.rows = mat.New(rows, roots[from].Cols)
		at := 0
		for _, r := range roots[from:s.to] {
			mat.Copy(s.rows.Slice(at, at+r.Rows, 0, r.Cols), r)
			at += r.Rows
		}
		if rows > 0 {
			b.spreads = append(b.spreads, s)
		}
		from = s.to
	}
}

// numbersPerRow returns what a slab takes for each index of the first factor: results, a field, and coefficients of which some factors are multiplied.
func (b *batch) numbersPerRow() int {
	results, fields, m := b.q.channels(), b.coefficients.Dims[0], b.q.factors[1].Size()
	partial := 2 * fields * b.q.channels() * min(1, len(b.grid)-1)
	if b.squared != nil {
		results = 2*results + b.q.versions()
		fields += min(b.count, b.tau.Cols)
	}
	return results*b.count*b.width + fields*b.width + partial*max(b.width, b.q.components()/m) + 3*m
}

// slab predicts at the points whose index in the first factor is from ≤ i < to.
func (b *batch) slab(from, to int) field.Slab {
	channels, points, count := b.q.channels(), (to-from)*b.width, b.coefficients.Dims[0]
	s := field.Slab{From: from, To: to, First: from * b.width}
	b.setFactor(0, b.grid[0].Slice(from, to, 0, b.grid[0].Cols))
	b.means = work.Grown(b.means, channels*b.count*points)
	partial, last := b.coefficients, b.cross[len(b.cross)-1] // all factors multiplied but the last, which is for each channel
	if others := b.cross[:len(b.cross)-1]; len(others) > 0 {
		rows := points / last.Rows * last.Cols
		b.partial = work.Grown(b.partial, channels*count*rows)
		partial = kronprod.Operator{Factors: append([]mat.Matrix{{}}, others...)}.MulTensor(b.partial, partial, &b.work)
	}
	variances := b.squared != nil
	if variances {
		b.certain = work.Grown(b.certain, b.q.versions()*b.count*points)
		b.variances = work.Grown(b.variances, channels*b.count*points)
		for v := range b.q.versions() {
			b.withoutSpread(v, s.First, points)
		}
	}
	for c := range channels {
		mean := part(b.means, c, b.count, points)
		field := mean
		if b.psi1.Rows > 0 {
			b.field = work.Grown(b.field, count*points)
			field = mat.NewDense(count, points, b.field)
		}
		lines := count * points / last.Rows
		mat.Mul(mat.NewDense(lines, last.Rows, field.Data), 1, mat.Matrix{Rows: lines, Cols: last.Cols, RowStride: last.Cols * channels, ColStride: channels, Data: partial.Data[c:]}, last.T(), 0)
		if b.psi1.Rows > 0 {
			mat.Mul(mean, 1, b.psi1, field, 0)
		}
		if variances {
			b.addSpread(part(b.variances, c, b.count, points), field, c)
		}
		shift, scale := b.q.scaler.Mean[c], b.q.scaler.Scale[c]
		mat.Parallel(b.count, func(i int) {
			row := mean.Row(i)
			for j, v := range row {
				row[j] = shift + float64(scale*v)
			}
		})
	}
	view := func(all []float64, i int) mat.Matrix {
		return mat.Matrix{Rows: points, Cols: channels, RowStride: 1, ColStride: b.count * points, Data: all[i*points:]}
	}
	for i := range b.count {
		s.Mean = append(s.Mean, view(b.means, i))
		if variances {
			s.Variance = append(s.Variance, view(b.variances, i))
		}
	}
	return s
}

// part returns the matrix of the given number in a row of r×c matrices.
func part(all []float64, number, r, c int) mat.Matrix {
	return mat.NewDense(r, c, all[number*r*c:(number+1)*r*c])
}

// withoutSpread sets certain (count×points for each version of the mask) to the variances without the term of the latent
// uncertainty and without white noise, in the model's units and as yet below 0 perhaps.
func (b *batch) withoutSpread(version, first, points int) {
	variance := part(b.certain, version, b.count, points)
	b.q.setTaken(variance, b.tau, b.squared, version)
	mat.Parallel(b.count, func(i int) {
		row, prior := variance.Row(i), b.prior[i]
		for j, v := range row {
			if b.structured != nil {
				row[j] = prior + b.structured[first+j] - v
			} else {
				row[j] = prior - v
			}
		}
	})
}

// addSpread sets variance (count×points) to the variances of a channel in the user's units;
// field is P_cᵀ, m_ξ×points, where any posterior is uncertain.
func (b *batch) addSpread(variance, field mat.Matrix, c int) {
	points := variance.Cols
	scale := b.q.scaler.Scale[c] * b.q.scaler.Scale[c]
	all := part(b.certain, b.q.version[c], b.count, points)
	blocks := (points + spreadColumns - 1) / spreadColumns
	mat.Parallel(blocks, func(block int) {
		from, to := work.Block(block, blocks, points)
		for i := range b.count {
			clear(variance.Row(i)[from:to])
		}
		for _, s := range b.spreads {
			buffer := mat.Borrow(s.rows.Rows * (to - from))
			product := mat.NewDense(s.rows.Rows, to-from, *buffer)
			own := field.Slice(0, field.Rows, from, to)
			mat.Mul(product, 1, s.rows, own, 0)
			at := 0
			for k, rank := range s.ranks {
				part := product.Slice(at, at+rank, 0, to-from)
				if !b.whole() {
					mat.MulElem(part, part, part)
				} else if rank > 0 {
					mat.MulElem(part, part, own)
				}
				asm.AxpyRows(b.ones[:rank], product.Data[at*product.Cols:], product.Cols, variance.Row(s.from + k)[from:to])
				at += rank
			}
			mat.GiveBack(buffer)
		}
		for i := range b.count {
			row, certain, noise := variance.Row(i)[from:to], all.Row(i)[from:to], 1/b.q.params.Noise.Beta
			for j, v := range row {
				row[j] = scale * (max(0, certain[j]+v) + noise)
			}
		}
	})
}
