// Package psi holds the covariance function of the latent variables and its psi statistics,
// the expectations in which the variational bound sees uncertain latent variables.
//
// # Statistics
//
// The latent variables of example n have the distribution q(x_n) = N(μ_n, diag S_n), in d
// dimensions. With a covariance function k and m inducing points z_k the bound (Titsias and
// Lawrence, "Bayesian Gaussian process latent variable model", AISTATS 2010) depends on q
// through
//
//	ψ0       = Σ_n E k(x_n, x_n)                 a number
//	Ψ1[n,k]  = E k(x_n, z_k)                     n×m
//	Ψ2[k,k'] = Σ_n E k(x_n, z_k)·k(x_n, z_k')    m×m, symmetric
//
// and on K_0[k,k'] = k(z_k, z_k'). Statistics computes them from Q and Inducing (Set, Matrix,
// Psi0, Forward) and chains derivatives of a scalar in each of them into the kernel's
// parameters, Z, μ and S (Backward, MatrixBackward). For a prediction or an inference there
// are those of one example: Psi1, Jacobian, Moments, and Form, a linear function of ψ0, ψ1
// and Ψ2 with its derivatives, which is what the evidence of a partly seen example is.
//
// # Parts
//
// A Kernel is a sum of parts:
//
//	rbf     σ²·exp(−½ Σ_q (x_q − x′_q)²/ℓ_q²)   RBF
//	linear  Σ_q v_q·x_q·x′_q                    Linear
//	bias    b                                   Bias
//	time    v·k_t(t − t′)                       Time, of the examples' times
//
// All but rbf are affine in x, given the inducing point and the times:
//
//	k_p(x_n, z_k) = A_p(z_k)·x_n + b_p + κ_p(t_n, t_k)
//
// so that their expectations need the mean of x alone, and their products with any other part
// need that part's own Ψ1 and its first moment. With k_R the nonlinear part, Ψ1_R and Ψ2_R its
// statistics, and A (m×d), b and κ (n×m) the sums over the affine parts,
//
//	Ψ1 = Ψ1_R + μ·Aᵀ + b + κ
//	Ψ2 = Ψ2_R + M·Aᵀ + A·Mᵀ + A·Q·Aᵀ + b·(c·1ᵀ + 1·cᵀ) + n·b²·1·1ᵀ + Φᵀκ + κᵀΦ + κᵀκ
//
//	M[k,q] = Σ_n E k_R(x_n, z_k)·x_nq    the first moment, m×d
//	Q      = Σ_n E x_n·x_nᵀ              d×d
//	c_k    = Σ_n (Ψ1_R + μ·Aᵀ)[n,k]
//	Φ      = Ψ1 − κ
//
// All cross terms cost products of n×m with d columns, and with κ one of m×n with n×m; there is
// no exponential in them. ψ0 is n times what k(x, x) has without x, and Σ_q v_q·(μ² + S) of
// linear parts.
//
// Times are numbers that are known, so κ has no expectation. An example of unknown time has
// κ = 0, and the variance of the time part counts in its ψ0: nothing is known of that part.
// Between sequences κ is 0.
//
// The RBF part's closed forms are in rbf_psi1.go. Summed over examples its Ψ2 is by far the
// most work here, n·m²/2 exponentials and products of depth d+1; rbf_psi2.go says how they are
// arranged, in tiles that stay in a cache.
//
// # A new part
//
// A new part is one file and one row in the table (table.go). The file has a type with the
// parameters in exported fields and the methods of Part: its name, its parameters for the
// optimiser, validation, starting values, names in model files, what to print, and k itself
// between inducing points. To this it adds what it contributes to Ψ1 and Ψ2:
//
//   - A part that is affine in x has one or more of sloped (A), constant (b) and timed (κ).
//     That is all: its cross terms with every part, itself included, and their derivatives
//     follow from the formulas above.
//   - A part that is not has nonlinear, with expectations: its own Ψ1, Ψ2 and first moment M
//     and their derivatives, for many examples and for one. Its cross terms with affine parts
//     follow. A kernel holds at most one such part; two in one kernel would need
//     E k_a(x, z)·k_b(x, z') besides, and Names.validate refuses them.
//
// A part whose k(x, x) is not a number plus Σ_q v_q·x_q² needs more than Part.diagonal.
//
// # Numbers
//
// Exponents are split into terms of μ and of Z and lose digits where inducing inputs lie
// far from their mean; prior variances that the data do not bound let rounding decide.
// Callers check Farthest, times the root of the prior variance where that is above 1, against FarthestInducing, and FlatVariance and
// NonlinearVariance, times the spatial variances, against FlattestPrior and LargestPrior.
//
// Sums are divided by shape: the same numbers give the same bits at any GOMAXPROCS. Storage is
// used again between evaluations: beside n×m numbers of the tiles' intermediate results a
// training step allocates nothing that grows with the data, and Form.Value nothing at all.
//
// # Files
//
// Each uses those below it.
//
//	example.go      one example: Moments, Form, Catalogue
//	evaluate.go     Ψ1 and Ψ2 of many examples, and their derivatives
//	cross.go        what affine parts contribute to them
//	statistics.go   Statistics: Set, K_0, ψ0
//	room.go         what evaluations work in
//	kernel.go       Kernel, the sum of parts
//	table.go        the parts by name
//	rbf.go linear.go bias.go time.go, and rbf_*.go with the expectations of RBF
//	part.go         what a part is
//	points.go       Q and Inducing
package psi
