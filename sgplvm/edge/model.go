package edge

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// How many missing points of a block are taken together, and how many training examples while a file is opened.
const together, examplesTogether = 256, 16

// noiseRows is how many points' noise is evaluated at once. Tests lower it.
var noiseRows = 32

// featureNumbers bounds a block of features.
const featureNumbers = 1 << 19

// A Model predicts from a compiled file. It does not change, and any number of goroutines may use it, each with a
// Workspace of its own.
type Model struct {
	c     *Contents
	stats psi.Statistics

	z, coord, mu, s mat.Matrix   // of Contents
	p               []mat.Matrix // P_c of each channel, n×m_ξ
	features        int          // Π m_f
	dims, sizes     []int        // n_f and m_f
	b, squares      []mat.Matrix // B_f and B_f∘B_f, where there are several factors
	exact           bool         // Q_f is K_f for all factors
	structure       Table        // Σ − β⁻¹·I

	points []int // all of them

	tapered, spacings, trainingSpacings, scaled points

	// Where training residuals are kept: training examples in rows as they are in Residuals.
	y      Table
	told   mat.Matrix // the covariance of their ψ1 over d_y, m_ξ×m_ξ
	spread []float64  // diag F, n
}

// Open returns the model in a compiled file, of which it keeps views: the file must not change. With a file of package embed's
// nothing is copied. Errors: *VersionError, *FormatError.
func Open(file []byte) (*Model, error) {
	c, err := decode(file)
	if err != nil {
		return nil, err
	}
	return newModel(c), nil
}

// newModel returns that of contents that go together.
func newModel(c *Contents) *Model {
	m := &Model{c: c, features: 1, exact: true}
	m.z, m.coord = mat.NewDense(c.Inducing, c.Latents, c.Z), mat.NewDense(c.Inducing, c.Inducing, c.Coord)
	m.mu, m.s = mat.NewDense(c.Examples, c.Latents, c.Mu), mat.NewDense(c.Examples, c.Latents, c.S)
	m.stats.Set(c.kernel(), psi.Inducing{Z: m.z})
	m.setFactors()
	m.setStructure()
	m.setPredictions()
	n := c.Points
	for i := range n {
		m.points = append(m.points, i)
	}
	l := c.lattice()
	m.tapered, m.spacings, m.trainingSpacings, m.scaled = l.in(c.Tapers), l.in(c.Spacings), l.in(c.TrainingSpacings), l.in(c.Lengths)
	if c.Residuals.rows > 0 {
		m.setExamples()
	}
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
	return k
}

func (m *Model) setFactors() {
	if m.shaped() {
		m.features = 0
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
}

// setStructure takes over the covariance of the noise, or makes it of features that have it.
func (m *Model) setStructure() {
	m.structure = m.c.Structure
	if !m.c.Whitened {
		return
	}
	b, n := &m.c.Factors[0].B, m.c.Points
	t := blank(n, n, true, b.kind) // features of 32 bits keep small eigenvalues, which Σ in 32 bits would not
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
	for c := range m.c.Channels {
		m.p = append(m.p, all.Slice(c*m.c.Points, (c+1)*m.c.Points, 0, all.Cols))
	}
}

// setExamples makes the training examples from their residuals and predictions.
func (m *Model) setExamples() {
	n, k, inducing := m.c.Channels, m.c.Examples, m.c.Inducing
	values, r := m.values(), &m.c.Residuals
	m.y = blank(k, values, false, r.kind)
	mean := mat.New(1, inducing)
	room := mat.New(min(examplesTogether, k), values)
	m.eachPsi1(func(from int, psi1 mat.Matrix) {
		y := room.Slice(0, psi1.Rows, 0, values)
		for i := range y.Rows {
			r.row(y.Row(i), from+i, 0)
		}
		for c, p := range m.p {
			mat.Mul(mat.Matrix{Rows: psi1.Rows, Cols: p.Rows, RowStride: values, ColStride: n, Data: y.Data[c:]}, 1, psi1, p.T(), 1)
		}
		for i := range y.Rows {
			m.y.setRow(from+i, y.Row(i))
			asm.Axpy(1/float64(k), psi1.Row(i), mean.Data)
		}
	})
	m.told = mat.New(inducing, inducing)
	m.eachPsi1(func(_ int, psi1 mat.Matrix) {
		for i := range psi1.Rows {
			asm.Axpy(-1, mean.Data, psi1.Row(i))
		}
		mat.Syrk(m.told, 1/float64(k*n), psi1.T(), 1)
	})
	mat.MirrorLower(m.told)
	m.spread = make([]float64, m.c.Points)
	rows := mat.New(min(noiseRows, m.c.Points), inducing)
	for _, p := range m.p {
		for from := 0; from < p.Rows; from += noiseRows {
			block := p.Slice(from, min(from+noiseRows, p.Rows), 0, inducing)
			product := rows.Slice(0, block.Rows, 0, inducing)
			mat.Mul(product, 1, block, m.told, 0)
			for i := range block.Rows {
				m.spread[from+i] += asm.Dot(product.Row(i), block.Row(i))
			}
		}
	}
}

// eachPsi1 calls body with ψ1 of some training examples at a time, a row for each, and the first one's number.
func (m *Model) eachPsi1(body func(from int, psi1 mat.Matrix)) {
	room := make([]float64, min(examplesTogether, m.mu.Rows)*m.c.Inducing)
	for from := 0; from < m.mu.Rows; from += examplesTogether {
		to := min(from+examplesTogether, m.mu.Rows)
		psi1 := view(room, to-from, m.c.Inducing)
		m.stats.Psi1(psi1, psi.Q{Mu: m.mu.Slice(from, to, 0, m.mu.Cols), S: m.s.Slice(from, to, 0, m.s.Cols)})
		body(from, psi1)
	}
}

// Label returns what the compiler was told that the points are, as 20x28.
func (m *Model) Label() string { return m.c.Label }

// Points returns how many points there are, Channels how many channels: an example is Points·Channels values, the channels of
// a point side by side.
func (m *Model) Points() int   { return m.c.Points }
func (m *Model) Channels() int { return m.c.Channels }

// Latents returns d_ξ.
func (m *Model) Latents() int { return m.c.Latents }

// Spacing returns the median spacing of the training examples in time, of a model whose examples have times.
func (m *Model) Spacing() float64 { return m.c.Time.Spacing }

func (m *Model) values() int { return m.c.Points * m.c.Channels }

// structured reports whether the noise is.
func (m *Model) structured() bool { return m.structure.rows > 0 }

// shaped reports whether covariances are sums of a few matrices.
func (m *Model) shaped() bool { return len(m.c.Shapes) > 0 }

// kept reports whether training residuals are.
func (m *Model) kept() bool { return m.c.Residuals.rows > 0 }

// first reports whether a list is a part of that of all points, from the first one on.
func (m *Model) first(list []int) bool { return len(list) > 0 && &list[0] == &m.points[0] }

// mostExamples returns how many training examples count for one covariance at most.
func (m *Model) mostExamples() int {
	if heaviest := m.c.Options.MostExamples; heaviest > 0 {
		return min(heaviest, m.c.Examples)
	}
	return m.c.Examples
}

// splitPoint sets index to those of a point in each factor, of which the last one runs fastest.
func splitPoint(index []int, point int, sizes []int) {
	for f := len(sizes) - 1; f >= 0; f-- {
		index[f] = point % sizes[f]
		point /= sizes[f]
	}
}
