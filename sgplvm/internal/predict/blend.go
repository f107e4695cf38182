package predict

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// blendFor returns the blend of an example; nil where it has none.
func (q *Posterior) blendFor(e *example, o InferOptions) *Blend {
	if len(o.Blends) == 0 || !e.observed() || o.FirstOrder || o.Conditioning != ConditionGivenLatent {
		return nil
	}
	missing := e.missing()
	least := &o.Blends[NearestBlend(o.Blends, missing.Gap, missing.Seen, e.on.spacings().Cols)]
	if least.Share > 0 && (q.kept == nil || e.on.training == nil) {
		return nil // nothing says what similar examples do
	}
	return least
}

// NearestBlend returns the number of the blend that is for a gap and a share of what is seen most like those of an example, in d dimensions.
func NearestBlend(blends []Blend, gap, seen float64, d int) (nearest int) {
	far, missing := math.Inf(1), infer.Missing{Gap: gap, Seen: seen}
	for i, b := range blends {
		if u := infer.Unlike(infer.Missing{Gap: b.Gap, Seen: b.Seen}, missing, d); u < far {
			nearest, far = i, u
		}
	}
	return nearest
}

// Missing returns Blend.Gap and Blend.Seen of an example: the gap is 0 where nothing is missing or nothing observed.
func (q *Posterior) Missing(obs Observed) (infer.Missing, error) {
	r := q.rooms.Get().(*room)
	defer q.rooms.Put(r)
	r.begin()
	e, err := q.observeIn(r, obs)
	if err != nil {
		return infer.Missing{}, err
	}
	return e.missing(), nil
}

// mostGaps is how many missing values of a channel gap looks at, at even steps.
const mostGaps = 512

// missing returns the mean distance of missing values from the nearest observed points of their channels, in
// mean spacings, 0 where nothing is missing or nothing observed, and the share of what was observed.
func (e *example) missing() infer.Missing {
	x := e.on.spacings()
	var sum, count, observed float64
	for c, seen := range e.seen {
		observed += float64(len(seen))
		if alike := float64(len(e.alike(c))); alike > 0 {
			far, n := work.NearestDistances(x, addComplement(e.room.list(x.Rows-len(seen)), seen, x.Rows), seen, mostGaps)
			sum, count = sum+alike*far, count+alike*n
		}
	}
	return infer.Missing{Gap: sum / max(1, count), Seen: observed / float64(len(e.seen)*x.Rows)}
}

// halve orders points so that they are equally many parts of neighbours, one behind the other: in two along the longest side, again and again. It appends
// the parts' ends to others, behind so many points.
func halve(x mat.Matrix, points []int, before, parts int, ends []int) []int {
	if parts == 1 || len(points) < 2 {
		return append(ends, before+len(points))
	}
	longest, length := 0, -1.0
	for d := range x.Cols {
		low, high := math.Inf(1), math.Inf(-1)
		for _, i := range points {
			low, high = min(low, x.At(i, d)), max(high, x.At(i, d))
		}
		if high-low > length {
			longest, length = d, high-low
		}
	}
	slices.SortStableFunc(points, func(a, b int) int { return cmp.Compare(x.At(a, longest), x.At(b, longest)) })
	h := len(points) / 2
	ends = halve(x, points[:h], before, parts/2, ends)
	return halve(x, points[h:], before+h, parts/2, ends)
}

// blend mixes the direct prediction into p, that of the latent variables, in the model's units with all
// noise: p becomes the mean and the variance of the two together, part by part.
func (q *Posterior) blend(ctx context.Context, e *example, p Prediction, b *Blend, o InferOptions) error {
	x := e.on.spacings()
	missing := e.room.list(x.Rows)
	for i := range x.Rows {
		if slices.ContainsFunc(e.seen, func(seen []int) bool { _, found := slices.BinarySearch(seen, i); return !found }) {
			missing = append(missing, i)
		}
	}
	if b.Share > 0 {
		parts := b.Parts
		for _, seen := range e.seen {
			if len(seen) > conditioning.exact {
				parts = 1 // they are conditioned group by group
			}
		}
		ends, counts := halve(x, missing, 0, parts, e.room.list(parts)), e.room.rows(parts)
		for k, to := range ends {
			part := missing[partFrom(ends, k):to]
			slices.Sort(part)
			counts = append(counts, e.reaching(x, part, b.Reach))
		}
		distances := q.distances(e, counts...)
		for k, to := range ends {
			part, lent := missing[partFrom(ends, k):to], e.room.mark()
			t := q.directMoments(e, distances[k], b)
			t.degreesOfFreedom, t.damping = o.degrees(true), b.Damping
			direct, err := q.conditionalWithin(ctx, e, t, part, o.Conditioning)
			if err != nil {
				return err
			}
			p.mix(direct, part, b.Share, 1/q.params.Noise.Beta)
			e.room.release(lent)
		}
	}
	for _, i := range missing {
		asm.Scale(p.Variance.Row(i), b.Inflation, p.Variance.Row(i))
	}
	return nil
}

// directAlone is blend where the direct prediction has the whole share; what was observed is left 0.
func (q *Posterior) directAlone(ctx context.Context, e *example, b *Blend, o InferOptions) (Prediction, error) {
	n := e.on.grid.Len()
	p := Prediction{Mean: e.room.matrix(n, q.channels()), Variance: e.room.matrix(n, q.channels()), Conditioning: "exact", Noise: "local"}
	for _, seen := range e.seen {
		if len(seen) > conditioning.exact {
			p.Conditioning = "local"
		}
	}
	return p, q.blend(ctx, e, p, b, o)
}

// mix makes p the moments of a mixture, with the weight share for another prediction, at some points. To the variances
// of the other white noise is added.
func (p Prediction) mix(other Prediction, points []int, share, white float64) {
	for _, i := range points {
		mean, variance := p.Mean.Row(i), p.Variance.Row(i)
		for c, m := range mean {
			d := other.Mean.At(i, c) - m
			mean[c] += share * d
			variance[c] = (1-share)*variance[c] + share*(other.Variance.At(i, c)+white+(1-share)*d*d)
		}
	}
}

// reaching returns how much every point counts for likeness near a part: Gaussian in the distance
// from its centre, 1 at the nearest point that was seen; nil where all count alike.
func (e *example) reaching(x mat.Matrix, part []int, reach float64) []float64 {
	if reach == 0 {
		return nil
	}
	centre, counts := e.room.vector(x.Cols), e.room.vector(x.Rows)
	for _, i := range part {
		for d, v := range x.Row(i) {
			centre[d] += v / float64(len(part))
		}
	}
	for i := range counts {
		counts[i] = work.SquaredDistance(x.Row(i), centre)
	}
	infer.Reaching(counts, e.seen, reach)
	return counts
}
