package quote_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

func TestText(t *testing.T) {
	sixty := strings.Repeat("0123456789", 6)
	for _, c := range []struct{ s, want string }{
		{"", `""`},
		{"rbf\n", `"rbf\n"`},
		{sixty, `"` + sixty + `"`},
		{sixty + "x", `"` + sixty + `"…`},
		{sixty[:59] + "éx", `"` + sixty[:59] + `"…`},
		{sixty[:58] + "éx", `"` + sixty[:58] + `é"…`},
		{strings.Repeat("\x80", 100), `"` + strings.Repeat(`\x80`, 60) + `"…`},
	} {
		if got := quote.Text(c.s); got != c.want {
			t.Errorf("Text(%.80q) = %s, want %s", c.s, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	folder := strings.Repeat("folder/", 80)
	for _, c := range []struct{ s, want string }{
		{"", ""},
		{"my frames.npy", "my frames.npy"},
		{"two\nlines", `"two\nlines"`},
		{folder[:512], folder[:512]},
		{folder + "frames.npy", folder[:128] + "…" + (folder + "frames.npy")[len(folder)+10-384:]},
	} {
		if got := quote.Line(c.s); got != c.want {
			t.Errorf("Line(%q) = %s, want %s", c.s, got, c.want)
		}
	}
	for _, s := range []string{strings.Repeat("é", 500), "x" + strings.Repeat("日本", 500), strings.Repeat("\xff", 500)} {
		got := quote.Line(s)
		if len(got) > 512+len("…") || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("Line(%q) = %q", s, got)
		}
	}
}

// Text of 90 MB costs as little as it shows.
func TestLongText(t *testing.T) {
	s := strings.Repeat("matern32", 90<<20/8)
	if got := quote.Text(s); len(got) > 80 {
		t.Errorf("%d bytes quoted", len(got))
	}
	if got := quote.Line(s); len(got) > 520 {
		t.Errorf("a line of %d bytes", len(got))
	}
}
