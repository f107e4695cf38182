package files

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// WriteAtomic makes the file at path hold what write writes, or leaves all
// as it was: the bytes go to a temporary file in the same folder, which is
// synced and then renamed over path. On any error, and if write panics, the
// temporary file is removed and an old file is untouched. The folder is synced
// after the rename where the system can do that; without it a crash may bring
// the old file back, whole. Writes are buffered.
//
// As with os.Create, a new file has the permissions 0666 less the umask, an old
// one keeps its own and must be writable, and a symbolic link stays: the file
// that it points to is replaced or made. What exists and is not a regular file,
// a folder or a device, is refused. Errors: [*dataset.Error].
func WriteAtomic(path string, write func(w io.Writer) error) error {
	target, old, err := writable(path)
	if err != nil {
		return err
	}
	// Cut off the last part without filepath.Dir, which would shorten a/../b: not
	// the same folder if a is a link.
	folder, _ := filepath.Split(target)
	temp, err := createTemp(folder)
	if err != nil {
		return &dataset.Error{Path: path, Err: fmt.Errorf("cannot create a file in its folder: %w", quote.Cause(err))}
	}
	done := false
	defer func() {
		if !done {
			temp.Close()
			temps.remove(temp.Name())
		}
	}()
	if err := fill(temp, old, write); err != nil {
		if _, ok := errors.AsType[*dataset.Error](err); ok {
			return err
		}
		return &dataset.Error{Path: path, Err: fmt.Errorf("cannot write: %w%s", quote.Cause(err), unchanged(old))}
	}
	if err := temps.rename(temp.Name(), target); err != nil {
		return &dataset.Error{Path: path, Err: fmt.Errorf("cannot replace the file: %w%s", quote.Cause(err), unchanged(old))}
	}
	done = true
	if d, err := os.Open(cmp.Or(folder, ".")); err == nil {
		d.Sync()
		d.Close()
	}
	return nil
}

// unchanged says that an old file is there still.
func unchanged(old fs.FileInfo) string {
	if old == nil {
		return ""
	}
	return "; the old file is as it was"
}

// maxLinks is how many symbolic links in a row are followed.
const maxLinks = 40

// writable follows symbolic links to the file that is to be written and makes
// sure that os.Create would open it. old is nil if there is no such file yet.
func writable(path string) (target string, old fs.FileInfo, err error) {
	fail := func(found string, err error) (string, fs.FileInfo, error) {
		return "", nil, &dataset.Error{Path: path, Found: found, Want: "a file that can be written", Err: err}
	}
	if path == "" {
		return fail("no name", nil)
	}
	if os.IsPathSeparator(path[len(path)-1]) {
		return fail("the name of a folder", nil)
	}
	target = path
	for range maxLinks {
		info, err := os.Lstat(target)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return target, nil, nil
		case err != nil:
			return fail("", err)
		case info.Mode()&fs.ModeSymlink != 0:
			next, err := os.Readlink(target)
			if err != nil {
				return fail("", err)
			}
			if !filepath.IsAbs(next) {
				folder, _ := filepath.Split(target)
				next = folder + next
			}
			target = next
		case !info.Mode().IsRegular():
			return fail(quote.Kind(info), nil)
		default:
			f, err := os.OpenFile(target, os.O_WRONLY, 0)
			if err != nil {
				return fail("", err)
			}
			f.Close()
			return target, info, nil
		}
	}
	return fail("a circle of symbolic links", nil)
}

// fill writes, syncs and closes the temporary file, which gets the permissions
// of the old one.
func fill(f *os.File, old fs.FileInfo, write func(w io.Writer) error) error {
	b := bufio.NewWriterSize(f, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if old != nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}
