// Package filetest helps tests of the rooms that read and write files.
package filetest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Error wants a *dataset.Error of one line: the folder of the test and the given text, in which *
// stands for words of the standard library's.
func Error(t *testing.T, err error, folder, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, expected %q", want)
	}
	if e := (*dataset.Error)(nil); !errors.As(err, &e) {
		t.Errorf("%T, expected *dataset.Error: %v", err, err)
	}
	got := strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), "")
	begin, end, open := strings.Cut(want, "*")
	match := got == want || open && len(got) > len(want) && strings.HasPrefix(got, begin) && strings.HasSuffix(got, end)
	if !match || strings.Contains(got, "\n") {
		t.Errorf("error\n\t%s\nexpected\n\t%s", got, want)
	}
}

// Listing returns names, kinds and contents of all that is in a folder.
func Listing(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range entries {
		line := e.Type().String() + " " + e.Name()
		if !e.IsDir() {
			content, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				content = []byte("nothing")
			}
			line += " " + string(content)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// Save writes an array to a file in a new folder and returns its path.
func Save(t *testing.T, name string, a *npy.Array) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(npy.Write(file, a), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// Ramp returns 0, 1, 2, …, modulo the range of the type.
func Ramp[T npy.Number](n int) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(i)
	}
	return v
}
