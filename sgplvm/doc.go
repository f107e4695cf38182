// Package sgplvm is the structured Bayesian Gaussian process latent variable
// model (SGPLVM) of S. Atkinson and N. Zabaras, "Structured Bayesian Gaussian
// process latent variable model" (2018, arXiv:1805.08665).
//
// # The model
//
// Each of n_ξ examples (pictures, maps, solutions) has d_ξ latent variables x,
// standard normal beforehand, and independent from example to example unless these are
// frames of a film (Config.Dynamics, below). The value of channel c at the spatial point s is
//
//	y_c = f_c(x, s) + noise of variance 1/β,   f_c ~ GP(0, k_ξ(x, x′)·k_s(s, s′))
//
// with a latent kernel k_ξ and a spatial kernel k_s. The latent kernel is the sum
// of an RBF part, a linear one and a bias, or some of them (LatentKernel); it has
// a length scale or a variance for every latent dimension, so that dimensions
// which are not needed switch themselves off. The latent variables are unknown:
// training finds q(x) = N(μ, diag S) for every example together with the kernels
// and the noise, by maximising a lower bound on log p(Y).
//
// # Names
//
//	n_ξ, n_s, n = n_ξ·n_s   examples, spatial points, data per channel
//	m_ξ, m_f, m = m_ξ·Πm_f  inducing points: latent, of spatial factor f, all
//	d_ξ, d_y                latent dimensions, channels
//	Mu, S                   μ and S, n_ξ×d_ξ
//	Z, Xu                   latent and spatial inducing inputs
//	K_f, Ψ1_f, Ψ2_f         kernel matrix and psi statistics of factor f, 0 the latent one
//	T_f, Λ_f                T_fᵀK_fT_f = I, T_fᵀΨ2_fT_f = Λ_f
//	D = β⁻¹ + ⊗Λ_f          m numbers: K_ψ⁻¹ = (⊗T)·D⁻¹·(⊗T)ᵀ
//	α = K_uu⁻¹Ū             what predictions are linear in, m×d_y
//
// # Why it is fast
//
// All examples are seen at the same points, and the points are a Cartesian
// product of spatial factors, so every large matrix is a Kronecker product. One
// small eigenproblem per factor diagonalises the whole (factor.go); the bound
// (bound.go), its gradient (grad.go) and predictions (predict.go) then cost
// matrix products along one mode at a time, linear in the data. A spatial factor
// whose inducing points are its data points needs no Cholesky factor and no
// jitter. The eigenvectors are never differentiated.
//
// # The bound
//
// With the psi statistics Ψ1 = E k(x, z) and Ψ2 = E k(z, x)·k(x, z′) under q(x),
// which are closed forms (latentpsi.go), and B = (⊗W)ᵀY, W = Ψ1·T,
//
//	L = d_y/2·[(n−m)·log β − n·log 2π − Σ log d_i]
//	    − β/2·[‖Y‖² − Σ b_ij²/d_i + d_y·(ψ0 − Π tr Λ_f)] − KL(q(X) ‖ p(X))
//
// # New examples
//
// Infer finds q(x) of an example seen at some points only, from a bound that
// depends on the data through one vector and one small matrix, whatever the
// size of the picture. Predict gives the exact mean and variance of the data
// under such a q(x), at any points. Impute conditions on the example's own
// observed values besides, without counting them twice (conditional.go); the paper's
// way, which does, is there for comparison.
//
// PredictSlabs predicts many examples on a fine grid in parts, in bounded memory.
// PredictMixture has the whole density of the data under an uncertain x, as a mixture
// of Gaussians, and PredictCovariance the covariance between points. Sample draws whole
// fields, in any resolution and from any latent posterior, the prior included, without
// forming that covariance (sample.go).
//
// # Films
//
// Where examples have times, the latent variables can be Gaussian processes in time
// (Config.Dynamics): close frames are alike beforehand. q(X) is then made of
// coefficients μ̄ and precisions Λ, of which Mu and S follow, and LatentAt gives the posterior at
// any other time, for Predict, or as Observed.Prior of a frame that was seen in part
// (dynamics.go, doc_dynamics.go).
//
// # Large data
//
// Data need neither be float64 nor lie in memory: a Source gives them some examples at
// a time, in whatever form they are kept. NewSource wraps slices of uint8, uint16, float32
// and float64; package npy's File leaves an array in its file. New reads the data up to
// seven times, an evaluation of the bound once if spatial parameters have moved since the
// last and, with free inducing points in space, once more for each factor that has
// them; otherwise not at all.
//
// Beside the data as they are stored, what is live at most is, in numbers of 8 bytes,
//
//	New               5·n_ξ² + min(N, max(N/4, 2²³)) + B
//	Fit, warm-up      P + S + X + k·B
//	Fit, training     P + H + S + X + k·B
//	Save              P + H + α + S + X + k·B
//
//	N = n_ξ·n_s·d_y      the data
//	P = n_ξ·d_y·Πm_f     Y in the basis of the spatial factors: N where all are tied
//	H = m_ξ·d_y·Πm_f     for the gradient in spatial parameters; with free inducing
//	                     points 1 + n_f/m_f times as much, for the largest n_f/m_f
//	α = m_ξ·d_y·Πm_f     kept with the model
//	S = 8·Σm_f² + 5·Πm_f + 4·Σn_f·m_f    spatial factors; the last sum over free ones
//	X = 32·n_ξ·m_ξ + 60·m_ξ² + 50·(2n_ξ + m_ξ)·d_ξ + 2¹⁹ + GOMAXPROCS·(3000·m_ξ + 2¹⁹)
//	B = 1.25·min(N, max(2²⁰, n_s·d_y))   a slab of examples
//	k = 2 + the number of spatial factors, 5 at most: a slab on its way into P
//
// A dynamical prior adds d_ξ·n² + 6·n² for sequences of n examples, or, with long ones and
// Markov kernels, some 4·n·s² with a state of s numbers.
//
// Truncation (FitOptions.Truncate) holds the kept components beside P for a moment: as much
// again at most, while H is not there.
//
// What grows with the data is P alone, and H and α with the inducing points: 8 bytes a
// datum for each. 64 pictures of 1250×1250 bytes, 10⁸ in all, with m_ξ = 32 take
// 0.1 GB as stored and 1.9 GB beside. Arrays of this size are allocated once and kept, but
// Go's collector lets the heap grow to twice what is live before it looks: set GOMEMLIMIT
// somewhat above the formula where memory is short.
//
// # Use
//
//	m, err := sgplvm.New(sgplvm.Data{Examples: n, Y: y}, sgplvm.Config{Space: space})
//	_, err = m.Fit(ctx, sgplvm.FitOptions{})
//	p, latent, err := m.Impute(ctx, sgplvm.Observed{Values: half}, sgplvm.InferOptions{})
//	err = m.Save(file)
//
// Data and predictions are in the user's units; each channel is centred and
// scaled inside. The same data, configuration and seed give the same bits at
// any GOMAXPROCS.
package sgplvm
