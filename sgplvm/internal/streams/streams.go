// Package streams gives a compiled model what its streams need beside it: what they learn from, and what examples held back say of alarms and of predictions.
package streams

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/sums"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// SetLearning gives contents, at points of a grid (nil: those of training), what the examples of a posterior add up to. Errors: *field.ConfigError, by name of what streams do not learn.
func SetLearning(c *points.Contents, q *predict.Posterior, grid field.Grid) error {
	refuse := func(reason string) error { return &field.ConfigError{Field: "Learn", Err: errors.New(reason)} }
	switch {
	case q.Params().X.At() == nil:
		return refuse("a model of examples without times, of which there are no streams: update takes in further examples")
	case c.Time.Variance > 0:
		return refuse("a part of time in the latent kernel, which tells nothing of examples behind those of training")
	case q.Params().Noise.Structured():
		return refuse("noise with a covariance in space, expected white noise")
	case q.Options().Totals == nil:
		return refuse("a model of which the file has no totals of its examples: train it again")
	case grid != nil && !slices.EqualFunc(grid, q.Grid(), work.Equal):
		return refuse("other points than those of training")
	}
	b := sums.NewBasis(q.Params(), q.Grid(), q.Jitter(), len(q.Scaler().Mean))
	l := &c.Learning
	solution := sums.Solution{Alpha: q.Alpha(), Spectra: q.Options().Spectra}
	all := b.Recover(solution, q.Options().Totals)
	h, trace := b.Features(all, solution)
	l.Jitter, l.Floor, l.Trace, l.Totals, l.Sums = q.Jitter(), q.Params().Noise.Floor, trace, slices.Clone(all.Totals), points.NewTable(h)
	return nil
}

// Held are examples like those of training that the model has not learned from, a row each, n_s·d_y values, NaN where missing, and their times; nil: the training times' median spacing apart.
type Held struct {
	Y     mat.Matrix
	Times []float64
}

// still is how C is found: a drift would take part of what it is to say. Levels are those of streams with a drift, which raises them: of 8,480 frames of a textured world 0.0134 were above a level for 0.01 found without, and 0.0097 of those of a stream without a drift.
var still = edge.StreamOptions{Still: true}

// SetAlarms gives contents the levels of the examples, where a stream has levels of so many points, and how far off what it predicts of them is. Errors: *field.ConfigError.
func (o *Held) SetAlarms(c *points.Contents) error {
	refuse := func(format string, args ...any) error {
		return &field.ConfigError{Field: "Held", Err: fmt.Errorf(format, args...)}
	}
	if o.Y.Cols != c.Points*c.Channels || o.Times != nil && len(o.Times) != o.Y.Rows {
		return refuse("%d examples of %d values at %d times, expected %d values and a time for each", o.Y.Rows, o.Y.Cols, len(o.Times), c.Points*c.Channels)
	}
	off, err := o.innovations(c)
	if err == nil && off.Rows > 0 {
		err = predict.SetInnovations(c, off)
	}
	if err != nil {
		return refuse("%w", err)
	}
	if err := o.partly(c); err != nil {
		return refuse("%w", err)
	}
	var levels, patches []float64
	err = o.follow(c, edge.StreamOptions{}, nil, func(i int, s *edge.Stream, _, _ []float64) error {
		if l := s.Level(); l != edge.NoEvidence && (i > 0 || c.Counted == 0) { // the first one counts nothing
			patch, _ := s.Patch()
			levels, patches = append(levels, l), append(patches, patch)
		}
		return nil
	})
	if err != nil {
		return refuse("%w", err)
	}
	c.Counted = 0
	switch {
	case len(levels) == 0 && c.Points > c.Options.Exact:
		return nil // a stream has no scores of so many values, and no alarms
	case len(levels) == 0:
		return refuse("nothing was observed of any example")
	}
	c.Spreads = append(append(medianAndSpread(levels), medianAndSpread(patches)...), slices.Max(patches))
	for i, l := range levels {
		c.Scores = append(c.Scores, max((l-c.Spreads[0])/c.Spreads[1], (patches[i]-c.Spreads[2])/c.Spreads[3]))
	}
	return nil
}

// stepsAhead is how far ahead what is predicted calibrates variances.
const stepsAhead = 5

// innovations calibrates contents by what a stream predicts of the next examples that were held back, and returns how far each is off what was predicted before it, in standard deviations: a row for each group of values that are judged together.
func (o *Held) innovations(c *points.Contents) (off mat.Matrix, err error) {
	groups := c.Points * c.Channels / c.Judged()
	off = mat.New(o.Y.Rows*groups, c.Judged())
	expected := mat.New(off.Rows, off.Cols)
	var squares, variances []float64
	mean, variance := make([]float64, o.Y.Cols), make([]float64, o.Y.Cols)
	c.Calibration = nil
	err = o.follow(c, still, nil, func(i int, s *edge.Stream, _, _ []float64) error {
		if i == 0 {
			off.Slice(0, groups, 0, off.Cols).Fill(math.NaN())
		}
		for j := i + 1; j < min(o.Y.Rows, i+1+stepsAhead); j++ {
			if err := s.Predict(o.time(c, j), mean, variance); err != nil {
				return err
			}
			var square, whole, count float64
			for k, y := range o.Y.Row(j) {
				scale := c.Scale[k%c.Channels]
				e, v := (y-mean[k])/scale, variance[k]/(scale*scale)
				if j == i+1 {
					off.Set(j*groups+k%groups, k/groups, e)
					expected.Set(j*groups+k%groups, k/groups, v)
				}
				if y == y {
					square, whole, count = square+e*e, whole+v, count+1
				}
			}
			if count > 0 {
				squares, variances = append(squares, square/count), append(variances, whole/count)
			}
		}
		return nil
	})
	if err != nil || len(squares) == 0 {
		return off, err
	}
	predict.Calibrate(c, squares, variances)
	for k, v := range expected.Data {
		off.Data[k] /= math.Sqrt(c.Calibrated(v))
	}
	return off.Slice(groups, off.Rows, 0, off.Cols), nil
}

// hiddenFor is how many examples in turn a part of the points is hidden in, and a third of them at random after that, to learn how far off is what is filled in.
const hiddenFor = 8

// partly calibrates contents by what a stream fills in of examples that were held back of which values are hidden: for some examples those nearest to a point, then others at random.
func (o *Held) partly(c *points.Contents) error {
	rng := rand.New(rand.NewPCG(1, 1))
	part, order, seen := 0, make([]int, o.Y.Cols), make([]float64, o.Y.Cols)
	for k := range order {
		order[k] = k
	}
	hide := func(i int, row []float64) {
		if i%hiddenFor == 0 {
			from, dims, far := rng.IntN(c.Points), len(c.Spacings), make([]float64, len(row))
			for k := range far {
				for q, spacing := range c.Spacings {
					d := (c.Coordinates[k/c.Channels*dims+q] - c.Coordinates[from*dims+q]) / spacing
					far[k] += d * d
				}
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(far[a], far[b]) })
			part = len(row) * (1 + rng.IntN(4)) / 8
		}
		if i/hiddenFor%2 == 0 {
			for _, k := range order[:part] {
				row[k] = math.NaN()
			}
		} else {
			for k := range row {
				if rng.IntN(3) == 0 {
					row[k] = math.NaN()
				}
			}
		}
		copy(seen, row)
	}
	var squares, variances, distances []float64
	c.Partly = nil
	err := o.follow(c, edge.StreamOptions{}, hide, func(i int, s *edge.Stream, mean, variance []float64) error {
		for k, y := range o.Y.Row(i) {
			if d := c.Distance(k, seen); y == y && seen[k] != seen[k] && !math.IsInf(d, 1) {
				scale := c.Scale[k%c.Channels]
				e := (y - mean[k]) / scale
				squares, variances, distances = append(squares, e*e), append(variances, variance[k]/(scale*scale)), append(distances, d)
			}
		}
		return nil
	})
	if err == nil && len(squares) > 0 {
		predict.CalibratePartly(c, squares, variances, distances)
	}
	return err
}

// time returns that of an example that was held back.
func (o *Held) time(c *points.Contents, i int) float64 {
	if o.Times != nil {
		return o.Times[i]
	}
	return float64(i) * c.Time.Spacing
}

// follow has a stream of the model fill in the examples that were held back, without what hide makes NaN of a row (nil: nothing), and calls each after each with means and variances.
func (o *Held) follow(c *points.Contents, options edge.StreamOptions, hide func(i int, row []float64), each func(i int, s *edge.Stream, mean, variance []float64) error) error {
	m, err := edge.Open(points.Encode(c))
	if err != nil {
		return err
	}
	s, err := m.NewWorkspace(0).NewStream(options)
	if err != nil {
		return err
	}
	filled, variance, mask := make([]float64, o.Y.Cols), make([]float64, o.Y.Cols), make([]bool, o.Y.Cols)
	for i := range o.Y.Rows {
		at := o.time(c, i)
		if i == 0 && len(c.Time.Ends) == 1 && at >= c.Time.Ends[0].Time {
			_ = s.Continue(c.Time.Ends[0].Sequence) // which there is
		}
		row := slices.Clone(o.Y.Row(i))
		if hide != nil {
			hide(i, row)
		}
		for k, v := range row {
			mask[k] = v == v
		}
		if err := s.Fill(at, filled, variance, row, mask); err != nil {
			return fmt.Errorf("example %d: %w", i, err)
		}
		if err := each(i, s, filled, variance); err != nil {
			return err
		}
	}
	return nil
}

// medianAndSpread returns the median of some values and how far above it the √N-th largest of N is.
func medianAndSpread(v []float64) []float64 {
	sorted := slices.Sorted(slices.Values(v))
	median, high := sorted[len(v)/2], sorted[len(v)-int(math.Ceil(math.Sqrt(float64(len(v)))))]
	return []float64{median, max(high-median, 1e-6)}
}
