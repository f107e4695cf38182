package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// Run runs the command that the arguments name and returns the exit code.
func Run(ctx context.Context, e *Environment, commands []Command, args []string) int {
	stdout := &watched{w: e.Stdout}
	in := &Environment{Program: e.Program, About: e.About, Stdout: stdout, Terminal: e.Terminal, LineEvery: e.LineEvery, Exit: e.Exit, begin: time.Now(), commands: commands}
	in.Stderr = &said{w: e.Stderr, lines: &in.lines}
	if in.Exit != nil {
		defer context.AfterFunc(ctx, in.leave)()
	}
	err := dispatch(ctx, in, args)
	if stdout.err != nil && (err == nil || errors.Is(err, flag.ErrHelp) || errors.Is(err, stdout.err)) {
		err = fmt.Errorf("standard output: %w", stdout.err)
	}
	var usage *usageError
	var done *part.Done
	switch {
	case errors.As(err, &done):
		in.Tell(done.Error())
		return ExitDone
	case err == nil || errors.Is(err, flag.ErrHelp):
		return ExitDone
	case errors.Is(err, context.Canceled) || ctx.Err() != nil: // whatever it made fail
		in.interrupted()
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
			defer e.remind(name)()
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
		fmt.Fprintf(&s, "  %s %-11s %s\n", e.program(), c.Name, c.Summary)
	}
	fmt.Fprintf(&s, "\n%s COMMAND -h explains a command", e.program())
	if slices.ContainsFunc(e.commands, func(c Command) bool { return c.Name == "help" }) {
		fmt.Fprintf(&s, ", %s help lists what else is explained", e.program())
	}
	s.WriteString(".\n")
	_, err := io.WriteString(e.Stdout, s.String())
	return err
}
