package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// A sample has its number of examples, some of every file, in their order and never one twice; the seed decides which, and of text, of one file or of several.
func TestOpenSample(t *testing.T) {
	folder := t.TempDir()
	values := make([]float64, 60*6)
	for i := range values {
		values[i] = float64(i / 6) // the number of the example
	}
	write := func(name string, from, to int) {
		file, err := os.Create(filepath.Join(folder, name))
		if err == nil {
			err = npy.Write(file, npy.New(values[from*6:to*6], to-from, 2, 3))
		}
		if err != nil || file.Close() != nil {
			t.Fatal(err)
		}
	}
	write("all.npy", 0, 60)
	for k := range 3 {
		write(fmt.Sprintf("f%d.npy", k), 20*k, 20*k+20)
	}
	var text strings.Builder
	text.WriteString("a,b\n")
	for i := range 60 {
		fmt.Fprintf(&text, "%d,%d.5\n", i, i)
	}
	if err := os.WriteFile(filepath.Join(folder, "t.csv"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	numbers := func(name string, count int, seed uint64) (all []float64) {
		s, err := dataset.OpenSample(filepath.Join(folder, name), count, seed, dataset.SetOptions{TimeColumn: "none"})
		if err != nil {
			t.Fatal(err)
		}
		n, points, channels := s.Dims()
		v := make([]float64, n*points*channels)
		if err := s.ReadExamples(v, 0, n); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			all = append(all, v[i*points*channels])
		}
		return all
	}
	one := numbers("all.npy", 10, 1)
	for i, v := range one {
		if int(v)/6 != i {
			t.Errorf("example %v is number %d of 10", v, i)
		}
	}
	for _, name := range []string{"f*.npy", "t.csv"} {
		if got := numbers(name, 10, 1); fmt.Sprint(got) != fmt.Sprint(one) {
			t.Errorf("%s: %v, expected %v", name, got, one)
		}
	}
	if got := numbers("all.npy", 10, 2); fmt.Sprint(got) == fmt.Sprint(one) {
		t.Errorf("another seed: %v again", got)
	}
	if got := numbers("f*.npy", 100, 1); len(got) != 60 || got[59] != 59 {
		t.Errorf("%v, expected all 60", got)
	}
}
