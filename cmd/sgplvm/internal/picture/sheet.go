package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
)

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
		panic(fmt.Sprintf("picture: Sheet: values from %v to %v", s.Low, s.High))
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
