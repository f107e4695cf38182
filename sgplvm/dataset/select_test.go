package dataset_test

import (
	"fmt"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Selected frames are copies of the chosen ones in the order of the choice, with
// the mask of each.
func TestSelect(t *testing.T) {
	f, err := dataset.FromArray("data.npy", npy.New(ramp[uint8](24), 4, 2, 3), dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]uint8, 24)
	for i := range entries {
		entries[i] = 1
	}
	entries[6*3+1] = 0
	m, err := dataset.LoadMask(saveArray(t, "mask.npy", npy.New(entries, 4, 6)), f)
	if err != nil {
		t.Fatal(err)
	}
	s := f.WithMask(m).Select([]int{3, 1, 3})
	if got := fmt.Sprint(s.Count, s.Shape, s.Type, s.Values(0), s.Values(1), s.Values(2)); got != "3 [3 2 3] float64 [18 NaN 20 21 22 23] [6 7 8 9 10 11] [18 NaN 20 21 22 23]" {
		t.Error(got)
	}
	if f.Count != 4 || f.Missing(3) != 0 {
		t.Error("the frames themselves have changed")
	}
	mustPanic(t, "dataset: frame 4 of 4", func() { f.Select([]int{4}) })
}

// The number of masks is what the file says; one picture alone is none.
func TestLoadMasks(t *testing.T) {
	l := dataset.Layout{Width: 4, Height: 3, Channels: 2}
	for _, shape := range [][]int{{5, 3, 4, 2}, {5, 24}, {5, 3, 4}, {5, 12}, {1, 24}} {
		entries := make([]uint8, product(shape))
		entries[len(entries)-1] = 1
		m, n, err := dataset.LoadMasks(saveArray(t, "mask.npy", npy.New(entries, shape...)), l)
		if err != nil || n != shape[0] || !m.Observed(n-1, 11, 1) || m.Observed(n-1, 0, 0) || n > 1 && m.Observed(0, 11, 1) {
			t.Errorf("%v: %d masks, %v", shape, n, err)
		}
	}
	const sizes = "expected %d×3×4×2, %d×24, %d×3×4, %d×12 for pictures of 4x3 and 2 channels"
	for _, test := range []struct {
		shape []int
		n     int
	}{{[]int{3, 4}, 3}, {[]int{24}, 24}, {nil, 1}, {[]int{0, 24}, 1}, {[]int{5, 4, 3}, 5}} {
		path := saveArray(t, "mask.npy", npy.New(make([]uint8, product(test.shape)), test.shape...))
		_, _, err := dataset.LoadMasks(path, l)
		want := fmt.Sprintf(sizes, test.n, test.n, test.n, test.n)
		if err == nil || err.Error()[max(0, len(err.Error())-len(want)):] != want {
			t.Errorf("%v: %v, expected %s", test.shape, err, want)
		}
	}
}
