package table

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unitOf returns the letters and signs behind a number; nothing, where a cell is no such number.
func unitOf(s string) string {
	rest := strings.TrimLeft(s, "-+\u2212")
	number := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789.,'’ \u00a0\u202f"))]
	unit := rest[len(number):]
	r, _ := utf8.DecodeRuneInString(unit)
	if isNumber(s) || !isNumber(strings.TrimRight(number, " \u00a0")) || len(unit) > 12 || !unicode.IsLetter(r) && r < 0x80 && r != '/' || allLayouts.matching(s) != 0 {
		return ""
	}
	return unit
}
