package bound

import (
	"cmp"
	"context"
	"slices"
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

// TruncationLoss bounds how far truncation lowers the bound that was evaluated last, in
// nats.
func (e *Evaluator) TruncationLoss(p *Params) float64 {
	return e.dropped.loss(p.Noise.Precision(), slices.Max(e.factors[0].Lambda))
}

// Truncate drops the spatial components that together lower the bound at p by no more
// than the tolerance, in nats. They come back as soon as the spatial parameters move or
// their derivatives are asked for.
func (e *Evaluator) Truncate(ctx context.Context, p *Params, tolerance float64) error {
	e.Restore()
	if err := e.Factorize(ctx, p); err != nil {
		return err
	}
	y, sigma := &e.projected, slices.Max(e.factors[0].Lambda)
	losses, order := make([]float64, y.components), make([]int, y.components)
	energy := y.energies()
	for j := range order {
		energy[j] *= e.omega[j]
		losses[j] = componentLoss(p.Noise.Precision(), sigma, e.lambda[j], energy[j])
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
		e.dropped.lambda = append(e.dropped.lambda, e.lambda[j])
		e.dropped.energy = append(e.dropped.energy, energy[j])
	}
	y.keep(kept)
	for i, j := range kept {
		e.lambda[i], e.omega[i] = e.lambda[j], e.omega[j]
	}
	e.lambda, e.omega = e.lambda[:len(kept)], e.omega[:len(kept)]
	return nil
}

// Restore makes the next evaluation one of all components.
func (e *Evaluator) Restore() {
	if len(e.dropped.lambda) > 0 {
		e.held = nil
		e.dropped.lambda, e.dropped.energy = e.dropped.lambda[:0], e.dropped.energy[:0]
	}
}
