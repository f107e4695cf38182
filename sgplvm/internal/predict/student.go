package predict

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
)

// Variances that follow the example (docs/math.md, section of that title).

// nearby returns, in columns, the weights that squares observed at some points have in
// judging what is missing at others: Gaussian, of two mean spacings. It is |O|×|M|.
func nearby(r *room, on *projection, seen, missing []int) mat.Matrix {
	weights, factor := r.result(len(seen), len(missing)), r.result(len(seen), len(missing))
	weights.Fill(1)
	from, to := r.split(seen, on.dims), r.split(missing, on.dims)
	for f, x := range on.grid {
		on.near()[f].Matrix(factor, r.gather(x, from[f]), r.gather(x, to[f]))
		mat.MulElem(weights, weights, factor)
	}
	return weights
}

// nearbyScale returns what the variances of the missing points are multiplied by beside infer.StudentScale, with the
// weights of nearby (|O|×|M|), given the diagonal of C_OO⁻¹ and C_OO⁻¹r.
func nearbyScale(r *room, weights mat.Matrix, precision, solved []float64) []float64 {
	z := r.vector(len(solved))
	mean := infer.LeaveOneOut(z, solved, precision)
	scale, total := r.vector(weights.Cols), r.vector(weights.Cols)
	for i, v := range z {
		asm.Axpy(v, weights.Row(i), scale)
		asm.Axpy(1, weights.Row(i), total)
	}
	infer.NearbyScale(scale, total, mean)
	return scale
}
