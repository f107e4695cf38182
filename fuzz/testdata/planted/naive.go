// Package planted is a naive linear algebra on plain slices in which one of
// many faults can be planted, for the laws of package fuzz to find. It stands
// for a library that knows nothing of Kronfield, and is a module of its own.
package planted

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"
)

// Fault is what is wrong; None is right.
type Fault int

// The faults that can be planted.
const (
	None             Fault = iota
	Tail                   // a product unrolled by four leaves out the rest of the depth
	LastColumn             // blocks of four columns: of 4q+1 columns, q ≥ 1, the last one is wrong
	ReadsDestination       // beta = 0 multiplies what was there
	SkipsZeros             // a zero in a skips a row of b, NaN and all
	WrongStride            // the number of columns in place of ldc
	WritesGap              // a number is written behind the row
	Order                  // sums in a random order
	SharedBuffer           // goroutines share a buffer
	PivotFromOne           // the failing pivot is counted from 1
	ZeroPivot              // a pivot of 0 passes
	LostNaN                // p <= 0 in place of !(p > 0)
	HalfUpdate             // an update of rank one that leaves an element of the lower triangle
	DowndateNaN            // a downdate that fails returns NaN without error
	UnevenInverse          // one triangle of an inverse has another rounding
	ReflectorSign          // sign(0) = 0 in a reflector
	NoPivoting             // LU exchanges rows only where a pivot is 0
	PermutedSign           // a determinant whose sign forgets exchanges
	FewSweeps              // Jacobi's method stops after two sweeps
	Unsorted               // singular values in the order found
	HangsOnNaN             // a Jacobi iteration of nearly no limit
	Overlap                // a product in place, element by element
	LastPoint              // an optimiser that returns the last point and not the best
	DeafOptimiser          // an optimiser that does not hear its context
	SkipsZerosOfA          // a zero in a alone skips a row of b
	BlockEdge              // a factorisation in blocks of 41 columns leaves out a term in the second
	WideTail               // the factors of a wide matrix lack an update of the last column
	ProductOfPivots        // the logarithm of a product that overflows
	EndlessInverse         // an inverse of NaN never ends
	faults
)

var names = [faults]string{
	"none", "tail", "last column", "reads destination", "skips zeros", "wrong stride", "writes gap", "order of sums", "shared buffer",
	"pivot from one", "zero pivot", "lost NaN", "half update", "downdate NaN", "uneven inverse", "sign of a reflector", "no pivoting", "sign of a determinant",
	"few sweeps", "unsorted", "hangs on NaN", "overlap", "last point", "deaf optimiser", "skips zeros of a", "block edge", "wide tail",
	"product of pivots", "endless inverse",
}

// String returns the fault's name.
func (f Fault) String() string { return names[f] }

var buffer = make([]float64, 64*64)

// mul is c = alpha·a·b + beta·c.
func (f Fault) mul(m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if f == WrongStride {
		ldc = n
	}
	if f == SharedBuffer && m*k <= len(buffer) { // a is packed
		for i := range m {
			copy(buffer[i*k:(i+1)*k], a[i*lda:])
		}
		a, lda = buffer, k
	}
	for i := range m {
		for j := range n {
			var sum float64
			depth := k
			if f == Tail && k > 4 {
				depth = k / 4 * 4
			}
			if f == LastColumn && n > 4 && n%4 == 1 && j == n-1 {
				depth = 0
			}
			order := make([]int, depth)
			for l := range order {
				order[l] = l
			}
			if f == Order {
				rand.Shuffle(depth, func(x, y int) { order[x], order[y] = order[y], order[x] })
			}
			terms := make([]float64, depth)
			if alpha != 0 {
				for _, l := range order {
					terms[l] = a[i*lda+l] * b[l*ldb+j]
					if (f == SkipsZeros || f == SkipsZerosOfA) && a[i*lda+l] == 0 || f == SkipsZeros && b[l*ldb+j] == 0 {
						terms[l] = 0
					}
				}
				for _, l := range order {
					sum += terms[l]
				}
			}
			var old float64
			if beta != 0 || f == ReadsDestination {
				old = beta * c[i*ldc+j]
			}
			if at := i*ldc + j; at < len(c) {
				c[at] = old + alpha*sum
			}
		}
		if at := i*ldc + n; f == WritesGap && at < len(c) && ldc > n {
			c[at] = 0
		}
	}
}

// cholesky overwrites the lower triangle of a with its factor.
func (f Fault) cholesky(n int, a []float64, lda int) int {
	for j := range n {
		for i := j; i < n; i++ {
			v := a[i*lda+j]
			for l := range j {
				if f == BlockEdge && j == 41 && l == 40 {
					continue
				}
				v -= float64(a[i*lda+l] * a[j*lda+l])
			}
			if i > j {
				a[i*lda+j] = v / a[j*lda+j]
				continue
			}
			bad := !(v > 0 && v <= math.MaxFloat64)
			switch f {
			case ZeroPivot:
				bad = !(v >= 0)
			case LostNaN:
				bad = v <= 0
			}
			if bad && f == PivotFromOne {
				return j + 1
			}
			if bad {
				return j
			}
			a[j*lda+j] = math.Sqrt(v)
		}
	}
	return n
}

// lu overwrites a with its factors.
func (f Fault) lu(m, n int, a []float64, lda int, p []int) bool {
	for i := range p {
		p[i] = i
	}
	for c := range min(m, n) {
		best := c
		for i := c + 1; i < m; i++ {
			if math.Abs(a[i*lda+c]) > math.Abs(a[best*lda+c]) {
				best = i
			}
		}
		if f == NoPivoting && a[c*lda+c] != 0 {
			best = c
		}
		p[c], p[best] = p[best], p[c]
		for j := range n {
			a[c*lda+j], a[best*lda+j] = a[best*lda+j], a[c*lda+j]
		}
		if a[c*lda+c] == 0 {
			continue
		}
		for i := c + 1; i < m; i++ {
			a[i*lda+c] /= a[c*lda+c]
			for j := c + 1; j < n; j++ {
				if f == WideTail && n > m && j == n-1 {
					continue
				}
				a[i*lda+j] -= float64(a[i*lda+c] * a[c*lda+j])
			}
		}
	}
	return true
}

// qr factors by reflections H = I - 2v·vᵀ/‖v‖².
func (f Fault) qr(m, n int, a []float64, lda int, q []float64, ldq int, r []float64, ldr int) bool {
	w, full := make([]float64, m*n), make([]float64, m*m)
	for i := range m {
		for j := range n {
			w[i*n+j] = a[i*lda+j]
		}
		full[i*m+i] = 1
	}
	for c := range n {
		v, norm := make([]float64, m), 0.0
		for i := c; i < m; i++ {
			v[i] = w[i*n+c]
			norm = math.Hypot(norm, v[i])
		}
		if norm == 0 {
			continue
		}
		switch {
		case v[c] > 0:
			v[c] += norm
		case v[c] < 0 || f != ReflectorSign:
			v[c] -= norm
		}
		var square float64
		for i := c; i < m; i++ {
			v[i] /= norm
			square += v[i] * v[i]
		}
		for _, x := range []struct {
			data []float64
			cols int
		}{{w, n}, {full, m}} {
			for j := range x.cols {
				var sum float64
				for i := c; i < m; i++ {
					sum += v[i] * x.data[i*x.cols+j]
				}
				for i := c; i < m; i++ {
					x.data[i*x.cols+j] -= 2 / square * sum * v[i]
				}
			}
		}
	}
	for i := range m {
		for j := range n {
			q[i*ldq+j] = full[j*m+i]
			if i < n {
				r[i*ldr+j] = 0
				if i <= j {
					r[i*ldr+j] = w[i*n+j]
				}
			}
		}
	}
	return true
}

// eig is Jacobi's method of two sides.
func (f Fault) eig(n int, a []float64, lda int, w []float64) bool {
	t, v := make([]float64, n*n), make([]float64, n*n)
	var scale float64
	for i := range n {
		v[i*n+i] = 1
		for j := range i + 1 {
			x := a[i*lda+j]
			if x-x != 0 && f != HangsOnNaN {
				return false
			}
			t[i*n+j], t[j*n+i] = x, x
			scale = max(scale, math.Abs(x))
		}
	}
	if scale == 0 || scale != scale {
		scale = 1
	}
	e := math.Ilogb(scale)
	for i := range t {
		t[i] = math.Ldexp(t[i], -e)
	}
	limit := 60
	if f == FewSweeps {
		limit = 2
	}
	if f == HangsOnNaN {
		limit = 1 << 26
	}
	for range limit {
		rotated := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				x := t[p*n+q]
				if math.Abs(x) <= 0x1p-56*math.Sqrt(math.Abs(t[p*n+p]))*math.Sqrt(math.Abs(t[q*n+q])) || math.Abs(x) < 0x1p-1000 {
					t[p*n+q], t[q*n+p] = 0, 0
					continue
				}
				rotated = true
				theta := (t[q*n+q] - t[p*n+p]) / (2 * x)
				tan := math.Copysign(1/(math.Abs(theta)+math.Hypot(theta, 1)), theta)
				cos := 1 / math.Hypot(tan, 1)
				sin := cos * tan
				pp, qq := t[p*n+p]-tan*x, t[q*n+q]+tan*x
				for i := range n {
					y, z := t[i*n+p], t[i*n+q]
					t[i*n+p], t[i*n+q] = cos*y-sin*z, sin*y+cos*z
				}
				for i := range n {
					y, z := t[p*n+i], t[q*n+i]
					t[p*n+i], t[q*n+i] = cos*y-sin*z, sin*y+cos*z
					y, z = v[i*n+p], v[i*n+q]
					v[i*n+p], v[i*n+q] = cos*y-sin*z, sin*y+cos*z
				}
				t[p*n+p], t[q*n+q], t[p*n+q], t[q*n+p] = pp, qq, 0, 0
			}
		}
		if !rotated {
			break
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return t[order[i]*n+order[i]] < t[order[j]*n+order[j]] })
	for j, k := range order {
		w[j] = math.Ldexp(t[k*n+k], e)
		for i := range n {
			a[i*lda+j] = v[i*n+k]
		}
	}
	return true
}

// minimize walks down the gradient with steps that halve until f falls.
func (f Fault) minimize(ctx context.Context, fn func(x, grad []float64) float64, x0 []float64) ([]float64, float64, error) {
	n := len(x0)
	x, g := append([]float64(nil), x0...), make([]float64, n)
	trial, next := make([]float64, n), make([]float64, n)
	fx := fn(x, g)
	step := 1.0
	for range 3000 {
		if ctx.Err() != nil && f != DeafOptimiser {
			break
		}
		for i := range x {
			trial[i] = x[i] - step*g[i]
		}
		ft := fn(trial, next)
		if f == LastPoint && ft == ft {
			return trial, ft, nil
		}
		if ft < fx && !math.IsInf(ft, 0) {
			x, trial, g, next, fx = trial, x, next, g, ft
			step *= 2
			continue
		}
		if step /= 2; step < 1e-300 {
			break
		}
	}
	return x, fx, ctx.Err()
}
