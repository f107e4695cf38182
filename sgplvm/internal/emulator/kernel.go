package emulator

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A Form is the shape of the stationary part of a kernel.
type Form int

// The forms. Product is ∏_q (1 − s_q + s_q·exp(−½(ξ_q − ξ′_q)²/ℓ_q²)): with shares s_q below 1 it holds functions of few inputs each,
// which are learned from fewer runs.
const (
	RBF Form = iota
	Matern52
	Product
)

// String returns the name of a form.
func (f Form) String() string { return [...]string{"rbf", "matern52", "product"}[f] }

// A Kernel is w·k(ξ, ξ′) + (1 − w)·Σ_q u_q·ξ_q·ξ′_q, of inputs ξ of mean 0, with k(ξ, ξ) = 1.
type Kernel struct {
	Form   Form
	Share  float64   // w, 0 to 1
	Scales []float64 // ℓ, d
	Parts  []float64 // s, d, for Product
	Linear []float64 // u, d: so that the sum is 1 in the mean of the runs
}

// values sets dst to the kernel between the rows of x and of z. Where form is not empty it receives k(ξ, ξ′), and weight, unless the form is Product,
// −2·∂k/∂r² with r² = Σ_q (ξ_q − ξ′_q)²/ℓ_q².
func (k *Kernel) values(dst, x, z, form, weight mat.Matrix) {
	if form.Rows == 0 {
		form = mat.New(dst.Rows, dst.Cols)
	}
	if k.Form == Product {
		k.product(form, x, z)
	} else {
		squares(form, scaled(x, k.Scales), scaled(z, k.Scales))
		mat.Parallel(form.Rows, func(i int) {
			var w []float64
			if weight.Rows > 0 {
				w = weight.Row(i)
			}
			k.Form.decay(form.Row(i), w)
		})
	}
	mat.Mul(dst, 1-k.Share, weighted(x, k.Linear), z.T(), 0)
	mat.Parallel(dst.Rows, func(i int) { asm.Axpy(k.Share, form.Row(i), dst.Row(i)) })
}

// decay replaces r² by k, and sets w, unless it is nil, to −2·∂k/∂r².
func (f Form) decay(r2, w []float64) {
	if f == RBF {
		asm.Scale(r2, -0.5, r2)
		asm.Exp(r2, r2)
		copy(w, r2)
		return
	}
	for i, v := range r2 {
		r := math.Sqrt(5 * v)
		e := math.Exp(-r)
		r2[i] = (1 + r + float64(5*v)/3) * e
		if w != nil {
			w[i] = 5. / 3 * (1 + r) * e
		}
	}
}

// scaled returns x with its columns divided by scales.
func scaled(x mat.Matrix, scales []float64) mat.Matrix {
	inverse := make([]float64, len(scales))
	for q, l := range scales {
		inverse[q] = 1 / l
	}
	return weighted(x, inverse)
}

// weighted returns x with its columns multiplied by u.
func weighted(x mat.Matrix, u []float64) mat.Matrix {
	y := mat.New(x.Rows, x.Cols)
	mat.ScaleCols(y, x, u)
	return y
}

// linear returns the linear part between the rows of x.
func linear(x mat.Matrix, u []float64) mat.Matrix {
	k := mat.New(x.Rows, x.Rows)
	mat.Mul(k, 1, weighted(x, u), x.T(), 0)
	return k
}

// normalised returns weights in the proportions of u with which the linear part is 1 in the mean of the rows of x.
func normalised(x mat.Matrix, u []float64) []float64 {
	mean, y := 0., weighted(x, u)
	for i := range x.Rows {
		mean += asm.Dot(x.Row(i), y.Row(i)) / float64(x.Rows)
	}
	v := append([]float64{}, u...)
	if mean > 0 {
		asm.Scale(v, 1/mean, v)
	}
	return v
}

// squares sets dst to the squared distances of the rows of x from those of z.
func squares(dst, x, z mat.Matrix) {
	nx, nz := rowSquares(x), rowSquares(z)
	mat.Mul(dst, -2, x, z.T(), 0)
	mat.Parallel(dst.Rows, func(i int) {
		row := dst.Row(i)
		for k := range row {
			row[k] = max(0, row[k]+(nx[i]+nz[k]))
		}
	})
}

// rowSquares returns the sum of squares of every row.
func rowSquares(x mat.Matrix) []float64 {
	s := make([]float64, x.Rows)
	for i := range s {
		s[i] = asm.SumSquares(x.Row(i))
	}
	return s
}

// factor sets dst to exp(−½(x_q − z_q)²/ℓ_q²) for all rows of z.
func (k *Kernel) factor(dst []float64, at float64, z []float64, q int) {
	l := k.Scales[q]
	for i, v := range z {
		u := (at - v) / l
		dst[i] = -0.5 * u * u
	}
	asm.Exp(dst, dst)
}

// product sets dst to the product form.
func (k *Kernel) product(dst, x, z mat.Matrix) {
	columns, symmetric := columns(z), work.SameView(x, z)
	mat.Parallel(x.Rows, func(i int) {
		row := dst.Row(i)
		if symmetric {
			row = row[:i+1]
		}
		for j := range row {
			row[j] = 1
		}
		e := make([]float64, len(row))
		for q, at := range x.Row(i) {
			k.factor(e, at, columns.Row(q)[:len(e)], q)
			s := k.Parts[q]
			for j, v := range e {
				row[j] *= 1 - s + float64(s*v)
			}
		}
	})
	if symmetric {
		mat.MirrorLower(dst)
	}
}

// columns returns the transposed x, row by row.
func columns(x mat.Matrix) mat.Matrix { return x.T().Clone() }

// diagonal returns K(ξ, ξ) of the rows of x.
func (k *Kernel) diagonal(x mat.Matrix) []float64 {
	d, y := make([]float64, x.Rows), weighted(x, k.Linear)
	for i := range d {
		d[i] = k.Share + (1-k.Share)*asm.Dot(x.Row(i), y.Row(i))
	}
	return d
}

// A gradient is that of a function of K in the parameters of the kernel: in w, log ℓ and s.
type gradient struct {
	share         float64
	scales, parts []float64
}

// slopes returns the gradient where m is ∂L/∂K (n×n, symmetric), form and weight are what values left, and linear is the linear part.
func (k *Kernel) slopes(x, m, form, weight mat.Matrix, linear mat.Matrix) gradient {
	g := gradient{scales: make([]float64, x.Cols), parts: make([]float64, x.Cols)}
	g.share = mat.Dot(m, form) - mat.Dot(m, linear)
	if k.Form == Product {
		k.productSlopes(&g, x, m, form)
		return g
	}
	n := x.Rows
	mat.MulElem(weight, weight, m)
	sums := make([]float64, n)
	for i := range sums {
		for _, v := range weight.Row(i) {
			sums[i] += v
		}
	}
	y := mat.New(n, x.Cols)
	mat.Mul(y, 1, weight, x, 0)
	for i := range n {
		a, b := x.Row(i), y.Row(i)
		for q, v := range a {
			g.scales[q] += float64(sums[i]*v*v) - v*b[q]
		}
	}
	for q, l := range k.Scales {
		g.scales[q] *= 2 * k.Share / (l * l)
	}
	return g
}

// productSlopes adds the derivatives of the product form.
func (k *Kernel) productSlopes(g *gradient, x, m, form mat.Matrix) {
	n, d := x.Rows, x.Cols
	columns := columns(x)
	mat.Parallel(d, func(q int) {
		l, s, column := k.Scales[q], k.Parts[q], columns.Row(q)
		e := make([]float64, n)
		var scale, part float64
		for i, at := range column {
			k.factor(e[:i], at, column[:i], q)
			mi, fi := m.Row(i), form.Row(i)
			for j, v := range e[:i] {
				u := (at - column[j]) / l
				w := mi[j] * fi[j] / (1 - s + float64(s*v))
				scale += w * v * u * u
				part += w * (v - 1)
			}
		}
		g.scales[q], g.parts[q] = 2*k.Share*s*scale, 2*k.Share*part
	})
}
