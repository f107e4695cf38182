package cli

import (
	"errors"
	"io"
	"io/fs"
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

// MakeFolder makes a folder unless it is there. undo takes it back if it is empty and there was an
// error.
func MakeFolder(path string) (undo func(err *error), err error) {
	err = os.Mkdir(path, 0o777)
	if errors.Is(err, fs.ErrExist) {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return func(*error) {}, nil
		}
	}
	if err != nil {
		return nil, &dataset.Error{Path: path, Err: err, Want: "a folder, or the name of a new one in a folder that exists"}
	}
	return func(err *error) {
		if *err != nil {
			os.Remove(path)
		}
	}, nil
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
