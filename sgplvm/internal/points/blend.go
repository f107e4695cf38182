package points

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// mixture mixes into result what training examples like this one say, and multiplies variances by the blend's factor. Both
// predictions have all noise. Errors: *chol.NonFiniteError.
func (w *Workspace) mixture(b *field.Blend) error {
	if b.Share > 0 {
		w.saved()
		err := w.mixParts(b)
		if singular(err) {
			w.restore() // what the latent variables say stands alone
			return nil
		}
		if err != nil {
			return err
		}
	}
	w.inflate(b)
	return nil
}

// singular reports whether too few examples are like one, or points coincide.
func singular(err error) bool {
	_, is := err.(*chol.NotPositiveDefiniteError)
	return is
}

// inflate multiplies variances of what is missing by the blend's factor.
func (w *Workspace) inflate(b *field.Blend) {
	for _, i := range w.missing {
		asm.Scale(w.result.variance.Row(i), b.Inflation, w.result.variance.Row(i))
	}
}

func (w *Workspace) mixParts(b *field.Blend) error {
	w.setDistances()
	for from := 0; from < len(w.ends); from += partsTogether {
		to := min(from+partsTogether, len(w.ends))
		if b.Reach > 0 && len(w.ends) > partsTogether {
			w.setApart(1, w.reachAll(b, from, to))
		}
		for p := from; p < to; p++ {
			distances := w.distances
			if b.Reach > 0 {
				distances = w.apart.Row(1 + p - from)
			}
			if err := w.mixPart(b, w.part(p), distances); err != nil {
				return err
			}
		}
	}
	return nil
}

// mixPart mixes in what examples that are like this one near a part say of that, given their distances.
func (w *Workspace) mixPart(b *field.Blend, points []int, distances []float64) error {
	t := &w.moments
	t.own, t.latent, t.degrees = w.setSimilar(b, distances, points), false, w.o.Degrees
	w.marginal(w.direct, points)
	w.ready = false
	if err := w.condition(w.direct, points); err != nil {
		return err
	}
	white := 1 / w.m.c.Beta
	for _, i := range points {
		mean, variance := w.result.mean.Row(i), w.result.variance.Row(i)
		for c, m := range mean {
			d := w.direct.mean.Row(i)[c] - m
			mean[c] += b.Share * d
			variance[c] = (1-b.Share)*variance[c] + b.Share*(w.direct.variance.Row(i)[c]+white+(1-b.Share)*d*d)
		}
	}
	return nil
}

// saved keeps the result, and restore brings it back.
func (w *Workspace) saved() {
	copy(w.kept.mean.Data, w.result.mean.Data)
	copy(w.kept.variance.Data, w.result.variance.Data)
}

func (w *Workspace) restore() {
	copy(w.result.mean.Data, w.kept.mean.Data)
	copy(w.result.variance.Data, w.kept.variance.Data)
}
