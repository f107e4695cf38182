package field

import (
	"errors"
	"io"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// Tasks divide the search of Fit among processes. Each process gives the same data, configuration and Checkpoints.Resume. One without a task ends with a
// *TasksLeft that lists what must be tried before the search goes on; then a process for each task does it; then the first goes on. The model is that of one process, bit for bit, where Run.Limit is not set.
type Tasks struct {
	Do   string                                                 // the name of the task to do; "": none
	Find func(name string) (io.ReadCloser, error)               // opens what was kept of a task; nil: nothing was
	Keep func(name string, write func(w io.Writer) error) error // keeps what write writes of a task, as a whole or not at all
}

// A Task is a candidate of a stage of the search, and some folds in which it is tried.
type Task struct {
	Name string // 16 letters and digits, of this task alone
	Text string // the stage, the folds and the settings
}

// ErrTask ends the run of a process that has done its task.
var ErrTask = errors.New("the task is done")

// TasksLeft lists what must be tried before a search goes on.
type TasksLeft struct{ Tasks []Task }

func (e *TasksLeft) Error() string { return text.Sprintf("%d tasks are left", len(e.Tasks)) }
