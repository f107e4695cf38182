package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Writable refuses a result's path that cannot be written, before hours are spent on the result; "" is no result.
func Writable(path string) error {
	probe := errors.New("not written")
	err := files.WriteAtomic(path, func(io.Writer) error { return probe })
	if path == "" || errors.Is(err, probe) {
		return nil
	}
	return err
}

// sameFile reports whether two paths, or names of arrays in files, lead to one file.
func sameFile(a, b string) bool {
	a, b = dataset.FileName(a), dataset.FileName(b)
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	s, err := os.Stat(a)
	if err != nil {
		return false
	}
	t, err := os.Stat(b)
	return err == nil && os.SameFile(s, t)
}
