package points

import (
	"context"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/learn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A Learner has a model of its own with white noise, and the sums over its examples, to which it adds further ones (docs/math.md, section 26). It is for one goroutine. Programs without one do not link it.
type Learner struct {
	m       *Model
	numbers []float64 // β, and those of sums
	sums    learn.Sums
	latent  *learn.Latent
	white   learn.White

	of      psi.Moments
	scratch psi.Scratch
	y       []float64  // the example, filled in
	b       mat.Matrix // its coefficients, Π m_f×d_y
	totals  [learn.Totals]float64

	rows mat.Matrix // features of some points
	h, x mat.Matrix // m_ξ×Π m_f·d_y
}

// NewLearner returns that of contents with sums, and its model.
func NewLearner(c *Contents) (*Learner, *Model) {
	own := *c
	own.Coord, own.Latent = append([]float64(nil), c.Coord...), append([]float64(nil), c.Latent...)
	own.P, own.Rotated = View(mat.New(c.P.rows, c.P.cols)), false
	l := &Learner{m: New(&own), y: make([]float64, c.Points*c.Channels), b: mat.New(len(c.Lambda), c.Channels)}
	size := len(l.b.Data)
	l.numbers = make([]float64, 1+learn.Len(c.Inducing, size))
	l.numbers[0], l.sums = c.Beta, learn.View(l.numbers[1:], c.Inducing, size)
	l.latent = learn.NewLatent(l.m.stats, c.Inducing, c.Learning.Jitter)
	l.white.Squares = make([]float64, c.Inducing*len(c.Lambda))
	l.h, l.x, l.rows = mat.New(c.Inducing, size), mat.New(c.Inducing, size), mat.New(min(noiseRows, c.Points), len(c.Lambda))
	l.of.Psi1, l.of.Spread = mat.New(c.Inducing, 1), mat.New(c.Inducing, c.Inducing)

	l.latent.Spectrum.Vectors = l.m.coord
	inverse := l.latent.Inverse(l.latent.Spectrum)
	l.latent.Spectrum.Vectors = mat.Matrix{}
	l.sums.Recover(own.Latent, inverse)
	mat.Mul(l.sums.G, 1, inverse.T(), c.Learning.Sums.matrix(), 0)
	copy(l.sums.Totals, c.Learning.Totals)
	return l, l.m
}

// Numbers returns the precision of the noise and all sums, which a caller may change: SetModel and Learn then start from there.
func (l *Learner) Numbers() []float64 { return l.numbers }

// Bytes returns what the learner takes beside its model.
func (l *Learner) Bytes() int {
	k := l.m.c.Inducing
	return 8 * (len(l.numbers) + 2*len(l.h.Data) + len(l.white.Squares) + len(l.rows.Data) + len(l.b.Data) + len(l.y) + 10*k*k) // six of them for eigenvectors
}

// Multiplications returns about how many Learn takes: an eigenproblem and products.
func (l *Learner) Multiplications() float64 {
	k, size := float64(l.m.c.Inducing), float64(len(l.b.Data))
	return 9*k*k*k + size*k*(2*k+float64(l.m.c.Points))
}

// Learn finds the precision of the noise for the sums, from which the model is then made anew. After an error the model is as it was. Errors: those of learn.Latent.Solve and learn.White.Maximum.
func (l *Learner) Learn() error {
	c := l.m.c
	if err := l.solve(); err != nil {
		return err
	}
	v, t := &l.white, l.sums.Totals
	v.Latent, v.Space, v.Channels = l.latent.Spectrum.Values, c.Lambda, float64(c.Channels)
	v.Square, v.Values = t[learn.Square], t[learn.Count]*float64(c.Points)
	v.Slack = v.Channels * (t[learn.Psi0]*c.Learning.Trace - work.Sum(v.Latent)*work.Sum(v.Space))
	v.SetSquares(l.h.Data, nil, c.Channels)
	var never context.Context // cancels
	beta, err := v.Maximum(never, l.numbers[0], c.Learning.Floor)
	if err == nil {
		l.numbers[0] = beta
		l.setModel()
	}
	return err
}

// SetModel makes the model of the precision of the noise and the sums. Errors: those of learn.Latent.Solve.
func (l *Learner) SetModel() error {
	err := l.solve()
	if err == nil {
		l.setModel()
	}
	return err
}

// solve solves the latent eigenproblem, and sets h to T_0ᵀ·G.
func (l *Learner) solve() error {
	err := l.latent.Solve(l.sums.Psi2)
	if err == nil {
		mat.Mul(l.h, 1, l.latent.Spectrum.Vectors.T(), l.sums.G, 0)
	}
	return err
}

// setModel makes the model of the solution: P_c = B·(T_0·E_c)ᵀ.
func (l *Learner) setModel() {
	m, c, beta := l.m, l.m.c, l.numbers[0]
	mat.Copy(m.coord, l.latent.Spectrum.Vectors)
	copy(c.Latent, l.latent.Spectrum.Values)
	c.Beta, c.Precision = beta, beta
	m.setTaken()
	learn.Divide(l.h.Data, c.Latent, c.Lambda, c.Channels, beta, 1)
	mat.Mul(l.x, 1, m.coord, l.h, 0)
	for from := 0; from < c.Points; from += l.rows.Rows {
		rows, to := l.features(from)
		for ch, p := range m.p {
			x := mat.Matrix{Rows: c.Inducing, Cols: rows.Cols, RowStride: l.x.Cols, ColStride: c.Channels, Data: l.x.Data[ch:]}
			mat.Mul(p.Slice(from, to, 0, p.Cols), 1, rows, x.T(), 0)
		}
	}
}

// features returns those of some points from one on.
func (l *Learner) features(from int) (rows mat.Matrix, to int) {
	to = min(from+l.rows.Rows, l.m.c.Points)
	rows = l.rows.Slice(0, to-from, 0, l.rows.Cols)
	l.m.setFeatures(rows, l.m.points[from:to], 0, nil)
	return rows, to
}

// Take takes the example that a workspace of the model has filled in, of which Add then adds what it is told. It returns how many of its values count as observed, and the mean squares of these and of what the model leaves of them given x.
func (l *Learner) Take(w *Workspace) (observed int, left, square float64) {
	c, q := l.m.c, psi.One(w.latent.Mu, w.latent.S, nil)
	l.m.stats.SetMoments(&l.of, &l.scratch, q)
	l.totals = [learn.Totals]float64{learn.Count: 1, learn.Psi0: l.of.Psi0, learn.KL: psi.KL(q.Mu, q.S, nil)}
	for k, v := range w.values {
		if l.y[k] = v; v == v {
			e := v - asm.Dot(l.m.p[k%c.Channels].Row(k/c.Channels), l.of.Psi1.Data)
			left, square, observed = left+e*e, square+v*v, observed+1
		} else {
			if l.y[k] = w.result.mean.Data[k]; w.drift.at != nil {
				l.y[k] -= w.drift.at[k]
			}
			l.totals[learn.Square] += w.result.variance.Data[k]
		}
	}
	l.totals[learn.Square] += asm.SumSquares(l.y)
	n := float64(max(1, observed))
	return observed, left / n, square / n
}

// Add adds the example that was taken, before which all others count forget times as much.
func (l *Learner) Add(forget float64) {
	c := l.m.c
	for from := 0; from < c.Points; from += l.rows.Rows {
		rows, to := l.features(from)
		beta := 1.
		if from == 0 {
			beta = 0
		}
		mat.Mul(l.b, 1, rows.T(), mat.NewDense(to-from, c.Channels, l.y[from*c.Channels:to*c.Channels]), beta)
	}
	if forget < 1 {
		l.sums.Scale(forget)
	}
	l.sums.Add(l.of.Psi1.T(), mat.NewDense(1, len(l.b.Data), l.b.Data), l.of.Psi2, l.totals)
}

// Relearned has the workspace know that its model has learned.
func (w *Workspace) Relearned() { w.held.valid = false }

const stateMagic = 0x4e524c4e4f524b // "KRONLRN"

// EncodeState returns the file of numbers that a model with that checksum learned, and DecodeState sets them.
func EncodeState(model uint64, numbers []float64) []byte {
	w := &writer{b: append64(make([]byte, headerBytes), model)}
	for _, v := range numbers {
		w.number(&v)
	}
	return w.sealed(stateMagic)
}

// DecodeState sets numbers to those of a file of EncodeState.
func DecodeState(file []byte, model uint64, numbers []float64) *FileError {
	r, err := newReader(file, stateMagic, "expected the beginning of what a model learned")
	switch {
	case err != nil:
		return err
	case r.word() != model:
		r.fail("learned by another model")
	case len(file) != r.at+8*len(numbers):
		r.fail("expected as many numbers as the model has")
	default:
		all := Table{rows: 1, cols: len(numbers), data: r.take(int64(8 * len(numbers)))}
		all.row(numbers, 0, 0)
	}
	return r.err
}

// Checksum returns that of a file that was decoded.
func Checksum(file []byte) uint64 { return le64(file[24:]) }
