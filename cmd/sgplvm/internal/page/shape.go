package page

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// How large fields are on the page.
const (
	maxSide    = 128   // pixels of a picture
	maxPoints  = 16384 // scattered points
	maxColumns = 64    // of a table
)

// The forms of fields.
const (
	kindPicture = "picture" // pixels
	kindCurve   = "curve"   // points on a line
	kindPoints  = "points"  // points in a plane
	kindTable   = "table"   // columns
)

// A shape is the form of a field on the page: some of the model's points, in their order, and some of its channels.
type shape struct {
	Kind     string    `json:"kind"`
	Width    int       `json:"width"`
	Height   int       `json:"height"`
	Channels int       `json:"channels"` // shown, side by side
	Across   []float64 `json:"across,omitempty"`
	Down     []float64 `json:"down,omitempty"` // coordinates of points

	points   []int       // which of the model's points; nil: all
	grid     sgplvm.Grid // of these points
	channels int         // of the model
	of       int         // the model's points
	row      int         // the model's pixels in a row of a picture; 0 where there is none
}

// shapeOf returns the form in which the fields of a model are shown, pictures at most side pixels wide and high.
func shapeOf(m *sgplvm.Model, side int) shape {
	g := m.Grid()
	s := shape{Kind: kindTable, Width: 1, Height: 1, Channels: min(m.Channels(), maxColumns), grid: g, channels: m.Channels(), of: g.Len()}
	if engine.Table(m) {
		return s
	}
	if s.Channels != 3 {
		s.Channels = 1
	}
	if pixels, err := engine.PixelGrid("report", "", m, ""); err == nil {
		s.pixels(g, pixels.Layout.Width, pixels.Layout.Height, side)
		return s
	}
	s.scatter(g)
	return s
}

// pixels takes every k-th row and column, so that points stay points of training.
func (s *shape) pixels(g sgplvm.Grid, width, height, side int) {
	step := (max(width, height) + side - 1) / side
	s.row = width
	s.Kind, s.Width, s.Height = kindPicture, (width+step-1)/step, (height+step-1)/step
	if step == 1 {
		return
	}
	for y := 0; y < height; y += step {
		for x := 0; x < width; x += step {
			s.points = append(s.points, y*width+x)
		}
	}
	if len(g) == 2 && g[0].Rows == height && g[1].Rows == width {
		s.grid = sgplvm.Grid{every(g[0], step), every(g[1], step)}
	} else {
		s.grid = sgplvm.Grid{gather(g[0], s.points)}
	}
}

// scatter takes every k-th of scattered points.
func (s *shape) scatter(g sgplvm.Grid) {
	s.Kind = kindPoints
	if len(g) != 1 { // points that no picture orders: a line of them
		s.Kind = kindCurve
		s.Width = g.Len()
		for i := range s.Width {
			s.Across = append(s.Across, float64(i))
		}
		return
	}
	step := (g[0].Rows + maxPoints - 1) / maxPoints
	for i := 0; i < g[0].Rows; i += step {
		s.points = append(s.points, i)
	}
	s.grid = sgplvm.Grid{gather(g[0], s.points)}
	s.Width = len(s.points)
	for i := range s.Width {
		s.Across = append(s.Across, s.grid[0].At(i, 0))
		if g[0].Cols > 1 {
			s.Down = append(s.Down, s.grid[0].At(i, 1))
		}
	}
	if g[0].Cols == 1 {
		s.Kind = kindCurve
	} else { // the first coordinate runs down, as that of pictures does
		s.Across, s.Down = s.Down, s.Across
	}
}

// every returns every k-th row.
func every(x mat.Matrix, step int) mat.Matrix {
	var rows []int
	for i := 0; i < x.Rows; i += step {
		rows = append(rows, i)
	}
	return gather(x, rows)
}

func gather(x mat.Matrix, rows []int) mat.Matrix {
	g := mat.New(len(rows), x.Cols)
	for k, i := range rows {
		for j := range x.Cols {
			g.Set(k, j, x.At(i, j))
		}
	}
	return g
}

// plane tells whether fields have pixels, or points in a plane.
func (s *shape) plane() bool { return s.Kind == kindPicture || s.Kind == kindPoints }

// size returns how many points a field has on the page, values those with their channels.
func (s *shape) size() int { return s.Width * s.Height }

func (s *shape) values() int { return s.size() * s.Channels }

// cut returns what the page shows of a whole field, points by the model's channels.
func (s *shape) cut(field []float64) []float64 {
	v := make([]float64, 0, s.values())
	for i := range s.size() {
		at := i
		if s.points != nil {
			at = s.points[i]
		}
		v = append(v, field[at*s.channels:at*s.channels+s.Channels]...)
	}
	return v
}

// columns takes from a matrix of fields over the shape's points those of the channels that are shown.
func (s *shape) columns(a mat.Matrix) mat.Matrix {
	if s.Channels == s.channels {
		return a
	}
	c := mat.New(a.Rows, s.values())
	for i := range a.Rows {
		for j := range c.Cols {
			c.Row(i)[j] = a.At(i, j/s.Channels*s.channels+j%s.Channels)
		}
	}
	return c
}

// text names the form in words.
func (s *shape) text(m *sgplvm.Model) string {
	switch s.Kind {
	case kindPicture:
		pixels, _ := engine.PixelGrid("report", "", m, "")
		return fmt.Sprintf("%d×%d pixels", pixels.Layout.Width, pixels.Layout.Height)
	case kindTable:
		return fmt.Sprintf("%d columns", s.channels)
	}
	return fmt.Sprintf("%d points", s.of)
}
