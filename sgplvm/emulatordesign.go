package sgplvm

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/emulator"
)

// DesignOptions steer Design.
type DesignOptions struct {
	Count      int     // runs, at least 1
	Belief     Belief  // the distribution of the inputs, over which the variance counts
	Candidates *Inputs // that may be run, of the form of the runs; nil: points spread over the distribution. Input fields need some
	Seed       uint64
}

// Designed is the next runs of a simulator, the first to be run first.
type Designed struct {
	Inputs  []InputColumn // of the table, without columns that count for nothing
	Numbers []int         // of the candidates
	Left    []float64     // the share of the emulator's variance, summed over the outputs of all inputs, that is left after each run
}

// DesignPoints is how many points stand for the distribution of inputs, and how many candidates there are if none are given.
const DesignPoints = 500

// Design chooses the next runs, one after the other: each is the candidate that takes away most variance (docs/math.md, 25). A candidate is
// chosen at most once. Errors: *ConfigError, *InputError, *ValueError, *ReadError, ctx.Err().
func (e *Emulator) Design(ctx context.Context, o DesignOptions) (*Designed, error) {
	references := e.model.NewPrior(o.Belief).Spread(DesignPoints, o.Seed)
	var candidates mat.Matrix
	var err error
	x := references
	switch {
	case o.Candidates != nil:
		if x, err = (*emulator.Runs)(o.Candidates).Exactly(e.model); err != nil {
			return nil, err
		}
		candidates = x
	case e.model.Fields != nil:
		return nil, &ConfigError{Field: "Candidates", Err: fmt.Errorf("none for inputs that are fields, expected some")}
	}
	if o.Count < 1 || o.Count > x.Rows {
		return nil, &ConfigError{Field: "Count", Err: fmt.Errorf("%d of %s, expected 1 to %d", o.Count, quote.Counted(x.Rows, "candidate"), x.Rows)}
	}
	if x.Rows > emulator.MaxCandidates {
		return nil, &ConfigError{Field: "Candidates", Err: fmt.Errorf("%d, expected at most %d: covariances of all pairs are held", x.Rows, emulator.MaxCandidates)}
	}
	d := e.model.NewDesign(references, candidates)
	r := &Designed{}
	chosen := mat.New(o.Count, x.Cols)
	for k := range o.Count {
		best, left, err := d.Next(ctx)
		if err != nil {
			return nil, err
		}
		copy(chosen.Row(k), x.Row(best))
		r.Numbers, r.Left = append(r.Numbers, best), append(r.Left, left)
	}
	r.Inputs = e.model.Columns(chosen)
	return r, nil
}
