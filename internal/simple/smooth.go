package simple

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Weights of a component at points are N(0, I), and with L the Laplacian of the graph of neighbours Lw ~ N(0, I/t). The precision t is learned for each component and part.

const smoothSteps = 10 // of conjugate gradients in a round

// neighbours returns of each column those of its channel at the points next to it: two for each dimension, and those that it is one of; nil where columns lie nowhere.
func (d *Data) neighbours() (list [][]int) {
	from := 0
	for _, t := range d.parts() {
		if t.Points.Rows > 0 {
			if list == nil {
				list = make([][]int, d.Y.Cols)
			}
			tree := NewTree(t.Points)
			for p := range t.Points.Rows {
				for _, other := range tree.Nearest(nil, t.Points.Row(p), 2*t.Points.Cols+1) {
					for c := range t.Channels {
						if i, k := from+p*t.Channels+c, from+other*t.Channels+c; k != i && !slices.Contains(list[i], k) {
							list[i], list[k] = append(list[i], k), append(list[k], i)
						}
					}
				}
			}
		}
		from += t.Columns
	}
	return list
}

// roughness returns the precision t of each component in each column, 0 where neighbours do not count: one of all columns of a part.
func (e *em) roughness() mat.Matrix {
	p, q := e.model.w.Rows, e.model.w.Cols
	t := mat.New(p, q)
	if e.near == nil {
		return t
	}
	l := mat.New(p, q)
	e.laplace(l, e.model.w)
	from := 0
	for _, part := range e.d.parts() {
		sum := make([]float64, q)
		for j := from; j < from+part.Columns; j++ {
			for k := range sum {
				sum[k] += square(l.At(j, k)) + e.stiffness(j)*e.model.cov.At(j, k*(q+1))
			}
		}
		for j := from; j < from+part.Columns; j++ {
			for k, v := range sum {
				t.Set(j, k, float64(part.Columns)/max(v, minVariance))
			}
		}
		from += part.Columns
	}
	return t
}

// stiffness returns the diagonal element of L² for a column, 0 where neighbours do not count.
func (e *em) stiffness(j int) float64 {
	if e.near == nil {
		return 0
	}
	n := float64(len(e.near[j]))
	return n * (n + 1)
}

// laplace sets dst to the Laplacian of each column of w: the number of neighbours times what is at a point, less what is at these.
func (e *em) laplace(dst, w mat.Matrix) {
	eachColumn(w.Rows, 0, func(j int, _ []float64) {
		list, to := e.near[j], dst.Row(j)
		asm.Scale(to, float64(len(list)), w.Row(j))
		for _, i := range list {
			asm.Axpy(-1, w.Row(i), to)
		}
	})
}

// smooth solves for the weights of all columns together, by conjugate gradients from those of before, with what each column's own covariance makes of a residual.
func (e *em) smooth(next *factors, s *sums, t mat.Matrix) {
	p, q := next.w.Rows, next.w.Cols
	l := mat.New(p, q)
	apply := func(dst, w mat.Matrix) {
		e.laplace(l, w)
		e.laplace(dst, l)
		eachColumn(p, q, func(j int, product []float64) {
			to, from := dst.Row(j), w.Row(j)
			asm.DotRows(product, s.moments.Row(j), q+1, from)
			for k := range q {
				to[k] = t.At(j, k)*to[k] + from[k] + product[k]/e.model.noise[j]
			}
		})
	}
	r, z, step, product := mat.New(p, q), mat.New(p, q), mat.New(p, q), mat.New(p, q)
	precondition := func() {
		eachColumn(p, 0, func(j int, _ []float64) { asm.DotRows(z.Row(j), next.cov.Row(j), q, r.Row(j)) })
	}
	mat.Copy(next.w, e.model.w)
	apply(r, next.w)
	for j := range p {
		row := r.Row(j)
		asm.Scale(row, -1, row)
		asm.Axpy(1/e.model.noise[j], s.b.Row(j)[:q], row)
	}
	precondition()
	mat.Copy(step, z)
	rz := mat.Dot(r, z)
	for range smoothSteps {
		if !(rz > 0) {
			return
		}
		apply(product, step)
		a := rz / mat.Dot(step, product)
		mat.Add(next.w, next.w, a, step)
		mat.Add(r, r, -a, product)
		precondition()
		last := rz
		rz = mat.Dot(r, z)
		mat.Add(step, z, rz/last, step)
	}
}
