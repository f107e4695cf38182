package psi

import "github.com/seed-08962ecc/kronfield/mat"

// cross is what the terms of sloped and constant parts need of q(X), for n examples.
type cross struct {
	psi1  mat.Matrix // Ψ1 of the nonlinear part alone, n×m
	room  []float64  // of its first moment
	m     mat.Matrix // that moment M, m×d
	q     mat.Matrix // Q = Σ_n E x·xᵀ, d×d
	c     []float64  // Ψ1 without b and κ, summed over examples, m
	means []float64  // Σ_n μ_n, d

	left, right mat.Matrix // factors of what is added to Ψ2, m×(2d+2)
	t           mat.Matrix // derivative in psi1, n×m
}

// A slope2 is a symmetric G = ∂L/∂Ψ2 with its products that sloped and constant parts ask
// for.
type slope2 struct {
	g    mat.Matrix // m×m
	a    mat.Matrix // G·A, m×d
	aa   mat.Matrix // Aᵀ·G·A, d×d
	one  []float64  // G·1, m
	aOne []float64  // Aᵀ·G·1, d
}

// timeWork is room for the terms of times.
type timeWork struct {
	kappa  mat.Matrix // κ, n×m; of Forward
	square mat.Matrix // Ψ1ᵀ·κ, m×m
	psi1   mat.Matrix // Ψ1 − κ, n×m
	dKappa mat.Matrix // ∂L/∂κ, n×m
}
