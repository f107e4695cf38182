// Package simple fills in missing values by the simplest methods that a person would try: the mean of each column, a straight line in time, principal components,
// regression by the nearest examples, cubic interpolation in space. They stand beside the model, and have shares of what is filled in by how good they are.
//
// Every method tells a variance of each value. Those in time and in space are mean squared residuals of observed values that were hidden as
// far from others as the missing ones are. Work grows in proportion to the number of examples.
package simple

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Data are examples some of whose values are missing, in the user's units. Columns are values of an example at one place.
type Data struct {
	// Y is n×p, p = points · channels: an example a row, point by point, the channels of a point side by side. What it
	// holds where a value is missing does not count.
	Y       mat.Matrix
	Missing []bool // n·p, row by row
	Wanted  []bool // which of the missing values are asked for at least; nil: all

	// Points are coordinates, p/Channels×d, in units in which distances along different axes compare. No rows: the columns lie nowhere.
	Points   mat.Matrix
	Channels int // at least 1

	// Parts are columns of several kinds side by side, which take the place of Points and Channels for principal components. nil: one kind.
	Parts []Part

	// Times of the examples, in any order. nil: examples are independent.
	Times     []float64
	Sequences []int // examples of different ones are independent in time; nil: all belong to one

	// Start has what components of the same data began with, and is set to that; nil: it is not kept.
	Start *Start

	Seed uint64 // decides everything random: what is hidden to learn variances, the start of components
}

// A Part is columns side by side, point by point.
type Part struct {
	Points   mat.Matrix // of fewer than two the columns lie nowhere
	Columns  int
	Channels int
}

// parts returns the kinds of columns.
func (d *Data) parts() []Part {
	if d.Parts != nil {
		return d.Parts
	}
	return []Part{{d.Points, d.Y.Cols, d.Channels}}
}

// A Method fills in missing values.
type Method struct {
	Name string
	fill func(ctx context.Context, d Data, mean, variance mat.Matrix) error
}

// Names of methods: the mean of each column, principal components by EM, regression by the nearest examples.
const (
	Mean       = "mean of the points"
	Components = "principal components"
	Local      = "local regression"
)

// PrincipalComponents is the method of that name.
var PrincipalComponents = Method{Components, func(ctx context.Context, d Data, mean, variance mat.Matrix) error {
	return d.start().fillComponents(ctx, d, mean, variance)
}}

// Methods returns those that can tell something about the data, the simplest first. They fill in these data alone, one after the other.
func Methods(d Data) []Method {
	d.check()
	list := []Method{{Mean, fillMeans}}
	if d.Times != nil {
		list = append(list, Method{"linear in time", fillLines})
	}
	if !d.partly() {
		return list
	}
	if d.Y.Cols > 1 && d.Y.Rows > 2 {
		s := d.start()
		list = append(list, Method{Components, s.fillComponents})
		if d.Y.Rows > minNeighbours+1 {
			list = append(list, Method{Local, s.fillLocal})
		}
	}
	if d.Points.Cols > 0 && d.Points.Cols <= 3 && d.Points.Rows >= 4 {
		list = append(list, Method{"cubic in space", fillCubic})
	}
	return list
}

// Fill returns means and variances, noise included, n×p each, in the units of the data and their squares. Observed values are
// as they were, with variance 0. What the method cannot tell is NaN: columns of channels that nobody has seen; by cubic in space also
// examples of which nothing was observed in a channel. Errors: ctx.Err(), or one that says which matrix could not be factored. It panics for shapes
// that do not go together.
func (m Method) Fill(ctx context.Context, d Data) (mean, variance mat.Matrix, err error) {
	d.check()
	mean, variance = mat.New(d.Y.Rows, d.Y.Cols), mat.New(d.Y.Rows, d.Y.Cols)
	for i := range mean.Rows {
		y, missing, mu, v := d.Y.Row(i), d.missing(i), mean.Row(i), variance.Row(i)
		for j := range mu {
			if mu[j] = y[j]; missing[j] {
				mu[j], v[j] = math.NaN(), math.NaN()
			}
		}
	}
	if err := m.fill(ctx, d, mean, variance); err != nil {
		return mat.Matrix{}, mat.Matrix{}, err
	}
	return mean, variance, ctx.Err()
}

func (d *Data) check() {
	n, p := d.Y.Rows, d.Y.Cols
	if len(d.Missing) != n*p || d.Channels < 1 || p%d.Channels != 0 || d.Points.Rows > 0 && d.Points.Rows*d.Channels != p ||
		d.Times != nil && len(d.Times) != n || d.Sequences != nil && len(d.Sequences) != n {
		panic(fmt.Sprintf("simple: %d×%d values, %d marks of missing ones, %d points, %d channels, %d times, %d sequences",
			n, p, len(d.Missing), d.Points.Rows, d.Channels, len(d.Times), len(d.Sequences)))
	}
	if d.Y.ColStride != 1 {
		d.Y = d.Y.Clone()
	}
}

// missing returns the marks of an example.
func (d *Data) missing(i int) []bool { return d.Missing[i*d.Y.Cols:][:d.Y.Cols] }

// partly tells whether some example has missing and observed values.
func (d *Data) partly() bool {
	for i := range d.Y.Rows {
		if n := count(d.missing(i)); n > 0 && n < d.Y.Cols {
			return true
		}
	}
	return false
}

// count is the number of true ones.
func count(marks []bool) (n int) {
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}

// hideShare is which part of the observed values are hidden to judge by, at most and where others are missing so often.
const hideShare = 0.05

// hide marks observed values as missing, in examples partly seen, the way others are missing: an example borrows what is missing in
// another. A third of what was seen in it stays at least. Where this gives too few, single values are hidden besides.
// It returns the places of the hidden ones in Missing, example by example.
func (d Data) hide() (Data, []int) {
	rng := rand.New(rand.NewPCG(d.Seed, 0x68696465))
	n, p := d.Y.Rows, d.Y.Cols
	left := d
	left.Missing = append([]bool(nil), d.Missing...)
	var donors []int
	seen := make([]int, n)
	total := 0
	for i := range n {
		if seen[i] = p - count(d.missing(i)); seen[i] > 0 && seen[i] < p {
			donors = append(donors, i)
		}
		total += seen[i]
	}
	budget := max(1, int(hideShare*float64(total)))
	hidden := 0
	take := func(i, j int) {
		if spare := seen[i] - (seen[i]+2)/3; !left.missing(i)[j] && p-count(left.missing(i)) > seen[i]-spare {
			left.missing(i)[j] = true
			hidden++
		}
	}
	for _, i := range rng.Perm(n) {
		if hidden >= budget || len(donors) == 0 {
			break
		}
		from := rng.IntN(p)
		donor := d.missing(donors[rng.IntN(len(donors))])
		for k := range p {
			if j := (from + k) % p; donor[j] && seen[i] > 1 {
				take(i, j)
			}
		}
	}
	for range budget - hidden {
		take(rng.IntN(n), rng.IntN(p))
	}
	var cells []int
	for k, m := range left.Missing {
		if m && !d.Missing[k] {
			cells = append(cells, k)
		}
	}
	return left, cells
}
