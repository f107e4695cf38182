package opticalflow_test

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
)

// FuzzBetween draws two pictures and holds the flow between them to what it is known to be: pictures of any numbers have
// a flow of their size, the same one at any GOMAXPROCS, that is finite, or are refused; what they turn by is no more than was tried; a picture does not move to itself; and what
// moves as a whole is found.
func FuzzBetween(f *testing.F) { fuzz.OneOf(f, tryAny, tryShift) }

func tryAny(t *testing.T, s *fuzz.Source) {
	width, height := 1+s.IntN(40), 1+s.IntN(40)
	unit := math.Pow(10, float64(s.IntN(7)-3))
	draw := func() opticalflow.Picture {
		p := opticalflow.Picture{Width: width, Height: height, Pixels: make([]float32, width*height)}
		for k := range p.Pixels {
			p.Pixels[k] = float32(unit * s.NormFloat64())
		}
		return p
	}
	a, b := draw(), draw()
	still, _ := opticalflow.Between(a, a)
	for k, u := range still.Right {
		if v := still.Down[k]; !(math.Hypot(float64(u), float64(v)) <= 1e-3) {
			t.Fatalf("%d×%d: pixel %d of a picture moves by (%v, %v) to itself", width, height, k, u, v)
		}
	}
	for range s.IntN(3) {
		a.Pixels[s.IntN(len(a.Pixels))] = math.Float32frombits(uint32(s.Uint64()))
	}
	usable := !slices.ContainsFunc(a.Pixels, func(v float32) bool { return !(math.Abs(float64(v)) <= 1e8) })
	defer func() {
		if refused := recover(); refused != nil && usable || refused == nil && !usable {
			t.Errorf("%d×%d, usable: %v, panic: %v", width, height, usable, refused)
		}
	}()
	flow, _ := opticalflow.Between(a, b)
	if flow.Width != width || flow.Height != height || len(flow.Right) != len(a.Pixels) || len(flow.Down) != len(a.Pixels) {
		t.Fatalf("a flow of %d×%d pixels with %d and %d numbers for %d×%d pixels", flow.Width, flow.Height, len(flow.Right), len(flow.Down), width, height)
	}
	for k, u := range flow.Right {
		if v := flow.Down[k]; !(math.Hypot(float64(u), float64(v)) <= float64(2*(width+height))) {
			t.Fatalf("%d×%d: pixel %d moves by (%v, %v)", width, height, k, u, v)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2} {
		runtime.GOMAXPROCS(procs)
		again, _ := opticalflow.Between(a, b)
		if !slices.Equal(again.Right, flow.Right) || !slices.Equal(again.Down, flow.Down) {
			t.Errorf("%d×%d: other bits at GOMAXPROCS %d", width, height, procs)
		}
	}
}

// A texture of waves in several directions, none of them shorter than six pixels, that moves by up to two pixels is found to do so,
// away from the edges.
func tryShift(t *testing.T, s *fuzz.Source) {
	const side, border = 40, 10
	type wave struct{ x, y, phase float64 }
	var waves []wave
	for k := range 8 {
		length, angle := 6+18*s.Float64(), math.Pi*(float64(k)+s.Float64())/8
		waves = append(waves, wave{2 * math.Pi / length * math.Cos(angle), 2 * math.Pi / length * math.Sin(angle), 2 * math.Pi * s.Float64()})
	}
	draw := func(u, v float64) opticalflow.Picture {
		p := opticalflow.Picture{Width: side, Height: side, Pixels: make([]float32, side*side)}
		for k := range p.Pixels {
			for _, w := range waves {
				p.Pixels[k] += float32(0.5 * math.Sin(w.x*(float64(k%side)-u)+w.y*(float64(k/side)-v)+w.phase))
			}
		}
		return p
	}
	u, v := float64(s.IntN(17)-8)/4, float64(s.IntN(17)-8)/4
	flow, _ := opticalflow.Between(draw(0, 0), draw(u, v))
	var off []float64
	for y := border; y < side-border; y++ {
		for x := border; x < side-border; x++ {
			a, b := flow.At(float64(x), float64(y))
			off = append(off, math.Hypot(a-u, b-v))
		}
	}
	slices.Sort(off)
	if middle := off[len(off)/2]; !(middle <= 0.25) {
		t.Errorf("moved by (%v, %v), half of the pixels are found off by %.2g or more", u, v, middle)
	}
}

// Pixels that cannot be meant are refused in either picture.
func TestBetweenPixels(t *testing.T) {
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(-1)), 1e9} {
		for which := range 2 {
			pictures := [2]opticalflow.Picture{{Width: 20, Height: 18, Pixels: make([]float32, 360)}, {Width: 20, Height: 18, Pixels: make([]float32, 360)}}
			pictures[which].Pixels[77] = bad
			func() {
				defer func() {
					if text, is := recover().(string); !is || !strings.Contains(text, "pixel (17, 3)") {
						t.Errorf("a pixel of %v in picture %d: %q", bad, which, text)
					}
				}()
				opticalflow.Between(pictures[0], pictures[1])
			}()
		}
	}
}
