package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Limits on the size of a picture. They keep a slip in a flag or a header that
// lies from asking for all memory: to learn from a factor of n points takes several
// n×n matrices of 8-byte numbers, 2 GiB each for 16384 points. Predictions do not.
const (
	maxSide     = 1 << 14 // pixels along one side
	maxPoints   = 1 << 26 // pixels of a picture
	maxChannels = 1 << 10
	maxColumns  = 1 << 16 // of a table

	maxJoint  = 1 << 14 // points of one joint factor to learn from
	autoJoint = 2048    // points up to which "auto" chooses the joint factor
)

// ParseGrid reads the size of a picture, WIDTHxHEIGHT, such as "20x28" for
// pictures of 28 rows and 20 columns. Sides are 1 to 16384, and a picture has
// at most 2²⁶ pixels.
func ParseGrid(s string) (width, height int, err error) {
	w, h, ok := strings.Cut(s, "x")
	width, okW := parseSide(w)
	height, okH := parseSide(h)
	if !ok || !okW || !okH {
		return 0, 0, fmt.Errorf("grid %s: expected WIDTHxHEIGHT such as 20x28, sides of 1 to %d", quote.Text(s), maxSide)
	}
	if width*height > maxPoints {
		return 0, 0, fmt.Errorf("grid %s: %d points, expected at most %d", quote.Text(s), width*height, maxPoints)
	}
	return width, height, nil
}

// parseSide reads plain digits: no sign, no blank, no leading zero.
func parseSide(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && 1 <= n && n <= maxSide && strconv.Itoa(n) == s
}

// FormatGrid is the inverse of [ParseGrid].
func FormatGrid(width, height int) string {
	return strconv.Itoa(width) + "x" + strconv.Itoa(height)
}

// Grid returns the points of pictures of the given size, factor by factor. Coordinates are
// pixels, counted from 0: (row, column).
//
//	"joint"    one factor of height·width points (row, column)
//	"product"  a factor of height rows, then one of width columns (the faster)
//	"auto"     joint up to 2048 points, product beyond
//
// In all cases point row·width + column of the grid is pixel (row, column).
// Another word and a joint factor of more than 16384 points are errors. It
// panics if the size is not within the limits of [ParseGrid].
func Grid(width, height int, factors string) (sgplvm.Grid, error) {
	if width < 1 || height < 1 || width > maxSide || height > maxSide || width*height > maxPoints {
		panic(fmt.Sprintf("dataset: Grid: no grid of %d×%d points", width, height))
	}
	points := width * height
	if factors == "auto" {
		factors = "joint"
		if points > autoJoint {
			factors = "product"
		}
	}
	switch factors {
	case "joint":
		if points > maxJoint {
			return nil, fmt.Errorf("factors joint: a grid of %s has %d points, expected at most %d (larger pictures take product)",
				FormatGrid(width, height), points, maxJoint)
		}
		xy := make([]float64, 0, 2*points)
		for row := range height {
			for column := range width {
				xy = append(xy, float64(row), float64(column))
			}
		}
		return factor(xy, 2), nil
	case "product":
		return append(factor(count(height), 1), factor(count(width), 1)...), nil
	}
	return nil, fmt.Errorf("factors %s: expected joint, product or auto", quote.Text(factors))
}

// factor returns a grid of one factor: points of d coordinates each.
func factor(coordinates []float64, d int) sgplvm.Grid {
	g := make(sgplvm.Grid, 1)
	g[0].Rows, g[0].Cols = len(coordinates)/d, d
	g[0].RowStride, g[0].ColStride = d, 1
	g[0].Data = coordinates
	return g
}

// count returns 0, 1, …, n−1.
func count(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

// maxDimensions bounds the coordinates of a scattered point.
const maxDimensions = 64

// upTo returns 0, 1, …, n−1.
func upTo(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}

// nans returns n missing values.
func nans(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
