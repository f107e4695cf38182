package frame

import (
	"math"
	"testing"
)

// The spline through a polynomial of degree 3 is that polynomial, away from the edges, where the
// mirrored picture is another function; at pixels it is the picture itself everywhere.
func TestSplineReproducesCubics(t *testing.T) {
	const w, h = 70, 66
	cubic := func(x, y float64, c int) float64 {
		x, y = x/20-1.5, y/20-1.5
		return 1 + x*x*x - 2*x*x*y + float64(c)*(y*y*y-x*y)
	}
	m := NewImage[float64](w, h, 2)
	for y := range h {
		for x := range w {
			for c := range 2 {
				m.Row(y)[x*2+c] = cubic(float64(x), float64(y), c)
			}
		}
	}
	values := append([]float64(nil), m.Data...)
	m.ToSpline()
	got := make([]float64, 2)
	// A pixel d from the edge feels it by |pole|^d: 25 pixels are 5e-15 of values up to 100.
	for y := 25.3; y < h-25; y += 1.7 {
		for x := 25.1; x < w-25; x += 1.3 {
			Sample(got, m, x, y)
			for c := range 2 {
				if want := cubic(x, y, c); math.Abs(got[c]-want) > 1e-11 {
					t.Fatalf("at (%v, %v): %v, expected %v", x, y, got[c], want)
				}
			}
		}
	}
	for i, want := range values {
		Sample(got, m, float64(i/2%w), float64(i/2/w))
		if math.Abs(got[i%2]-want) > 1e-12 {
			t.Fatalf("value %d: %v, expected %v", i, got[i%2], want)
		}
	}
}

// Small pictures are interpolated too, and outside is the nearest edge.
func TestSplineOfSmallPictures(t *testing.T) {
	for w := 1; w <= 5; w++ {
		for h := 1; h <= 5; h++ {
			m := NewImage[float64](w, h, 1)
			for i := range m.Data {
				m.Data[i] = math.Sin(float64(3*i + w))
			}
			values := append([]float64(nil), m.Data...)
			m.ToSpline()
			got := make([]float64, 1)
			for i, want := range values {
				if Sample(got, m, float64(i%w), float64(i/w)); math.Abs(got[0]-want) > 1e-13 {
					t.Errorf("%d×%d: value %d is %v, expected %v", w, h, i, got[0], want)
				}
			}
			if Sample(got, m, 1e300, math.Inf(1)); math.Abs(got[0]-values[len(values)-1]) > 1e-13 {
				t.Errorf("%d×%d: outside %v, expected %v", w, h, got[0], values[len(values)-1])
			}
		}
	}
}
