package sgplvm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
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
	if holes, err := d.incomplete(); err != nil {
		return cfg, nil, err
	} else if holes {
		return cfg, nil, &ConfigError{Field: "Data", Err: errors.New("missing values or known errors, expected complete examples: Complete chooses for others")}
	}
	cfg, c, err := choose(ctx, trainingSet{Data: d, run: r}, cfg)
	if err != nil {
		return cfg, nil, err
	}
	return cfg, &c.selection, nil
}

// A choice is the outcome of a search: how that went, and how long it took.
type choice struct {
	selection Selection
	searched  time.Duration
}

// choose is Select of the data of a run.
func choose(ctx context.Context, d trainingSet, cfg Config) (Config, *choice, error) {
	d, err := d.checked()
	if err != nil {
		return cfg, nil, err
	}
	if _, err := data.Check(d.Source); err != nil {
		return cfg, nil, err
	}
	if cfg, err = cfg.checkedOpen(d); err != nil {
		return cfg, nil, err
	}
	d.Hide = completion.Hiding(d.Hide)
	j := d.run.journal
	if !cfg.hasText() {
		j = nil // what was found is found again from the parts of the search
	}
	f, err := journal.Within(j, "a search", func() (found, error) { return d.search(ctx, cfg) })
	if err != nil {
		return cfg, nil, err
	}
	if f.config == nil {
		chosen, err := ReadConfig(bytes.NewReader(f.Text))
		if err != nil {
			return cfg, nil, &FileError{Err: fmt.Errorf("checkpoint: %w", err)}
		}
		chosen.Attributes = cfg.Attributes
		f.config = &chosen
	}
	return *f.config, &choice{selectionOf(cfg.Effort, f.Report), f.Searched}, nil
}

// What was found by a search.
type found struct {
	config   *Config // nil where an earlier run has made it
	Text     []byte  // the same as JSON
	Report   selection.Report
	Searched time.Duration
}

// search searches.
func (d trainingSet) search(ctx context.Context, cfg Config) (f found, err error) {
	s := d.newSearch(cfg)
	if cfg.Start == nil {
		chosen, searched, err := s.Choose(ctx)
		if err != nil {
			return f, err
		}
		cfg, f.Searched = cfg.having(chosen), searched
	}
	cfg.Effort = EffortNone
	f.config, f.Report = &cfg, s.Report
	if d.run.journal != nil && cfg.hasText() {
		f.Text, err = json.Marshal(cfg.kept())
	}
	return f, err
}

// newSearch returns a search for what a configuration leaves open.
func (d trainingSet) newSearch(cfg Config) *selection.Search {
	r := d.run
	run := selection.Run{Journal: r.journal, End: r.End, Limit: r.Limit, Watch: r.watcher(), Left: func() time.Duration { return r.Limit },
		After: d.film.CalibrationTime}
	if c := r.clock; c != nil {
		run.Left = c.Search
		run.Forecast = func(took time.Duration) { c.Tell(time.Duration(max(1, c.Searches))*took+c.After, false) }
	}
	return selection.New(d.candidates(), cfg.open(), trainers{}, run)
}

// selectionOf returns how a search at an effort went.
func selectionOf(e Effort, r selection.Report) Selection {
	s := Selection{Effort: e, Task: r.Task, Ended: r.Ended}
	for _, stage := range r.Stages {
		one := SelectionStage{Name: stage.Name}
		for _, c := range stage.Candidates {
			one.Candidates = append(one.Candidates, Candidate(c))
		}
		s.Stages = append(s.Stages, one)
	}
	return s
}

// checkedOpen checks a configuration with open settings, and returns it with Factors set if its kernels in space imply them.
func (c Config) checkedOpen(d trainingSet) (Config, error) {
	n, points, channels := d.Source.Dims()
	grid := d.Grid
	if c.Spatial != nil && c.Factors == "" && len(grid) > 1 {
		c.Factors = FactorsProduct
		if len(c.Spatial) == 1 {
			c.Factors = FactorsJoint
		}
	}
	if r := &c.Residual; r.Kernel.Kind == "" && (r.Rounds > 0 || r.Local == On || c.Training.CoarsePoints > 0) {
		r.Kernel = kernel.Kernel{Kind: kernel.Matern32} // which these are about
	}
	if k := c.Residual.Kernel.Kind; k != "" && k != kernel.White && c.Factors == "" {
		c.Factors = FactorsJoint // a residual needs it
	}
	grid, err := training.Points(grid, c.Factors)
	if err != nil {
		return c, err
	}
	if err := completion.CheckPatterns(d.Hide, points*channels); err != nil {
		return c, err
	}
	if err := c.open().Contradiction(d.Times != nil, d.Film, len(grid)); err != nil {
		return c, err
	}
	return c, c.open().Check(n, grid)
}

// text returns a configuration as JSON, or as Go prints it if JSON cannot hold its numbers.
func text(c Config) string {
	b, err := json.Marshal(c.kept())
	if err != nil {
		return fmt.Sprintf("%+v", *c.kept())
	}
	return string(b)
}

// Selection tells how Fit has chosen what a Config left open. A model keeps it in its file.
type Selection struct {
	Effort Effort `json:"effort"`
	Task   string `json:"task"`            // what candidates were validated by, in words
	Ended  string `json:"ended,omitempty"` // why the search ended early; empty where it did not

	Stages []SelectionStage `json:"stages,omitempty"`
}

// SelectionStage is one choice: its candidates in the order in which they were tried.
type SelectionStage struct {
	Name       string      `json:"name"`
	Candidates []Candidate `json:"candidates"`
}

// Candidate is one of them, and how good it was.
type Candidate struct {
	Name string `json:"name"` // what distinguishes it, in words

	// Score is its mean negative log density of what was hidden, in nats a value in the user's units: less
	// is better. Difference is how much worse the candidate is than the chosen one, by Score and by RMSE relative to
	// the mean of the two, and Error the standard error of the difference over the examples validated.
	Score      float64 `json:"score"`
	Difference float64 `json:"difference"`
	Error      float64 `json:"error"`

	RMSE     float64 `json:"rmse,omitempty"`     // of the same, the mean over examples, in standard deviations of the data
	Examples int     `json:"examples,omitempty"` // by how many it was validated; 0: all, as it was not clearly worse on the first
	Chosen   bool    `json:"chosen,omitempty"`
	Failure  string  `json:"failure,omitempty"` // why it could not be validated, if it could not
}
