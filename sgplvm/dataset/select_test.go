package dataset_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
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
	m, err := dataset.LoadMask(saveArray(t, "mask.npy", npy.New(entries, 4, 6)), &f.Form)
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
	tier.Panics(t, "dataset: frame 4 of 4", func() { f.Select([]int{4}) })
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

// Masks of any number of pictures hide what they call 0, and one picture alone is one mask.
func TestLoadHidden(t *testing.T) {
	pictures := &dataset.Form{Name: "data.npy", Layout: dataset.Layout{Width: 4, Height: 3, Channels: 2}}
	scattered := &dataset.Form{Name: "data.npy", Layout: dataset.Layout{Width: 7, Height: 1, Channels: 2}, Scattered: true}
	for _, c := range []struct {
		form  *dataset.Form
		shape []int
		masks int
	}{
		{pictures, []int{5, 3, 4, 2}, 5}, {pictures, []int{5, 24}, 5}, {pictures, []int{5, 3, 4}, 5}, {pictures, []int{5, 12}, 5},
		{pictures, []int{3, 4, 2}, 1}, {pictures, []int{24}, 1}, {pictures, []int{3, 4}, 1}, {pictures, []int{12}, 1},
		{scattered, []int{5, 7, 2}, 5}, {scattered, []int{5, 7}, 5}, {scattered, []int{7, 2}, 1}, {scattered, []int{7}, 1},
	} {
		entries := make([]uint8, product(c.shape))
		entries[0] = 1
		all, err := dataset.LoadHidden(saveArray(t, "mask.npy", npy.New(entries, c.shape...)), c.form)
		if err != nil || len(all) != c.masks {
			t.Errorf("%v: %d masks, error %v", c.shape, len(all), err)
			continue
		}
		for k, hidden := range all {
			if len(hidden) != c.form.Width*c.form.Height*2 || hidden[0] != (k > 0) || !hidden[len(hidden)-1] {
				t.Errorf("%v: mask %d is %v", c.shape, k, hidden)
			}
		}
	}
	ones := slices.Repeat([]uint8{1}, 12)
	some := []uint8{1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1}
	path := saveArray(t, "mask.npy", npy.New(slices.Concat(ones, some, some), 3, 12))
	if all, err := dataset.LoadHidden(path, pictures); err != nil || len(all) != 2 {
		t.Errorf("%d masks hide something, expected 2; error %v", len(all), err)
	}
	for _, c := range []struct {
		values []uint8
		shape  []int
		want   string
	}{
		{ones, []int{12}, "mask.npy: found nothing but ones, expected 0 where something is missing"},
		{[]uint8{1, 0, 1}, []int{3}, "mask.npy: shape 3: found 3 values, expected 3×3×4×2, 3×24, 3×3×4, 3×12, 3×4×2, 24, 3×4, 12 for pictures like those in data.npy"},
		{[]uint8{1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1}, []int{3, 4}, "mask.npy: element (0, 3): found 2, expected 1 (observed) or 0 (not observed)"},
	} {
		path := saveArray(t, "mask.npy", npy.New(c.values, c.shape...))
		_, err := dataset.LoadHidden(path, pictures)
		checkError(t, err, filepath.Dir(path), c.want)
	}
}
