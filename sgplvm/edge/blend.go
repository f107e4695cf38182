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
	if w.held.unmeasured() {
		w.held.gap = w.gap()
	}
	gap := math.Log(1 + w.held.gap)
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

// partsTogether is for how many parts distances are measured at once: training examples are read that often less.
const partsTogether = 4

// setParts divides the missing points into a blend's parts.
func (w *Workspace) setParts(b *Blend) {
	parts := b.Parts
	if !w.exactly() {
		parts = 1 // they are conditioned group by group
	}
	w.parts, w.ends = append(w.parts[:0], w.missing...), w.ends[:0]
	w.halveParts(0, len(w.parts), parts)
}

// reachAll sets rows of each, from row 1 on, to how much values count for some parts, and returns the end of these rows.
func (w *Workspace) reachAll(b *Blend, from, to int) int {
	for p := from; p < to; p++ {
		w.reaching(w.each.Row(1+p-from), w.part(p), b.Reach)
	}
	return 1 + to - from
}

// part returns the p-th part of the missing points.
func (w *Workspace) part(p int) []int {
	from := 0
	if p > 0 {
		from = w.ends[p-1]
	}
	return w.parts[from:w.ends[p]]
}

// halveParts divides missing points into equally many parts of neighbours, in two along the longest side, again and again.
func (w *Workspace) halveParts(from, to, parts int) {
	points := w.parts[from:to]
	if parts > 1 && len(points) > 1 {
		h := from + halve(&w.m.spacings, points)
		w.halveParts(from, h, parts/2)
		w.halveParts(h, to, parts/2)
		return
	}
	if len(points) > 0 {
		slices.Sort(points)
		w.ends = append(w.ends, to)
	}
}

// mixPart mixes in what examples that are like this one near a part say of that, given their distances.
func (w *Workspace) mixPart(b *Blend, points []int, distances []float64) error {
	t := &w.moments
	t.own, t.noise, t.latent, t.degrees = w.setSimilar(b, distances), 1, false, w.m.c.Options.Degrees
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

// reaching sets to to how much every observed value counts for likeness near a part, by its point: Gaussian in the distance from the part's centre, 1 at the
// nearest point that was seen.
func (w *Workspace) reaching(to []float64, part []int, reach float64) {
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
	clear(to)
	for c, seen := range w.seen {
		for _, i := range seen {
			if counts[i] >= leastCount {
				to[i*w.m.c.Channels+c] = counts[i]
			}
		}
	}
}

// leastCount is what a value counts at least, or it does not.
const leastCount = 1e-9

// saved keeps the result, and restore brings it back.
func (w *Workspace) saved() {
	copy(w.kept.mean.Data, w.result.mean.Data)
	copy(w.kept.variance.Data, w.result.variance.Data)
}

func (w *Workspace) restore() {
	copy(w.result.mean.Data, w.kept.mean.Data)
	copy(w.result.variance.Data, w.kept.variance.Data)
}
