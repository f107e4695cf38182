package sgplvm

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A Completion is examples some of whose values were missing, filled in by what the others say.
type Completion struct {
	// Mean and Variance are (n_ξ·n_s)×d_y, rows as those of Data.Y, in the user's units, noise included.
	// Observed values are as they were, with variance 0.
	Mean, Variance mat.Matrix

	Model  *Model // of the completed examples
	Report Report // of its training

	// Check tells how well observed values were filled in that were hidden from all that bore on them, the way others are missing: errors of
	// the kinds of missing values, as many of each as are missing. Kinds tells it of each.
	Check FillCheck
	Kinds []FillCheck

	// Transforms names, by channel, what the model was learned from in place of values: "identity", "log", "logit" or "log(y + 0.3)", and " above 0" where the least value, 0 here, stands for all
	// that is below it; nil: the values. The model is then one of these. TransformCheck says why.
	Transforms     []string
	TransformCheck TransformCheck

	// Period is how many steps of a long series that repeats itself were an example of the model; 0: the examples are the data's.
	Period int

	learnable []int     // where the model has learned from some of the examples of which something was observed, all of these; nil: it has from all
	at        []Instant // of the examples; nil without times
}

// Complete returns the distribution of all values of training example i, which is counted from 0, given those of its
// values that were observed, at the training points: what Impute does with the posterior of its latent variables that
// training has found. Observed values are their own mean, with variance 0. Its Prior is what the other examples say of its
// time, from Trainer.Complete; nil: standard normal. Errors: *ConfigError, *ValueError, ctx.Err().
func (m *Model) Complete(ctx context.Context, i int, obs Observed, o InferOptions) (Prediction, error) {
	if n := m.Examples(); i < 0 || i >= n {
		return Prediction{}, &ConfigError{Field: "Example", Err: fmt.Errorf("training example %d, expected 0 to %d", i, n-1)}
	}
	obs.Grid = m.Grid()
	return m.posterior.ImputeGiven(ctx, obs, m.posterior.TrainingLatent(i), m.inferOptions(o))
}
