package quote

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Counted writes "1 channel", "2 channels".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Shape writes 50×28×20, and () for a single number; of many axes it leaves some out.
func Shape(shape []int) string {
	if len(shape) == 0 {
		return "()"
	}
	s := make([]string, len(shape))
	for i, d := range shape {
		s[i] = strconv.Itoa(d)
	}
	return Line(strings.Join(s, "×"))
}

// Index writes the place of an element of an array, counted in C order, as (3, 0, 12).
func Index(at int, shape []int) string {
	s := make([]string, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		s[k] = strconv.Itoa(at % shape[k])
		at /= shape[k]
	}
	return "(" + strings.Join(s, ", ") + ")"
}

// Cause strips operation and path from an error of the file system: the path is known, or is that of
// a temporary file.
func Cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// Kind names what is not a regular file.
func Kind(info fs.FileInfo) string {
	switch m := info.Mode(); {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	}
	return "a special file"
}
