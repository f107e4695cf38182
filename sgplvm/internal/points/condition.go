package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// condition overwrites mean and variance of missing points among some, an ascending list, given the observed ones (docs/math.md, section
// 14.1). Errors: *chol.NotPositiveDefiniteError, *chol.NonFiniteError.
func (w *Workspace) condition(p prediction, within []int) error {
	o, n := &w.o, w.m.c.Points
	w.chi, w.surprised = 0, 0
	for c, seen := range w.seen {
		channels := w.alike(c)
		if len(seen) == 0 || channels == nil {
			continue
		}
		block := w.without(within, seen)
		if len(w.moments.shares) > 1 {
			w.setDiagonal(c, block)
		}
		if few := o.PartNeighbours; few > 0 && !w.moments.latent && len(seen) > few {
			if err := w.conditionNear(p, channels, block, seen, few); err != nil {
				return err
			}
			continue
		}
		if len(seen) <= o.Exact {
			if len(block) > 0 && w.moments.latent {
				w.way = max(w.way, Exactly)
			}
			if err := w.conditionOn(p, channels, block, seen); err != nil {
				return err
			}
			continue
		}
		missing := float64(n - len(seen))
		if size := float64(o.Group + o.Neighbours); len(block) == 0 || size*missing/float64(o.Group)*size*float64(w.m.features) > o.Work {
			continue
		}
		w.way = Locally
		if err := w.conditionGroups(p, channels, block, seen); err != nil {
			return err
		}
	}
	return nil
}

// conditionGroups divides points into groups of neighbours by halving along the longest side, again and again, as long as more than half of the observed points that a group is given
// would lie among its own, and conditions each on those nearest to its centre.
func (w *Workspace) conditionGroups(p prediction, channels, points, seen []int) error {
	w.sort(points, nil)
	if w.ctx != nil && w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	if len(points) > w.o.Group || len(points) > 1 && w.among(points, seen) > w.o.Neighbours/2 {
		h := w.halve(&w.m.scaled, points)
		if err := w.conditionGroups(p, channels, points[:h], seen); err != nil {
			return err
		}
		return w.conditionGroups(p, channels, points[h:], seen)
	}
	w.ready = false
	return w.conditionOn(p, channels, points, w.nearest(points, seen, w.o.Neighbours))
}

// conditionNear conditions points on the observed ones that are nearest to any of them, group by group.
func (w *Workspace) conditionNear(p prediction, channels, points, seen []int, few int) error {
	if h := w.apartNear(points, seen, few); h > 0 {
		if err := w.conditionNear(p, channels, points[:h], seen, few); err != nil {
			return err
		}
		return w.conditionNear(p, channels, points[h:], seen, few)
	}
	w.ready = false
	return w.conditionOn(p, channels, points, w.nearestToAny(points, seen, few))
}

// apartNear returns where points are to be halved, since more than half of the few observed ones nearest to any of them would lie among them: those around each would not be
// given. It returns 0 and leaves points ascending if one group is enough.
func (w *Workspace) apartNear(points, seen []int, few int) int {
	w.sort(points, nil)
	if len(points) < 2 || w.among(points, seen) <= few/2 {
		return 0
	}
	return w.halve(&w.m.scaled, points)
}

// among returns how many observed points lie in the smallest box around some points.
func (w *Workspace) among(points, seen []int) (count int) {
	x, outside := w.m.scaled.x, w.room.row[:len(seen)]
	clear(outside)
	for q := range x.Rows {
		row := x.Row(q)
		low, high := row[points[0]], row[points[0]]
		for _, i := range points {
			low, high = min(low, row[i]), max(high, row[i])
		}
		for k, i := range seen {
			if row[i] < low || row[i] > high {
				outside[k] = 1
			}
		}
	}
	for _, v := range outside {
		count += 1 - int(v)
	}
	return count
}

// nearest returns some observed points nearest to a group's centre, ascending.
func (w *Workspace) nearest(group, seen []int, count int) []int {
	x, distances := w.m.scaled.x, w.room.reach
	for _, i := range seen {
		distances[i] = 0
	}
	for q := range x.Rows {
		row := x.Row(q)
		var centre float64
		for _, i := range group {
			centre += 1 / float64(len(group)) * row[i]
		}
		for _, i := range seen {
			distances[i] += (row[i] - centre) * (row[i] - centre)
		}
	}
	w.room.near512 = work.Least(append(w.room.near512[:0], seen...), distances, w.room.sorted, count)
	return w.room.near512
}

// nearestToAny returns some observed points that are nearest to any of some points, ascending.
func (w *Workspace) nearestToAny(points, seen []int, count int) []int {
	x, n := w.m.scaled.x, len(seen)
	at, nearest, far := view(w.room.gathered, x.Rows, n), w.room.row[:n], w.room.pairs[:n]
	for q := range x.Rows {
		pickFrom(at.Row(q), x.Row(q), seen)
	}
	for k := range nearest {
		nearest[k] = math.Inf(1)
	}
	for _, i := range points {
		clear(far)
		for q := range x.Rows {
			from := x.Row(q)[i]
			for k, v := range at.Row(q) {
				far[k] += (v - from) * (v - from)
			}
		}
		for k, v := range far {
			if v < nearest[k] {
				nearest[k] = v
			}
		}
	}
	reach := w.room.reach
	for k, i := range seen {
		reach[i] = nearest[k]
	}
	w.room.near512 = work.Least(append(w.room.near512[:0], seen...), reach, w.room.sorted, count)
	return w.room.near512
}

// conditionOn conditions missing points on all of the observed ones that are given.
func (w *Workspace) conditionOn(p prediction, channels, missing, seen []int) error {
	if w.o.Moments {
		return w.conditionMoments(p, channels, missing, seen)
	}
	if !w.ready {
		if err := w.factor.RefactorizeInPlace(w.observedCovariance(channels[0], seen, missing)); err != nil {
			return err
		}
	}
	w.ready = false
	r, t := &w.room, &w.moments
	w.factor.InverseDiagonal(r.precision[:len(seen)])
	for place, c := range channels {
		residual := w.whitenedResiduals(p, place, c, seen)
		if t.latent {
			po := w.spreadRoom(place, len(seen))
			w.setSpread(po.Data, c, seen)
			w.factor.SolveHalf(po)
		}
		w.setSurprise(c, seen, missing, residual)
	}
	if w.field.active && t.latent && len(seen) == len(w.seen[channels[0]]) {
		w.learnField(channels, seen)
	}
	telling := w.studentWeight(missing)
	for from := 0; from < len(missing); from += together {
		to := min(from+together, len(missing))
		block, x := missing[from:to], w.crossCovariance(seen, missing, from, to)
		w.factor.SolveHalf(x) // L⁻¹C_OM, so that G = xᵀL⁻¹
		for place, c := range channels {
			w.conditionBlock(p, place, c, block, seen, x, telling)
		}
	}
	return nil
}

// conditionMoments is conditionOn with the term of the latent uncertainty in the covariance, which makes it a matter of each channel,
//
//	mean = mean_M + G·(y_O − mean_O),   cov = C_MM − G·C_OM,   G = C_MO·C_OO⁻¹,   C with P·(Ψ2 − ψ1ψ1ᵀ)·Pᵀ
func (w *Workspace) conditionMoments(p prediction, channels, missing, seen []int) error {
	for _, c := range channels {
		covariance := w.observedCovariance(c, seen, missing)
		w.addSpread(covariance, w.predictions(0, c, seen))
		if err := w.factor.RefactorizeInPlace(covariance); err != nil {
			return err
		}
		residual := w.whitenedResiduals(p, 0, c, seen)
		po := w.predictions(0, c, seen)
		for from := 0; from < len(missing); from += together {
			to := min(from+together, len(missing))
			block, x := missing[from:to], w.crossCovariance(seen, missing, from, to)
			rows, product := view(w.room.left, len(block), po.Cols), view(w.room.spreads, len(block), po.Cols)
			w.setSpread(rows.Data, c, block)
			mat.Mul(product, 1, rows, w.moments.of.Spread, 0)
			mat.Mul(x, 1, po, product.T(), 1)
			w.factor.SolveHalf(x)
			for l, i := range block {
				column := x.Slice(0, x.Rows, l, l+1)
				p.mean.Row(i)[c] += mat.Dot(column, residual)
				p.variance.Row(i)[c] = max(0, p.variance.Row(i)[c]-mat.Dot(column, column))
			}
		}
	}
	return nil
}

// solve returns C_OO⁻¹·(y_O − mean_O), given the half of it.
func (w *Workspace) solve(residual mat.Matrix) []float64 {
	solved := w.room.solved[:residual.Rows]
	copy(solved, residual.Data)
	w.factor.SolveHalfT(mat.Vector(solved))
	return solved
}

// spreadRoom returns the place-th room for what observed values know of the latent uncertainty.
//
//go:noinline
func (w *Workspace) spreadRoom(place, seen int) mat.Matrix {
	return view(w.room.po[place*len(w.room.po)/w.m.c.Channels:], seen, w.breadth())
}

// residuals returns the place-th room for what a prediction leaves of observed values.
//
//go:noinline
func (w *Workspace) residuals(place int, seen []int) mat.Matrix {
	size := len(w.room.residual) / w.m.c.Channels
	return mat.NewDense(len(seen), 1, w.room.residual[place*size:][:len(seen)])
}

// whitenedResiduals sets the place-th room to L⁻¹·(y_O − mean_O) of a channel, of whose C_OO there is the factor.
func (w *Workspace) whitenedResiduals(p prediction, place, c int, seen []int) mat.Matrix {
	residual := w.residuals(place, seen)
	for k, i := range seen {
		residual.Data[k] = w.value(i, c) - p.mean.Row(i)[c]
	}
	w.factor.SolveHalf(residual)
	return residual
}

// setSurprise says how surprising observed values of a channel are, given all others: the first time for an example. It sets what variances of missing points are
// multiplied by where those nearby are.
func (w *Workspace) setSurprise(c int, seen, missing []int, residual mat.Matrix) {
	solved := w.solve(residual)
	if w.moments.degrees > 0 {
		w.setNearby(c, solved, seen, missing)
	}
	if !w.moments.latent {
		return
	}
	for k, i := range seen {
		w.surprise[i*w.m.c.Channels+c] = solved[k] / math.Sqrt(w.room.precision[k])
	}
	w.chi += mat.Dot(residual, residual)
	w.surprised += len(seen)
}

// studentWeight is infer.StudentWeight of the observed values of the last C_OO and of missing points.
func (w *Workspace) studentWeight(missing []int) float64 {
	v := 1 / w.m.c.Beta
	for _, i := range missing {
		v += w.room.diagonal[i] / float64(len(missing))
	}
	return infer.StudentWeight(w.seenVariance, v)
}

// conditionBlock conditions a channel of a block of missing points, given x = L⁻¹C_OM and that weight.
func (w *Workspace) conditionBlock(p prediction, place, c int, block, seen []int, x mat.Matrix, telling float64) {
	r, t := &w.room, &w.moments
	residual := w.residuals(place, seen)
	scale := infer.StudentScale(t.degrees, mat.Dot(residual, residual), len(seen), telling)
	explained := r.explained[:len(block)]
	w.columnSquares(explained, x)
	shift := mat.NewDense(len(block), 1, r.totals[:len(block)])
	mat.Mul(shift, 1, x.T(), residual, 0)
	if t.latent {
		po := w.spreadRoom(place, len(seen))
		left := view(r.left, len(block), po.Cols)
		w.setSpread(left.Data, c, block)
		mat.Mul(left, -1, x.T(), po, 1) // P_M − G·P_O, times M where there is one
		w.spreadOf(r.spread, left)
	}
	for k, i := range block {
		v := r.diagonal[i] - explained[k]
		if t.latent {
			v += r.spread[k]
		}
		v = max(0, v)
		white := 1 / w.m.c.Beta // is in the scaled variance and not in p's
		p.mean.Row(i)[c] += shift.Data[k]
		p.variance.Row(i)[c] = v + (scale*w.nearby[i*w.m.c.Channels+c]-1)*(v+white)
	}
}

// nearbyFactor is that of squared distances, in spacings, for weights whose length scale is two of them.
const nearbyFactor = 0.125

// setNearby sets what the variances of a channel's missing points are multiplied by where observed values nearby are surprising.
func (w *Workspace) setNearby(c int, solved []float64, seen, missing []int) {
	r := &w.room
	z := r.z[:len(seen)]
	mean := infer.LeaveOneOut(z, solved, r.precision[:len(seen)])
	for from := 0; from < len(missing); from += together {
		block := missing[from:min(from+together, len(missing))]
		sums, totals := r.explained[:len(block)], r.totals[:len(block)]
		w.sumNearby(sums, totals, z, seen, block)
		infer.NearbyScale(sums, totals, mean)
		for k, i := range block {
			w.nearby[i*w.m.c.Channels+c] = sums[k]
		}
	}
}

// sumNearby sets sums to those of z of observed points, weighted by their distance from points of a block, and totals to those of the weights.
func (w *Workspace) sumNearby(sums, totals, z []float64, seen, block []int) {
	clear(sums)
	clear(totals)
	for from := 0; from < len(seen); from += noiseRows {
		to := min(from+noiseRows, len(seen))
		weights := view(w.room.rows, to-from, len(block))
		weights.Fill(1)
		w.taper(weights, &w.m.spacings, nearbyFactor, seen[from:to], block)
		for k := range weights.Rows {
			asm.Axpy(z[from+k], weights.Row(k), sums)
			asm.Axpy(1, weights.Row(k), totals)
		}
	}
}

// learnField gives ρ of some channels the moments given the observed values, of whose covariance there is the factor: with L⁻¹ times the residuals, and times what the
// values know of the latent uncertainty, in their rooms.
func (w *Workspace) learnField(channels, seen []int) {
	f, m, size := &w.field, w.m, w.m.features
	prior := f.variance[channels[0]*size:][:size]
	asm.MulTo(f.factors, f.roots, prior)
	step := min(w.room.step, together, m.c.Points)
	for from := 0; from < size; from += step {
		count := min(step, size-from)
		x := view(w.room.observed, len(seen), count)
		m.setFeatures(x, seen, from, f.factors)
		w.factor.SolveHalf(x)
		explained, unsure := w.room.explained[:count], w.room.spread[:count]
		w.columnSquares(explained, x)
		for j, v := range prior[from : from+count] {
			explained[j] = max(v-explained[j], 0) // the rest
		}
		shift, most := mat.NewDense(count, 1, w.room.totals[:count]), w.room.row[:count]
		clear(most)
		for place, c := range channels {
			mat.Mul(shift, 1, x.T(), w.residuals(place, seen), 0)
			asm.Axpy(1, shift.Data, f.mean[c*size+from:][:count])
			left := view(w.room.left, count, w.breadth())
			mat.Mul(left, 1, x.T(), w.spreadRoom(place, len(seen)), 0)
			w.spreadOf(unsure, left)
			for j, v := range unsure {
				most[j] = max(most[j], v)
			}
		}
		for _, c := range channels {
			for j, v := range most {
				f.variance[c*size+from+j] = min(1, explained[j]+v)
			}
		}
	}
}
