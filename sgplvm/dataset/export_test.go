package dataset

import (
	"bytes"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

var CompareNames = compareNames

// DecodePNG reads one frame from memory, by the steps that Load takes for a
// file: the header, memory for the pixels, the pixels.
func DecodePNG(file []byte) (*npy.Array, error) {
	h, bad := pngFormat.header(bytes.NewReader(file), int64(len(file)))
	if bad != nil {
		return nil, bad
	}
	channels := 1
	if h.colour {
		channels = 3
	}
	n := h.width * h.height * channels
	if h.bits == 16 {
		return decodeTo(make([]uint16, n), file, h, channels)
	}
	return decodeTo(make([]uint8, n), file, h, channels)
}

func decodeTo[T uint8 | uint16](dst []T, file []byte, h header, channels int) (*npy.Array, error) {
	if _, bad := decodePicture(pngFormat, dst, bytes.NewReader(file), int64(len(file)), h); bad != nil {
		return nil, bad
	}
	return npy.New(dst, h.height, h.width, channels), nil
}
