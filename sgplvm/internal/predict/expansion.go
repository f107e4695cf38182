package predict

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// An expansion evaluates, at some points of a grid,
//
//	Σ_k mix[i,k]·Σ_j (A_1 ⊗ A_2 ⊗ …)[point, j]·coefficients[k, j, channel]
//
// for all rows i. The factor A_1 has the rows of a slab and changes from one to the next.
type expansion struct {
	coefficients kronprod.Tensor // count×m_1×m_2×…×channels
	modes        []mat.Matrix    // A_1, A_2, …
	mix          mat.Matrix      // rows×count; 0×0 where the coefficients are mixed already

	partial kronprod.Tensor // all modes multiplied but the last
	buffer  []float64
	work    kronprod.Workspace
	field   []float64 // one channel before it is mixed
}

// mixFirst mixes the coefficients where that makes them fewer.
func (e *expansion) mixFirst() {
	count := e.coefficients.Dims[0]
	if e.mix.Rows >= count {
		return
	}
	dims := slices.Clone(e.coefficients.Dims)
	dims[0] = e.mix.Rows
	mixed := kronprod.NewTensor(dims...)
	size := len(e.coefficients.Data) / count
	mat.Mul(mat.NewDense(dims[0], size, mixed.Data), 1, e.mix, mat.NewDense(count, size, e.coefficients.Data), 0)
	e.coefficients, e.mix = mixed, mat.Matrix{}
}

// numbersPerRow returns what the evaluation takes for each of A_1's rows beside its result:
// the tensors of which some modes are multiplied, and a channel that is not mixed yet.
func (e *expansion) numbersPerRow() int {
	dims, last := e.coefficients.Dims, len(e.modes)-1
	partial, whole := dims[0]*dims[len(dims)-1], dims[0]
	for k := 1; k <= last; k++ {
		n := e.modes[k].Rows
		whole *= n
		if k < last {
			n = max(n, dims[k+1])
		} else {
			n = dims[k+1]
		}
		partial *= n
	}
	if e.mix.Rows == 0 {
		whole = 0
	}
	return whole + partial*min(last, 1) + 2*partial*min(max(last-1, 0), 1)
}

// multiply multiplies all modes but the last, where A_1 is first.
func (e *expansion) multiply(first mat.Matrix) {
	e.modes[0] = first
	last := len(e.modes) - 1
	if last == 0 {
		e.partial = e.coefficients
		return
	}
	o := kronprod.Operator{Factors: make([]mat.Matrix, 1, 1+last)}
	o.Factors = append(o.Factors, e.modes[:last]...)
	n := e.coefficients.Dims[len(e.modes)] * e.coefficients.Dims[len(e.modes)+1] * e.coefficients.Dims[0]
	for _, a := range e.modes[:last] {
		n *= a.Rows
	}
	e.buffer = work.Grown(e.buffer, n)
	e.partial = o.MulTensor(e.buffer, e.coefficients, &e.work)
}

// channel sets dst (rows×points) to the values of channel c and returns what they are
// mixtures of, count×points: dst itself where the coefficients were mixed.
func (e *expansion) channel(dst mat.Matrix, c int) mat.Matrix {
	a, dims := e.modes[len(e.modes)-1], e.partial.Dims
	m, channels := dims[len(dims)-2], dims[len(dims)-1]
	rows := len(e.partial.Data) / (m * channels)
	field := dst
	if e.mix.Rows > 0 {
		count := dims[0]
		e.field = work.Grown(e.field, count*dst.Cols)
		field = mat.NewDense(count, dst.Cols, e.field)
	}
	mat.Mul(mat.NewDense(rows, a.Rows, field.Data[:rows*a.Rows]), 1, mat.Matrix{Rows: rows, Cols: m, RowStride: m * channels, ColStride: channels, Data: e.partial.Data[c:]}, a.T(), 0)
	if e.mix.Rows > 0 {
		mat.Mul(dst, 1, e.mix, field, 0)
	}
	return field
}
