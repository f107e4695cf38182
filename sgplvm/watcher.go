package sgplvm

import "time"

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
