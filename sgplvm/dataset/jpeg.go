package dataset

import (
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
)

// jpegBlocks is the largest number of pixels that one byte of a JPEG file can hold: a block
// of 8×8 pixels takes at least one bit.
const jpegBlocks = 8 * 64

// jpegHeader is the header of a JPEG file of length bytes.
func jpegHeader(r io.Reader, length int64) (header, *Error) {
	config, err := jpeg.DecodeConfig(r)
	if err != nil {
		return header{}, jpegFormat.fault(err)
	}
	h := header{width: config.Width, height: config.Height, bits: 8, colour: config.ColorModel != color.GrayModel}
	if config.ColorModel == color.CMYKModel {
		return h, &Error{Found: "colours of four inks (CMYK)", Want: "a grey picture, or one of red, green and blue"}
	}
	size := Layout{Width: h.width, Height: h.height, Channels: 1}
	if bad := size.check(); bad != nil {
		return h, &Error{Found: bad.found, Want: bad.want}
	}
	if least := int64(h.width*h.height) / jpegBlocks; least > length {
		return h, &Error{Found: fmt.Sprintf("%d bytes for %s pixels", length, FormatGrid(h.width, h.height)),
			Want: fmt.Sprintf("at least %d", least)}
	}
	return h, nil
}

// unpackYCbCr copies the red, green and blue of each pixel.
func unpackYCbCr[T uint8 | uint16](dst []T, p *image.YCbCr) {
	at := 0
	for y := p.Rect.Min.Y; y < p.Rect.Max.Y; y++ {
		for x := p.Rect.Min.X; x < p.Rect.Max.X; x++ {
			i, j := p.YOffset(x, y), p.COffset(x, y)
			r, g, b := color.YCbCrToRGB(p.Y[i], p.Cb[j], p.Cr[j])
			dst[at], dst[at+1], dst[at+2] = T(r), T(g), T(b)
			at += 3
		}
	}
}
