package points

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// How many missing points of a block are taken together, and how many training examples while a file is opened.
const together, examplesTogether = 256, 16

// noiseRows is how many points' noise is evaluated at once. Tests lower it.
var noiseRows = 32

// featureNumbers bounds a block of features.
const featureNumbers = 1 << 19

// A Model fills in and predicts at its points. It does not change, and any number of goroutines may use it, each with a
// Workspace of its own.
type Model struct {
	c     *Contents
	stats *psi.Statistics

	z, coord, mu, s mat.Matrix   // of Contents
	p               []mat.Matrix // P_c of each channel, n×m_ξ
	features        int          // Π m_f
	dims, sizes     []int        // n_f and m_f
	b, squares      []mat.Matrix // B_f and B_f∘B_f, where there are several factors
	shares          []mat.Matrix // of setShares, of a fast model, m_ξ×m_ξ each
	taken           []mat.Matrix // what q(U) takes off the prior variance of features, of each version of the mask
	exact           bool         // Q_f is K_f for all factors
	kernels, known  []mat.Matrix // K_f and Q_f where it is not; of one factor K − Q alone
	structure       Table        // Σ − β⁻¹·I

	points []int // all of them
	starts startScores

	tapered, spacings, trainingSpacings, scaled points

	// Where training residuals are kept: training examples in rows as they are in Residuals.
	y        Table
	spread   []float64   // diag F, n
	fitted   [][]float64 // rows q_j of which Σ_j q_j·q_jᵀ is F, of a fast model but for a little, n each
	unfitted []float64   // the diagonal of that, n
}

// New returns that of contents that go together, of which it keeps views.
func New(c *Contents) *Model {
	m := begin(c)
	m.setPredictions()
	n := c.Points
	for i := range n {
		m.points = append(m.points, i)
	}
	l := c.coordinates()
	m.tapered, m.spacings, m.trainingSpacings, m.scaled = l.in(c.Tapers), l.in(c.Spacings), l.in(c.TrainingSpacings), l.in(c.Lengths)
	if c.Residuals.rows > 0 {
		m.setExamples()
	}
	if c.Memory.Catalogue != nil && !m.structured() && m.values() <= c.Inducing {
		m.setStarts() // a row is no more work than Ψ2·T_0
	}
	return m
}

// Contents returns those of the model.
func (m *Model) Contents() *Contents { return m.c }

// begin returns a model that knows covariances.
func begin(c *Contents) *Model {
	m := &Model{c: c, features: 1, exact: true, stats: c.Memory.Statistics}
	m.z, m.coord = mat.NewDense(c.Inducing, c.Latents, c.Z), mat.NewDense(c.Inducing, c.Inducing, c.Coord)
	m.mu, m.s = mat.NewDense(c.Examples, c.Latents, c.Mu), mat.NewDense(c.Examples, c.Latents, c.S)
	if m.stats == nil {
		m.stats = new(psi.Statistics)
		m.stats.Set(c.kernel(), psi.Inducing{Z: m.z, At: c.Time.inducing()})
	}
	m.setFactors()
	m.setStructure()
	return m
}

// kernel returns the latent kernel.
func (c *Contents) kernel() (k psi.Kernel) {
	if len(c.RBF) > 0 {
		k.Parts = append(k.Parts, &psi.RBF{Variance: c.RBF[0], LengthScale: c.RBF[1:]})
	}
	if len(c.Linear) > 0 {
		k.Parts = append(k.Parts, &psi.Linear{Variance: c.Linear})
	}
	if len(c.Bias) > 0 {
		k.Parts = append(k.Parts, &psi.Bias{Variance: c.Bias[0]})
	}
	if c.Time.Variance > 0 {
		part, _ := kernel.Parse(c.Time.Part) // it was validated
		k.Parts = append(k.Parts, &psi.Time{Variance: c.Time.Variance, Kernel: part})
	}
	return k
}

// inducing returns the instants of the inducing points of a part in time.
func (t *Time) inducing() (at []kernel.Instant) {
	for i, v := range t.Inducing {
		at = append(at, kernel.Instant{Sequence: int(t.Labels[i]), Time: v})
	}
	return at
}

func (m *Model) setFactors() {
	if m.shaped() {
		m.features = 0
		m.setShares()
	}
	for i := range m.c.Factors {
		f := &m.c.Factors[i]
		m.features *= f.B.cols
		m.dims, m.sizes = append(m.dims, f.B.rows), append(m.sizes, f.B.cols)
		m.exact = m.exact && f.K.rows == 0
		if len(m.c.Factors) > 1 {
			b := f.B.matrix()
			squares := mat.New(b.Rows, b.Cols)
			mat.MulElem(squares, b, b)
			m.b, m.squares = append(m.b, b), append(m.squares, squares)
		}
	}
	if !m.exact {
		m.setKnown()
	}
	m.setTaken()
}

// setKnown sets kernels and known.
func (m *Model) setKnown() {
	for i := range m.c.Factors {
		f := &m.c.Factors[i]
		b, q := f.B.matrix(), mat.New(f.B.rows, f.B.rows)
		mat.Syrk(q, 1, b, 0)
		mat.MirrorLower(q)
		k := q
		if f.K.rows > 0 {
			k = f.K.symmetric()
		}
		m.kernels, m.known = append(m.kernels, k), append(m.known, q)
	}
	if len(m.known) == 1 {
		mat.Add(m.kernels[0], m.kernels[0], -1, m.known[0])
		m.known = nil
	}
}

// setTaken sets taken, 1 − β⁻¹/d_ij of complete data.
func (m *Model) setTaken() {
	c := m.c
	if c.Memory.Taken != nil || m.shaped() {
		m.taken = c.Memory.Taken
		return
	}
	if m.taken == nil {
		m.taken = []mat.Matrix{mat.New(len(c.Latent), len(c.Lambda))}
	}
	t := m.taken[0]
	for i, latent := range c.Latent {
		row := t.Row(i)
		for j, lambda := range c.Lambda {
			v := c.Precision * latent * lambda
			row[j] = v / (1 + v)
		}
	}
}

// version returns which of taken is that of a channel.
func (m *Model) version(c int) int {
	if m.c.Memory.Version == nil {
		return 0
	}
	return m.c.Memory.Version[c]
}

// setShares sets shares to T_0·diag_i(s_ir − s_r)·T_0ᵀ, with what Σ (r = 0) and each shape have of τ_i and of ψ0 − Σ τ_i, s_r.
func (m *Model) setShares() {
	c, k := m.c, m.c.Inducing
	of := mat.NewDense(k+1, 1+len(c.Shapes), c.Shares)
	scaled, factors := mat.New(k, k), make([]float64, k)
	for r := range of.Cols {
		for i := range factors {
			factors[i] = of.At(i, r) - of.At(k, r)
		}
		share := mat.New(k, k)
		mat.ScaleCols(scaled, m.coord, factors)
		mat.MulSym(share, 1, scaled, m.coord.T(), 0)
		mat.MirrorLower(share)
		m.shares = append(m.shares, share)
	}
}

// ofAll returns s_r.
func (m *Model) ofAll() []float64 { return m.c.Shares[m.c.Inducing*len(m.shares):] }

// setStructure takes over the covariance of the noise, or makes it of features that have it.
func (m *Model) setStructure() {
	m.structure = m.c.Structure
	if !m.c.Whitened || m.structure.rows > 0 {
		return
	}
	b, n := &m.c.Factors[0].B, m.c.Points
	t := blank(n, n, true, b.kind.made()) // features of 32 bits keep small eigenvalues, which Σ in 32 bits would not
	roots := make([]float64, len(m.c.Lambda))
	for j, lambda := range m.c.Lambda {
		roots[j] = 1 / math.Sqrt(1+lambda)
	}
	block := func(room []float64, from int) mat.Matrix {
		rows := view(room, min(noiseRows, n-from), b.cols)
		for k := range rows.Rows {
			b.row(rows.Row(k), from+k, 0)
			asm.MulTo(rows.Row(k), rows.Row(k), roots)
		}
		return rows
	}
	room, others, all := make([]float64, noiseRows*b.cols), make([]float64, noiseRows*b.cols), make([]float64, noiseRows*n)
	for from := 0; from < n; from += noiseRows {
		rows := block(room, from)
		sigma := view(all, rows.Rows, from+rows.Rows)
		for other := 0; other < from; other += noiseRows {
			mat.Mul(sigma.Slice(0, rows.Rows, other, other+noiseRows), 1, rows, block(others, other).T(), 0)
		}
		mat.Syrk(sigma.Slice(0, rows.Rows, from, from+rows.Rows), 1, rows, 0)
		for k := range rows.Rows {
			row := sigma.Row(k)[:from+k+1]
			row[from+k] -= 1 / m.c.Beta
			t.setRow(from+k, row)
		}
	}
	m.structure = t
}

// setPredictions converts P_c.
func (m *Model) setPredictions() {
	stored := &m.c.P
	if stored.whole != nil {
		m.splitPredictions(stored.matrix())
		return
	}
	all := mat.New(stored.rows, stored.cols)
	room := mat.New(min(noiseRows, all.Rows), all.Cols)
	for from := 0; from < all.Rows; from += noiseRows {
		to := min(from+noiseRows, all.Rows)
		rows := all.Slice(from, to, 0, all.Cols)
		if !m.c.Rotated {
			stored.rowsTo(rows, from)
			continue
		}
		rotated := room.Slice(0, rows.Rows, 0, all.Cols)
		stored.rowsTo(rotated, from)
		mat.Mul(rows, 1, rotated, m.coord.T(), 0)
	}
	m.splitPredictions(all)
}

func (m *Model) splitPredictions(all mat.Matrix) {
	for c := range m.c.Channels {
		m.p = append(m.p, all.Slice(c*m.c.Points, (c+1)*m.c.Points, 0, all.Cols))
	}
}

// setExamples makes the training examples from their residuals and predictions, and what these predictions have of F.
func (m *Model) setExamples() {
	n, k, inducing := m.c.Channels, m.c.Examples, m.c.Inducing
	values, r := m.values(), &m.c.Residuals
	kind := r.kind.made()
	if m.c.Options.Fast && r.kind == Float16 {
		kind = Float16
	}
	m.y = blank(k, values, false, kind)
	if r.whole != nil {
		m.y = View(mat.New(k, values))
	}
	first, mean, told := mat.New(inducing, 1), mat.New(inducing, 1), mat.New(inducing, inducing)
	together := min(examplesTogether, k)
	psi1, y := mat.New(together, inducing), mat.New(together, values)
	for from := 0; from < k; from += together {
		to := min(from+together, k)
		psi1, y := psi1.Slice(0, to-from, 0, inducing), y.Slice(0, to-from, 0, values)
		q := psi.Q{Mu: m.mu.Slice(from, to, 0, m.mu.Cols), S: m.s.Slice(from, to, 0, m.s.Cols)}
		if at := m.c.Memory.At; at != nil {
			q.At = at[from:to]
		}
		m.stats.Psi1(psi1, q)
		r.rowsTo(y, from)
		for c, p := range m.p {
			mat.Mul(mat.Matrix{Rows: y.Rows, Cols: p.Rows, RowStride: values, ColStride: n, Data: y.Data[c:]}, 1, psi1, p.T(), 1)
		}
		if from == 0 {
			copy(first.Data, psi1.Row(0))
		}
		for i := range y.Rows {
			m.y.setRow(from+i, y.Row(i))
			asm.Axpy(-1, first.Data, psi1.Row(i))
			asm.Axpy(1/float64(k), psi1.Row(i), mean.Data)
		}
		mat.Syrk(told, 1/float64(k*n), psi1.T(), 1)
	}
	mat.Syrk(told, -1/float64(n), mean, 1) // both are less the first one
	mat.MirrorLower(told)
	m.setSpread(told)
	m.setFitted(told)
}

// setSpread sets spread to diag Σ_c P_c·C·P_cᵀ.
func (m *Model) setSpread(told mat.Matrix) {
	m.spread = make([]float64, m.c.Points)
	rows := mat.New(min(noiseRows, m.c.Points), told.Cols)
	for _, p := range m.p {
		for from := 0; from < p.Rows; from += noiseRows {
			block := p.Slice(from, min(from+noiseRows, p.Rows), 0, p.Cols)
			product := rows.Slice(0, block.Rows, 0, p.Cols)
			mat.Mul(product, 1, block, told, 0)
			for i := range block.Rows {
				m.spread[from+i] += asm.Dot(product.Row(i), block.Row(i))
			}
		}
	}
}

// minFitted is up to which part of the white noise is left out of F where points near a part tell alone of it. Elsewhere rounding is.
const minFitted = 0.1

// setFitted sets fitted to rows q_j of which Σ_j q_j·q_jᵀ is F = Σ_c P_c·C·P_cᵀ, given C and the diagonal of F: its Cholesky factorisation, each time at the
// point of the largest pivot, until little is left. Of that unfitted has the diagonal.
func (m *Model) setFitted(told mat.Matrix) {
	n, k := m.c.Points, m.c.Inducing
	m.unfitted = slices.Clone(m.spread)
	left, direction := m.unfitted, mat.New(k, 1)
	limit := 1e-13 * work.Sum(left)
	if m.c.Options.PartNeighbours > 0 {
		limit = minFitted / m.c.Beta * float64(n)
	}
	for len(m.fitted) < min(k, m.c.Examples)*len(m.p) && work.Sum(left) > limit {
		pivot := 0
		for i, v := range left {
			if v > left[pivot] {
				pivot = i
			}
		}
		row := make([]float64, n)
		for _, p := range m.p {
			mat.Mul(direction, 1, told, mat.Vector(p.Row(pivot)), 0)
			mat.Mul(mat.Vector(row), 1, p, direction, 1)
		}
		for _, earlier := range m.fitted {
			asm.Axpy(-earlier[pivot], earlier, row)
		}
		asm.Scale(row, 1/math.Sqrt(left[pivot]), row)
		for i, v := range row {
			left[i] = max(0, left[i]-float64(v*v))
		}
		left[pivot] = 0
		m.fitted = append(m.fitted, row)
	}
}

func (m *Model) values() int { return m.c.Points * m.c.Channels }

// structured reports whether the noise is.
func (m *Model) structured() bool { return m.structure.rows > 0 }

// shaped reports whether covariances are sums of a few matrices.
func (m *Model) shaped() bool { return len(m.c.Shapes) > 0 }

// kept reports whether training residuals are.
func (m *Model) kept() bool { return m.c.Residuals.rows > 0 }

// maxExamples returns how many training examples count for one covariance at most.
func (m *Model) maxExamples() int {
	if heaviest := m.c.Options.MaxExamples; heaviest > 0 {
		return min(heaviest, m.c.Examples)
	}
	return m.c.Examples
}

// Features returns how many numbers tell the field of all channels: 0 of a model without a part in time.
func (m *Model) Features() int {
	if m.c.Time.Variance == 0 || m.shaped() {
		return 0
	}
	return m.features * m.c.Channels
}

// Part returns the system of the part in time; ok is false where its kernel has none.
func (m *Model) Part() (s kernel.System, ok bool) {
	k, _ := kernel.Parse(m.c.Time.Part)
	return k.System()
}

// part returns how much of feature j is K's.
func (m *Model) part(j int) float64 {
	if m.c.Whitened {
		return m.c.Lambda[j] / (1 + m.c.Lambda[j])
	}
	return 1
}
