package predict

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A termSum is a diagonal h of two factors as a sum of products, h_pq = Σ_r first_rp·second_rq.
type termSum struct {
	first, second mat.Matrix // m×terms, the rows of eigenvectors
}

// termsLeft is how much of the largest element a sum of terms may leave out of any other. Eigenvectors have squares that add up to at most the prior
// variance at each point, so that covariances are off by as little.
const termsLeft = 0x1p-42

// termsOf returns those of a diagonal, m_1·m_2 long: elimination by crosses, the largest element first. What inducing points explain is a function of
// the product of two eigenvalues, smooth in its logarithm: 20 to 40 terms are enough for hundreds of eigenvectors.
func termsOf(r *room, h []float64, rows, cols int) termSum {
	left := r.clone(mat.NewDense(rows, cols, h))
	first, second := r.rows(min(rows, cols)), r.rows(min(rows, cols))
	limit := termsLeft * mat.NormMax(left)
	for range min(rows, cols) {
		i, j := largest(left)
		pivot := left.At(i, j)
		if math.Abs(pivot) <= limit {
			break
		}
		row, column := r.written(cols), r.written(rows)
		copy(row, left.Row(i))
		for k := range column {
			column[k] = left.At(k, j) / pivot
			asm.Axpy(-column[k], row, left.Row(k))
		}
		first, second = append(first, column), append(second, row)
	}
	return termSum{r.inColumns(first, rows), r.inColumns(second, cols)}
}

// largest returns where the element with the largest absolute value is.
func largest(a mat.Matrix) (i, j int) {
	most := -1.0
	for k := range a.Rows {
		row := a.Row(k)
		if asm.MaxAbs(row) <= most {
			continue
		}
		for l, v := range row {
			if v = math.Abs(v); v > most {
				i, j, most = k, l, v
			}
		}
	}
	return i, j
}

// inColumns lends a matrix with n rows and the given columns.
func (r *room) inColumns(columns [][]float64, n int) mat.Matrix {
	a := r.result(n, len(columns))
	for c, column := range columns {
		for i, v := range column {
			a.Row(i)[c] = v
		}
	}
	return a
}
