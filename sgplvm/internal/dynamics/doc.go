// Package dynamics holds the prior of latent variables that move over time, and all that follows
// from it: the posterior's marginals and its divergence from the prior with their gradient, where
// training starts, the coordinates in which it is optimised, and the posterior at any time.
//
// # Model
//
// Examples have times. A latent dimension is a Gaussian process in time, x(t) ~ GP(0, k), in place
// of numbers that are independent from example to example (Damianou, Titsias and Lawrence 2011). k
// has unit variance: a variance of its own would trade off against the latent length scales.
// Dimensions are independent of one another, and so are sequences, each of which has a label: all that
// follows is done for every sequence and dimension by itself. K is the n×n kernel matrix of the times
// of a sequence. The posterior has 2·n parameters (Opper and Archambeau 2009), μ̄ and λ > 0, with
// Λ = diag λ:
//
//	q(x) = N(K·μ̄, S),  S = (K⁻¹ + Λ)⁻¹
//
// That is the form of every optimum: there μ̄ and −½·λ are the derivatives of the bound's other terms in
// the means and the variances. K is not inverted, so that equal times do no harm:
//
//	S = K − K·Λ^½·B⁻¹·Λ^½·K,  B = I + Λ^½·K·Λ^½ = R·Rᵀ
//	KL(q(x) ‖ p(x)) = ½·[log|B| + tr B⁻¹ + μ̄ᵀ·K·μ̄ − n],  tr B⁻¹ = n − Σ_i λ_i·S_ii
//
// The bound of the model sees nothing of q but the means and the variances diag S (Evaluator). At a
// time t*, with k_* its covariances with the sequence's times (Posterior),
//
//	mean k_*ᵀ·μ̄,  variance 1 − k_*ᵀ·(K + Λ⁻¹)⁻¹·k_*
//
// Between examples that is what a frame is before it is seen. What an example would have been, had it not
// been seen itself, is the cavity of expectation propagation (Minka 2001): Cavities.
//
// # Two forms of K
//
// A Matérn kernel of order 1/2, 3/2 or 5/2, and sums and products of them, are the output of a linear
// system with a state of s numbers (Hartikainen and Särkkä 2010; sums and products: Solin and
// Särkkä 2014): s is 1, 2 and 3, added in sums and multiplied in products. Then everything is done by
// filtering and smoothing the state, in O(n·s³) operations and O(n·s²) memory (file filter.go), and
// n² numbers are never formed. The smoother is Bryson and Frazier's in the form of Bierman (1973),
// which is the adjoint of the filter, so that the derivatives of log|B| are what it computes. Other
// kernels and short sequences take K as a matrix: O(n³) operations, and n² numbers for each latent
// dimension. Both forms give the same to rounding. The states take over from n = 15·s^1.5 on: with 960
// times of a Matérn 3/2 kernel an evaluation with its gradient takes 2 ms a dimension, by the matrix
// 160 ms.
//
// # Training
//
// Start finds length scales and periods from a grid, under which the three leading scores of principal
// components have the highest evidence with a tenth of their variance as noise; μ̄ from the scores; Λ
// so that S is a fifth of the prior variance. The optimiser sees x = Rᵀ·μ̄ in place of μ̄, with
// R·Rᵀ = K + 0.1·I at the start (Preconditioner), and logarithms of Λ.
//
// Evaluations with Σ|μ̄| > 10⁷ or λ > 10¹³ are refused: rounding could make the divergence negative.
//
// # Sources
//
//   - Bierman, "Fixed interval smoothing with discrete measurements", International Journal of Control 18
//     (1973)
//   - Damianou, Titsias and Lawrence, "Variational Gaussian process dynamical systems", NIPS (2011)
//   - Hartikainen and Särkkä, "Kalman filtering and smoothing solutions to temporal Gaussian process
//     regression models", MLSP (2010)
//   - Minka, "Expectation propagation for approximate Bayesian inference", UAI (2001)
//   - Opper and Archambeau, "The variational Gaussian approximation revisited", Neural Computation 21 (2009)
//   - Solin and Särkkä, "Explicit link between periodic covariance functions and state space models",
//     AISTATS (2014)
package dynamics
