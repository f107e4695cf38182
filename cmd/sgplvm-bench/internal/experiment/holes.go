package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// HolesOptions are the command line of the experiment.
type HolesOptions struct {
	Data, Grid   string   // the pictures, and their size where the file does not say
	Split, Masks string   // the order of the pictures, and what is seen of the last ones; both may be empty
	Training     int      // number of pictures of the split to take; 0: all
	Times        string   // of all pictures; may be empty
	Holes        []Hole   // one table each; none where masks are given
	Examples     int      // number of pictures that get holes; 0: all
	Fill         *float64 // points that hold this value in every picture are outside the data; may be nil
	Methods      string   // all, or names separated by commas
	Quick        bool     // parameters judged by fewer values
	Seed         uint64
	Out          string // folder of the results
}

// holes is a set of pictures of which each method fills in what was hidden.
type holes struct {
	HolesOptions
	e *cli.Environment

	source    string
	points    mat.Matrix  // that exist, n_s×2: row and column
	grid      sgplvm.Grid // of the same: rows and columns where all points of pictures exist
	channels  int
	times     []float64  // nil: none
	truth     mat.Matrix // n×(n_s·d_y), points that exist
	seen      mat.Matrix // the same, NaN where hidden, for the holes that are being filled
	deviation float64    // of all values of truth, about the mean of each channel

	tables []scoreTable
	about  []string // a line for each table and method: its settings
}

// load reads the files and takes the pictures that are asked for.
func (x *holes) load() error {
	layout := cli.Layout(x.Grid, 0)
	if x.Grid == "" && rowLength(x.Data) == 560 {
		layout = dataset.Layout{Width: 20, Height: 28}
	}
	all, err := dataset.Load(x.Data, layout)
	if err != nil {
		return err
	}
	if err := dataset.CheckPictures(all); err != nil {
		return err
	}
	if err := dataset.CheckComplete(all); err != nil {
		return fmt.Errorf("%w (sgplvm-bench hides values itself)", err)
	}
	var times []float64
	if x.Times != "" {
		if times, err = dataset.LoadTimes(x.Times, all.Count); err != nil {
			return err
		}
	}
	order, mask, masked, err := x.chosen(all)
	if err != nil {
		return err
	}
	some := all.Select(order)
	x.source, x.channels = filepath.Base(x.Data), some.Channels
	x.points, x.truth = gridPoints(some.Width, some.Height), values(some)
	if x.grid, err = dataset.Grid(some.Width, some.Height, "product"); err != nil {
		return err
	}
	if x.Times != "" {
		for _, i := range order {
			x.times = append(x.times, times[i])
		}
	}
	if mask != nil {
		x.seen = x.truth.Clone()
		last := values(some.Select(numbers(some.Count-masked, some.Count)).WithMask(mask))
		mat.Copy(x.seen.Slice(some.Count-masked, some.Count, 0, x.seen.Cols), last)
	}
	if err := x.keepExisting(); err != nil {
		return err
	}
	x.deviation = deviation(x.truth, x.channels)
	if !(x.deviation > 0) {
		return &dataset.Error{Path: x.Data, Found: "values that are all alike", Want: "something to fill in"}
	}
	if x.Examples > x.truth.Rows {
		return cli.Usagef("holes: -examples %d, expected at most %d, the number of pictures", x.Examples, x.truth.Rows)
	}
	return nil
}

// chosen returns the numbers of the pictures to take, and the masks of the last ones of them where a file has them.
func (x *holes) chosen(all *dataset.Frames) (order []int, mask *dataset.Mask, masked int, err error) {
	if x.Split == "" {
		return numbers(0, all.Count), nil, 0, nil
	}
	split, err := loadPermutation(x.Split, all.Count)
	if err != nil {
		return nil, nil, 0, err
	}
	if x.Masks != "" {
		if mask, masked, err = dataset.LoadMasks(x.Masks, all.Layout); err != nil {
			return nil, nil, 0, err
		}
	}
	n := x.Training
	if n == 0 {
		n = all.Count - masked
	}
	if n+masked > all.Count {
		return nil, nil, 0, cli.Usagef("holes: -n %d and %d masks, expected at most %d together, the number of pictures in %s", n, masked, all.Count, x.Data)
	}
	return slices.Concat(split[:n], split[all.Count-masked:]), mask, masked, nil
}

// keepExisting leaves out the points that hold the fill value in every picture.
func (x *holes) keepExisting() error {
	if x.Fill == nil {
		return nil
	}
	// Files of float32 hold the nearest float32.
	fill := func(v float64) bool { return v == *x.Fill || v == float64(float32(*x.Fill)) }
	var points, columns []int
	for j := range x.points.Rows {
		exists := false
		for i := range x.truth.Rows {
			for c := range x.channels {
				exists = exists || !fill(x.truth.At(i, j*x.channels+c))
			}
		}
		if !exists {
			continue
		}
		points = append(points, j)
		for c := range x.channels {
			columns = append(columns, j*x.channels+c)
		}
	}
	if len(points) == 0 {
		return &dataset.Error{Path: x.Data, Found: fmt.Sprintf("%v everywhere", *x.Fill), Want: "points with other values"}
	}
	if len(points) < x.points.Rows {
		x.grid = sgplvm.Grid{some(x.points, points, []int{0, 1})}
	}
	x.points, x.truth = some(x.points, points, []int{0, 1}), some(x.truth, numbers(0, x.truth.Rows), columns)
	if x.seen.Rows > 0 {
		x.seen = some(x.seen, numbers(0, x.seen.Rows), columns)
	}
	for i := range x.truth.Rows {
		for j, v := range x.truth.Row(i) {
			if fill(v) {
				return &dataset.Error{Path: x.Data, Place: fmt.Sprintf("picture %d, point %d", i, points[j/x.channels]), Found: "the fill value", Want: "it in every picture or in none"}
			}
		}
	}
	return nil
}

// some returns some rows and columns of a matrix.
func some(a mat.Matrix, rows, columns []int) mat.Matrix {
	dst := mat.New(len(rows), len(columns))
	for k, i := range rows {
		for l, j := range columns {
			dst.Set(k, l, a.At(i, j))
		}
	}
	return dst
}

// deviation is the root of the mean squared deviation of all values from the mean of their channel.
func deviation(y mat.Matrix, channels int) float64 {
	var sum float64
	for c := range channels {
		count := float64(y.Rows * y.Cols / channels)
		var mean float64
		for i := range y.Rows {
			for j := c; j < y.Cols; j += channels {
				mean += y.At(i, j) / count
			}
		}
		for i := range y.Rows {
			for j := c; j < y.Cols; j += channels {
				sum += (y.At(i, j) - mean) * (y.At(i, j) - mean) / count
			}
		}
	}
	return math.Sqrt(sum / float64(channels))
}

// hide makes holes of a kind in the pictures, or in some of them.
func (x *holes) hide(h Hole) {
	rng := rand.New(rand.NewPCG(x.Seed, 0x686f6c6573))
	x.seen = x.truth.Clone()
	list := numbers(0, x.truth.Rows)
	if x.Examples > 0 {
		list = rng.Perm(x.truth.Rows)[:x.Examples]
		slices.Sort(list)
	}
	for _, i := range list {
		for _, j := range h.draw(x.points, rng) {
			for c := range x.channels {
				x.seen.Set(i, j*x.channels+c, math.NaN())
			}
		}
	}
}

// incomplete is what the methods are given.
func (x *holes) incomplete() baseline.Incomplete {
	return baseline.Incomplete{Points: x.points, Channels: x.channels, Times: x.times, Pictures: x.seen}
}
