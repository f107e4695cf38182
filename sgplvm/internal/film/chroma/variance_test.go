package chroma

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// What interpolation of chroma misses is, in each colour, the variance of errors in R − G and B − G with the luma known, and larger where chroma changes along the axis
// whose pixels share it.
func TestChromaMissed(t *testing.T) {
	const width, height, red, blue = 12, 10, 3., -7. // changes from one pixel to the next
	ramp := frame.NewImage[float64](width, height, 3)
	for y := range height {
		for x := range width {
			g := float64(5 * (x % 3))
			copy(ramp.Row(y)[3*x:], []float64{g + red*float64(x) + float64(y), g, g + blue*float64(x) + 2*float64(y)})
		}
	}
	rng := rand.New(rand.NewPCG(7, 8))
	var want [3]float64
	const draws, error2 = 100000, 0.02 * 16 * 16
	for range draws {
		u, v := rng.NormFloat64(), rng.NormFloat64()
		g := -luma[0]*u - luma[2]*v // of no luma
		for c, e := range [3]float64{g + u, g, g + v} {
			want[c] += error2 * e * e / draws
		}
	}
	alike := Chroma{Across: pairing{Shared: true, Missed: 0.02}}
	even := frame.NewImage[float64](width, height, 3)
	for y := range height {
		for x := range width {
			copy(even.Row(y)[3*x:], []float64{4 * float64(x), 0, 4 * float64(x)})
		}
	}
	compare.Near(t, "alike", alike.missed(even).Row(5)[3*6:][:3], want[:], 0.02)
	compare.Near(t, "at the edge", alike.missed(even).Row(5)[:3], []float64{want[0] / 4, want[1] / 4, want[2] / 4}, 0.02)

	of := func(u2, v2 float64) []float64 {
		r, b := luma[0], luma[2]
		return []float64{(1-r)*(1-r)*u2 + b*b*v2, r*r*u2 + b*b*v2, r*r*u2 + (1-b)*(1-b)*v2}
	}
	across, down := Chroma{Across: pairing{Missed: 0.02}}, Chroma{Down: pairing{Missed: 0.5}}
	compare.Near(t, "across", across.missed(ramp).Row(5)[3*6:][:3], of(0.02*16*red*red, 0.02*16*blue*blue), 1e-12)
	compare.Near(t, "down", down.missed(ramp).Row(5)[3*6:][:3], of(0.5*16, 0.5*64), 1e-12)
	both := Chroma{across.Across, down.Down}
	compare.Near(t, "both", both.missed(ramp).Row(5)[3*6:][:3], of(0.02*16*red*red+0.5*16, 0.02*16*blue*blue+0.5*64), 1e-12)

	// A frame of finer pixels has what is missed of its mean in pixels of training, on top of its variance.
	both.Across.Shared = true
	f := frame.New(2*width, 2*height, 3)
	for y := range 2 * height {
		for x := range 2 * width {
			copy(f.Mean.Row(y*2*width+x), ramp.Row(y / 2)[3*(x/2):][:3])
			copy(f.Variance.Row(y*2*width+x), []float64{1, 2, 3})
		}
	}
	both.AddVariance(f, width, height)
	sum := of(0.02*16*red*red+0.5*16, 0.02*16*blue*blue+0.5*64)
	compare.Near(t, "finer pixels", f.Variance.Row(10*2*width+12), []float64{1 + sum[0], 2 + sum[1], 3 + sum[2]}, 1e-12)
}
