package selection

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A secondValidator scores second models as they will be used: for examples whose missing values are not too far from observed ones, beside the
// first model for all others.
type secondValidator struct {
	*Folds
	first training.Settings

	alone []caseScore // what the first model makes of all cases
	gaps  []float64   // of the cases
}

// newSecondValidator divides the examples. Each is held out with all patterns, which cost no training: a reach takes cases at all distances.
func newSecondValidator(s *Search, first training.Settings) (*secondValidator, error) {
	f, err := s.thinnedFolds(len(completion.Patterns))
	return &secondValidator{Folds: f, first: first}, err
}

func (j *secondValidator) validate(ctx context.Context, cfg training.Settings, hopeless func(validation.Scores) bool) (validation.Scores, error) {
	if cfg.String() == j.first.String() {
		return j.Folds.validate(ctx, cfg, hopeless)
	}
	second, err := j.losses(ctx, cfg)
	if err != nil {
		return validation.Scores{}, err
	}
	reach, err := j.reach(ctx, second)
	if err != nil {
		return validation.Scores{}, err
	}
	both := slices.Clone(j.alone)
	for i, gap := range j.gaps {
		if reach == 0 || gap <= reach {
			both[i] = second[i]
		}
	}
	return j.scores(both), nil
}

// prepare has the first model validated, and finds the gaps of the cases.
func (j *secondValidator) prepare(ctx context.Context) error {
	if j.gaps != nil {
		return nil
	}
	alone, err := j.losses(ctx, j.first)
	if err != nil {
		return err
	}
	models, err := j.models(ctx, j.first, 0, len(j.folds))
	if err != nil {
		return err
	}
	gaps := make([]float64, len(j.Cases))
	for i := range j.Cases {
		c, m := &j.Cases[i], models[j.Cases[i].Fold]
		missing, err := m.Missing(field.Observed{Values: c.values(m)})
		if err != nil {
			return err
		}
		gaps[i] = missing.Gap
	}
	j.alone, j.gaps = alone, gaps
	return nil
}

// reachOf returns the distance of missing values from observed ones up to which a second model is better than the first, 0
// where it is everywhere.
func (j *secondValidator) reachOf(ctx context.Context, second training.Settings) (float64, error) {
	all, err := j.losses(ctx, second)
	if err != nil {
		return 0, err
	}
	return j.reach(ctx, all)
}

// reach is reachOf what a second model makes of the cases.
func (j *secondValidator) reach(ctx context.Context, second []caseScore) (reach float64, err error) {
	if err := j.prepare(ctx); err != nil {
		return 0, err
	}
	order, scale := work.AllBut(len(j.gaps), nil), 0.0
	for _, c := range j.alone {
		scale += math.Sqrt(c.Square) / float64(len(order))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(j.gaps[a], j.gaps[b]) })
	var gain, most float64 // of the first model at all that lie further away, in nats and in errors relative to their mean
	for k := len(order) - 1; k > 0; k-- {
		i := order[k]
		gain += second[i].Loss - j.alone[i].Loss + (math.Sqrt(second[i].Square)-math.Sqrt(j.alone[i].Square))/max(scale, math.SmallestNonzeroFloat64)
		if near, far := j.gaps[order[k-1]], j.gaps[order[k]]; gain > most && near < far {
			most, reach = gain, math.Sqrt(near*far)
		}
	}
	return reach, nil
}
