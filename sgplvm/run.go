package sgplvm

import (
	"io"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
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

	// Checkpoints, if not nil, keep what Fit, Complete and Emulate have done, so that a run that was stopped goes on later.
	Checkpoints *Checkpoints

	inputs  string           // digest of the inputs of an emulator
	journal *journal.Journal // nil where none is kept
	clock   *limit.Clock     // nil: the run has not begun
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
}

// newClock returns the clock of a run that begins now.
func (r Run) newClock() *limit.Clock {
	c := limit.New(r.Limit)
	c.Watch = r.watcher()
	return c
}

// watcher returns Watch, or one that shows nothing.
func (r Run) watcher() Watcher {
	if r.Watch == nil {
		return unwatched{}
	}
	return r.Watch
}

// A trainingSet is Data as a run works on them, with what it has found out about them.
type trainingSet struct {
	Data
	run Run // that works on them

	film     *film.Film // whose motion was taken out, with its frames; nil: none was
	observed Source     // what Source was before values were filled in, NaN where they were missing; nil: all were observed

	holes            *completion.Mask  // of values that were filled in; nil: all were observed
	imputationErrors completion.Errors // about those values
	guessed          *completion.Mask  // of values that were filled in, by which nothing is validated; nil: there are none
	absent           []Instant         // of examples of which nothing was observed, which are none of these

	by      []work.Link    // of each channel, of whose values Source has t; nil: none
	natural Source         // of the values themselves
	scale   []float64      // their deviations, by channel
	linked  TransformCheck // why

	beside func(missing []bool) []completion.Filler // what fills in by other views; nil: there are none

	searched bool      // outliers were searched for; those that were found are missing
	outliers []Outlier // that were found
}

// checked is Data.checked.
func (d trainingSet) checked() (trainingSet, error) {
	var err error
	d.Data, err = d.Data.checked()
	return d, err
}

// quiet returns the set without the run: what is trained on it is neither shown nor kept, and no limit ends it.
func (d trainingSet) quiet() trainingSet {
	d.run = Run{}
	return d
}

// A Watcher shows what model selection is doing.
type Watcher interface {
	// Tell shows a line that stays: what was tried and what it brought.
	Tell(line string)

	// Forecast tells how long the run will take in all, or at most.
	Forecast(total time.Duration, atMost bool)

	// Timing shows that something is being done, until stop is called.
	Timing(text string) (stop func())

	// Training shows steps of training with a text before them, until stop is called.
	Training(text string) (step func(Progress) bool, stop func())

	// Counting shows how many of total examples are done, such as rows filled, until stop is called. count may be called by
	// several goroutines at once.
	Counting(what string, total int) (count func(done int), stop func())
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
	Progress    = field.Progress    // of a step of training
	Report      = field.Report      // how training went
	PhaseReport = field.PhaseReport // how a phase of it went
	FillCheck   = field.FillCheck   // how well values were filled in that were hidden on purpose
)

// OutlierText says in one sentence that outliers count as missing, and names the first of them.
func OutlierText(found []Outlier) string { return outlier.Text(found) }

// foundOutliers adds to a report those that counted as missing.
func foundOutliers(r *Report, found []Outlier) {
	if r.Outliers = found; len(found) > 0 {
		r.Warnings = append([]string{OutlierText(found)}, r.Warnings...)
	}
}

// A TransformCheck compares how well principal components of transforms and of values filled in observed values that were hidden, in standard deviations of the channels.
type TransformCheck struct {
	Score   string  `json:"score"` // "CRPS" (continuous ranked probability score) where values have a limit, else "root mean square error"
	With    float64 `json:"with"`
	Without float64 `json:"without"`
}
