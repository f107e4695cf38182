package sgplvm

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// KernelKind names a stationary covariance function of the scaled distance
// r = ‖(x − x′)/ℓ‖.
type KernelKind string

// The kernels, for unit variance. Matérn: Rasmussen and Williams, "Gaussian
// Processes for Machine Learning" (2006), section 4.2.
const (
	Matern12 KernelKind = "matern12" // exp(−r)
	Matern32 KernelKind = "matern32" // (1 + √3r)·exp(−√3r)
	Matern52 KernelKind = "matern52" // (1 + √5r + 5r²/3)·exp(−√5r)
	RBF      KernelKind = "rbf"      // exp(−r²/2)
	White    KernelKind = "white"    // 1 where all coordinates are equal, else 0
)

// KernelKinds lists all kinds.
var KernelKinds = []KernelKind{Matern12, Matern32, Matern52, RBF, White}

// Kernel is a covariance function: Variance times its kind's function of the
// distance, with one length scale for all dimensions (isotropic), or one for
// each (automatic relevance determination). A white kernel has none.
type Kernel struct {
	Kind        KernelKind
	Variance    float64
	LengthScale []float64
}

// validate reports whether the kernel can be used on points of d dimensions.
func (k Kernel) validate(d int) error {
	if !slices.Contains(KernelKinds, k.Kind) {
		return fmt.Errorf("unknown kernel %q, expected one of %v", k.Kind, KernelKinds)
	}
	if !(k.Variance > 0) || math.IsInf(k.Variance, 0) {
		return fmt.Errorf("%s kernel: variance %v, expected a positive number", k.Kind, k.Variance)
	}
	if k.Kind == White {
		if len(k.LengthScale) != 0 {
			return fmt.Errorf("white kernel: %d length scales, expected none", len(k.LengthScale))
		}
		return nil
	}
	if n := len(k.LengthScale); n != 1 && n != d {
		return fmt.Errorf("%s kernel: %d length scales for %d dimensions, expected 1 or %d", k.Kind, n, d, d)
	}
	for q, l := range k.LengthScale {
		if !(l > 0) || math.IsInf(l, 0) {
			return fmt.Errorf("%s kernel: length scale %v of dimension %d, expected a positive number", k.Kind, l, q)
		}
	}
	return nil
}

func (k Kernel) clone() Kernel {
	k.LengthScale = slices.Clone(k.LengthScale)
	return k
}

// inverseSquares sets w_q to 1/ℓ_q² for each dimension.
func (k Kernel) inverseSquares(w []float64) {
	for q := range w {
		w[q] = 1
		if n := len(k.LengthScale); n > 0 {
			l := k.LengthScale[min(q, n-1)]
			w[q] = 1 / (l * l)
		}
	}
}

// The work on a kernel matrix is cut into blocks of rows of about blockWork
// multiplications, but no more than rowBlocks, whatever the number of processors. Tests
// lower blockWork.
const rowBlocks = 32

var blockWork = 1 << 15

// Matrix sets dst[i,j] = k(x_i, y_j) for the rows of x (n×d) and y (m×d); dst
// is n×m.
func (k Kernel) Matrix(dst, x, y mat.Matrix) {
	w := newKernelWork(k, x, y)
	symmetric := sameView(x, y)
	mat.Parallel(w.blocks, func(b int) {
		i0, i1 := blockRange(b, w.blocks, x.Rows)
		for i := i0; i < i1; i++ {
			row := dst.Row(i)
			if symmetric {
				row = row[:i+1]
			}
			w.squaredDistances(row, x.Row(i))
			k.values(row)
		}
	})
	if symmetric {
		mat.MirrorLower(dst)
	}
	w.giveBack()
}

// kernelWork holds points y by coordinates, so that all loops are along points.
type kernelWork struct {
	blocks int        // blocks of rows of x
	yt     mat.Matrix // yᵀ, d×m
	inv    []float64  // 1/ℓ_q² for each dimension
	buffer *[]float64
}

func newKernelWork(k Kernel, x, y mat.Matrix) kernelWork {
	d := x.Cols
	w := kernelWork{blocks: max(1, min(rowBlocks, x.Rows, x.Rows*y.Rows*d/blockWork)), buffer: mat.Borrow(d * (y.Rows + 1))}
	w.yt, w.inv = mat.NewDense(d, y.Rows, (*w.buffer)[:d*y.Rows]), (*w.buffer)[d*y.Rows:]
	mat.Copy(w.yt, y.T())
	k.inverseSquares(w.inv)
	return w
}

func (w kernelWork) giveBack() { mat.GiveBack(w.buffer) }

// squaredDistances sets r2[j] = Σ_q (x_q − y_jq)²·inv_q for j < len(r2), at most
// farthest.
func (w kernelWork) squaredDistances(r2, x []float64) {
	clear(r2)
	for q, inv := range w.inv {
		at := x[q]
		for j, v := range w.yt.Row(q)[:len(r2)] {
			d := at - v
			r2[j] += float64(float64(d*d) * inv)
		}
	}
	for j, v := range r2 {
		r2[j] = min(v, farthest)
	}
}

// blockRange returns where block b of count nearly equal blocks of n begins
// and ends.
func blockRange(b, count, n int) (from, to int) { return b * n / count, (b + 1) * n / count }

// farthest is a squared scaled distance at which every covariance is 0 in
// float64. Larger ones are cut to it, since ∞·exp(−∞) is NaN.
const farthest = 1e300

// values turns squared distances into covariances, in place.
func (k Kernel) values(r2 []float64) {
	switch k.Kind {
	case White:
		for j, v := range r2 {
			r2[j] = 0
			if v == 0 {
				r2[j] = k.Variance
			}
		}
	case RBF:
		asm.Scale(r2, -0.5, r2)
		asm.Exp(r2, r2)
		asm.Scale(r2, k.Variance, r2)
	case Matern12:
		asm.ExpSqrt(r2, r2, 1, k.Variance, 0, 0)
	case Matern32:
		asm.ExpSqrt(r2, r2, 3, k.Variance, k.Variance, 0)
	case Matern52:
		asm.ExpSqrt(r2, r2, 5, k.Variance, k.Variance, k.Variance/3)
	}
}

// slopes turns squared distances into −k′(r)/r, in place: the factor in every
// derivative, ∂k/∂ℓ_q = (−k′/r)·(x_q−y_q)²/ℓ_q³ and ∂k/∂y_q = (−k′/r)·(x_q−y_q)/ℓ_q².
// Where points coincide the Matérn 1/2 kernel has a kink; the slope there is
// taken as 0.
func (k Kernel) slopes(r2 []float64) {
	switch k.Kind {
	case White:
		clear(r2)
	case RBF:
		k.values(r2)
	case Matern12:
		for j, v := range r2 {
			r2[j] = 0
			if r := math.Sqrt(v); r > 0 {
				r2[j] = k.Variance * math.Exp(-r) / r
			}
		}
	case Matern32:
		asm.ExpSqrt(r2, r2, 3, 3*k.Variance, 0, 0)
	case Matern52:
		asm.ExpSqrt(r2, r2, 5, 5./3*k.Variance, 5./3*k.Variance, 0)
	}
}

// addGradient chains g = ∂L/∂K (n×m), where K[i,j] = k(x_i, y_j), into the
// kernel's parameters, which it adds to grad, and, unless dy is the zero
// Matrix, into the points y, added to dy (m×d). values is K.
func (k Kernel) addGradient(grad *Kernel, dy mat.Matrix, g, values, x, y mat.Matrix) {
	d := x.Cols
	grad.Variance += mat.Dot(g, values) / k.Variance
	if k.Kind == White {
		return
	}
	w := newKernelWork(k, x, y)
	buffer := mat.Borrow(w.blocks*(d+len(dy.Data)) + len(dy.Data))
	clear(*buffer)
	sums := mat.NewDense(w.blocks, d, (*buffer)[:w.blocks*d]) // Σ g·slope·(x_q−y_q)² of each block
	rest := (*buffer)[w.blocks*d:]
	moves, byPoints := mat.NewDense(w.blocks, len(dy.Data), rest[:w.blocks*len(dy.Data)]), rest[w.blocks*len(dy.Data):] // ∂L/∂yᵀ of each block
	together := len(k.LengthScale) == 1 && dy.Rows == 0                                                                 // all coordinates count in one sum
	mat.Parallel(w.blocks, func(b int) {
		rows := mat.Borrow(2 * y.Rows)
		slope, r2 := (*rows)[:y.Rows], (*rows)[y.Rows:]
		sum := sums.Row(b)
		i0, i1 := blockRange(b, w.blocks, x.Rows)
		for i := i0; i < i1; i++ {
			xi := x.Row(i)
			w.squaredDistances(r2, xi)
			copy(slope, r2)
			k.slopes(slope)
			asm.MulTo(slope, slope, g.Row(i))
			if together {
				sum[0] += asm.Dot(slope, r2) / w.inv[0]
				continue
			}
			for q, at := range xi {
				yq := w.yt.Row(q)
				var s float64
				if dy.Rows == 0 {
					for j, v := range yq {
						delta := at - v
						s += slope[j] * delta * delta
					}
				} else {
					move, inv := moves.Row(b)[q*len(yq):], w.inv[q]
					for j, v := range yq {
						delta := at - v
						wd := slope[j] * delta
						s += wd * delta
						move[j] += wd * inv
					}
				}
				sum[q] += s
			}
		}
		mat.GiveBack(rows)
	})
	for b := range w.blocks {
		for q, s := range sums.Row(b) {
			l := k.LengthScale[min(q, len(k.LengthScale)-1)]
			grad.LengthScale[min(q, len(k.LengthScale)-1)] += s / (l * l * l)
		}
		if dy.Rows > 0 && b > 0 {
			asm.Axpy(1, moves.Row(b), moves.Row(0))
		}
	}
	if dy.Rows > 0 {
		t := mat.NewDense(dy.Rows, d, byPoints)
		mat.Copy(t, mat.NewDense(d, dy.Rows, moves.Row(0)).T())
		mat.Add(dy, dy, 1, t)
	}
	mat.GiveBack(buffer)
	w.giveBack()
}

// sameView reports whether a and b are one view of the same numbers.
func sameView(a, b mat.Matrix) bool {
	return len(a.Data) > 0 && len(b.Data) > 0 && &a.Data[0] == &b.Data[0] &&
		a.Rows == b.Rows && a.Cols == b.Cols && a.RowStride == b.RowStride && a.ColStride == b.ColStride
}
