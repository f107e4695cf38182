package selection

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// How long a search and the training after it will take is told before the first candidate: from some evaluations of the bound and some
// examples filled in, measured, and how many of each the plan makes likely.

// A probe is what parts of the work take, by the clock, those that run side by side together.
type probe struct {
	held, free time.Duration // a step of training with space held, and with everything free; of all folds
	dense      time.Duration // where most of training is at some points: an eigenproblem of learned noise; of one fold alone
	filled     time.Duration // a case filled in
	validated  time.Duration // in time: all examples predicted from the others
}

// probeMove is by how much a probe moves parameters in the optimiser's coordinates, so that nothing is known of where they are.
const probeMove = 1e-3

// probing returns a trainer that is to take no step.
func probing(t Trainers, d Data, cfg training.Settings) (Trainer, error) {
	cfg.Residual.Rounds, cfg.Residual.Local, cfg.Residual.Strength, cfg.Residual.Taper = -1, field.Off, 0, 0
	cfg.Training.CoarsePoints, cfg.Training.Uncalibrated = -1, true
	return t.New(d, cfg, nil)
}

// paced returns how long a step of each kind takes that some trainers take side by side: an evaluation of the bound with its gradient, after one with
// which comes what is made once.
func paced(ctx context.Context, trainers ...Trainer) (p probe, err error) {
	for _, e := range []struct {
		moved, free bound.Group
		took        *time.Duration
	}{{bound.GroupAll, bound.GroupAll, new(time.Duration)}, {0, bound.GroupAll, &p.free}, {bound.GroupLatent | bound.GroupNoise, bound.GroupLatent | bound.GroupNoise, &p.held}} {
		begin := time.Now()
		err := eachOf(len(trainers), func(k int) error {
			return trainers[k].Evaluate(ctx, probeMove, e.moved, e.free)
		})
		if err != nil {
			return p, err
		}
		*e.took = time.Since(begin)
	}
	return p, nil
}

// probe measures a configuration on all folds at once.
func (j *Folds) probe(ctx context.Context, cfg training.Settings) (p probe, err error) {
	trainers := make([]Trainer, len(j.folds))
	if err := eachOf(len(j.folds), func(k int) (err error) {
		f := &j.folds[k]
		trainers[k], err = probing(f.trainers, f.data, f.data.Fitted(cfg))
		return err
	}); err != nil {
		return p, err
	}
	if p, err = paced(ctx, trainers...); err != nil {
		return p, err
	}
	if cfg.Training.CoarsePoints > 0 && cfg.Residual.Rounds > 0 {
		begin := time.Now()
		if err := trainers[0].EvaluateDense(ctx); err != nil {
			return p, err
		}
		p.dense = time.Since(begin)
	}
	q, err := trainers[0].Posterior()
	if err != nil {
		return p, err
	}
	some := min(len(j.Cases), len(completion.Patterns)) // of the first fold, as folds have more
	begin := time.Now()
	failures := make([]error, some)
	mat.Parallel(some, func(i int) {
		if j.Cases[i].Fold == 0 {
			_, failures[i] = j.Cases[i].score(ctx, q, cfg.Infer)
		}
	})
	p.filled = time.Since(begin) / time.Duration(some)
	p.validated = time.Duration(len(j.Cases)) * p.filled
	return p, cmp.Or(failures...)
}

// ofExamples returns what the same takes of so many times the examples: what comes with free spatial kernels besides is a matter of points.
func (p probe) ofExamples(times float64) probe {
	held := time.Duration(times * float64(p.held))
	return probe{held: held, free: held + p.free - p.held, dense: p.dense, filled: p.filled, validated: p.validated}
}

// training returns how long so many steps take, after a short warm-up.
func (p probe) training(steps float64) float64 { return p.after(steps, steps/6) }

// after returns how long so many steps take, of which the first ones are a warm-up.
func (p probe) after(steps, warmup float64) float64 {
	free := (steps - warmup) * training.JointSteps / (training.LatentSteps + training.JointSteps)
	return free*float64(p.free) + (steps-free)*float64(p.held)
}

// inTime returns how long the training of a configuration in time and its validation take.
func (p probe) inTime(cfg training.Settings) float64 {
	steps, searched := float64(cmp.Or(cfg.Training.Iterations, training.Iterations)), 1.
	if k := cfg.Residual.Kernel.Kind; k != "" && k != kernel.White {
		searched = lineSearch
	}
	return searched*p.after(steps, cmp.Or(float64(cfg.Training.Warmup), 0.75*steps)) + float64(p.validated)
}

// expected returns how long a search by filling in takes with the training after it, of n examples at so many times the points of the
// validation.
func (s *Search) expected(j *Folds, p probe, cfg training.Settings, q searchStage) time.Duration {
	folds, steps := float64(len(j.folds)), float64(cfg.Training.Iterations)
	rounds, round, train := float64(max(0, cfg.Residual.Rounds)), float64(cmp.Or(cfg.Residual.Steps, training.ResidualSteps)), p.training
	n, points, _ := s.data.Source.Dims()
	learned, thin, _ := j.folds[0].data.Source.Dims()
	learn := rounds * (round + 2) * float64(p.held)
	fill := float64(len(j.Cases)) * float64(p.filled)
	full := train(steps) + learn + fill
	whole := p.ofExamples(float64(n) / float64(learned))
	learnAll := rounds * (round + 2) * float64(whole.held)
	last := whole.training(steps) + learnAll
	lost := full * (1 + 1/folds) / 2 // half of those that are worse are stopped after the first fold
	if s.quick() && rounds > 0 {
		lost = learn + fill // the training is shared
	}
	total := full + float64(len(q.candidates)-1)*lost
	switch {
	case s.plan.Stages == 0:
		last = whole.training(float64(s.longerAtLast(cfg).Training.Iterations)) + learnAll
	case rounds == 0:
		total += train(manySteps)/2 + 2*full
		last = whole.training(2 * steps)
	default: // reaches in order; degrees of freedom cost a prediction
		total += 4*(learn+fill) + 2*fill
		if n >= manyExamples { // latent dimensions, and twice the steps with more inducing points
			last = largerStep * (whole.training(2*steps) + learnAll)
			total += 2*full + largerStep*(train(2*steps)+learn) + fill
		} else if s.data.Holes == nil { // twice the steps
			total += train(2*steps) + learn + fill
		}
	}
	if rounds > 0 && j.inflated {
		total += (2 + blendFills*float64(s.plan.Rounds)) * fill
	}
	ratio := float64(points) / float64(thin)
	if cfg.Training.CoarsePoints == 0 || ratio == 1 {
		return time.Duration(total + (1+(ratio-1)/2)/folds*last)
	}
	// Most of training is at as many points as the validation's. At all there is an eigenproblem first, and a dense one with each covariance.
	last += (float64(whole.free-whole.held)+learnNoise*rounds*folds*float64(p.dense))*math.Pow(ratio, 3) + float64(whole.held)*ratio*(training.AdaptSteps+rounds*(round+2))
	if s.given.Effort != field.EffortQuick { // once more, for the factors of variances at all points
		total += last/folds + float64(minHeldOut*len(completion.Patterns))*float64(p.filled)*ratio*ratio
	}
	return time.Duration(total + last/folds)
}

// By experience: how many evaluations a step takes where noise has a covariance beside kernels of time; how much longer a step with more inducing points takes, how often the choice of blends fills in all cases in a round, and how long
// a covariance is learned in eigenproblems of it, of which it has one.
const (
	lineSearch = 2
	largerStep = 2.25
	blendFills = 4
	learnNoise = 1.25
)

// foretell tells how long the search and the training after it will take, that of a film with its variances. Where it cannot be measured, nothing is told:
// the first candidate says what is wrong. Errors: *ReadError.
func (s *Search) foretell(expected func() (time.Duration, error)) error {
	stop := s.run.Timing("model selection: how long a step takes")
	d, err := validatedOnce(s.ctx, s.run.Journal, "forecast", func() (time.Duration, error) {
		d, err := expected()
		if err == nil && s.run.After != nil {
			d += s.run.After()
		}
		return d, err
	})
	stop()
	if unread := (*field.ReadError)(nil); errors.As(err, &unread) {
		return err
	}
	if err == nil && s.run.Forecast != nil {
		s.run.Forecast(d)
	}
	return nil
}
