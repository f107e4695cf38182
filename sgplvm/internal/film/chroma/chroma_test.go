package chroma

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// colourful draws frames in red, green and blue whose chroma changes smoothly and whose luma does not, and the same with the chroma of each pixel
// that of the mean over the pixels that pair says are one with it.
func colourful(frames, width, height int, pair func(x, y int) (pairX, pairY int)) (true, shared []float64) {
	for i := range frames {
		frame, sums, counts := make([]float64, 0, 3*width*height), map[[2]int][2]float64{}, map[[2]int]float64{}
		for y := range height {
			for x := range width {
				u := 40*math.Sin(0.31*float64(x)+0.17*float64(y)+float64(i)) + 25*math.Cos(0.23*float64(y)-0.4*float64(i)+0.11*float64(x))
				v := 30*math.Cos(0.27*float64(x)-0.21*float64(y)+2*float64(i)) + 10
				luminance := 120 + 20*math.Sin(1.9*float64(x)+float64(i)) + 15*math.Cos(2.3*float64(y)+0.7*float64(x))
				g := luminance - luma[0]*u - luma[2]*v
				frame = append(frame, g+u, g, g+v)
				px, py := pair(x, y)
				s := sums[[2]int{px, py}]
				sums[[2]int{px, py}] = [2]float64{s[0] + u, s[1] + v}
				counts[[2]int{px, py}]++
			}
		}
		true = append(true, frame...)
		for k := range width * height {
			px, py := pair(k%width, k/width)
			s, n := sums[[2]int{px, py}], counts[[2]int{px, py}]
			v := frame[3*k:]
			g := luma[0]*v[0] + luma[1]*v[1] + luma[2]*v[2] - luma[0]*s[0]/n - luma[2]*s[1]/n
			shared = append(shared, g+s[0]/n, g, g+s[1]/n)
		}
	}
	return true, shared
}

func read(t *testing.T, src field.Source) []float64 {
	t.Helper()
	n, points, channels := src.Dims()
	values := make([]float64, n*points*channels)
	if err := src.ReadExamples(values, 0, n); err != nil {
		t.Fatal(err)
	}
	return values
}

// Pixels that share their chroma are found, wherever pairs begin. What is between pairs is told nearly, luma and means of pairs stay, and to repeat chroma
// undoes it.
func TestChroma(t *testing.T) {
	const frames, width, height = 2, 37, 24
	for _, c := range []struct {
		name         string
		pair         func(x, y int) (int, int)
		across, down pairing
		text         string
	}{
		{"2×1", func(x, y int) (int, int) { return x / 2, y }, pairing{Shared: true}, pairing{}, "chroma of 2×1 pixels interpolated"},
		{"2×1 from the second", func(x, y int) (int, int) { return (x + 1) / 2, y }, pairing{Shared: true, Odd: true}, pairing{}, "chroma of 2×1 pixels interpolated"},
		{"1×2", func(x, y int) (int, int) { return x, y / 2 }, pairing{}, pairing{Shared: true}, "chroma of 1×2 pixels interpolated"},
		{"2×2 from the second row", func(x, y int) (int, int) { return x / 2, (y + 1) / 2 }, pairing{Shared: true}, pairing{Shared: true, Odd: true}, "chroma of 2×2 pixels interpolated"},
		{"none", func(x, y int) (int, int) { return x, y }, pairing{}, pairing{}, ""},
		{"3×1", func(x, y int) (int, int) { return x / 3, y }, pairing{}, pairing{}, ""},
	} {
		truth, shared := colourful(frames, width, height, c.pair)
		src := field.NewSource(shared, frames, width*height, 3)
		found, err := Find(context.Background(), src, width, height)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []struct{ got, want pairing }{{found.Across, c.across}, {found.Down, c.down}} {
			if p.got.Shared != p.want.Shared || p.got.Odd != p.want.Odd {
				t.Errorf("%s: found %+v, want %+v", c.name, p.got, p.want)
			}
			if p.got.Shared && !(p.got.Near > 0.1 && p.got.Near < 0.25) {
				t.Errorf("%s: weight %v of the nearest pairs, expected about an eighth", c.name, p.got.Near)
			}
			if !p.got.Shared && (p.got.Near != 0 || p.got.Far != 0) && !found.Shared() {
				t.Errorf("%s: weights %+v without pairs", c.name, p.got)
			}
		}
		if found.String() != c.text {
			t.Errorf("%s: %q", c.name, found.String())
		}
		got := read(t, found.Interpolated(src, width, height))
		if !found.Shared() {
			compare.SameBits(t, c.name, got, shared)
			continue
		}
		var before, after float64
		for k := 0; k < len(got); k += 3 {
			y := func(v []float64) float64 { return luma[0]*v[k] + luma[1]*v[k+1] + luma[2]*v[k+2] }
			compare.NearOne(t, c.name+": luma", y(got), y(shared), 1e-12)
			if x, y := k/3%width, k/3/width%height; x > 3 && y > 3 && x < width-4 && y < height-4 {
				for d := range 3 {
					before, after = before+frame.Square(shared[k+d]-truth[k+d]), after+frame.Square(got[k+d]-truth[k+d])
				}
			}
		}
		if !(after < before/50) {
			t.Errorf("%s: squared errors %v of what was shared become %v, expected a fiftieth", c.name, before, after)
		}
		f := frame.Frame{Width: width, Height: height, Mean: mat.NewDense(width*height, 3, got[:3*width*height])}
		found.Repeat(f, width, height)
		for k, v := range f.Mean.Data {
			if x, y := k/3%width, k/3/width; x > 0 && y > 0 && x < width-1 && y < height-1 { // half of a pair may be beyond the edge
				compare.NearOne(t, c.name+": repeated", v, shared[k], 1e-12)
			}
		}
	}
}

// Frames that are too small to tell, of other channels, grey, of one colour or with all of each pixel repeated are left alone.
func TestChromaNone(t *testing.T) {
	const width, height = 32, 20
	truth, _ := colourful(1, width, height, func(x, y int) (int, int) { return x, y })
	_, shared := colourful(1, width, height, func(x, y int) (int, int) { return x / 2, y })
	grey, plain, doubled := make([]float64, len(truth)), make([]float64, len(truth)), make([]float64, len(truth))
	for k := range truth {
		grey[k], plain[k] = truth[k/3*3+1], float64(k%3)
		doubled[k] = truth[(k/3-k/3%width%2)*3+k%3]
	}
	for _, c := range []struct {
		name                    string
		values                  []float64
		width, height, channels int
	}{
		{"grey", grey, width, height, 3}, {"of one colour", plain, width, height, 3}, {"repeated", doubled, width, height, 3},
		{"one channel", shared, 3 * width, height, 1}, {"small", shared[:3*width*15], width, 15, 3},
	} {
		found, err := Find(context.Background(), field.NewSource(c.values, 1, c.width*c.height, c.channels), c.width, c.height)
		if err != nil || found != (Chroma{}) {
			t.Errorf("%s: found %+v, error %v", c.name, found, err)
		}
	}
	if found, err := Find(context.Background(), field.NewSource(shared[:3*width*16], 1, width*16, 3), width, 16); err != nil || !found.Across.Shared {
		t.Errorf("16 rows: found %+v, error %v", found, err)
	}
	broken := drawn.Failing{Source: field.NewSource(shared, 1, width*height, 3), At: 0}
	if _, err := Find(context.Background(), broken, width, height); err == nil {
		t.Error("frames that cannot be read: no error")
	}
	if err := (interpolated{broken, Chroma{}, width, height}).ReadExamples(make([]float64, len(shared)), 0, 1); err == nil {
		t.Error("frames that cannot be read: no error of a source")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Find(cancelled, field.NewSource(shared, 1, width*height, 3), width, height); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// What is written is read again, and what cannot be is refused.
func TestChromaFile(t *testing.T) {
	c := Chroma{pairing{true, true, 0.17, -0.03, 0.01}, pairing{Shared: true, Near: 0.125}}
	text, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var again Chroma
	if err := again.Decode(text); err != nil || again != c {
		t.Errorf("%s is read as %+v, error %v", text, again, err)
	}
	for _, bad := range []string{"", "[]", `{"Across":{"Near":1e10}}`, `{"Across":{"Far":-1e10}}`, `{"Down":{"Near":1e10}}`, `{"Down":{"Far":-1e10}}`, `{"Down":{"Far":null},"Across":1}`,
		`{"Across":{"Missed":-0.1}}`, `{"Down":{"Missed":1e10}}`} {
		if err := again.Decode([]byte(bad)); err == nil || again != c {
			t.Errorf("%q is read as %+v, error %v", bad, again, err)
		}
	}
	if err := c.Check(frame.Shape{Channels: 1}); err == nil {
		t.Error("pairs of pixels of one channel: no error")
	}
	if err := errors.Join(c.Check(frame.Shape{Channels: 3}), new(Chroma).Check(frame.Shape{Channels: 1})); err != nil {
		t.Error(err)
	}
}

// Frames of other channels than the film's are a programmer's mistake.
func TestChromaPanics(t *testing.T) {
	c := Chroma{Across: pairing{Shared: true}}
	f := frame.New(4, 4, 1)
	for want, call := range map[string]func(){
		"film: Repeat: a frame of 1 channels, expected the 3 of a film whose pixels share their chroma":      func() { c.Repeat(f, 4, 4) },
		"film: AddVariance: a frame of 1 channels, expected the 3 of a film whose pixels share their chroma": func() { c.AddVariance(f, 2, 2) },
	} {
		tier.Panics(t, want, call)
	}
	new(Chroma).Repeat(f, 4, 4)
	new(Chroma).AddVariance(f, 2, 2)
}
