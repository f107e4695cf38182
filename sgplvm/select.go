package sgplvm

import (
	"context"
	"errors"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
)

// Select returns cfg with what it leaves open chosen by what d say, and how that went. The model that
// NewTrainer trains with it is the one that Fit returns. Limit and End end the search, not a candidate.
// Candidates that cannot be trained are passed over, all of them if need be. Errors: *ConfigError, also of data with
// missing values, for which Complete chooses, *ReadError, ctx.Err().
func Select(ctx context.Context, d Data, cfg Config) (Config, *Selection, error) {
	return Run{}.Select(ctx, d, cfg)
}

// Select is the function Select, watched, ended and kept as r says.
func (r Run) Select(ctx context.Context, d Data, cfg Config) (Config, *Selection, error) {
	set, err := d.set()
	if err != nil {
		return cfg, nil, err
	}
	if holes, err := incomplete(set); err != nil {
		return cfg, nil, err
	} else if holes {
		return cfg, nil, &ConfigError{Field: "Data", Err: errors.New("missing values or known errors, expected complete examples: Complete chooses for others")}
	}
	set.Run = selection.Run{End: r.End, Limit: r.Limit, Watch: r.Watch}
	s := cfg.open()
	if cfg.Start != nil {
		s.Effort = EffortNone
	}
	how, err := set.Choose(ctx, s)
	if err != nil {
		return cfg, nil, err
	}
	return cfg.having(how.Settings), &how.Report, nil
}
