package cli

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain, «ü» and 5×4":            "plain, «ü» and 5×4",
		"a\nb\r\x1b[31mc\x7f":           `a\nb\r\x1b[31mc\x7f`,
		"sgplvm: f: sgplvm: Data: text": "f: Data: text",
		"f: line one\nline two":         `f: line one\nline two`,
	} {
		if got := oneLine(errors.New(text)); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// A message has a bounded length, whatever it quotes, and keeps its beginning and its end.
func TestBounded(t *testing.T) {
	for _, filler := range []string{"x", "½", "\x00", "sgplvm: ", "\xff"} {
		long := strings.Repeat(filler, 5_000_000/len(filler))
		got := oneLine(errors.New("file: " + long + ", expected another"))
		if len(got) > 8*maxText || !strings.HasPrefix(got, "file: ") || !strings.HasSuffix(got, ", expected another") || !utf8.ValidString(got) {
			t.Errorf("%q: %d bytes, %.40q", filler, len(got), got)
		}
		if got := Text(long); len(got) > 8*maxText {
			t.Errorf("%q: %d bytes of text", filler, len(got))
		}
	}
	for _, short := range []string{"", "a", strings.Repeat("½", maxText/2)} {
		if got := Text(short); got != short {
			t.Errorf("%q became %q", short, got)
		}
	}
}

// A few numbers are listed, many are told by the least, the greatest and the median.
func TestRange(t *testing.T) {
	for want, v := range map[string][]float64{"": nil, "2, 1": {2, 1}, "1 … 7, median 4": {7, 6, 5, 4, 3, 2, 1}, "1 … 8, median 4.5": {8, 7, 6, 5, 4, 3, 2, 1}} {
		if got := Range(v); got != want {
			t.Errorf("%v: %q, expected %q", v, got, want)
		}
	}
}
