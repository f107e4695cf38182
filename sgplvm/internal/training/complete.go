package training

import (
	"context"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// completeTogether is how many examples are completed at the same time.
const completeTogether = 16

// Complete is that of sgplvm.Trainer.
func (t *Trainer) Complete(ctx context.Context, o field.InferOptions, body func(example int, p field.Prediction) error) error {
	q, err := t.posterior(ctx)
	if err != nil {
		return err
	}
	if q, err = q.With(t.known()); err != nil {
		return err
	}
	priors, err := t.cavities()
	if err != nil {
		return err
	}
	o = o.Or(t.config.Infer)
	y := t.evaluator.Data()
	for from := 0; from < y.Examples; from += completeTogether {
		to := min(from+completeTogether, y.Examples)
		all, failures := make([]field.Prediction, to-from), make([]error, to-from)
		missing := make([]bool, to-from)
		mat.Parallel(to-from, func(k int) {
			var obs field.Observed
			if obs, missing[k], failures[k] = t.observedOf(from + k); failures[k] != nil || !missing[k] {
				return
			}
			if priors != nil {
				obs.Prior = &priors[from+k]
			}
			all[k], failures[k] = q.ImputeGiven(ctx, obs, q.TrainingLatent(from+k), o)
		})
		for k, p := range all {
			if failures[k] != nil {
				return failures[k]
			}
			if missing[k] {
				if err := body(from+k, p); err != nil {
					return err
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// observedOf returns what was observed of training example i, and whether something was not.
func (t *Trainer) observedOf(i int) (obs field.Observed, missing bool, err error) {
	y := t.evaluator.Data()
	obs.Values = mat.New(y.Points, y.Channels)
	if err := y.ReadRaw(obs.Values.Data, i, i+1); err != nil {
		return obs, false, err
	}
	missing = false
	for _, v := range obs.Values.Data {
		missing = missing || v != v
	}
	if y.Errors != nil {
		obs.Errors = mat.New(y.Points, y.Channels)
		err = y.Errors.ReadExamples(obs.Errors.Data, i, i+1)
		if err != nil {
			err = &field.ReadError{From: i, To: i + 1, Err: err}
		}
	}
	return obs, missing, err
}
