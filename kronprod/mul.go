package kronprod

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Workspace holds the intermediate tensors of repeated products, so that these
// do not allocate once it has grown. The zero value is ready; it serves one
// call at a time.
type Workspace struct {
	buffer [2][]float64
	dims   [3][]int // of what is multiplied, and of the intermediate tensors
	order  []int
}

// Mul sets dst = o·x, where x has o.Cols() rows and dst o.Rows() rows and as
// many columns as x. dst must not overlap x. A nil workspace allocates.
func (o Operator) Mul(dst, x mat.Matrix, w *Workspace) {
	if x.Rows != o.Cols() || dst.Rows != o.Rows() || dst.Cols != x.Cols {
		panic(fmt.Sprintf("kronprod: Mul: dst %d×%d, operator %s, x %d×%d do not fit dst = o·x",
			dst.Rows, dst.Cols, o.shape(), x.Rows, x.Cols))
	}
	mat.CheckDestination("kronprod: Mul", "dst", dst)
	mat.CheckSource("kronprod: Mul", "x", x)
	if mat.Overlap(dst, x) {
		panic(fmt.Sprintf("kronprod: Mul: dst %d×%d overlaps x %d×%d", dst.Rows, dst.Cols, x.Rows, x.Cols))
	}
	if !x.IsContiguous() {
		x = x.Clone()
	}
	out := dst
	if !dst.IsContiguous() {
		out = mat.New(dst.Rows, dst.Cols)
	}
	if w == nil {
		w = new(Workspace)
	}
	w.dims[2] = w.dims[2][:0]
	for _, a := range o.Factors {
		w.dims[2] = append(w.dims[2], a.Cols)
	}
	w.dims[2] = append(w.dims[2], x.Cols)
	o.apply(Tensor{Data: out.Data[:out.Rows*out.Cols]}, Tensor{Dims: w.dims[2], Data: x.Data[:x.Rows*x.Cols]}, w)
	if !dst.IsContiguous() {
		mat.Copy(dst, out)
	}
}

// MulTensor multiplies every mode f of x by factor f; a factor of which all
// four integers and the slice are zero leaves its mode alone, and so do modes
// beyond the last factor. It returns a tensor that shares dst's storage, which
// must be long enough and not overlap x.
func (o Operator) MulTensor(dst []float64, x Tensor, w *Workspace) Tensor {
	dims := slices.Clone(x.Dims)
	for f, a := range o.Factors {
		if absent(a) {
			continue
		}
		if f >= len(dims) || a.Cols != dims[f] {
			panic(fmt.Sprintf("kronprod: MulTensor: operator %s does not fit a tensor %v", o.shape(), x.Dims))
		}
		dims[f] = a.Rows
	}
	if w == nil {
		w = new(Workspace)
	}
	out := Shaped(dst, dims...)
	if n, ok := size(x.Dims); !ok || len(x.Data) != n {
		panic(fmt.Sprintf("kronprod: MulTensor: a tensor %v with %d entries", x.Dims, len(x.Data)))
	}
	if shared(out.Data, x) {
		panic(fmt.Sprintf("kronprod: MulTensor: dst %v overlaps x %v", dims, x.Dims))
	}
	o.apply(out, x, w)
	return out
}

func absent(a mat.Matrix) bool {
	return a.Rows == 0 && a.Cols == 0 && a.Data == nil
}

// apply multiplies the modes of x one after another, the cheapest order first,
// and leaves the result in dst.Data.
func (o Operator) apply(dst, x Tensor, w *Workspace) {
	order := w.order[:0]
	for f, a := range o.Factors {
		if !absent(a) {
			order = append(order, f)
		}
	}
	w.order = order
	slices.SortStableFunc(order, func(f, g int) int {
		return cmp.Compare(o.cost(f), o.cost(g))
	})
	if len(order) == 0 {
		copy(dst.Data, x.Data)
		return
	}
	from := x
	for i, f := range order {
		w.dims[i%2] = append(w.dims[i%2][:0], from.Dims...)
		to := Tensor{Dims: w.dims[i%2]}
		to.Dims[f] = o.Factors[f].Rows
		n := product(to.Dims)
		if i == len(order)-1 {
			to.Data = dst.Data[:n]
		} else {
			w.buffer[i%2] = grow(w.buffer[i%2], n)
			to.Data = w.buffer[i%2]
		}
		MulMode(to, o.Factors[f], from, f)
		from = to
	}
}

// cost orders the factors: an r×c factor costs r per entry and leaves r/c of
// them, and the total is least in ascending order of 1/c − 1/r.
func (o Operator) cost(f int) float64 {
	a := o.Factors[f]
	return 1/float64(max(a.Cols, 1)) - 1/float64(max(a.Rows, 1))
}
