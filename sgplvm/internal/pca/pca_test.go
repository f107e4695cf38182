package pca_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/pca"
)

// drawn returns U·diag(s)·Vᵀ plus a row of means, n×p, where U and V are known orthonormal columns and those of U add up to 0: its
// components are U, of the values s².
func drawn(n, p int, s []float64) (y, u mat.Matrix) {
	wave := func(n, q int) mat.Matrix { // columns of the discrete cosine transform, without the constant one
		w := mat.New(n, q)
		for i := range n {
			for k := range q {
				w.Set(i, k, math.Sqrt(2/float64(n))*math.Cos(math.Pi*(float64(i)+0.5)*float64(k+1)/float64(n)))
			}
		}
		return w
	}
	u, y = wave(n, len(s)), mat.New(n, p)
	scaled := mat.New(n, len(s))
	mat.ScaleCols(scaled, u, s)
	mat.Mul(y, 1, scaled, wave(p, len(s)).T(), 0)
	for i := range n {
		for j := range p {
			y.Row(i)[j] += float64(j%3) - 0.5
		}
	}
	return y, u
}

// Gram matrix, covariance and subspace find components that are known: values, scores up to their signs, the variance and the sum of squares, and
// no component that is rounding. The limit of what is decomposed as a whole decides alone between them.
func TestLeading(t *testing.T) {
	for _, shape := range [][2]int{{30, 80}, {80, 30}, {80, 80}} {
		n, p := shape[0], shape[1]
		for _, s := range [][]float64{{9, 5, 4, 0.1}, {3, 3e-3, 3e-7}, {2}} {
			y, u := drawn(n, p, s)
			for _, most := range []int{1000, 30, 29, 1} {
				pca.WithMostWhole(most, func() {
					c, err := pca.Leading(pca.Dense(y), 5, rand.New(rand.NewPCG(1, 2)))
					if err != nil {
						t.Fatal(err)
					}
					name := fmt.Sprintf("%d×%d, %v, whole up to %d", n, p, s, most)
					var want []float64
					variance := 0.0
					for _, v := range s {
						if variance += v * v; v*v > 1e-10*s[0]*s[0] {
							want = append(want, v*v)
						}
					}
					if len(c.Values) != len(want) {
						t.Fatalf("%s: values %v", name, c.Values)
					}
					compare.NearOne(t, name+": variance", c.Variance, variance, 1e-12)
					compare.NearOne(t, name+": squares", c.Square, mat.Dot(y, y), 1e-13)
					for j, v := range want {
						// 0.01² of the value, of which the error of a Ritz value is the square, or rounding of the largest.
						if d := math.Abs(c.Values[j] - v); !(d <= c.Errors[j]+1e-13*s[0]*s[0]) || !(d <= 1e-4*v+1e-13*s[0]*s[0]) {
							t.Errorf("%s: value %v of component %d, expected %v within %v", name, c.Values[j], j, v, c.Errors[j])
						}
						along := mat.Dot(c.Scores.Slice(0, n, j, j+1), u.Slice(0, n, j, j+1))
						if !(math.Abs(along) > 0.999) {
							t.Errorf("%s: component %d has the cosine %v with the true one", name, j, along)
						}
					}
				})
			}
		}
	}
}

// Where values do not fall, as of noise, the subspace ends all the same, its errors hold, and so much variance is found as the exact components have, but for a hundredth.
func TestLeadingOfNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	y := mat.New(300, 200)
	for i := range y.Data {
		y.Data[i] = rng.NormFloat64()
	}
	exact, err := pca.Leading(pca.Dense(y), 200, rng)
	if err != nil {
		t.Fatal(err)
	}
	pca.WithMostWhole(10, func() {
		c, err := pca.Leading(pca.Dense(y), 8, rng)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range c.Values {
			nearest := math.Inf(1)
			for _, w := range exact.Values {
				nearest = min(nearest, math.Abs(v-w))
			}
			if !(nearest <= c.Errors[j]) || !(c.Errors[j] > 0 && c.Errors[j] <= 0.011*v) || !(v >= 0.99*exact.Values[j]) {
				t.Errorf("value %v of component %d, exactly %v; an eigenvalue is within %v, foretold %v", v, j, exact.Values[j], nearest, c.Errors[j])
			}
		}
	})
}

// Rows that are equal, or no more than one, have no components, whatever finds them.
func TestLeadingOfNothing(t *testing.T) {
	for _, n := range []int{1, 20} {
		y := mat.New(n, 20)
		y.Fill(3)
		for _, most := range []int{1000, 0} {
			pca.WithMostWhole(most, func() {
				c, err := pca.Leading(pca.Dense(y), 4, rand.New(rand.NewPCG(5, 6)))
				if err != nil || len(c.Values) != 0 || c.Scores.Rows != n || c.Scores.Cols != 0 {
					t.Errorf("%d rows, whole up to %d: %v, scores %d×%d, error %v", n, most, c.Values, c.Scores.Rows, c.Scores.Cols, err)
				}
			})
		}
	}
}

// parts are rows that come some at a time, of which a reading fails.
type parts struct {
	mat.Matrix
	step, reads, failAt int
}

var errDisk = errors.New("the disk is gone")

func (p *parts) Dims() (int, int) { return p.Rows, p.Cols }

func (p *parts) Gram() (mat.Matrix, error) { return mat.Matrix{}, errDisk }

func (p *parts) EachRows(body func(rows mat.Matrix, from int) error) error {
	for from := 0; from < p.Rows; from += p.step {
		if p.reads++; p.reads == p.failAt {
			return errDisk
		}
		if err := body(p.Slice(from, min(from+p.step, p.Rows), 0, p.Cols), from); err != nil {
			return err
		}
	}
	return nil
}

// Rows that come some at a time have the components of all at once, and a reading that fails ends the work with its error.
func TestLeadingInParts(t *testing.T) {
	y, _ := drawn(80, 40, []float64{5, 3, 2, 1, 0.5})
	leading := func(rows pca.Rows) (pca.Components, error) {
		return pca.Leading(rows, 3, rand.New(rand.NewPCG(7, 8)))
	}
	for _, most := range []int{1000, 1} {
		pca.WithMostWhole(most, func() {
			want, err := leading(pca.Dense(y))
			if err != nil {
				t.Fatal(err)
			}
			all := &parts{Matrix: y, step: 7}
			got, err := leading(all)
			if err != nil {
				t.Fatal(err)
			}
			compare.Near(t, "values", got.Values, want.Values, 1e-12)
			for j := range got.Values {
				if c := math.Abs(mat.Dot(got.Scores.Slice(0, 80, j, j+1), want.Scores.Slice(0, 80, j, j+1))); !(c > 1-1e-9) {
					t.Errorf("component %d has the cosine %v with that of all rows at once", j, c)
				}
			}
			for failAt := 1; failAt <= all.reads; failAt++ {
				if _, err := leading(&parts{Matrix: y, step: 7, failAt: failAt}); err != errDisk {
					t.Errorf("reading %d fails: error %v", failAt, err)
				}
			}
		})
	}
}
