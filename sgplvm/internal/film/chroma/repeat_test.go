package chroma

import (
	"fmt"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Finer frames have pairs of their own pixels from the first on, and with pairs across alone they have those down as likely as not. Frames of fewer pixels stay.
func TestRepeat(t *testing.T) {
	each := func(x, y int) (int, int) { return x, y }
	across := func(x, y int) (int, int) { return x / 2, y }
	down := func(x, y int) (int, int) { return x, y / 2 }
	both := func(x, y int) (int, int) { return x / 2, y / 2 }
	odd := func(x, y int) (int, int) { return (x + 1) / 2, y }
	oddDown := func(x, y int) (int, int) { return x / 2, (y + 1) / 2 }
	type pair = func(x, y int) (int, int)
	even, from1 := pairing{Shared: true, Near: 0.2, Far: 0.1}, pairing{Shared: true, Odd: true, Near: 0.2}
	for _, c := range []struct {
		chroma        Chroma
		width, height int // in pixels of training where those of the frame are 30×24
		want          []pair
	}{
		{Chroma{Across: even}, 30, 24, []pair{across}},
		{Chroma{Across: from1}, 30, 24, []pair{odd}},
		{Chroma{Across: even}, 15, 12, []pair{across, both}},
		{Chroma{Across: from1}, 15, 12, []pair{across, both}},
		{Chroma{Across: even}, 20, 16, []pair{across, both}},
		{Chroma{Across: even}, 15, 24, []pair{across}},
		{Chroma{Across: from1}, 30, 12, []pair{odd, func(x, y int) (int, int) { return (x + 1) / 2, y / 2 }}},
		{Chroma{Across: even, Down: even}, 15, 12, []pair{both}},
		{Chroma{Across: even, Down: from1}, 15, 12, []pair{both}},
		{Chroma{Across: even, Down: from1}, 15, 24, []pair{oddDown}},
		{Chroma{Down: even}, 15, 12, []pair{down}},
		{Chroma{Across: even}, 31, 24, []pair{each}},
		{Chroma{Across: even}, 15, 25, []pair{each}},
	} {
		name := fmt.Sprintf("%+v of %d×%d pixels", c.chroma, c.width, c.height)
		f := frame.New(30, 24, 3)
		truth, first := colourful(1, 30, 24, c.want[0])
		_, last := colourful(1, 30, 24, c.want[len(c.want)-1])
		mat.Copy(f.Mean, mat.NewDense(30*24, 3, truth))
		for k := range f.Variance.Data {
			f.Variance.Data[k] = float64(1 + k%5)
		}
		c.chroma.Repeat(f, c.width, c.height)
		var mean, variance []float64
		for k := range first {
			mean = append(mean, (first[k]+last[k])/2)
			variance = append(variance, float64(1+k%5)+frame.Square(first[k]-last[k])/4)
		}
		compare.Near(t, name+": mean", f.Mean.Data, mean, 1e-12)
		compare.Near(t, name+": variance", f.Variance.Data, variance, 1e-12)

		only := frame.Frame{Width: 30, Height: 24, Mean: mat.NewDense(30*24, 3, truth).Clone()}
		c.chroma.Repeat(only, c.width, c.height)
		compare.SameBits(t, name+": mean alone", only.Mean.Data, f.Mean.Data)
	}
}
