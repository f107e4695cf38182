package sgplvm

import (
	"errors"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/streams"
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
	// as those of a stream where examples have times, say which scores raise an alarm, and how far off what a stream predicts is. HeldTimes are their times, in ascending order; nil: the training times' median spacing apart. 0×0: no alarms, which there are none of either beyond 2048 points.
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
		if err := streams.SetLearning(c, m.posterior, o.Grid); err != nil {
			return nil, err
		}
		if o.Type != edge.Float64 {
			c.Learning.Sums = c.Learning.Sums.As(points.Float32)
		}
	}
	if o.Held.Rows > 0 {
		if err := (&streams.Held{Y: o.Held, Times: o.HeldTimes}).SetAlarms(c); err != nil {
			return nil, err
		}
	}
	return points.Encode(c), nil
}
