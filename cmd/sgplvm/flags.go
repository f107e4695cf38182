package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// usageError is a command line that cannot be understood.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
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

func add[T any](f *flags, name string, value T, usage string, parse func(s string) (T, error)) *T {
	f.Var(checked[T]{&value, parse}, name, usage)
	return &value
}

// whole defines a flag that takes a whole number from least to most, in plain
// decimal digits.
func (f *flags) whole(name string, value, least, most int, usage string) *int {
	return add(f, name, value, usage, func(s string) (int, error) {
		v, err := strconv.Atoi(s)
		if err != nil || v < least || v > most || strconv.Itoa(v) != s {
			return 0, fmt.Errorf("expected a whole number from %d to %d", least, most)
		}
		return v, nil
	})
}

// seed defines a flag that takes any unsigned number.
func (f *flags) seed(name string, value uint64, usage string) *uint64 {
	return add(f, name, value, usage, func(s string) (uint64, error) {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil || strconv.FormatUint(v, 10) != s {
			return 0, fmt.Errorf("expected a whole number from 0 to %d", uint64(1<<64-1))
		}
		return v, nil
	})
}

// share defines a flag that takes a number between 0 and 1, both excluded.
func (f *flags) share(name string, value float64, usage string) *float64 {
	return add(f, name, value, usage, func(s string) (float64, error) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v > 0 && v < 1) {
			return 0, errors.New("expected a number between 0 and 1")
		}
		return v, nil
	})
}

// part is share with 0 allowed.
func (f *flags) part(name, usage string) *float64 {
	return add(f, name, 0., usage, func(s string) (float64, error) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v >= 0 && v < 1) || math.Signbit(v) {
			return 0, errors.New("expected a number from 0 to less than 1")
		}
		return v, nil
	})
}

// finite reads a finite number.
func finite(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v-v != 0 {
		return 0, errors.New("expected a finite number")
	}
	return v, nil
}

// choice defines a flag that takes one of some words.
func (f *flags) choice(name, value, usage string, words ...string) *string {
	return add(f, name, value, usage, func(s string) (string, error) {
		if !slices.Contains(words, s) {
			return "", fmt.Errorf("expected %s or %s", strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
		}
		return s, nil
	})
}

// grid defines a flag that takes the size of a picture.
func (f *flags) grid(name, value, usage string) *string {
	return add(f, name, value, usage, func(s string) (string, error) {
		if _, _, err := dataset.ParseGrid(s); err != nil {
			return "", errors.New(strings.TrimPrefix(err.Error(), fmt.Sprintf("grid %q: ", s)))
		}
		return s, nil
	})
}

// toggle defines a flag that is on or off, off unless given.
func (f *flags) toggle(name, usage string) *bool {
	var value bool
	f.BoolFunc(name, usage, func(s string) (err error) {
		if value, err = strconv.ParseBool(s); err != nil {
			return errors.New("expected true or false")
		}
		return nil
	})
	return &value
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
		return usagef("%s: %v (sgplvm %s -h explains the flags)", f.Name(), err, f.Name())
	case f.NArg() > 0:
		return usagef("%s: found %q, expected nothing but flags (sgplvm %s -h explains them)", f.Name(), f.Arg(0), f.Name())
	}
	return nil
}

// given tells whether a flag stands on the command line.
func (f *flags) given(name string) bool {
	found := false
	f.Visit(func(g *flag.Flag) { found = found || g.Name == name })
	return found
}

// require refuses a command line without one of the named flags.
func (f *flags) require(names ...string) error {
	for _, name := range names {
		if v := f.Lookup(name); v.Value.String() == "" {
			_, usage := flag.UnquoteUsage(v)
			return usagef("%s: -%s is missing, expected %s", f.Name(), name, usage)
		}
	}
	return nil
}

// apart refuses a command line on which a result would replace an input or
// another result. The names are those of flags that take files.
func (f *flags) apart(inputs, results []string) error {
	for i, result := range results {
		path := f.Lookup(result).Value.String()
		for _, other := range append(slices.Clone(inputs), results[:i]...) {
			if v := f.Lookup(other).Value.String(); path != "" && v != "" && sameFile(path, v) {
				return usagef("%s: -%s %q is the file of -%s, expected another one", f.Name(), result, path, other)
			}
		}
	}
	return nil
}

// files is apart for a command line of which all results must be writable, too.
func (f *flags) files(inputs, results []string) error {
	if err := f.apart(inputs, results); err != nil {
		return err
	}
	var paths []string
	for _, name := range results {
		paths = append(paths, f.Lookup(name).Value.String())
	}
	return allWritable(paths...)
}

// without refuses a command line with one of the named flags, which need another one.
func (f *flags) without(needed string, names ...string) (err error) {
	f.Visit(func(v *flag.Flag) {
		if err == nil && slices.Contains(names, v.Name) {
			err = usagef("%s: -%s without %s", f.Name(), v.Name, needed)
		}
	})
	return err
}

// onePlace refuses a command line with both -points and -grid.
func (f *flags) onePlace(points, grid string) error {
	if points != "" && grid != "" {
		return usagef("%s: -grid %s with -points, expected one of the two", f.Name(), grid)
	}
	return nil
}

func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	s, err := os.Stat(a)
	if err != nil {
		return false
	}
	t, err := os.Stat(b)
	return err == nil && os.SameFile(s, t)
}
