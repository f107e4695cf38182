package predict

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
)

// Of at least minReached training examples, and of more so that there are reachedNumbers predictions of a channel, the reach is found; of no more
// than so many of an example.
const minReached, reachedNumbers = 16, 1 << 12

// reachOf returns how far from 0 the scaled values of each channel may be by what the model says of its training examples: the squares of its
// predictions, and what these leave of the variance of the data, which is 1.
func (q *Posterior) reachOf() []float64 {
	n, points, on := q.params.X.Mu.Rows, q.grid.Len(), q.training()
	count := min(n, max(minReached, reachedNumbers/points))
	step := max(1, points/reachedNumbers)
	psi1, mean := mat.New(q.factors[0].Size(), 1), mat.New(points, 1)
	pools, squares := make([][]float64, q.channels()), make([]float64, q.channels())
	for k := range count {
		q.psi1(psi1.Data, q.TrainingLatent(k*n/count))
		for c := range pools {
			mat.Mul(mean, 1, on.p[c], psi1, 0)
			for i := 0; i < points; i += step {
				v := mean.Data[i] * mean.Data[i]
				pools[c] = append(pools[c], v)
				squares[c] += v
			}
		}
	}
	reach := make([]float64, len(pools))
	for c, pool := range pools {
		left := max(0, 1-squares[c]/float64(len(pool)))
		for i, v := range pool {
			pool[i] = math.Sqrt(v + left)
		}
		reach[c] = outlier.Reach(pool)
	}
	return reach
}

// inferWithout infers an example's latent variables without its outliers, which are missing then: values beyond the reach of the model that are also far from
// what it says of their places when all of those are missing. Where most are beyond it the example is of another kind, and has none.
func (e *example) inferWithout(q *Posterior, o field.InferOptions) error {
	if o.KeepOutliers {
		return e.w.Infer()
	}
	observed, beyond := e.leaveOut(q.reach())
	if 2*beyond > observed+1 {
		copy(e.values, e.all)
		beyond, e.judged = 0, false
	}
	if beyond > 0 {
		e.take()
	}
	if err := e.w.Infer(); err != nil || beyond == 0 {
		return err
	}
	l, back := e.w.Latent(), false
	e.w.Predict(l.Mu, l.S)
	mean, variance := e.w.Result()
	for k, v := range e.all {
		if v != v || e.values[k] == v {
			continue
		}
		of := variance.Data[k]
		if e.inexact {
			of += e.squares[k]
		}
		var far bool
		if e.scores[k], far = outlier.Score(v, mean.Data[k], of); !far {
			e.values[k], back = v, true
		}
	}
	if !back {
		return nil
	}
	e.take()
	return e.w.Infer()
}

// Beyond reports whether some of the values of an example, point by point in the user's units, are beyond the reach of the model.
func (q *Posterior) Beyond(values []float64) bool {
	reach := q.reach()
	for k, v := range values {
		if c := k % len(reach); math.Abs(v-q.scaler.Mean[c])/q.scaler.Scale[c] >= reach[c] {
			return true
		}
	}
	return false
}

// leaveOut makes the values of an example missing that are beyond the reach of their channels, and returns how many were observed and how
// many of them are missing now.
func (e *example) leaveOut(reach []float64) (observed, beyond int) {
	for k, v := range e.values {
		if v != v {
			continue
		}
		if observed++; math.Abs(v) < reach[k%len(reach)] {
			continue
		}
		if beyond++; beyond == 1 {
			e.judged, e.all = true, append(e.all[:0], e.values...)
		}
		e.values[k] = math.NaN()
	}
	return observed, beyond
}

// addOutliers appends those observed values of an example that are missing now.
func (e *example) addOutliers(to []field.Outlier, observed mat.Matrix) []field.Outlier {
	if !e.judged {
		return to
	}
	for k, v := range e.values {
		i, c := k/observed.Cols, k%observed.Cols
		if y := observed.At(i, c); y == y && v != v {
			to = append(to, field.Outlier{Point: i, Channel: c, Value: y, Score: e.scores[k]})
		}
	}
	return to
}

// Outliers returns the observed values of an example, n_s*×d_y with NaN elsewhere, in the user's units, that are beyond the reach of the model and
// far from a prediction that was made without them.
func (q *Posterior) Outliers(values mat.Matrix, p field.Prediction) (found []field.Outlier) {
	reach, observed := q.reach(), 0
	for i := range values.Rows {
		for c, v := range values.Row(i) {
			if v != v {
				continue
			}
			observed++
			if math.Abs(v-q.scaler.Mean[c])/q.scaler.Scale[c] < reach[c] {
				continue
			}
			if score, far := outlier.Score(v, p.Mean.At(i, c), p.Variance.At(i, c)); far {
				found = append(found, field.Outlier{Point: i, Channel: c, Value: v, Score: score})
			}
		}
	}
	if 2*len(found) > observed+1 {
		return nil // as inferWithout
	}
	return found
}
