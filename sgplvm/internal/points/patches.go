package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Which part of the observed values of a channel is a patch at most, and which may be suspect: what more of them agree upon is a change.
const largestPatch, mostSuspect = 1. / 8, 1. / 4

// normalMedian is the median of the size of standard normal numbers.
const normalMedian = 0.6745

// Suspects returns which values disagreed with all others in Foresee, n·d_y.
func (w *Workspace) Suspects() []bool { return w.suspects }

// scale returns the deviation of leave-one-out residuals (C⁻¹r)_i/√(C⁻¹)_ii, from their median, without value k; −1: of all.
func (w *Workspace) scale(solved []float64, precision mat.Matrix, k int) float64 {
	size, order := w.room.z[:len(solved)], w.room.block[:0]
	for l, v := range solved {
		p := precision.At(l, l)
		if k >= 0 {
			less := precision.At(k, l) / precision.At(k, k)
			v, p = v-less*solved[k], p-less*precision.At(k, l)
		}
		if l != k && p > 0 { // it was not left out
			size[l] = math.Abs(v) / math.Sqrt(p)
			order = append(order, l)
		}
	}
	if len(order) == 0 {
		return 0
	}
	w.sort(order, size)
	return size[order[len(order)/2]] / normalMedian
}

// suspect makes the values of patches of so many of some values suspects that are off by more than a bound, from the farthest on; single values by more than that many scales, of the others where there are too few values for patches. They are left out of C⁻¹·r and C⁻¹ before the next one is looked for:
// given values A no more, these are C⁻¹ − C⁻¹_:A·(C⁻¹_AA)⁻¹·C⁻¹_A:. If they are much of these, none is suspect. It returns the scale of the others, and how many are suspect; −1: too many.
func (w *Workspace) suspect(seen []int, solved []float64, precision mat.Matrix, most int, bound float64) (scale float64, some int) {
	scale = w.scale(solved, precision, -1)
	copy(w.before, w.suspects)
	for left, whole := int(mostSuspect*float64(len(seen))), scale; !math.IsInf(bound, 1); scale = w.scale(solved, precision, -1) {
		z, centre, size := w.farthestPatch(seen, solved, precision, most)
		limit := bound
		switch {
		case most > 1:
		case patches(len(seen)) > 1: // what neighbours agree upon is a change
			limit *= max(1, scale)
		default:
			limit *= max(1, w.scale(solved, precision, centre))
		}
		if !(z > limit) {
			return scale, some
		}
		if left -= size; left < 0 {
			copy(w.suspects, w.before)
			return whole, -1
		}
		some += size
		for _, k := range w.around(seen, centre, size) {
			w.suspects[seen[k]] = true
			w.leaveOut(k, solved, precision)
		}
	}
	return scale, some
}

// patches returns how many of so many values are a patch at most.
func patches(count int) int { return max(1, int(largestPatch*float64(count))) }

// leaveOut takes value k out of C⁻¹·r and C⁻¹, where it then has zeros.
func (w *Workspace) leaveOut(k int, solved []float64, precision mat.Matrix) {
	pivot := precision.At(k, k)
	if pivot <= 0 {
		return // it was left out
	}
	row := w.room.row[:len(solved)]
	copy(row, precision.Row(k))
	for l, v := range row {
		asm.Axpy(-v/pivot, row, precision.Row(l))
	}
	asm.Axpy(-solved[k]/pivot, row, solved)
	solved[k] = 0
	clear(precision.Row(k))
	for l := range row {
		precision.Set(l, k, 0)
	}
}

// farthestPatch returns of all patches of so many values at most the one of the largest |Σ_A C⁻¹r|/√(Σ_AA C⁻¹), the likelihood ratio of a shift of all its values; those at one distance from the middle are in it together.
func (w *Workspace) farthestPatch(seen []int, solved []float64, precision mat.Matrix, most int) (z float64, centre, size int) {
	size = 1
	for k := range seen {
		order := w.room.block[:0]
		if order = append(order, k); most > 1 {
			order = w.around(seen, k, most+1)
		}
		var sum, variance float64
		for l, i := range order[:min(most, len(order))] {
			row := precision.Row(i)
			sum += solved[i]
			variance += row[i]
			for _, j := range order[:l] {
				variance += 2 * row[j]
			}
			if l+1 < len(order) && w.room.pairs[order[l+1]] < w.room.pairs[i]*(1+1e-9) || !(variance > 0) {
				continue
			}
			if v := math.Abs(sum) / math.Sqrt(variance); v > z {
				z, centre, size = v, k, l+1
			}
		}
	}
	return z, centre, size
}

// around returns the observed values of its channel nearest to the k-th, itself the first, by their place among the observed ones. room.pairs has squared distances in spacings.
func (w *Workspace) around(seen []int, k, count int) []int {
	x, far, dy := w.m.spacings.x, w.room.pairs[:len(seen)], w.m.c.Channels
	clear(far)
	for q := range x.Rows {
		row := x.Row(q)
		for l, i := range seen {
			d := row[i/dy] - row[seen[k]/dy]
			far[l] += d * d
		}
	}
	order := w.room.block[:0]
	for l, i := range seen {
		if i%dy == seen[k]%dy {
			order = append(order, l)
		}
	}
	order = work.Least(order, far, w.room.sorted, count)
	w.sort(order, far)
	return order
}
