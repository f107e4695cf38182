package emulator

import "github.com/seed-08962ecc/kronfield/mat"

// A Group is modes that share a kernel, conditioned on the runs: at ξ, with k = K(ξ, runs), the mean of mode j is k·α_j and its variance
// a_j·(K(ξ, ξ) − Σ_i (kᵀu_i)²/(λ_i + r_j) + r_j).
type Group struct {
	Kernel *Kernel
	Modes  []int
	A, R   []float64  // of each of the modes
	U      mat.Matrix // eigenvectors u_i in columns, n×n
	X      mat.Matrix // the runs, or inducing inputs, n×d
	Lambda []float64  // their eigenvalues λ_i, n
	Alpha  mat.Matrix // n×modes
}

// Groups returns those of the model, which they are a part of.
func (m *Model) Groups() (list []Group) {
	for _, g := range m.process.groups {
		list = append(list, Group{g.kernel, g.modes, g.a, g.r, g.u, m.process.x, g.lambda, g.alpha})
	}
	return list
}
