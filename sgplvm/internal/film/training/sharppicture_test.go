package training

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A ramp is what it is at every point, however fine the pixels are that it is sampled from.
func TestSharpPicture(t *testing.T) {
	const width, height = 12, 9
	ramp := func(x, y float64) float64 { return 3 + 2*x - y }
	for _, finer := range []float64{1, 2} {
		m := frame.NewImage[float32](int(finer)*width, int(finer)*height, 1)
		for k := range m.Data {
			x, y := float64(k%m.Width), float64(k/m.Width)
			m.Data[k] = float32(ramp((x+0.5)/finer-0.5, (y+0.5)/finer-0.5))
		}
		m.ToSpline()
		p, value := SharpPicture{Image: m, Finer: finer}, make([]float64, 1)
		for _, at := range [][2]float64{{5, 4}, {5.25, 4.5}, {6.5, 3.75}} {
			if p.At(value, at[0], at[1]); math.Abs(value[0]-ramp(at[0], at[1])) > 0.02 { // the edges' pixels stand for what is beyond them
				t.Errorf("%v times as fine, at %v: %v, want %v", finer, at, value[0], ramp(at[0], at[1]))
			}
		}
	}
}

// Means of a picture in pixels twice as fine are at every point those of four points half of such a pixel away, at edges too, where pixels of training are means of their own.
func TestSharpPictureMeans(t *testing.T) {
	const width, height = 12, 9
	rng := rand.New(rand.NewPCG(3, 5))
	finer, coarse := frame.NewImage[float32](2*width, 2*height, 2), frame.NewImage[float64](width, height, 2)
	for k := range finer.Data {
		finer.Data[k] = float32(rng.NormFloat64())
	}
	frame.DownsampleImage(coarse, finer)
	finer.ToSpline()
	p := SharpPicture{Image: finer, Finer: 2}
	means, got, one := p.Means(), make([]float64, 2), make([]float64, 2)
	if p.Meeting || p.Width != 2*width {
		t.Error("the picture that was given has changed")
	}
	for range 200 {
		x, y := 1+(width-3)*rng.Float64(), 1+(height-3)*rng.Float64()
		means.At(got, x, y)
		want := make([]float64, 2)
		for _, o := range [][2]float64{{-0.25, -0.25}, {0.25, -0.25}, {-0.25, 0.25}, {0.25, 0.25}} {
			p.At(one, x+o[0], y+o[1])
			for c, v := range one {
				want[c] += v / 4
			}
		}
		for c, w := range want {
			if math.Abs(got[c]-w) > 1e-5 {
				t.Fatalf("%v at %v, %v, want %v", got, x, y, want)
			}
		}
	}
	for k := range width * height {
		means.At(got, float64(k%width), float64(k/width))
		for c, v := range got {
			if math.Abs(v-coarse.Data[2*k+c]) > 1e-5 {
				t.Fatalf("pixel %d: %v, want %v", k, v, coarse.Data[2*k+c])
			}
		}
	}
}
