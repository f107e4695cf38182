package table

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A format says how numbers are written: the decimal sign, and what stands between thousands, 0 for nothing; ' ' stands for other blanks, ' for other apostrophes. units, in
// lines, may stand around numbers beside affixes.
type format struct {
	decimal, group byte
	units          string
}

// formats are those that are tried; of equals the first is taken.
var formats = []format{{'.', 0, ""}, {',', 0, ""}, {'.', ',', ""}, {',', '.', ""}, {'.', ' ', ""}, {',', ' ', ""}, {'.', '\'', ""}}

// missingWords stand for a missing value, as do signs alone.
var missingWords = map[string]bool{"": true, "nan": true, "na": true, "nat": true, "null": true, "none": true, "nil": true, "missing": true, `\n`: true, "mm": true, "nd": true, "n.a": true, "n.d": true, "n.b": true, "n.v": true, "k.a": true,
	"#na": true, "#nv": true, "#value!": true, "#div0!": true, "#num!": true, "#ref!": true, "#wert!": true, "#bezug!": true}

// isMissing tells whether a cell has no value.
func isMissing(s string) bool {
	if s == "" || len(s) > 8 || s[0] >= '0' && s[0] <= '9' || len(s) > 1 && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' {
		return s == ""
	}
	word := strings.Trim(strings.ToLower(s), "-–.:<>()*?/ ")
	return missingWords[strings.ReplaceAll(strings.ReplaceAll(word, " ", ""), "/", "")] || s[0] == ':' && isMark(s[1:])
}

// isMark tells whether a text is what may stand behind a number and is not read: an asterisk, flags of Eurostat behind a blank, the number's error behind ±.
func isMark(s string) bool {
	flags := strings.TrimLeft(s, " \u00a0")
	for _, sign := range []string{"±", "+/-"} {
		if wide, ok := strings.CutPrefix(flags, sign); ok {
			return isNumber(strings.TrimLeft(wide, " \u00a0"))
		}
	}
	return strings.Trim(flags, "*") == "" || flags != s && len(flags) <= 3 && strings.Trim(flags, "bcdefinprsuz") == ""
}

// affixes may stand around a number, with a blank or without.
const affixes = "%\n$\n€\n£\n¥\nEUR\nUSD\nGBP\nCHF\n=\"\n\"\n"

// affix divides a cell into a number and what stands before and behind it.
func (f format) affix(s string) (before, number, behind string) {
	number = s
	for a := range strings.SplitSeq(affixes+f.units, "\n") {
		if rest, ok := strings.CutPrefix(number, a); ok && a != "" {
			number = strings.TrimLeft(rest, " \u00a0")
		} else if rest, ok := strings.CutSuffix(number, a); ok {
			number = strings.TrimRight(rest, " \u00a0")
		}
	}
	at := strings.Index(s, number)
	return s[:at], number, s[at+len(number):]
}

// A written number is what stands in a cell: its value and how many digits it has behind the decimal sign and in all.
type written struct {
	value                       float64
	decimals, digits            int
	exponent, grouped, brackets bool // brackets stand for a minus, as accountants write it
	minusBehind                 bool // as SAP writes it
	mark                        string
}

// maxNumber is the length of a number at most: the exact digits of any have less.
const maxNumber = 1100

// between returns what stands between thousands at the start of s, nothing where it is something else: blanks and apostrophes have several forms.
func (f format) between(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case f.group == ' ' && (r == ' ' || r == '\u00a0' || r == '\u202f'), f.group == '\'' && (r == '\'' || r == '’'), n == 1 && s[0] == f.group:
		return s[:n]
	}
	return ""
}

// parse reads a finite number, of money or per cent too.
func (f format) parse(s string) (n written, ok bool) {
	if s != "" && (s[0] > '9' || s[0] == '$' || s[len(s)-1] > '9' || s[len(s)-1] == '%' || s[len(s)-1] == '$' || f.units != "") {
		_, s, _ = f.affix(s)
	}
	if len(s) > 2 && s[0] == '(' && s[len(s)-1] == ')' {
		n, ok = f.parse(s[1 : len(s)-1])
		n.value, n.brackets = -n.value, true
		return n, ok && !math.Signbit(-n.value)
	}
	if end := len(s) - 1; end > 0 && s[end] == '-' && s[end-1] >= '0' && s[end-1] <= '9' && s[0] != '-' {
		n, ok = f.parse(s[:end])
		n.value, n.minusBehind = -n.value, true
		return n, ok && !n.brackets && s[0] != '+'
	}
	negative := false
	switch {
	case s == "" || len(s) > maxNumber:
		return n, false
	case s[0] == '-' || s[0] == '+':
		negative, s = s[0] == '-', s[1:]
	case strings.HasPrefix(s, "\u2212"):
		negative, s = true, s[len("\u2212"):]
	}
	whole, mantissa, i := 0, uint64(0), 0
	digit := func() bool {
		if i == len(s) || s[i] < '0' || s[i] > '9' {
			return false
		}
		mantissa = mantissa*10 + uint64(s[i]-'0') // right up to 19 digits, and not used beyond 15
		if mantissa > 0 || n.digits > 0 {
			n.digits++
		}
		i++
		return true
	}
	for digit() {
		whole++
	}
	for f.group != 0 && (whole <= 3 || n.grouped) && whole > 0 && s[0] != '0' {
		step := len(f.between(s[i:]))
		if step == 0 || f.group == ' ' && isMark(s[i:]) {
			break
		}
		i += step
		for range 3 {
			if !digit() {
				return n, false
			}
		}
		n.grouped = true
	}
	if i < len(s) && s[i] == f.decimal {
		i++
		for digit() {
			n.decimals++
		}
		if n.decimals == 0 && f.decimal == ',' { // separates it from another
			return n, false
		}
	}
	if whole+n.decimals == 0 {
		return n, false
	}
	if n.exponent = isExponent(s[i:]); !n.exponent {
		if s, n.mark = s[:i], s[i:]; !isMark(n.mark) {
			return n, false
		}
	}
	if n.digits <= 15 && n.decimals <= 22 && !n.exponent {
		n.value = float64(mantissa) / powers[n.decimals] // both are exact
	} else if n.value, ok = f.convert(s, i); !ok {
		return n, false
	}
	if negative {
		n.value = -n.value
	}
	return n, true
}

// isExponent tells whether a text is the end of a number with an exponent.
func isExponent(s string) bool {
	if s == "" || s[0]|0x20 != 'e' && s[0]|0x20 != 'd' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// powers of ten that are exact.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// convert is the slow way, for s of which the digits end at end.
func (f format) convert(s string, end int) (float64, bool) {
	var b [64]byte
	plain := b[:0]
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9' || i > end && (c == '-' || c == '+'):
			plain = append(plain, c)
		case i == end:
			plain = append(plain, 'e')
		case c == f.decimal:
			plain = append(plain, '.')
		}
	}
	v, err := strconv.ParseFloat(string(plain), 64)
	return v, err == nil && v-v == 0
}

// exact writes a number with all digits that tell it apart.
func (f format) exact(v float64) string {
	form := byte('f')
	if size := math.Abs(v); size >= 1e15 || size < 1e-5 && size > 0 {
		form = 'e'
	}
	return f.sign(strconv.FormatFloat(v, form, -1, 64))
}

// sign puts the decimal sign into a number's text, and takes the minus off a zero.
func (f format) sign(s string) string {
	if s[0] == '-' && !strings.ContainsAny(s, "123456789") {
		s = s[1:]
	}
	if f.decimal != '.' {
		s = strings.Replace(s, ".", string(f.decimal), 1)
	}
	return s
}

// isNumber tells whether a text is a number in some format.
//
//go:noinline
func isNumber(s string) bool { return format{}.isNumber(s) }

// isNumber tells whether a text is a number in some format, perhaps with the units of this one.
func (f format) isNumber(s string) bool {
	return slices.ContainsFunc(formats, func(g format) bool {
		g.units = f.units
		_, ok := g.parse(s)
		return ok
	})
}
