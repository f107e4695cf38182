package points

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Covariance returns the covariance that what is missing of an example has given what was observed and x, between the points of which anything is missing, in
// ascending order, summed over channels, white noise included; only the lower triangle counts. Channels of which too many points were observed add nothing. With
// white it is diagonal: the variances that missing values have given all others, the missing ones too, which is what of that covariance is white. It is for a wide
// workspace, after Complete. Errors: those of Complete.
func (w *Workspace) Covariance(white bool) (mat.Matrix, error) {
	place, among := make([]int, len(w.m.points)), 0 // where a point is in the result
	for i := range place {
		place[i] = among
		if slices.ContainsFunc(w.seen, func(seen []int) bool { _, found := slices.BinarySearch(seen, i); return !found }) {
			among++
		}
	}
	dst := mat.New(among, among)
	for c, seen := range w.seen {
		channels := w.alike(c)
		missing := w.without(w.m.points, seen)
		if channels == nil || len(missing) == 0 || len(seen) > w.o.Exact {
			continue
		}
		count := float64(len(channels))
		x, err := w.whitened(c, seen, missing)
		if err != nil {
			return dst, err
		}
		covariance := w.observedCovariance(c, missing, nil)
		mat.Syrk(covariance, -1, x.T(), 1)
		if white {
			if err := w.factor.RefactorizeInPlace(covariance); err != nil {
				return dst, err
			}
			precision := w.room.precision[:len(missing)]
			w.factor.InverseDiagonal(precision)
			for k, i := range missing {
				dst.Row(place[i])[place[i]] += count / precision[k]
			}
			continue
		}
		for k, i := range missing {
			row := dst.Row(place[i])
			for l, v := range covariance.Row(k)[:k+1] {
				row[place[missing[l]]] += count * v
			}
		}
	}
	return dst, nil
}

// whitened returns L⁻¹·C_OM of a channel.
func (w *Workspace) whitened(c int, seen, missing []int) (mat.Matrix, error) {
	w.given = work.Grown(w.given, len(seen)*len(missing))
	all := view(w.given, len(seen), len(missing))
	if len(seen) == 0 {
		return all, nil
	}
	if err := w.factor.RefactorizeInPlace(w.observedCovariance(c, seen, missing)); err != nil {
		return all, err
	}
	for from := 0; from < len(missing); from += together {
		to := min(from+together, len(missing))
		mat.Copy(all.Slice(0, len(seen), from, to), w.crossCovariance(seen, missing, from, to))
	}
	w.factor.SolveHalf(all)
	return all, nil
}
