package field

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
