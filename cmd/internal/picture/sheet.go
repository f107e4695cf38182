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

	// Across is how many blocks of rows stand beside one another. Default 1.
	Across int

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
	zoom, l := s.zoom(), s.plan()
	img := image.NewRGBA(image.Rect(0, 0, l.width(), l.height()))
	draw.Draw(img, img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	for r, row := range s.Rows {
		block, y := r/l.rows*l.block(), l.top
		for _, h := range l.heights[:r%l.rows] {
			y += h + l.gap
		}
		drawText(img, block+l.gap, y+(l.heights[r%l.rows]-textHeight)/2, row.Label)
		x := block + l.left + l.gap
		for k, p := range row.Pictures {
			s.drawPicture(img, x, y, zoom, p)
			x += l.widths[k] + l.gap
		}
	}
	for b := range l.across {
		x := b*l.block() + l.left + l.gap
		for k, w := range l.widths {
			if k < len(s.Columns) {
				drawText(img, x, l.gap, s.Columns[k])
			}
			x += w + l.gap
		}
	}
	return img
}

// A plan is where the parts of a sheet are: blocks of rows beside one another.
type plan struct {
	gap, left, top  int // left is the width of labels with the gap before them, top the height of captions with their gaps
	across, rows    int // blocks, and rows of each
	widths, heights []int
}

// block is the width of a block of rows.
func (l *plan) block() int {
	width := l.left
	for _, w := range l.widths {
		width += w + l.gap
	}
	return width
}

func (l *plan) width() int { return l.across*l.block() + l.gap }

func (l *plan) height() int {
	height := l.top
	for _, h := range l.heights {
		height += h + l.gap
	}
	return height
}

// plan finds the places of a sheet's parts.
func (s *Sheet) plan() *plan {
	zoom := s.zoom()
	l := &plan{gap: s.Gap, across: max(1, s.Across)}
	if l.gap <= 0 {
		l.gap = 8
	}
	l.top = l.gap
	l.rows = (len(s.Rows) + l.across - 1) / l.across
	l.heights = make([]int, l.rows)
	for r, row := range s.Rows {
		if w := textWidth(row.Label); w > 0 {
			l.left = max(l.left, l.gap+w)
			l.heights[r%l.rows] = max(l.heights[r%l.rows], textHeight)
		}
		height := 0
		for k, p := range row.Pictures {
			p.check()
			if k == len(l.widths) {
				l.widths = append(l.widths, 0)
			}
			l.widths[k] = max(l.widths[k], zoom*p.Width)
			height = max(height, zoom*p.Height)
		}
		l.heights[r%l.rows] = max(l.heights[r%l.rows], height)
	}
	for k, caption := range s.Columns {
		if k < len(l.widths) {
			l.widths[k] = max(l.widths[k], textWidth(caption))
		}
		l.top = 2*l.gap + textHeight
	}
	return l
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
	low, high := s.Low, s.High
	if p.Own.High > p.Own.Low {
		low, high = p.Own.Low, p.Own.High
	}
	for i := range p.Points() {
		v := p.Values[i*p.Channels : (i+1)*p.Channels]
		c := color.RGBA{A: 255}
		c.R = uint8(level(v[0], low, high, 255))
		c.G, c.B = c.R, c.R
		lost := math.IsNaN(v[0])
		if p.Channels == 3 {
			c.G = uint8(level(v[1], low, high, 255))
			c.B = uint8(level(v[2], low, high, 255))
			lost = lost || math.IsNaN(v[1]) || math.IsNaN(v[2])
		}
		if lost {
			c = missing
		}
		corner := image.Pt(x+i%p.Width*zoom, y+i/p.Width*zoom)
		draw.Draw(img, image.Rectangle{corner, corner.Add(image.Pt(zoom, zoom))}, image.NewUniform(c), image.Point{}, draw.Src)
	}
}
