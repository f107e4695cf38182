package sgplvm

import (
	"cmp"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// dropped are spatial components that are left out of the matrix products while the
// spatial parameters are held. Their exact terms stay in log|D| and in the traces, so that
// what is left out of the bound is non-negative, β/2·Σ b²/d over them: it remains a lower
// bound, and the derivatives in the latent parameters and in β are its own.
type dropped struct {
	lambda []float64
	energy []float64 // ω_j·‖z_j‖², where z_j is the component of Y: n_ξ·d_y numbers
}

// loss bounds what the components j take off the bound: with z_j the data of component
// j,
//
//	Σ_i b_ij²/d_ij = ω_j·z_jᵀ·W_0·(β⁻¹ + λ_jΛ_0)⁻¹·W_0ᵀ·z_j ≤ ω_j‖z_j‖²·σ/(β⁻¹ + λ_jσ)
//
// with the largest σ of Λ_0, because Λ_0 − W_0ᵀ·W_0 = T_0ᵀ·(Ψ2 − Ψ1ᵀΨ1)·T_0 has no negative
// eigenvalue.
func (d *dropped) loss(beta, sigma float64) float64 {
	var s float64
	for j, e := range d.energy {
		s += componentLoss(beta, sigma, d.lambda[j], e)
	}
	return s
}

func componentLoss(beta, sigma, lambda, energy float64) float64 {
	return beta / 2 * energy * sigma / (1/beta + lambda*sigma)
}

// truncationLoss bounds how far truncation lowers the bound that was evaluated last, in
// nats.
func (b *problem) truncationLoss(beta float64) float64 {
	return b.dropped.loss(beta, slices.Max(b.factors[0].lambda))
}

// truncate drops the spatial components that together lower the bound at p by no more
// than the tolerance, in nats. They come back as soon as the spatial parameters move or
// their derivatives are asked for.
func (b *problem) truncate(p *Params, tolerance float64) error {
	b.restore()
	if err := b.factorize(p); err != nil {
		return err
	}
	y, sigma := &b.projected, slices.Max(b.factors[0].lambda)
	energy := y.energies()
	losses := make([]float64, y.components)
	order := make([]int, y.components)
	for j := range order {
		energy[j] *= b.omega[j]
		losses[j] = componentLoss(p.precision(), sigma, b.lambda[j], energy[j])
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(losses[i], losses[j]) })
	out := 0
	for total := 0.0; out < len(order)-1; out++ { // one component stays, for shapes' sake
		if total += losses[order[out]]; !(total <= tolerance) {
			break
		}
	}
	kept := order[out:]
	slices.Sort(kept)
	slices.Sort(order[:out])
	for _, j := range order[:out] {
		b.dropped.lambda = append(b.dropped.lambda, b.lambda[j])
		b.dropped.energy = append(b.dropped.energy, energy[j])
	}
	y.keep(kept)
	for i, j := range kept {
		b.lambda[i], b.omega[i] = b.lambda[j], b.omega[j]
	}
	b.lambda, b.omega = b.lambda[:len(kept)], b.omega[:len(kept)]
	return nil
}

// restore makes the next evaluation one of all components.
func (b *problem) restore() {
	if len(b.dropped.lambda) > 0 {
		b.held = nil
		b.dropped.lambda, b.dropped.energy = b.dropped.lambda[:0], b.dropped.energy[:0]
	}
}

// energies returns the sum of squares of every component over examples and channels.
func (y *projected) energies() []float64 {
	energy := make([]float64, y.components)
	mat.Parallel(y.blocks(), func(b int) {
		from, to := y.block(b)
		for c := range y.channels {
			p := y.at(c, from, to)
			for i := range p.Rows {
				for j, v := range p.Row(i) {
					energy[from+j] += v * v
				}
			}
		}
	})
	return energy
}

// keep leaves only the given components, in ascending order.
func (y *projected) keep(components []int) {
	old := *y
	y.data = nil
	y.resize(old.examples, old.channels, len(components))
	mat.Parallel(y.blocks(), func(b int) {
		from, to := y.block(b)
		for c := range y.channels {
			p := y.at(c, from, to)
			for i, j := range components[from:to] {
				first, last := old.block(j / old.width)
				column := old.at(c, first, last).Slice(0, old.examples, j-first, j-first+1)
				mat.Copy(p.Slice(0, p.Rows, i, i+1), column)
			}
		}
	})
}
