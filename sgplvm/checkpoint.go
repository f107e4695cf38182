package sgplvm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
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
	Settings                   map[string]string // see settings

	State       trainerState
	Params      *bound.Params
	Training    TrainingConfig // as far as training has changed it
	Alpha       *kronprod.Tensor
	Totals      []float64
	Calibration *predict.Calibration
	Residuals   mat.Matrix
	Coarse      *checkpoint
}

// settings returns the fields of a configuration on which training depends, as text.
func (c Config) settings() map[string]string {
	c.Start, c.Attributes, c.Partly, c.PartlyReach = nil, nil, nil, 0
	all := map[string]string{}
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		all[v.Type().Field(i).Name] = fmt.Sprintf("%#v", v.Field(i))
	}
	return all
}

// Checkpoint writes all that training goes on from, but for data and configuration: a trainer of the
// same data and configuration that resumes it goes on to the same bits. Between two steps, or after an
// interruption.
func (t *Trainer) Checkpoint(w io.Writer) error {
	return journal.Seal(w, checkpointFormat, t.checkpoint())
}

func (t *Trainer) checkpoint() *checkpoint {
	y := t.evaluator.Data()
	c := &checkpoint{Examples: y.Examples, Points: y.Points, Channels: y.Channels, Scaler: y.Scaler, Settings: t.settings,
		State: t.state, Params: t.params, Training: t.config.Training, Alpha: t.alpha, Totals: t.totals,
		Calibration: t.calibration, Residuals: t.residuals}
	if t.coarse != nil {
		c.Coarse = t.coarse.checkpoint()
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

// Resume makes the trainer go on from where a trainer of the same data and configuration was at its
// Checkpoint. Errors change nothing: *FileError for what is not such a checkpoint, or one of other data
// or settings; *ReadError.
func (t *Trainer) Resume(r io.Reader) error {
	c, err := readCheckpoint(r)
	if err != nil {
		return &FileError{Err: fmt.Errorf("checkpoint: %w", err)}
	}
	next, err := t.resumed(c)
	if err != nil {
		return err
	}
	*t = *next
	return nil
}

// resumed returns the trainer as it was at a checkpoint.
func (t *Trainer) resumed(c *checkpoint) (*Trainer, error) {
	if err := t.recognise(c); err != nil {
		return nil, &FileError{Err: fmt.Errorf("checkpoint: %w", err)}
	}
	next := *t
	next.state, next.params, next.alpha, next.totals, next.base = c.State, c.Params, c.Alpha, c.Totals, nil
	next.calibration, next.residuals, next.coarse, next.film = c.Calibration, c.Residuals, nil, nil
	if t.data.film != nil && next.state.Stage == stageEnd {
		next.state.Stage = stageFinish // a further Fit calibrates the film, to the same bits
	}
	next.config.Training = c.Training
	if origin := c.State.Origin; origin != nil {
		if err := next.precondition(origin); err != nil {
			return nil, &FileError{Err: fmt.Errorf("checkpoint: %w", err)}
		}
	}
	if c.Coarse != nil {
		coarse, err := t.coarseTrainer(context.Background(), t.config.Training.CoarsePoints)
		if err != nil {
			return nil, err
		}
		if next.coarse, err = coarse.resumed(c.Coarse); err != nil {
			return nil, err
		}
	}
	return &next, nil
}

// recognise returns why a checkpoint is none of this trainer's.
func (t *Trainer) recognise(c *checkpoint) error {
	y := t.evaluator.Data()
	if c.Examples != y.Examples || c.Points != y.Points || c.Channels != y.Channels {
		return fmt.Errorf("%d examples, %d points and %d channels, expected %d, %d and %d", c.Examples, c.Points, c.Channels, y.Examples, y.Points, y.Channels)
	}
	if !slices.Equal(c.Scaler.Mean, y.Scaler.Mean) || !slices.Equal(c.Scaler.Scale, y.Scaler.Scale) {
		return errors.New("other data: means or deviations differ")
	}
	for _, name := range slices.Sorted(maps.Keys(t.settings)) {
		if c.Settings[name] != t.settings[name] {
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
