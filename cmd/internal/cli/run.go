package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// Environment is where a command of a program reads and writes.
type Environment struct {
	Program, About string // the word that the user types, by default sgplvm, and the first paragraph of the program's help
	Stdout, Stderr io.Writer
	Terminal       bool          // a person watches stderr
	LineEvery      time.Duration // how often a line tells of the work where nobody watches; 0: every half minute

	lines    lineClock
	commands []Command    // all of them, for help
	describe func(s Spec) // asks what a command takes, in place of its help; nil: nobody asks
}

// program is the word that the user types.
func (e *Environment) program() string { return cmp.Or(e.Program, "sgplvm") }

// Commands are all commands of the program.
func (e *Environment) Commands() []Command { return e.commands }

// Note writes a line about the work to stderr.
func (e *Environment) Note(format string, args ...any) {
	fmt.Fprintf(e.Stderr, "%s: %s\n", e.program(), Printable(fmt.Sprintf(format, args...)))
}

// Tell writes a line about model selection to stderr where a person watches: elsewhere what is reported at its
// end will do.
func (e *Environment) Tell(line string) {
	if e.Terminal {
		e.Note("%s", line)
	}
}

// A lineClock says when the last line was written where nobody watches, whatever it was about.
type lineClock struct {
	mu   sync.Mutex
	last time.Time
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

// Run runs the command that the arguments name and returns the exit code.
func Run(ctx context.Context, e *Environment, commands []Command, args []string) int {
	stdout := &watched{w: e.Stdout}
	inside := &Environment{Program: e.Program, About: e.About, Stdout: stdout, Stderr: e.Stderr, Terminal: e.Terminal, LineEvery: e.LineEvery, commands: commands}
	err := dispatch(ctx, inside, args)
	if stdout.err != nil && (err == nil || errors.Is(err, flag.ErrHelp) || errors.Is(err, stdout.err)) {
		err = fmt.Errorf("standard output: %w", stdout.err)
	}
	var usage *usageError
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return ExitDone
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(e.Stderr, e.program()+": interrupted")
		return ExitStopped
	case errors.As(err, &usage):
		fmt.Fprintf(e.Stderr, "%s: %s\n", e.program(), oneLine(err))
		return ExitUsage
	default:
		fmt.Fprintf(e.Stderr, "%s: %s\n", e.program(), oneLine(err))
		return ExitFailed
	}
}

// usageError is a command line that cannot be understood.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// Usagef returns an error of the command line.
func Usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// watched remembers the first error of a writer, for reports that are made of many small writes.
type watched struct {
	w   io.Writer
	err error
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.w.Write(b)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

func dispatch(ctx context.Context, e *Environment, args []string) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error, please report it: %v", v)
		}
	}()
	if len(args) == 0 {
		return Usagef("no command, expected one of %s; %s -h explains them", names(e.commands), e.program())
	}
	switch args[0] {
	case "-h", "-help", "--help":
		return Overview(e)
	}
	name := args[0]
	if name == "-version" || name == "--version" { // as of other programs
		name = "version"
	}
	for _, c := range e.commands {
		if c.Name == name {
			return c.Run(ctx, e, args[1:])
		}
	}
	return Usagef("unknown command %s, expected one of %s", quote.Text(args[0]), names(e.commands))
}

func names(commands []Command) string {
	var words []string
	for _, c := range commands {
		words = append(words, c.Name)
	}
	return strings.Join(words, ", ")
}

// Overview prints what the program does and the names of its commands.
func Overview(e *Environment) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%s\n\n", e.About)
	for _, c := range e.commands {
		fmt.Fprintf(&s, "  %s %-10s %s\n", e.program(), c.Name, c.Summary)
	}
	fmt.Fprintf(&s, "\n%s COMMAND -h explains a command", e.program())
	if slices.ContainsFunc(e.commands, func(c Command) bool { return c.Name == "help" }) {
		fmt.Fprintf(&s, ", %s help lists what else is explained", e.program())
	}
	s.WriteString(".\n")
	_, err := io.WriteString(e.Stdout, s.String())
	return err
}
