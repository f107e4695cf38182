package edge

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
)

// residuals sets near (a row of examples for each channel, for each point) to what the examples that count have at points, times
// the roots of their weights.
func (o *ownNoise) residuals(w *Workspace, near []float64, points []int) {
	dy, n := w.m.c.Channels, len(o.rows)
	for k, i := range points {
		for c := range dy {
			to, from := near[(k*dy+c)*n:][:n], w.exampleRow(o, i*dy+c)
			if o.centred {
				mean := o.mean.At(i, c)
				for l, example := range o.rows {
					to[l] = o.roots[l] * (from[example] - mean)
				}
				continue
			}
			for l, example := range o.rows {
				to[l] = o.roots[l] * from[example]
			}
		}
	}
}

// exampleRow returns what all training examples have of a value: the values themselves, or residuals.
func (w *Workspace) exampleRow(o *ownNoise, i int) []float64 {
	if o.centred {
		return w.m.y.Row(i)
	}
	row := w.room.row[:w.m.c.Examples]
	w.m.c.Residuals.row(row, i, 0)
	return row
}

// variance returns the diagonal of the covariance at point i.
func (o *ownNoise) variance(w *Workspace, i int) float64 {
	m := w.m
	dy, n := m.c.Channels, len(o.rows)
	near := w.room.nearMissing[:dy*n]
	point := [1]int{i}
	o.residuals(w, near, point[:])
	own := asm.SumSquares(near)
	if !o.centred {
		own -= asm.SumSquares(o.mean.Row(i)) / float64(dy)
	}
	if o.unsure != nil {
		own += o.unsure[i] * o.unsure[i]
	}
	sigma := m.c.Structure.pair(i, i)
	if o.wide {
		sigma += m.spread[i]
	}
	return o.whole*(own+o.prior*sigma) + (o.whole*o.prior-1)/m.c.Beta
}

// setDistances sets distances to d_n², the mean squared distance of the training examples from this one. counts say how much each point
// counts; nil: all alike.
func (w *Workspace) setDistances(counts []float64) {
	d2, dy := w.distances, w.m.c.Channels
	clear(d2)
	var count float64
	for c, seen := range w.seen {
		for _, i := range seen {
			value, weight := w.value(i, c), 1.0
			if counts != nil {
				weight = counts[i]
			}
			if weight < 1e-9 {
				continue
			}
			count += weight
			for k, y := range w.m.y.Row(i*dy + c) {
				d2[k] += weight * (value - y) * (value - y)
			}
		}
	}
	for k := range d2 {
		d2[k] /= count
	}
}

// setLocal sets the noise by residuals of examples like this one, after setDistances.
func (w *Workspace) setLocal() *ownNoise {
	m, o := w.m, &w.local
	infer.Weights(w.weights, w.distances, m.c.Options.LocalBandwidth, 1/m.c.Beta)
	var total float64
	o.rows = o.rows[:0]
	for i, v := range w.weights {
		total += v
		if v > infer.LeastWeight {
			o.rows = append(o.rows, i)
		}
	}
	all := total + m.c.Options.LocalStrength
	for k, i := range o.rows {
		o.shares[k] = w.weights[i] / all
		o.roots[k] = math.Sqrt(o.shares[k] / float64(m.c.Channels))
	}
	o.whole, o.prior = 1+1/all, m.c.Options.LocalStrength/all
	o.centred, o.wide, o.taper, o.taperScale = false, false, m.tapered, 1
	w.setMean(o)
	w.setUnsure(o, 1)
	return o
}

// setMean sets the mean of an ownNoise.
func (w *Workspace) setMean(o *ownNoise) {
	dy := w.m.c.Channels
	for i := range o.mean.Data {
		row := w.exampleRow(o, i)
		var mean float64
		for k, example := range o.rows {
			mean += o.shares[k] * row[example]
		}
		o.mean.Set(i/dy, i%dy, mean)
	}
}

// setUnsure sets the deviations of what was filled in of the examples of an ownNoise, which have shares times scale.
func (w *Workspace) setUnsure(o *ownNoise, scale float64) {
	if o.unsure == nil {
		return
	}
	dy, row := w.m.c.Channels, w.room.row[:w.m.c.Examples]
	for i := range o.unsure {
		var sum float64
		for c := range dy {
			w.m.c.Filled.row(row, i*dy+c, 0)
			for k, example := range o.rows {
				sum += o.shares[k] * row[example]
			}
		}
		o.unsure[i] = math.Sqrt(max(0, scale*sum/float64(dy)))
	}
}

// setSimilar sets what examples like this one say directly, after setDistances.
func (w *Workspace) setSimilar(b *Blend) *ownNoise {
	m, o := w.m, &w.similar
	infer.Effective(w.weights, w.distances, b.Neighbours)
	least := infer.LeastShare * slices.Max(w.weights)
	var total float64
	o.rows = o.rows[:0]
	for k, v := range w.weights {
		if v > least {
			o.rows = append(o.rows, k)
			total += v
		}
	}
	for k, i := range o.rows {
		o.shares[k] = w.weights[i] / total
		o.roots[k] = math.Sqrt(o.shares[k] * (1 - b.Shrinkage) / float64(m.c.Channels))
	}
	o.whole, o.prior, o.centred, o.wide = 1, b.Shrinkage, true, true
	o.taper, o.taperScale, o.wideScale = m.trainingSpacings, 1/(b.Taper*b.Taper), 0
	if b.WideTaper > 0 {
		o.wideScale = 1 / (b.WideTaper * b.WideTaper)
	}
	w.setMean(o)
	w.setUnsure(o, 1-b.Shrinkage)
	return o
}
