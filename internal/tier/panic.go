package tier

import (
	"fmt"
	"strings"
	"testing"
)

// Panic returns what f panics with, as text; "" if it returns.
func Panic(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

// Panics wants f to panic with exactly this text.
func Panics(t testing.TB, want string, f func()) {
	t.Helper()
	if got := Panic(f); got != want {
		t.Errorf("panic %q, expected %q", got, want)
	}
}

// PanicsWith wants f to panic with a text that has all the parts.
func PanicsWith(t testing.TB, f func(), parts ...string) {
	t.Helper()
	text := Panic(f)
	for _, part := range append(parts, "") {
		if text == "" || !strings.Contains(text, part) {
			t.Errorf("panic %q, expected one with %q", text, part)
		}
	}
}
