package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// somethingFilled returns variances and correlations of what was filled in of a model's training data, at random.
func somethingFilled(m model, rng *rand.Rand) *Filled {
	n := m.grid.Len()
	v, root := mat.New(m.params.X.Mu.Rows, n*m.channels()), mat.New(n, n+1)
	for k := range v.Data {
		if rng.IntN(2) == 0 {
			v.Data[k] = rng.Float64()
		}
	}
	for k := range root.Data {
		root.Data[k] = rng.NormFloat64()
	}
	c := mat.New(n, n)
	mat.Mul(c, 1, root, root.T(), 0)
	for i := range n { // of the last point nothing was filled in
		c.Set(i, n-1, 0)
		c.Set(n-1, i, 0)
	}
	return NewFilled(v, c)
}

// Correlations are those of a covariance, and 0 where it knows nothing.
func TestNewFilled(t *testing.T) {
	f := NewFilled(mat.New(1, 3), mat.NewDense(3, 3, []float64{4, 3, 0, 3, 9, 0, 0, 0, 0}))
	for k, want := range []float64{1, 0.5, 0, 0.5, 1, 0, 0, 0, 1} {
		if f.Alike.Data[k] != want {
			t.Fatalf("correlations %v", f.Alike.Data)
		}
	}
}

// Variances and correlations of other shapes or outside their ranges are refused.
func TestFilledMustFit(t *testing.T) {
	m, _, rng := blendCase(t, 1)
	good := somethingFilled(m, rng)
	n := m.grid.Len()
	for what, change := range map[string]func(o *Options){
		"beside nothing":     func(o *Options) { o.Residuals = mat.Matrix{} },
		"too few variances":  func(o *Options) { o.Filled.Variance = mat.New(1, good.Variance.Cols) },
		"other correlations": func(o *Options) { o.Filled.Alike = mat.New(n-1, n-1) },
		"negative":           func(o *Options) { o.Filled.Variance.Data[3] = -1 },
		"no number":          func(o *Options) { o.Filled.Variance.Data[3] = math.NaN() },
		"infinite":           func(o *Options) { o.Filled.Variance.Data[3] = math.Inf(1) },
		"beyond 1":           func(o *Options) { o.Filled.Alike.Set(0, 0, 2) },
		"not symmetric":      func(o *Options) { o.Filled.Alike.Set(0, 1, o.Filled.Alike.At(0, 1)/2+0.1) },
	} {
		o := Options{Residuals: m.residuals, Filled: &Filled{good.Variance.Clone(), good.Alike.Clone()}}
		if _, err := m.With(o); err != nil {
			t.Fatal(err)
		}
		change(&o)
		if _, err := m.With(o); err == nil {
			t.Error(what + ": accepted")
		}
	}
}
