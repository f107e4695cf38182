package dataset

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// A header is what can be known of a picture without decoding it.
type header struct {
	width, height int
	bits          int // of a sample as it is delivered: 8 or 16
	colour        bool
	turned        int // how the picture is stored, by EXIF: 1 (or 0) as it is seen, to 8; width and height are as it is seen
	frames        int // of an animated PNG; 0: it is none
}

// typ is the type of the samples.
func (h *header) typ() npy.Type {
	if h.bits == 16 {
		return npy.Uint16
	}
	return npy.Uint8
}

// A format is a kind of picture file; "" is none.
type format string

const (
	pngFormat  format = "PNG"
	jpegFormat format = "JPEG"
)

// formatOf returns the format that a name stands for.
func formatOf(name string) format {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png":
		return pngFormat
	case ".jpg", ".jpeg":
		return jpegFormat
	}
	return ""
}

// header reads the size of a picture in a file of length bytes.
func (f format) header(r io.Reader, length int64) (header, *Error) {
	if f == jpegFormat {
		return jpegHeader(r, length)
	}
	return pngHeader(r, length)
}

func (f format) decode(r io.Reader) (image.Image, error) {
	if f == jpegFormat {
		return jpeg.Decode(r)
	}
	return png.Decode(r)
}

// openPicture opens a frame, which must be a regular file: a pipe would block.
func openPicture(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, &Error{Path: path, Err: err}
	}
	if !info.Mode().IsRegular() {
		return nil, 0, &Error{Path: path, Found: quote.Kind(info), Want: "a " + string(formatOf(path)) + " picture"}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, &Error{Path: path, Err: err}
	}
	return file, info.Size(), nil
}

// readHeader reads the size of a frame and refuses one that the file cannot
// hold.
func readHeader(path string) (header, error) {
	file, length, err := openPicture(path)
	if err != nil {
		return header{}, err
	}
	defer file.Close()
	h, bad := formatOf(path).header(file, length)
	if bad != nil {
		bad.Path = path
		return h, bad
	}
	return h, nil
}

// fault puts an error of a decoder into words.
func (f format) fault(err error) *Error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &Error{Found: "the end of the file", Want: "a whole " + string(f) + " picture", Err: err}
	}
	return &Error{Err: err, Want: "a " + string(f) + " picture"}
}

// readPicture reads the levels of a picture and tells which pixels are holes; nil: none.
func readPicture[T uint8 | uint16](dst []T, path string, want header) (holes []bool, err error) {
	file, length, err := openPicture(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	holes, bad := decodePicture(formatOf(path), dst, file, length, want)
	if bad != nil {
		bad.Path = path
		return nil, bad
	}
	return holes, nil
}

// decodePicture reads the levels of a picture of format f, of which the header is expected
// to be want, or grey where that is coloured, and tells which pixels are holes.
func decodePicture[T uint8 | uint16](f format, dst []T, r io.ReadSeeker, length int64, want header) (holes []bool, bad *Error) {
	h, bad := f.header(r, length)
	if bad != nil {
		return nil, bad
	}
	turned := h.turned
	h.colour, h.turned, h.frames = h.colour || want.colour, want.turned, want.frames
	if h != want {
		return nil, &Error{Found: "another header than a moment ago", Want: "a file that nobody writes to"}
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, &Error{Err: err}
	}
	picture, err := f.decode(bufio.NewReader(r))
	if err != nil {
		return nil, f.fault(err)
	}
	holes = samples(dst, picture, len(dst)/(want.width*want.height))
	if turned > 1 {
		upright(dst, turned, want.width, want.height)
	}
	return holes, nil
}

// upright brings the pixels of a picture, width×height as it is seen, from the order in which it is stored: turned is EXIF's orientation, 2 to 8
// (CIPA DC-008, 4.6.5). A JPEG has no holes.
func upright[T uint8 | uint16](dst []T, turned, width, height int) {
	stored := slices.Clone(dst)
	channels := len(dst) / (width * height)
	for y := range height {
		for x := range width {
			row, column, across := y, x, width
			if turned > 4 { // rows are stored as columns
				row, column, across = x, y, height
			}
			rows := width * height / across
			if turned == 3 || turned == 4 || turned == 6 || turned == 7 {
				row = rows - 1 - row
			}
			if turned == 2 || turned == 3 || turned == 7 || turned == 8 {
				column = across - 1 - column
			}
			copy(dst[(y*width+x)*channels:][:channels], stored[(row*across+column)*channels:])
		}
	}
}

// samples copies the levels of a picture, channels (1 or 3) side by side, and tells which pixels are holes.
func samples[T uint8 | uint16](dst []T, picture image.Image, channels int) (holes []bool) {
	if p, ok := picture.(*image.Paletted); ok {
		picture = expand(p)
	}
	// The bytes of a picture are its levels, big-endian, with alpha behind
	// those of a coloured one. Grey with alpha looks like a coloured picture.
	switch p := picture.(type) {
	case *image.Gray:
		unpack(dst, p.Pix, p.Stride, p.Rect, 1, channels, level8)
	case *image.RGBA:
		unpack(dst, p.Pix, p.Stride, p.Rect, 4, channels, level8)
	case *image.NRGBA:
		unpack(dst, p.Pix, p.Stride, p.Rect, 4, channels, level8)
	case *image.Gray16:
		unpack(dst, p.Pix, p.Stride, p.Rect, 2, channels, level16)
	case *image.RGBA64:
		unpack(dst, p.Pix, p.Stride, p.Rect, 8, channels, level16)
	case *image.NRGBA64:
		unpack(dst, p.Pix, p.Stride, p.Rect, 8, channels, level16)
	case *image.YCbCr:
		unpackYCbCr(dst, p)
	default:
		panic(fmt.Sprintf("dataset: a picture of type %T", picture))
	}
	return holesOf(picture)
}

// level8 and level16 read sample i of a pixel.
func level8(pixel []uint8, i int) uint16  { return uint16(pixel[i]) }
func level16(pixel []uint8, i int) uint16 { return binary.BigEndian.Uint16(pixel[2*i:]) }

// unpack copies the first samples of each pixel of step bytes; grey ones
// (step 1 and 2) have one.
func unpack[T uint8 | uint16](dst []T, pix []uint8, stride int, r image.Rectangle, step, channels int, level func([]uint8, int) uint16) {
	at := 0
	for y := range r.Dy() {
		row := pix[y*stride:]
		for x := range r.Dx() {
			for c := range channels {
				if step <= 2 {
					c = 0
				}
				dst[at] = T(level(row[x*step:], c))
				at++
			}
		}
	}
}

// expand replaces the indices of a palette by its colours.
func expand(p *image.Paletted) *image.NRGBA {
	q := image.NewNRGBA(p.Rect)
	for i, index := range p.Pix {
		c := color.NRGBAModel.Convert(p.Palette[index]).(color.NRGBA)
		q.Pix[4*i], q.Pix[4*i+1], q.Pix[4*i+2], q.Pix[4*i+3] = c.R, c.G, c.B, c.A
	}
	return q
}

// transparent tells whether an opacity, of at most math.MaxUint16, is less than half: the pixel is a hole.
func transparent(alpha uint32) bool { return 2*alpha < math.MaxUint16 }

// holesOf tells which pixels are transparent, the rows one after the other; nil: none.
func holesOf(picture image.Image) (holes []bool) {
	if p, ok := picture.(interface{ Opaque() bool }); ok && p.Opaque() {
		return nil
	}
	r := picture.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if _, _, _, a := picture.At(x, y).RGBA(); transparent(a) {
				if holes == nil {
					holes = make([]bool, r.Dx()*r.Dy())
				}
				holes[(y-r.Min.Y)*r.Dx()+x-r.Min.X] = true
			}
		}
	}
	return holes
}

// inChannels returns pictures with so many channels (0: any), where they are grey: of three equal channels one, or of one three. Others are
// returned as they are. Pixels that are holes have any colour.
func inChannels(a *npy.Array, holes []bool, channels int) *npy.Array {
	switch data := a.Data.(type) {
	case []uint8:
		return greyIn(a, data, holes, channels)
	case []uint16:
		return greyIn(a, data, holes, channels)
	}
	return a
}

func greyIn[T uint8 | uint16](a *npy.Array, data []T, holes []bool, channels int) *npy.Array {
	coloured := len(a.Shape) == 4
	if coloured && channels != 1 || !coloured && channels != 3 {
		return a
	}
	shape, grey := a.Shape[:3], data
	if coloured {
		grey = make([]T, len(data)/3)
		for i := range grey {
			red, green, blue := data[3*i], data[3*i+1], data[3*i+2]
			if (red != green || red != blue) && (holes == nil || !holes[i]) {
				return a
			}
			grey[i] = red
		}
		return npy.New(grey, shape...)
	}
	all := make([]T, 0, 3*len(data))
	for _, v := range data {
		all = append(all, v, v, v)
	}
	return npy.New(all, append(slices.Clone(shape), 3)...)
}
