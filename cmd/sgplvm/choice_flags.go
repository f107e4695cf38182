package main

import (
	"fmt"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// choiceFlags say how a model is chosen, and what of it is given.
type choiceFlags struct {
	f              *cli.Flags
	effort, config *string
	limit          *time.Duration
	seed           *uint64
	period         *float64
	keep           *bool
}

func newChoiceFlags(f *cli.Flags) *choiceFlags {
	return &choiceFlags{
		f:      f,
		period: f.Positive("period", "the `period` of what repeats itself, in units of the times: 12 for months"),
		effort: f.Choice("effort", sgplvm.EffortNormal.String(), "`work` to spend on choosing the model: quick, normal, thorough or none (nothing is tried)",
			sgplvm.EffortQuick.String(), sgplvm.EffortNormal.String(), sgplvm.EffortThorough.String(), sgplvm.EffortNone.String()),
		limit:  f.Duration("limit", "the `time` for all of the work, as 90s or 10m: the search, rounds of completion and training end early"),
		seed:   f.Seed("seed", 0, "the `number` that decides everything random"),
		keep:   f.Toggle("keep-outliers", engine.KeepUsage),
		config: f.Input("config", "the `file` with what an expert knows better, JSON, as info -write-config writes it"),
	}
}

// read reads the configuration of the file, if there is one, of which flags on the command line replace fields.
func (s *choiceFlags) read() (cfg sgplvm.Config, err error) {
	if *s.config != "" {
		if cfg, err = engine.ReadConfig(*s.config); err != nil {
			return cfg, err
		}
	}
	if s.f.Given("effort") || *s.config == "" {
		if err := cfg.Effort.UnmarshalText([]byte(*s.effort)); err != nil {
			return cfg, err
		}
	}
	if s.f.Given("seed") {
		cfg.Seed = *s.seed
	}
	if s.f.Given("period") {
		cfg.Period = *s.period
	}
	if *s.limit > 0 && cfg.Effort == sgplvm.EffortNone {
		return cfg, s.f.Usagef("-limit %v with the effort none, which searches nothing, expected one of the two", *s.limit)
	}
	cfg.KeepOutliers = cfg.KeepOutliers || *s.keep
	return cfg, nil
}

// run returns what watches and ends a run.
func (s *choiceFlags) run(e *cli.Environment) sgplvm.Run {
	return sgplvm.Run{Watch: e, Limit: *s.limit}
}

// explain names the file with what an error is about: the configuration or the data.
func (s *choiceFlags) explain(data string, err error) error {
	if field, why, ok := engine.AboutConfig(err); ok && *s.config != "" {
		return fmt.Errorf("%s: %s: %w", *s.config, field, why)
	}
	return engine.AboutData(data, err)
}
