package dataset_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Frames that stay in their file are those that Load reads: of every shape and
// type, one after the other or several at once.
func TestOpen(t *testing.T) {
	grid := dataset.Layout{Width: 3, Height: 2, Channels: 2}
	paths := []string{
		saveArray(t, "u1.npy", npy.New(ramp[uint8](60), 5, 12)),
		saveArray(t, "u2.npy", npy.New(ramp[uint16](60), 5, 2, 3, 2)),
		saveArray(t, "f4.npy", npy.New(ramp[float32](60), 5, 12)),
		saveArray(t, "f8.npy", npy.New(ramp[float64](60), 5, 2, 3, 2)),
	}
	for _, path := range paths {
		want, err := dataset.Load(path, grid)
		if err != nil {
			t.Fatal(err)
		}
		f, err := dataset.OpenWith(path, dataset.SetOptions{Layout: grid})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Form, f.Form, cmpopts.IgnoreUnexported(dataset.Form{})); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		for from := range 6 {
			for to := from; to <= 5; to++ {
				got, loaded := make([]float64, (to-from)*12), make([]float64, (to-from)*12)
				if err := errors.Join(f.ReadExamples(got, from, to), want.ReadExamples(loaded, from, to)); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, ramp[float64](60)[from*12:to*12]) || !slices.Equal(got, loaded) {
					t.Errorf("%s: frames %d to %d: %v, loaded %v", filepath.Base(path), from, to, got, loaded)
				}
			}
		}
		if err := errors.Join(dataset.CheckComplete(f), f.Close()); err != nil {
			t.Error(err)
		}
	}
}

// A folder's pictures stay in memory, with 8 or 16 bits a sample.
func TestOpenFolder(t *testing.T) {
	f, err := dataset.OpenWith(folderOf(t, map[string][]byte{"1.png": grey(7, 200), "2.png": grey(9, 100)}), dataset.SetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 4)
	if err := errors.Join(f.ReadExamples(got, 0, 2), dataset.CheckComplete(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	if f.Type != npy.Uint8 || !slices.Equal(got, []float64{7, 200, 9, 100}) {
		t.Errorf("%v %v", f.Type, got)
	}
}

// The file is cut short, or is closed, while it is open.
func TestOpenFails(t *testing.T) {
	path := saveArray(t, "cut.npy", npy.New(ramp[float64](24), 2, 3, 4))
	f, err := dataset.OpenWith(path, dataset.SetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 128+8*13); err != nil {
		t.Fatal(err)
	}
	v := make([]float64, 12)
	if err := f.ReadExamples(v, 0, 1); err != nil {
		t.Error(err)
	}
	const want = "cut.npy: data: found 104 bytes, expected 192 (the file is truncated)"
	checkError(t, f.ReadExamples(v, 1, 2), filepath.Dir(path), want)
	checkError(t, dataset.CheckComplete(f), filepath.Dir(path), want)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.ReadExamples(v, 0, 1); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed file: %v", err)
	}
	tier.Panics(t, "dataset: 12 numbers for frames 1 to 2 of 2", func() { f.ReadExamples(v, 1, 3) })
}
