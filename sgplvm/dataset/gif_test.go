package dataset_test

import (
	"bytes"
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
	if !f.Film || f.Select([]int{1}).Film {
		t.Errorf("a film: %v, a frame of it: %v", f.Film, f.Select([]int{1}).Film)
	}
	if s := f.Select([]int{5, 1}); !slices.Equal(s.Times, []float64{3.26, 0.04}) || s.Values(0)[0] != 20 {
		t.Errorf("selected: times %v, values %v", s.Times, s.Values(0))
	}
	open, err := dataset.OpenWith(path, dataset.SetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	got := make([]float64, 6)
	if err := open.ReadExamples(got, 0, 6); err != nil || !slices.Equal(got, []float64{10, 20, 30, 40, 10, 20}) || !slices.Equal(open.Times, f.Times) || !open.Film {
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
	for _, c := range []struct {
		content []byte
		err     string
	}{
		{whole[:len(whole)-3], "*, expected a whole GIF"},
		{whole[:9], "*, expected a whole GIF"},
		{[]byte("GIF88a and other text that is no picture"), "*, expected a whole GIF"},
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

// Pixels in which the viewer's background shows are missing, by their colour or since the frame before them was cleared; a single picture keeps all its points.
func TestGIFHoles(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		film   *gif.GIF
		values []float64 // of the last frame
	}{
		{&gif.GIF{Image: []*image.Paletted{patch(greys, 0, 0, "aa", "aa"), patch(greys, 1, 0, "b"), patch(greys, 0, 1, "b")}, Delay: []int{9, 9, 9}, Disposal: []byte{0, gif.DisposalBackground, 0}}, []float64{10, nan, 20, 10}},
		{&gif.GIF{Image: []*image.Paletted{patch(colours, 0, 0, "..", "..")}, Delay: []int{0}}, []float64{nan, nan, nan, nan}},
		{&gif.GIF{Image: []*image.Paletted{patch(greys, 0, 0, ".b", "a.")}, Delay: []int{0}}, []float64{nan, 20, 10, nan}},
	} {
		path := gifFile(t, c.film)
		f, err := dataset.Load(path, dataset.Layout{})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Values(f.Count - 1); !equal(got, c.values) {
			t.Errorf("values %v, want %v", got, c.values)
		}
		if s, err := dataset.LoadSet(path, dataset.SetOptions{}); err == nil && s.Exists != nil {
			t.Errorf("pixels of %v that do not exist: %v", c.values, s.Exists)
		}
	}
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
