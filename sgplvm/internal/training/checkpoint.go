package training

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
)

// checkpointFormat begins what Checkpoint writes and names its version.
const checkpointFormat = "kronfield sgplvm checkpoint 1\n"

// A checkpoint is all of a trainer but data and configuration.
type checkpoint struct {
	Examples, Points, Channels int
	Scaler                     data.Scaler       // which tells data from others
	Settings                   map[string]string // on which training depends, by name

	State       trainerState
	Params      *bound.Params
	Training    Training // as far as training has changed it
	Alpha       *kronprod.Tensor
	Totals      []float64
	Calibration *predict.Calibration
	Residuals   mat.Matrix
	Coarse      *checkpoint
}

// Checkpoint is that of sgplvm.Trainer, with settings on which training depends as text.
func (t *Trainer) Checkpoint(w io.Writer, settings map[string]string) error {
	return journal.Seal(w, checkpointFormat, t.checkpoint(settings))
}

func (t *Trainer) checkpoint(settings map[string]string) *checkpoint {
	y := t.evaluator.Data()
	c := &checkpoint{Examples: y.Examples, Points: y.Points, Channels: y.Channels, Scaler: y.Scaler, Settings: settings,
		State: t.state, Params: t.params, Training: t.config.Training, Alpha: t.alpha, Totals: t.totals,
		Calibration: t.calibration, Residuals: t.residuals}
	if t.coarse != nil {
		c.Coarse = t.coarse.checkpoint(nil)
	}
	return c
}

// readCheckpoint reads what Checkpoint wrote.
func readCheckpoint(r io.Reader) (*checkpoint, error) {
	b, c := bufio.NewReader(r), new(checkpoint)
	if err := journal.Unseal(b, checkpointFormat, c); err != nil {
		return nil, err
	}
	return c, journal.AtEnd(b)
}

// Resume is that of sgplvm.Trainer, of a checkpoint with the same settings as text.
func (t *Trainer) Resume(r io.Reader, settings map[string]string) error {
	c, err := readCheckpoint(r)
	if err != nil {
		return &field.FileError{Err: fmt.Errorf("checkpoint: %w", err)}
	}
	next, err := t.resumed(c, settings)
	if err != nil {
		return err
	}
	*t = *next
	return nil
}

// resumed returns the trainer as it was at a checkpoint.
func (t *Trainer) resumed(c *checkpoint, settings map[string]string) (*Trainer, error) {
	if err := t.recognise(c, settings); err != nil {
		return nil, &field.FileError{Err: fmt.Errorf("checkpoint: %w", err)}
	}
	next := *t
	next.state, next.params, next.alpha, next.totals, next.base = c.State, c.Params, c.Alpha, c.Totals, nil
	next.calibration, next.residuals, next.coarse, next.film = c.Calibration, c.Residuals, nil, nil
	if t.data.Motion != nil && next.state.Stage == stageEnd {
		next.state.Stage = stageFinish // a further Fit calibrates the film, to the same bits
	}
	next.config.Training = c.Training
	if origin := c.State.Origin; origin != nil {
		if err := next.precondition(origin); err != nil {
			return nil, &field.FileError{Err: fmt.Errorf("checkpoint: %w", err)}
		}
	}
	if c.Coarse != nil {
		coarse, err := t.coarseTrainer(context.Background(), t.config.Training.CoarsePoints)
		if err != nil {
			return nil, err
		}
		if next.coarse, err = coarse.resumed(c.Coarse, nil); err != nil {
			return nil, err
		}
	}
	return &next, nil
}

// recognise returns why a checkpoint is none of this trainer's.
func (t *Trainer) recognise(c *checkpoint, settings map[string]string) error {
	y := t.evaluator.Data()
	if c.Examples != y.Examples || c.Points != y.Points || c.Channels != y.Channels {
		return fmt.Errorf("%d examples, %d points and %d channels, expected %d, %d and %d", c.Examples, c.Points, c.Channels, y.Examples, y.Points, y.Channels)
	}
	if !slices.Equal(c.Scaler.Mean, y.Scaler.Mean) || !slices.Equal(c.Scaler.Scale, y.Scaler.Scale) {
		return errors.New("other data: means or deviations differ")
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if c.Settings[name] != settings[name] {
			return fmt.Errorf("another configuration: %s differs", name)
		}
	}
	if c.Params == nil {
		return errors.New("no parameters")
	}
	if err := c.State.check(); err != nil {
		return err
	}
	all := []*bound.Params{c.Params, c.State.Params, c.State.Origin, c.State.NoiseFreed, c.State.Best}
	for _, p := range all {
		if p == nil {
			continue
		}
		if err := p.Validate(t.data.Grid); err != nil {
			return err
		}
		if p.X.Mu.Rows != y.Examples || !slices.Equal(p.X.At(), t.params.X.At()) {
			return errors.New("latent variables of other examples")
		}
	}
	return nil
}
