// Package quote shows text from files and from users in messages: on one line, with
// control characters escaped, and never longer than a message should be; and it has the words
// that messages about files and arrays share.
package quote

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	most    = 60  // bytes of a text that are shown
	maxLine = 512 // bytes of a path, whose parts may have 255, or of another error's words
)

// Text returns s as strconv.Quote does; of more than 60 bytes it quotes the first ones and
// puts … behind the quotes.
func Text(s string) string {
	if len(s) <= most {
		return strconv.Quote(s)
	}
	return strconv.Quote(head(s, most)) + "…"
}

// Line returns s itself, which is a path or the words of another error, quoted only if it
// would not stay on one line. Of more than 512 bytes those in the middle become ….
func Line(s string) string {
	if len(s) > maxLine {
		s = head(s, maxLine/4) + "…" + tail(s, maxLine-maxLine/4)
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}

// Some lists texts, the first ones of many.
func Some(texts []string, most int) string {
	if len(texts) > most {
		texts = append(slices.Clone(texts[:most]), "…")
	}
	return strings.Join(texts, ", ")
}

// head returns the first n bytes of s, or a few less where they would cut a rune.
func head(s string, n int) string {
	for k := n; k > n-utf8.UTFMax; k-- {
		if utf8.RuneStart(s[k]) {
			return s[:k]
		}
	}
	return s[:n] // not UTF-8
}

// tail returns the last n bytes of s, or a few less where they would cut a rune.
func tail(s string, n int) string {
	for k := len(s) - n; k < len(s)-n+utf8.UTFMax; k++ {
		if utf8.RuneStart(s[k]) {
			return s[k:]
		}
	}
	return s[len(s)-n:]
}
