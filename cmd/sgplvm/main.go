// Command sgplvm trains structured Bayesian Gaussian process latent variable
// models of pictures and fills in what pictures miss.
//
//	sgplvm demo   [-out DIR]
//	sgplvm train  -data F -grid 20x28 -out MODEL
//	sgplvm impute -model MODEL -data F [-observed MASK.npy] -out FILLED.npy
//	sgplvm info   -model MODEL
//
// Every command explains itself with -h. The exit code is 0 for success, 2 for
// a command line that cannot be understood, 1 for data that cannot be used and
// 130 after an interrupt.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

// A command is one word after the program's name.
type command struct {
	name, summary string
	run           func(ctx context.Context, e *environment, args []string) error
}

var commands = []command{
	{"demo", "train on drawn faces, hide half of some others, fill them in", demo},
	{"train", "learn a model from complete pictures", train},
	{"impute", "fill in missing pixels with a model", impute},
	{"info", "print what a model file holds", info},
}

// environment is where a command reads and writes.
type environment struct {
	stdout, stderr io.Writer
	terminal       bool // stderr is watched by a person
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	go func() { // a second interrupt ends the program at once
		<-ctx.Done()
		stop()
	}()
	e := &environment{stdout: os.Stdout, stderr: os.Stderr}
	if s, err := os.Stderr.Stat(); err == nil {
		e.terminal = s.Mode()&os.ModeCharDevice != 0
	}
	os.Exit(run(ctx, e, os.Args[1:]))
}

// usageError is a command line that cannot be understood.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// run runs the program and returns its exit code.
func run(ctx context.Context, e *environment, args []string) int {
	err := dispatch(ctx, e, args)
	var usage *usageError
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(e.stderr, "sgplvm: interrupted")
		return 130
	case errors.As(err, &usage):
		fmt.Fprintf(e.stderr, "sgplvm: %s\n", oneLine(err))
		return 2
	default:
		fmt.Fprintf(e.stderr, "sgplvm: %s\n", oneLine(err))
		return 1
	}
}

// oneLine returns an error's text without a package's own prefix, on one line.
func oneLine(err error) string {
	return strings.ReplaceAll(strings.TrimPrefix(err.Error(), "sgplvm: "), "\n", "; ")
}

func dispatch(ctx context.Context, e *environment, args []string) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error, please report it: %v", v)
		}
	}()
	if len(args) == 0 {
		return usagef("no command, expected one of %s; sgplvm -h explains them", commandNames())
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		return help(e.stdout)
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(ctx, e, args[1:])
		}
	}
	return usagef("unknown command %q, expected one of %s", args[0], commandNames())
}

func commandNames() string {
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

func help(w io.Writer) error {
	var s strings.Builder
	s.WriteString("sgplvm learns a structured Bayesian Gaussian process latent variable model from\npictures of one kind and fills in what other pictures of that kind miss.\n\n")
	for _, c := range commands {
		fmt.Fprintf(&s, "  sgplvm %-7s %s\n", c.name, c.summary)
	}
	s.WriteString("\nsgplvm COMMAND -h explains a command.\n")
	_, err := io.WriteString(w, s.String())
	return err
}

// flags is a command's set of flags.
type flags struct {
	*flag.FlagSet
	e        *environment
	synopsis string
}

func newFlags(e *environment, name, synopsis string) *flags {
	f := &flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), e: e, synopsis: synopsis}
	f.SetOutput(io.Discard) // errors are reported in one line by run
	f.Usage = func() {}
	return f
}

// parse reads the command line; -h prints the flags to stdout.
func (f *flags) parse(args []string) error {
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		var s strings.Builder
		fmt.Fprintf(&s, "%s\n\n", f.synopsis)
		f.SetOutput(&s)
		f.PrintDefaults()
		if _, werr := io.WriteString(f.e.stdout, s.String()); werr != nil {
			return werr
		}
		return err
	case err != nil:
		return usagef("%s: %v", f.Name(), err)
	case f.NArg() > 0:
		return usagef("%s: unexpected argument %q", f.Name(), f.Arg(0))
	}
	return nil
}

// require refuses a command line without one of the named flags.
func (f *flags) require(names ...string) error {
	for _, name := range names {
		if f.Lookup(name).Value.String() == "" {
			return usagef("%s: -%s is missing", f.Name(), name)
		}
	}
	return nil
}

// atLeast refuses a whole-number flag below its least value.
func (f *flags) atLeast(name string, value, least int) error {
	if value < least {
		return usagef("%s: -%s %d, expected at least %d", f.Name(), name, value, least)
	}
	return nil
}
