package cli

import (
	"fmt"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
)

// patience is how long an interrupted command may take to tidy up: then what is temporary is left behind.
const patience = 350 * time.Millisecond

// OnLeave calls say before a program ends whose command has not heard an interrupt in time.
func (e *Environment) OnLeave(say func()) {
	e.leaving.mu.Lock()
	defer e.leaving.mu.Unlock()
	e.leaving.notes = append(e.leaving.notes, say)
}

// leave ends the program, and what it was writing.
func (e *Environment) leave() {
	time.Sleep(patience)
	files.Abandon()
	e.lines.clear()
	e.interrupted(e.leaving.notes...)
	e.Exit(ExitStopped)
}

// interrupted says that the command was, and before it what notes say.
func (e *Environment) interrupted(notes ...func()) {
	e.leaving.once.Do(func() {
		for _, say := range notes {
			say()
		}
		fmt.Fprintln(e.Stderr, e.program()+": interrupted")
	})
}
