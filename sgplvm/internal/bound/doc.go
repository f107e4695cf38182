// Package bound is the collapsed lower bound on log p(Y) of the structured Bayesian Gaussian process
// latent variable model, and its gradient, as a function of data and parameters (S. Atkinson and
// N. Zabaras, arXiv:1805.08665; docs/math.md, "The bound").
//
//	e := bound.NewEvaluator(y, grid, jitter)      // data, scaled, at the points of a grid
//	l, err := e.Evaluate(ctx, params, grad, free) // the bound, and derivatives in the free groups
//
// Params are the parameters in their natural units; Coordinates is what an optimiser sees of them.
// An Evaluator keeps the data and all room for work, and changes in every call; parameters are the
// caller's.
//
// # The idea
//
// All large matrices are Kronecker products of a latent factor and spatial ones. One generalised
// eigenproblem per factor (factor.go),
//
//	T_fᵀ K_f T_f = I,   T_fᵀ Ψ2_f T_f = diag Λ_f
//
// diagonalises all of them at once: with W = Ψ1·T, B = (⊗W)ᵀ·Y and D = β⁻¹ + ⊗Λ_f the bound is a
// sum over the m·d_y numbers of B (bound.go). The data are contracted with the spatial factors and
// kept so for as long as space does not move (projected.go), and one sweep over them adds up all that
// the bound and its gradient need (sweep.go).
//
// The gradient never differentiates an eigenvector: the derivatives in K_f, Ψ1_f and Ψ2_f are known in
// closed form, and are chained into the kernels from there (gradient.go; docs/math.md, "The gradient").
//
// What differs between white noise and noise with structure in space is in white.go and structured.go,
// what differs between independent and dynamical latent variables in latents.go.
//
// # Speed
//
// With tied factors an evaluation costs 2·n·Σm_f operations where space has moved and 2·n·m_ξ elsewhere
// (docs/measurements.md); the latent side costs O(n_ξ·m_ξ²·d_ξ).
package bound
