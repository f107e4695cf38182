package experiment

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/filetest"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

func TestLoadPermutation(t *testing.T) {
	for _, a := range []*npy.Array{npy.New([]int64{2, 0, 3, 1}, 4), npy.New([]uint8{2, 0, 3, 1}, 4)} {
		got, err := loadPermutation(filetest.Save(t, "order.npy", a), 4)
		if err != nil || fmt.Sprint(got) != "[2 0 3 1]" {
			t.Errorf("%v, %v", got, err)
		}
	}
	const want = "expected 4 whole numbers, each from 0 to 3 once"
	for _, test := range []struct {
		a   *npy.Array
		err string
	}{
		{npy.New([]int64{2, 0, 3}, 3), "shape 3: found 3 values, " + want},
		{npy.New([]int64{2, 0, 3, 1}, 1, 4), "shape 1×4: found 4 values, " + want},
		{npy.New([]int64{2}), "shape (): found 1 value, " + want},
		{npy.New([]float32{2, 0, 3, 1}, 4), "found elements of type float32, expected integers"},
		{npy.New([]int64{2, 0, 4, 1}, 4), "element 2: found 4, " + want},
		{npy.New([]int64{2, 0, 3, -1}, 4), "element 3: found -1, " + want},
		{npy.New([]uint64{2, 1 << 63, 3, 1}, 4), "element 1: found 9223372036854775808, " + want},
		{npy.New([]int32{2, 0, 3, 0}, 4), "element 3: found 0, as in element 1, " + want},
	} {
		path := filetest.Save(t, "order.npy", test.a)
		_, err := loadPermutation(path, 4)
		filetest.Error(t, err, filepath.Dir(path), "order.npy: "+test.err)
	}
}
