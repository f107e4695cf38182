package psi

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A Part is one term of the latent kernel. Its type holds its parameters, in exported
// fields, so that package record can store it; the same type holds the derivatives of a
// scalar in each of them. A part that there is stays one whatever its parameters.
//
// Beside these methods a part has those of nonlinear, or of one or more of sloped,
// constant and timed; see there and the package comment.
type Part interface {
	// Name is the part's name in a sum such as rbf+linear.
	Name() string

	clone() Part

	// zero sets every parameter to 0, to collect a gradient.
	zero()

	// visit calls f for every parameter, with other's, a part of the same kind.
	visit(other Part, f Visitor)

	// validate reports whether the part can be used on d latent dimensions.
	validate(d int) error

	// start sets the parameters to those from which training starts.
	start(s Setting) error

	// save writes the parameters; load reads them, or returns false where they are not
	// there. The names are those of model files and do not change.
	save(w Writer)
	load(r Reader) bool

	// describe names the part and its variance, for people.
	describe() string

	// relevance returns how fast f changes along each latent dimension, and what to call
	// it; "" for a part that does not tell.
	relevance() (title string, slopes []float64)

	// diagonal returns the parameters c and v of k(x, x) = c + Σ_q v_q·x_q²; nil stands for 0.
	// Of a part that holds a gradient these are the derivatives in them.
	diagonal() (c *float64, v []float64)

	// addMatrix adds k(z_i, z_j) to dst (m×m).
	addMatrix(dst mat.Matrix, in Inducing)

	// addMatrixGradient chains a symmetric g = ∂L/∂K, where K is what addMatrix adds, into
	// the parameters, added to grad, and into Z, added to dz (m×d). A nonlinear part gets
	// that K in values.
	addMatrixGradient(grad Part, dz, g, values mat.Matrix, in Inducing)
}

// A sloped part has k(x, z) = A(z)·x + …
type sloped interface {
	Part

	// slope sets a (m×d) to A, a row for each row of z (m×d).
	slope(a, z mat.Matrix)

	// slopeBackward chains da = ∂L/∂A into the parameters and Z.
	slopeBackward(grad Part, dz, da, z mat.Matrix)
}

// A constant part has k(x, z) = b + …
type constant interface {
	Part

	// offset returns the parameter b, of a part that holds a gradient the derivative in it.
	offset() *float64
}

// A timed part has k(x_n, z_k) = κ(t_n, t_k) + …, where t_n and t_k are times.
type timed interface {
	Part

	// values sets dst[i,j] = κ(a_i, b_j), len(a)×len(b).
	values(dst mat.Matrix, a, b []kernel.Instant)

	// valuesBackward chains g = ∂L/∂κ into the parameters.
	valuesBackward(grad Part, g mat.Matrix, a, b []kernel.Instant)
}

// A nonlinear part is any other function of x. A kernel has at most one, since two would
// need the expectation of their product; validate sees to that.
type nonlinear interface {
	Part
	expectations() expectations
}

// expectations are the psi statistics of a nonlinear part alone, Ψ1 (n×m) and Ψ2 (m×m),
// and what its cross terms with affine parts need, its first moment
//
//	M[k,q] = Σ_n E k(x_n, z_k)·x_nq      (m×d)
//
// Only set, psi2 and the methods of a gradient that is collected change them; all others
// may be called from several goroutines. mu and s are n×d.
type expectations interface {
	// set takes over parameters and inducing inputs z (m×d), in storage of an earlier call.
	set(p Part, z mat.Matrix)

	// farthest returns the distance of the farthest inducing input from the mean of all, in
	// length scales.
	farthest() float64

	// psi1 sets dst to Ψ1.
	psi1(dst, mu, s mat.Matrix)

	// psi1Jacobian sets dst[k,q] = ∂ψ1_k/∂μ_q (m×d) for one example, given its ψ1.
	psi1Jacobian(dst mat.Matrix, psi1, mu, s []float64)

	// psi2 sets dst (symmetric) to Ψ2.
	psi2(dst, mu, s mat.Matrix)

	// beginGradient starts to collect derivatives in parameters and Z; endGradient adds what
	// was collected to grad and dz (m×d).
	beginGradient()
	endGradient(grad Part, dz mat.Matrix)

	// psi1Backward adds the derivatives of Σ g∘Ψ1 to dmu and ds (n×d), given g and Ψ1
	// (n×m), and, if asked to, collects those in parameters and Z.
	psi1Backward(collect bool, dmu, ds, g, psi1, mu, s mat.Matrix)

	// psi2Backward adds the derivatives of tr(g·Ψ2) to dmu and ds and collects the others,
	// given a symmetric g. psi2 was called before with the same mu and s.
	psi2Backward(dmu, ds, g, mu, s mat.Matrix)

	// M is linear in Ψ1. momentWeights prepares room, of momentRoom(n) numbers, for the
	// methods below, which are called in this order.
	momentRoom(n int) int
	momentWeights(room []float64, mu, s mat.Matrix)

	// moment sets dst (m×d) to M, given Ψ1.
	moment(dst mat.Matrix, room []float64, psi1 mat.Matrix)

	// addMomentSlope adds to t (n×m) the derivative of 2·Σ g∘M in Ψ1, given g (m×d).
	addMomentSlope(t, g mat.Matrix, room []float64)

	// momentBackward adds the other derivatives of 2·Σ g∘M to dmu and ds and, unless dz is
	// the zero Matrix, those in Z to dz, and collects those in parameters. Only the latter
	// two need moment.
	momentBackward(dz, dmu, ds, g mat.Matrix, room []float64, psi1, mu, s mat.Matrix)

	// exampleRoom is how many numbers the next two need.
	exampleRoom() int

	// psi2Example sets e (m×m, symmetric) to Ψ2 of one example.
	psi2Example(e mat.Matrix, room, mu, s []float64)

	// psi2ExampleBackward adds the derivatives of tr(g·Ψ2) of one example to dmu and ds,
	// given a symmetric g and e of psi2Example, which it overwrites.
	psi2ExampleBackward(e mat.Matrix, room []float64, dmu, ds []float64, g mat.Matrix, mu, s []float64)

	// psi2ExampleCollect is psi2ExampleBackward, and collects the derivatives in parameters and Z.
	psi2ExampleCollect(e mat.Matrix, room []float64, dmu, ds []float64, g mat.Matrix, mu, s []float64)
}

// A Visitor is called for parameters: value is a slice of them, slope the same slice of
// another kernel (a gradient, say), and positive says that an optimiser sees the
// logarithm. It may change either.
type Visitor = func(value, slope []float64, positive bool)

// VisitScalar visits a positive parameter that is not a slice.
func VisitScalar(value, slope *float64, f Visitor) {
	v, s := []float64{*value}, []float64{*slope}
	f(v, s, true)
	*slope = s[0] // first: the two may be one
	*value = v[0]
}

// A Setting is what training knows before it starts.
type Setting struct {
	Fractions []float64     // share of each principal component in the variance between examples, d
	Common    float64       // share of the examples' mean in the mean square of the data
	Spatial   float64       // what the spatial kernels multiply variances by
	Time      kernel.Kernel // of a time part; of zero Kind where examples have no times
}

// least bounds the shares of variance from which training starts.
const least = 1e-3

// A Writer takes the parameters of a kernel by the names that model files have for them.
type Writer interface {
	Numbers(name string, v []float64) // a tensor of one dimension
	Text(name, value string)          // an entry of the metadata
}

// A Reader gives them back. It keeps its first error; what it gives then does not count.
type Reader interface {
	Has(name string) bool
	Numbers(name string) []float64
	Number(name string) float64 // a tensor of one number
	Text(name string) string
	Fail(err error)
}
