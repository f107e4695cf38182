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
			to := near[(k*dy+c)*n:][:n]
			w.pick(to, o, i*dy+c)
			if o.centred {
				mean := o.mean.At(i, c)
				for l := range to {
					to[l] -= mean
				}
			}
			asm.MulTo(to, to, o.roots[:n])
		}
	}
}

// pick sets dst to what the training examples that count have of a value: the values themselves, or residuals.
func (w *Workspace) pick(dst []float64, o *ownNoise, i int) {
	if !o.centred {
		w.m.c.Residuals.pick(dst, i, o.rows)
		return
	}
	row := w.m.y.Row(i)
	for l, example := range o.rows {
		dst[l] = row[example]
	}
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
	sigma := m.structure.pair(i, i)
	if o.wide {
		sigma += m.spread[i]
	}
	return o.whole*(own+o.prior*sigma) + (o.whole*o.prior-1)/m.c.Beta
}

// setDistances sets distances to d_n², the mean squared distance of the training examples from this one. counts say how much each point
// counts; nil: all alike.
func (w *Workspace) setDistances(counts []float64) {
	if counts == nil && w.measured {
		return
	}
	w.measured = counts == nil
	d2, dy, apart := w.distances, w.m.c.Channels, w.room.row[:w.m.c.Examples]
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
			asm.AddScaled(apart, w.m.y.Row(i*dy+c), -value, w.ones)
			asm.MulTo(apart, apart, apart)
			asm.Axpy(weight, apart, d2)
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
	least := max(infer.LeastWeight, m.c.Options.LeastWeight)
	o.rows = o.rows[:0]
	for i, v := range w.weights {
		total += v
		if v > least {
			o.rows = append(o.rows, i)
		}
	}
	all := total + m.c.Options.LocalStrength
	for k, i := range o.rows {
		o.shares[k] = w.weights[i] / all
		o.roots[k] = math.Sqrt(o.shares[k] / float64(m.c.Channels))
	}
	o.whole, o.prior = 1+1/all, m.c.Options.LocalStrength/all
	o.centred, o.wide, o.taper, o.taperFactor = false, false, m.tapered, 1
	w.setMean(o)
	w.setUnsure(o, 1)
	return o
}

// setMean sets the mean of an ownNoise.
func (w *Workspace) setMean(o *ownNoise) {
	dy, row := w.m.c.Channels, w.room.row[:len(o.rows)]
	for i := range o.mean.Data {
		w.pick(row, o, i)
		o.mean.Set(i/dy, i%dy, asm.Dot(o.shares[:len(row)], row))
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
	o.taper, o.taperFactor, o.wideFactor = m.trainingSpacings, b.taperFactor(), b.wideFactor()
	w.setMean(o)
	w.setUnsure(o, 1-b.Shrinkage)
	return o
}
