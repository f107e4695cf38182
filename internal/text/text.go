// Package text formats messages without reflection. Package fmt brings package reflect into every program,
// about a third of a megabyte; what small machines run is built from packages that write their messages with
// this one.
//
// Sprintf and Errorf understand what messages here need of package fmt: the verbs %d, %v, %s, %q, %g with a
// precision or without, %w and %%, for integers, floating-point numbers, texts, errors, values that are Stringers, and
// slices of integers and texts. They write what package fmt does. Anything else is a mistake of the
// programmer and shows in the message as %!v.
package text

import (
	"errors"
	"strconv"
	"strings"
)

// Sprintf returns the format with its verbs replaced by the arguments, one after the other.
func Sprintf(format string, args ...any) string {
	var b []byte
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			return string(append(b, format...))
		}
		b, format = append(b, format[:i]...), format[i+1:]
		precision := -1
		if strings.HasPrefix(format, ".") {
			n := 1
			for n < len(format) && format[n] >= '0' && format[n] <= '9' {
				n++
			}
			precision, _ = strconv.Atoi(format[1:n])
			format = format[n:]
		}
		if format == "" {
			return string(append(b, "%!"...))
		}
		verb := format[0]
		format = format[1:]
		switch {
		case verb == '%':
			b = append(b, '%')
		case len(args) == 0:
			b = append(b, '%', '!', verb)
		default:
			b, args = appendArgument(b, verb, precision, args[0]), args[1:]
		}
	}
}

// Errorf returns an error with Sprintf's text. Of an argument for %w it is a wrapper, as errors.Is and errors.As see it.
func Errorf(format string, args ...any) error {
	s := Sprintf(format, args...)
	if strings.Contains(format, "%w") {
		for _, a := range args {
			if err, is := a.(error); is {
				return &wrapped{s, err}
			}
		}
	}
	return errors.New(s)
}

type wrapped struct {
	text string
	err  error
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.err }

func appendArgument(b []byte, verb byte, precision int, a any) []byte {
	switch v := a.(type) {
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case uint64:
		return strconv.AppendUint(b, v, 10)
	case float64:
		return strconv.AppendFloat(b, v, 'g', precision, 64)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return appendText(b, verb, v)
	case error:
		return appendText(b, verb, v.Error())
	case interface{ String() string }:
		return appendText(b, verb, v.String())
	case []int:
		return appendList(b, len(v), func(b []byte, i int) []byte { return strconv.AppendInt(b, int64(v[i]), 10) })
	case []float64:
		return appendList(b, len(v), func(b []byte, i int) []byte { return strconv.AppendFloat(b, v[i], 'g', precision, 64) })
	case []string:
		return appendList(b, len(v), func(b []byte, i int) []byte { return appendText(b, verb, v[i]) })
	}
	return append(b, '%', '!', verb)
}

// appendList writes n elements with spaces between them, in brackets.
func appendList(b []byte, n int, element func(b []byte, i int) []byte) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ' ')
		}
		b = element(b, i)
	}
	return append(b, ']')
}

func appendText(b []byte, verb byte, s string) []byte {
	if verb == 'q' {
		return strconv.AppendQuote(b, s)
	}
	return append(b, s...)
}
