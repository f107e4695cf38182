package edge

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
)

// blend returns that of the example (docs/math.md, section 14.4); nil where it has none.
func (w *Workspace) blend() *Blend {
	o := &w.m.c.Options
	if len(o.Blends) == 0 || w.observed == 0 || o.FirstOrder || o.LatentOnly {
		return nil
	}
	gap := math.Log(1 + w.gap())
	best, least := &o.Blends[0], math.Inf(1)
	for i := range o.Blends {
		if d := math.Abs(math.Log(1+o.Blends[i].Gap) - gap); d < least {
			best, least = &o.Blends[i], d
		}
	}
	if best.Share > 0 && !w.m.kept() {
		return nil // nothing says what similar examples do
	}
	return best
}

// mostGaps is how many missing values of a channel gap looks at, at even steps.
const mostGaps = 512

// gap returns the mean distance of missing values from the nearest observed points of their channels, in mean spacings; 0 where
// nothing is missing or nothing observed.
func (w *Workspace) gap() float64 {
	var sum, count float64
	for _, seen := range w.seen {
		missing := w.m.c.Points - len(seen)
		if len(seen) == 0 {
			continue
		}
		step := max(1, missing/mostGaps)
		next, k := 0, 0
		for i := range w.m.c.Points {
			if next < len(seen) && seen[next] == i {
				next++
				continue
			}
			if k%step == 0 {
				sum += math.Sqrt(w.nearestSeen(i, seen))
				count++
			}
			k++
		}
	}
	if count == 0 {
		return 0
	}
	return sum / count
}

// nearestSeen returns the squared distance of a point from the nearest of others, in mean spacings.
func (w *Workspace) nearestSeen(i int, seen []int) float64 {
	distances := w.room.row[:len(seen)]
	clear(distances)
	for q := range w.m.spacings.x.Rows {
		row := w.m.spacings.x.Row(q)
		at := row[i]
		for k, j := range seen {
			d := at - row[j]
			distances[k] += float64(d * d)
		}
	}
	return slices.Min(distances)
}

// mixture mixes into result what training examples like this one say, and multiplies variances by the blend's factor. Both
// predictions have all noise. Errors: *chol.NonFiniteError.
func (w *Workspace) mixture(b *Blend) error {
	if b.Share > 0 {
		w.saved()
		err := w.mixParts(b)
		if _, singular := err.(*chol.NotPositiveDefiniteError); singular {
			w.restore() // too few examples are like this one, or points coincide: what the latent variables say stands alone
			return nil
		}
		if err != nil {
			return err
		}
	}
	for _, i := range w.missing {
		asm.Scale(w.result.variance.Row(i), b.Inflation, w.result.variance.Row(i))
	}
	return nil
}

func (w *Workspace) mixParts(b *Blend) error {
	parts := b.Parts
	if !w.exactly() {
		parts = 1 // they are conditioned group by group
	}
	w.parts = append(w.parts[:0], w.missing...)
	return w.mixHalves(b, w.parts, parts)
}

// mixHalves divides missing points into equally many parts of neighbours, in two along the longest side, again and again.
func (w *Workspace) mixHalves(b *Blend, points []int, parts int) error {
	if parts > 1 && len(points) > 1 {
		h := halve(&w.m.spacings, points)
		if err := w.mixHalves(b, points[:h], parts/2); err != nil {
			return err
		}
		return w.mixHalves(b, points[h:], parts/2)
	}
	if len(points) == 0 {
		return nil
	}
	slices.Sort(points)
	w.setDistances(w.reaching(points, b.Reach))
	t := &w.moments
	t.own, t.noise, t.latent, t.degrees = w.setSimilar(b), 1, false, w.m.c.Options.Degrees
	w.marginal(w.direct, points)
	w.ready = false
	if err := w.condition(w.direct, points); err != nil {
		return err
	}
	white := 1 / w.m.c.Beta
	for _, i := range points {
		mean, variance := w.result.mean.Row(i), w.result.variance.Row(i)
		for c, m := range mean {
			d := w.direct.mean.At(i, c) - m
			mean[c] += b.Share * d
			variance[c] = (1-b.Share)*variance[c] + b.Share*(w.direct.variance.At(i, c)+white+(1-b.Share)*d*d)
		}
	}
	return nil
}

// reaching returns how much every point counts for likeness near a part: Gaussian in the distance from its centre, 1 at the
// nearest point that was seen; nil where all count alike.
func (w *Workspace) reaching(part []int, reach float64) []float64 {
	if reach == 0 {
		return nil
	}
	counts := w.counts
	clear(counts)
	for q := range w.m.spacings.x.Rows {
		row := w.m.spacings.x.Row(q)
		var centre float64
		for _, i := range part {
			centre += row[i] / float64(len(part))
		}
		for i, v := range row {
			counts[i] += (v - centre) * (v - centre)
		}
	}
	infer.Reaching(counts, w.seen, reach)
	return counts
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
