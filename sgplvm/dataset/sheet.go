package dataset

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"path/filepath"
)

// Picture is a picture to be drawn: the values of its pixels, the rows one after
// the other, the channels of a pixel side by side. Three channels are red, green
// and blue; of any other number the first one is drawn in grey. A pixel with a
// NaN in a channel that is drawn is missing.
type Picture struct {
	Layout
	Values []float64 // Points()·Channels numbers
}

// Picture returns a frame for drawing.
func (f *Frames) Picture(frame int) Picture {
	return Picture{f.Layout, f.Values(frame)}
}

// A Sheet is a table of pictures with captions.
type Sheet struct {
	// Columns are the captions above the columns, such as "seen", "filled" and
	// "truth"; none if empty.
	Columns []string

	// Rows are the rows of pictures.
	Rows []SheetRow

	// Low and High are the values drawn black and white, High > Low. Between them
	// the level is linear; beyond them it is clamped.
	Low, High float64

	// Zoom draws each pixel as Zoom×Zoom pixels. Default: as much as makes the
	// largest side of a picture about 128, at least 1.
	Zoom int

	// Gap is the distance between pictures and to the edge, in pixels of the sheet.
	// Default 8.
	Gap int
}

// SheetRow is a row of pictures with its caption to the left.
type SheetRow struct {
	Label    string // none if empty
	Pictures []Picture
}

// The colours of a sheet without its captions. Missing differs from every grey.
var (
	paper   = color.RGBA{255, 255, 255, 255}
	missing = color.RGBA{60, 90, 200, 255}
)

// Image draws the sheet. It panics if High is not above Low or a picture does
// not hold as many values as its layout says.
func (s *Sheet) Image() image.Image {
	if !(s.High > s.Low) {
		panic(fmt.Sprintf("dataset: Sheet: values from %v to %v", s.Low, s.High))
	}
	zoom, gap := s.zoom(), s.Gap
	if gap <= 0 {
		gap = 8
	}
	// Column widths and row heights, captions included.
	left, top := 0, gap
	var widths, heights []int
	for _, row := range s.Rows {
		if w := textWidth(row.Label); w > 0 {
			left = max(left, gap+w)
		}
		height := glyphHeight
		for k, p := range row.Pictures {
			p.check()
			if k == len(widths) {
				widths = append(widths, 0)
			}
			widths[k] = max(widths[k], zoom*p.Width)
			height = max(height, zoom*p.Height)
		}
		heights = append(heights, height)
	}
	for k, caption := range s.Columns {
		if k < len(widths) {
			widths[k] = max(widths[k], textWidth(caption))
		}
		top = 2*gap + glyphHeight
	}
	width, height := left+gap, top
	for _, w := range widths {
		width += w + gap
	}
	for _, h := range heights {
		height += h + gap
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	y := top
	for r, row := range s.Rows {
		drawText(img, gap, y+(heights[r]-glyphHeight)/2, row.Label)
		x := left + gap
		for k, p := range row.Pictures {
			s.drawPicture(img, x, y, zoom, p)
			x += widths[k] + gap
		}
		y += heights[r] + gap
	}
	x := left + gap
	for k, w := range widths {
		if k < len(s.Columns) {
			drawText(img, x, gap, s.Columns[k])
		}
		x += w + gap
	}
	return img
}

func (s *Sheet) zoom() int {
	if s.Zoom > 0 {
		return s.Zoom
	}
	side := 1
	for _, row := range s.Rows {
		for _, p := range row.Pictures {
			side = max(side, p.Width, p.Height)
		}
	}
	return max(1, (128+side/2)/side)
}

func (p Picture) check() {
	if p.Width < 0 || p.Height < 0 || p.Channels < 1 || len(p.Values) != p.size() {
		panic(fmt.Sprintf("dataset: a picture of %d values for %s pixels and %d channels", len(p.Values), FormatGrid(p.Width, p.Height), p.Channels))
	}
}

// drawPicture draws one picture with its top left corner at (x, y).
func (s *Sheet) drawPicture(img *image.RGBA, x, y, zoom int, p Picture) {
	for i := range p.Points() {
		v := p.Values[i*p.Channels : (i+1)*p.Channels]
		c := color.RGBA{A: 255}
		c.R = uint8(level(v[0], s.Low, s.High, 255))
		c.G, c.B = c.R, c.R
		lost := math.IsNaN(v[0])
		if p.Channels == 3 {
			c.G = uint8(level(v[1], s.Low, s.High, 255))
			c.B = uint8(level(v[2], s.Low, s.High, 255))
			lost = lost || math.IsNaN(v[1]) || math.IsNaN(v[2])
		}
		if lost {
			c = missing
		}
		corner := image.Pt(x+i%p.Width*zoom, y+i/p.Width*zoom)
		draw.Draw(img, image.Rectangle{corner, corner.Add(image.Pt(zoom, zoom))}, image.NewUniform(c), image.Point{}, draw.Src)
	}
}

// level maps low…high to 0…top, rounded and clamped. NaN is 0.
func level(v, low, high, top float64) uint16 {
	t := math.Round((v - low) / (high - low) * top)
	if !(t > 0) {
		return 0
	}
	return uint16(min(t, top))
}

// SavePNG writes a picture as a PNG file, as [WriteFileAtomic] does.
func SavePNG(path string, picture image.Image) error {
	return WriteFileAtomic(path, func(w io.Writer) error { return png.Encode(w, picture) })
}

// SaveFrame writes a picture of one or three channels as number i, frame0000.png for 0, to a
// folder that exists. Values from low to high become levels from 0 to 255 (bits = 8) or
// 65535 (bits = 16), rounded and clamped, so that what [Load] reads from a folder and
// SaveFrame writes with low 0 and high 255 or 65535 are the same pictures. A file is written
// as a whole or not at all. Errors: [*Error] for NaN, for other numbers of channels and for
// what the file system refuses. It panics unless low < high and bits is 8 or 16.
func SaveFrame(folder string, i int, p Picture, low, high float64, bits int) error {
	if p.check(); !(high > low) || bits != 8 && bits != 16 {
		panic(fmt.Sprintf("dataset: SaveFrame: values from %v to %v in %d bits", low, high, bits))
	}
	path := filepath.Join(folder, fmt.Sprintf("frame%04d.png", i))
	img, err := p.image(low, high, bits)
	if err == nil {
		err = SavePNG(path, img)
	}
	if e, ok := err.(*Error); ok && e.Path == "" {
		e.Path = path
	}
	return err
}

// image turns levels into a picture of 8 or 16 bits.
func (p Picture) image(low, high float64, bits int) (image.Image, error) {
	if p.Channels != 1 && p.Channels != 3 {
		return nil, &Error{Found: counted(p.Channels, "channel"), Want: "1 (grey) or 3 (red, green, blue)"}
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
			point := i / p.Channels
			return nil, &Error{Place: fmt.Sprintf("row %d, column %d, channel %d", point/p.Width, point%p.Width, i%p.Channels),
				Found: "NaN", Want: "a number"}
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
