package dataset

import (
	"bytes"
	"encoding/binary"
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
	var start bytes.Buffer
	config, err := jpeg.DecodeConfig(io.TeeReader(r, &start))
	if err != nil {
		return header{}, fault("JPEG", err)
	}
	h := header{width: config.Width, height: config.Height, bits: 8, colour: config.ColorModel != color.GrayModel}
	if config.ColorModel == color.CMYKModel {
		return h, &Error{Found: "colours of four inks (CMYK)", Want: "a grey picture, or one of red, green and blue, which this makes: magick OLD -colorspace sRGB NEW.png"}
	}
	if h.turned = orientation(start.Bytes()); h.turned > 4 {
		h.width, h.height = h.height, h.width
	}
	return h, h.check(length, int64(h.width*h.height)/jpegBlocks)
}

// orientation finds how a picture is stored in the EXIF data of a JPEG file, which begins with them: 1 to 8, or 0 where that is not told or makes no
// sense (CIPA DC-008, 4.5.4 and 4.6).
func orientation(file []byte) int {
	const app1, scan, tag, short = 0xe1, 0xda, 0x0112, 3
	for at := 2; at+4 <= len(file) && file[at] == 0xff && file[at+1] != scan; at += 2 + int(binary.BigEndian.Uint16(file[at+2:])) {
		segment := file[at+4:]
		if size := int(binary.BigEndian.Uint16(file[at+2:])) - 2; size >= 0 && size < len(segment) {
			segment = segment[:size]
		}
		tiff, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00"))
		if file[at+1] != app1 || !ok || len(tiff) < 8 {
			continue
		}
		order := binary.ByteOrder(binary.BigEndian)
		if tiff[0] == 'I' {
			order = binary.LittleEndian
		}
		first := uint64(order.Uint32(tiff[4:]))
		if first+2 > uint64(len(tiff)) {
			return 0
		}
		entries := tiff[first+2:]
		for range order.Uint16(tiff[first:]) {
			if len(entries) < 12 {
				return 0
			}
			if v := order.Uint16(entries[8:]); order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short && v >= 1 && v <= 8 {
				return int(v)
			}
			entries = entries[12:]
		}
		return 0
	}
	return 0
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
