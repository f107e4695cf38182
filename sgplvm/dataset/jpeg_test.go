package dataset_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// jpegs returns a grey and a coloured picture as files, and the levels that image/jpeg reads
// from these.
func jpegs(t *testing.T, width, height int) (grey, colour []byte, levels, rgb []float64) {
	t.Helper()
	g, c := image.NewGray(image.Rect(0, 0, width, height)), image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			g.SetGray(x, y, color.Gray{uint8(9*x + 5*y)})
			c.SetRGBA(x, y, color.RGBA{uint8(7 * x), uint8(200 - 8*y), uint8(3 * (x + y)), 255})
		}
	}
	encode := func(p image.Image) []byte {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, p, &jpeg.Options{Quality: 90}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	grey, colour = encode(g), encode(c)
	for _, file := range [][]byte{grey, colour} {
		p, err := jpeg.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for y := range height {
			for x := range width {
				r, g, b, _ := p.At(x, y).RGBA()
				if len(levels) < width*height {
					levels = append(levels, float64(r>>8))
				} else {
					rgb = append(rgb, float64(r>>8), float64(g>>8), float64(b>>8))
				}
			}
		}
	}
	return grey, colour, levels, rgb
}

// tripled repeats every number three times.
func tripled(v []float64) (w []float64) {
	for _, x := range v {
		w = append(w, x, x, x)
	}
	return w
}

// JPEG and PNG pictures are frames side by side, in the order of their names.
func TestJPEGFolder(t *testing.T) {
	g, c, levels, rgb := jpegs(t, 19, 11)
	picture := image.NewGray(image.Rect(0, 0, 19, 11))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(i)
	}
	var ramp []float64
	for _, v := range picture.Pix {
		ramp = append(ramp, float64(v))
	}
	for _, test := range []struct {
		files    map[string][]byte
		channels int
		want     [][]float64
	}{
		{map[string][]byte{"1.jpg": g, "2.JPEG": g}, 1, [][]float64{levels, levels}},
		{map[string][]byte{"f9.jpeg": c, "f10.jpg": c}, 3, [][]float64{rgb, rgb}},
		{map[string][]byte{"1.jpg": g, "2.jpg": c}, 3, [][]float64{tripled(levels), rgb}},
		{map[string][]byte{"2.jpg": g, "1.png": encoded(picture), ".3.jpg": c, "4.jpg.txt": c}, 1, [][]float64{ramp, levels}},
	} {
		folder := folderOf(t, test.files)
		f, err := dataset.Load(folder, dataset.Layout{})
		if err != nil {
			t.Fatal(err)
		}
		each, err := dataset.OpenWith(folder, dataset.SetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if f.Count != len(test.want) || f.Layout != (dataset.Layout{Width: 19, Height: 11, Channels: test.channels}) || f.Type != npy.Uint8 {
			t.Fatalf("%d frames of %v, %v", f.Count, f.Layout, f.Type)
		}
		for i, want := range test.want {
			got := make([]float64, len(want))
			if err := each.ReadExamples(got, i, i+1); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(f.Values(i), want) || !slices.Equal(got, want) {
				t.Errorf("frame %d has other values", i)
			}
		}
	}
}

// sof lays out a JPEG header: the start, a frame of the given size and number of components,
// and the start of a scan.
func sof(width, height, components int) []byte {
	b := []byte{0xff, 0xd8, 0xff, 0xc0, 0, byte(8 + 3*components), 8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), byte(components)}
	for c := range components {
		b = append(b, byte(c+1), 0x11, 0)
	}
	return append(b, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0)
}

func TestJPEGRefused(t *testing.T) {
	g, c, _, _ := jpegs(t, 19, 11)
	small, _, _, _ := jpegs(t, 18, 11)
	for _, test := range []struct {
		files map[string][]byte
		err   string
	}{
		{map[string][]byte{"1.jpg": g, "2.jpg": small}, "2.jpg: found 18x11 pixels, expected 19x11 as in 1.jpg"},
		{map[string][]byte{"1.jpg": grey(1, 2)}, "1.jpg: *, expected a JPEG picture"},
		{map[string][]byte{"1.png": c}, "1.png: *, expected a PNG picture"},
		{map[string][]byte{"1.jpg": nil}, "1.jpg: found the end of the file, expected a whole JPEG picture"},
		{map[string][]byte{"1.jpg": c[:100]}, "1.jpg: found the end of the file, expected a whole JPEG picture"},
		{map[string][]byte{"1.jpg": c[:len(c)-30]}, "1.jpg: *, expected a JPEG picture"},
		{map[string][]byte{"1.jpg": sof(100, 100, 4)}, "1.jpg: found colours of four inks (CMYK), expected a grey picture, or one of red, green and blue, which this makes: magick OLD -colorspace sRGB NEW.png"},
		{map[string][]byte{"1.jpg": sof(65535, 2, 1)}, "1.jpg: found pictures of 65535x2 (width x height), expected sides of 1 to 16384 and at most 67108864 pixels"},
		{map[string][]byte{"1.jpg": sof(16384, 4096, 3)}, "1.jpg: found 31 bytes for 16384x4096 pixels, expected at least 131072"},
	} {
		folder := folderOf(t, test.files)
		_, err := dataset.Load(folder, dataset.Layout{})
		checkError(t, err, folder, test.err)
		if filepath.Ext(test.err) == "" {
			t.Error("no name")
		}
	}
}
