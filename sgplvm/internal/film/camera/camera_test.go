package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// Textures have mean 0, variance 1 and channels with 0.64 of it in common, half as much in each octave as in the one above, and repeat themselves.
func TestTexture(t *testing.T) {
	x := newTexture(3)
	var sums, squares [channels]float64
	var product float64
	const n = 1 << 18
	for k := range n {
		var v [channels]float64
		x.add(&v, 13.37*float64(k%512), 12.91*float64(k/512))
		for c := range v {
			sums[c] += v[c] / n
			squares[c] += v[c] * v[c] / n
		}
		product += v[0] * v[2] / n
	}
	for c := range sums {
		if math.Abs(sums[c]) > 0.1 || math.Abs(squares[c]-1) > 0.1 {
			t.Errorf("channel %d: mean %v and mean square %v", c, sums[c], squares[c])
		}
	}
	if math.Abs(product-0.64) > 0.08 {
		t.Errorf("%v in common", product)
	}
	energy := func(o int) (sum float64) {
		for _, v := range x[o] {
			sum += float64(v[0]) * float64(v[0])
		}
		return sum
	}
	if r := energy(4) / energy(3); math.Abs(r-0.5) > 0.02 {
		t.Errorf("energy goes on by %v", r)
	}
	var a, b [channels]float64
	x.add(&a, 3.25, -7.5)
	x.add(&b, 3.25+widest*corners, -7.5-widest*corners)
	if a != b {
		t.Errorf("%v, and %v where it repeats itself", a, b)
	}
}

// Pixels are means over their area, contents move as scenes say, and noise is as large as it is told to be.
func TestFilms(t *testing.T) {
	textures := []*texture{newTexture(1), newTexture(2)}
	still := film{scene: func(t, x, y float64) (int, float64, float64) { return 0, x + 3*t, y - 2*t }}
	mean := still.pixel(textures, 0, 20, 30)
	var want [channels]float64
	for k := range 16 {
		var v [channels]float64
		textures[0].add(&v, 20+(float64(k%4)+0.5)/4, 30+(float64(k/4)+0.5)/4)
		for c := range v {
			want[c] += v[c] / 16
		}
	}
	for c, v := range mean {
		if math.Abs(v-want[c]) > 1e-12 {
			t.Errorf("channel %d: %v, want %v", c, v, want[c])
		}
	}
	high := still.high(textures, 6)
	at := func(t, x, y int) uint8 { return high[((t*height+y)*width+x)*channels] }
	for y := 40; y < height; y += 7 {
		for x := range width - 15 {
			if a, b := at(0, x+15, y-10), at(5, x, y); a != b {
				t.Fatalf("pixel (%d, %d) of frame 5 is %d, and was %d where it was", x, y, b, a)
			}
		}
	}
	noisy := film{still.scene, 5}.high(textures, 6)
	var noise float64
	for k, v := range noisy {
		d := float64(v) - float64(high[k])
		noise += d * d / float64(len(noisy))
	}
	if math.Abs(noise-25) > 1 {
		t.Errorf("noise of the variance %v", noise)
	}
	low := halved(high)
	if got, sum := low[(3*width/2+5)*channels+1], int(high[(6*width+10)*channels+1])+int(high[(6*width+11)*channels+1])+int(high[(7*width+10)*channels+1])+int(high[(7*width+11)*channels+1]); int(got) != (sum+2)/4 {
		t.Errorf("a mean of %d, want %v", got, float64(sum)/4)
	}
	// Where points are that lie at (100, 40) of the picture's middle, or in the corner of films that are shifted, some frames later.
	turned := func(angle float64) [2]float64 {
		return [2]float64{100*math.Cos(angle) - 40*math.Sin(angle), 100*math.Sin(angle) + 40*math.Cos(angle)}
	}
	for _, c := range []struct {
		film    string
		t, x, y float64
		texture int
		at      [2]float64
	}{
		{"rotation", 3, 260, 136, 0, turned(0.09)},
		{"spin", 5, 260, 136, 0, turned(0.5)},
		{"zoom", 13, 260, 136, 0, [2]float64{100 * 1.03 * 1.03 * 1.03, 40 * 1.03 * 1.03 * 1.03}},
		{"layers", 2, 5, 180, 0, [2]float64{9.6, 181.4}},
		{"layers", 2, 104.4, 75, 1, [2]float64{90, 70}},
		{"cut", 8, 5, 7, 0, [2]float64{23.4, 15.8}},
		{"cut", 9, 5, 7, 1, [2]float64{25.7, 16.9}},
		{"noise", 10, 5, 7, 0, [2]float64{28, 18}},
	} {
		if i, u, v := films[c.film].scene(c.t, c.x, c.y); i != c.texture || math.Abs(u-c.at[0]) > 1e-9 || math.Abs(v-c.at[1]) > 1e-9 {
			t.Errorf("%s: (%v, %v) of texture %d at %v, want %v of %d", c.film, u, v, i, c.t, c.at, c.texture)
		}
	}
	if noise := films["noise"].noise; noise != 5 {
		t.Errorf("noise of %v", noise)
	}
}

// A film is written in both sizes, with the frames to learn from.
func TestWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole film")
	}
	dir := t.TempDir()
	if err := write(dir, []string{"cut"}); err != nil {
		t.Fatal(err)
	}
	for file, shape := range map[string][]int{"high.npy": {frames, height, width, channels}, "low.npy": {frames, height / 2, width / 2, channels}, "every.npy": {frames / 2}, "random.npy": {frames / 2}} {
		f, err := os.Open(filepath.Join(dir, "cut", file))
		if err != nil {
			t.Fatal(err)
		}
		a, err := npy.Read(f)
		f.Close()
		if err != nil || !slices.Equal(a.Shape, shape) {
			t.Errorf("%s: %v (%v)", file, a.Shape, err)
		}
		if n := a.Float64s(); file == "every.npy" && !slices.Equal(n, []float64{0, 2, 4, 6, 8, 10, 12, 14, 16, 18}) {
			t.Errorf("every second frame: %v", n)
		}
		if n := a.Float64s(); file == "random.npy" && (!slices.IsSorted(n) || n[0] == n[1]) {
			t.Errorf("%s: frames %v", file, n)
		}
	}
	if err := write(filepath.Join(dir, "cut", "low.npy"), []string{"zoom"}); err == nil {
		t.Error("wrote below a file")
	}
}
