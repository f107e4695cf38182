package sgplvm

import (
	"context"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
)

// Fit learns the best model that it knows for data: it chooses what cfg leaves open (Select), and trains
// afresh with that. Outliers (Data.Outliers) count as missing. Of data with missing values or known errors that is the model of Complete; with EffortNone it is that of
// NewTrainer. When ctx ends or the Watcher stops training, the model is the best one found so
// far and the error, if any, is ctx.Err(). The model is nil only where nothing was learned; where an
// error came after training (in the calibration of variances, say) it is there beside the error; with Checkpoints a run that
// was stopped goes on later, and there is no model before its end.
// Errors: those of Select, NewTrainer, Trainer.Fit and Trainer.Model, and of Checkpoints.Save.
func Fit(ctx context.Context, d Data, cfg Config) (*Model, Report, error) {
	return Run{}.Fit(ctx, d, cfg)
}

// Fit is the function Fit, watched, ended and kept as r says.
func (r Run) Fit(ctx context.Context, d Data, cfg Config) (m *Model, report Report, err error) {
	set, end, err := r.begin(d, cfg)
	if err != nil {
		return nil, Report{}, err
	}
	defer func() { err = end(&report, err) }()
	if cfg.Effort != EffortNone && cfg.Start == nil {
		if holes, err := incomplete(set); err != nil {
			return nil, Report{}, err
		} else if holes {
			return fitIncomplete(ctx, set, cfg)
		}
	}
	m, report, err = fitWhole(ctx, set, cfg, "")
	outlier.Report(&report, set.Outliers)
	return m, report, err
}

// fitIncomplete is Fit of data with missing values or known errors. Of a completion that learned from some examples the model is learned again, from all.
func fitIncomplete(ctx context.Context, d rounds.Set, cfg Config) (*Model, Report, error) {
	warnings, err := d.Check()
	if err != nil {
		return nil, Report{}, err
	}
	cfg.Fold, cfg.Transform = Off, Off // the model is one of the data as they are
	c, err := complete(ctx, d, cfg, cfg.options())
	if c == nil {
		return nil, Report{}, err
	}
	if found, ok := c.Model.Config(); ok && c.learnable != nil && err == nil {
		selection := c.Model.selection
		d.Times, d.Sequences = nil, nil
		points := d.Grid.Len()
		d.Source = SourceOf(NewSource(c.Mean.Data, c.Mean.Rows/points, points, c.Mean.Cols), c.learnable)
		if at := c.at; at != nil && c.Model.Times() != nil {
			for _, i := range c.learnable {
				d.Times, d.Sequences = append(d.Times, at[i].Time), append(d.Sequences, at[i].Sequence)
			}
		}
		found.Attributes = cfg.Attributes
		report := c.Report
		if c.Model, c.Report, err = fitWhole(ctx, d, found, ""); c.Model == nil {
			return nil, c.Report, err
		}
		c.Model.selection = selection
		c.Report.Missing, c.Report.Outliers, c.Report.Warnings = report.Missing, report.Outliers, append(report.Warnings, c.Report.Warnings...)
		c.Report.Searched = report.Searched
	}
	warnings = slices.DeleteFunc(warnings, func(w string) bool { return slices.Contains(c.Report.Warnings, w) })
	c.Report.Warnings = slices.Insert(c.Report.Warnings, min(1, len(c.Report.Outliers)), warnings...) // outliers first
	return c.Model, c.Report, err
}
