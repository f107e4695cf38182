package text_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// FuzzSprintf holds formats of the verbs that Sprintf understands to what package fmt writes.
func FuzzSprintf(f *testing.F) {
	f.Add("%d of %v: %q, %.3g%%|%w", "a\n", 3, 2.5)
	f.Add("%v %v %s", "\x00\xff é", -1, 1e-300)
	f.Add("%.12g%g", "", 0, 1e21)
	f.Fuzz(func(t *testing.T, format, s string, i int, x float64) {
		var args []any
		wraps := false
		for rest := format; ; {
			at := strings.IndexByte(rest, '%')
			if at < 0 {
				break
			}
			precise := false
			if rest = rest[at+1:]; len(rest) > 2 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9' {
				precise, rest = true, rest[2:]
			}
			if rest == "" {
				return
			}
			verb := rest[0]
			rest = rest[1:]
			switch {
			case verb == 'g':
				args = append(args, x)
			case precise || !strings.Contains("%dvsqw", string(verb)) || verb == 'w' && wraps:
				return
			case verb == 'd':
				args = append(args, i)
			case verb == 'v':
				args = append(args, []any{x, i, s, i > 0, []string{s, s}, []int{i, 0}, []float64{x, 1}, int64(i), uint64(i)}[len(args)%9])
			case verb == 's' || verb == 'q':
				args = append(args, s)
			case verb == 'w':
				wraps, args = true, append(args, errors.New(s))
			}
		}
		want := fmt.Errorf(format, args...)
		if got := text.Sprintf(format, args...); got != want.Error() {
			t.Errorf("Sprintf(%q, %v) = %q, want %q", format, args, got, want)
		}
		if got := text.Errorf(format, args...); got.Error() != want.Error() || wraps != (errors.Unwrap(got) != nil) {
			t.Errorf("Errorf(%q, %v) = %q, want %q", format, args, got, want)
		}
	})
}
