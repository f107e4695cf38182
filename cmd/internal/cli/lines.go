package cli

import (
	"io"
	"sync"
	"time"
)

// said is a writer for several goroutines, which keeps the time of the last line.
type said struct {
	mu    sync.Mutex
	w     io.Writer
	lines *lineClock
}

func (s *said) Write(b []byte) (int, error) {
	s.lines.written()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(b)
}

// A lineClock says when the last line was written, and what the work is about.
type lineClock struct {
	mu    sync.Mutex
	last  time.Time
	text  string
	shown func(line string) // replaces the line at a terminal; nil: none is shown
}

func (c *lineClock) written() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = time.Now()
}

// about notes what the work is about, and which line shows it.
func (c *lineClock) about(text string, shown func(string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text, c.shown = text, shown
}

// lineEvery is how often a line tells of the work.
const lineEvery = 20 * time.Second

// clear removes the line at a terminal.
func (c *lineClock) clear() {
	c.mu.Lock()
	shown := c.shown
	c.mu.Unlock()
	if shown != nil {
		shown("")
	}
}

// due reports whether another line may be written; the first, some time after the first question.
func (c *lineClock) due(every time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last.IsZero() {
		c.last = time.Now()
	}
	if time.Since(c.last) < every {
		return false
	}
	c.last = time.Now()
	return true
}

// leaving is what an interrupted program says at its end, once.
type leaving struct {
	once  sync.Once
	mu    sync.Mutex
	notes []func()
}
