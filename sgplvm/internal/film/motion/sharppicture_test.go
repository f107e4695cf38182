package motion

import (
	"math"
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
