package baseline

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// HoleKind names a method for pictures of which each may have holes.
type HoleKind string

// The methods for data with holes; the package documentation says what they do.
const (
	DINEOF       HoleKind = "dineof"
	SoftImpute   HoleKind = "softimpute"
	PPCAEM       HoleKind = "ppca-em"
	GaussianEM   HoleKind = "gaussian-em"
	OptimalInter HoleKind = "oi"
	Cubic        HoleKind = "cubic"
)

// HoleKinds lists all methods for data with holes.
var HoleKinds = []HoleKind{DINEOF, SoftImpute, PPCAEM, GaussianEM, OptimalInter, Cubic}

// Incomplete are pictures with holes, in the user's units. They must not change while [Complete] works.
type Incomplete struct {
	// Points is the grid, n_s×d_s: one point a row.
	Points mat.Matrix

	// Channels is d_y. Default 1.
	Channels int

	// Times of the pictures, for kriging in time; none where nothing follows from the time.
	Times []float64

	// Pictures is n×(n_s·d_y): one picture a row, point by point, the channels of a point side by side; NaN
	// where a value is missing. A picture, or a point, of which nothing is seen is allowed.
	Pictures mat.Matrix
}

// HoleOptions steer [Complete]. The zero value works.
type HoleOptions struct {
	// Most bounds the number of values that kriging and cubic interpolation judge their parameters by.
	// Default 1500.
	Most int

	// Seed decides everything random: which values cross-validation hides.
	Seed uint64
}

// Completion is what a method makes of pictures with holes.
type Completion struct {
	Prediction
	Parameters []Parameter // what cross-validation has selected, and the factor of all variances
}

// check fills in defaults and refuses what cannot be used.
func (d *Incomplete) check() error {
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
		return &SizeError{"values of a picture", d.Pictures.Cols, fmt.Sprintf("%d, %d points × %d channels", p, d.Points.Rows, d.Channels)}
	case d.Pictures.Rows < 2:
		return &SizeError{"pictures", d.Pictures.Rows, "at least 2"}
	case d.Times != nil && len(d.Times) != d.Pictures.Rows:
		return &SizeError{"times", len(d.Times), fmt.Sprintf("%d, one for each picture", d.Pictures.Rows)}
	}
	if i, j, found := mat.NonFinite(d.Points); found {
		return &ValueError{"point", i, j, d.Points.At(i, j), "a finite number"}
	}
	for i, t := range d.Times {
		if t-t != 0 {
			return &ValueError{"time", i, 0, t, "a finite number"}
		}
	}
	if err := checkNoInf(d.Pictures); err != nil {
		return err
	}
	for c := range d.Channels {
		if n := countSeen(d.Pictures, c, d.Channels); n < 2 {
			return &SizeError{fmt.Sprintf("observed values of channel %d", c), n, "at least 2"}
		}
	}
	if d.Pictures.ColStride != 1 {
		d.Pictures = d.Pictures.Clone()
	}
	return nil
}

// countSeen counts the observed values of a channel.
func countSeen(y mat.Matrix, channel, channels int) (n int) {
	for i := range y.Rows {
		for j := channel; j < y.Cols; j += channels {
			if !math.IsNaN(y.At(i, j)) {
				n++
			}
		}
	}
	return n
}

// seenMoments returns the mean and the mean squared deviation of all observed values of a channel.
func seenMoments(y mat.Matrix, channel, channels int) (mean, variance float64) {
	n := float64(countSeen(y, channel, channels))
	each := func(f func(v float64)) {
		for i := range y.Rows {
			for j := channel; j < y.Cols; j += channels {
				if v := y.At(i, j); !math.IsNaN(v) {
					f(v)
				}
			}
		}
	}
	each(func(v float64) { mean += v / n })
	each(func(v float64) { variance += square(v-mean) / n })
	return mean, variance
}

// seenSpread is the mean squared deviation of the observed values from the mean of their channel; 1 if all are alike.
func seenSpread(y mat.Matrix, channels int) float64 {
	var s float64
	for c := range channels {
		_, v := seenMoments(y, c, channels)
		s += v / float64(channels)
	}
	if s > 0 {
		return s
	}
	return 1
}

// A cell is a value of a picture.
type cell struct{ picture, value int }

// missingCells lists what is missing, picture by picture.
func missingCells(y mat.Matrix) (cells []cell) {
	for i := range y.Rows {
		for j, v := range y.Row(i) {
			if math.IsNaN(v) {
				cells = append(cells, cell{i, j})
			}
		}
	}
	return cells
}

// judge scores predictions of values.
func judge(truth, mean, variance []float64) (s score) {
	for k, y := range truth {
		s.count++
		s.logs += 0.5 * math.Log(variance[k])
		s.chi += square(y-mean[k]) / variance[k]
	}
	return s
}

// put writes predictions of cells, all variances times a factor, over pictures that are otherwise known.
func put(d Incomplete, cells []cell, mean, variance []float64, factor float64) Prediction {
	p := Prediction{d.Pictures.Clone(), mat.New(d.Pictures.Rows, d.Pictures.Cols)}
	for k, c := range cells {
		p.Mean.Set(c.picture, c.value, mean[k])
		p.Variance.Set(c.picture, c.value, factor*variance[k])
	}
	return p
}

// constant returns n equal numbers.
func constant(n int, v float64) []float64 {
	c := make([]float64, n)
	for k := range c {
		c[k] = v
	}
	return c
}
