package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"image/color"
	"image/png"
	"io"
	"slices"
)

// maxDeflate bounds the ratio at which deflate, the compression of PNG, can
// shrink data (zlib's technical notes: 1032 to 1).
const maxDeflate = 1032

// pngHeader is the header of a PNG file of length bytes.
func pngHeader(r io.Reader, length int64) (header, *Error) {
	var begin bytes.Buffer
	b := bufio.NewReader(io.TeeReader(r, &begin))
	// Signature, length and name of the first chunk, then IHDR: width, height,
	// bits a sample, colour type.
	var ihdr [26]byte
	if start, err := b.Peek(len(ihdr)); err == nil {
		copy(ihdr[:], start)
	}
	config, err := png.DecodeConfig(b)
	if err != nil {
		return header{}, fault("PNG", err)
	}
	bits, kind := int(ihdr[24]), ihdr[25]
	samples := 1
	h := header{width: config.Width, height: config.Height, bits: max(bits, 8)}
	switch kind {
	case 2:
		h.colour, samples = true, 3
	case 3:
		h.colour = !grey(config.ColorModel)
	case 4:
		samples = 2
	case 6:
		h.colour, samples = true, 4
	}
	h.frames = pngFrames(bufio.NewReader(io.MultiReader(&begin, r)))
	return h, h.check(length, int64(h.width*h.height)/8*int64(samples*bits)/maxDeflate)
}

// pngFrames returns the number of frames of an animated PNG, 0 of any other: the chunk acTL comes before the first picture
// (PNG, third edition, 11.3.6).
func pngFrames(r *bufio.Reader) int {
	r.Discard(8) // the signature
	for {
		chunk, err := r.Peek(12)
		switch {
		case err != nil || string(chunk[4:8]) == "IDAT":
			return 0
		case string(chunk[4:8]) == "acTL":
			return int(binary.BigEndian.Uint32(chunk[8:]))
		}
		if _, err := r.Discard(12 + int(binary.BigEndian.Uint32(chunk))); err != nil {
			return 0
		}
	}
}

// grey tells whether a palette holds greys alone, and holes.
func grey(m color.Model) bool {
	palette, _ := m.(color.Palette)
	return !slices.ContainsFunc(palette, func(c color.Color) bool {
		_, _, _, alpha := c.RGBA()
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		return !transparent(alpha) && (n.R != n.G || n.G != n.B)
	})
}
