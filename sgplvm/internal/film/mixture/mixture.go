package mixture

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A Mixture is what a frame at a time is made of: the prediction of the model, with its motion, and what the training
// frames around the time say by themselves (Others). The means are mixed by weights from 0 to 1 with the sum 1. Variances
// follow a law of each channel (variancelaw.go). Beyond the ends of a sequence there are other weights, and a
// factor of the model's variances. The zero value is the model alone.
type Mixture struct {
	scale   []float64     // variance of each channel
	unit    float64       // median distance of frames in time
	inside  weights       // between frames; none: the model alone
	laws    []varianceLaw // of each channel
	outside share
	gap     float64 // the geometric mean of the gaps that variances were learned in
}

// weights are those of the model and the others.
type weights [1 + others]float64

// A share is what there is beyond the ends: weights, and the factor of the variances.
type share struct {
	Weights weights
	Factor  float64
}

// Alone tells that the model alone is all there is.
func (x *Mixture) Alone() bool { return x.inside == weights{} }

// A Recipe is what pixels of training say of how a frame is to be mixed: its weights and its variances.
type Recipe struct {
	weights   weights
	variances frame.Image[float64] // of training pixels; none of a frame without
}

// Recipe returns that of the model's prediction, f, and the others in pixels of training: finer ones, sharpened, have
// other traits than those that variances were learned from. It panics if the sizes do not fit.
func (x *Mixture) Recipe(f frame.Frame, o Others) *Recipe {
	x.check("Recipe", f, o)
	r := &Recipe{weights: x.weights(o.beyond)}
	if f.Variance.Rows == 0 {
		return r
	}
	r.variances = frame.NewImage[float64](f.Width, f.Height, f.Variance.Cols)
	spread, mean := spreadOf(o.gap, x.gap), x.meanScale()
	mat.Parallel(f.Height, func(y int) {
		for column := range f.Width {
			pixel := y*f.Width + column
			for c, scale := range x.scale {
				v := x.outside.Factor * f.Variance.At(pixel, c)
				if o.beyond == 0 {
					v = scale * x.laws[c].variance(o.traits(column, y, c, f.Variance.At(pixel, c), scale, mean, spread))
				}
				r.variances.Data[pixel*len(x.scale)+c] = v
			}
		}
	})
	return r
}

// Combine makes of the model's prediction, f, and the others the mixture, whatever its pixels. It panics if the sizes do not fit.
func (x *Mixture) Combine(f frame.Frame, o Others, r *Recipe) {
	x.check("Combine", f, o)
	mat.Parallel(f.Height, func(y int) {
		n := len(x.scale)
		for column := range f.Width {
			pixel := y*f.Width + column
			means := f.Mean.Row(pixel)
			for c := range means {
				means[c] *= r.weights[0]
				for k, m := range o.means {
					means[c] += r.weights[1+k] * m.Data[pixel*n+c]
				}
			}
		}
		if f.Variance.Rows > 0 {
			row := make([]float64, n*f.Width)
			r.variances.RowOver(row, y, f.Width, f.Height)
			for column := range f.Width {
				copy(f.Variance.Row(y*f.Width+column), row[n*column:])
			}
		}
	})
}

// check panics, naming the caller, if the model's prediction and the others do not fit.
func (x *Mixture) check(caller string, f frame.Frame, o Others) {
	f.Check(caller, "a prediction")
	if o.means[0].Width != f.Width || o.means[0].Height != f.Height || o.means[0].Channels != f.Mean.Cols || len(x.scale) != f.Mean.Cols {
		panic(fmt.Sprintf("film: %s: %d×%d pixels and %d channels beside others of %d×%d and %d", caller, f.Width, f.Height, f.Mean.Cols, o.means[0].Width, o.means[0].Height, o.means[0].Channels))
	}
}

// meanScale returns the mean variance of the channels.
func (x *Mixture) meanScale() (mean float64) {
	for _, s := range x.scale {
		mean += s / float64(len(x.scale))
	}
	return mean
}

// weights returns those at a time between frames, or so far beyond the ends of a
// sequence: the longer that is, the less the model counts beside the nearest frame.
func (x *Mixture) weights(beyond float64) (w weights) {
	if beyond == 0 {
		return x.inside
	}
	w = x.outside.Weights
	left := w[0] * max(0, 1-x.unit/beyond)
	w[0] -= left
	w[2] += left
	return w
}

// String tells the weights between frames, and nothing where the model is alone.
func (x *Mixture) String() string {
	if x.Alone() {
		return ""
	}
	return fmt.Sprintf("mixed with interpolation %.2g, nearest frame %.2g and dense flow %.2g", x.inside[1], x.inside[2], x.inside[3])
}

// Check is that of Part.
func (x *Mixture) Check(s frame.Shape) error {
	if x.Alone() {
		return nil
	}
	if len(x.scale) != s.Channels {
		return frame.BadPart("mixture", "%d channels, expected %d", len(x.scale), s.Channels)
	}
	return nil
}

// mixtureText is how a Mixture is written.
type mixtureText struct {
	Scale   []float64
	Unit    float64
	Inside  weights
	Laws    []varianceLaw
	Outside share
	Gap     float64
}

// Encode returns the mixture as JSON text, to the bit.
func (x *Mixture) Encode() ([]byte, error) {
	return json.Marshal(mixtureText{x.scale, x.unit, x.inside, x.laws, x.outside, x.gap})
}

// Decode is that of Part.
func (x *Mixture) Decode(text []byte) error {
	var t mixtureText
	if err := json.Unmarshal(text, &t); err != nil {
		return frame.BadPart("mixture", "%v", err)
	}
	if err := t.check(); err != nil {
		return err
	}
	*x = Mixture{t.Scale, t.Unit, t.Inside, t.Laws, t.Outside, t.Gap}
	return nil
}

// check reports what is wrong in a mixture that is read.
func (t *mixtureText) check() error {
	if len(t.Laws) != len(t.Scale) {
		return frame.BadPart("mixture", "laws of %d channels, expected %d", len(t.Laws), len(t.Scale))
	}
	err := cmp.Or(frame.CheckNumbers("mixture", "variance of a channel", math.SmallestNonzeroFloat64, math.MaxFloat64, t.Scale...), frame.CheckNumbers("mixture", "time", 0, math.MaxFloat64, t.Unit, t.Gap))
	for _, l := range t.Laws {
		err = cmp.Or(err, frame.CheckNumbers("mixture", "part of the variance", 0, math.MaxFloat64, l[:]...))
	}
	if err != nil || t.Inside == (weights{}) {
		return err
	}
	for _, w := range []weights{t.Inside, t.Outside.Weights} {
		err = cmp.Or(err, frame.CheckNumbers("mixture", "weight", 0, 1, w[:]...), frame.CheckNumbers("mixture", "sum of weights", 1-1e-6, 1+1e-6, w[0]+w[1]+w[2]+w[3]))
	}
	return cmp.Or(err, frame.CheckNumbers("mixture", "factor", math.SmallestNonzeroFloat64, math.MaxFloat64, t.Outside.Factor))
}
