package baseline

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Correlation names a stationary correlation function of one coordinate, as package
// sgplvm's kernels of that name (Rasmussen and Williams 2006, section 4.2).
type Correlation string

// The correlations, of r = |x − x′|/ℓ.
const (
	Matern12 Correlation = "matern12" // exp(−r)
	Matern32 Correlation = "matern32" // (1 + √3r)·exp(−√3r)
	Matern52 Correlation = "matern52" // (1 + √5r + 5r²/3)·exp(−√5r)
	RBF      Correlation = "rbf"      // exp(−r²/2)
)

// Correlations lists all of them.
var Correlations = []Correlation{Matern12, Matern32, Matern52, RBF}

// at returns the correlation at distance r in length scales, and its derivative in
// the logarithm of the length scale.
func (c Correlation) at(r float64) (value, slope float64) {
	switch c {
	case Matern12:
		e := math.Exp(-r)
		return e, r * e
	case Matern32:
		s := math.Sqrt(3) * r
		e := math.Exp(-s)
		return (1 + s) * e, s * s * e
	case Matern52:
		s := math.Sqrt(5) * r
		e := math.Exp(-s)
		return (1 + s + s*s/3) * e, s * s * (1 + s) / 3 * e
	default:
		e := math.Exp(-r * r / 2)
		return e, r * r * e
	}
}

// matrix returns the correlations of the coordinates x and y, len(x)×len(y).
func (c Correlation) matrix(x, y []float64, length float64) mat.Matrix {
	k := mat.New(len(x), len(y))
	mat.Parallel(len(x), func(i int) {
		row := k.Row(i)
		for j := range row {
			row[j], _ = c.at(math.Abs(x[i]-y[j]) / length)
		}
	})
	return k
}

// slopes returns the derivatives of the correlations of the coordinates x in log ℓ.
func (c Correlation) slopes(x []float64, length float64) mat.Matrix {
	k := mat.New(len(x), len(x))
	mat.Parallel(len(x), func(i int) {
		row := k.Row(i)
		for j := range row {
			_, row[j] = c.at(math.Abs(x[i]-x[j]) / length)
		}
	})
	return k
}
