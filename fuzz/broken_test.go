package fuzz_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// after returns x with every result passed through change, which may also see
// whether an operand was finite.
func after(x fuzz.Library, change func(m mat.Matrix, finite bool)) fuzz.Library {
	finite := func(ms ...mat.Matrix) bool {
		for _, m := range ms {
			if _, _, found := mat.NonFinite(m); found {
				return false
			}
		}
		return true
	}
	one := func(v float64, ok bool) float64 {
		m := mat.NewDense(1, 1, []float64{v})
		change(m, ok)
		return m.At(0, 0)
	}
	y := x
	y.Mul = func(d mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		x.Mul(d, alpha, a, b, beta)
		change(d, finite(a, b))
	}
	y.MulSym = func(d mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		x.MulSym(d, alpha, a, b, beta)
		change(d, finite(a, b))
	}
	y.Syrk = func(d mat.Matrix, alpha float64, a mat.Matrix, beta float64) {
		x.Syrk(d, alpha, a, beta)
		change(d, finite(a))
	}
	in := func(f func(t, b mat.Matrix)) func(t, b mat.Matrix) {
		return func(t, b mat.Matrix) {
			ok := finite(b)
			f(t, b)
			change(b, ok)
		}
	}
	y.MulLower, y.MulUpper, y.SolveLower, y.SolveUpper = in(x.MulLower), in(x.MulUpper), in(x.SolveLower), in(x.SolveUpper)
	y.Cholesky = func(a mat.Matrix) (mat.Matrix, int) {
		l, failed := x.Cholesky(a)
		if !finite(fuzz.Lower(a)) {
			return mat.Identity(a.Rows), a.Rows
		}
		if failed < a.Rows {
			return l, failed + int(one(1, true)) - int(one(0, true)) // moved on by 1
		}
		change(l, true)
		return l, failed
	}
	two := func(f func(a, b mat.Matrix) (mat.Matrix, error)) func(a, b mat.Matrix) (mat.Matrix, error) {
		return func(a, b mat.Matrix) (mat.Matrix, error) {
			ok := finite(a, b)
			v, err := f(a, b)
			if !ok {
				v, err = b.Clone(), nil
			}
			change(v, ok)
			return v, err
		}
	}
	y.SolveSPD, y.Solve = two(x.SolveSPD), two(x.Solve)
	y.InverseSPD = func(a mat.Matrix) (mat.Matrix, error) { v, err := x.InverseSPD(a); change(v, true); return v, err }
	y.Inverse = func(a mat.Matrix) (mat.Matrix, error) { v, err := x.Inverse(a); change(v, true); return v, err }
	y.LogDetSPD = func(a mat.Matrix) (float64, error) { v, err := x.LogDetSPD(a); return one(v, true), err }
	y.LogDet = func(a mat.Matrix) (float64, float64, error) { v, s, err := x.LogDet(a); return one(v, true), s, err }
	y.Update = func(a mat.Matrix, v []float64) (mat.Matrix, error) {
		l, err := x.Update(a, v)
		change(l, true)
		return l, err
	}
	y.Downdate = func(a mat.Matrix, v []float64) (mat.Matrix, error) {
		l, _ := x.Downdate(a, v)
		change(l, true)
		return l, nil
	}
	y.Eig = func(a mat.Matrix) ([]float64, mat.Matrix, error) {
		if !finite(fuzz.Lower(a)) {
			return make([]float64, a.Rows), mat.Identity(a.Rows), nil
		}
		w, v, err := x.Eig(a)
		change(mat.Vector(w), true)
		return w, v, err
	}
	y.EigValues = func(a mat.Matrix) ([]float64, error) {
		w, err := x.EigValues(a)
		change(mat.Vector(w), true)
		return w, err
	}
	y.LU = func(a mat.Matrix) ([]int, mat.Matrix, mat.Matrix, error) {
		if !finite(a) {
			return nil, mat.Identity(1), mat.Identity(1), nil
		}
		p, l, u, err := x.LU(a)
		change(u, true)
		return p, l, u, err
	}
	y.QR = func(a mat.Matrix) (mat.Matrix, mat.Matrix, error) {
		if !finite(a) {
			return mat.Identity(1), mat.Identity(1), nil
		}
		q, r, err := x.QR(a)
		change(r, true)
		return q, r, err
	}
	y.SVD = func(a mat.Matrix) (mat.Matrix, []float64, mat.Matrix, error) {
		if !finite(a) {
			return mat.Identity(1), []float64{1}, mat.Identity(1), nil
		}
		u, s, v, err := x.SVD(a)
		change(mat.Vector(s), true)
		return u, s, v, err
	}
	y.KronMul = func(factors []mat.Matrix, v mat.Matrix) mat.Matrix {
		w := x.KronMul(factors, v)
		change(w, finite(v))
		return w
	}
	y.KronSolve = func(factors []mat.Matrix, b mat.Matrix) (mat.Matrix, error) {
		v, err := x.KronSolve(factors, b)
		change(v, true)
		return v, err
	}
	y.KronLogDet = func(factors []mat.Matrix) (float64, error) { v, err := x.KronLogDet(factors); return one(v, true), err }
	y.KronEig = func(factors []mat.Matrix) ([]float64, []mat.Matrix, error) {
		w, v, err := x.KronEig(factors)
		change(mat.Vector(w), true)
		return w, v, err
	}
	return y
}

var random = struct {
	sync.Mutex
	*rand.Rand
}{Rand: rand.New(rand.NewPCG(1, 1))}

// noise moves the last element by up to its size, or by 1, and makes NaN and
// infinities numbers.
func noise(m mat.Matrix, finite bool) {
	if m.Rows == 0 || m.Cols == 0 {
		return
	}
	if !finite {
		m.Fill(1)
	}
	random.Lock()
	defer random.Unlock()
	i, j := m.Rows-1, m.Cols-1
	if size := mat.NormMax(m.Slice(i, i+1, j, j+1)); size < 1e300 {
		m.Set(i, j, m.At(i, j)+(2*random.Float64()-1)*max(size, 1))
	}
}

// zeros makes results that are not finite 0, and those of no rows one row.
func zeros(m mat.Matrix, finite bool) {
	if !finite {
		m.Fill(0)
	}
}

// accepting returns x with operations that answer whatever they are given.
func accepting(x fuzz.Library) fuzz.Library {
	one := func(a mat.Matrix) (mat.Matrix, error) { return mat.Identity(a.Rows), nil }
	x.InverseSPD, x.Inverse = one, one
	x.LogDetSPD = func(mat.Matrix) (float64, error) { return 1, nil }
	x.LogDet = func(mat.Matrix) (float64, float64, error) { return 1, 1, nil }
	x.Solve = func(a, b mat.Matrix) (mat.Matrix, error) { return mat.New(b.Rows, b.Cols), nil }
	x.Update = func(a mat.Matrix, v []float64) (mat.Matrix, error) { return one(a) }
	x.EigValues = func(a mat.Matrix) ([]float64, error) { return make([]float64, a.Rows), nil }
	return x
}

// Every law can be broken: by noise, by NaN that is lost, by an operation that
// overwrites what it reads or accepts what it should refuse.
func TestLawsCanBreak(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	x := naive()
	x.Gradient, x.Start = square, func(s *fuzz.Source) []float64 { return []float64{s.NormFloat64(), 1} }
	libraries := []fuzz.Library{after(x, noise), after(x, zeros), accepting(x)}
	bad := x
	bad.Gradient = func(v, grad []float64) float64 { f := square(v, grad); grad[1] *= 1.01; return f }
	bad.Mul = func(d mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		if a.Cols == 0 { // leaves what was there
			return
		}
		d.Data = d.Data[:cap(d.Data)]
		p := fuzz.NaiveMul(1, a, b, 0, d)
		for i := range d.Rows {
			for j := range d.Cols {
				d.Set(i, j, alpha*p.At(i, j)+beta*d.At(i, j))
			}
		}
	}
	bad.Into = []fuzz.Operation{{Name: "Add", Shapes: func(n int) ([2]int, [][2]int) { return [2]int{n, n}, [][2]int{{n, n}} },
		Call: func(d mat.Matrix, in []mat.Matrix) error {
			for i := range d.Rows {
				for j := range d.Cols {
					d.Set(i, j, 1+in[0].At(i, j))
				}
			}
			return nil
		}}}
	calls := 0
	bad.Minimize = func(_ context.Context, f func(x, grad []float64) float64, x0 []float64) ([]float64, float64, error) {
		g := make([]float64, len(x0))
		for range 60 { // hears nothing, changes its start, returns the last point
			calls++
			f(x0, g)
			for i := range x0 {
				x0[i] += math.Sin(float64(calls))
			}
		}
		return x0, f(x0, g), nil
	}
	libraries = append(libraries, bad)
	for _, l := range fuzz.Laws() {
		broken := false
		for _, y := range libraries {
			f := l.Try(y, fuzz.Options{Draws: 300, Shrink: -1}).Failure
			if broken = f != nil && !strings.HasPrefix(f.Place.Error(), "panic"); broken {
				break
			}
		}
		if !broken {
			t.Errorf("nothing breaks law %q: %v", l.Name, l.Try(libraries[0], fuzz.Options{Draws: 60, Shrink: -1}).Failure)
		}
	}
}
