package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Limits on flags, far beyond use, within which no arithmetic overflows.
const (
	MaxIterations = 1000000
	MaxFields     = 1000000
	MaxChannels   = 1024 // what package dataset reads
)

// Flags is a command's set of flags.
type Flags struct {
	*flag.FlagSet
	e                  *Environment
	synopsis           string
	everyday, examples []string            // of help
	words              map[string][]string // that a flag takes
	needed             []string            // flags that must be given
	inputs, results    []string            // flags that take files that are read, and that are written
	endings            map[string][]string // that the names of some results have
	models, outputs    []string            // results that are models, and those of which an output asks whether they can be written
}

// NewFlags returns no flags yet for a command; the synopsis stands above them in its help.
//
//go:noinline
func NewFlags(e *Environment, name, synopsis string) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), e: e, synopsis: synopsis, words: map[string][]string{}, endings: map[string][]string{}}
	f.SetOutput(io.Discard) // errors are reported in one line by Run
	f.Usage = func() {}
	return f
}

// checked is a flag whose value is checked when it is read.
type checked[T any] struct {
	value *T
	parse func(s string) (T, error)
}

func (c checked[T]) String() string {
	if c.value == nil {
		return ""
	}
	return fmt.Sprint(*c.value)
}

func (c checked[T]) Set(s string) error {
	v, err := c.parse(s)
	if err == nil {
		*c.value = v
	}
	return err
}

// Add defines a flag with a reader of its own.
func Add[T any](f *Flags, name string, value T, usage string, parse func(s string) (T, error)) *T {
	f.Var(checked[T]{&value, parse}, name, usage)
	return &value
}

// Whole defines a flag that takes a whole number from least to most, in plain decimal digits.
func (f *Flags) Whole(name string, value, least, most int, usage string) *int {
	return Add(f, name, value, usage, func(s string) (int, error) {
		v, err := strconv.Atoi(s)
		if err != nil || v < least || v > most || strconv.Itoa(v) != s {
			return 0, fmt.Errorf("expected a whole number from %d to %d", least, most)
		}
		return v, nil
	})
}

// Seed defines a flag that takes any unsigned number.
func (f *Flags) Seed(name string, value uint64, usage string) *uint64 {
	return Add(f, name, value, usage, func(s string) (uint64, error) {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil || strconv.FormatUint(v, 10) != s {
			return 0, fmt.Errorf("expected a whole number from 0 to %d", uint64(1<<64-1))
		}
		return v, nil
	})
}

// number defines a flag that takes the numbers that are allowed, which want describes.
func (f *Flags) number(name string, value float64, usage, want string, allowed func(v float64) bool) *float64 {
	return Add(f, name, value, usage, func(s string) (float64, error) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !allowed(v) {
			return 0, errors.New("expected " + want)
		}
		return v, nil
	})
}

// Finite defines a flag that takes any finite number.
func (f *Flags) Finite(name string, value float64, usage string) *float64 {
	return f.number(name, value, usage, "a finite number", func(v float64) bool { return v-v == 0 })
}

// Positive defines a flag that takes a finite positive number.
func (f *Flags) Positive(name, usage string) *float64 {
	return f.number(name, 0, usage, "a positive number", func(v float64) bool { return v > 0 && !math.IsInf(v, 0) })
}

// Between defines a flag that takes a number from least to most.
func (f *Flags) Between(name string, value, least, most float64, usage string) *float64 {
	return f.number(name, value, usage, fmt.Sprintf("a number from %v to %v", least, most), func(v float64) bool { return v >= least && v <= most })
}

// Duration defines a flag that takes a positive length of time.
func (f *Flags) Duration(name, usage string) *time.Duration {
	return Add(f, name, 0, usage, func(s string) (time.Duration, error) {
		v, err := time.ParseDuration(s)
		if err != nil || v <= 0 {
			return 0, errors.New("expected a positive time such as 90s, 10m or 1h30m")
		}
		return v, nil
	})
}

// Choice defines a flag that takes one of some words.
func (f *Flags) Choice(name, value, usage string, words ...string) *string {
	f.words[name] = words
	return Add(f, name, value, usage, func(s string) (string, error) {
		if !slices.Contains(words, s) {
			return "", fmt.Errorf("expected %s or %s", strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
		}
		return s, nil
	})
}

// Grid defines a flag that takes the size of a picture.
func (f *Flags) Grid(name, value, usage string) *string {
	return Add(f, name, value, usage, func(s string) (string, error) {
		if _, _, err := dataset.ParseGrid(s); err != nil {
			return "", errors.New(strings.TrimPrefix(err.Error(), fmt.Sprintf("grid %q: ", s)))
		}
		return s, nil
	})
}

// Layout is the size of pictures as a flag of Grid asks for it; 0×0 where it was not given.
func Layout(grid string, channels int) dataset.Layout {
	l := dataset.Layout{Channels: channels}
	if grid != "" {
		l.Width, l.Height, _ = dataset.ParseGrid(grid) // checked by the flag
	}
	return l
}

// Need names the flags without which a command line is refused; -view takes the place of -data.
func (f *Flags) Need(names ...string) { f.needed = names }

// Input defines a flag that takes a file that is read.
//
//go:noinline
func (f *Flags) Input(name, usage string) *string {
	f.inputs = append(f.inputs, name)
	return f.String(name, "", usage)
}

// Result defines a flag that takes a file that is written, which replaces no input and no other result. Its name has one of some endings, if there are any.
func (f *Flags) Result(name, usage string, endings ...string) *string {
	f.results = append(f.results, name)
	if endings != nil {
		f.endings[name] = endings
	}
	return f.String(name, "", usage)
}

// Output is Result of what need not be a file: whether it can be written, whoever makes it asks.
func (f *Flags) Output(name, usage string) *string {
	f.outputs = append(f.outputs, name)
	return f.Result(name, usage)
}

// Model is Result of a model, which has no name of another kind of file.
func (f *Flags) Model(name, usage string) *string {
	f.models = append(f.models, name)
	return f.Result(name, usage)
}

// Toggle defines a flag that is on or off, off unless given.
func (f *Flags) Toggle(name, usage string) *bool {
	var value bool
	f.BoolFunc(name, usage, func(s string) (err error) {
		if value, err = strconv.ParseBool(s); err != nil {
			return errors.New("expected true or false")
		}
		return nil
	})
	return &value
}
