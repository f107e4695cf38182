package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A drift is what the world adds to a stream's examples and the model does not have: light, dust, age. Each channel has an amount of each of J patterns in space (docs/math.md, section 23).
type drift struct {
	active         bool
	patterns       [][]float64 // J of n numbers, in the model's units
	mean, variance []float64   // of the amounts, J·d_y, those of a channel side by side
	at, unsure     []float64   // what they add to values and to their variances, n·d_y

	some        []float64   // a pattern at observed values
	told        [][]float64 // C⁻¹ times patterns there
	information mat.Matrix  // of those of a group
	shift       mat.Matrix
	factor      chol.Factor
}

// driftDeviation is that of each pattern before anything was seen, in deviations of the training values, and DriftMemory how many steps an amount lasts, so that it moves by 0.003 deviations a step. Of four drawn
// worlds with 0.03 and 200 errors under drifts are 1 to 12 % larger and others the same; random walks of 0.01 a step made others up to 10 % larger.
const driftDeviation, DriftMemory = 0.1, 2000

// newDrift makes room for the drift of a stream.
func (w *Workspace) newDrift(exact int) {
	if c, d := w.m.c, &w.drift; len(c.Time.Systems) > 0 {
		d.setPatterns(mat.NewDense(c.Points, w.dimensions(), c.Coordinates))
		most := w.mostJudged(exact)
		d.mean, d.variance = w.vector(len(d.patterns)*c.Channels), w.vector(len(d.patterns)*c.Channels)
		d.at, d.unsure = w.vector(w.m.values()), w.vector(w.m.values())
		together := len(d.mean) / c.groups()
		d.some, d.information, d.shift = w.vector(most), w.matrix(together, together), w.matrix(together, 1)
		for range together {
			d.told = append(d.told, w.vector(most))
		}
	}
}

// setPatterns makes the patterns, polynomials of second degree in the coordinates of points, uncorrelated over these.
func (d *drift) setPatterns(points mat.Matrix) {
	n := float64(points.Rows)
	add := func(v []float64) {
		size := asm.SumSquares(v)
		for range 2 { // once more for what rounding leaves
			for _, earlier := range d.patterns {
				asm.Axpy(-asm.Dot(earlier, v)/n, earlier, v)
			}
		}
		if left := asm.SumSquares(v); left > 1e-6*size { // it is no sum of the others
			asm.Scale(v, math.Sqrt(n/left), v)
			d.patterns = append(d.patterns, v)
		}
	}
	for q := -1; q < points.Cols; q++ {
		v := make([]float64, points.Rows)
		for i := range v {
			if v[i] = 1; q >= 0 {
				v[i] = points.At(i, q) - points.At(0, q)
			}
		}
		add(v)
	}
	for q, a := range d.patterns[1:] {
		for _, b := range d.patterns[1 : q+2] {
			v := make([]float64, points.Rows)
			asm.MulTo(v, a, b)
			add(v)
		}
	}
	for _, v := range d.patterns {
		asm.Scale(v, driftDeviation, v)
	}
}

// Drifts returns how many amounts the drift of a stream has.
func (w *Workspace) Drifts() int { return len(w.drift.mean) }

// SetDrift sets what is known of the amounts of the next example's drift before it is seen, mean and variance of Drifts each, all variances more by some number; nil: there is none.
func (w *Workspace) SetDrift(mean, variance []float64, more float64) {
	d := &w.drift
	if d.active = len(mean) > 0; d.active {
		copy(d.mean, mean)
		for k, v := range variance {
			d.variance[k] = v + more
		}
		d.set(w.m.c.Channels)
	}
}

// Drift returns mean and variance of the amounts, after Foresee given the example. They are the workspace's until its next call.
func (w *Workspace) Drift() (mean, variance []float64) { return w.drift.mean, w.drift.variance }

// set sets what the amounts add.
func (d *drift) set(channels int) {
	for k := range d.at {
		of := k % channels * len(d.patterns)
		d.at[k], d.unsure[k] = 0, 0
		for j, pattern := range d.patterns {
			b := pattern[k/channels]
			d.at[k] += float64(b * d.mean[of+j])
			d.unsure[k] += float64(b*b) * d.variance[of+j]
		}
	}
}

// see has the amounts of the channels of a group, c ≡ group modulo groups, be those given its observed values, and takes off C⁻¹·r what they explain of it.
func (d *drift) see(group, groups int, seen []int, solved []float64, precision mat.Matrix) error {
	n, some := len(d.patterns), d.some[:len(seen)]
	channels := len(d.mean) / n
	amounts := channels / groups * n
	shift, information := d.shift.Slice(0, amounts, 0, 1), d.information.Slice(0, amounts, 0, amounts)
	mean, variance := d.mean[group*n:][:amounts], d.variance[group*n:][:amounts]
	for j := range amounts {
		pattern := d.patterns[j%n]
		for k, i := range seen {
			if some[k] = 0; i%channels == group+j/n {
				some[k] = pattern[i/channels]
			}
		}
		shift.Data[j] = asm.Dot(some, solved)
		for k := range seen {
			d.told[j][k] = asm.Dot(precision.Row(k), some)
		}
		row := information.Row(j)
		for l := range j + 1 { // the lower triangle counts
			row[l] = asm.Dot(some, d.told[l][:len(seen)])
		}
		row[j] += 1 / variance[j]
	}
	if err := d.factor.RefactorizeInPlace(information); err != nil {
		return err
	}
	d.factor.Solve(shift)
	d.factor.InverseDiagonal(variance)
	for j, v := range shift.Data[:amounts] {
		mean[j] += v
		asm.Axpy(-v, d.told[j][:len(seen)], solved)
	}
	return nil
}
