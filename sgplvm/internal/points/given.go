package points

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// AddCovariance adds to dst, n×n, the covariance that what is missing of an example has given what was observed and x, summed over channels, white noise included.
// Channels of which too many points were observed add nothing. With white it adds to the diagonal the variances that missing values have given all others, the
// missing ones too: what of that covariance is white. It is for a wide workspace, after Complete. Errors: those of Complete.
func (w *Workspace) AddCovariance(dst mat.Matrix, white bool) error {
	for c, seen := range w.seen {
		channels := w.alike(c)
		missing := w.without(w.m.points, seen)
		if channels == nil || len(missing) == 0 || len(seen) > w.o.Exact {
			continue
		}
		count := float64(len(channels))
		x, err := w.whitened(c, seen, missing)
		if err != nil {
			return err
		}
		covariance := w.observedCovariance(c, missing, nil)
		mat.Syrk(covariance, -1, x.T(), 1)
		if white {
			if err := w.factor.RefactorizeInPlace(covariance); err != nil {
				return err
			}
			precision := w.room.precision[:len(missing)]
			w.factor.InverseDiagonal(precision)
			for k, i := range missing {
				dst.Row(i)[i] += count / precision[k]
			}
			continue
		}
		for k, i := range missing {
			for l, j := range missing[:k+1] {
				v := count * covariance.At(k, l)
				dst.Row(i)[j] += v
				if i != j {
					dst.Row(j)[i] += v
				}
			}
		}
	}
	return nil
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
