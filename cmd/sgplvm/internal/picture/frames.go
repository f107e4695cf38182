package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/files"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// SavePNG writes a picture as a PNG file, as [files.WriteAtomic] does.
func SavePNG(path string, picture image.Image) error {
	return files.WriteAtomic(path, func(w io.Writer) error { return png.Encode(w, picture) })
}

// SaveFrame writes a picture of one or three channels as number i, frame0000.png for 0, to a
// folder that exists. Values from low to high become levels from 0 to 255 (bits = 8) or
// 65535 (bits = 16), rounded and clamped, so that what [dataset.Load] reads from a folder and
// SaveFrame writes with low 0 and high 255 or 65535 are the same pictures. A file is written
// as a whole or not at all. Errors: [*dataset.Error] for NaN, for other numbers of channels and for
// what the file system refuses. It panics unless low < high and bits is 8 or 16.
func SaveFrame(folder string, i int, p Picture, low, high float64, bits int) error {
	if p.check(); !(high > low) || bits != 8 && bits != 16 {
		panic(fmt.Sprintf("picture: SaveFrame: values from %v to %v in %d bits", low, high, bits))
	}
	path := filepath.Join(folder, fmt.Sprintf("frame%04d.png", i))
	img, err := p.image(low, high, bits)
	if err == nil {
		err = SavePNG(path, img)
	}
	if e, ok := err.(*dataset.Error); ok && e.Path == "" {
		e.Path = path
	}
	return err
}

// image turns levels into a picture of 8 or 16 bits.
func (p Picture) image(low, high float64, bits int) (image.Image, error) {
	if p.Channels != 1 && p.Channels != 3 {
		return nil, &dataset.Error{Found: quote.Counted(p.Channels, "channel"), Want: "1 (grey) or 3 (red, green, blue)"}
	}
	var img draw.Image
	r := image.Rect(0, 0, p.Width, p.Height)
	switch {
	case p.Channels == 1 && bits == 8:
		img = image.NewGray(r)
	case p.Channels == 1:
		img = image.NewGray16(r)
	case bits == 8:
		img = image.NewRGBA(r)
	default:
		img = image.NewRGBA64(r)
	}
	top := float64(uint(1)<<bits - 1)
	at := func(i int) uint16 {
		l := level(p.Values[i], low, high, top)
		if bits == 8 {
			l *= 257 // the 16-bit level of the same brightness
		}
		return l
	}
	for i, v := range p.Values {
		if math.IsNaN(v) {
			return nil, &dataset.Error{Place: p.place(i), Found: "NaN", Want: "a number"}
		}
	}
	for i := range p.Points() {
		first := i * p.Channels
		c := color.RGBA64{at(first), at(first), at(first), math.MaxUint16}
		if p.Channels == 3 {
			c.G, c.B = at(first+1), at(first+2)
		}
		img.Set(i%p.Width, i/p.Width, c)
	}
	return img, nil
}
