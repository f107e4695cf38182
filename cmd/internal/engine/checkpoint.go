package engine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// ResumeUsage explains the flag of commands with a checkpoint.
const ResumeUsage = "go on with the run that was stopped before it wrote the result"

// CheckpointEvery is the time between checkpoints; 0: what the library takes. Tests lower it.
var CheckpointEvery time.Duration

// A Checkpoint is the file beside a result in which the run that makes it keeps what it has done.
type Checkpoint struct {
	result, path string
	old          *os.File // of an earlier run; nil: none
	kept         bool     // there is a file to go on with
	failure      error    // of the last time it was written
}

// NewCheckpoint refuses a checkpoint of an earlier run that is not resumed, which another one would replace.
func NewCheckpoint(f *cli.Flags, e *cli.Environment, result string, resume bool) (*Checkpoint, error) {
	c := &Checkpoint{result: result, path: result + ".checkpoint"}
	e.OnLeave(func() {
		if _, err := os.Stat(c.path); err == nil {
			c.note(e)
		}
	})
	file, err := os.Open(c.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if resume {
			e.Note("%s is not there: begins anew", c.path)
		}
		return c, nil
	case err != nil:
		return nil, &dataset.Error{Path: c.path, Err: err, Want: "a checkpoint"}
	case !resume:
		file.Close()
		return nil, f.Usagef("%s has what an earlier run did before it was stopped, expected -resume to go on with that, or that the file is removed", cli.Text(c.path))
	}
	c.old, c.kept = file, true
	return c, nil
}

// Checkpoints returns what the library is given.
func (c *Checkpoint) Checkpoints() *sgplvm.Checkpoints {
	k := &sgplvm.Checkpoints{Every: CheckpointEvery, Save: func(write func(w io.Writer) error) error {
		c.failure = files.WriteAtomic(c.path, write)
		c.kept = c.kept || c.failure == nil
		return c.failure
	}}
	if c.old != nil {
		k.Resume = c.old
	}
	return k
}

// End ends the run with its outcome: after success the file goes away, otherwise a line tells how to go on.
func (c *Checkpoint) End(e *cli.Environment, err error) error {
	if c.old != nil {
		c.old.Close()
	}
	if refused := (*sgplvm.FileError)(nil); errors.As(err, &refused) {
		return fmt.Errorf("%s: %w; without the file a run begins anew", c.path, refused.Err)
	}
	switch {
	case err == nil && c.kept:
		if err := os.Remove(c.path); err != nil {
			e.Note("%s is no longer needed and could not be removed: %v", c.path, err)
		}
	case err != nil && c.failure != nil:
		e.Note("what was done%s is lost: %v", map[bool]string{true: " since the last checkpoint"}[c.kept], c.failure)
	}
	if err != nil && c.kept {
		c.note(e)
	}
	return err
}

func (c *Checkpoint) note(e *cli.Environment) {
	e.Note("%s keeps what was done: the same command with -resume goes on; %s is as it was", c.path, c.result)
}
