package files_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/filetest"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// put returns a callback that writes text, and then fails with err.
func put(text string, err error) func(io.Writer) error {
	return func(w io.Writer) error {
		_, e := io.WriteString(w, text)
		return errors.Join(e, err)
	}
}

func TestWriteAtomic(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "model")
	long := strings.Repeat("0123456789", 100_000)
	for _, text := range []string{"first", "", long, "last"} {
		if err := files.WriteAtomic(path, put(text, nil)); err != nil {
			t.Fatal(err)
		}
		if got, want := filetest.Listing(t, folder), "---------- model "+text; got != want {
			t.Errorf("the folder holds %.100q, expected %.100q", got, want)
		}
	}
	// A name without a folder.
	t.Chdir(folder)
	if err := files.WriteAtomic("other", put("text", nil)); err != nil {
		t.Fatal(err)
	}
	if got, want := filetest.Listing(t, folder), "---------- model last; ---------- other text"; got != want {
		t.Errorf("the folder holds %q, expected %q", got, want)
	}
}

// A new file has the permissions that os.Create gives, an old one keeps its own.
func TestWritePermissions(t *testing.T) {
	folder := t.TempDir()
	created, err := os.Create(filepath.Join(folder, "created"))
	if err != nil {
		t.Fatal(err)
	}
	created.Close()
	want, err := os.Stat(created.Name())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "written")
	for _, mode := range []fs.FileMode{want.Mode(), 0o600, 0o640, 0o777} {
		if mode != want.Mode() {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			mode = before.Mode() // what the system made of it
		}
		if err := files.WriteAtomic(path, put("text", nil)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.Stat(path); err != nil || got.Mode() != mode {
			t.Errorf("permissions %v, expected %v", got.Mode(), mode)
		}
	}
}

// Whatever goes wrong, the old file and its folder stay as they were.
func TestWriteFaults(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "model")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o666), os.Mkdir(filepath.Join(folder, "sub"), 0o777)); err != nil {
		t.Fatal(err)
	}
	before := filetest.Listing(t, folder)
	full := errors.New("no space")
	system := func(name string) string {
		_, err := os.Open(filepath.Join(folder, name))
		return err.(*fs.PathError).Err.Error()
	}
	slash := string(filepath.Separator)
	for _, test := range []struct {
		name  string
		write func(io.Writer) error
		err   string
	}{
		{"model", put("new", full), "model: cannot write: no space; the old file is as it was"},
		{"model", put(strings.Repeat("x", 1<<20), full), "model: cannot write: no space; the old file is as it was"},
		{"model", put("", &fs.PathError{Op: "write", Path: "hidden.tmp", Err: full}), "model: cannot write: no space; the old file is as it was"},
		{"model", put("", &dataset.Error{Path: "x", Found: "a", Want: "b"}), "x: found a, expected b"},
		{"new", put("new", full), "new: cannot write: no space"},
		{"sub", put("new", nil), "sub: found a folder, expected a file that can be written"},
		{"sub" + slash, put("new", nil), "sub" + slash + ": found the name of a folder, expected a file that can be written"},
		{"new" + slash, put("new", nil), "new" + slash + ": found the name of a folder, expected a file that can be written"},
		{"gone" + slash + "new", put("new", nil), "gone" + slash + "new: cannot create a file in its folder: " + system("gone"+slash+"new")},
		{"model" + slash + "new", put("new", nil), "model" + slash + "new: " + system("model"+slash+"new") + ", expected a file that can be written"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := files.WriteAtomic(folder+slash+test.name, test.write)
			filetest.Error(t, err, folder, test.err)
			if strings.Contains(test.err, "no space") && !errors.Is(err, full) {
				t.Errorf("%v does not wrap the cause", err)
			}
			if after := filetest.Listing(t, folder); after != before {
				t.Errorf("the folder holds\n\t%s\nexpected\n\t%s", after, before)
			}
		})
	}
	filetest.Error(t, files.WriteAtomic("", put("new", nil)), ".", ": found no name, expected a file that can be written")
	tier.Panics(t, "bad luck", func() {
		files.WriteAtomic(path, func(w io.Writer) error {
			io.WriteString(w, "half")
			panic("bad luck")
		})
	})
	if after := filetest.Listing(t, folder); after != before {
		t.Errorf("after a panic the folder holds\n\t%s\nexpected\n\t%s", after, before)
	}
	// A socket stands for all special files: what would replace it if the check
	// were missing harms nobody.
	socket := filepath.Join(folder, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("no sockets here: ", err)
	}
	defer listener.Close()
	filetest.Error(t, files.WriteAtomic(socket, put("new", nil)), folder, "s: found a special file, expected a file that can be written")
	if info, err := os.Lstat(socket); err != nil || info.Mode()&fs.ModeSocket == 0 {
		t.Errorf("the socket is gone: %v", err)
	}
}

// A folder and a file that must not be written to. The superuser may write to
// both.
func TestWriteForbidden(t *testing.T) {
	if os.Geteuid() <= 0 || runtime.GOOS == "wasip1" {
		t.Skip("permissions do not bind this user")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "model")
	if err := os.WriteFile(path, []byte("old"), 0o444); err != nil {
		t.Fatal(err)
	}
	denied := fs.ErrPermission.Error()
	filetest.Error(t, files.WriteAtomic(path, put("new", nil)), folder, "model: "+denied+", expected a file that can be written")
	if err := errors.Join(os.Chmod(path, 0o666), os.Chmod(folder, 0o555)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(folder, 0o777)
	for _, name := range []string{"model", "new"} {
		err := files.WriteAtomic(filepath.Join(folder, name), put("new", nil))
		filetest.Error(t, err, folder, name+": cannot create a file in its folder: "+denied)
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v does not wrap the cause", err)
		}
	}
	if got := filetest.Listing(t, folder); got != "---------- model old" {
		t.Errorf("the folder holds %q", got)
	}
}

// A link stays, and the file that it points to is replaced or made, in its own
// folder; a path is not shortened, so that dir/../name is found where the system
// finds it.
func TestWriteLinks(t *testing.T) {
	folder := t.TempDir()
	far := filepath.Join(folder, "far", "away")
	if err := os.MkdirAll(far, 0o777); err != nil {
		t.Fatal(err)
	}
	link := func(to, from string) {
		if err := os.Symlink(to, filepath.Join(folder, from)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	link(filepath.Join("far", "away"), "door")
	link(filepath.Join("far", "old"), "to-old")
	link(filepath.Join("far", "made"), "to-made")
	link(filepath.Join(folder, "to-old"), "to-link")
	link(filepath.Join("..", "up"), filepath.Join("far", "away", "to-up"))
	link("circle", "circle")
	if err := os.WriteFile(filepath.Join(folder, "far", "old"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	before := filetest.Listing(t, folder)
	for _, test := range []struct{ name, file string }{
		{"to-old", "far/old"}, {"to-link", "far/old"}, {"to-made", "far/made"}, {"door/to-up", "far/up"},
		{"door/../beside", "far/beside"}, {"door/in", "far/away/in"},
	} {
		text := "through " + test.name
		err := files.WriteAtomic(folder+"/"+test.name, func(w io.Writer) error {
			if got := filetest.Listing(t, filepath.Join(folder, filepath.Dir(test.file))); !strings.Contains(got, ".tmp") {
				t.Errorf("%s: no temporary file beside the new one: %s", test.name, got)
			}
			return put(text, nil)(w)
		})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got, err := os.ReadFile(filepath.Join(folder, test.file)); err != nil || string(got) != text {
			t.Errorf("%s: %s holds %q, %v", test.name, test.file, got, err)
		}
	}
	filetest.Error(t, files.WriteAtomic(filepath.Join(folder, "circle"), put("new", nil)), folder,
		"circle: found a circle of symbolic links, expected a file that can be written")
	filetest.Error(t, files.WriteAtomic(filepath.Join(folder, "door"), put("new", nil)), folder,
		"door: found a folder, expected a file that can be written")
	after := filetest.Listing(t, folder)
	for _, kind := range []string{"to-old", "to-made", "to-link"} {
		before = strings.ReplaceAll(before, kind+" old", kind+" through to-link")
	}
	before = strings.ReplaceAll(before, "to-made nothing", "to-made through to-made")
	if after != before {
		t.Errorf("the folder holds\n\t%s\nexpected\n\t%s", after, before)
	}
	if got := filetest.Listing(t, filepath.Join(folder, "far")); strings.Contains(got, ".tmp") {
		t.Errorf("a temporary file stays: %s", got)
	}
}

// Values that come in parts make the file that they make at once; parts that are missing, or an
// error between them, leave none.
func TestStreamNPY(t *testing.T) {
	folder := t.TempDir()
	values := filetest.Ramp[float64](60_000)
	values[3] = math.NaN()
	parts := filepath.Join(folder, "parts.npy")
	if err := files.StreamNPY(parts, []int{3, 20_000}, func(put func([]float64) error) error {
		return errors.Join(put(values[:7]), put(nil), put(values[7:40_000]), put(values[40_000:]))
	}); err != nil {
		t.Fatal(err)
	}
	var whole bytes.Buffer
	errA := npy.Write(&whole, npy.New(values, 3, 20_000))
	b, errB := os.ReadFile(parts)
	if errA != nil || errB != nil || !bytes.Equal(whole.Bytes(), b) {
		t.Errorf("other bytes in parts (%v, %v)", errA, errB)
	}
	before := filetest.Listing(t, folder)
	path, stop := filepath.Join(folder, "new.npy"), errors.New("enough")
	if err := files.StreamNPY(path, []int{2, 3}, func(put func([]float64) error) error {
		return errors.Join(put(values[:3]), stop)
	}); !errors.Is(err, stop) {
		t.Errorf("error %v, expected that of the callback", err)
	}
	filetest.Error(t, files.StreamNPY(path, []int{2, 3}, func(put func([]float64) error) error { return put(values[:5]) }), folder,
		"new.npy: cannot write: npy: 1 elements of float64 were not written")
	tier.Panics(t, "npy.Writer.Write: 7 elements of []float64 where 6 of float64 are left", func() {
		files.StreamNPY(path, []int{2, 3}, func(put func([]float64) error) error { return put(values[:7]) })
	})
	if after := filetest.Listing(t, folder); after != before {
		t.Errorf("the folder holds\n\t%.300s\nexpected\n\t%.300s", after, before)
	}
}

// The first file that is written to a folder takes away temporary files of programs that were ended, and no others: none
// that is young or being written, nothing with another name.
func TestSweep(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "wasip1" || runtime.GOOS == "js" {
		t.Skip("no locks on " + runtime.GOOS)
	}
	folder := t.TempDir()
	make := func(name string, age time.Duration) {
		path, at := filepath.Join(folder, name), time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(path, nil, 0o666), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	make(".kronfield-0000000a.tmp", time.Hour)
	make(".kronfield-0000000b.tmp", 0)
	make(".other.tmp", time.Hour)
	if err := os.Mkdir(filepath.Join(folder, ".kronfield-c.tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	make(".kronfield-c.tmp/frame", time.Hour)
	err := files.WriteAtomic(filepath.Join(folder, "first"), func(w io.Writer) error {
		entries, err := os.ReadDir(folder)
		if err != nil || len(entries) != 4 {
			t.Errorf("%d entries while a file is written, error %v", len(entries), err)
		}
		for _, e := range entries { // time passes
			at := time.Now().Add(-time.Hour)
			err = errors.Join(err, os.Chtimes(filepath.Join(folder, e.Name()), at, at))
		}
		files.Sweep(folder)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := filetest.Listing(t, folder), "---------- .other.tmp ; ---------- first "; got != want {
		t.Errorf("the folder holds %q, expected %q", got, want)
	}
}
