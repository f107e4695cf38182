package emulator

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// inexactDraws is how many draws stand for the distribution of an input that is not known exactly.
const inexactDraws = 100

// A Predicted is the distributions of outputs for some inputs: normal ones, or equal mixtures of normal ones where an input is not known exactly.
type Predicted struct {
	m              *Model
	mean, variance mat.Matrix // of coordinates, a mixture's parts one after the other
	first          []int      // where each input's begin, and the end
	Far            []float64  // of each input: its distance from the nearest run as a multiple of Reach
}

// Outputs predicts those of rows of ξ with standard errors, as Coordinates returns them. Inputs that are not known have the distribution of the runs.
func (m *Model) Outputs(x, errs mat.Matrix) *Predicted {
	p := &Predicted{m: m, first: []int{0}}
	parts, prior := mat.New(0, x.Cols), (*Prior)(nil)
	for i := range x.Rows {
		part := x.Slice(i, i+1, 0, x.Cols)
		if errs.Rows > 0 && asm.SumSquares(errs.Row(i)) > 0 {
			if prior == nil {
				prior = m.NewPrior(FromRuns)
			}
			part = prior.given(x.Row(i), errs.Row(i)).Spread(inexactDraws, 0)
		}
		for k := range part.Rows {
			parts.Data = append(parts.Data, part.Row(k)...)
		}
		p.first = append(p.first, p.first[i]+part.Rows)
	}
	if parts = mat.NewDense(p.first[x.Rows], x.Cols, parts.Data); errs.Rows == 0 {
		parts = x
	}
	p.mean, p.variance = m.Predict(parts)
	far := m.Far(parts)
	for i := range x.Rows {
		sum := 0.
		for _, f := range far[p.first[i]:p.first[i+1]] {
			sum += f
		}
		p.Far = append(p.Far, sum/float64(p.first[i+1]-p.first[i]))
	}
	return p
}

// Len returns the number of inputs.
func (p *Predicted) Len() int { return len(p.first) - 1 }

// part sets mean and variance, unless it is nil, to the moments of part r, in the user's units.
func (p *Predicted) part(mean, variance []float64, r int) {
	m := p.m
	m.Field(mean, p.mean.Row(r))
	if m.Transforms != nil && variance == nil {
		variance = make([]float64, len(mean))
	}
	if variance != nil {
		m.Variance(variance, p.variance.Row(r))
	}
	if m.Transforms != nil {
		mat.Parallel((len(mean)+4095)/4096, func(b int) {
			for i := b * 4096; i < min(len(mean), (b+1)*4096); i++ {
				mean[i], variance[i] = m.Transforms[i%len(m.Transforms)].Moments(mean[i], variance[i])
			}
		})
	}
}

// Mean sets dst to that of output i, in the user's units.
func (p *Predicted) Mean(dst []float64, i int) {
	from, to := p.first[i], p.first[i+1]
	if p.part(dst, nil, from); to == from+1 {
		return
	}
	part := make([]float64, len(dst))
	for r := from + 1; r < to; r++ {
		p.part(part, nil, r)
		asm.Axpy(1, part, dst)
	}
	asm.Scale(dst, 1/float64(to-from), dst)
}

// Variance sets dst to that of each value of output i.
func (p *Predicted) Variance(dst []float64, i int) {
	from, to := p.first[i], p.first[i+1]
	mean, part := make([]float64, len(dst)), make([]float64, len(dst))
	if p.part(part, dst, from); to == from+1 {
		return
	}
	p.Mean(mean, i)
	clear(dst)
	variance := make([]float64, len(dst))
	for r := from; r < to; r++ {
		p.part(part, variance, r)
		asm.Axpy(1, variance, dst)
		for k, v := range part {
			dst[k] += (v - mean[k]) * (v - mean[k])
		}
	}
	asm.Scale(dst, 1/float64(to-from), dst)
}

// Covariance returns that of output i as F·Fᵀ + diag(left), in the user's units; where values are transformed correlations are those of t.
func (p *Predicted) Covariance(i int) (f mat.Matrix, left []float64) {
	from, to := p.first[i], p.first[i+1]
	n, modes := to-from, p.mean.Cols
	within := make([]float64, modes)
	for r := from; r < to; r++ {
		asm.Axpy(1/float64(n), p.variance.Row(r), within)
	}
	if f, left = p.m.Covariance(within); n == 1 {
		return p.rescaled(f, left, i)
	}
	between := p.mean.Slice(from, to, 0, modes).Clone()
	centre(between)
	v := p.m.basis(work.Ones(modes))
	both := mat.New(f.Rows, modes+n)
	mat.Copy(both.Slice(0, f.Rows, 0, modes), f)
	mat.Mul(both.Slice(0, f.Rows, modes, modes+n), 1/math.Sqrt(float64(n)), v, between.T(), 0)
	return p.rescaled(both, left, i)
}

// rescaled makes the variances of output i of those of t.
func (p *Predicted) rescaled(f mat.Matrix, left []float64, i int) (mat.Matrix, []float64) {
	if p.m.Transforms == nil {
		return f, left
	}
	variance := make([]float64, len(left))
	p.Variance(variance, i)
	for k, v := range left {
		if all := asm.SumSquares(f.Row(k)) + v; all > 0 {
			asm.Scale(f.Row(k), math.Sqrt(variance[k]/all), f.Row(k))
			left[k] = v * variance[k] / all
		}
	}
	return f, left
}

// Draw sets dst to a draw of output i: what the components leave out is not drawn.
func (p *Predicted) Draw(dst []float64, i int, rng *rand.Rand) {
	r := p.first[i]
	if n := p.first[i+1] - r; n > 1 {
		r += rng.IntN(n)
	}
	q := make([]float64, p.mean.Cols)
	for j := range q {
		q[j] = p.mean.At(r, j) + math.Sqrt(p.variance.At(r, j))*rng.NormFloat64()
	}
	p.m.Field(dst, q)
	for k := range p.m.Transforms {
		for c := k; c < len(dst); c += len(p.m.Transforms) {
			dst[c] = p.m.Transforms[k].Back(dst[c])
		}
	}
}
