package simple

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/mat"
)

const (
	imitations   = 20000 // of missing values by observed ones, over all columns
	factorWeight = 10    // imitations for which the law of all columns counts in the factor of one
)

// A place is one in time, and what is observed before and after it in its column and sequence.
type place struct {
	example       int
	t             float64
	before, after int // indices in observed values; -1: none
}

// column is what was observed in a column, by sequence and time.
type column struct {
	t, y        []float64
	start, stop []int // which of them are in the sequence of each
	missing     []place
}

// fillLines interpolates each column linearly between the nearest observed values in time and holds the nearest beyond the first and last.
// The variance is a part of that of the column, which rises with t₀·t₁/(t₀ + t₁) for distances t₀ and t₁ from both sides, as in a Brownian bridge, or with the
// distance from the one side. The steps of both laws, one for all columns, and a factor for each column are mean squared residuals of observed values that are interpolated from others as
// far as those of missing values.
func fillLines(ctx context.Context, d Data, mean, variance mat.Matrix) error {
	m := d.moments()
	order := make([]int, d.Y.Rows)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.sequence(a), d.sequence(b)), cmp.Compare(d.Times[a], d.Times[b]), a-b)
	})
	total := count(d.Missing)
	columns := make([]column, d.Y.Cols)
	tried := make([]residuals, d.Y.Cols)
	mat.Parallel(len(columns), func(j int) {
		c := d.column(j, order)
		if columns[j] = c; len(c.missing) > 0 {
			n := (imitations*len(c.missing) + total - 1) / total
			tried[j] = c.imitate(n, m.variance[j], rand.New(rand.NewPCG(d.Seed, uint64(j))))
		}
	})
	var all residuals
	for _, r := range tried {
		for side := range r.distance {
			all.distance[side] = append(all.distance[side], r.distance[side]...)
			all.squares[side] = append(all.squares[side], r.squares[side]...)
		}
	}
	var laws [2]Law
	for side := range laws {
		laws[side] = NewLaw(all.distance[side], all.squares[side], 2)
	}
	mat.Parallel(len(columns), func(j int) {
		c := &columns[j]
		factor := tried[j].factor(laws)
		for _, at := range c.missing {
			y, distance, side := c.line(at)
			v := factor * m.variance[j] * max(minVariance, laws[side].At(distance))
			if math.IsNaN(y) {
				y, v = m.at(j)
			}
			mean.Set(at.example, j, y)
			variance.Set(at.example, j, v)
		}
	})
	return ctx.Err()
}

func (d *Data) sequence(i int) int {
	if d.Sequences == nil {
		return 0
	}
	return d.Sequences[i]
}

// column reads a column in an order of examples by sequence and time.
func (d *Data) column(j int, order []int) (c column) {
	first := 0 // observed value of the sequence
	end := func() {
		for range len(c.t) - first {
			c.start, c.stop = append(c.start, first), append(c.stop, len(c.t))
		}
		for k := len(c.missing) - 1; k >= 0 && c.missing[k].after == len(c.t); k-- {
			c.missing[k].after = -1
		}
		first = len(c.t)
	}
	for k, i := range order {
		if k > 0 && d.sequence(i) != d.sequence(order[k-1]) {
			end()
		}
		if !d.missing(i)[j] {
			c.t, c.y = append(c.t, d.Times[i]), append(c.y, d.Y.At(i, j))
			continue
		}
		at := place{i, d.Times[i], len(c.t) - 1, len(c.t)}
		if at.before < first {
			at.before = -1
		}
		c.missing = append(c.missing, at)
	}
	end()
	return c
}

// The sides from which a place is reached, which index laws.
const (
	bothSides = iota
	oneSide
)

// line returns the value at a place and by what its variance rises; NaN where nothing is seen of the sequence.
func (c *column) line(at place) (y, distance float64, side int) {
	switch {
	case at.before < 0 && at.after < 0:
		return math.NaN(), 0, oneSide
	case at.before < 0:
		return c.y[at.after], c.t[at.after] - at.t, oneSide
	case at.after < 0:
		return c.y[at.before], at.t - c.t[at.before], oneSide
	}
	from, to := at.t-c.t[at.before], c.t[at.after]-at.t
	if from+to == 0 {
		return (c.y[at.before] + c.y[at.after]) / 2, 0, bothSides
	}
	w := from / (from + to)
	return (1-w)*c.y[at.before] + w*c.y[at.after], w * to, bothSides
}

// residuals are squared ones, in units of the column's variance, of a law each.
type residuals struct{ distance, squares [2][]float64 }

// imitate interpolates observed values, drawn at random, from others as far away as those of missing ones.
func (c *column) imitate(n int, variance float64, rng *rand.Rand) (r residuals) {
	for k := range n {
		if len(c.t) == 0 {
			break
		}
		like := c.missing[k*len(c.missing)/n]
		for range 8 { // where the others are not far enough, another
			l := rng.IntN(len(c.t))
			at := place{t: c.t[l], before: -1, after: -1}
			if like.before >= 0 {
				at.before = c.nearest(c.start[l], l, at.t-(like.t-c.t[like.before]))
			}
			if like.after >= 0 {
				at.after = c.nearest(l+1, c.stop[l], at.t+(c.t[like.after]-like.t))
			}
			if (at.before < 0) != (like.before < 0) || (at.after < 0) != (like.after < 0) {
				continue
			}
			if y, distance, side := c.line(at); !math.IsNaN(y) {
				r.distance[side] = append(r.distance[side], distance)
				r.squares[side] = append(r.squares[side], square(c.y[l]-y)/variance)
			}
			break
		}
	}
	return r
}

// nearest returns which observed value from one to before another is nearest to a time; -1 if there are none.
func (c *column) nearest(from, to int, t float64) int {
	if from >= to {
		return -1
	}
	k := from + sort.SearchFloat64s(c.t[from:to], t)
	if k == to || k > from && t-c.t[k-1] < c.t[k]-t {
		k--
	}
	return k
}

// factor is by how much a column's squared residuals exceed the laws of all.
func (r *residuals) factor(laws [2]Law) float64 {
	sum, n := float64(factorWeight), float64(factorWeight)
	for side, law := range laws {
		for k, distance := range r.distance[side] {
			sum += r.squares[side][k] / max(minVariance, law.At(distance))
			n++
		}
	}
	return sum / n
}
