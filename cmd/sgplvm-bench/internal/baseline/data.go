package baseline

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Data are complete training pictures, in the user's units. They must not change
// while a method is fitted or used.
type Data struct {
	// Points is the grid, n_s×d_s: one point a row.
	Points mat.Matrix

	// Channels is d_y. Default 1.
	Channels int

	// Pictures is n×(n_s·d_y): one picture a row, point by point, the channels of
	// a point side by side.
	Pictures mat.Matrix
}

// Options steer fitting. The zero value works.
type Options struct {
	// Masks are patterns of observed values (n_s·d_y each, true where observed),
	// under which cross-validation hides values of training pictures: those that
	// are expected later. Default: 40 random ones with half of the points observed.
	Masks [][]bool

	// Folds is the number of parts that cross-validation leaves out in turn, at
	// most the number of pictures. Default 10.
	Folds int

	// Cases bounds the number of pairs of a held-out picture and a mask, at least
	// one for each fold. Default 200.
	Cases int

	// Seed decides everything random: folds and masks.
	Seed uint64
}

// Prediction is what is known of pictures of which a part was observed, a
// picture a row as in Data, in the user's units.
type Prediction struct {
	Mean     mat.Matrix // N×(n_s·d_y); the value itself where it was observed
	Variance mat.Matrix // N×(n_s·d_y), noise included; 0 where it was observed
}

// Parameter is a number that was selected by the training data.
type Parameter struct {
	Name  string
	Value float64
}

// A SizeError reports that there are too few of something, or that counts do not
// fit together.
type SizeError struct {
	What  string
	Found int
	Want  string
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("baseline: %s: found %d, expected %s", e.What, e.Found, e.Want)
}

// A ValueError reports a number that cannot be used; indices count from 0.
type ValueError struct {
	What  string // what is numbered Row: "training picture", "picture", "point"
	Row   int
	Col   int // of a picture: point·d_y + channel; of a point: the coordinate
	Value float64
	Want  string
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("baseline: %s %d, value %d: found %v, expected %s", e.What, e.Row, e.Col, e.Value, e.Want)
}

// check fills in defaults and refuses what cannot be used.
func (d *Data) check() error {
	if d.Channels == 0 {
		d.Channels = 1
	}
	p := d.Points.Rows * d.Channels
	switch {
	case d.Channels < 0:
		return &SizeError{"channels", d.Channels, "at least 1"}
	case p == 0:
		return &SizeError{"points", d.Points.Rows, "at least 1"}
	case d.Pictures.Cols != p:
		return &SizeError{"values of a training picture", d.Pictures.Cols, fmt.Sprintf("%d, %d points × %d channels", p, d.Points.Rows, d.Channels)}
	case d.Pictures.Rows < 3:
		return &SizeError{"training pictures", d.Pictures.Rows, "at least 3"}
	}
	if i, j, found := mat.NonFinite(d.Points); found {
		return &ValueError{"point", i, j, d.Points.At(i, j), "a finite number"}
	}
	if i, j, found := mat.NonFinite(d.Pictures); found {
		return &ValueError{"training picture", i, j, d.Pictures.At(i, j), "a finite number"}
	}
	if d.Pictures.ColStride != 1 {
		d.Pictures = d.Pictures.Clone()
	}
	return nil
}

// check fills in defaults and refuses what cannot be used with data that have
// been checked.
func (o *Options) check(d Data) error {
	n, p := d.Pictures.Rows, d.Pictures.Cols
	switch {
	case o.Folds < 0 || o.Folds == 1:
		return &SizeError{"folds", o.Folds, "at least 2"}
	case o.Cases < 0:
		return &SizeError{"cases", o.Cases, "at least 1"}
	case o.Masks != nil && len(o.Masks) == 0:
		return &SizeError{"masks", 0, "at least 1"}
	}
	if o.Folds == 0 {
		o.Folds = 10
	}
	if o.Cases == 0 {
		o.Cases = 200
	}
	o.Folds = min(o.Folds, n)
	for k, m := range o.Masks {
		if len(m) != p {
			return &SizeError{"values of a mask", len(m), fmt.Sprintf("%d, as many as of a picture", p)}
		}
		if !slices.Contains(m, false) {
			return &SizeError{fmt.Sprintf("mask %d hides no value", k), 0, "at least one"}
		}
	}
	if o.Masks == nil {
		o.Masks = randomMasks(rand.New(rand.NewPCG(o.Seed, 0x6d61736b)), 40, d.Points.Rows, d.Channels)
	}
	return nil
}

// randomMasks returns masks that show half of the points, all channels of each.
func randomMasks(rng *rand.Rand, count, points, channels int) [][]bool {
	masks := make([][]bool, count)
	for k := range masks {
		masks[k] = make([]bool, points*channels)
		for _, i := range rng.Perm(points)[:points/2] {
			for c := range channels {
				masks[k][i*channels+c] = true
			}
		}
	}
	return masks
}

// trained returns how many of n pictures every fold leaves for training.
func (o *Options) trained(n int) int { return n - (n+o.Folds-1)/o.Folds }

// A pattern divides the values of a picture into observed and missing ones, both
// ascending.
type pattern struct{ seen, missing []int }

func patternOf(observed []bool) pattern {
	var p pattern
	for j, seen := range observed {
		if seen {
			p.seen = append(p.seen, j)
		} else {
			p.missing = append(p.missing, j)
		}
	}
	return p
}

// columns returns the given columns of src, whose rows are contiguous.
func columns(src mat.Matrix, list []int) mat.Matrix {
	dst := mat.New(src.Rows, len(list))
	for i := range src.Rows {
		from, to := src.Row(i), dst.Row(i)
		for k, j := range list {
			to[k] = from[j]
		}
	}
	return dst
}

// block returns the given rows and columns of a.
func block(a mat.Matrix, rows, cols []int) mat.Matrix {
	dst := mat.New(len(rows), len(cols))
	for k, i := range rows {
		from, to := a.Row(i), dst.Row(k)
		for l, j := range cols {
			to[l] = from[j]
		}
	}
	return dst
}

// rows returns the given rows of a.
func rows(a mat.Matrix, list []int) mat.Matrix {
	dst := mat.New(len(list), a.Cols)
	for k, i := range list {
		copy(dst.Row(k), a.Row(i))
	}
	return dst
}

// centre returns the values in the given columns less their means.
func centre(values mat.Matrix, mean []float64, list []int) mat.Matrix {
	c := mat.New(values.Rows, values.Cols)
	for i := range c.Rows {
		row := c.Row(i)
		for k, j := range list {
			row[k] = values.At(i, k) - mean[j]
		}
	}
	return c
}

// gather returns the listed values.
func gather(values []float64, list []int) []float64 {
	dst := make([]float64, len(list))
	for k, j := range list {
		dst[k] = values[j]
	}
	return dst
}

// moments returns the mean of each column of y and the deviations from it.
func moments(y mat.Matrix) (mean []float64, centred mat.Matrix) {
	mean = make([]float64, y.Cols)
	for i := range y.Rows {
		for j := range mean {
			mean[j] += y.At(i, j)
		}
	}
	for j := range mean {
		mean[j] /= float64(y.Rows)
	}
	centred = mat.New(y.Rows, y.Cols)
	for i := range y.Rows {
		row := centred.Row(i)
		for j := range row {
			row[j] = y.At(i, j) - mean[j]
		}
	}
	return mean, centred
}

// spread returns the mean squared deviation of the training pictures from their
// mean, in units of a squared value; 1 if they are all alike. Variances are kept
// above a small part of it.
func spread(y mat.Matrix) float64 {
	_, c := moments(y)
	if s := mat.Dot(c, c) / float64(c.Rows*c.Cols); s > 0 {
		return s
	}
	return 1
}

// least is the smallest predictive variance, as a part of spread: below the
// rounding of any picture.
const least = 1e-8

// withoutRows returns the rows of y that are not in the ascending list.
func withoutRows(y mat.Matrix, list []int) mat.Matrix {
	dst := mat.New(y.Rows-len(list), y.Cols)
	k := 0
	for i := range y.Rows {
		if _, found := slices.BinarySearch(list, i); !found {
			mat.Copy(dst.Slice(k, k+1, 0, y.Cols), y.Slice(i, i+1, 0, y.Cols))
			k++
		}
	}
	return dst
}

func square(x float64) float64 { return x * x }
