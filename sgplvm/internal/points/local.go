package points

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// residuals sets near (for each example that counts a row for each channel, of the points) to what these examples have at points, times
// the roots of their weights.
func (o *ownNoise) residuals(w *Workspace, near []float64, points []int) mat.Matrix {
	dy, from := w.m.c.Channels, w.examples(o)
	all, less := view(near, len(o.rows)*dy, len(points)), w.room.pairs[:len(points)]
	for c := range dy {
		pickChannel(less, o.mean.Data, points, dy, c)
		for l, example := range o.rows {
			to := all.Row(l*dy + c)
			pickChannel(to, from.view(w.room.row, example), points, dy, c)
			asm.AddScaled(to, to, -o.less, less)
			asm.Scale(to, o.roots[l], to)
		}
	}
	return all
}

// pickChannel sets dst to a channel's values of points.
func pickChannel(dst, values []float64, points []int, channels, c int) {
	if channels == 1 {
		pickFrom(dst, values, points)
		return
	}
	for k, i := range points {
		dst[k] = values[i*channels+c]
	}
}

// examples returns what the examples that count have: their values, or residuals.
func (w *Workspace) examples(o *ownNoise) *Table {
	if o.wide {
		return &w.m.y
	}
	return &w.m.c.Residuals
}

// at returns the diagonal of the covariance at point i.
func (o *ownNoise) at(m *Model, i int) float64 {
	own := o.variance[i]
	if o.imputed != nil {
		own += o.imputed[i] * o.imputed[i]
	}
	sigma := m.structure.pair(i, i)
	if o.wide {
		sigma += m.spread[i]
	}
	return o.whole*(own+o.prior*sigma) + (o.whole*o.prior-1)/m.c.Beta
}

// setLocal sets the noise by residuals of examples like this one, after setDistances.
func (w *Workspace) setLocal() *ownNoise {
	m, o := w.m, &w.local
	o.wide = false
	infer.Weights(w.weights, w.distances, w.o.LocalBandwidth, 1/m.c.Beta)
	var total float64
	least := max(infer.MinWeight, w.o.MinWeight)
	o.rows = o.rows[:0]
	for i, v := range w.weights {
		total += v
		if v > least {
			o.rows = append(o.rows, i)
		}
	}
	all := total + w.o.LocalStrength
	kept := w.keepHeaviest(o)
	var counted float64
	for k, i := range o.rows {
		o.shares[k] = w.weights[i] / (all * kept)
		o.roots[k] = math.Sqrt(o.shares[k] / float64(m.c.Channels))
		counted += o.shares[k]
	}
	o.whole, o.prior, o.less = 1+1/all, w.o.LocalStrength/all, 1/(1+math.Sqrt(max(0, 1-counted)))
	o.taper, o.taperFactor = &m.tapered, 1
	w.setMean(o, 1, w.missing)
	w.setImputed(o, 1)
	return o
}

// maxSimilar is of how many examples at most what similar examples say is made, where Options.MaxExamples bounds them.
const maxSimilar = 128

// keepHeaviest leaves out all but the heaviest of the examples that count, where a fast model says how many, and returns which part of their weights remains.
func (w *Workspace) keepHeaviest(o *ownNoise) float64 {
	count := w.o.MaxExamples
	if o.wide {
		count = min(count, maxSimilar)
	}
	if count == 0 || len(o.rows) <= count {
		return 1
	}
	var before, after float64
	for _, i := range o.rows {
		before += w.weights[i]
	}
	lightness := w.room.row[:len(w.weights)]
	asm.Scale(lightness, -1, w.weights)
	o.rows = work.Least(o.rows, lightness, w.room.sorted, count)
	for _, i := range o.rows {
		after += w.weights[i]
	}
	return after / before
}

// setMean sets the mean of an ownNoise, and its variance at some points, to which examples contribute their shares times scale.
func (w *Workspace) setMean(o *ownNoise, scale float64, points []int) {
	mean, from, dy := o.mean.Data, w.examples(o), w.m.c.Channels
	scale /= float64(dy)
	clear(mean)
	for l, example := range o.rows {
		asm.Axpy(o.shares[l], from.view(w.room.row, example), mean)
	}
	sums, row := w.room.reach[:len(points)], w.room.pairs[:len(points)]
	clear(sums)
	for c := range dy {
		for l, example := range o.rows {
			pickChannel(row, from.view(w.room.row, example), points, dy, c)
			asm.MulTo(row, row, row)
			asm.Axpy(scale*o.shares[l], row, sums)
		}
		pickChannel(row, mean, points, dy, c)
		asm.MulTo(row, row, row)
		asm.Axpy(-scale, row, sums)
	}
	for k, i := range points {
		o.variance[i] = max(0, sums[k])
	}
}

// addChannels adds a factor times the sums over the channels of values to numbers of points.
func (w *Workspace) addChannels(to []float64, factor float64, values []float64) {
	if w.m.c.Channels == 1 {
		asm.Axpy(factor, values, to)
		return
	}
	of := mat.NewDense(len(to), w.m.c.Channels, values)
	for i := range to {
		for _, v := range of.Row(i) {
			to[i] += float64(factor * v)
		}
	}
}

// setUnsure sets the deviations of what was filled in of the examples of an ownNoise, which have shares times scale.
func (w *Workspace) setImputed(o *ownNoise, scale float64) {
	if o.imputed == nil {
		return
	}
	clear(o.imputed)
	row := w.room.row[:w.m.values()]
	for l, example := range o.rows {
		w.m.c.Filled.row(row, example, 0)
		w.addChannels(o.imputed, scale*o.shares[l]/float64(w.m.c.Channels), row)
	}
	for i, v := range o.imputed {
		o.imputed[i] = math.Sqrt(max(0, v))
	}
}

// setSimilar sets what examples at small distances say directly of some points.
func (w *Workspace) setSimilar(b *field.Blend, distances []float64, points []int) *ownNoise {
	m, o := w.m, &w.similar
	weights := w.weights
	infer.Effective(weights, distances, b.Neighbours)
	least := infer.MinShare * slices.Max(weights)
	o.rows = o.rows[:0]
	for k, v := range weights {
		if v > least {
			o.rows = append(o.rows, k)
		}
	}
	o.wide = true
	w.keepHeaviest(o)
	var total float64
	for _, k := range o.rows {
		total += weights[k]
	}
	for k, i := range o.rows {
		o.shares[k] = weights[i] / total
		o.roots[k] = math.Sqrt(o.shares[k] * (1 - b.Shrinkage) / float64(m.c.Channels))
	}
	o.whole, o.prior, o.less = 1, b.Shrinkage, 1
	o.taper, o.taperFactor = &m.trainingSpacings, taperFactor(b)
	w.setMean(o, 1-b.Shrinkage, points)
	w.setImputed(o, 1-b.Shrinkage)
	return o
}
