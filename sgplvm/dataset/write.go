package dataset

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// WriteFileAtomic makes the file at path hold what write writes, or leaves all
// as it was: the bytes go to a temporary file in the same folder, which is
// synced and then renamed over path. On any error, and if write panics, the
// temporary file is removed and an old file is untouched. The folder is synced
// after the rename where the system can do that; without it a crash may bring
// the old file back, whole. Writes are buffered.
//
// As with os.Create, a new file has the permissions 0666 less the umask, an old
// one keeps its own and must be writable, and a symbolic link stays: the file
// that it points to is replaced or made. What exists and is not a regular file,
// a folder or a device, is refused. Errors: [*Error].
func WriteFileAtomic(path string, write func(w io.Writer) error) error {
	target, old, err := writable(path)
	if err != nil {
		return err
	}
	// Cut off the last part without filepath.Dir, which would shorten a/../b: not
	// the same folder if a is a link.
	folder, _ := filepath.Split(target)
	temp, err := createTemp(folder)
	if err != nil {
		return &Error{Path: path, Err: fmt.Errorf("cannot create a file in its folder: %w", cause(err))}
	}
	done := false
	defer func() {
		if !done {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	if err := fill(temp, old, write); err != nil {
		var e *Error
		if errors.As(err, &e) {
			return err
		}
		return &Error{Path: path, Err: fmt.Errorf("cannot write: %w", cause(err))}
	}
	if err := os.Rename(temp.Name(), target); err != nil {
		return &Error{Path: path, Err: fmt.Errorf("cannot replace the file: %w", cause(err))}
	}
	done = true
	if d, err := os.Open(cmp.Or(folder, ".")); err == nil {
		d.Sync()
		d.Close()
	}
	return nil
}

// maxLinks is how many symbolic links in a row are followed.
const maxLinks = 40

// writable follows symbolic links to the file that is to be written and makes
// sure that os.Create would open it. old is nil if there is no such file yet.
func writable(path string) (target string, old fs.FileInfo, err error) {
	fail := func(found string, err error) (string, fs.FileInfo, error) {
		return "", nil, &Error{Path: path, Found: found, Want: "a file that can be written", Err: err}
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
			return fail(kindOf(info), nil)
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

// kindOf names what is not a regular file.
func kindOf(info fs.FileInfo) string {
	switch m := info.Mode(); {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	}
	return "a special file"
}

// createTemp makes a new file with the permissions of os.Create. folder is
// empty or ends in a separator.
func createTemp(folder string) (*os.File, error) {
	for try := 0; ; try++ {
		name := folder + fmt.Sprintf(".kronfield-%08x.tmp", rand.Uint32())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
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

// SaveNPY writes values in C order as a .npy file of the given shape, as
// [WriteFileAtomic] does. The type is Float64 or Float32, to which values are
// rounded; a finite value beyond its range is an error. Errors: [*Error]. It
// panics if the shape does not hold len(values) numbers or for another type.
func SaveNPY(path string, shape []int, values []float64, typ npy.Type) error {
	npy.New(values, shape...) // panics if they do not belong together
	return StreamNPY(path, shape, typ, func(put func([]float64) error) error { return put(values) })
}

// StreamNPY is [SaveNPY] of values that need not be in memory at once: write gives them to
// put, some at a time, and an error of either leaves no file. Too few values are an error,
// too many a panic. Errors: [*Error], and those of write.
func StreamNPY(path string, shape []int, typ npy.Type, write func(put func(values []float64) error) error) error {
	if typ != npy.Float32 && typ != npy.Float64 {
		panic(fmt.Sprintf("dataset: StreamNPY: type %v, expected float32 or float64", typ))
	}
	return WriteFileAtomic(path, func(w io.Writer) error {
		a, err := npy.NewWriter(w, typ, shape...)
		if err != nil {
			return err
		}
		at := 0
		if err := write(func(values []float64) error {
			if typ == npy.Float64 {
				return a.Write(values)
			}
			single := make([]float32, len(values))
			for i, v := range values {
				single[i] = float32(v)
				if math.IsInf(float64(single[i]), 0) && !math.IsInf(v, 0) {
					return &Error{Path: path, Place: "element " + formatIndex(at+i, shape), Found: fmt.Sprint(v), Want: "a number in the range of float32"}
				}
			}
			at += len(values)
			return a.Write(single)
		}); err != nil {
			return err
		}
		return a.Close()
	})
}
