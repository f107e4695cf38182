package predict

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// neighboursDrawn is how many points that are drawn already a further one is drawn from.
const neighboursDrawn = 48

// A succession draws a Gaussian process at many points: where some points are given, at the others one
// after the other, each given those of its nearest that are known by then,
//
//	f_i = k_iNᵀ·K_NN⁻¹·f_N + sqrt(k_ii − k_iNᵀ·K_NN⁻¹·k_iN)·z_i
//
// So n points take n small systems and no n×n matrix. It is the process itself as far as the nearest
// points say all that the others do; the order is random, so that points are first drawn far apart.
// Vecchia, "Estimation and model identification for continuous spatial processes" (1988); on orders:
// Guinness, "Permutation and grouping methods for sharpening Gaussian process approximations" (2018).
type succession struct {
	given     int
	order     []int     // of the points not given, as they are drawn, counted from 0
	near      []int32   // for each of order, rows of points known before: neighboursDrawn of them, or −1
	weights   []float64 // of these
	deviation []float64
}

// newSuccession returns the succession at the points x after those given (n×d each) for a process with
// covariance k. Errors: ctx.Err(), and what is wrong with a small system.
func newSuccession(ctx context.Context, k kernel.Kernel, given, x mat.Matrix) (*succession, error) {
	n := x.Rows
	s := &succession{given: given.Rows, near: make([]int32, n*neighboursDrawn), weights: make([]float64, n*neighboursDrawn), deviation: make([]float64, n)}
	s.order = rand.New(rand.NewPCG(uint64(n), 0x6f72646572)).Perm(n)
	all := mat.New(given.Rows+n, x.Cols) // in the order in which they are known
	mat.Copy(all.Slice(0, given.Rows, 0, x.Cols), given)
	for at, i := range s.order {
		copy(all.Row(given.Rows+at), x.Row(i))
	}
	scaled := inLengthScales(k, all)
	tree := simple.NewTree(scaled)
	blocks := (n + 255) / 256
	failures := make([]error, blocks)
	mat.Parallel(blocks, func(b int) {
		from, to := work.Block(b, blocks, n)
		if failures[b] = ctx.Err(); failures[b] == nil {
			failures[b] = s.condition(k, all, scaled, tree, from, to)
		}
	})
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// inLengthScales returns points in units of a kernel's length scales.
func inLengthScales(k kernel.Kernel, x mat.Matrix) mat.Matrix {
	x = x.Clone()
	if n := len(k.LengthScale); n > 0 {
		for i := range x.Rows {
			row := x.Row(i)
			for q := range row {
				row[q] /= k.LengthScale[min(q, n-1)]
			}
		}
	}
	return x
}

// minNugget is what is added to the variances of neighbours, as a fraction of the prior's, so that
// points close together are no harm.
const minNugget = 1e-10

// condition finds neighbours, weights and deviations of points from ≤ at < to of the order.
func (s *succession) condition(k kernel.Kernel, all, scaled mat.Matrix, tree *simple.Tree, from, to int) error {
	var factor chol.Factor
	system, cross, one := mat.New(neighboursDrawn, neighboursDrawn), mat.New(1, neighboursDrawn), mat.New(1, 1)
	points := mat.New(neighboursDrawn, all.Cols)
	var near []int
	for at := from; at < to; at++ {
		row := s.given + at
		near = tree.NearestBefore(near[:0], scaled.Row(row), neighboursDrawn, row)
		x, places := all.Slice(row, row+1, 0, all.Cols), s.near[at*neighboursDrawn:(at+1)*neighboursDrawn]
		for j := range places {
			places[j] = -1
			if j < len(near) {
				places[j] = int32(near[j])
				copy(points.Row(j), all.Row(near[j]))
			}
		}
		k.Matrix(one, x, x)
		prior, explained := one.Data[0], 0.0
		if m := len(near); m > 0 {
			p, a, b := points.Slice(0, m, 0, all.Cols), system.Slice(0, m, 0, m), cross.Slice(0, 1, 0, m)
			k.Matrix(a, p, p)
			k.Matrix(b, x, p)
			if err := factorize(&factor, a, minNugget*prior); err != nil {
				return err
			}
			weights := s.weights[at*neighboursDrawn : at*neighboursDrawn+m]
			copy(weights, b.Row(0))
			factor.Solve(mat.NewDense(m, 1, weights))
			explained = asm.Dot(weights, b.Row(0))
		}
		s.deviation[at] = math.Sqrt(max(0, prior-explained))
	}
	return nil
}

// factorize factorises a with a nugget, a larger one where rounding asks for it.
func factorize(f *chol.Factor, a mat.Matrix, nugget float64) (err error) {
	for range 4 {
		if err = f.RefactorizeShifted(a, nugget); err == nil {
			return nil
		}
		nugget *= 100
	}
	return err
}

// draw sets dst (n) to the process at the points that are not given, and overwrites known, of which the
// first numbers are the process at the points given, with all in the order in which they are known.
func (s *succession) draw(dst, known []float64, rng *rand.Rand) {
	for at, i := range s.order {
		v := s.deviation[at] * rng.NormFloat64()
		for j, row := range s.near[at*neighboursDrawn : (at+1)*neighboursDrawn] {
			if row < 0 {
				break
			}
			v += s.weights[at*neighboursDrawn+j] * known[row]
		}
		known[s.given+at], dst[i] = v, v
	}
}
