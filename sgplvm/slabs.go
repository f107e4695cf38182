package sgplvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A Slab is a part of many predictions: the marginal distribution of the data, in the
// user's units, for every latent posterior at those points of a grid whose index in the
// first spatial factor is From, …, To−1. In the order of the grid they are
// the points First, First+1, ….
type Slab struct {
	From, To int
	First    int

	// Mean and Variance (noise included) hold a matrix for every latent posterior, a row
	// for each point of the slab and a column for each channel. The matrices are views:
	// the points of a channel are contiguous, the channels of a point are not.
	Mean, Variance []mat.Matrix
}

// SlabOptions say how PredictSlabs works. The zero value works.
type SlabOptions struct {
	// Numbers bounds what a slab takes, results and temporary storage, in numbers of 8
	// bytes. A slab has one row at least. Default 2²⁵.
	Numbers int

	// MeanOnly leaves the variances out.
	MeanOnly bool
}

// PredictSlabs predicts what Predict does, to rounding, for many latent posteriors at once
// and some of a grid's points at a time (nil: the training grid): it calls body with one slab
// after the other, in order. A slab and what it holds belong to body until it returns; an error
// of body ends the work and is returned.
//
// Nothing of the size of all predictions is formed, nor a projection of the whole grid. What a
// slab takes comes beside the model and about a megabyte for each processor; with fewer latent
// posteriors than inducing points, as many times Π m_f numbers are added for the variances, and
// d_y times as many for the means of certain latent variables or of MeanOnly.
//
// For n latent posteriors and two spatial factors of m_1 and m_2 inducing points, predicted at
// n_1 and n_2 points, the products take
//
//	2·m_ξ·d_y·n_1·m_2·(m_1 + n_2) + 2·n·m_ξ·d_y·n_1·n_2·(1 + r)
//
// operations, where r ≤ m_ξ is the mean rank of Ψ2 − ψ1ψ1ᵀ: 0 where latent variables are certain,
// and less than half of m_ξ where they are nearly so. Errors: *ConfigError, ctx.Err() and those
// of body.
func (m *Model) PredictSlabs(ctx context.Context, latents []Latent, g Grid, o SlabOptions, body func(s Slab) error) error {
	if g == nil {
		g = m.space
	}
	if m.calibration == nil || o.MeanOnly {
		return m.predictSlabs(ctx, latents, g, o, body)
	}
	if err := m.checkGrid(g); err != nil {
		return err
	}
	factor, unrest, examples := m.calibration.at(g), make([]float64, len(latents)), m.params.Dynamics.Instants()
	for i, l := range latents {
		if l.At != nil {
			unrest[i] = m.calibration.unrest.at(*l.At, examples, -1)
		}
	}
	return m.predictSlabs(ctx, latents, g, o, func(s Slab) error {
		mat.Parallel(len(latents), func(i int) {
			if latents[i].At != nil {
				m.calibration.apply(s.Variance[i], factor, s.First, unrest[i])
			}
		})
		return body(s)
	})
}

// predictSlabs is PredictSlabs on a grid without calibration.
func (m *Model) predictSlabs(ctx context.Context, latents []Latent, g Grid, o SlabOptions, body func(s Slab) error) error {
	if err := m.checkGrid(g); err != nil {
		return err
	}
	for i, l := range latents {
		if err := m.checkLatent(l); err != nil {
			return &ConfigError{Field: "Latent", Err: fmt.Errorf("posterior %d: %w", i, err)}
		}
	}
	q, err := m.ready()
	if err != nil || len(latents) == 0 {
		return err
	}
	f, err := newFilm(q, m.scaler, latents, g, o.MeanOnly)
	if err != nil {
		return err
	}
	n := g[0].Rows
	rows := min(n, max(1, cmp.Or(o.Numbers, 1<<25)/f.numbersPerRow()))
	for from := 0; from < n; from += rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := body(f.slab(from, min(from+rows, n))); err != nil {
			return err
		}
	}
	return nil
}

// A film is many predictions on one grid under way.
type film struct {
	q      *posterior
	scaler Scaler
	grid   Grid
	frames int
	width  int // points of the grid for each of its first factor's

	noise    []float64 // of each frame over that of the training data
	prior    []float64 // of each frame: ψ0·K_ss
	residual []float64 // structured noise at every point; nil where there is none

	spreads []stack
	mean    expansion // of f, in all channels
	taken   expansion // what the inducing points take off the prior variance

	// Of a slab: frames×points for each channel, and once.
	means, variances, certain []float64
	ones                      []float64
}

// A stack holds factors L of some frames' spreads Ψ2 − ψ1ψ1ᵀ = L·Lᵀ, side by side.
type stack struct {
	from, to int        // frames
	ranks    []int      // columns of each
	rows     mat.Matrix // Lᵀ, one under the other, Σ ranks×m_ξ
}

// stackRows is about how many rows a stack has, and spreadColumns how many values are
// computed together: a stack's product with them stays in a cache. Tests lower both.
var stackRows, spreadColumns = 128, 512

func newFilm(q *posterior, scaler Scaler, latents []Latent, g Grid, meanOnly bool) (*film, error) {
	n, m, d := len(latents), q.factors[0].size(), q.params.Mu.Cols
	f := &film{q: q, scaler: scaler, grid: g, frames: n, width: g.Len() / g[0].Rows, noise: make([]float64, n), prior: make([]float64, n), ones: ones(m)}
	psi1, tau := mat.New(n, m), mat.New(n, m)
	roots, failures := make([]mat.Matrix, n), make([]error, n)
	mat.Parallel(n, func(i int) {
		l := latents[i]
		f.noise[i] = l.noise()
		if meanOnly {
			row := psi1.Slice(i, i+1, 0, m)
			q.psi.psi1(row, mat.NewDense(1, d, l.Mu), mat.NewDense(1, d, l.S))
			q.params.addKappa(row, l.At)
			return
		}
		t, diagonal := q.latentMoments(l)
		copy(psi1.Row(i), t.psi1.Data)
		copy(tau.Row(i), diagonal.Data)
		f.prior[i] = t.psi0 * q.spatialVariance()
		roots[i], failures[i] = t.spreadRoot()
	})
	uncertain := false
	for i, r := range roots {
		if failures[i] != nil {
			return nil, failures[i]
		}
		uncertain = uncertain || r.Rows > 0
	}
	cross := make([]mat.Matrix, len(g))
	squared := make([]mat.Matrix, len(g))
	for k, x := range g[1:] {
		c, phi := q.cross(k+1, x)
		mat.MulElem(phi, phi, phi)
		cross[k+1], squared[k+1] = c, phi
	}
	f.mean = expansion{coefficients: q.alpha, modes: cross, mix: psi1}
	if !uncertain {
		f.mean.mixFirst()
	}
	if meanOnly {
		return f, nil
	}
	f.stackSpreads(roots)
	dims := append(append([]int{m}, spatialDims(q)...), 1)
	f.taken = expansion{coefficients: kronprod.Shaped(q.latentTimesSpace.Data, dims...), modes: squared, mix: tau}
	f.taken.mixFirst()
	if q.params.structured() {
		f.residual = make([]float64, g.Len())
		for i := range f.residual {
			f.residual[i] = q.params.Residual.Variance
		}
		for i, k := range q.params.learnedAt(g[0], q.inducing[0]) {
			f.residual[i] = q.params.Covariance.At(k, k) - 1/q.params.Beta
		}
	}
	return f, nil
}

// spreadRoot returns Lᵀ (r×m_ξ) with L·Lᵀ = Ψ2 − ψ1ψ1ᵀ. Eigenvalues of no more than
// m_ξ·ε·tr Ψ2 are left out: they are the rounding of Ψ2 itself.
func (t moments) spreadRoot() (mat.Matrix, error) {
	m := t.spread.Rows
	s, err := eig.Sym(t.spread)
	if err != nil {
		return mat.Matrix{}, err
	}
	least := float64(m) * 0x1p-52 * (mat.Trace(t.spread) + asm.SumSquares(t.psi1.Data))
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

// stackSpreads gathers the frames' roots.
func (f *film) stackSpreads(roots []mat.Matrix) {
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
			f.spreads = append(f.spreads, s)
		}
		from = s.to
	}
}

// An expansion evaluates, at some points of a grid,
//
//	Σ_k mix[i,k]·Σ_j (A_1 ⊗ A_2 ⊗ …)[point, j]·coefficients[k, j, channel]
//
// for all rows i. The factor A_1 has the rows of a slab and changes from one to the next.
type expansion struct {
	coefficients kronprod.Tensor // count×m_1×m_2×…×channels
	modes        []mat.Matrix    // A_1, A_2, …
	mix          mat.Matrix      // rows×count; 0×0 where the coefficients are mixed already

	partial kronprod.Tensor // all modes multiplied but the last
	buffer  []float64
	work    kronprod.Workspace
	field   []float64 // one channel before it is mixed
}

// mixFirst mixes the coefficients where that makes them fewer.
func (e *expansion) mixFirst() {
	count := e.coefficients.Dims[0]
	if e.mix.Rows >= count {
		return
	}
	dims := slices.Clone(e.coefficients.Dims)
	dims[0] = e.mix.Rows
	mixed := kronprod.NewTensor(dims...)
	size := len(e.coefficients.Data) / count
	mat.Mul(mat.NewDense(dims[0], size, mixed.Data), 1, e.mix, mat.NewDense(count, size, e.coefficients.Data), 0)
	e.coefficients, e.mix = mixed, mat.Matrix{}
}

// numbersPerRow returns what the evaluation takes for each of A_1's rows beside its result:
// the tensors of which some modes are multiplied, and a channel that is not mixed yet.
func (e *expansion) numbersPerRow() int {
	dims, last := e.coefficients.Dims, len(e.modes)-1
	partial, whole := dims[0]*dims[len(dims)-1], dims[0]
	for k := 1; k <= last; k++ {
		n := e.modes[k].Rows
		whole *= n
		if k < last {
			n = max(n, dims[k+1])
		} else {
			n = dims[k+1]
		}
		partial *= n
	}
	if e.mix.Rows == 0 {
		whole = 0
	}
	return whole + partial*min(last, 1) + 2*partial*min(max(last-1, 0), 1)
}

// start multiplies all modes but the last, where A_1 is first.
func (e *expansion) start(first mat.Matrix) {
	e.modes[0] = first
	last := len(e.modes) - 1
	if last == 0 {
		e.partial = e.coefficients
		return
	}
	o := kronprod.Operator{Factors: make([]mat.Matrix, 1, 1+last)}
	o.Factors = append(o.Factors, e.modes[:last]...)
	n := e.coefficients.Dims[len(e.modes)] * e.coefficients.Dims[len(e.modes)+1] * e.coefficients.Dims[0]
	for _, a := range e.modes[:last] {
		n *= a.Rows
	}
	e.buffer = grown(e.buffer, n)
	e.partial = o.MulTensor(e.buffer, e.coefficients, &e.work)
}

// channel sets dst (rows×points) to the values of channel c and returns what they are
// mixtures of, count×points: dst itself where the coefficients were mixed.
func (e *expansion) channel(dst mat.Matrix, c int) mat.Matrix {
	a, dims := e.modes[len(e.modes)-1], e.partial.Dims
	m, channels := dims[len(dims)-2], dims[len(dims)-1]
	rows := len(e.partial.Data) / (m * channels)
	field := dst
	if e.mix.Rows > 0 {
		count := dims[0]
		e.field = grown(e.field, count*dst.Cols)
		field = mat.NewDense(count, dst.Cols, e.field)
	}
	mat.Mul(mat.NewDense(rows, a.Rows, field.Data[:rows*a.Rows]), 1, mat.Matrix{Rows: rows, Cols: m, RowStride: m * channels, ColStride: channels, Data: e.partial.Data[c:]}, a.T(), 0)
	if e.mix.Rows > 0 {
		mat.Mul(dst, 1, e.mix, field, 0)
	}
	return field
}

// numbersPerRow returns what a slab takes for each index of the first factor.
func (f *film) numbersPerRow() int {
	results, others := len(f.scaler.Scale), f.mean.numbersPerRow()
	if f.taken.modes != nil {
		results = 2*results + 1
		others += f.taken.numbersPerRow()
	}
	return results*f.frames*f.width + others + 3*f.q.factors[1].size()
}

// slab predicts at the points whose index in the first factor is from ≤ i < to.
func (f *film) slab(from, to int) Slab {
	channels, points := len(f.scaler.Scale), (to-from)*f.width
	s := Slab{From: from, To: to, First: from * f.width}
	cross, phi := f.q.cross(0, f.grid[0].Slice(from, to, 0, f.grid[0].Cols))
	f.means = grown(f.means, channels*f.frames*points)
	f.mean.start(cross)
	variances := f.taken.modes != nil
	if variances {
		mat.MulElem(phi, phi, phi)
		f.taken.start(phi)
		f.certain = grown(f.certain, f.frames*points)
		f.variances = grown(f.variances, channels*f.frames*points)
		f.withoutSpread(s.First, points)
	}
	for c := range channels {
		mean := part(f.means, c, f.frames, points)
		field := f.mean.channel(mean, c)
		if variances {
			f.addSpread(part(f.variances, c, f.frames, points), field, c)
		}
		shift, scale := f.scaler.Mean[c], f.scaler.Scale[c]
		mat.Parallel(f.frames, func(i int) {
			row := mean.Row(i)
			for j, v := range row {
				row[j] = shift + float64(scale*v)
			}
		})
	}
	view := func(all []float64, frame int) mat.Matrix {
		return mat.Matrix{Rows: points, Cols: channels, RowStride: 1, ColStride: f.frames * points, Data: all[frame*points:]}
	}
	for i := range f.frames {
		s.Mean = append(s.Mean, view(f.means, i))
		if variances {
			s.Variance = append(s.Variance, view(f.variances, i))
		}
	}
	return s
}

// part returns the matrix of the given number in a row of r×c matrices.
func part(all []float64, number, r, c int) mat.Matrix {
	return mat.NewDense(r, c, all[number*r*c:(number+1)*r*c])
}

// withoutSpread sets certain (frames×points) to the variances without the term of the latent
// uncertainty and without white noise, in the model's units and as yet below 0 perhaps.
func (f *film) withoutSpread(first, points int) {
	variance := mat.NewDense(f.frames, points, f.certain)
	f.taken.channel(variance, 0)
	mat.Parallel(f.frames, func(i int) {
		row, prior := variance.Row(i), f.prior[i]
		for j, v := range row {
			if f.residual != nil {
				row[j] = prior + float64(f.noise[i]*f.residual[first+j]) - v
			} else {
				row[j] = prior - v
			}
		}
	})
}

// addSpread sets variance (frames×points) to the variances of a channel in the user's units;
// field is P_cᵀ, m_ξ×points, where any frame is uncertain.
func (f *film) addSpread(variance, field mat.Matrix, c int) {
	points := variance.Cols
	scale := f.scaler.Scale[c] * f.scaler.Scale[c]
	blocks := (points + spreadColumns - 1) / spreadColumns
	mat.Parallel(blocks, func(b int) {
		from, to := blockRange(b, blocks, points)
		for i := range f.frames {
			clear(variance.Row(i)[from:to])
		}
		for _, s := range f.spreads {
			buffer := mat.Borrow(s.rows.Rows * (to - from))
			product := mat.NewDense(s.rows.Rows, to-from, *buffer)
			mat.Mul(product, 1, s.rows, field.Slice(0, field.Rows, from, to), 0)
			mat.MulElem(product, product, product)
			at := 0
			for k, rank := range s.ranks {
				asm.AxpyRows(f.ones[:rank], product.Data[at*product.Cols:], product.Cols, variance.Row(s.from + k)[from:to])
				at += rank
			}
			mat.GiveBack(buffer)
		}
		for i := range f.frames {
			row, certain, noise := variance.Row(i)[from:to], f.certain[i*points+from:i*points+to], f.noise[i]/f.q.params.Beta
			for j, v := range row {
				row[j] = scale * (max(0, certain[j]+v) + noise)
			}
		}
	})
}
