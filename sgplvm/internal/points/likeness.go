package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
)

// blend returns that of the example (docs/math.md, section 14.4); nil where it has none.
func (w *Workspace) blend() *field.Blend {
	o := &w.o
	if len(o.Blends) == 0 || w.observed == 0 || o.FirstOrder || o.LatentOnly || o.Moments {
		return nil
	}
	if w.held.unmeasured() {
		w.held.gap = w.gap()
	}
	best := &o.Blends[NearestBlend(o.Blends, w.missingWith(w.held.gap), w.m.spacings.x.Rows)]
	if best.Share > 0 && !w.m.kept() {
		return nil // nothing says what similar examples do
	}
	return best
}

// Missing says in what way values of the example are missing.
func (w *Workspace) Missing() infer.Missing {
	if w.held.unmeasured() || !w.held.holds(w.seen) {
		return w.missingWith(w.gap())
	}
	return w.missingWith(w.held.gap)
}

func (w *Workspace) missingWith(gap float64) infer.Missing {
	return infer.Missing{Gap: gap, Seen: float64(w.observed) / float64(w.m.values())}
}

// maxGaps is how many missing values of a channel gap looks at, at even steps.
const maxGaps = 512

// gap returns the mean distance of missing values from the nearest observed points of their channels, in mean spacings; 0 where
// nothing is missing or nothing observed.
func (w *Workspace) gap() float64 {
	var sum, count float64
	for _, seen := range w.seen {
		missing := w.m.c.Points - len(seen)
		if len(seen) == 0 {
			continue
		}
		step := max(1, missing/maxGaps)
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
	least := distances[0]
	for _, d := range distances {
		if d < least { // min is a call where its instruction is missing
			least = d
		}
	}
	return least
}

// setParts divides the missing points into a blend's parts.
func (w *Workspace) setParts(b *field.Blend) {
	parts := b.Parts
	if !w.exactly() {
		parts = 1 // they are conditioned group by group
	}
	w.parts, w.ends = append(w.parts[:0], w.missing...), w.ends[:0]
	w.halveParts(0, len(w.parts), parts)
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
		h := from + w.halve(&w.m.spacings, points)
		w.halveParts(from, h, parts/2)
		w.halveParts(h, to, parts/2)
		return
	}
	if len(points) > 0 {
		w.sort(points, nil)
		w.ends = append(w.ends, to)
	}
}

// halve sorts points along their longest side, and, of equal coordinates, as they were, and returns half of their number.
func (w *Workspace) halve(x *points, list []int) int {
	longest, length := x.x.Row(0), -1.0
	for q := range x.x.Rows {
		row := x.x.Row(q)
		low, high := row[list[0]], row[list[0]]
		for _, i := range list {
			low, high = min(low, row[i]), max(high, row[i])
		}
		if high-low > length {
			longest, length = row, high-low
		}
	}
	w.sort(list, longest)
	return len(list) / 2
}

// sort sorts points by a coordinate, those of the same one as they were, or by number (nil), by merging ever longer runs: less code than package slices has for it.
func (w *Workspace) sort(list []int, by []float64) {
	from, to := list, w.room.merged[:len(list)]
	for run := 1; run < len(list); run *= 2 {
		for begin := 0; begin < len(list); begin += 2 * run {
			middle := min(begin+run, len(list))
			end := min(middle+run, len(list))
			a, b := from[begin:middle], from[middle:end]
			for k := range to[begin:end] {
				second := len(a) == 0
				if len(a) > 0 && len(b) > 0 {
					second = by == nil && b[0] < a[0] || by != nil && by[b[0]] < by[a[0]]
				}
				if second {
					to[begin+k], b = b[0], b[1:]
				} else {
					to[begin+k], a = a[0], a[1:]
				}
			}
		}
		from, to = to, from
	}
	copy(list, from)
}

// reachAll sets rows of each, from row 1 on, to how much values count for some parts, and returns the end of these rows.
func (w *Workspace) reachAll(b *field.Blend, from, to int) int {
	for p := from; p < to; p++ {
		w.reaching(w.each.Row(1+p-from), w.part(p), b.Reach)
	}
	return 1 + to - from
}

// minCount is what a value counts at least, or it does not.
const minCount = 1e-9

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
			if counts[i] >= minCount {
				to[i*w.m.c.Channels+c] = counts[i]
			}
		}
	}
}

// setDistances sets distances to d_n², the mean squared distance of the training examples from this one, all values alike, and, where what similar
// examples say is asked for in a few parts, those near each part.
func (w *Workspace) setDistances() {
	if w.measured {
		return
	}
	w.measured = true
	rows := 1
	if b := w.blend(); b != nil && b.Share > 0 {
		w.setParts(b)
		if b.Reach > 0 && len(w.ends) <= partsTogether {
			rows = w.reachAll(b, 0, len(w.ends))
		}
	}
	all := w.each.Row(0)
	clear(all)
	for c, seen := range w.seen {
		for _, i := range seen {
			all[i*w.m.c.Channels+c] = 1
		}
	}
	w.setApart(0, rows)
}

// setApart sets some rows of apart to mean squared distances of the training examples from this one, with values that count as these rows of each say.
func (w *Workspace) setApart(from, to int) {
	square := w.room.row[:w.m.values()]
	var sums [1 + partsTogether]float64
	for n := range w.distances {
		asm.AddScaled(square, w.m.y.view(square, n), -1, w.known)
		asm.MulTo(square, square, square)
		asm.DotRows(sums[:to-from], w.each.Data[from*w.each.RowStride:], w.each.RowStride, square)
		for p := from; p < to; p++ {
			w.apart.Row(p)[n] = sums[p-from]
		}
	}
	for p := from; p < to; p++ {
		var count float64
		for _, v := range w.each.Row(p) {
			count += v
		}
		asm.Scale(w.apart.Row(p), 1/count, w.apart.Row(p))
	}
}
