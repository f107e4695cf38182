package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
)

// Environment is where a command of a program reads and writes.
type Environment struct {
	Program, About string // the word that the user types, by default sgplvm, and the first paragraph of the program's help
	Stdout, Stderr io.Writer
	Terminal       bool           // a person watches stderr
	LineEvery      time.Duration  // how often a line tells of the work where nobody watches; 0: every 20 s
	Exit           func(code int) // ends the program where a command does not hear an interrupt in time; nil: the command goes on

	Work *part.Work // the part of the work that a command does; nil: all

	// What follows the examples that are counted: so many more, and so long.
	More  int
	After time.Duration

	begin    time.Time // of the command
	lines    lineClock
	leaving  leaving
	commands []Command    // all of them, for help
	describe func(s Spec) // asks what a command takes, in place of its help; nil: nobody asks
}

// program is the word that the user types.
func (e *Environment) program() string { return cmp.Or(e.Program, "sgplvm") }

// Commands are all commands of the program.
func (e *Environment) Commands() []Command { return e.commands }

// Note writes a line about the work to stderr.
func (e *Environment) Note(format string, args ...any) {
	e.lines.clear()
	fmt.Fprintf(e.Stderr, "%s: %s\n", e.program(), Printable(fmt.Sprintf(format, args...)))
}

// Notes writes a line for each of a list, all with the same beginning.
func (e *Environment) Notes(beginning string, list []string) {
	for _, text := range list {
		e.Note("%s%s", beginning, text)
	}
}

// Tell writes a line about model selection to stderr where a person watches: elsewhere what is reported at its
// end will do.
func (e *Environment) Tell(line string) {
	if e.Terminal {
		e.Note("%s", line)
	}
}

// Forecast tells how long the work will take in all, or at most, to who watches and of what takes long to all.
func (e *Environment) Forecast(total time.Duration, atMost bool) {
	about := "about"
	if atMost {
		about = "at most"
	}
	if total > longWork || e.Terminal && total > longWork/2 {
		e.Note("will take %s %s in all", about, max(time.Second, total.Round(time.Second)))
	}
}

// longWork is from when on a forecast is worth a line where nobody watches.
const longWork = 10 * time.Second

// A Command is one word after the program's name.
type Command struct {
	Name, Summary string
	Words         []string // of which one may follow the name; nil: none does
	Run           func(ctx context.Context, e *Environment, args []string) error
}

// Spec is what a command takes, for shells and for tests.
type Spec struct {
	Name     string // the command, with the word after it where that has flags of its own
	Flags    []FlagSpec
	Examples []string
}

// FlagSpec is a flag of a command.
type FlagSpec struct {
	Name, Value, Usage string   // Value is the word for its value; nothing where it takes none
	Words              []string // that it takes; nil: any
	Everyday           bool
}
