package picture_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/filetest"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// film draws smooth pictures of a few thousand colours.
func film(frames, width, height, channels int) []picture.Picture {
	pictures := make([]picture.Picture, frames)
	for i := range pictures {
		p := picture.Picture{Layout: dataset.Layout{Width: width, Height: height, Channels: channels}}
		for y := range height {
			for x := range width {
				u, v, t := float64(x)/float64(width), float64(y)/float64(height), 0.3*float64(i)
				for c := range channels {
					p.Values = append(p.Values, 128+100*math.Sin(3*u+float64(c)+t)*math.Cos(2*v-float64(c)*t))
				}
			}
		}
		pictures[i] = p
	}
	return pictures
}

// every returns the times at which n frames begin, and the last ends, so many a second.
func every(n int, rate float64) (times []float64) {
	for i := range n + 1 {
		times = append(times, float64(i)/rate)
	}
	return times
}

func saveGIF(path string, pictures []picture.Picture, low, high, rate float64) error {
	a := picture.Animation{Path: path}
	for _, p := range pictures {
		if err := a.Add(p, nil, low, high); err != nil {
			return err
		}
	}
	return a.Save(every(len(pictures), rate))
}

// saved writes a film and reads it again.
func saved(t *testing.T, pictures []picture.Picture, low, high, rate float64) *dataset.Frames {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film.gif")
	if err := saveGIF(path, pictures, low, high, rate); err != nil {
		t.Fatal(err)
	}
	f, err := dataset.Load(path, dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Grey films, and those of few colours, come back as they were.
func TestGIFExact(t *testing.T) {
	grey := film(5, 31, 17, 1)
	few := film(4, 20, 30, 3)
	for _, p := range few {
		for i, v := range p.Values {
			p.Values[i] = 51 * math.Round(v/51)
		}
	}
	for name, pictures := range map[string][]picture.Picture{"grey": grey, "few colours": few, "one pixel": film(2, 1, 1, 3)} {
		f := saved(t, pictures, 0, 255, 25)
		if f.Count != len(pictures) || f.Layout != pictures[0].Layout {
			t.Fatalf("%s: %d frames of %v", name, f.Count, f.Layout)
		}
		for i, p := range pictures {
			for k, v := range f.Values(i) {
				if v != math.Round(p.Values[k]) {
					t.Fatalf("%s, frame %d: value %d is %v, was %v", name, i, k, v, p.Values[k])
				}
			}
		}
	}
	// Levels are those of the range that is asked for, clamped.
	p := picture.Picture{Layout: dataset.Layout{Width: 5, Height: 1, Channels: 1}, Values: []float64{-9, -1, 0, 1, 9}}
	if got := saved(t, []picture.Picture{p}, -1, 1, 25).Values(0); !slices.Equal(got, []float64{0, 0, 128, 255, 255}) {
		t.Errorf("levels %v", got)
	}
}

// With 256 colours for all frames, pixels are a few levels off and the means of blocks of 16×16
// pixels, in which errors are diffused, a fifth of that.
func TestGIFColours(t *testing.T) {
	pictures := film(6, 96, 64, 3)
	f := saved(t, pictures, 0, 255, 12)
	var square, block float64
	blocks := 0
	for i, p := range pictures {
		got := f.Values(i)
		for k, v := range got {
			square += (v - p.Values[k]) * (v - p.Values[k]) / float64(len(got)*len(pictures))
		}
		for y := 0; y < 64; y += 16 {
			for x := 0; x < 96; x += 16 {
				for c := range 3 {
					var d float64
					for n := range 256 {
						k := ((y+n/16)*96+x+n%16)*3 + c
						d += (got[k] - p.Values[k]) / 256
					}
					block, blocks = block+d*d, blocks+1
				}
			}
		}
	}
	value, mean := math.Sqrt(square), math.Sqrt(block/float64(blocks))
	if !(value < 10 && mean < value/5) {
		t.Errorf("root mean square error of a value %.2f levels, of a block's mean %.2f, expected less than 10 and a fifth of the first", value, mean)
	}
}

// Observed pixels keep their colours also where the others have too many, and frames appear at the times that are given.
func TestGIFSeen(t *testing.T) {
	pictures := film(3, 40, 30, 3)
	path := filepath.Join(t.TempDir(), "film.gif")
	a := picture.Animation{Path: path}
	for _, p := range pictures {
		seen := slices.Clone(p.Values)
		for i := range p.Points() {
			if i%3 > 0 {
				seen[3*i+1] = math.NaN()
				continue
			}
			for k := range 3 { // 216 colours
				p.Values[3*i+k] = 51 * math.Round(p.Values[3*i+k]/51)
			}
		}
		if err := a.Add(p, seen, 0, 255); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Save([]float64{0, 0.07, 0.5, 0.93}); err != nil {
		t.Fatal(err)
	}
	f, err := dataset.Load(path, dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	square := 0.
	for i, p := range pictures {
		for k, v := range f.Values(i) {
			if k/3%3 == 0 && v != p.Values[k] {
				t.Fatalf("frame %d: value %d is %v, was %v", i, k, v, p.Values[k])
			}
			square += (v - p.Values[k]) * (v - p.Values[k]) / float64(3*len(p.Values))
		}
	}
	if !a.Approximated || !(math.Sqrt(square) < 15) || !slices.Equal(f.Times, []float64{0, 0.07, 0.5}) {
		t.Errorf("root mean square error %.2f levels, times %v", math.Sqrt(square), f.Times)
	}
	tier.Panics(t, "picture: Animation: 3 frames, 2 times", func() { a.Save([]float64{0, 1}) })
}

// Delays add up to the film's length, and the same film gives the same bytes.
func TestGIFRate(t *testing.T) {
	pictures := film(31, 4, 3, 3)
	for _, rate := range []float64{0.01, 1, 24, 25, 30, 50} {
		f := saved(t, pictures, 0, 255, rate)
		for i, s := range f.Times {
			if d := math.Abs(s - float64(i)/rate); d > 0.005+1e-9 {
				t.Errorf("%v a second: frame %d at %v s", rate, i, s)
			}
		}
	}
	var want []byte
	for range 3 {
		path := filepath.Join(t.TempDir(), "film.gif")
		if err := saveGIF(path, pictures, 0, 255, 25); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Error("other bytes for the same film")
		}
	}
}

func TestAnimationRefuses(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "film.gif")
	good, other, two := film(1, 3, 2, 3)[0], film(1, 2, 3, 3)[0], film(1, 3, 2, 2)[0]
	nan := film(1, 3, 2, 3)[0]
	nan.Values[10] = math.NaN()
	for _, c := range []struct {
		pictures []picture.Picture
		err      string
	}{
		{[]picture.Picture{good, other}, "frame 1: found 2x3 pixels and 3 channels, expected 3x2 pixels and 3 channels as in frame 0"},
		{[]picture.Picture{two}, "frame 0: found 2 channels, expected 1 (grey) or 3 (red, green, blue)"},
		{[]picture.Picture{good, nan}, "frame 1, row 1, column 0, channel 1: found NaN, expected a number"},
	} {
		filetest.Error(t, saveGIF(path, c.pictures, 0, 255, 25), folder, "film.gif: "+c.err)
	}
	filetest.Error(t, saveGIF(filepath.Join(folder, "gone", "film.gif"), []picture.Picture{good}, 0, 255, 25), folder, filepath.Join("gone", "film.gif")+": *")
	if names := filetest.Listing(t, folder); names != "" {
		t.Errorf("the folder holds %s", names)
	}
	tier.Panics(t, "picture: Animation: 0 frames, 1 times", func() { saveGIF(path, nil, 0, 255, 25) })
}
