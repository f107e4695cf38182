package dynamics

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A denseCovariance is K as a matrix, with S of every latent dimension.
type denseCovariance struct {
	kernel kernel.Kernel
	times  []float64
	k      mat.Matrix
	s      []mat.Matrix // of each latent dimension

	factor   chol.Factor
	v, a, wa mat.Matrix
	dK       mat.Matrix // lower triangle
}

func (d *denseCovariance) set(k kernel.Kernel, times []float64) {
	d.kernel, d.times = k, times
	for _, m := range []*mat.Matrix{&d.k, &d.v, &d.a, &d.wa, &d.dK} {
		work.Resize(m, len(times), len(times))
	}
	k.TimeMatrix(d.k, times, times)
	d.dK.Fill(0)
}

func (d *denseCovariance) mul(dst, v []float64) { mat.Mul(mat.Vector(dst), 1, d.k, mat.Vector(v), 0) }

func (d *denseCovariance) marginals(q int, variance, lambda []float64) (logDet float64, err error) {
	for len(d.s) <= q {
		d.s = append(d.s, mat.New(d.k.Rows, d.k.Cols))
	}
	if err := factorB(&d.factor, d.a, d.v, d.k, lambda); err != nil {
		return 0, err
	}
	d.factor.SolveHalf(d.v)
	mat.Copy(d.s[q], d.k)
	mat.Syrk(d.s[q], -1, d.v.T(), 1)
	mat.MirrorLower(d.s[q])
	for j := range variance {
		variance[j] = d.s[q].At(j, j)
	}
	return d.factor.LogDet(), nil
}

func (d *denseCovariance) addSlopes(q int, dLambda, lambda, w, u, muBar []float64) {
	for j := range lambda {
		row, dK := d.a.Row(j), d.dK.Row(j)
		dLambda[j] = 0
		for l, c := range d.s[q].Row(j) {
			dLambda[j] -= w[l] * c * c
			row[l] = -c * lambda[l]
		}
		row[j]++
		asm.Scale(d.wa.Row(j), w[j], row)
		asm.Axpy(-0.5*lambda[j], row, dK)
		asm.Axpy(0.5*u[j], muBar, dK)
		asm.Axpy(0.5*muBar[j], u, dK)
	}
	mat.MulSym(d.dK, 1, d.a.T(), d.wa, 1)
}

func (d *denseCovariance) addGradient(grad *kernel.Kernel) {
	d.kernel.AddTimeMatrixGradient(grad, d.dK, d.times)
}

// factorB factors B = I + Λ^½·K·Λ^½ = R·Rᵀ. It overwrites b with B and scaled with Λ^½·K, both n×n.
func factorB(f *chol.Factor, b, scaled, k mat.Matrix, lambda []float64) error {
	for i, l := range lambda {
		asm.Scale(scaled.Row(i), math.Sqrt(l), k.Row(i))
	}
	for i := range lambda {
		row := b.Row(i)
		for j, l := range lambda {
			row[j] = scaled.At(i, j) * math.Sqrt(l)
		}
	}
	return f.RefactorizeShifted(b, 1)
}
