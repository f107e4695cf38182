package simple

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Censor replaces the observed values that are at most the limit of their channel, of which nothing else is known, by their means given the others under principal
// components: Tobit factor analysis (J. Tobin, Econometrica 26, 1958) by the rounds of EM. Errors: those of Fill.
func Censor(ctx context.Context, d Data, limits []float64) error {
	d.check()
	e, err := new(Start).of(ctx, d, d)
	if err != nil {
		return err
	}
	e.limits = limits
	return e.climb(ctx, lastRounds, 0) // the noise hardly tells how far censored values have come
}

// censor replaces the censored values of a slab, one after the other, by their means given all others of the example, in Y and in its residuals r; z follows. It adds the variances of what
// is left of them to squares. covariances are those of z.
func (e *em) censor(s slab, r mat.Matrix, covariances []mat.Matrix, squares []float64) {
	q, variance := e.model.w.Cols, mat.New(r.Rows, r.Cols)
	mat.Parallel(len(s.groups), func(g int) {
		step := make([]float64, q)
		for _, i := range s.groups[g] {
			y, z, own := e.d.Y.Row(i), e.z.Row(i)[:q], r.Row(i-s.from)
			for j, missing := range e.d.missing(i) {
				limit := e.limits[j%len(e.limits)]
				if missing || y[j] > limit {
					continue
				}
				w, noise := e.model.w.Row(j), e.model.noise[j]
				mat.Mul(mat.Vector(step), 1/noise, covariances[g], mat.Vector(w), 0)
				others := 1 - asm.Dot(w, step) // of the value in what is expected of it
				fit := own[j] - (own[j]-asm.Dot(w, z))/others
				last := own[j]
				var v float64
				own[j], v, _ = Below((limit-e.m.mean[j])/e.sd[j]-e.model.mean[j], fit, noise/others)
				variance.Row(i - s.from)[j] = v * others * others
				asm.Axpy(own[j]-last, step, z)
				y[j] = e.m.mean[j] + e.sd[j]*(e.model.mean[j]+own[j])
			}
		}
	})
	for k := range r.Rows {
		asm.Axpy(1, variance.Row(k), squares)
	}
}

// Below returns the mean and the variance of what is normal and at most a limit, and the logarithm of the probability that it is.
func Below(limit, mean, variance float64) (m, v, log float64) {
	s := math.Sqrt(variance)
	a := (limit - mean) / s
	if x := -a; x > 4 { // by the continued fraction of h = φ/Φ = x + g
		g := 0.
		for k := 60; k > 0; k-- {
			g = float64(k) / (x + g)
		}
		return limit - s*g, variance * max(0, 1-x*g-g*g), -0.5*a*a - 0.5*math.Log(2*math.Pi) - math.Log(x+g)
	}
	p := 0.5 * math.Erfc(-a/math.Sqrt2)
	h := math.Exp(-0.5*a*a) / (math.Sqrt(2*math.Pi) * p)
	return mean - s*h, variance * max(0, 1-a*h-h*h), math.Log(p)
}
