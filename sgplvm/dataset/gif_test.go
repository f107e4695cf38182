package dataset_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// gifFile writes a file by image/gif.
func gifFile(t testing.TB, g *gif.GIF) string {
	t.Helper()
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "film.gif")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// patch is a part of a frame with its corner at (x, y); '.' is transparent, other characters
// are indices of the palette counted from 'a'.
func patch(palette color.Palette, x, y int, rows ...string) *image.Paletted {
	p := image.NewPaletted(image.Rect(x, y, x+len(rows[0]), y+len(rows)), append(slices.Clone(palette), color.Transparent))
	for i, row := range rows {
		for j, c := range row {
			index := uint8(len(palette))
			if c != '.' {
				index = uint8(c - 'a')
			}
			p.Pix[i*p.Stride+j] = index
		}
	}
	return p
}

var (
	greys   = color.Palette{color.Gray{10}, color.Gray{20}, color.Gray{30}, color.Gray{40}}
	colours = color.Palette{color.RGBA{1, 2, 3, 255}, color.RGBA{4, 5, 6, 255}, color.RGBA{7, 7, 7, 255}}
)

// Frames are what a viewer shows: parts over the picture before, which stays, goes back to what
// it was, or to the background.
func TestGIFComposed(t *testing.T) {
	none, background, previous := byte(gif.DisposalNone), byte(gif.DisposalBackground), byte(gif.DisposalPrevious)
	for _, c := range []struct {
		name     string
		frames   []*image.Paletted
		disposal []byte
		want     []string // the pictures' rows in letters
	}{
		{"whole frames", []*image.Paletted{patch(greys, 0, 0, "aab", "bba"), patch(greys, 0, 0, "ccc", "ddd")}, nil, []string{"aabbba", "cccddd"}},
		{"a part", []*image.Paletted{patch(greys, 0, 0, "aaa", "aaa"), patch(greys, 1, 1, "bc")}, []byte{none, none}, []string{"aaaaaa", "aaaabc"}},
		{"transparency", []*image.Paletted{patch(greys, 0, 0, "abc", "dab"), patch(greys, 0, 0, ".d.", "..c")}, []byte{none, none}, []string{"abcdab", "adcdac"}},
		{"previous", []*image.Paletted{patch(greys, 0, 0, "aaa", "aaa"), patch(greys, 0, 0, "bb"), patch(greys, 2, 0, "c", "c"), patch(greys, 1, 1, "d")},
			[]byte{none, previous, none, none}, []string{"aaaaaa", "bbaaaa", "aacaac", "aacadc"}},
		{"background", []*image.Paletted{patch(greys, 0, 0, "aaa", "aaa"), patch(greys, 1, 0, "bb"), patch(greys, 1, 0, "cd")},
			[]byte{none, background, none}, []string{"aaaaaa", "abbaaa", "acdaaa"}},
		{"previous twice", []*image.Paletted{patch(greys, 0, 0, "abc", "abc"), patch(greys, 0, 0, "d"), patch(greys, 1, 0, "d"), patch(greys, 2, 1, "a")},
			[]byte{none, previous, previous, none}, []string{"abcabc", "dbcabc", "adcabc", "abcaba"}},
	} {
		for _, palette := range []color.Palette{greys, append(slices.Clone(colours), color.RGBA{200, 0, 255, 255})} {
			for _, p := range c.frames {
				p.Palette = append(slices.Clone(palette), color.Transparent)
			}
			g := &gif.GIF{Image: c.frames, Delay: make([]int, len(c.frames)), Disposal: c.disposal, Config: image.Config{Width: 3, Height: 2}}
			f, err := dataset.Load(gifFile(t, g), dataset.Layout{})
			if err != nil {
				t.Fatal(c.name, err)
			}
			channels := 3
			if palette[0] == greys[0] {
				channels = 1
			}
			if f.Count != len(c.want) || f.Layout != (dataset.Layout{Width: 3, Height: 2, Channels: channels}) {
				t.Fatalf("%s: %d frames of %v", c.name, f.Count, f.Layout)
			}
			for i, letters := range c.want {
				var want []float64
				for _, l := range letters {
					r, g, b, _ := palette[l-'a'].RGBA()
					want = append(want, []float64{float64(r >> 8), float64(g >> 8), float64(b >> 8)}[:channels]...)
				}
				if got := f.Values(i); !slices.Equal(got, want) {
					t.Errorf("%s, frame %d: %v, expected %v", c.name, i, got, want)
				}
			}
		}
	}
}

// Times add up delays, and follow frames that are selected; very short delays are those that
// viewers do not keep to. Training reads the same pictures.
func TestGIFTimes(t *testing.T) {
	var g gif.GIF
	for i, d := range []int{4, 0, 1, 2, 300, 7} {
		g.Image = append(g.Image, patch(greys, 0, 0, string("abcd"[i%4])))
		g.Delay = append(g.Delay, d)
	}
	path := gifFile(t, &g)
	f, err := dataset.Load(path, dataset.Layout{Width: 1, Height: 1, Channels: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0, 0.04, 0.14, 0.24, 0.26, 3.26}; !slices.Equal(f.Times, want) {
		t.Errorf("times %v, expected %v", f.Times, want)
	}
	if s := f.Select([]int{5, 1}); !slices.Equal(s.Times, []float64{3.26, 0.04}) || s.Values(0)[0] != 20 {
		t.Errorf("selected: times %v, values %v", s.Times, s.Values(0))
	}
	open, err := dataset.Open(path, dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	got := make([]float64, 6)
	if err := open.ReadExamples(got, 0, 6); err != nil || !slices.Equal(got, []float64{10, 20, 30, 40, 10, 20}) || !slices.Equal(open.Times, f.Times) {
		t.Errorf("values %v, times %v, error %v", got, open.Times, err)
	}
}

func TestGIFRefused(t *testing.T) {
	one := func(p ...*image.Paletted) *gif.GIF { return &gif.GIF{Image: p, Delay: make([]int, len(p))} }
	whole, err := os.ReadFile(gifFile(t, one(patch(greys, 0, 0, "abcd", "ddca"))))
	if err != nil {
		t.Fatal(err)
	}
	screen := func(width, height int, frames int) []byte {
		g := &gif.GIF{Config: image.Config{Width: width, Height: height}}
		for range frames {
			g.Image, g.Delay = append(g.Image, patch(greys, 0, 0, "a")), append(g.Delay, 5)
		}
		b, err := os.ReadFile(gifFile(t, g))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	refused := one(patch(greys, 0, 0, "aa", "aa"), patch(greys, 1, 0, "b"), patch(greys, 0, 1, "b"))
	refused.Disposal = []byte{0, gif.DisposalBackground, 0}
	cleared, err := os.ReadFile(gifFile(t, refused))
	if err != nil {
		t.Fatal(err)
	}
	hole, err := os.ReadFile(gifFile(t, one(patch(colours, 0, 0, "ab", "a."))))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		content []byte
		err     string
	}{
		{whole[:len(whole)-3], "*, expected a whole GIF"},
		{whole[:9], "*, expected a whole GIF"},
		{[]byte("GIF88a and other text that is no picture"), "*, expected a whole GIF"},
		{cleared, "frame 2, row 0, column 1: found a transparent pixel, expected opaque pictures"},
		{hole, "frame 0, row 1, column 1: found a transparent pixel, expected opaque pictures"},
		{screen(65535, 1, 1), "found pictures of 65535x1 (width x height), expected sides of 1 to 16384 and at most 67108864 pixels"},
		{screen(16384, 16384, 1), "found pictures of 16384x16384 (width x height), expected sides of 1 to 16384 and at most 67108864 pixels"},
		{screen(16384, 4096, 17), "found 17 frames of 67108864 values, expected at most 1073741824 values in all"},
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "film.gif")
		if err := os.WriteFile(path, c.content, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := dataset.Load(path, dataset.Layout{})
		checkError(t, err, folder, "film.gif: "+c.err)
	}
	path := gifFile(t, one(patch(greys, 0, 0, "abcd", "ddca")))
	_, err = dataset.Load(path, dataset.Layout{Width: 4, Height: 3})
	checkError(t, err, filepath.Dir(path), "film.gif: shape 1×2×4: found pictures of 4x2 (width x height), expected a grid of 4x3")
}

// Whatever happens to a file's bytes, it is read or refused.
func TestGIFDamaged(t *testing.T) {
	g := &gif.GIF{Image: []*image.Paletted{patch(greys, 0, 0, "abcd", "ddca", "abba"), patch(colours, 1, 1, "b.", "aa")}, Delay: []int{3, 4}, Disposal: []byte{1, 3}}
	path := gifFile(t, g)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	load := func(content []byte) {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := dataset.Load(path, dataset.Layout{}); err != nil {
			checkError(t, err, filepath.Dir(path), "film.gif: *")
		}
	}
	for i := range whole {
		load(whole[:i])
		for _, b := range []byte{whole[i] ^ 1, whole[i] ^ 0x80, 0, 255} {
			changed := slices.Clone(whole)
			changed[i] = b
			load(changed)
		}
	}
}

// film draws smooth pictures of a few thousand colours.
func film(frames, width, height, channels int) []dataset.Picture {
	pictures := make([]dataset.Picture, frames)
	for i := range pictures {
		p := dataset.Picture{Layout: dataset.Layout{Width: width, Height: height, Channels: channels}}
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

func saveGIF(path string, pictures []dataset.Picture, low, high, rate float64) error {
	a := dataset.NewAnimation(path)
	for _, p := range pictures {
		if err := a.Add(p, low, high); err != nil {
			return err
		}
	}
	return a.Save(rate)
}

// saved writes a film and reads it again.
func saved(t *testing.T, pictures []dataset.Picture, low, high, rate float64) *dataset.Frames {
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
	for name, pictures := range map[string][]dataset.Picture{"grey": grey, "few colours": few, "one pixel": film(2, 1, 1, 3)} {
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
	p := dataset.Picture{Layout: dataset.Layout{Width: 5, Height: 1, Channels: 1}, Values: []float64{-9, -1, 0, 1, 9}}
	if got := saved(t, []dataset.Picture{p}, -1, 1, 25).Values(0); !slices.Equal(got, []float64{0, 0, 128, 255, 255}) {
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
		pictures []dataset.Picture
		err      string
	}{
		{[]dataset.Picture{good, other}, "frame 1: found 2x3 pixels and 3 channels, expected 3x2 pixels and 3 channels as in frame 0"},
		{[]dataset.Picture{two}, "frame 0: found 2 channels, expected 1 (grey) or 3 (red, green, blue)"},
		{[]dataset.Picture{good, nan}, "frame 1, row 1, column 0, channel 1: found NaN, expected a number"},
	} {
		checkError(t, saveGIF(path, c.pictures, 0, 255, 25), folder, "film.gif: "+c.err)
	}
	checkError(t, saveGIF(filepath.Join(folder, "gone", "film.gif"), []dataset.Picture{good}, 0, 255, 25), folder, filepath.Join("gone", "film.gif")+": *")
	if names := listing(t, folder); names != "" {
		t.Errorf("the folder holds %s", names)
	}
	for rate, frames := range map[float64]int{25: 0, 51: 1, 0.001: 1, math.NaN(): 1} {
		mustPanic(t, fmt.Sprintf("dataset: Animation: %d frames, %v a second", frames, rate), func() { saveGIF(path, film(frames, 2, 2, 1), 0, 255, rate) })
	}
}
