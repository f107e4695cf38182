package sgplvm

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/sums"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// CompileOptions steer Compile. The zero value works.
type CompileOptions struct {
	Grid          Grid      // the points, nil: the training grid
	Type          edge.Type // of the large tables; default edge.Float64
	Label         string    // what the points are, for people, as 20x28
	Width, Height int       // of pictures; 0: the points are none
	Units         string    // of values, for people
	Low, High     float64   // between which values lie; equal: not known

	// Held are examples like those of training that the model has not learned from, a row each, n_s·d_y values with the channels of a point side by side, NaN where missing: their scores,
	// as those of a stream where examples have times, say which scores raise an alarm, and how far off what a stream predicts is. HeldTimes are their times, in ascending order; nil: the training times' median spacing apart. 0×0: no alarms.
	Held      mat.Matrix
	HeldTimes []float64
	Learn     bool // streams can learn (edge.Model.NewLearner): the file has what the examples add up to. Models with times, white noise and no part in time, at their own points
	Fast      bool // several times the speed in less memory for a little less accuracy (docs/measurements.md, section 17)
	Starts    int  // training posteriors that begin the search for latent variables; default 32
}

// Compile returns the model as a file for package edge: what Impute, Infer and Predict need at one grid's points,
// multiplied out, for examples of unknown time. Impute's options are those of the model's configuration. Learned covariances of the
// noise, training residuals and mixtures with similar examples go along. With up to 64 training examples, or as many as Starts,
// edge.Workspace.Fill gives what Impute does, but for what Impute leaves out of models that keep training residuals (docs/math.md, section 23, "Models in memory"); of more it tries Starts of them only. A film with motion, a model of data with holes and latent kernels of other parts
// than rbf, linear, bias and time are refused. Errors: *ConfigError and these.
func (m *Model) Compile(o CompileOptions) ([]byte, error) {
	if m.film != nil {
		return nil, errors.New("a film with motion cannot be compiled, expected a model of examples of one grid")
	}
	if o.Starts < 0 {
		return nil, &ConfigError{Field: "Starts", Err: errors.New("a negative number, expected 0 or more")}
	}
	if o.Starts == 0 {
		o.Starts = 32
	}
	if o.Starts < 64 && m.Examples() <= 64 {
		o.Starts = 64
	}
	c, err := m.posterior.Compile(o.Grid, m.inferOptions(InferOptions{}), o.Starts, o.Type != edge.Float64)
	if err != nil {
		return nil, err
	}
	c.Label = o.Label
	c.About = points.About{Width: o.Width, Height: o.Height, Units: o.Units, Low: o.Low, High: o.High}
	if at := m.Times(); at != nil {
		c.About.First, c.About.Last = math.Inf(1), math.Inf(-1)
		for _, i := range at {
			c.About.First, c.About.Last = min(c.About.First, i.Time), max(c.About.Last, i.Time)
		}
	}
	if o.Fast {
		c.Approximate(points.Type(o.Type))
	}
	c.Quantize(points.Type(o.Type))
	if o.Learn {
		if err := o.setLearning(m, c); err != nil {
			return nil, err
		}
	}
	if o.Held.Rows > 0 {
		if err := o.setAlarms(c); err != nil {
			return nil, err
		}
	}
	return points.Encode(c), nil
}

// setLearning gives contents what the model's examples add up to. Errors: *ConfigError, by name of what streams do not learn.
func (o *CompileOptions) setLearning(m *Model, c *points.Contents) error {
	q := m.posterior
	refuse := func(reason string) error { return &ConfigError{Field: "Learn", Err: errors.New(reason)} }
	switch {
	case m.Times() == nil:
		return refuse("a model of examples without times, of which there are no streams: update takes in further examples")
	case c.Time.Variance > 0:
		return refuse("a part of time in the latent kernel, which tells nothing of examples behind those of training")
	case q.Params().Noise.Structured():
		return refuse("noise with a covariance in space, expected white noise")
	case q.Options().Totals == nil:
		return refuse("a model of which the file has no totals of its examples: train it again")
	case o.Grid != nil && !slices.EqualFunc(o.Grid, q.Grid(), work.Equal):
		return refuse("other points than those of training")
	}
	b := sums.NewBasis(q.Params(), q.Grid(), q.Jitter(), m.Channels())
	l := &c.Learning
	solution := sums.Solution{Alpha: q.Alpha(), Spectra: q.Options().Spectra}
	all := b.Recover(solution, q.Options().Totals)
	h, trace := b.Features(all, solution)
	l.Jitter, l.Floor, l.Trace, l.Totals, l.Sums = q.Jitter(), q.Params().Noise.Floor, trace, slices.Clone(all.Totals), points.NewTable(h)
	if o.Type != edge.Float64 {
		l.Sums = l.Sums.As(points.Float32)
	}
	return nil
}

// setAlarms gives contents the levels of the examples that were held back. Errors: *ConfigError.
func (o *CompileOptions) setAlarms(c *points.Contents) error {
	refuse := func(format string, args ...any) error {
		return &ConfigError{Field: "Held", Err: fmt.Errorf(format, args...)}
	}
	if o.Held.Cols != c.Points*c.Channels || o.HeldTimes != nil && len(o.HeldTimes) != o.Held.Rows {
		return refuse("%d examples of %d values at %d times, expected %d values and a time for each", o.Held.Rows, o.Held.Cols, len(o.HeldTimes), c.Points*c.Channels)
	}
	off, err := o.innovations(c)
	if err == nil && off.Rows > 0 {
		err = predict.SetInnovations(c, off)
	}
	if err != nil {
		return refuse("%w", err)
	}
	var levels, patches []float64
	err = o.follow(c, func(i int, s *edge.Stream) error {
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
	if len(levels) == 0 {
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

// innovations calibrates contents by what a stream predicts of the next examples that were held back, and returns how far each is off what was predicted before it, in standard deviations: a row for each channel.
func (o *CompileOptions) innovations(c *points.Contents) (off mat.Matrix, err error) {
	off = mat.New(o.Held.Rows*c.Channels, c.Points)
	expected := mat.New(off.Rows, off.Cols)
	var squares, variances []float64
	mean, variance := make([]float64, o.Held.Cols), make([]float64, o.Held.Cols)
	c.Calibration = nil
	err = o.follow(c, func(i int, s *edge.Stream) error {
		if i == 0 {
			off.Slice(0, c.Channels, 0, c.Points).Fill(math.NaN())
		}
		for j := i + 1; j < min(o.Held.Rows, i+1+stepsAhead); j++ {
			if err := s.Predict(o.time(c, j), mean, variance); err != nil {
				return err
			}
			var square, whole, count float64
			for k, y := range o.Held.Row(j) {
				scale := c.Scale[k%c.Channels]
				e, v := (y-mean[k])/scale, variance[k]/(scale*scale)
				if j == i+1 {
					off.Set(j*c.Channels+k%c.Channels, k/c.Channels, e)
					expected.Set(j*c.Channels+k%c.Channels, k/c.Channels, v)
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
	return off.Slice(c.Channels, off.Rows, 0, off.Cols), nil
}

// time returns that of an example that was held back.
func (o *CompileOptions) time(c *points.Contents, i int) float64 {
	if o.HeldTimes != nil {
		return o.HeldTimes[i]
	}
	return float64(i) * c.Time.Spacing
}

// follow has a stream of the model fill in the examples that were held back, and calls each after each.
func (o *CompileOptions) follow(c *points.Contents, each func(i int, s *edge.Stream) error) error {
	m, err := edge.Open(points.Encode(c))
	if err != nil {
		return err
	}
	s, err := m.NewWorkspace(0).NewStream(edge.StreamOptions{})
	if err != nil {
		return err
	}
	filled, mask := make([]float64, o.Held.Cols), make([]bool, o.Held.Cols)
	for i := range o.Held.Rows {
		at := o.time(c, i)
		if i == 0 && len(c.Time.Ends) == 1 && at >= c.Time.Ends[0].Time {
			_ = s.Continue(c.Time.Ends[0].Sequence) // which there is
		}
		for k, v := range o.Held.Row(i) {
			mask[k] = v == v
		}
		if err := s.Fill(at, filled, nil, o.Held.Row(i), mask); err != nil {
			return fmt.Errorf("example %d: %w", i, err)
		}
		if err := each(i, s); err != nil {
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
