package sgplvm

import (
	"encoding/gob"
	"fmt"
	"io"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
)

// checkpointFormat names the version of what Checkpoint writes.
const checkpointFormat = "kronfield sgplvm checkpoint 1"

// A checkpoint is all of a trainer but data and configuration.
type checkpoint struct {
	Format                     string
	Examples, Points, Channels int
	Seed                       uint64

	State       trainerState
	Params      *bound.Params
	Training    TrainingConfig // as far as training has changed it
	Alpha       *kronprod.Tensor
	Calibration *predict.Calibration
	Residuals   mat.Matrix
	Coarse      *checkpoint
}

// Checkpoint writes all that training goes on from, but for data and configuration: a trainer of the
// same data and configuration that resumes it goes on to the same bits. Between two steps, or after an
// interruption.
func (t *Trainer) Checkpoint(w io.Writer) error {
	return gob.NewEncoder(w).Encode(t.checkpoint())
}

func (t *Trainer) checkpoint() *checkpoint {
	y := t.evaluator.Data()
	c := &checkpoint{Format: checkpointFormat, Examples: y.Examples, Points: y.Points, Channels: y.Channels, Seed: t.config.Seed,
		State: t.state, Params: t.params, Training: t.config.Training, Alpha: t.alpha,
		Calibration: t.calibration, Residuals: t.residuals}
	c.Training.Progress = nil
	if t.coarse != nil {
		c.Coarse = t.coarse.checkpoint()
	}
	return c
}

// Resume makes the trainer go on from where a trainer of the same data and configuration was at its
// Checkpoint. Errors change nothing: *FileError for what is not such a checkpoint, or one of other data.
func (t *Trainer) Resume(r io.Reader) error {
	c := new(checkpoint)
	if err := gob.NewDecoder(r).Decode(c); err != nil {
		return &FileError{fmt.Errorf("checkpoint: %w", err)}
	}
	return t.resume(c)
}

func (t *Trainer) resume(c *checkpoint) error {
	y := t.evaluator.Data()
	switch {
	case c.Format != checkpointFormat || c.Params == nil:
		return &FileError{fmt.Errorf("checkpoint: expected the format %q", checkpointFormat)}
	case c.Examples != y.Examples || c.Points != y.Points || c.Channels != y.Channels || c.Seed != t.config.Seed:
		return &FileError{fmt.Errorf("checkpoint of %d examples, %d points, %d channels and seed %d, expected %d, %d, %d and %d",
			c.Examples, c.Points, c.Channels, c.Seed, y.Examples, y.Points, y.Channels, t.config.Seed)}
	}
	if err := c.Params.Validate(t.data.Grid); err != nil {
		return &FileError{fmt.Errorf("checkpoint: %w", err)}
	}
	next := *t
	next.state, next.params, next.alpha, next.base = c.State, c.Params, c.Alpha, nil
	next.calibration, next.residuals, next.coarse = c.Calibration, c.Residuals, nil
	progress := t.config.Training.Progress
	next.config.Training = c.Training
	next.config.Training.Progress = progress
	if origin := c.State.Origin; origin != nil {
		if err := next.precondition(origin); err != nil {
			return &FileError{fmt.Errorf("checkpoint: %w", err)}
		}
	}
	if c.Coarse != nil {
		coarse, err := t.coarseTrainer(c.Coarse.Points)
		if err != nil {
			return err
		}
		if err := coarse.resume(c.Coarse); err != nil {
			return err
		}
		next.coarse = coarse
	}
	*t = next
	return nil
}
