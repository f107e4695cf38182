package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// progress writes one line to a terminal again and again, and nothing to
// anything else.
type progress struct {
	e     *environment
	task  string // what lines begin with
	mu    sync.Mutex
	last  time.Time
	width int
}

func newProgress(e *environment) *progress { return &progress{e: e} }

// show replaces the line, at most some times a second.
func (p *progress) show(format string, args ...any) {
	if !p.e.terminal {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last = time.Now()
	line := p.task + fmt.Sprintf(format, args...)
	fmt.Fprintf(p.e.stderr, "\r%-*s", p.width, line)
	p.width = len(line)
}

// clear removes the line.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width > 0 {
		fmt.Fprintf(p.e.stderr, "\r%*s\r", p.width, "")
		p.width = 0
	}
}

// timing shows what is being done and for how long, until stop is called.
func (p *progress) timing(text string) (stop func()) {
	begin := time.Now()
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			p.show("%s  %s", text, time.Since(begin).Round(time.Second))
			select {
			case <-ended:
				return
			case <-tick.C:
			}
		}
	}()
	return func() {
		close(ended)
		<-gone
		p.clear()
	}
}

// training shows a step of training.
func (p *progress) training(s sgplvm.Progress) bool {
	phase := s.Phase
	switch {
	case s.Phase == "start":
		phase = fmt.Sprintf("start %d of %d", s.Start+1, s.Starts)
	case s.Starts > 1:
		phase = fmt.Sprintf("start %d, %s", s.Start+1, s.Phase)
	}
	p.show("%s %d/%d  bound %.2f  gradient %.3g  noise %.4f  %s left",
		phase, s.Iteration, s.Total, s.Bound, s.GradNorm, s.Noise, s.TimeLeft.Round(time.Second))
	return true
}

// counting shows that done of total pictures are filled or predicted, as verb says.
func (p *progress) counting(verb string, done, total int, begin time.Time) {
	p.show("%s %d/%d pictures  %s left", verb, done, total, left(done, total, begin))
}

// stepping shows that done of at most total steps of something were taken.
func (p *progress) stepping(doing string, done, total int, begin time.Time) {
	p.show("%s %d/%d  %s left at most", doing, done, total, left(done, total, begin))
}

// left is the time that the rest of some steps takes at the pace so far.
func left(done, total int, begin time.Time) time.Duration {
	return time.Duration(float64(time.Since(begin)) / float64(max(done, 1)) * float64(total-done)).Round(time.Second)
}
