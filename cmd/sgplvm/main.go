// Command sgplvm trains structured Bayesian Gaussian process latent variable
// models of pictures and fills in what pictures miss.
//
//	sgplvm demo    [-out DIR]
//	sgplvm train   -data F -grid 20x28 -out MODEL
//	sgplvm impute  -model MODEL -data F [-points P.npy] [-observed MASK.npy] -out FILLED.npy
//	sgplvm predict -model MODEL [-data F] [-grid 40x56 | -points P.npy] -out MEAN.npy
//	sgplvm render  -model MODEL [-times T.npy] [-grid 1280x720] -out DIR|FILM.gif|FILM.npy
//	sgplvm sample  -model MODEL [-grid 40x56 | -points P.npy] -out FIELDS.npy
//	sgplvm reproduce frey -data F -split SPLIT.npy -observed MASKS.npy [-n 50]
//	sgplvm reproduce video -frames F -truth F -train TRAIN.npy
//	sgplvm info    -model MODEL
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
	"strconv"
	"strings"
	"unicode"
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
	{"predict", "predict pictures of any resolution, or at any points", predict},
	{"render", "predict pictures of any resolution as frames, a GIF or an array", render},
	{"sample", "draw pictures from a model", sample},
	{"reproduce", "repeat a published experiment beside its rivals", reproduce},
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

// run runs the program and returns its exit code.
func run(ctx context.Context, e *environment, args []string) int {
	stdout := &watched{w: e.stdout}
	err := dispatch(ctx, &environment{stdout: stdout, stderr: e.stderr, terminal: e.terminal}, args)
	if stdout.err != nil && (err == nil || errors.Is(err, flag.ErrHelp) || errors.Is(err, stdout.err)) {
		err = fmt.Errorf("standard output: %w", stdout.err)
	}
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

// watched remembers the first error of a writer, for reports that are made of
// many small writes.
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

// oneLine returns an error's text on one line, without the prefix that the
// model's package gives its own.
func oneLine(err error) string {
	text := strings.TrimPrefix(err.Error(), "sgplvm: ")
	return printable(strings.ReplaceAll(text, ": sgplvm: ", ": "))
}

// printable spells control characters out.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
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
		fmt.Fprintf(&s, "  sgplvm %-10s %s\n", c.name, c.summary)
	}
	s.WriteString("\nsgplvm COMMAND -h explains a command.\n")
	_, err := io.WriteString(w, s.String())
	return err
}
