package sgplvm

import (
	"io"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
)

// A Run says what watches, ends and keeps the work of its methods Fit, Complete, Select and Emulate. None of it changes a result that
// is not ended early. The zero Run does nothing of that; the functions of the same names use it.
type Run struct {
	// Limit is what a run may take in all, if it is positive: the search ends in time to train what was best so far, and a training
	// where its share of the time ends. It changes no candidate's result; Report's Warnings say what it ended. Of Select it is the time of the search.
	Limit time.Duration

	// End ends the search when it is closed.
	End <-chan struct{}

	// Watch, if not nil, shows what is being done.
	Watch Watcher

	// Values says that of Complete the values alone are wanted: where the simplest methods fill in all that is missing no model is trained in the end.
	Values bool

	// Checkpoints, if not nil, keep what Fit, Complete and Emulate have done, so that a run that was stopped goes on later.
	Checkpoints *Checkpoints

	inputs string       // digest of the inputs of an emulator
	clock  *limit.Clock // nil: one of its own
}

// Checkpoints keep what a run of Fit, Complete or Emulate has done: a run that was stopped, by an interrupt, an error or the end of the
// process, goes on later to the same bits on the same instruction set.
type Checkpoints struct {
	// Save replaces what was kept before by what write writes, as a whole or not at all. It is called now and then, by the
	// goroutine of Fit, and just before Fit returns an error or was stopped. An error of it is told at once and does
	// not end the run; of the last call it is returned.
	Save func(write func(w io.Writer) error) error

	// Every is how much time passes at least between two calls. Default: half a minute, or twenty times what Save takes.
	Every time.Duration

	// Resume is what Save has kept of a run of the same data and configuration; Run.Limit may be another. nil: begin anew.
	Resume io.Reader

	// Tasks, if not nil, divide the search of Fit among processes.
	Tasks *Tasks
}

// newClock returns the clock of a run that begins now.
func (r Run) newClock() *limit.Clock {
	c := limit.New(r.Limit)
	if r.Watch != nil {
		c.Watch = r.Watch
	}
	return c
}

// unwatched shows nothing.
type unwatched struct{}

func (unwatched) Tell(string)                                   {}
func (unwatched) Forecast(time.Duration, bool)                  {}
func (unwatched) Timing(string) func()                          { return func() {} }
func (unwatched) Training(string) (func(Progress) bool, func()) { return nil, func() {} }
func (unwatched) Counting(string, int) (func(int), func())      { return func(int) {}, func() {} }

// OnStep returns a Watcher that shows nothing and calls f after every step of a training, which goes on while f says so.
func OnStep(f func(Progress) (goOn bool)) Watcher { return stepWatcher{f: f} }

type stepWatcher struct {
	unwatched
	f func(Progress) bool
}

func (w stepWatcher) Training(string) (func(Progress) bool, func()) { return w.f, func() {} }

// What training tells. Package field declares it.
type (
	Progress       = field.Progress       // of a step of training
	Report         = field.Report         // how training went
	PhaseReport    = field.PhaseReport    // how a phase of it went
	FillCheck      = field.FillCheck      // how well values were filled in that were hidden on purpose
	ViewCheck      = field.ViewCheck      // how well values of a view were predicted that were hidden
	Watcher        = field.Watcher        // shows what a run is doing
	TransformCheck = field.TransformCheck // what principal components of transforms of values bring
	Selection      = field.Selection      // how what a Config left open was chosen
	SelectionStage = field.SelectionStage // one choice
	Candidate      = field.Candidate      // of a choice
	Tasks          = field.Tasks          // divide a search among processes
	Task           = field.Task           // what one of them does
	TasksLeft      = field.TasksLeft      // says that some are left
)

// OutlierText says in one sentence that outliers count as missing, and names the first of them.
func OutlierText(found []Outlier) string { return outlier.Text(found) }

// ErrTask ends the run of a process that has done its task.
var ErrTask = field.ErrTask
