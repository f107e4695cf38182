package picture_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/filetest"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// drawn returns a picture of the given layout.
func drawn(width, height, channels int, values ...float64) picture.Picture {
	return picture.Picture{Layout: dataset.Layout{Width: width, Height: height, Channels: channels}, Values: values}
}

var (
	white = color.RGBA{255, 255, 255, 255}
	ink   = color.RGBA{40, 40, 40, 255}
)

// Each pixel of a picture becomes a square of its colour at its place, and all
// around is white.
func TestSheetPixels(t *testing.T) {
	nan := math.NaN()
	s := picture.Sheet{Low: -1, High: 3, Zoom: 3, Gap: 2, Rows: []picture.SheetRow{
		{Pictures: []picture.Picture{
			drawn(3, 4, 1, -1, 3, 1, nan, -7, 9, -1, -1, -1, 0, 0, math.Inf(1)),
			drawn(2, 1, 3, -1, 1, 3, 0, nan, 0),
		}},
		{Pictures: []picture.Picture{drawn(1, 1, 2, 3, nan)}},
	}}
	level := func(l uint8) color.RGBA { return color.RGBA{l, l, l, 255} }
	type pixel struct{ x, y int } // of the sheet, in its units: gaps of 2, squares of 3
	want := map[pixel]color.RGBA{}
	square := func(x, y int, c color.RGBA) {
		for dy := range 3 {
			for dx := range 3 {
				want[pixel{x + dx, y + dy}] = c
			}
		}
	}
	for i, c := range []color.RGBA{level(0), level(255), level(128), picture.Missing, level(0), level(255),
		level(0), level(0), level(0), level(64), level(64), level(255)} {
		square(2+i%3*3, 2+i/3*3, c)
	}
	square(2+9+2, 2, color.RGBA{0, 128, 255, 255})
	square(2+9+2+3, 2, picture.Missing)
	square(2, 2+12+2, level(255)) // the first of two channels
	img := s.Image()
	if got, want := img.Bounds(), image.Rect(0, 0, 2+9+2+6+2, 2+12+2+3+2); got != want {
		t.Fatalf("a sheet of %v, expected %v", got, want)
	}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			c, ok := want[pixel{x, y}]
			if !ok {
				c = white
			}
			if got := img.At(x, y); got != c {
				t.Errorf("pixel (%d, %d) is %v, expected %v", x, y, got, c)
			}
		}
	}
}

// Captions are written in ink, do not touch the pictures, and widen the sheet
// where they need to.
func TestSheetCaptions(t *testing.T) {
	plain := picture.Sheet{High: 1, Zoom: 2, Rows: []picture.SheetRow{
		{Pictures: []picture.Picture{drawn(2, 1, 1, 1, 1), drawn(2, 1, 1, 1, 1)}},
		{Pictures: []picture.Picture{drawn(2, 1, 1, 1, 1)}},
	}}
	for y := range plain.Image().Bounds().Dy() {
		for x := range plain.Image().Bounds().Dx() {
			if got := plain.Image().At(x, y); got != white {
				t.Fatalf("pixel (%d, %d) of a white sheet is %v", x, y, got)
			}
		}
	}
	labelled := plain
	labelled.Columns = []string{"seen", "filled", "has no column"}
	labelled.Rows = []picture.SheetRow{{Label: "l", Pictures: plain.Rows[0].Pictures}, {Label: "É", Pictures: plain.Rows[1].Pictures}}
	img := labelled.Image()
	// In pixels, two for a dot: a gap, a letter of 10, a gap, "seen" of 46, a gap, "filled" of 70, a gap; a
	// gap, a line of 18, a gap, and two rows of 18 with gaps.
	if got, want := img.Bounds(), image.Rect(0, 0, 8+10+8+46+8+70+8, 8+18+8+18+8+18+8); got != want {
		t.Fatalf("a sheet of %v, expected %v", got, want)
	}
	inked := func(r image.Rectangle) (n int) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				switch img.At(x, y) {
				case ink:
					n++
				case white:
				default:
					t.Errorf("pixel (%d, %d) is %v", x, y, img.At(x, y))
				}
			}
		}
		return n
	}
	total := 0
	for _, part := range []struct {
		name string
		r    image.Rectangle
		want int // pixels of ink; 0: some
	}{
		{"seen", image.Rect(26, 8, 72, 26), 0},
		{"filled", image.Rect(80, 8, 150, 26), 0},
		{"l", image.Rect(8, 34, 18, 52), 40},
		{"a box for a letter without a glyph", image.Rect(8, 60, 18, 78), 80},
	} {
		n := inked(part.r)
		total += n
		if n == 0 || part.want > 0 && n != part.want {
			t.Errorf("%s: %d pixels of ink, expected %d", part.name, n, part.want)
		}
	}
	if all := inked(img.Bounds()); all != total {
		t.Errorf("%d pixels of ink outside the captions", all-total)
	}
}

// Blocks of rows stand beside one another, the first rows in the first block, each with its captions, and pictures with a scale of
// their own keep it.
func TestSheetAcross(t *testing.T) {
	s := picture.Sheet{High: 4, Gap: 3, Zoom: 2, Across: 2}
	for i := range 5 {
		p := drawn(1, 1, 1, float64(i))
		if i == 3 {
			p.Own = picture.Levels{High: 6}
		}
		s.Rows = append(s.Rows, picture.SheetRow{Pictures: []picture.Picture{p}})
	}
	img := s.Image()
	if got, want := img.Bounds(), image.Rect(0, 0, 3+2+3+2+3, 3+2+3+2+3+2+3); got != want {
		t.Fatalf("a sheet of %v, expected %v", got, want)
	}
	for i, want := range []uint8{0, 64, 128, 128, 255} {
		x, y := 3+i/3*5, 3+i%3*5
		if got := img.At(x, y); got != (color.RGBA{want, want, want, 255}) {
			t.Errorf("row %d has the colour %v, expected %d", i, got, want)
		}
	}
	var rows []picture.SheetRow
	for range 16 {
		rows = append(rows, picture.SheetRow{Label: "1", Pictures: []picture.Picture{drawn(32, 32, 1, make([]float64, 1024)...), drawn(32, 32, 1, make([]float64, 1024)...)}})
	}
	wide := picture.NewSheet([]string{"mean", "deviation"}, rows)
	if r := wide.Image().Bounds(); wide.Across < 2 || r.Dx() < r.Dy() || r.Dx() > 2*r.Dy() {
		t.Errorf("%d blocks, a sheet of %v", wide.Across, r)
	}
}

func saveFrames(folder string, pictures []picture.Picture, low, high float64, bits int) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for i, p := range pictures {
		if err := picture.SaveFrame(filepath.Join(folder, picture.FrameName(i)), p, picture.Levels{Low: low, High: high, Bits: bits}); err != nil {
			return err
		}
	}
	return nil
}

// Frames of every kind come back from a folder as they were, and stay so.
func TestSaveFrame(t *testing.T) {
	for _, test := range []struct {
		a   *npy.Array
		top float64
	}{
		{npy.New(filetest.Ramp[uint8](256), 8, 4, 8), 255},
		{npy.New(filetest.Ramp[uint8](12*20), 12, 20), 255},
		{npy.New(filetest.Ramp[uint8](240), 2, 5, 8, 3), 255},
		{npy.New(filetest.Ramp[uint16](65536), 2, 128, 256), 65535},
		{npy.New(filetest.Ramp[uint16](65538), 2, 11, 993, 3), 65535},
	} {
		shape := test.a.Shape
		t.Run(fmt.Sprint(shape, test.top), func(t *testing.T) {
			want := dataset.Layout{}
			if len(shape) == 2 {
				want = dataset.Layout{Width: 4, Height: 5}
			}
			f, err := dataset.FromArray("memory", test.a, want)
			if err != nil {
				t.Fatal(err)
			}
			var pictures []picture.Picture
			for i := range f.Count {
				pictures = append(pictures, picture.Of(f, i))
			}
			bits := 8
			if test.top > 255 {
				bits = 16
			}
			folder := filepath.Join(t.TempDir(), "deep", "frames")
			for range 2 { // into a new folder, then over what is there
				if err := saveFrames(folder, pictures, 0, test.top, bits); err != nil {
					t.Fatal(err)
				}
			}
			g, err := dataset.Load(folder, f.Layout)
			if err != nil {
				t.Fatal(err)
			}
			if g.Count != f.Count || g.Type != f.Type {
				t.Fatalf("%d frames of type %v", g.Count, g.Type)
			}
			for i := range f.Count {
				if !slices.Equal(f.Values(i), g.Values(i)) {
					t.Errorf("frame %d has changed", i)
				}
			}
		})
	}
}

// Levels are linear, rounded and clamped.
func TestSaveFrameLevels(t *testing.T) {
	folder := t.TempDir()
	p := drawn(4, 2, 1, -10, 10, -11, 11, math.Inf(1), math.Inf(-1), 0, -9.97)
	for bits, want := range map[int][]float64{8: {0, 255, 0, 255, 255, 0, 128, 0}, 16: {0, 65535, 0, 65535, 65535, 0, 32768, 98}} {
		if err := saveFrames(folder, []picture.Picture{p}, -10, 10, bits); err != nil {
			t.Fatal(err)
		}
		f, err := dataset.Load(folder, dataset.Layout{})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Values(0); !slices.Equal(got, want) {
			t.Errorf("%d bits: levels %v, expected %v", bits, got, want)
		}
	}
}

// A pixel without a number is transparent, and comes back as missing.
func TestSaveFrameHoles(t *testing.T) {
	for _, p := range []picture.Picture{drawn(1, 2, 3, 1, 2, 3, 4, math.NaN(), 6), drawn(2, 1, 1, math.NaN(), 7)} {
		for _, bits := range []int{8, 16} {
			folder := t.TempDir()
			if err := saveFrames(folder, []picture.Picture{p}, 0, math.Exp2(float64(bits))-1, bits); err != nil {
				t.Fatal(err)
			}
			f, err := dataset.Load(folder, dataset.Layout{})
			if err != nil {
				t.Fatal(err)
			}
			hole := map[int]int{3: 1, 1: 0}[p.Channels]
			for i := range 2 {
				for c := range f.Channels {
					got, want := f.Values(0)[i*f.Channels+c], p.Values[i*p.Channels+c%p.Channels]
					if i == hole && !math.IsNaN(got) || i != hole && got != want {
						t.Errorf("%d bits: pixel %d, channel %d is %v, expected %v", bits, i, c, got, want)
					}
				}
			}
		}
	}
}

func TestSaveFrameRefused(t *testing.T) {
	folder := t.TempDir()
	whole := drawn(1, 2, 3, 1, 2, 3, 4, 5, 6)
	filetest.Error(t, saveFrames(folder, []picture.Picture{drawn(1, 1, 2, 1, 2)}, 0, 9, 8), folder,
		"frame0000.png: found 2 channels, expected 1 (grey) or 3 (red, green, blue)")
	file := filepath.Join(folder, "frame0000.png")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := saveFrames(file, []picture.Picture{whole}, 0, 9, 8); err == nil {
		t.Error("frames in a file")
	}
	tier.Panics(t, "picture: SaveFrame: values from 0 to 9 in 12 bits", func() { picture.SaveFrame(folder, whole, picture.Levels{High: 9, Bits: 12}) })
	tier.Panics(t, "picture: SaveFrame: values from 9 to 9 in 8 bits", func() { picture.SaveFrame(folder, whole, picture.Levels{Low: 9, High: 9, Bits: 8}) })
}
