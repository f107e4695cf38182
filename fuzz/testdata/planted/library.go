package planted

import (
	"errors"
	"math"
	"time"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Library is the naive linear algebra with the fault in it.
func (f Fault) Library() fuzz.Library {
	x := fuzz.Slices{Mul: f.mul, Cholesky: f.cholesky, Eig: f.eig, LU: f.lu, QR: f.qr}.Library()
	x.LogDet = f.logDet(x)
	x.InverseSPD = f.inverse(x)
	x.Update, x.Downdate = f.rankOne(x, 1), f.rankOne(x, -1)
	x.SVD = f.svd()
	x.Into = []fuzz.Operation{{Name: "Mul", Call: f.into,
		Shapes: func(n int) ([2]int, [][2]int) { return [2]int{n, n}, [][2]int{{n, n}, {n, n}} }}}
	x.Minimize = f.minimize
	return x
}

func (f Fault) logDet(x fuzz.Library) func(a mat.Matrix) (log, sign float64, err error) {
	return func(a mat.Matrix) (log, sign float64, err error) {
		p, _, u, err := x.LU(a)
		sign = 1
		for i := range p {
			for j := range i {
				if p[j] > p[i] && f != PermutedSign {
					sign = -sign
				}
			}
		}
		product := 1.0
		for i := range p {
			product *= u.At(i, i)
			log += math.Log(math.Abs(u.At(i, i)))
			sign *= math.Copysign(1, u.At(i, i))
		}
		if f == ProductOfPivots {
			log = math.Log(math.Abs(product))
		}
		return log, sign, err
	}
}

var errIndefinite = errors.New("not positive definite")

func (f Fault) inverse(x fuzz.Library) func(a mat.Matrix) (mat.Matrix, error) {
	return func(a mat.Matrix) (mat.Matrix, error) {
		n := a.Rows
		l, failed := x.Cholesky(a)
		for f == EndlessInverse && failed < n && a.At(failed, failed) != a.At(failed, failed) {
			time.Sleep(time.Second)
		}
		if failed < n {
			return mat.Matrix{}, errIndefinite
		}
		y := mat.Identity(n)
		for c := range n {
			for i := range n {
				v := y.At(i, c)
				for k := range i {
					v -= float64(l.At(i, k) * y.At(k, c))
				}
				y.Set(i, c, v/l.At(i, i))
			}
			for i := n - 1; i >= 0; i-- {
				v := y.At(i, c)
				for k := i + 1; k < n; k++ {
					v -= float64(l.At(k, i) * y.At(k, c))
				}
				y.Set(i, c, v/l.At(i, i))
			}
		}
		if f != UnevenInverse {
			mat.MirrorLower(y)
		}
		return y, nil
	}
}

// rankOne factors a ± x·xᵀ anew.
func (f Fault) rankOne(lib fuzz.Library, sign float64) func(a mat.Matrix, x []float64) (mat.Matrix, error) {
	return func(a mat.Matrix, x []float64) (mat.Matrix, error) {
		b := a.Clone()
		for i := range x {
			for j := range i + 1 {
				if f == HalfUpdate && i == 2 && j == 0 {
					continue
				}
				b.Set(i, j, b.At(i, j)+sign*x[i]*x[j])
			}
		}
		l, failed := lib.Cholesky(b)
		if failed < b.Rows && (f != DowndateNaN || sign > 0) {
			return l, errIndefinite
		}
		return l, nil
	}
}

// svd is the plain one of package fuzz, of which the first two values may change
// places.
func (f Fault) svd() func(a mat.Matrix) (mat.Matrix, []float64, mat.Matrix, error) {
	return func(a mat.Matrix) (mat.Matrix, []float64, mat.Matrix, error) {
		if _, _, found := mat.NonFinite(a); found {
			return mat.Matrix{}, nil, mat.Matrix{}, errors.New("not finite")
		}
		u, s, v := fuzz.NaiveSVD(a)
		if f == Unsorted && len(s) > 1 {
			s[0], s[1] = s[1], s[0]
			for _, m := range []mat.Matrix{u, v} {
				for i := range m.Rows {
					p, q := m.At(i, 0), m.At(i, 1)
					m.Set(i, 0, q)
					m.Set(i, 1, p)
				}
			}
		}
		return u, s, v, nil
	}
}

// into multiplies to a destination; right without overlap.
func (f Fault) into(dst mat.Matrix, in []mat.Matrix) error {
	if f != Overlap {
		for _, m := range in {
			if mat.Overlap(dst, m) {
				return errors.New("overlap")
			}
		}
	}
	for i := range dst.Rows {
		for j := range dst.Cols {
			var sum float64
			for k := range in[0].Cols {
				sum += in[0].At(i, k) * in[1].At(k, j)
			}
			dst.Set(i, j, sum)
		}
	}
	return nil
}
