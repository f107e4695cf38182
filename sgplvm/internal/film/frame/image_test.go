package frame

import (
	"math"
	"testing"
)

// Downsampling keeps the mean, and a plane a plane.
func TestDownsample(t *testing.T) {
	for _, c := range [][4]int{{8, 6, 4, 3}, {7, 5, 4, 3}, {9, 4, 2, 1}, {5, 5, 5, 5}, {1, 3, 1, 2}} {
		src, dst := NewImage[float64](c[0], c[1], 2), NewImage[float64](c[2], c[3], 2)
		plane := func(x, y float64, c int) float64 { return 1 + 2*x - 3*y + float64(c) }
		for i := range src.Data {
			src.Data[i] = plane((float64(i/2%c[0])+0.5)/float64(c[0]), (float64(i/2/c[0])+0.5)/float64(c[1]), i%2)
		}
		DownsampleImage(dst, src)
		var a, b float64
		for _, v := range src.Data {
			a += v / float64(len(src.Data))
		}
		for i, v := range dst.Data {
			b += v / float64(len(dst.Data))
			want := plane((float64(i/2%c[2])+0.5)/float64(c[2]), (float64(i/2/c[2])+0.5)/float64(c[3]), i%2)
			if c[0]%c[2] == 0 && c[1]%c[3] == 0 && math.Abs(v-want) > 1e-12 {
				t.Errorf("%v: value %d is %v, expected %v", c, i, v, want)
			}
		}
		if math.Abs(a-b) > 1e-12 {
			t.Errorf("%v: mean %v becomes %v", c, a, b)
		}
	}
}
