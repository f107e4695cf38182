package npy_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// equalBits reports whether two slices hold the same bits.
func equalBits(a, b []float64) bool {
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// A file gives, in parts, what Read gives as a whole: every type, byte order and
// order of the axes.
func TestFileEveryType(t *testing.T) {
	for _, k := range kinds {
		for _, order := range []byte("<>=|") {
			if order == '|' && k.size > 1 {
				continue
			}
			for _, fortran := range []string{"False", "True"} {
				in := file(1, dict(string(order)+k.code, fortran, "(2, 2)"), ordered(k.be, k.size, order)...)
				a, err := npy.Read(bytes.NewReader(in))
				if err != nil {
					t.Fatal(err)
				}
				want := a.Float64s()
				f, err := npy.NewFile(bytes.NewReader(in), int64(len(in)))
				if err != nil {
					t.Fatal(err)
				}
				if f.Type != k.typ || len(f.Shape) != 2 {
					t.Errorf("%s: header %+v", k.code, f.Header)
				}
				for from := range 5 {
					for to := from; to <= 4; to++ {
						got := make([]float64, to-from)
						if err := f.CopyFloat64s(got, from); err != nil {
							t.Fatal(err)
						}
						if !equalBits(got, want[from:to]) {
							t.Errorf("%c%s, Fortran order %s: elements %d to %d are %v, expected %v", order, k.code, fortran, from, to, got, want[from:to])
						}
					}
				}
			}
		}
	}
}

// Long parts are read in pieces, many at a time.
func TestFileLong(t *testing.T) {
	const n = 300001
	u, f := make([]uint8, n), make([]float32, n)
	for i := range n {
		u[i], f[i] = uint8(i*i), float32(i)/3
	}
	for _, a := range []*npy.Array{npy.New(u, n), npy.New(f, n)} {
		path := filepath.Join(t.TempDir(), "long.npy")
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(npy.Write(out, a), out.Close()); err != nil {
			t.Fatal(err)
		}
		file, err := npy.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		want := a.Float64s()
		var all sync.WaitGroup
		for _, from := range []int{0, 1, 65535, 65536, 65537, 1 << 18, n - 1, n} {
			all.Go(func() {
				got := make([]float64, n-from)
				if err := file.CopyFloat64s(got, from); err != nil || !equalBits(got, want[from:]) {
					t.Errorf("%v from %d: other numbers; error %v", a.Type, from, err)
				}
			})
		}
		all.Wait()
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		if err := file.CopyFloat64s(make([]float64, 1), 0); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("a closed file: %v", err)
		}
	}
}

// The file shrinks, grows or fails while it is open.
func TestFileChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "changing.npy")
	in := file(1, dict("<f8", "False", "(4, 1000)"), make([]byte, 32000)...)
	if err := os.WriteFile(path, in, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := npy.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	row := make([]float64, 1000)
	for _, c := range []struct {
		size int64
		from int
		want string // "" for none
	}{
		{int64(len(in)), 3000, ""},
		{128 + 24001, 3000, "npy: data: found 24001 bytes, expected 32000 (the file is truncated)"},
		{128 + 24001, 2000, ""},
		{10, 0, "npy: data: found 0 bytes, expected 32000 (the file is truncated)"},
		{int64(len(in)) + 100, 3000, ""},
	} {
		if err := os.Truncate(path, c.size); err != nil {
			t.Fatal(err)
		}
		var format *npy.FormatError
		switch err := f.CopyFloat64s(row, c.from); {
		case c.want == "" && err != nil:
			t.Errorf("%d bytes, from %d: %v", c.size, c.from, err)
		case c.want != "" && (!errors.As(err, &format) || err.Error() != c.want):
			t.Errorf("%d bytes, from %d: %v, expected %s", c.size, c.from, err, c.want)
		}
	}
	broken := errors.New("the disk is gone")
	g, err := npy.NewFile(&failing{ReaderAt: bytes.NewReader(in), after: 128 + 8000, err: broken}, int64(len(in)))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.CopyFloat64s(row, 0); err != nil {
		t.Error(err)
	}
	if err := g.CopyFloat64s(row, 1); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "npy: reading the data: ") {
		t.Errorf("error %v", err)
	}
}

// failing fails beyond a place.
type failing struct {
	io.ReaderAt
	after int64
	err   error
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.after {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, off)
}

// What Read refuses, Open refuses in the same words, but for truth values, which
// are refused when they are read.
func TestFileRefuses(t *testing.T) {
	good := file(1, dict("<f8", "False", "(2, 3)"), make([]byte, 48)...)
	for _, in := range [][]byte{
		nil, good[:7], good[:20], good[:128], good[:175], append(bytes.Clone(good), 0),
		[]byte("\x89PNG\r\n\x1a\n and more"),
		file(1, dict("<c16", "False", "(2, 3)"), make([]byte, 96)...),
		file(1, dict("<f8", "False", "(2147483647, 2147483647, 2147483647)"), 1),
		file(1, dict("|u1", "True", "(2, 3)"), 1, 2, 3),
		file(1, dict("|b1", "True", "(2, 2)"), 0, 1, 0, 2),
	} {
		_, want := npy.Read(bytes.NewReader(in))
		f, err := npy.NewFile(bytes.NewReader(in), int64(len(in)))
		var format *npy.FormatError
		if want == nil || f != nil || !errors.As(err, &format) || err.Error() != want.Error() {
			t.Errorf("%q: error %v, expected %v", in, err, want)
		}
	}
	in := file(1, dict("|b1", "False", "(5,)"), 0, 1, 1, 2, 0)
	f, err := npy.NewFile(bytes.NewReader(in), int64(len(in)))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.CopyFloat64s(make([]float64, 1), 2); err != nil {
		t.Error(err)
	}
	const want = "npy: truth value 3: found 2, expected 0 or 1"
	if err := f.CopyFloat64s(make([]float64, 2), 2); err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
	if _, err := npy.Open(filepath.Join(t.TempDir(), "none.npy")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, from := range []int{-1, 4} {
		for name, read := range map[string]func(){
			"File":  func() { f.CopyFloat64s(make([]float64, 2), from) },
			"Array": func() { npy.New(make([]uint8, 5), 5).CopyFloat64s(make([]float64, 2), from) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: two elements from %d of 5: no panic", name, from)
					}
				}()
				read()
			}()
		}
	}
}

// A part costs its pieces' buffers, not the file.
func TestFileMemory(t *testing.T) {
	in := file(1, dict("<f4", "False", "(1000000,)"), make([]byte, 4000000)...)
	f, err := npy.NewFile(bytes.NewReader(in), int64(len(in)))
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, 1000000)
	if used := allocated(func() { err = f.CopyFloat64s(dst, 0) }); err != nil || used > 1<<20 {
		t.Errorf("allocated %d bytes; error %v", used, err)
	}
}
