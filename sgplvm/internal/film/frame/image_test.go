package frame

import (
	"math"
	"slices"
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

// A slope resized is the same slope, with means by a spline and variances linear, away from edges; at the same size it is a copy.
func TestResize(t *testing.T) {
	const w, h = 24, 20
	src, same := New(w, h, 2), New(w, h, 2)
	for k := range src.Mean.Rows {
		for c := range 2 {
			src.Mean.Set(k, c, float64(3*(k%w)-2*(k/w)+c))
			src.Variance.Set(k, c, float64(1+k%w))
		}
	}
	if Resize(same, src); !slices.Equal(same.Mean.Data, src.Mean.Data) || !slices.Equal(same.Variance.Data, src.Variance.Data) {
		t.Error("another frame at the same size")
	}
	fine := New(2*w, 3*h, 2)
	Resize(fine, src)
	for y := 27; y < 33; y++ {
		for x := 20; x < 2*w-20; x++ {
			u, v := (float64(x)+0.5)/2-0.5, (float64(y)+0.5)/3-0.5
			for c := range 2 {
				k := y*fine.Width + x
				if m, want := fine.Mean.At(k, c), 3*u-2*v+float64(c); math.Abs(m-want) > 1e-3 {
					t.Fatalf("mean %v at (%d, %d), want %v", m, x, y, want)
				}
				if s := fine.Variance.At(k, c); math.Abs(s-(1+u)) > 1e-12 {
					t.Fatalf("variance %v at (%d, %d), want %v", s, x, y, 1+u)
				}
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("frames of other channels: no panic")
		}
	}()
	Resize(New(w, h, 1), src)
}
