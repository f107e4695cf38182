package dataset

import (
	"fmt"
	"strconv"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// Layout is the size of a picture. In what is asked for, 0 stands for any
// width, height or number of channels.
type Layout struct{ Width, Height, Channels int }

// single is the layout of one number.
var single = Layout{1, 1, 1}

// A mismatch says why a shape is not that of frames.
type mismatch struct{ found, want string }

// wantShapes are those of arrays of frames.
const wantShapes = "n×columns (a table; pictures with a grid), n×height×width or n×height×width×channels"

// layoutOf finds the size of the pictures in an array; those of a table have one pixel.
func layoutOf(shape []int, want Layout) (Layout, *mismatch) {
	switch len(shape) {
	case 2, 3, 4:
	case 1:
		return Layout{}, &mismatch{"1 axis", wantShapes}
	default:
		return Layout{}, &mismatch{strconv.Itoa(len(shape)) + " axes", wantShapes}
	}
	if shape[0] == 0 {
		return Layout{}, &mismatch{"no frame", "at least one"}
	}
	if isTable(shape, want) {
		return layoutOfTable(shape[1], want)
	}
	if len(shape) == 2 {
		return layoutOfRows(shape[1], want)
	}
	got := Layout{Height: shape[1], Width: shape[2], Channels: 1}
	if len(shape) == 4 {
		got.Channels = shape[3]
	}
	if bad := got.check(); bad != nil {
		return Layout{}, bad
	}
	if want.Width != 0 && want.Width != got.Width || want.Height != 0 && want.Height != got.Height {
		return Layout{}, &mismatch{"pictures of " + FormatGrid(got.Width, got.Height) + " (width x height)", want.grid()}
	}
	if want.Channels != 0 && want.Channels != got.Channels {
		return Layout{}, &mismatch{quote.Counted(got.Channels, "channel"), strconv.Itoa(want.Channels)}
	}
	return got, nil
}

// isTable reports whether an array is a table: rows for which no grid was asked.
func isTable(shape []int, want Layout) bool {
	return len(shape) == 2 && want.Width == 0 && want.Height == 0
}

// layoutOfTable returns the size of the rows of a table.
func layoutOfTable(columns int, want Layout) (Layout, *mismatch) {
	if columns < 1 || columns > maxColumns {
		return Layout{}, &mismatch{"a table of " + quote.Counted(columns, "column"), fmt.Sprintf("1 to %d", maxColumns)}
	}
	if want.Channels != 0 && want.Channels != columns {
		return Layout{}, &mismatch{fmt.Sprintf("rows of %d values and no grid", columns), fmt.Sprintf("a table of %s, or pictures and a grid, WIDTHxHEIGHT", quote.Counted(want.Channels, "column"))}
	}
	return Layout{Width: 1, Height: 1, Channels: columns}, nil
}

// layoutOfRows divides rows of p values into pictures of the given grid.
func layoutOfRows(p int, want Layout) (Layout, *mismatch) {
	if want.Width == 0 || want.Height == 0 {
		return Layout{}, &mismatch{fmt.Sprintf("rows of %d values and no grid", p), "a grid, WIDTHxHEIGHT, to divide them"}
	}
	got := want
	if got.Channels == 0 {
		got.Channels = 1
	}
	if bad := got.check(); bad != nil {
		return Layout{}, bad
	}
	points := got.Width * got.Height
	if int64(points)*int64(got.Channels) == int64(p) {
		return got, nil
	}
	expected := fmt.Sprintf("%d for %s and %s", int64(points)*int64(got.Channels), want.grid(), quote.Counted(got.Channels, "channel"))
	if p%points != 0 {
		expected += fmt.Sprintf(" (%d points do not divide the row)", points)
	} else if n := p / points; n > 0 && n <= maxChannels {
		expected += fmt.Sprintf(" (%s would fit)", quote.Counted(n, "channel"))
	}
	return Layout{}, &mismatch{fmt.Sprintf("rows of %d values", p), expected}
}

// check holds a size against the limits.
func (l Layout) check() *mismatch {
	if l.Width < 1 || l.Height < 1 || l.Width > maxSide || l.Height > maxSide || l.Width*l.Height > maxPoints {
		return &mismatch{"pictures of " + FormatGrid(l.Width, l.Height) + " (width x height)",
			fmt.Sprintf("sides of 1 to %d and at most %d pixels", maxSide, maxPoints)}
	}
	if l.Channels < 1 || l.Channels > maxChannels {
		return &mismatch{quote.Counted(l.Channels, "channel"), fmt.Sprintf("1 to %d", maxChannels)}
	}
	return nil
}

// grid names the grid that was asked for.
func (l Layout) grid() string {
	switch {
	case l.Height == 0:
		return fmt.Sprintf("a width of %d", l.Width)
	case l.Width == 0:
		return fmt.Sprintf("a height of %d", l.Height)
	}
	return "a grid of " + FormatGrid(l.Width, l.Height)
}

// Points returns the number of pixels of a picture, n_s.
func (l Layout) Points() int { return l.Width * l.Height }

// size returns the number of values of a picture.
func (l Layout) size() int { return l.Width * l.Height * l.Channels }
