package quote_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{quote.Counted(0, "frame"), "0 frames"},
		{quote.Counted(1, "frame"), "1 frame"},
		{quote.Counted(12, "frame"), "12 frames"},
		{quote.Shape(nil), "()"},
		{quote.Shape([]int{7}), "7"},
		{quote.Shape([]int{50, 28, 20}), "50×28×20"},
		{quote.Index(0, []int{4}), "(0)"},
		{quote.Index(23, []int{2, 3, 4}), "(1, 2, 3)"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	if long := quote.Shape(slices.Repeat([]int{1 << 30}, 1000)); len(long) > 600 {
		t.Errorf("a shape of %d bytes", len(long))
	}
}

// An error of the file system loses its path and its operation, others stay.
func TestCause(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	_, open := os.Open(gone)
	other := errors.New("other")
	for _, c := range []struct{ err, want error }{
		{open, open.(*fs.PathError).Err},
		{os.Rename(gone, gone+"2"), os.Rename(gone, gone+"2").(*os.LinkError).Err},
		{other, other},
	} {
		if got := quote.Cause(c.err); got != c.want {
			t.Errorf("%v became %v", c.err, got)
		}
	}
}

func TestKind(t *testing.T) {
	for _, path := range []string{t.TempDir(), os.DevNull} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := quote.Kind(info), map[bool]string{true: "a folder", false: "a device"}[info.IsDir()]; got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
