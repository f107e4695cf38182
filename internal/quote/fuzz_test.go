package quote_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// FuzzQuote shows any text: on one line of bounded length that is as valid as the text, and in which a short one can be read.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "rbf\n", "\x1b[31m", strings.Repeat("é", 300), strings.Repeat("\xff", 70), "a/b c.npy"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range []struct {
			got  string
			most int
		}{{quote.Text(s), 4*60 + 5}, {quote.Line(s), 4*(512+3) + 2}} {
			if len(c.got) > c.most || strings.ContainsFunc(c.got, unicode.IsControl) || utf8.ValidString(s) && !utf8.ValidString(c.got) {
				t.Errorf("%q is shown as %q", s, c.got)
			}
		}
		shown, whole := strings.CutSuffix(quote.Text(s), "…")
		whole = !whole
		back, err := strconv.Unquote(shown)
		if err != nil || !strings.HasPrefix(s, back) || whole != (back == s) || !whole && len(back) < 60-utf8.UTFMax {
			t.Errorf("%q is shown as %s, which is %q, error %v", s, quote.Text(s), back, err)
		}
	})
}
