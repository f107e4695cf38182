package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Trained is the outcome of training and the time that it took.
type Trained struct {
	sgplvm.Report
	Took time.Duration
}

// Fit chooses what the configuration leaves open and trains a model. The model is nil where
// nothing was learned; it may be there beside an error.
func Fit(ctx context.Context, run sgplvm.Run, d sgplvm.Data, cfg sgplvm.Config) (*sgplvm.Model, Trained, error) {
	if err := checkMemory(d, cfg, 0); err != nil {
		return nil, Trained{}, err
	}
	begin := time.Now()
	m, r, err := run.Fit(ctx, d, cfg)
	return m, Trained{r, time.Since(begin)}, err
}

// Report prints how training went, and how the model was chosen.
func Report(e *cli.Environment, m *sgplvm.Model, r Trained) {
	var s lines
	s.selection(m.Selection())
	s.chosen(m)
	s.text("trained on %s in %s: %d steps (%s), bound %.6g, noise %s, signal-to-noise ratio %.4g",
		quote.Counted(m.Examples(), Noun(m)), r.Took.Round(100*time.Millisecond), r.Iterations, r.Status, r.Bound, cli.Range(m.Summary().Noise), m.Summary().SignalToNoise)
	if r.Forecast > 0 && (r.Searched > 0 || r.Took > time.Second) {
		text := fmt.Sprintf("forecast %s", r.Forecast.Round(time.Second))
		if r.Searched > 0 {
			text += fmt.Sprintf("; the search took %s", r.Searched.Round(100*time.Millisecond))
		}
		s.text("%s", text)
	}
	s.kept(m)
	fmt.Fprint(e.Stdout, s.String())
	e.Notes("warning: ", r.Warnings)
}

// LimitText says what would have been enough where a limit has ended a search early; nothing elsewhere.
func LimitText(limit time.Duration, c *sgplvm.Selection, r Trained) string {
	if limit == 0 || c == nil || c.Ended == "" {
		return "" // what else it ended warnings say
	}
	text := fmt.Sprintf("-limit %v ended the search early", limit)
	training := (r.Took - r.Searched).Round(time.Second) // below 0 where runs before this one have searched
	switch {
	case r.Forecast > 0 && training >= 0:
		text += fmt.Sprintf(": with the effort %v it would have taken about %v in all, of which training the chosen model took %v", c.Effort, r.Forecast.Round(time.Second), training)
	case r.Forecast > 0:
		text += fmt.Sprintf(": with the effort %v it would have taken about %v in all", c.Effort, r.Forecast.Round(time.Second))
	case training >= 0:
		text += fmt.Sprintf(": training the chosen model took another %v", training)
	}
	return text
}

// placed is an error about the values of a table of text, with their lines and columns.
type placed struct {
	error
	form *dataset.Form
}

func (p placed) Error() string { return p.form.InWords(p.error.Error()) }
func (p placed) Unwrap() error { return p.error }

// Placed names lines and columns of a table of text in an error about the data, and in warnings.
func Placed(form *dataset.Form, err error, warnings []string) error {
	for i, w := range warnings {
		warnings[i] = form.InWords(w)
	}
	if err == nil {
		return nil
	}
	return placed{err, form}
}

// AboutData names the data in an error, unless that is one of reading them, which does.
func AboutData(path string, err error) error {
	if read := (*sgplvm.ReadError)(nil); errors.As(err, &read) {
		return read.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
