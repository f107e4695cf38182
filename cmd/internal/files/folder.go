package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// IsFolder tells whether there is a folder at a path, or the path asks for one by a separator at its end.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || path != "" && os.IsPathSeparator(path[len(path)-1])
}

// CheckFolder returns the error that [WriteFolder] would end with before it writes anything.
func CheckFolder(path string) error {
	temp, err := folderFor(path)
	if err == nil && temp != path {
		temps.remove(temp)
	}
	return err
}

// WriteFolder makes the folder at path hold the files that write writes to the folder that it gets. Where there is none yet, it appears
// with all its files or not at all: they go to a temporary folder beside it, which is then renamed. In a folder that is there, other
// files stay, and each new one must be written as [WriteAtomic] does. Errors: [*dataset.Error], and those of write.
func WriteFolder(path string, write func(folder string) error) (err error) {
	temp, err := folderFor(path)
	if err != nil || temp == path {
		if err == nil {
			err = write(path)
		}
		return err
	}
	if held, err := os.Open(temp); err == nil {
		lock(held)
		defer held.Close()
	}
	done := false
	defer func() {
		if !done {
			temps.remove(temp)
		}
	}()
	if err := write(temp); err != nil {
		if e := (*dataset.Error)(nil); errors.As(err, &e) {
			e.Path = strings.Replace(e.Path, temp, path, 1)
		}
		return err
	}
	if err := temps.rename(temp, filepath.Clean(path)); err != nil {
		return &dataset.Error{Path: path, Err: fmt.Errorf("cannot make the folder: %w", quote.Cause(err))}
	}
	done = true
	return nil
}

// folderFor returns the folder to write to: that at path, or else a new temporary one beside it.
func folderFor(path string) (string, error) {
	const want = "a folder, or the name of a new one in a folder that exists"
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return path, nil
	case err == nil && info.Mode().IsRegular():
		return "", &dataset.Error{Path: path, Found: "a file", Want: want}
	case err == nil:
		return "", &dataset.Error{Path: path, Found: quote.Kind(info), Want: want}
	case !errors.Is(err, fs.ErrNotExist):
		return "", &dataset.Error{Path: path, Err: err, Want: want}
	}
	beside, _ := filepath.Split(filepath.Clean(path))
	temp, err := temps.add(beside, func(name string) error { return os.Mkdir(name, 0o777) })
	if err != nil {
		return "", &dataset.Error{Path: path, Err: err, Want: want}
	}
	return temp, nil
}
