package predict

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
)

// outlierRounds is how often an example is judged anew after its outliers have changed.
const outlierRounds = 3

// inferWithout is infer of an example without its outliers, which are missing then. At first those are the values far from the mean of the
// training data; then, in rounds, those that are far from what the latent variables say that were inferred without them.
func (q *Posterior) inferWithout(ctx context.Context, e *example, o InferOptions) (l Latent, err error) {
	if o.KeepOutliers || !e.observed() {
		return q.infer(ctx, e, o)
	}
	all := e.values
	e.scores = e.room.clone(all)
	for k, v := range all.Data {
		e.scores.Data[k] = math.Abs(v)
	}
	e.leaveOut(all, true)
	for round := 0; ; round++ {
		if l, err = q.infer(ctx, e, o); err != nil || round == outlierRounds {
			return l, err
		}
		p := q.marginal(e.on, q.momentsIn(e.room, l))
		for i := range all.Rows {
			for c, v := range all.Row(i) {
				e.scores.Row(i)[c], _ = outlier.Score(v, p.Mean.At(i, c), p.Variance.At(i, c)+l.noise()/q.params.Noise.Beta+e.square(i, c))
			}
		}
		if !e.leaveOut(all, false) {
			return l, nil
		}
	}
}

// leaveOut makes the values of all that were observed and have far scores missing, and the others observed, and reports whether that
// changes anything; gross is that of outlier.Bound.
func (e *example) leaveOut(all mat.Matrix, gross bool) (changed bool) {
	observed, trusted := 0, e.room.vector(len(all.Data))[:0]
	for k, v := range all.Data {
		if v == v {
			observed++
		}
		if v == v && e.values.Data[k] == v {
			trusted = append(trusted, e.scores.Data[k])
		}
	}
	bound, left := outlier.Bound(trusted, gross), 0
	for k, v := range all.Data {
		if v == v && e.scores.Data[k] >= bound {
			left++
		}
	}
	if left > (observed+1)/2 {
		bound = math.Inf(1) // this is no example with outliers, but one of another kind
	}
	values := e.room.clone(all)
	for k, score := range e.scores.Data {
		if score >= bound {
			values.Data[k] = math.NaN()
		}
		changed = changed || (values.Data[k] == values.Data[k]) != (e.values.Data[k] == e.values.Data[k])
	}
	if !changed {
		return false
	}
	e.values, e.far = values, nil
	for c := range e.seen {
		e.seen[c] = e.room.list(all.Rows)
		for i := range all.Rows {
			if v := values.At(i, c); v == v {
				e.seen[c] = append(e.seen[c], i)
			}
		}
	}
	return true
}

// addOutliers appends those observed values of an example that were left out.
func (e *example) addOutliers(to []outlier.Value, observed mat.Matrix) []outlier.Value {
	for i := range e.values.Rows {
		for c, v := range e.values.Row(i) {
			if y := observed.At(i, c); y == y && v != v {
				to = append(to, outlier.Value{Point: i, Channel: c, Value: y, Score: e.scores.At(i, c)})
			}
		}
	}
	return to
}

// Outliers returns the observed values of an example that are far from a prediction that was made without them. Others are NaN.
func Outliers(values mat.Matrix, p Prediction) (found []outlier.Value) {
	scores, trusted := mat.New(values.Rows, values.Cols), []float64(nil)
	for i := range values.Rows {
		for c := range values.Cols {
			s, _ := outlier.Score(values.At(i, c), p.Mean.At(i, c), p.Variance.At(i, c))
			if scores.Set(i, c, s); s == s {
				trusted = append(trusted, s)
			}
		}
	}
	bound := outlier.Bound(trusted, false)
	for i := range values.Rows {
		for c, s := range scores.Row(i) {
			if s >= bound {
				found = append(found, outlier.Value{Point: i, Channel: c, Value: values.At(i, c), Score: s})
			}
		}
	}
	return found
}
