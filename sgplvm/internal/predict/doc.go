// Package predict is everything that a trained model says: of new examples, of other points, of other
// times.
//
// # What is known
//
// Training leaves parameters and α = K_uu⁻¹Ū, in which all predictions are linear. A Posterior is made of
// these alone (New), without the data: it holds the factors of the bound, T_f and Λ_f, with D = β⁻¹ + ⊗Λ_f.
// It does not change. Whatever only some calls need is made when it is first asked for, so a Posterior
// costs one decomposition of each factor, and serves any number of goroutines without a lock.
//
// # From a latent variable to data
//
// A latent variable x ~ N(μ, diag S) enters by its expectations ψ0, ψ1 and Ψ2 alone, points by the rows of
// K_s = K(X*, X_u). With P_c = K_s·α_cᵀ and Φ = K_s·T_s the values f of channel c have the exact moments
// (docs/math.md, "Prediction")
//
//	mean  P_c·ψ1
//	cov   ψ0·K(X*, X*) − Φ·diag(h)·Φᵀ + P_c·(Ψ2 − ψ1ψ1ᵀ)·P_cᵀ
//
// to which the noise is added. Predict returns means and variances, PredictCovariance the whole matrix,
// PredictSlabs the former for many latent variables and fine grids some rows at a time, PredictMixture a density
// that is not Gaussian, Sample whole fields. The part that depends on the points alone is a projection; those
// of the training grid and of the last other grid are kept.
//
// # From data to a latent variable
//
// Infer, Impute and what is like them scale an example and have package points do the rest, at the points of its grid: a filler holds a points.Model, made of
// the posterior's own matrices when it is first asked for, and room for examples that are filled in at the same time. That of the training grid is kept, and
// of other grids the last one. Outliers, calibration and the user's units are this package's.
//
// # Times
//
// With a dynamical prior LatentAt gives q(x) at any time, for Predict or as Observed.Prior, and LatentPaths draws
// x as a function of time. A Calibration multiplies the variances of a time at which nothing was seen by what
// leaving examples out has shown, in every form of prediction alike; Latent.Seen tells such a
// latent posterior from one that values of the example itself led to (docs/math.md, "Calibration of
// variances").
//
// # Cost
//
// A projection costs one product along each mode of α, a prediction from it 2·n_s·m_ξ²·d_y operations, a step of
// an inference O(m_ξ²·d_ξ), whatever the number of points.
package predict
