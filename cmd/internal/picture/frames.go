package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// SavePNG writes a picture as a PNG file, as [files.WriteAtomic] does.
func SavePNG(path string, picture image.Image) error {
	return files.WriteAtomic(path, func(w io.Writer) error { return png.Encode(w, picture) })
}

// Levels say how values become the levels of a picture file: those from Low to High linearly, rounded and clamped, to the levels
// from 0 to 255 (Bits = 8) or 65535 (Bits = 16).
type Levels struct {
	Low, High float64
	Bits      int
}

// FrameName is the name of picture number i in a folder: frame0000.png for 0.
func FrameName(i int) string { return fmt.Sprintf("frame%04d.png", i) }

// SaveFrame writes a picture of one or three channels as a PNG file. What [dataset.Load] reads from a folder and
// SaveFrame writes with levels from 0 to 255 or 65535 are the same pictures, and a pixel with a NaN
// is transparent. A file is written as a whole or not at all. Errors: [*dataset.Error] for other numbers of channels and for
// what the file system refuses. It panics unless Low < High and Bits is 8 or 16.
func SaveFrame(path string, p Picture, l Levels) error {
	if p.check(); !(l.High > l.Low) || l.Bits != 8 && l.Bits != 16 {
		panic(fmt.Sprintf("picture: SaveFrame: values from %v to %v in %d bits", l.Low, l.High, l.Bits))
	}
	if p.Channels != 1 && p.Channels != 3 {
		return &dataset.Error{Path: path, Found: quote.Counted(p.Channels, "channel"), Want: "1 (grey) or 3 (red, green, blue)"}
	}
	return SavePNG(path, p.image(l))
}

// image turns levels into a picture of 8 or 16 bits.
func (p Picture) image(l Levels) image.Image {
	var img draw.Image
	r := image.Rect(0, 0, p.Width, p.Height)
	holes := slices.ContainsFunc(p.Values, math.IsNaN)
	switch {
	case holes && l.Bits == 8:
		img = image.NewNRGBA(r)
	case holes:
		img = image.NewNRGBA64(r)
	case p.Channels == 1 && l.Bits == 8:
		img = image.NewGray(r)
	case p.Channels == 1:
		img = image.NewGray16(r)
	case l.Bits == 8:
		img = image.NewRGBA(r)
	default:
		img = image.NewRGBA64(r)
	}
	top := float64(uint(1)<<l.Bits - 1)
	at := func(i int) uint16 {
		v := level(p.Values[i], l.Low, l.High, top)
		if l.Bits == 8 {
			v *= 257 // the 16-bit level of the same brightness
		}
		return v
	}
	for i := range p.Points() {
		first := i * p.Channels
		if slices.ContainsFunc(p.Values[first:first+p.Channels], math.IsNaN) {
			continue // transparent
		}
		c := color.NRGBA64{at(first), at(first), at(first), math.MaxUint16}
		if p.Channels == 3 {
			c.G, c.B = at(first+1), at(first+2)
		}
		img.Set(i%p.Width, i/p.Width, c)
	}
	return img
}
