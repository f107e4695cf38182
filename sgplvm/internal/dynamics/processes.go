package dynamics

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// sampleNugget is added, in prior variances, to the variances of what is drawn where that helps
// against rounding.
const sampleNugget = 1e-12

// A denseProcess holds the factor of B.
type denseProcess struct {
	kernel  kernel.Kernel
	times   []float64
	muBar   mat.Matrix     // n×d
	scale   mat.Matrix     // Λ^½, n×d
	factors []*chol.Factor // R of each latent dimension
}

// newDenseProcess returns the process of the latent dimensions from first on.
func newDenseProcess(k kernel.Kernel, s *data.Sequence, first int, muBar, lambda mat.Matrix) (*denseProcess, error) {
	n := len(s.Times)
	t := &denseProcess{kernel: k, times: s.Times, muBar: muBar, scale: lambda.Clone()}
	for i, l := range t.scale.Data {
		t.scale.Data[i] = math.Sqrt(l)
	}
	matrix, b, v := mat.New(n, n), mat.New(n, n), mat.New(n, n)
	k.TimeMatrix(matrix, s.Times, s.Times)
	for q := range muBar.Cols {
		f := new(chol.Factor)
		if err := factorB(f, b, v, matrix, work.Column(lambda, q)); err != nil {
			return nil, failed(s, first+q, err)
		}
		t.factors = append(t.factors, f)
	}
	return t, nil
}

// cross returns V (n×count) of latent dimension q, and the means there.
func (t *denseProcess) cross(q int, times []float64) (v mat.Matrix, mean []float64) {
	n := len(t.times)
	v = mat.New(n, len(times))
	t.kernel.TimeMatrix(v, t.times, times)
	mean = make([]float64, len(times))
	for i := range n {
		asm.Axpy(t.muBar.At(i, q), v.Row(i), mean)
		asm.Scale(v.Row(i), t.scale.At(i, q), v.Row(i))
	}
	t.factors[q].SolveHalf(v)
	return v, mean
}

func (t *denseProcess) marginals(q int, times []float64) (mean, variance []float64, err error) {
	v, mean := t.cross(q, times)
	variance = work.ColumnSquares(v)
	for i, explained := range variance {
		variance[i] = 1 - explained
	}
	return mean, variance, nil
}

func (t *denseProcess) sample(q int, times []float64, count int, normal func(k int) func() float64) (mat.Matrix, error) {
	n := len(times)
	cov, z, x := mat.New(n, n), mat.New(n, count), mat.New(n, count)
	for k := range count {
		next := normal(k)
		for i := range n {
			z.Row(i)[k] = next()
		}
	}
	v, mean := t.cross(q, times)
	t.kernel.TimeMatrix(cov, times, times)
	mat.Syrk(cov, -1, v.T(), 1)
	mat.MirrorLower(cov)
	half, err := Root(cov, sampleNugget)
	if err != nil {
		return x, err
	}
	mat.Mul(x, 1, half, z, 0)
	for i, mu := range mean {
		work.AddToAll(x.Slice(i, i+1, 0, count), mu)
	}
	return x, nil
}

// A stateProcess takes times that are asked for into the sequence, with Λ = 0 and μ̄ = 0:
// as examples of which nothing is known.
type stateProcess struct {
	kernel        kernel.Kernel
	times         []float64
	muBar, lambda mat.Matrix // n×d
}

// with returns the sequence with further times, in order, and where these are.
func (t *stateProcess) with(q int, times []float64) (all, muBar, lambda []float64, where []int) {
	n := len(t.times)
	all = append(slices.Clone(t.times), times...)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(all[i], all[j]) })
	muBar, lambda, where = make([]float64, len(all)), make([]float64, len(all)), make([]int, len(times))
	sorted := make([]float64, len(all))
	for k, i := range order {
		sorted[k] = all[i]
		if i < n {
			muBar[k], lambda[k] = t.muBar.At(i, q), t.lambda.At(i, q)
		} else {
			where[i-n] = k
		}
	}
	return sorted, muBar, lambda, where
}

func (t *stateProcess) marginals(q int, times []float64) (mean, variance []float64, err error) {
	all, muBar, lambda, where := t.with(q, times)
	var c stateCovariance
	c.set(t.kernel, all)
	means, variances := make([]float64, len(all)), make([]float64, len(all))
	c.mul(means, muBar)
	if _, err := c.marginals(q, variances, lambda); err != nil {
		return nil, nil, err
	}
	for _, k := range where {
		mean, variance = append(mean, means[k]), append(variance, variances[k])
	}
	return mean, variance, nil
}

// sample draws by Matheron's rule: with f from the prior, drawn with sampleNugget, and
// pseudo-observations y = f + Λ^−½·ε of it,
//
//	x = K·μ̄ + f − K·(K + Λ⁻¹)⁻¹·y
func (t *stateProcess) sample(q int, times []float64, count int, normal func(k int) func() float64) (mat.Matrix, error) {
	all, muBar, lambda, where := t.with(q, times)
	prior := new(innovations).set(t.kernel, all, nuggets(len(all), sampleNugget))
	posterior := new(innovations).set(t.kernel, all, lambda)
	x := mat.New(len(times), count)
	f, solved, explained := make([]float64, len(all)), make([]float64, len(all)), make([]float64, len(all))
	for k := range count {
		next := normal(k)
		for i := range f {
			f[i] = next()
		}
		prior.mul(mat.Vector(f))
		for i, l := range lambda {
			solved[i] = -f[i]
			if l > 0 {
				solved[i] -= next() / math.Sqrt(l)
			}
		}
		posterior.SolveHalf(mat.Vector(solved))
		posterior.SolveHalfT(mat.Vector(solved))
		asm.Axpy(1, muBar, solved)
		prior.system.mul(explained, solved, nil)
		for i, at := range where {
			x.Row(i)[k] = f[at] + explained[at]
		}
	}
	return x, nil
}
