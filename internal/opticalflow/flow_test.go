package opticalflow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// texture is a picture without a period, at any point.
func texture(x, y float64) float64 {
	return math.Sin(0.31*x+0.17*y) + 0.8*math.Sin(0.23*y-0.11*x+1) + 0.5*math.Cos(0.57*x-0.29*y) + 0.4*math.Sin(0.05*x*math.Cos(0.02*y)+0.49*y)
}

// draw returns the texture where from brings the pixels.
func draw(width, height int, from func(x, y float64) (float64, float64)) Picture {
	p := Picture{width, height, make([]float32, width*height)}
	for k := range p.Pixels {
		p.Pixels[k] = float32(texture(from(float64(k%width), float64(k/width))))
	}
	return p
}

// error is the root mean square of a flow's distance from the true one, at least border pixels from the edges.
func distance(f Flow, border int, want func(x, y float64) (float64, float64)) float64 {
	var sum, n float64
	for y := border; y < f.Height-border; y++ {
		for x := border; x < f.Width-border; x++ {
			u, v := want(float64(x), float64(y))
			k := y*f.Width + x
			sum += (float64(f.Right[k])-u)*(float64(f.Right[k])-u) + (float64(f.Down[k])-v)*(float64(f.Down[k])-v)
			n++
		}
	}
	return math.Sqrt(sum / n)
}

// Movements by fractions of a pixel and by many pixels, rotations and zooms are found.
func TestBetween(t *testing.T) {
	const width, height = 96, 64
	shift := func(u, v float64) func(x, y float64) (float64, float64) {
		return func(x, y float64) (float64, float64) { return u, v }
	}
	turn := func(angle, scale float64) func(x, y float64) (float64, float64) {
		return func(x, y float64) (float64, float64) {
			c, s := scale*math.Cos(angle), scale*math.Sin(angle)
			dx, dy := x-width/2, y-height/2
			return c*dx - s*dy - dx, s*dx + c*dy - dy
		}
	}
	for _, c := range []struct {
		name string
		flow func(x, y float64) (float64, float64)
		most float64
	}{
		{"still", shift(0, 0), 1e-3}, {"a third of a pixel", shift(0.33, -0.2), 0.03}, {"some pixels", shift(-3.4, 2.7), 0.06},
		{"a moving camera", shift(13, -8), 0.1}, {"rotation", turn(0.06, 1), 0.1}, {"zoom", turn(0, 1.06), 0.1},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := draw(width, height, func(x, y float64) (float64, float64) { return x, y })
			b := draw(width, height, func(x, y float64) (float64, float64) { // s + flow(s) = x, by iteration
				sx, sy := x, y
				for range 50 {
					u, v := c.flow(sx, sy)
					sx, sy = x-u, y-v
				}
				return sx, sy
			})
			f, _ := Between(a, b)
			if d := distance(f, 16, c.flow); !(d <= c.most) {
				t.Errorf("off by %v pixels, want at most %v", d, c.most)
			}
			if again, _ := Between(a, b); !slices.Equal(again.Right, f.Right) || !slices.Equal(again.Down, f.Down) {
				t.Error("other bits the second time")
			}
		})
	}
}

// grain returns smoothed noise without a period at any point of pictures of so many pixels each way, another one for each seed.
func grain(seed uint64, n int) Picture {
	rng, p := rand.New(rand.NewPCG(seed, 1)), Picture{n, n, make([]float32, n*n)}
	for spread := 1; spread <= 16; spread *= 2 { // as much detail in each octave
		q := Picture{n / spread, n / spread, make([]float32, n/spread*(n/spread))}
		for k := range q.Pixels {
			q.Pixels[k] = float32(rng.NormFloat64())
		}
		for k := range p.Pixels {
			p.Pixels[k] += 0.5 * q.at(float32(k%n)/float32(spread), float32(k/n)/float32(spread))
		}
	}
	return p
}

// What moves by itself and far is found before a background that moves another way.
func TestBetweenLost(t *testing.T) {
	const width, height, side = 160, 96, 32
	back, front := grain(3, 256), grain(4, 256)
	scene := func(way float32) Picture { // an object at (40, 30) that moves by (20, 7) while the background moves by (-9, 4)
		p := Picture{width, height, make([]float32, width*height)}
		for k := range p.Pixels {
			x, y := float32(k%width), float32(k/width)
			p.Pixels[k] = back.at(x+40+9*way, y+40-4*way)
			if u, v := x-40-20*way, y-30-7*way; u >= 0 && v >= 0 && u < side && v < side {
				p.Pixels[k] = front.at(u+10, v+10)
			}
		}
		return p
	}
	f, _ := Between(scene(0), scene(1))
	for y := 40.; y < 52; y++ {
		for x := 50.; x < 62; x++ {
			if u, v := f.At(x, y); math.Hypot(u-20, v-7) > 1 {
				t.Fatalf("the object moves by (%.2f, %.2f) at (%v, %v), want (20, 7)", u, v, x, y)
			}
		}
	}
	if u, v := f.At(120, 70); math.Hypot(u+9, v-4) > 0.2 {
		t.Errorf("the background moves by (%.2f, %.2f), want (-9, 4)", u, v)
	}
}

// What leaves the picture is not lost: it moves with what is seen of the rest, though a part of the picture looks like it.
func TestBetweenLeaving(t *testing.T) {
	const width, height = 96, 64
	shift := func(x, y float64) (float64, float64) { return 13, -8 }
	a := draw(width, height, func(x, y float64) (float64, float64) { return x, y })
	b := draw(width, height, func(x, y float64) (float64, float64) { return x - 13, y + 8 })
	there, _ := Between(a, b)
	if d := distance(there, 4, shift); !(d < 2) {
		t.Errorf("off by %v pixels, want at most 2", d)
	}
}

// A change of brightness moves nothing.
func TestBetweenBrightness(t *testing.T) {
	a := draw(64, 48, func(x, y float64) (float64, float64) { return x, y })
	b := Picture{a.Width, a.Height, slices.Clone(a.Pixels)}
	for k := range b.Pixels {
		b.Pixels[k] += 0.3
	}
	there, _ := Between(a, b)
	if d := distance(there, 0, func(x, y float64) (float64, float64) { return 0, 0 }); d > 0.15 {
		t.Errorf("off by %v pixels where only the brightness changes", d)
	}
}

// Any size has a flow; that of plain pictures is nothing.
func TestBetweenSizes(t *testing.T) {
	for _, s := range [][2]int{{1, 1}, {1, 9}, {2, 3}, {17, 5}, {33, 31}, {40, 16}} {
		p := Picture{s[0], s[1], make([]float32, s[0]*s[1])}
		f, _ := Between(p, p)
		for k := range f.Right {
			if f.Right[k] != 0 || f.Down[k] != 0 {
				t.Fatalf("%v: pixel %d of a plain picture moves by (%v, %v)", s, k, f.Right[k], f.Down[k])
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("pictures of two sizes: no panic")
		}
	}()
	Between(Picture{2, 2, make([]float32, 4)}, Picture{4, 1, make([]float32, 4)})
}

func ExampleBetween() {
	a := draw(64, 48, func(x, y float64) (float64, float64) { return x, y })
	b := draw(64, 48, func(x, y float64) (float64, float64) { return x - 2, y + 1 })
	flow, _ := Between(a, b)
	u, v := flow.At(30, 20)
	fmt.Printf("%.1f to the right, %.1f down\n", u, v)
	// Output: 2.0 to the right, -1.0 down
}
