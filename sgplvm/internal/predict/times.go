package predict

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// errNoTimes is returned where the latent variables do not move over time.
var errNoTimes = errors.New("sgplvm: the model has no dynamical prior, so its latent variables have no time")

// PriorLatent returns the prior of a latent variable, N(0, I), as a posterior that has
// seen nothing; for a certain time see LatentAt.
func (q *Posterior) PriorLatent() field.Latent {
	d := q.params.X.Mu.Cols
	return field.Latent{Mu: make([]float64, d), S: work.Ones(d), Start: -1}
}

// TrainingLatent returns q(x) of training example i, which is counted from 0. It
// panics if there is no such example. Its Bound is 0: examples share one.
func (q *Posterior) TrainingLatent(i int) field.Latent {
	x := &q.params.X
	if i < 0 || i >= x.Mu.Rows {
		panic(fmt.Sprintf("sgplvm: TrainingLatent: example %d of %d", i, x.Mu.Rows))
	}
	l := field.Latent{Mu: slices.Clone(x.Mu.Row(i)), S: slices.Clone(x.S.Row(i)), Start: i, Seen: true}
	if q.times != nil {
		at := q.times[i]
		l.At = &at
	}
	return l
}

// overTime returns the posterior of the latent variables over time.
func (q *Posterior) overTime() (*dynamics.Posterior, error) {
	if q.times == nil {
		return nil, errNoTimes
	}
	return q.paths()
}

// LatentAt returns the latent posterior of a model with a dynamical prior at any times of
// one of its sequences (0 where none were given), in the order of the times: between
// the examples, before and after them, where it tends to the prior (docs/math.md, "Other times and
// sample paths"). Its use as Observed.Prior adds what was seen of a frame. Errors:
// *field.ConfigError; a model without a dynamical prior.
func (q *Posterior) LatentAt(sequence int, times []float64) ([]field.Latent, error) {
	p, err := q.overTime()
	if err != nil {
		return nil, err
	}
	mu, s, err := p.Marginals(sequence, times)
	if err != nil {
		return nil, err
	}
	all := make([]field.Latent, len(times))
	for i := range all {
		all[i] = field.Latent{Mu: slices.Clone(mu.Row(i)), S: slices.Clone(s.Row(i)), Start: -1, At: &data.Instant{Sequence: sequence, Time: times[i]}}
	}
	return all, nil
}

// LatentPaths draws count paths of the latent variables from their posterior over time, as
// LatentAt's with the covariances between times: path k is a len(times)×d_ξ matrix.
// The same seed gives the same paths, and a larger count the same ones first. Unless the
// kernel is Markov and the sequence long, the len(times)² covariances are decomposed. Errors:
// as LatentAt's.
func (q *Posterior) LatentPaths(sequence int, times []float64, count int, seed uint64) ([]mat.Matrix, error) {
	if count < 0 {
		return nil, &field.ConfigError{Field: "LatentPaths", Err: fmt.Errorf("%d paths, expected no negative number", count)}
	}
	p, err := q.overTime()
	if err != nil {
		return nil, err
	}
	return p.Sample(sequence, times, count, seed)
}

// PriorAt returns the prior of an example at its time; nil in a sequence of which no example was learned from.
func (q *Posterior) PriorAt(at data.Instant) (*field.Latent, error) {
	if !slices.ContainsFunc(q.times, func(t data.Instant) bool { return t.Sequence == at.Sequence }) {
		return nil, nil
	}
	priors, err := q.LatentAt(at.Sequence, []float64{at.Time})
	if err != nil {
		return nil, err
	}
	return &priors[0], nil
}
