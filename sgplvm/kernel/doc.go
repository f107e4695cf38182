// Package kernel holds the covariance functions of Gaussian processes in space and in
// time: their values, their gradients, their text and their state-space form.
//
// # The kernels
//
// A simple kernel is a function of the scaled distance r = ‖(x − x′)/ℓ‖ between two points,
// with one length scale ℓ for all dimensions, or one for each (automatic relevance
// determination). With unit variance:
//
//	matern12   exp(−r)
//	matern32   (1 + √3r)·exp(−√3r)
//	matern52   (1 + √5r + 5r²/3)·exp(−√5r)
//	rbf        exp(−r²/2)
//	white      1 where the points are equal, else 0; no length scale
//
// These are found in Rasmussen and Williams, "Gaussian Processes for Machine Learning"
// (2006), section 4.2. A [Matern12] process is continuous but rough, a [Matern32] process
// has one derivative, a [Matern52] process two, an [RBF] process all of them.
//
// A [Periodic] kernel, exp(−2·sin²(πΔ/p)/ℓ²), is a function of a difference Δ in one
// dimension: the RBF kernel of points on a circle (MacKay, "Introduction to Gaussian
// processes", 1998, section 5.2). Its length scale has no unit.
//
// A [Sum] is Σ w_i·k_i with positive weights that add up to 1, a [Product] is Π k_i. Terms
// are kernels of any kind, sums and products included.
//
// # Space and time
//
// All kinds are one type, [Kernel]. In space its methods take points, the rows of a matrix,
// and the whole is multiplied by the variance: [Kernel.Matrix], [Kernel.AddGradient],
// [Kernel.Validate]. In time they take numbers, the variance is 1, and White does not
// serve: [Kernel.Values], [Kernel.TimeMatrix], their gradients, [Kernel.ValidateTime].
//
// Gradients are chained: a method receives ∂L/∂K and adds ∂L/∂θ to a kernel of the same
// form, made by [Kernel.Clone] and [Kernel.Zero]. [Kernel.Visit] gives an optimiser the
// parameters and the gradient side by side.
//
// # State space
//
// Some processes in time are Markov: the process is the first component of a state of s
// numbers that a linear system moves, so that k(Δ) = hᵀ·A(Δ)·b for Δ ≥ 0, and a Kalman
// filter does in n steps what takes n³ with the covariance matrix. A Matérn process of order
// 1/2, 3/2, 5/2 has a state of 1, 2, 3 numbers (Hartikainen and Särkkä, "Kalman filtering
// and smoothing solutions to temporal Gaussian process regression models", 2010). The state
// of a sum is the terms' states one after the other, that of a product their Kronecker
// product (Solin and Särkkä, "Explicit link between periodic covariance functions and state
// space models", 2014). [Kernel.StateSize] is 0 for the others; [Kernel.Transition] is A,
// [Kernel.Output] h, [Kernel.Input] b.
//
// # Text
//
// [Parse] reads what flags and files hold, and [Kernel.String] writes it: matern32,
// rbf(3.5), 0.7*rbf(2)+0.3*matern12*periodic(12,1). Numbers may be left out, to be found
// from the data: [Kernel.Missing] tells which, [Kernel.Complete] fills them in.
//
// # A kernel of your own
//
// Implement [Function], two methods on squared distances, and [Register] it by a name in
// an init function: it is then a [Kind] like the others. If it has a state-space form,
// implement [StateSpace] too. The package's example does so. A kernel of this package is a
// file with these methods and a row in the table of kinds.go.
//
// # Determinism
//
// Work is divided by shape, and sums are ordered by shape: the same bits at any GOMAXPROCS.
package kernel
