package text_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// What Sprintf understands it writes as package fmt does.
func TestSprintf(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
	}{
		{"plain", nil},
		{"100 %%", nil},
		{"%d×%d", []any{3, -4}},
		{"%d of %v", []any{int64(-1 << 60), uint64(math.MaxUint64)}},
		{"%v %g %.4g %.3g|", []any{1e6, 1e-5, math.Pi * 1e7, 2.0}},
		{"%v %v %v %v", []any{math.NaN(), math.Inf(1), math.Inf(-1), 1e21}},
		{"%v, %s, %q", []any{"a", "b", "c\n"}},
		{"%v: %w", []any{true, fs.ErrNotExist}},
		{"%v %s", []any{3 * time.Second, time.Millisecond}},
		{"%v %v %v %d %q", []any{[]int{1, 2}, []string{"a", "b"}, []float64{0.5, 2}, []int{}, []string{"a", "b"}}},
	} {
		got := text.Sprintf(c.format, c.args...)
		if want := fmt.Errorf(c.format, c.args...).Error(); got != want {
			t.Errorf("Sprintf(%q) = %q, want %q", c.format, got, want)
		}
	}
}

// Mistakes show, and nothing else happens.
func TestSprintfMistakes(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
		want   string
	}{
		{"%d", nil, "%!d"},
		{"%v", []any{struct{}{}}, "%!v"},
		{"%", nil, "%!"},
		{"%.3", nil, "%!"},
	} {
		if got := text.Sprintf(c.format, c.args...); got != c.want {
			t.Errorf("Sprintf(%q) = %q, want %q", c.format, got, c.want)
		}
	}
}

func TestErrorf(t *testing.T) {
	err := text.Errorf("file %q: %w", "a", fs.ErrNotExist)
	if err.Error() != `file "a": file does not exist` || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Errorf gives %v", err)
	}
	if err := text.Errorf("plain %v", fs.ErrNotExist); errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v wraps without %%w", err)
	}
}
