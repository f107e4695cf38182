package selection

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// Choose returns settings of which nothing is open, and how long the search took, in earlier runs too. Candidates that cannot be trained are passed over.
// Errors: *ReadError, ctx.Err().
func (s *Search) Choose(ctx context.Context) (c training.Settings, searched time.Duration, err error) {
	begin := time.Now()
	s.outer = ctx
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	defer s.end()
	if s.run.End != nil {
		go func() {
			select {
			case <-s.run.End:
				s.cancel(nil)
			case <-s.ctx.Done():
			}
		}()
	}
	earlier := s.run.Journal.BeginSearch(s.limit)
	defer s.run.Journal.EndSearch()
	c, err = s.all()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	c.Effort = field.EffortNone
	return c, earlier + time.Since(begin), err
}

// all makes the search for the data's kind of prediction.
func (s *Search) all() (training.Settings, error) {
	switch {
	case s.given.Effort == field.EffortNone:
		return s.given, nil
	case s.data.Times != nil:
		return s.inTime()
	}
	return s.independent()
}

// First returns the settings from which a search starts.
func (s *Search) First() (first training.Settings) {
	if s.data.Times != nil {
		return s.plainInTime()
	}
	first, _ = s.structures()
	return first
}

// White returns the settings of the model of data with known errors, whose noise is white.
func (s *Search) White() training.Settings {
	if s.data.Times != nil {
		return s.plainInTime()
	}
	return s.given.Or(s.whiteNoise())
}

// Joint reports whether a candidate has a covariance of all points.
func (s *Search) Joint() bool {
	if s.data.Times != nil {
		return !s.data.Film && s.structuredOptions() != nil
	}
	return s.jointPossible()
}

// TimeCandidates returns how many candidates for what a model knows of time there are.
func (s *Search) TimeCandidates() int { return len(s.timeCandidates()) }
