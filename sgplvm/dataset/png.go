package dataset

import (
	"bufio"
	"cmp"
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

// maxDeflate bounds the ratio at which deflate, the compression of PNG, can
// shrink data (zlib's technical notes: 1032 to 1).
const maxDeflate = 1032

// A header is what can be known of a picture without decoding it.
type header struct {
	width, height int
	bits          int // of a sample as it is delivered: 8 or 16
	colour        bool
}

// readFolder reads all pictures of a folder: first all headers, which decide
// about size and type, then the pixels.
func readFolder(path string) (*npy.Array, error) {
	f, err := openFolder(path)
	if err != nil {
		return nil, err
	}
	size := f.size() * len(f.names)
	if f.all.bits == 16 {
		data, err := readPixels[uint16](f.path, f.names, f.all, size)
		return &npy.Array{Shape: f.shape, Type: npy.Uint16, Data: data}, err
	}
	data, err := readPixels[uint8](f.path, f.names, f.all, size)
	return &npy.Array{Shape: f.shape, Type: npy.Uint8, Data: data}, err
}

// A folder of pictures, of which the headers were read.
type folder struct {
	path  string
	names []string
	all   header // of every frame; coloured if one is
	shape []int  // n×h×w or n×h×w×3
}

// size returns the number of values of a frame.
func (f *folder) size() int {
	n := 1
	for _, d := range f.shape[1:] {
		n *= d
	}
	return n
}

// readFrame reads the values of one frame.
func (f *folder) readFrame(dst []float64, frame int) error {
	a := &npy.Array{Shape: f.shape[1:], Type: npy.Uint8}
	var err error
	if f.all.bits == 16 {
		a.Type = npy.Uint16
		a.Data, err = readPixels[uint16](f.path, f.names[frame:frame+1], f.all, f.size())
	} else {
		a.Data, err = readPixels[uint8](f.path, f.names[frame:frame+1], f.all, f.size())
	}
	if err != nil {
		return err
	}
	a.CopyFloat64s(dst, 0)
	return nil
}

// openFolder reads the headers of all pictures of a folder, which decide about size
// and type.
func openFolder(path string) (*folder, error) {
	names, err := pictureNames(path)
	if err != nil {
		return nil, err
	}
	var all header
	for i, name := range names {
		h, err := readHeader(filepath.Join(path, name))
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			all = h
		case h.width != all.width || h.height != all.height:
			return nil, &Error{Path: filepath.Join(path, name), Found: FormatGrid(h.width, h.height) + " pixels",
				Want: FormatGrid(all.width, all.height) + " as in " + quote.Line(names[0])}
		case h.bits != all.bits:
			return nil, &Error{Path: filepath.Join(path, name), Found: fmt.Sprintf("%d bits a sample", h.bits),
				Want: fmt.Sprintf("%d as in %s", all.bits, quote.Line(names[0]))}
		}
		all.colour = all.colour || h.colour
	}
	shape := []int{len(names), all.height, all.width}
	if all.colour {
		shape = append(shape, 3)
	}
	size := int64(all.bits / 8)
	for _, d := range shape {
		if size > math.MaxInt/int64(d) {
			return nil, &Error{Path: path, Found: fmt.Sprintf("%d frames of %s pixels", len(names), FormatGrid(all.width, all.height)),
				Want: fmt.Sprintf("at most %d bytes", math.MaxInt)}
		}
		size *= int64(d)
	}
	return &folder{path, names, all, shape}, nil
}

// pictureNames returns the names of the pictures in a folder, in the order of the
// frames.
func pictureNames(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, &Error{Path: folder, Err: err}
	}
	var names []string
	for _, e := range entries {
		if n := e.Name(); formatOf(n) != "" && n[0] != '.' {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return nil, &Error{Path: folder, Found: "no frame", Want: "files whose names end in .png, .jpg or .jpeg"}
	}
	slices.SortFunc(names, compareNames)
	return names, nil
}

// compareNames orders names by their parts, where a run of digits is one part
// and counts as a number; names with equal parts (a1, a01) as plain strings.
func compareNames(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		dx, dy := digits(x), digits(y)
		if dx == 0 || dy == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		nx, ny := strings.TrimLeft(x[:dx], "0"), strings.TrimLeft(y[:dy], "0")
		if c := cmp.Or(cmp.Compare(len(nx), len(ny)), cmp.Compare(nx, ny)); c != 0 {
			return c
		}
		x, y = x[dx:], y[dy:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// digits returns the length of the run of digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
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
		return nil, 0, &Error{Path: path, Found: kindOf(info), Want: "a " + string(formatOf(path)) + " picture"}
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

// pngHeader is the header of a PNG file of length bytes.
func pngHeader(r io.Reader, length int64) (header, *Error) {
	b := bufio.NewReader(r)
	// Signature, length and name of the first chunk, then IHDR: width, height,
	// bits a sample, colour type.
	var ihdr [26]byte
	if start, err := b.Peek(len(ihdr)); err == nil {
		copy(ihdr[:], start)
	}
	config, err := png.DecodeConfig(b)
	if err != nil {
		return header{}, pngFormat.fault(err)
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
	size := Layout{Width: h.width, Height: h.height, Channels: 1}
	if bad := size.check(); bad != nil {
		return h, &Error{Found: bad.found, Want: bad.want}
	}
	if least := int64(h.width*h.height) / 8 * int64(samples*bits) / maxDeflate; least > length {
		return h, &Error{Found: fmt.Sprintf("%d bytes for %s pixels", length, FormatGrid(h.width, h.height)),
			Want: fmt.Sprintf("at least %d", least)}
	}
	return h, nil
}

// grey tells whether a palette holds greys alone.
func grey(m color.Model) bool {
	palette, _ := m.(color.Palette)
	return !slices.ContainsFunc(palette, func(c color.Color) bool {
		r, g, b, _ := c.RGBA()
		return r != g || g != b
	})
}

// fault puts an error of a decoder into words.
func (f format) fault(err error) *Error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &Error{Found: "the end of the file", Want: "a whole " + string(f) + " picture", Err: err}
	}
	return &Error{Err: err, Want: "a " + string(f) + " picture"}
}

// readPixels decodes all frames. A frame that has changed since its header was
// read is refused.
func readPixels[T uint8 | uint16](folder string, names []string, want header, size int) ([]T, error) {
	data := make([]T, size)
	n := size / len(names)
	for i, name := range names {
		path := filepath.Join(folder, name)
		if err := readPicture(data[i*n:(i+1)*n], path, want); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func readPicture[T uint8 | uint16](dst []T, path string, want header) error {
	file, length, err := openPicture(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if bad := decodePicture(formatOf(path), dst, file, length, want); bad != nil {
		bad.Path = path
		return bad
	}
	return nil
}

// decodePicture reads the levels of a picture of format f, of which the header is expected
// to be want, or grey where that is coloured.
func decodePicture[T uint8 | uint16](f format, dst []T, r io.ReadSeeker, length int64, want header) *Error {
	h, bad := f.header(r, length)
	if bad != nil {
		return bad
	}
	h.colour = h.colour || want.colour
	if h != want {
		return &Error{Found: "another header than a moment ago", Want: "a file that nobody writes to"}
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return &Error{Err: err}
	}
	picture, err := f.decode(bufio.NewReader(r))
	if err != nil {
		return f.fault(err)
	}
	return samples(dst, picture, len(dst)/(want.width*want.height))
}

// samples copies the levels of a picture, channels (1 or 3) side by side.
func samples[T uint8 | uint16](dst []T, picture image.Image, channels int) *Error {
	if err := checkOpaque(picture); err != nil {
		return err
	}
	if p, ok := picture.(*image.Paletted); ok {
		picture = expand(p)
	}
	// The bytes of an opaque picture are its levels, big-endian, with alpha behind
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
	return nil
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
func expand(p *image.Paletted) *image.RGBA {
	q := image.NewRGBA(p.Rect)
	for i, index := range p.Pix {
		c := color.RGBAModel.Convert(p.Palette[index]).(color.RGBA)
		q.Pix[4*i], q.Pix[4*i+1], q.Pix[4*i+2], q.Pix[4*i+3] = c.R, c.G, c.B, c.A
	}
	return q
}

// checkOpaque finds the first pixel that is not opaque.
func checkOpaque(picture image.Image) *Error {
	if p, ok := picture.(interface{ Opaque() bool }); ok && p.Opaque() {
		return nil
	}
	r := picture.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if _, _, _, a := picture.At(x, y).RGBA(); a != math.MaxUint16 {
				return &Error{Place: fmt.Sprintf("row %d, column %d", y-r.Min.Y, x-r.Min.X), Found: "a transparent pixel",
					Want: "an opaque picture"}
			}
		}
	}
	return nil
}
