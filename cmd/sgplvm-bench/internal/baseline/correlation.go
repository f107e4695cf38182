package baseline

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// The candidates for the correlations of Gaussian processes in time and in space; rows and columns
// have one. Tests have fewer.
var (
	timeKinds  = []kernel.Kind{kernel.Matern12, kernel.Matern32, kernel.Matern52, kernel.RBF}
	spaceKinds = timeKinds
)

// oneScale returns a correlation function with a length scale.
func oneScale(kind kernel.Kind, length float64) kernel.Kernel {
	return kernel.Kernel{Kind: kind, Variance: 1, LengthScale: []float64{length}}
}

// correlations returns those of the coordinates x and y, len(x)×len(y).
func correlations(kind kernel.Kind, x, y []float64, length float64) mat.Matrix {
	k := mat.New(len(x), len(y))
	oneScale(kind, length).TimeMatrix(k, x, y)
	return k
}

// lengthSlope returns Σ g_ij·∂k_ij/∂log ℓ over the correlations of the coordinates x, for a
// symmetric g.
func lengthSlope(kind kernel.Kind, x []float64, length float64, g mat.Matrix) float64 {
	grad := oneScale(kind, 0)
	oneScale(kind, length).AddTimeMatrixGradient(&grad, g, x)
	return length * grad.LengthScale[0]
}

// pointCorrelations returns those of points with one another, n_s×n_s, for a length scale in the
// unit of their coordinates; ∞ correlates all of them.
func pointCorrelations(kind kernel.Kind, x mat.Matrix, length float64) mat.Matrix {
	k := mat.New(x.Rows, x.Rows)
	oneScale(kind, length).Matrix(k, x, x)
	return k
}
