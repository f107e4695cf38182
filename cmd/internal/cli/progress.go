package cli

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Progress writes one line to a terminal again and again, and to anything else a line now and then.
type Progress struct {
	e     *Environment
	task  string // what lines begin with
	mu    sync.Mutex
	last  time.Time
	width int
}

// NewProgress returns a line that is not shown yet. [Progress.Clear] must be called at the end.
func NewProgress(e *Environment) *Progress { return &Progress{e: e} }

// Show replaces the line, at most some times a second.
func (p *Progress) Show(format string, args ...any) {
	line := p.task + fmt.Sprintf(format, args...)
	if !p.e.Terminal {
		if p.e.lines.about(line, nil); p.e.lines.due(cmp.Or(p.e.LineEvery, lineEvery)) {
			p.e.Note("%s", line)
		}
		return
	}
	p.e.lines.about(line, p.write)
	p.mu.Lock()
	soon := time.Since(p.last) < 100*time.Millisecond
	p.mu.Unlock()
	if !soon {
		p.write(line)
	}
}

// write replaces the line at a terminal; by none where it is empty.
func (p *Progress) write(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if line == "" {
		if p.width > 0 {
			fmt.Fprintf(p.e.Stderr, "\r%*s\r", p.width, "")
		}
		p.width = 0
		return
	}
	p.last = time.Now()
	fmt.Fprintf(p.e.Stderr, "\r%-*s", p.width, line)
	p.width = len(line)
}

// Clear removes the line.
func (p *Progress) Clear() {
	p.e.lines.about("", nil)
	p.write("")
}

// Step shows a step of training; it never asks training to stop.
func (p *Progress) Step(s sgplvm.Progress) bool {
	if s.Phase == "film" {
		p.Show("left out %d/%d examples", s.Iteration, s.Total)
		return true
	}
	p.Show("%s %d/%d  bound %.2f  gradient %.3g  noise %.4f%s", s.Phase, s.Iteration, s.Total, s.Bound, s.GradNorm, s.Noise, timeLeft(s))
	return true
}

// parts are the words for the parts of training whose phases have these names.
var parts = map[string]string{"warm-up": "the warm-up", "residual": "the residual rounds"}

// timeLeft tells how long training, or the part of it that goes on, takes at most; nothing where that
// is not known.
func timeLeft(s sgplvm.Progress) string {
	switch {
	case s.TimeLeft > 0:
		return fmt.Sprintf("  %s left at most", s.TimeLeft.Round(time.Second))
	case s.PhaseLeft > 0:
		return fmt.Sprintf("  %s of %s left at most", s.PhaseLeft.Round(time.Second), cmp.Or(parts[s.Phase], "these steps"))
	}
	return ""
}

// Training returns a function that shows steps of training, after a text.
func (e *Environment) Training(text string) (step func(sgplvm.Progress) bool, stop func()) {
	p := &Progress{e: e, task: text}
	return p.Step, p.Clear
}

// Counting returns a function that shows how many of total examples are done, such as rows filled.
func (e *Environment) Counting(what string, total int) (count func(done int), stop func()) {
	show, stop := e.Portions(what, total)
	return func(done int) { show(float64(done)) }, stop
}

// Portions is Counting where examples are done in part, too. It tells how long the command takes as soon as the pace is known: from the first time on, with which comes what all
// have in common.
func (e *Environment) Portions(what string, total int) (count func(done float64), stop func()) {
	begin, p := time.Now(), NewProgress(e)
	var mu sync.Mutex
	var first float64
	told := false
	return func(done float64) {
		mu.Lock()
		defer mu.Unlock()
		pace := float64(time.Since(begin)) / max(done-first, 0.5)
		left := time.Duration(pace * (float64(total) - done))
		p.Show("%s: %d/%d  %s left", what, int(done), total, left.Round(time.Second))
		if first == 0 {
			first, begin = done, time.Now()
		} else if !told && done-first >= min(max(2, float64(total)/20), float64(total)/4) {
			told = true
			e.Forecast(time.Since(e.begin)+left+time.Duration(pace*float64(e.More))+e.After, false)
		}
	}, p.Clear
}

// Timing shows what is being done and for how long, until stop is called.
func (e *Environment) Timing(text string) (stop func()) {
	begin, p := time.Now(), NewProgress(e)
	show := func() { p.Show("%s  %s", text, time.Since(begin).Round(time.Second)) }
	show()
	end := everySecond(show)
	return func() {
		end()
		p.Clear()
	}
}

// remind says what the work is about and for how long it goes on where nothing was said for a while, within one step too, until stop is called.
func (e *Environment) remind(command string) (stop func()) {
	return everySecond(func() { e.sayOverdue(command, time.Since(e.begin)) })
}

// everySecond calls a function again and again in a goroutine, which has ended when stop returns.
func everySecond(do func()) (stop func()) {
	tick := time.NewTicker(time.Second)
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				do()
			}
		}
	}()
	return func() {
		tick.Stop()
		close(ended)
		<-gone
	}
}

// sayOverdue writes a line where none was written for long.
func (e *Environment) sayOverdue(command string, taken time.Duration) {
	if !e.lines.due(max(e.LineEvery, lineEvery)) {
		return
	}
	e.lines.mu.Lock()
	text, shown := e.lines.text, e.lines.shown
	e.lines.mu.Unlock()
	if text = fmt.Sprintf("%s (%s so far)", cmp.Or(text, command), taken.Round(time.Second)); shown != nil {
		shown(text)
	} else {
		e.Note("%s", text)
	}
}
