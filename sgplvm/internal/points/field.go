package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// SetField sets the next example's time and what is known of its field: mean and variance of ρ, Features each; nil: the example has no time and belongs to no stream.
func (w *Workspace) SetField(at *kernel.Instant, mean, variance []float64) {
	w.SetTime(at)
	f := &w.field
	if f.active, f.apart = at != nil && len(f.mean) > 0, false; !f.active {
		return
	}
	copy(f.mean, mean)
	copy(f.variance, variance)
	m := w.m
	m.stats.Kappa(f.kappa, w.at[:])
	rotated := mat.NewDense(1, m.c.Inducing, w.told)
	mat.Mul(rotated, 1, f.kappa, m.coord, 0)
	asm.MulTo(w.told, w.told, w.told)
	roots := mat.NewDense(1, m.features, f.roots)
	mat.Mul(roots, -1, rotated, m.taken[0], 0)
	for j, v := range f.roots {
		f.roots[j] = math.Sqrt(m.part(j) * max(0, m.c.Time.Variance+v))
	}
	for c := range m.c.Channels {
		own := f.variance[c*m.features:][:m.features]
		for j, v := range own {
			f.apart = f.apart || v != f.variance[j]
		}
		asm.MulTo(f.factors, f.roots, f.mean[c*m.features:][:m.features])
		w.addFeatures(c)
	}
	if f.apart {
		w.held.valid = false // channels are no longer taken together
	}
}

// addFeatures sets what the field adds to a channel, for factors of the features.
func (w *Workspace) addFeatures(c int) {
	f, m := &w.field, w.m
	if len(m.b) > 0 {
		v := w.room.modes[0][:m.features]
		copy(v, f.factors)
		for i, x := range w.modes(v, m.b, false)[:m.c.Points] {
			f.at[i*m.c.Channels+c] = x
		}
		return
	}
	row := w.room.row[:m.features]
	for i := range m.c.Points {
		m.c.Factors[0].B.row(row, i, 0)
		f.at[i*m.c.Channels+c] = asm.Dot(row, f.factors)
	}
}

// Field returns mean and variance of ρ after Complete, given the example. They are the workspace's until its next call.
func (w *Workspace) Field() (mean, variance []float64) { return w.field.mean, w.field.variance }

// lessField takes off the variances of features what is known of the field.
func (w *Workspace) lessField() {
	f, t := &w.field, &w.moments
	if !f.active {
		return
	}
	channels := 1
	if f.apart {
		channels = w.m.c.Channels
	}
	for c := channels - 1; c >= 0; c-- {
		for j, v := range t.shares[0] {
			t.shares[c][j] = max(0, v-f.roots[j]*f.roots[j]*(1-f.variance[c*len(f.roots)+j]))
		}
	}
}
