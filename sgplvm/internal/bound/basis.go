package bound

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// shareBeta is a noise precision of scaled data that says how little values with errors of their own count for T.
const shareBeta = 100

// weightShares adds up the weights of all channels.
func (m *masked) weightShares(beta float64) shares {
	k := m.masks
	s := shares{examples: make([]float64, k.examples), beta: beta}
	columns := make([]float64, k.points)
	dims := m.x.Dims()
	for _, n := range dims {
		s.points = append(s.points, make([]float64, n))
	}
	step := max(1, maskedBlock/k.examples)
	for v, channels := range k.channels {
		for from := 0; from < k.points; from += step {
			to := min(from+step, k.points)
			omega := mat.New(k.examples, to-from)
			k.fill(omega, v*k.points+from, v*k.points+to, beta, weights)
			mat.Scale(omega, float64(len(channels)), omega)
			for i := range omega.Rows {
				row := omega.Row(i)
				s.examples[i] += work.Sum(row)
				asm.Axpy(1, row, columns[from:to])
			}
		}
	}
	for p, v := range columns {
		s.all += v
		rest := p
		for f := len(dims) - 1; f >= 0; f-- {
			s.points[f][rest%dims[f]] += v
			rest /= dims[f]
		}
	}
	return s
}

// setBasis sets T_f, W_f and Λ_f at points x (n×d) with weights c.
func (s *maskedFactor) setBasis(ctx context.Context, x mat.Matrix, c []float64, jitter float64) error {
	f := &s.own
	var room factorWork
	room.eigen.Stop = ctx.Err
	if !f.Tied {
		size := f.K.Rows
		weighted, psi2 := mat.New(x.Rows, size), mat.New(size, size)
		mat.ScaleRows(weighted, c, f.Psi1)
		mat.MulSym(psi2, 1, weighted.T(), f.Psi1, 0)
		mat.MirrorLower(psi2)
		if err := room.generalised(&f.spectrum, f.K, psi2, jitter); err != nil {
			return err
		}
		s.t, s.modes = f.spectrum.Vectors.Clone(), slices.Clone(f.spectrum.Values)
		s.w = mat.New(x.Rows, size)
		mat.Mul(s.w, 1, f.Psi1, s.t, 0)
		return nil
	}
	if err := f.solveTied(&room, x); err != nil {
		return err
	}
	spectrum := f.spectrum
	first := 0 // of the eigenvalues kept, which ascend
	for last := spectrum.Values[x.Rows-1]; first < x.Rows-1 && !(spectrum.Values[first] > minFeature*last); {
		first++
	}
	v, values := spectrum.Vectors.Slice(0, x.Rows, first, x.Rows), spectrum.Values[first:]
	up, down := make([]float64, len(values)), make([]float64, len(values))
	for j, l := range values {
		up[j], down[j] = math.Sqrt(l), 1/math.Sqrt(l)
	}
	t, w := mat.New(x.Rows, len(values)), mat.New(x.Rows, len(values))
	mat.ScaleCols(t, v, down)
	mat.ScaleCols(w, v, up)
	if !uneven(c) {
		s.t, s.w, s.modes = t, w, make([]float64, len(values))
		asm.Scale(s.modes, c[0], values)
		return nil
	}
	weighted, inner := mat.New(x.Rows, len(values)), mat.New(len(values), len(values))
	mat.ScaleRows(weighted, c, w)
	mat.MulSym(inner, 1, weighted.T(), w, 0)
	mat.MirrorLower(inner)
	if err := room.eigen.Sym(&spectrum, inner); err != nil {
		return err
	}
	clampAtZero(spectrum.Values)
	s.t, s.w, s.modes = mat.New(x.Rows, len(values)), mat.New(x.Rows, len(values)), spectrum.Values
	mat.Mul(s.t, 1, t, spectrum.Vectors, 0)
	mat.Mul(s.w, 1, w, spectrum.Vectors, 0)
	return nil
}
